# SPDX-License-Identifier: GPL-2.0-only
"""Ports of switches that mark and trim, in a fabric that was built with --switch trim: gives the module
sch_trim each port's options, and reads its counters. Both are messages of rtnetlink, because tc does
not know this qdisc; selftests/switch/sch_trim.h says what is in them."""

import json
import os
import socket
import struct

import plan
import system
from errors import Refused, Usage

SETTINGS = {"ecn": True, "trim": True, "stale": False}

# Lengths of queues in bandwidth-delay products of one link (UE, section 4.1).
ECN = (0.2, 0.8)
TRIM = 1.0
TRIM_RTX = 1.5
DROP = 4.0
# A host's own port stands for a NIC, which does not take more than it can send: its queue is long.
DROP_AT_HOST = 64 << 20
CONTROL = 1.0
# Bytes that trimming leaves, from the IP header on: the default of SAI.
SIZE = 128
DSCP_TRIMMED = 12
DSCP_LASTHOP = 16

STATISTICS = ("marked", "trimmed", "dropped", "control_dropped", "sent", "sent_bytes", "queued",
              "at", "backlog", "longest")  # fmt: skip
STATISTICS_FORMAT = "=8Q2I"

RTM_NEWQDISC = 36
RTM_GETQDISC = 38
NLMSG_ERROR = 2
NLM_F_REQUEST, NLM_F_ACK, NLM_F_ECHO, NLM_F_CREATE, NLM_F_REPLACE = 1, 4, 8, 0x400, 0x100
NLM_F_CAPPED, NLM_F_ACK_TLVS = 0x100, 0x200
NLMSGERR_ATTR_MSG = 1
SOL_NETLINK, NETLINK_EXT_ACK = 270, 11
TC_H_ROOT = 0xFFFFFFFF
HANDLE = 1 << 16
TCA_KIND, TCA_OPTIONS, TCA_STATS2 = 1, 2, 7
TCA_STATS_APP = 4
NLA_F_NESTED = 0x8000
TYPE = 0x3FFF


class Link:
    """Properties of all links of a fabric: bytes a second, and ns from one end to the other."""

    def __init__(self, shape):
        self.rate = shape.rate_mbit * 1_000_000 // 8
        # The longest path there and back crosses this many links.
        links = 4 if shape.racks == 1 else 8
        self.delay = shape.rtt_us * 1000 // links
        self.bdp = self.rate * shape.rtt_us // 1_000_000


def attributes(link, ns, interface, settings):
    """[(number, format, value)] of the port of NS:IF. A host's own port neither marks nor trims."""
    at_host = ns.startswith("h")
    last_hop = interface.startswith("h")
    found = [(1, "Q", link.rate), (2, "I", link.delay)]
    if settings["ecn"] and not at_host:
        found += [(3, "I", int(link.bdp * ECN[0])), (4, "I", int(link.bdp * ECN[1]))]
    if settings["trim"] and not at_host:
        found += [(5, "I", int(link.bdp * TRIM)), (6, "I", int(link.bdp * TRIM_RTX))]
    return found + [
        (7, "I", DROP_AT_HOST if at_host else int(link.bdp * DROP)), (8, "I", int(link.bdp * CONTROL)), (9, "I", SIZE),
        (10, "B", DSCP_LASTHOP if last_hop else DSCP_TRIMMED),
        (11, "B", int(settings["stale"])),
    ]  # fmt: skip


def _attribute(kind, payload):
    size = 4 + len(payload)
    return struct.pack("=HH", size, kind) + payload + bytes(-size % 4)


def _packed(attributes_):
    return b"".join(_attribute(kind, struct.pack("=" + form, value))
                    for kind, form, value in attributes_)  # fmt: skip


def parse_attributes(data):
    """{type: payload} of a row of attributes."""
    found = {}
    while len(data) >= 4:
        size, kind = struct.unpack_from("=HH", data)
        if size < 4:
            break
        found[kind & TYPE] = data[4:size]
        data = data[(size + 3) & ~3:]
    return found


def _message(kind, flags, index, attributes_):
    body = struct.pack("=BBHiIII", 0, 0, 0, index, HANDLE, TC_H_ROOT, 0) + attributes_
    return struct.pack("=IHHII", 16 + len(body), kind, flags, 1, 0) + body


def complaint(answer):
    """The error in the kernel's last reply to a message, or None."""
    size, _, flags = struct.unpack_from("=IHH", answer)
    error = -struct.unpack_from("=i", answer, 16)[0]
    if not error:
        return None
    if flags & NLM_F_ACK_TLVS:
        echoed = 16 if flags & NLM_F_CAPPED else struct.unpack_from("=I", answer, 20)[0]
        texts = parse_attributes(answer[20 + ((echoed + 3) & ~3):size])
        if NLMSGERR_ATTR_MSG in texts:
            return texts[NLMSGERR_ATTR_MSG].rstrip(b"\0").decode()
    return os.strerror(error)


