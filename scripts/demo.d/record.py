# SPDX-License-Identifier: GPL-2.0-only
"""Keeps what the virtual machine reported: flows, counters of planes, faults, the end.

Lines from the guest are JSON objects with a "kind"; guest.py says what is in them. Counters only grow;
everything shown is a difference of two samples.
"""
import json

from goodput import Curve

# Bytes that a write packet has around its payload: BTH, METH, RETH and ICRC.
HEADER_BYTES = 12 + 4 + 16 + 4


class Flow:
    """One peer under the faults: points are (time, bytes that have arrived)."""

    def __init__(self, peer, planes):
        self.peer, self.planes = peer, planes
        self.points = []
        self.faults = []

    def now(self):
        return self.points[-1][0] if self.points else 0.0

    def curve(self):
        return Curve(self.points, 0)

    def rate(self):
        """Mb/s in the last second."""
        return self.curve().rate(max(0, self.now() - 1), self.now()) if self.now() else 0.0

    def fault(self, message):
        if not message["healed"]:
            kept = {key: message[key] for key in ("what", "how", "element")}
            self.faults.append({**kept, "from": message["t"], "to": None})
            return
        for fault in self.faults:
            if fault["what"] == message["what"] and fault["to"] is None:
                fault["to"] = message["t"]

    def active_faults(self):
        """Faults that are not healed yet."""
        return [fault for fault in self.faults if fault["to"] is None]


class Record:
    """Everything that the guest reported."""

    def __init__(self):
        self.setup = None
        self.flows = []
        self.samples = []
        self.links = []
        self.end = None

    @property
    def flow(self):
        """The flow that is running."""
        return self.flows[-1]

    def add(self, line):
        """Takes one line. Returns the message, or None if the line is no report."""
        try:
            message = json.loads(line) if line.startswith("{") else None
        except ValueError:
            return None
        kind = message.get("kind") if message else None
        if kind == "setup":
            self.setup = message
        elif kind == "flow":
            self.flows.append(Flow(message["peer"], message["planes"]))
        elif kind == "goodput":
            self.flow.points += message["samples"]
        elif kind == "links":
            self.links += message["samples"]
        elif kind == "sample":
            self.samples.append(message)
        elif kind == "fault":
            self.flow.fault(message)
        elif kind == "end":
            self.end = message
        elif kind not in ("say", "health"):
            return None
        return message


def rates(a, b):
    """Per plane what happened per second between two samples: packets sent, and goodput in Mb/s.

    Goodput is payload that arrived at the receiver, without what arrived twice.
    """
    seconds = b["t"] - a["t"]
    arrived = sum(p["rx_packets"] for p in b["planes"]) - sum(p["rx_packets"] for p in a["planes"])
    twice = b["duplicates"] - a["duplicates"]
    useful = max(0, 1 - twice / arrived) if arrived else 0
    planes = []
    for old, new in zip(a["planes"], b["planes"]):
        packets = new["rx_packets"] - old["rx_packets"]
        payload = new["rx_bytes"] - old["rx_bytes"] - HEADER_BYTES * packets
        planes.append({
            "port": new["port"],
            "packets": (new["tx_packets"] - old["tx_packets"]) / seconds,
            "mbps": max(0, payload) * useful * 8 / seconds / 1e6,
        })
    return planes
