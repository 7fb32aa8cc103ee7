# SPDX-License-Identifier: GPL-2.0-only
"""What the virtual machine reported: samples of counters, faults, the end.

Lines from the guest are JSON objects with a "kind"; guest.py says what is in
them. Counters only grow; everything shown is a difference of two samples.
"""
import json

# BTH, METH, RETH and ICRC: what a write packet has around its payload.
HEADER_BYTES = 12 + 4 + 16 + 4


class Record:
    """Everything that the guest reported."""

    def __init__(self):
        self.setup = None
        self.samples = []
        self.faults = []
        self.end = None

    def add(self, line):
        """Take over one line. Returns the message, or None when the line is no report."""
        try:
            message = json.loads(line) if line.startswith("{") else None
        except ValueError:
            return None
        kind = message.get("kind") if message else None
        if kind == "setup":
            self.setup = message
        elif kind == "sample":
            self.samples.append(message)
        elif kind == "fault":
            self._fault(message)
        elif kind == "end":
            self.end = message
        elif kind not in ("say", "health"):
            return None
        return message

    def _fault(self, message):
        if not message["healed"]:
            kept = {key: message[key] for key in ("what", "how", "plane", "element")}
            self.faults.append({**kept, "from": message["t"], "to": None})
            return
        for fault in self.faults:
            if fault["what"] == message["what"] and fault["to"] is None:
                fault["to"] = message["t"]

    def active_faults(self):
        """Faults that are not healed yet."""
        return [fault for fault in self.faults if fault["to"] is None]

    def phases(self):
        """(name, from, to) of the parts of the run between changes of the fabric, in s."""
        times = [t for fault in self.faults for t in (fault["from"], fault["to"]) if t is not None]
        phases, start = [], 0
        for group in merge(sorted(times)):
            phases.append((self._name_of(start), start, group[0]))
            start = group[-1]
        phases.append((self._name_of(start), start, self.samples[-1]["t"]))
        return phases

    def _name_of(self, t):
        """What is broken from t on."""
        if all(t < fault["from"] for fault in self.faults):
            return "before"
        broken = [f"{fault['what']} {fault['how']}" for fault in self.faults
                  if fault["from"] <= t and (fault["to"] is None or t < fault["to"])]
        return ", ".join(broken) or "after"

    def rates_between(self, start, end):
        """Rates from the first sample at or after start to the last at or before end."""
        inside = [s for s in self.samples if start <= s["t"] <= end]
        return rates(inside[0], inside[-1]) if len(inside) > 1 else None


def merge(times):
    """Groups of times that lie within two seconds: one change in several steps."""
    groups = []
    for t in times:
        if groups and t - groups[-1][-1] < 2:
            groups[-1].append(t)
        else:
            groups.append([t])
    return groups


def rates(a, b):
    """What happened per second between two samples.

    Goodput is payload that arrived at the receiver, without what arrived twice.
    Per plane: packets sent per second and goodput in Gb/s.
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
            "gbps": max(0, payload) * useful * 8 / seconds / 1e9,
        })
    return {"t": a["t"], "seconds": seconds, "planes": planes,
            "gbps": sum(p["gbps"] for p in planes)}