def statistics(answer):
    """{name: number} from the kernel's message about a qdisc."""
    attributes_ = parse_attributes(answer[36:])
    if attributes_.get(TCA_KIND) != b"trim\0":
        return None
    data = parse_attributes(attributes_.get(TCA_STATS2, b"")).get(TCA_STATS_APP, b"")
    if len(data) < struct.calcsize(STATISTICS_FORMAT):
        return None
    return dict(zip(STATISTICS, struct.unpack_from(STATISTICS_FORMAT, data)))


class Kernel:
    """A socket for rtnetlink in one namespace after another."""

    def __init__(self):
        self._sockets = {}

    def _socket(self, ns):
        if ns not in self._sockets:
            with system.Inside(ns):
                made = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0)
            made.setsockopt(SOL_NETLINK, NETLINK_EXT_ACK, 1)
            made.settimeout(10)
            self._sockets[ns] = made
        return self._sockets[ns]

    def ask(self, ns, interface, kind, flags, attributes_=b""):
        """The message that answers, if there is one."""
        with system.Inside(ns):
            index = socket.if_nametoindex(interface)
        link = self._socket(ns)
        link.send(_message(kind, flags | NLM_F_REQUEST | NLM_F_ACK, index, attributes_))
        found = b""
        while True:
            answer = link.recv(65536)
            if struct.unpack_from("=H", answer, 4)[0] != NLMSG_ERROR:
                found = answer
                continue
            wrong = complaint(answer)
            if wrong:
                raise Refused(f"port of {ns}:{interface}: {wrong}")
            return found


def _line(ns, interface, settings):
    return f"{ns}:{interface} " + " ".join(f"{name}={int(on)}" for name, on in settings.items())


class Ports:
    """The ports of a fabric that is up; the file "ports" has the settings of each."""

    def __init__(self, state, kernel=None):
        self.state = state
        self.link = Link(state.shape())
        self._kernel = kernel or Kernel()
        self._settings = {}
        for line in state.lines("ports"):
            name, *words = line.split()
            pairs = (word.split("=") for word in words)
            self._settings[name] = {key: value == "1" for key, value in pairs}

    def build(self):
        """One port at each end of each link."""
        for ns_a, if_a, ns_b, if_b in self.state.links():
            for ns, interface in ((ns_a, if_a), (ns_b, if_b)):
                self._tell(ns, interface, SETTINGS)
        self._save()

    def change(self, ends, words):
        """words: "ecn on", "trim off" ... in a row."""
        changes = parse(words)
        try:
            for ns, interface in ends:
                name = f"{ns}:{interface}"
                self._tell(ns, interface, {**self._settings[name], **changes})
        finally:
            # Also the settings of ports that were changed before one refused.
            self._save()

    def look(self, ns, interface):
        """{name: number} of the events at a port."""
        numbers = statistics(self._kernel.ask(ns, interface, RTM_GETQDISC, NLM_F_ECHO))
        if numbers is None:
            raise Refused(f"{ns}:{interface} has another qdisc")
        return numbers

    def print(self, ends):
        for ns, interface in ends:
            name = f"{ns}:{interface}"
            numbers = self.look(ns, interface)
            print(json.dumps({"port": name, **self._settings[name], **numbers}))

    def _tell(self, ns, interface, settings):
        options = attributes(self.link, ns, interface, settings)
        self._kernel.ask(
            ns, interface, RTM_NEWQDISC, NLM_F_CREATE | NLM_F_REPLACE,
            _attribute(TCA_KIND, b"trim\0") + _attribute(TCA_OPTIONS | NLA_F_NESTED, _packed(options)),
        )  # fmt: skip
        self._settings[f"{ns}:{interface}"] = dict(settings)

    def _save(self):
        lines = []
        for name, settings in self._settings.items():
            ns, _, interface = name.partition(":")
            lines.append(_line(ns, interface, settings))
        self.state.write("ports", lines)


def parse(words):
    """{setting: on} from the words of a command."""
    if len(words) % 2:
        raise Usage(f"{words[-1]} wants on or off")
    changes = {}
    for name, value in zip(words[::2], words[1::2]):
        if name not in SETTINGS:
            raise Usage(f"a port has no setting '{name}': ecn, trim, stale")
        if value not in ("on", "off"):
            raise Usage(f"{name} wants on or off, not '{value}'")
        changes[name] = value == "on"
    return changes


def of(state):
    """The ports of the fabric that is up."""
    if state.shape().switch != plan.SWITCHES.index("trim"):
        raise Refused("the fabric was built without --switch trim")
    return Ports(state)
