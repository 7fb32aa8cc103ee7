#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Packets that nobody should send, put on a link of the fabric by hand.

Each case is one frame (or a few fragments) and the counters that it must change at the receiving
device, by how much, and no other counter. Prints a line "pass NAME" or "fail NAME: why" for each.

What is known of the QPs comes from mrc_hold; the receiver is its second side.

With "-" alone, each line of standard input is such a command, quoted as for a shell; after each the
injector prints a line "end STATUS".
"""

import argparse
import ipaddress
import json
import os
import random
import re
import shlex
import socket
import struct
import sys
import time

from mrcwire import ETH_IPV6, NH_IPV6, NH_UDP, Icrc, enter_namespace
from mutants import Mutants

UDP_PORT, UDP_PORT_TOO = 4791, 4971
NH_FRAGMENT = 44
FIRST, MIDDLE, LAST, LAST_IMM, ONLY, ONLY_IMM = 0xC6, 0xC7, 0xC8, 0xC9, 0xCA, 0xCB
SENDS = range(0xC0, 0xC6)  # in the same order
SENDS_INV = (0xD6, 0xD7)  # last, only
DATAGRAM, GSI, GSI_QKEY = 0x64, 1, 0x80010000
READ, READ_RESPONSES, ATOMIC_RESPONSE, ATOMICS = 0xCC, range(0xCD, 0xD1), 0xD2, (0xD3, 0xD4)
ACK, EP_REQ, EP_RSP, SACK, NACK, PROBE = 0xD1, 0xD8, 0xD9, 0xDC, 0xDD, 0xDE
ACK_OK, NAK_INVALID = 0x1F, 0x61
ACK_CREDIT, RNR_NAK, RESERVED = 0x00, 0x21, 0x5F
TRIMMED, TRIMMED_LASTHOP, NO_RESOURCE, UNEXPECTED = 0x01, 0x02, 0x0A, 0x19
DSCP_TRIMMED, DSCP_LASTHOP = 12, 16
# Reasons to send a packet again; three of them are undefined.
AGAIN = (0x02, TRIMMED, 0x06, 0x07, 0x0A, 0x0B, 0x00, 0x18, 0xFF)
PSNS = 1 << 24
HALF = PSNS >> 1
GATE = 64  # datagrams of strangers that a GSI takes at once
STRANGE = 100  # packets of a third host, before a round of mutants
GUESS = 0x5A77  # a guess of a request's id, one of 65536
WAIT_LIMIT = 30  # seconds: ends a hung test, measures nothing
STALE = 0.03  # seconds: counters in sysfs are up to this old

# ---------------------------------------------------------------- packets


def address(text):
    return ipaddress.IPv6Address(text).packed


def ipv6(src, dst, length, following, tclass=0, flow=0):
    return struct.pack("!IHBB", 6 << 28 | tclass << 20 | flow, length, following, 64) + src + dst


def bth(opcode, qpn, psn, pad=0, tver=0, pkey=0xFFFF, flags=0):
    return struct.pack("!BBHII", opcode, pad << 4 | tver, pkey, qpn, flags << 24 | psn % PSNS)


def seth(cack, ack_offset=0, sack_offset=1, bitmap=0, kind=0, m=0, cc_type=0, entropy=0):
    head = struct.pack("!BBhIHHB", kind << 4, m << 5, ack_offset, entropy, 0, 0, 0)
    head += (cack % PSNS).to_bytes(3, "big")
    return head + struct.pack("!BBhQ", cc_type << 4, 8, sack_offset, bitmap) + bytes(8)


def neth(psn, reason=1, cc_type=2, entropy=0):
    head = struct.pack("!BBBBI", 0, 0, reason, 0, entropy)
    return head + bytes(5) + (psn % PSNS).to_bytes(3, "big") + bytes(
        [cc_type << 4]
    ) + bytes(3)


class Trimmed(bytes):
    """What a switch has left of a trimmed packet: the outermost length is right, the DSCP is
    changed."""

    def __new__(cls, packet, size, dscp):
        made = super().__new__(cls, packet[: 40 + size])
        made.tclass = dscp << 2 | 2  # ECT(0), as before
        return made

    def plain(self):
        """The packet without an outer header."""
        first = int.from_bytes(self[:4], "big") & ~(0xFF << 20) | self.tclass << 20
        return first.to_bytes(4, "big") + struct.pack("!H", len(self) - 40) + self[6:]


class Wire:
    """Builds packets from one address to another."""

    icrc = Icrc(bitwise=0)

    def __init__(self, src, dst, port=UDP_PORT):
        self.src, self.dst, self.port = address(src), address(dst), port

    def datagram(self, data, sport=0xC123, flow=0x4567, icrc=None, ip_extra=0, udp_length=None):
        """IPv6, UDP, data, ICRC. icrc: replaces the ICRC; ip_extra: is added to the length."""
        length = 8 + len(data) + 4
        udp = struct.pack("!HHHH", sport, self.port, length, 0)
        ip = ipv6(self.src, self.dst, length, NH_UDP, 0x10, flow)
        if icrc is None:
            icrc = struct.pack("<I", self.icrc.compute(ip, udp, data))
        if udp_length is not None:
            udp = udp[:4] + struct.pack("!H", udp_length) + udp[6:]
        ip = ip[:4] + struct.pack("!H", length + ip_extra) + ip[6:]
        return ip + udp + data + icrc

    def bare(self, payload):
        """IPv6, UDP and any payload, with nothing behind it."""
        length = 8 + len(payload)
        udp = struct.pack("!HHHH", 0xC123, self.port, length, 0)
        return ipv6(self.src, self.dst, length, NH_UDP) + udp + payload


def fragments(packet, size):
    """The packet in IPv6 fragments; size is a multiple of 8."""
    payload, following, ident = packet[40:], packet[6], random.getrandbits(32)
    parts = []
    for offset in range(0, len(payload), size):
        part = payload[offset : offset + size]
        more = offset + size < len(payload)
        head = struct.pack("!BBHI", following, 0, offset | more, ident)
        ip = packet[:4] + struct.pack("!HB", len(head) + len(part), NH_FRAGMENT) + packet[7:40]
        parts.append(ip + head + part)
    return parts


# ---------------------------------------------------------------- sending, counting


class Link:
    """Puts packets on a link, as they are or with an outer header."""

    def __init__(self, args):
        self.socket, own = self.packets(args.via)
        _, to = self.packets(args.to)
        self.ethernet = to + own + struct.pack("!H", ETH_IPV6)
        self.outer = (address(args.outer_src), address(args.outer)) if args.outer else None

    @staticmethod
    def packets(where):
        """A socket for packets of a NAMESPACE:IF, and its address."""
        namespace, _, interface = where.rpartition(":")
        with open("/proc/self/ns/net", "rb") as home:
            enter_namespace(f"/run/netns/{namespace}")
            try:
                found = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0)
                found.bind((interface, ETH_IPV6))
            finally:
                enter_namespace(f"/proc/self/fd/{home.fileno()}")
        return found, found.getsockname()[4]

    def encapsulate(self, packet):
        tclass = getattr(packet, "tclass", None)
        if not self.outer:
            return packet if tclass is None else packet.plain()
        return ipv6(*self.outer, len(packet), NH_IPV6, tclass or 0x10, 0x4567) + packet

    def send(self, packet):
        while True:
            try:
                self.socket.send(self.ethernet + packet)
                return
            except OSError as error:
                if error.errno != 105:  # ENOBUFS
                    raise
                time.sleep(0.01)


class Counters:
    """All counters of a device that a packet can change; "lifespan" is not one."""

    def __init__(self, device):
        path = f"/sys/class/infiniband/{device}/ports/1/hw_counters"
        self.files = {
            name: open(f"{path}/{name}", "rb", buffering=0)
            for name in sorted(os.listdir(path))
            if name != "lifespan"
        }
        self.newest = self.all()

    def one(self, name):
        return int(os.pread(self.files[name].fileno(), 32, 0))

    def all(self):
        time.sleep(STALE)
        return {name: self.one(name) for name in self.files}

    def change(self, wanted):
        """What has changed since the last call. Waits until all wanted changes have come, but not for
        ever."""
        before, end = self.newest, time.monotonic() + WAIT_LIMIT
        for name, n in wanted.items():
            while self.one(name) - before[name] < n and time.monotonic() < end:
                time.sleep(0.005)
        self.newest = self.all()
        return {n: v - before[n] for n, v in self.newest.items() if v != before[n]}


# ---------------------------------------------------------------- cases

# A requester that hears nothing for long asks whether its paths are alive, and its peer does the same.
ASKS = ("probe_sent", "endpoint_requests_sent", "endpoint_responses_received",
        "endpoint_requests_received", "endpoint_responses_sent", "tx_packets", "tx_bytes")


class Case:
    """What to send and which counters it must change. only: "plain" or "srv6", if only that way makes
    sense.

    With "least", counters may grow by more than wanted, and others may grow, except those in "least".
    """

    def __init__(self, name, packets, wanted, only=None, beside=(), least=None):
        self.name = name
        self.packets = packets if isinstance(packets, list) else [packets]
        self.wanted = wanted
        self.only = only
        self.beside = beside  # counters that are ignored, because other things change them meanwhile
        self.least = least

    def right(self, found):
        if self.least is None:
            rest = {name: n for name, n in found.items() if name not in self.beside}
            return rest == {n: v for n, v in self.wanted.items() if n not in self.beside}
        return not any(name in found for name in self.least) and all(
            found.get(name, 0) >= n for name, n in self.wanted.items()
        )


class Cases:
    def __init__(self, args, held, link):
        self.args, self.held, self.link = args, held, link
        self.wire = Wire(held["gid"][0], held["gid"][1])
        self.qpn = held["qpn"][1]
        # The next PSN that the receiver expects, and the next PSN that it sends.
        self.expected, self.nxt = held["next"]
        # The number of that message. It is also that of the WriteImm: all messages of mrc_hold have
        # immediates.
        self.message = held.get("messages", (0, 0))[0]
        self.window = args.mpr * 128
        self.mtu = held["mtu"]

    def write(self, opcode=ONLY, length=64, **how):
        fields = {"qpn": self.qpn, "psn": self.expected, "dmalen": length, "imm": b"",
                  "msn": self.message, "rqmsn": self.message}
        fields["va"], fields["rkey"] = self.held["address"][1], self.held["rkey"][1]
        fields.update({k: how.pop(k) for k in list(how) if k in fields})
        if opcode in (*SENDS, *SENDS_INV):
            place = struct.pack("!II", fields["va"] & 0xFFFFFFFF, fields["dmalen"])
        else:
            place = struct.pack("!QII", fields["va"], fields["rkey"], fields["dmalen"])
        if opcode in (LAST_IMM, ONLY_IMM, SENDS[3], SENDS[5]):
            fields["imm"] = bytes(4)
        if opcode in SENDS_INV:
            fields["imm"] = struct.pack("!I", fields["rkey"])
        head = bth(opcode, fields["qpn"], fields["psn"], **how)
        meth = struct.pack("!HH", fields["rqmsn"] & 0xFFFF, fields["msn"] & 0xFFFF)
        return head + meth + place + fields["imm"] + b"\xa5" * length

    def fetch(self, opcode, length, rdeth, operands=bytes(16), **how):
        """A READ, an atomic, or a packet of a response."""
        psn, msn = how.pop("psn", self.expected), how.pop("msn", self.message)
        where = struct.pack("!QI", how.pop("va", self.held["address"][1]) & (1 << 64) - 1,
                            how.pop("rkey", self.held["rkey"][1]))
        total = struct.pack("!I", how.pop("dmalen", length))
        rest = {READ: where + total + struct.pack("!I", rdeth),
                ATOMIC_RESPONSE: struct.pack("!HH", rdeth & 0xFFFF, 0) + operands[:8],
                **dict.fromkeys(ATOMICS, where + operands + struct.pack("!I", rdeth)),
                **dict.fromkeys(READ_RESPONSES, struct.pack("!HH", rdeth & 0xFFFF, 0) +
                                where[4:8] + total)}[opcode]
        body = b"\xa5" * length if opcode in READ_RESPONSES else b""
        return bth(opcode, self.qpn, psn, **how) + struct.pack("!HH", 0, msn & 0xFFFF) + rest + body

    def control(self, opcode, body, **how):
        psn = how.pop("psn", self.expected)
        return bth(opcode, how.pop("qpn", self.qpn), psn, **how) + body

    def to_qp(self, data, wanted):
        """Counters of a packet that reaches its QP."""
        return {"rx_packets": 1, "rx_bytes": len(data) + 4, **wanted}

    def truncated(self):
        why = {"rx_drop_truncated": 1}
        good = self.write()
        for n in (0, 1, 15):
            yield Case(f"{n} bytes of UDP payload", self.wire.bare(good[:n]), why)
        for n in (16, 31, 35):
            yield Case(f"write of {n} bytes", self.wire.bare(good[:n]), why)
        for opcode, n in ((READ, 39), (ATOMICS[1], 51), (READ_RESPONSES[0], 31), (ATOMIC_RESPONSE, 31)):
            data = self.fetch(opcode, 64, 0)[:n]
            yield Case(f"opcode {opcode:#x} of {n} bytes", self.wire.bare(data), why)
        data = self.write(SENDS_INV[1], 0)[:27]
        yield Case("SEND with half a key", self.wire.bare(data), why)
        yield Case("SACK of 40 bytes", self.wire.datagram(self.control(SACK, bytes(24))), why)
        yield Case("ACK without AETH", self.wire.datagram(self.control(ACK, b"")), why)
        long = self.wire.datagram(good, ip_extra=8)
        yield Case("inner length beyond the packet", long, why, "srv6")
        for n in (7, 0, len(good) + 13, 0xFFFF):
            packet = self.wire.datagram(good, udp_length=n)
            yield Case(f"UDP length {n}", packet, why, "srv6")

    def opcodes(self):
        for opcode in (0x00, 0x04, 0x0A, 0x11, 0x81, 0xBF, 0xD5, 0xDA, 0xDF, 0xFF):
            data = self.write(opcode)
            yield Case(f"opcode {opcode:#04x}", self.wire.datagram(data), {"rx_drop_opcode": 1})

    def headers(self):
        past = self.nxt - 1
        for name, data in (
            ("TVer 1", self.write(tver=1)),
            ("TVer 15 on a SACK", self.control(SACK, seth(past), tver=15)),
            ("SACK type 1", self.control(SACK, seth(past, kind=1))),
            ("SACK with m 3", self.control(SACK, seth(past, m=3))),
            ("NACK with cc type 0", self.control(NACK, neth(past, cc_type=0))),
            ("endpoint op 2", self.control(EP_REQ, b"\0\2" + bytes(14))),
            ("endpoint op 3", self.control(EP_REQ, b"\0\3" + bytes(14))),
        ):
            yield Case(name, self.wire.datagram(data), {"rx_drop_header": 1})

    def lengths(self):
        for name, data in (
            ("4100 bytes of payload", self.write(length=4100)),
            ("8800 bytes of payload", self.write(length=8800)),
            ("pad 3 and no payload", self.write(length=0, pad=3)),
            ("pad 1 and two bytes", self.write(length=2, pad=1)),
            ("61 bytes and no pad", self.write(length=61)),
            ("pad on First", self.write(FIRST, self.mtu, pad=1)),
            ("pad on Middle", self.write(MIDDLE, self.mtu, pad=3)),
            ("empty Middle", self.write(MIDDLE, 0)),
            ("empty Last", self.write(LAST, 0)),
            ("pad on the first packet of a response", self.fetch(READ_RESPONSES[0], self.mtu, 0, pad=1)),
            ("empty middle of a response", self.fetch(READ_RESPONSES[1], 0, 0)),
            ("4100 bytes of a response", self.fetch(READ_RESPONSES[3], 4100, 0)),
            ("SACK with bytes behind it", self.control(SACK, seth(self.nxt - 1) + bytes(4))),
            ("ACK with a pad", self.control(ACK, bytes([ACK_OK, 0, 0, 0]), pad=2)),
        ):
            yield Case(name, self.wire.datagram(data), {"rx_drop_length": 1})

    def addressees(self):
        for qpn in (0, 1, 2, self.qpn ^ 1, self.qpn ^ 0x800000, 0xFFFFFF):
            data = self.write(qpn=qpn)
            yield Case(f"QP {qpn:#08x}", self.wire.datagram(data), {"rx_drop_no_qp": 1})
        third = Wire(self.args.third, self.held["gid"][1])
        other = Wire(self.held["gid"][0], self.args.second)
        why = {"rx_drop_wrong_peer": 1}
        for name, wire in (("a third host", third), ("our other address", other)):
            yield Case(f"write, {name}", wire.datagram(self.write()), why)
            data = self.control(SACK, seth(self.nxt - 1))
            yield Case(f"SACK, {name}", wire.datagram(data), why)
            data = self.control(ACK, bytes([NAK_INVALID, 0, 0, 0]), psn=self.nxt - 1)
            yield Case(f"NAK, {name}", wire.datagram(data), why)
        idle = self.write(qpn=self.held["idle_qpn"])
        yield Case("QP that is not connected", self.wire.datagram(idle), {"rx_drop_qp_state": 1})
        for pkey in (0x7FFE, 0x0001):
            data = self.write(pkey=pkey)
            yield Case(f"P_Key {pkey:#x}", self.wire.datagram(data), {"rx_drop_pkey": 1})

    def integrity(self):
        why = {"rx_icrc_encapsulated": 1}
        good = self.write(length=3000)
        yield Case("ICRC zero", self.wire.datagram(good, icrc=bytes(4)), why)
        whole = self.wire.datagram(good)
        for name, at in (
            ("payload", 200),
            ("address", 48 + 12 + 8),
            ("flags", 48 + 8),
            ("ICRC", -1),
        ):
            spoilt = bytearray(whole)
            spoilt[at] ^= 0x20
            yield Case(f"bit of the {name}", bytes(spoilt), why)
        for opcode, body in ((SACK, seth(self.nxt - 1)), (PROBE, bytes(16)), (NACK, neth(0))):
            data = self.control(opcode, body)
            yield Case(f"ICRC of {opcode:#x}", self.wire.datagram(data, icrc=b"abcd"), why)
        # When reassembled, such a packet is a list of skbs.
        spoilt = self.wire.datagram(good, icrc=b"abcd")
        yield Case("fragments", fragments(spoilt, 512), why, "plain")
        outer = fragments(self.link.encapsulate(spoilt), 512)
        yield Case("fragments of the outer packet", outer, why, "srv6")

    def beyond(self):
        """Packets outside the window: each is answered with a NACK, PSN out of window."""
        for n in (self.window, self.window + 77, 100000, HALF - 2):
            data = self.write(psn=self.expected + n)
            wanted = self.to_qp(data, {"rx_drop_out_of_window": 1, "nack_sent": 1})
            yield Case(f"PSN {n} ahead", self.wire.datagram(data), wanted, beside=ASKS)

    def head(self, data, dscp=DSCP_TRIMMED, size=80):
        """The head of a packet: its first bytes behind the inner IPv6 header."""
        return Trimmed(self.wire.datagram(data), size, dscp)

    def trimmed(self):
        """Heads of packets that are reported to the peer; nothing of them counts as received."""
        data = self.write(length=self.mtu, dmalen=self.mtu)
        told = {"trimmed_received": 1, "nack_sent": 1}
        for size in (20, 21, 24, 40, 56, 130):
            yield Case(f"head of {size} bytes", self.head(data, size=size), told, beside=ASKS)
        last = {"trimmed_lasthop_received": 1, "nack_sent": 1}
        yield Case("head, the last hop's", self.head(data, DSCP_LASTHOP), last, beside=ASKS)
        for opcode in (FIRST, MIDDLE, LAST, LAST_IMM, ONLY_IMM):
            data = self.write(opcode, self.mtu, dmalen=9 * self.mtu, psn=self.expected + 7)
            yield Case(f"head of opcode {opcode:#x}", self.head(data), told, beside=ASKS)
        data = self.write(length=self.mtu, psn=self.expected - 1)
        again = {"trimmed_received": 1, "sack_sent": 1, "ack_sent": 1}
        yield Case("head of a duplicate", self.head(data), again, beside=ASKS)

    def not_trimmed(self):
        """Heads that are not reported."""
        why, data = {"rx_drop_truncated": 1}, self.write(length=self.mtu)
        yield Case("head without all of the BTH", self.head(data, size=19), why, "srv6")
        yield Case("head with another DSCP", self.head(data, 4), why)
        control = self.control(SACK, seth(self.nxt - 1) + bytes(90))
        yield Case("head of a SACK", self.head(control), why)
        yield Case("head of TVer 1", self.head(self.write(length=self.mtu, tver=1)), why)
        other = self.head(self.write(length=self.mtu, qpn=self.qpn ^ 1))
        yield Case("head for another QP", other, why)
        other = self.head(self.write(length=self.mtu, pkey=1))
        yield Case("head with P_Key 1", other, {"rx_drop_pkey": 1})
        third = Wire(self.args.third, self.held["gid"][1])
        other = Trimmed(third.datagram(data), 80, DSCP_TRIMMED)
        yield Case("head of a third host", other, {"rx_drop_wrong_peer": 1})
        idle = self.head(self.write(length=self.mtu, qpn=self.held["idle_qpn"]))
        yield Case("head for a QP that is not connected", idle, {"rx_drop_qp_state": 1})
        for n in (self.window, HALF - 2):
            beyond = self.head(self.write(length=self.mtu, psn=self.expected + n))
            yield Case(f"head, PSN {n} ahead", beyond, {"trimmed_ignored": 1}, beside=ASKS)

    def trims_off(self):
        """Heads at a receiver whose trimming is off."""
        for dscp in (DSCP_TRIMMED, DSCP_LASTHOP):
            head = self.head(self.write(length=self.mtu), dscp)
            yield Case(f"head with DSCP {dscp}", head, {"rx_drop_truncated": 1}, "srv6")
            # UDP drops the head because of its length.
            yield Case(f"head with DSCP {dscp}", head, {}, "plain")

    def whole(self):
        """A packet that is already so short that a switch which trims leaves all of it."""
        data = self.write()
        packet = self.wire.datagram(data)
        whole = Trimmed(packet, len(packet) - 40, DSCP_TRIMMED)
        wanted = self.to_qp(data, {"rx_write_requests": 1})
        yield Case("a whole packet with the DSCP of trimmed ones", whole, wanted,
                   beside=(*ASKS, "sack_sent", "ack_sent"))

    def never_sent(self):
        nxt = self.nxt
        for name, body in (
            ("cumulative PSN", seth(nxt)),
            ("cumulative PSN far ahead", seth(nxt + HALF - 1)),
            ("trigger", seth(nxt - 1, ack_offset=1)),
            ("bitmap", seth(nxt - 1, sack_offset=1, bitmap=1)),
            ("end of the bitmap", seth(nxt - 1, sack_offset=-40, bitmap=1 << 63 | 1)),
            ("bitmap far ahead", seth(nxt - 1, sack_offset=32767, bitmap=0xFFFF)),
        ):
            data = self.control(SACK, body)
            wanted = self.to_qp(data, {"rx_drop_bad_ack": 1, "sack_received": 1})
            yield Case(f"SACK, {name} never sent", self.wire.datagram(data), wanted)
        for n in (0, 1, 5000, HALF - 1):
            data = self.control(NACK, neth(nxt + n, NO_RESOURCE))
            wanted = self.to_qp(data, {"rx_drop_bad_ack": 1, "nack_received": 1})
            yield Case(f"NACK, PSN next + {n}", self.wire.datagram(data), wanted)
            data = self.control(ACK, bytes([ACK_OK, 0, 0, 9]), psn=nxt + n)
            wanted = self.to_qp(data, {"rx_drop_bad_ack": 1, "ack_received": 1})
            yield Case(f"ACK, PSN next + {n}", self.wire.datagram(data), wanted)
        for name, psn in (("never sent", nxt), ("completed long ago", nxt - 1)):
            data = self.control(ACK, bytes([NAK_INVALID, 0, 0, 0]), psn=psn)
            wanted = self.to_qp(data, {"rx_drop_bad_ack": 1, "nak_received": 1})
            yield Case(f"NAK, PSN {name}", self.wire.datagram(data), wanted)

    def endpoint_request(self, op, qpn=2):
        return self.control(EP_REQ, bytes([0, op]) + bytes(14), qpn=qpn)

    def endpoints(self):
        why = {"rx_drop_endpoint": 1}
        third = Wire(self.args.third, self.held["gid"][1])
        for op in range(2):
            data = self.endpoint_request(op)
            wanted = {"endpoint_requests_received": 1, **why}
            yield Case(f"endpoint request, op {op}, a third host", third.datagram(data), wanted)
            data = self.endpoint_request(op, qpn=self.qpn)
            yield Case(f"endpoint request, op {op}, to a QP", self.wire.datagram(data),
                       {"rx_drop_no_qp": 1})
        for name, wire in (("the peer", self.wire), ("a third host", third)):
            data = self.control(EP_RSP, bytes(36), qpn=2)
            yield Case(f"endpoint response to nothing, {name}", wire.datagram(data), why)
        data = self.control(EP_RSP, bytes(36))
        yield Case("endpoint response to a QP", self.wire.datagram(data), {"rx_drop_no_qp": 1})
        multicast = Wire(self.held["gid"][0], "ff02::1")
        data = multicast.datagram(self.write())
        yield Case("multicast", data, {"rx_drop_wrong_peer": 1}, "plain")

    def datagram(self, length=256, qkey=GSI_QKEY, **how):
        """A datagram for the GSI. Its MAD is of no class that anybody knows."""
        how.setdefault("qpn", GSI)
        return bth(DATAGRAM, psn=5, **how) + struct.pack("!II", qkey, 0x123) + b"\xa5" * length

    def datagrams(self):
        taken = {"rx_packets": 1, "rx_bytes": 12 + 8 + 256 + 4, "rx_datagrams": 1}
        yield Case("a datagram for the GSI", self.wire.datagram(self.datagram()), taken)
        for name, data, why in (
            ("wrong Q_Key", self.datagram(qkey=GSI_QKEY ^ 1), "qkey"),
            ("Q_Key 0", self.datagram(qkey=0), "qkey"),
            ("wrong P_Key", self.datagram(pkey=0x7FFE), "pkey"),
            ("an RC QP", self.datagram(qpn=self.qpn), "no_qp"),
            ("QP 0", self.datagram(qpn=0), "no_qp"),
            ("TVer 1", self.datagram(tver=1), "header"),
            ("61 bytes and no pad", self.datagram(61), "length"),
            ("pad and no payload", self.datagram(0, pad=3), "length"),
            ("4100 bytes", self.datagram(4100), "length"),
            ("longer than a MAD", self.datagram(260), "length"),
        ):
            counted = {f"rx_drop_{why}": 1}
            if name == "longer than a MAD":  # all is right, but there is no room for it
                counted.update({"rx_packets": 1, "rx_bytes": 12 + 8 + 260 + 4, "rx_datagrams": 1})
            yield Case(f"datagram, {name}", self.wire.datagram(data), counted)
        ip4 = bytearray(self.datagram())
        ip4[16] = 4
        yield Case("datagram, another IPv4 GID", self.wire.datagram(bytes(ip4)), {"rx_drop_wrong_peer": 1})
        yield Case("datagram, IPv4 GIDs cut off", self.wire.bare(bytes(ip4[:24])), {"rx_drop_truncated": 1})
        yield Case("datagram, without its DETH", self.wire.bare(self.datagram()[:19]),
                   {"rx_drop_truncated": 1})
        yield Case("datagram, ICRC", self.wire.datagram(self.datagram(), icrc=b"abcd"),
                   {"rx_icrc_encapsulated": 1})
        other = Wire(self.held["gid"][0], self.args.second)
        yield Case("datagram, our other address", other.datagram(self.datagram(qpn=self.qpn)),
                   {"rx_drop_no_qp": 1})
        third = Wire(self.args.third, self.held["gid"][1])
        flood = [third.datagram(self.datagram())] * (8 * GATE)
        yield Case("datagrams of a third host", flood, {"rx_datagrams": GATE, "rx_drop_stranger": GATE},
                   least=("rx_drop_no_qp",))

    def port_status(self, mask, stamp=0, tsr=0):
        body = struct.pack("!BBHIIHH", 0, 0, 0, mask, 0, stamp, tsr << 15 | 1)
        return self.control(EP_REQ, body, qpn=2)

    def forged_own(self):
        """A third host that uses its own address; a route leads to it."""
        wire, why = Wire(self.args.third, self.held["gid"][1]), {"rx_drop_wrong_peer": 1}
        past = self.nxt - 1
        for name, opcode, body in (
            ("SACK", SACK, seth(past)),
            ("SACK that marks", SACK, seth(past, m=1)),
            ("SACK that retires", SACK, seth(past, m=2)),
            ("NACK", NACK, neth(past)),
            ("NACK that ends QPs", NACK, neth(past, reason=0x19)),
            ("ACK", ACK, bytes([ACK_OK, 0, 0, 0])),
            ("Reliability Probe", PROBE, bytes(16)),
        ):
            data = self.control(opcode, body, psn=past)
            yield Case(f"{name}, own address", wire.datagram(data), why)
        why = {"rx_drop_endpoint": 1}
        for mask in (0, 1, 2, 0xFFFFFFFE):
            yield Case(f"port status {mask:#x}, own address", wire.datagram(self.port_status(mask)),
                       {"endpoint_requests_received": 1, **why})
        data = self.control(EP_RSP, bytes(36), qpn=2, psn=GUESS)
        yield Case("answer to a probe, own address", wire.datagram(data), why)

    def forged_peer(self):
        """Packets with the peer's address; what the forger cannot know is wrong."""
        why, far = {"rx_drop_no_qp": 1}, HALF // 2
        for name, opcode, body in (
            ("SACK", SACK, seth(self.nxt - 1)),
            ("NACK", NACK, neth(self.nxt - 1)),
            ("NACK that ends QPs", NACK, neth(self.nxt - 1, reason=0x19)),
            ("ACK", ACK, bytes([ACK_OK, 0, 0, 0])),
            ("EV probe", EP_REQ, b"\0\1" + bytes(14)),
            ("answer to a probe", EP_RSP, bytes(36)),
        ):
            data = self.control(opcode, body, qpn=self.qpn ^ 1)
            yield Case(f"{name}, wrong QP", self.wire.datagram(data), why)
        for name, opcode, body, counted in (
            ("SACK", SACK, seth(self.nxt + far), "sack_received"),
            ("SACK that retires", SACK, seth(self.nxt + far, m=2), "sack_received"),
            ("NACK", NACK, neth(self.nxt + far, NO_RESOURCE), "nack_received"),
            ("NACK that ends QPs", NACK, neth(self.nxt + far, reason=0x19), "nack_received"),
            ("ACK", ACK, bytes([ACK_OK, 0, 0, 0]), "ack_received"),
            ("NAK", ACK, bytes([NAK_INVALID, 0, 0, 0]), "nak_received"),
        ):
            data = self.control(opcode, body, psn=self.nxt + far)
            wanted = self.to_qp(data, {"rx_drop_bad_ack": 1, counted: 1})
            yield Case(f"{name}, PSN never sent", self.wire.datagram(data), wanted)
        data = self.control(NACK, neth(self.nxt - far, reason=0x19), psn=self.nxt - far)
        wanted = self.to_qp(data, {"rx_drop_bad_ack": 1, "nack_received": 1})
        yield Case("NACK that ends QPs, PSN of long ago", self.wire.datagram(data), wanted)
        data = self.control(EP_RSP, bytes(36), qpn=2, psn=GUESS)
        yield Case("answer to a probe, wrong id", self.wire.datagram(data), {"rx_drop_endpoint": 1})

    def forged(self):
        """What a host that is not the peer can send, and what must change nothing."""
        yield from self.forged_own()
        yield from self.forged_peer()

    def silent(self):
        """Packets that are not answered."""
        for cases in (self.truncated, self.opcodes, self.headers, self.lengths, self.addressees,
                      self.integrity, self.never_sent, self.endpoints, self.datagrams):
            yield from cases()

    def nack(self, psn, reason, **counted):
        data = self.control(NACK, neth(psn, reason, entropy=self.args.entropy), psn=psn)
        name = f"NACK {reason:#04x}, packet {psn - self.nxt + self.held['packets']}"
        if reason in (TRIMMED, TRIMMED_LASTHOP):
            counted["trim_nack_received"] = 1
        wanted = self.to_qp(data, {"nack_received": 1, **counted})
        return Case(name, self.wire.datagram(data), wanted, beside=ASKS)

    def nacks(self):
        """NACKs of the true peer, for all packets except the last one of a write that has not
        arrived."""
        first = self.nxt - self.held["packets"]
        for n, reason in enumerate(AGAIN):
            yield self.nack(first + n, reason, retransmitted_packets=1)

    def nack_retries(self):
        """NACKs for longer than the two timeouts of two retries, so often that no timeout passes in
        silence."""
        for _ in range(2 * 2 + 1):
            yield self.nack(self.nxt - 1, NO_RESOURCE, retransmitted_packets=1)
            # Every second NACK comes later than a timeout after the last NACK that was counted.
            time.sleep(0.6 * self.args.timeout_ns / 1e9)
        yield self.nack(self.nxt - 1, NO_RESOURCE, retry_exceeded_err=1, req_cqe_error=1)
        yield from self.nack_dead()

    def nack_fatal(self):
        yield self.nack(self.nxt - 1, UNEXPECTED, req_cqe_error=1)
        yield from self.nack_dead()

    def nack_dead(self):
        data = self.control(NACK, neth(self.nxt - 1), psn=self.nxt - 1)
        why = {"rx_drop_qp_state": 1}
        yield Case("NACK for a QP in error", self.wire.datagram(data), why)

    def sack_mixes(self):
        """A SACK with the PSN of a packet in flight, and with bits of another EV."""
        first = self.nxt - self.held["packets"]
        data = self.control(SACK, seth(first, m=2, entropy=self.args.entropy), psn=first)
        wanted = self.to_qp(data, {"sack_received": 1})
        yield Case("SACK that names another EV", self.wire.datagram(data), wanted, beside=ASKS)

    def sack_retires(self):
        """
        A SACK of the true peer that retires an EV for ever. Other SACKs have overtaken it: its packet is
        the last one before the write, and has been acknowledged.
        """
        before = self.nxt - self.held["packets"] - 1
        data = self.control(SACK, seth(before, m=2, entropy=self.args.entropy), psn=before)
        wanted = self.to_qp(data, {"sack_received": 1})
        yield Case("SACK that retires", self.wire.datagram(data), wanted, beside=ASKS)

    def status(self):
        """Port statuses of the true peer, one right after the other, as --masks and --stamps say."""
        packets, stamps = [], [int(stamp) for stamp in self.args.stamps.split(",")]
        masks = [int(mask, 0) for mask in self.args.masks.split(",")]
        for mask, stamp in zip(masks, stamps, strict=True):
            packets.append(self.wire.datagram(self.port_status(mask, stamp, self.args.tsr)))
        answered = len(packets) - self.args.older
        wanted = {"endpoint_requests_received": len(packets), "endpoint_responses_sent": answered}
        if self.args.older:
            wanted["rx_drop_endpoint"] = self.args.older
        name = f"port status {self.args.masks}, stamps {self.args.stamps}, tsr {self.args.tsr}"
        never = () if self.args.older else ("rx_drop_endpoint",)
        yield Case(name, packets, wanted, least=never)

    def acks(self):
        """ACKs for a write that has not arrived. The ACK with a credit ends the write, nothing else
        does."""
        for name, syndrome, counted in (
            ("RNR NAK", RNR_NAK, {"nak_received": 1, "rx_drop_bad_ack": 1}),
            ("reserved type of AETH", RESERVED, {"nak_received": 1, "rx_drop_bad_ack": 1}),
            ("ACK with credit 0", ACK_CREDIT, {"ack_received": 1}),
        ):
            data = self.control(ACK, bytes([syndrome, 0, 0, 1]), psn=self.nxt - 1)
            yield Case(name, self.wire.datagram(data), self.to_qp(data, counted), beside=ASKS)

    def sack_other_cc(self):
        """A SACK for the first packet of a write, from a peer with another congestion control."""
        first = self.nxt - self.held["packets"]
        data = self.control(SACK, seth(first, cc_type=5), psn=first)
        wanted = self.to_qp(data, {"sack_received": 1})
        yield Case("SACK with cc type 5", self.wire.datagram(data), wanted, beside=ASKS)

    def never_asks(self):
        """The start of a message, packet by packet, none of which asks for a SACK."""
        length = 4 * self.mtu
        for n, opcode in enumerate((FIRST, MIDDLE, MIDDLE)):
            data = self.write(opcode, self.mtu, psn=self.expected + n, dmalen=length,
                              va=self.held["address"][1] + n * self.mtu)
            yield Case(f"packet {n} of a message, no ack request", self.wire.datagram(data),
                       {"rx_packets": 1, "sack_sent": 1}, least=("duplicate_request",))

    def short_imm(self):
        """A WriteImm of two packets which says that it has three. The receiver looks for no receive."""
        length, imm = 3 * self.mtu, 64
        data = [self.write(FIRST, self.mtu, dmalen=length),
                self.write(LAST_IMM, imm, psn=self.expected + 1, dmalen=length,
                           va=self.held["address"][1] + self.mtu)]
        wanted = {"rx_packets": 2, "nak_sent": 1, "resp_cqe_error": 1}
        yield Case("a WriteImm that is shorter than it says",
                   [self.wire.datagram(packet) for packet in data], wanted,
                   least=("out_of_buffer",))

    def parts(self):
        """The first packet of a message and the last one of the next."""
        data = [self.write(FIRST, self.mtu, dmalen=self.mtu + 64),
                self.write(LAST, psn=self.expected + 1, msn=self.message + 1,
                           dmalen=self.mtu + 64, va=self.held["address"][1] + self.mtu)]
        wanted = {"rx_packets": 2, "nak_sent": 1, "resp_cqe_error": 1}
        yield Case("parts of two messages", [self.wire.datagram(packet) for packet in data], wanted,
                   least=("ack_sent",))

    def other_imm(self):
        """The next message number, but not the next WriteImm number."""
        data = self.write(ONLY_IMM, rqmsn=self.message + 1)
        wanted = {"rx_packets": 1, "nak_sent": 1, "resp_cqe_error": 1}
        yield Case("a WriteImm that is not the next one", self.wire.datagram(data), wanted,
                   least=("out_of_buffer", "ack_sent"))

    def invalidate(self):
        """A SEND that asks for the end of a program's region: only those of users in the kernel can be ended."""
        data = self.write(SENDS_INV[1], 0, va=0)
        wanted = {"rx_packets": 1, "nak_sent": 1, "resp_remote_access_errors": 1, "resp_cqe_flush_error": 1}
        yield Case("a SEND that invalidates a program's region", self.wire.datagram(data), wanted,
                   least=("ack_sent",))

    def nacks_late(self):
        """NACKs for packets that have arrived."""
        for n in (1, self.held["packets"]):
            for reason in (TRIMMED, 0x02):
                yield self.nack(self.nxt - n, reason)

    def ended(self):
        """Packets for a QP that has ended: some that are each wrong in one point, then good ones."""
        why = {{"error": "rx_drop_qp_state", "destroyed": "rx_drop_no_qp"}[self.held["ended"]]: 1}
        third = Wire(self.args.third, self.held["gid"][1])
        other = Wire(self.held["gid"][0], self.args.second)
        for name, packet in (
            ("a third host", third.datagram(self.write())),
            ("our other address", other.datagram(self.write())),
            ("P_Key 0x1", self.wire.datagram(self.write(pkey=0x0001))),
            ("ICRC zero", self.wire.datagram(self.write(), icrc=bytes(4))),
            ("PSN ahead", self.wire.datagram(self.write(psn=self.expected + self.window))),
            ("PSN behind", self.wire.datagram(self.write(psn=self.expected - 1 - self.window))),
            ("SACK", self.wire.datagram(self.control(SACK, seth(self.nxt - 1)))),
            ("NACK", self.wire.datagram(self.control(NACK, neth(self.nxt - 1)))),
            ("ACK", self.wire.datagram(self.control(ACK, bytes([ACK_OK, 0, 0, 0])))),
        ):
            yield Case(f"{name}: not answered", packet, why)
        known = {**why, "ack_sent": 1, "tx_packets": 1, "tx_bytes": 20}
        data = self.wire.datagram(self.write(psn=self.expected - 1))
        yield Case("a duplicate: acknowledged", data, known)
        unexpected = {**known, "nack_sent": 1, "tx_packets": 2, "tx_bytes": 20 + 36}
        for name, data in (("a write", self.write()), ("a probe", self.control(PROBE, bytes(16)))):
            yield Case(f"{name}: unexpected event", self.wire.datagram(data), unexpected)

    def answered(self):
        """Good packets: they show that the bad ones are bad in one point only."""
        data = self.write(psn=self.expected - 1)
        # An end that answers and sends nothing itself probes its way back. The end that answers that
        # probe does, too.
        probed = {"endpoint_requests_sent": 1, "endpoint_responses_received": 1,
                  "endpoint_requests_received": 1, "endpoint_responses_sent": 1}
        answer = {"sack_sent": 1, "ack_sent": 1, **probed,
                  "tx_packets": 4, "tx_bytes": 52 + 20 + 32 + 52}
        wanted = self.to_qp(data, {"duplicate_request": 1, **answer})
        yield Case("a duplicate", self.wire.datagram(data), wanted)
        parts = fragments(self.wire.datagram(data), 16)
        yield Case("a duplicate in fragments", parts, wanted, "plain")
        data = self.control(PROBE, bytes(16))
        wanted = self.to_qp(data, {"probe_received": 1, **answer})
        yield Case("a probe", self.wire.datagram(data), wanted)
        too = Wire(self.held["gid"][0], self.held["gid"][1], UDP_PORT_TOO)
        yield Case(f"a probe to port {UDP_PORT_TOO}", too.datagram(data), wanted)
        data = self.endpoint_request(1)
        wanted = {**probed, "endpoint_requests_received": 2, "endpoint_responses_sent": 2,
                  "tx_packets": 3, "tx_bytes": 2 * 52 + 32}
        yield Case("an EV probe", self.wire.datagram(data), wanted)
        for mask in (0, 1 << 30):
            data = self.port_status(mask)
            yield Case(f"port status that leaves none ({mask:#x})", self.wire.datagram(data),
                       wanted)

    def aside(self):
        """The same packets, when they come in by a netdev that is no plane."""
        for case in self.answered():
            yield Case(case.name, case.packets, {"rx_drop_ingress": 1}, case.only)


def check(case, link, counters):
    for packet in case.packets:
        link.send(packet if packet[6] == NH_FRAGMENT else link.encapsulate(packet))
    found = counters.change(case.wanted)
    if case.right(found):
        print(f"pass {case.name}", flush=True)
        return True
    print(f"fail {case.name}: counted {found}, wanted {case.wanted}", flush=True)
    return False


def run_cases(args, held, link):
    way = "srv6" if args.outer else "plain"
    counters = Counters(args.device)
    cases = Cases(args, held, link)
    good = True
    for case in getattr(cases, args.command.replace("-", "_"))():
        if case.only in (None, way) and re.search(args.match, case.name):
            good = check(case, link, counters) and good
    return 0 if good else 1


# ---------------------------------------------------------------- at random


class Blast:
    """Packets that are wrong in more ways than anyone can list."""

    def __init__(self, cases, link, seed):
        self.cases, self.link, self.random = cases, link, random.Random(seed)

    def plausible(self):
        """Values near the right ones, which get further into the code than noise."""
        draw, cases = self.random, self.cases
        psn = draw.choice((cases.expected, cases.nxt))
        psn += draw.choice((-1, 0, 1, draw.getrandbits(24)))
        flags = draw.choice((0, 0x80, 0x20, 0x10, draw.getrandbits(8)))
        if draw.random() < 0.5:
            opcode = draw.choice((FIRST, MIDDLE, LAST, LAST_IMM, ONLY, ONLY_IMM))
            length = draw.choice((0, 1, 4, 64, cases.mtu, draw.randrange(4200)))
            dmalen = draw.choice((length, 0, cases.mtu * 2, 1 << 31, draw.getrandbits(32)))
            pad = draw.choice((0, 0, -length & 3, draw.getrandbits(2)))
            kind = draw.random()
            if kind < 0.3:
                opcode = draw.choice((READ, ATOMIC_RESPONSE, *ATOMICS, *READ_RESPONSES))
                va = cases.held["address"][1] + draw.choice((0, 0, 1, 8, draw.getrandbits(40)))
                rdeth = draw.choice((cases.expected, cases.message, draw.getrandbits(24)))
                return cases.fetch(opcode, length, rdeth & 0xFFFFFF, draw.randbytes(16), psn=psn,
                                   dmalen=dmalen, va=va, flags=flags, pad=pad)
            if kind < 0.6:
                va = draw.choice((0, cases.mtu, dmalen - length, draw.getrandbits(32)))
                rqmsn = cases.message + draw.choice((0, 0, 1, 7, draw.getrandbits(16)))
                return cases.write(draw.choice((*SENDS, *SENDS_INV)), length, psn=psn, dmalen=dmalen, flags=flags,
                                   pad=pad, va=va, rqmsn=rqmsn)
            return cases.write(opcode, length, psn=psn, dmalen=dmalen, flags=flags, pad=pad)
        opcode = draw.choice((ACK, SACK, NACK, PROBE, EP_REQ, EP_RSP))
        body = {
            ACK: lambda: bytes([draw.choice((ACK_OK, NAK_INVALID, 0x62, draw.getrandbits(8)))]) +
            draw.randbytes(3),
            SACK: lambda: seth(psn, draw.randrange(-32768, 32768), draw.randrange(-99, 99),
                               draw.getrandbits(64), m=draw.randrange(3)),
            NACK: lambda: neth(psn, draw.getrandbits(4)),
        }.get(opcode, lambda: draw.randbytes(36 if opcode == EP_RSP else 16))()
        return cases.control(opcode, body, psn=psn, flags=flags)

    def spoil(self, packet):
        packet = bytearray(packet)
        for _ in range(self.random.choice((1, 1, 2, 8))):
            packet[self.random.randrange(len(packet))] = self.random.getrandbits(8)
        return bytes(packet)

    def packet(self):
        draw, wire = self.random, self.cases.wire
        kind = draw.randrange(5)
        if kind == 0:
            return self.link.encapsulate(wire.bare(draw.randbytes(draw.randrange(200))))
        if kind == 1:
            return self.link.encapsulate(wire.datagram(self.plausible()))
        if kind == 2:
            return self.link.encapsulate(wire.datagram(self.spoil(self.plausible())))
        if kind == 3:
            return self.spoil(self.link.encapsulate(wire.datagram(self.plausible())))
        whole = self.link.encapsulate(wire.datagram(self.plausible()))
        return whole[: draw.randrange(41, len(whole) + 1)]


def run_mutants(args, held, link):
    seed = args.seed or random.getrandbits(32)
    mutants = Mutants(args.frames, args.third, held["next"], seed)
    names = " ".join(f"{opcode:02x}" for opcode in mutants.names())
    print(f"pass seed {seed}, opcodes {names}", flush=True)
    blast = Blast(Cases(args, held, link), link, seed)
    draw, end = random.Random(seed), time.monotonic() + args.seconds
    # A refused packet of the peer soon ends the QP. Packets of a third host do not, and are refused for
    # their own faults as long as the QP lives.
    for _ in range(STRANGE):
        link.send(mutants.packet(strange=True))
    sent = STRANGE
    while time.monotonic() < end:
        for _ in range(100):
            link.send(mutants.packet() if draw.randrange(4) else blast.packet())
        sent += 100
    print(f"pass {sent} packets", flush=True)
    return 0


def run_nack_all(args, held, link):
    """NACKs for all packets of a write that has not arrived, after its path is open again."""
    cases = Cases(args, held, link)
    for psn in range(cases.nxt - held["packets"], cases.nxt):
        link.send(link.encapsulate(cases.nack(psn, TRIMMED).packets[0]))
    print(f"pass NACKs for {held['packets']} packets", flush=True)
    return 0


def run_flood(args, held, link):
    """Sends all forged packets over and over; the receiver's drops must grow by at least as much."""
    counters = Counters(args.device)
    before, wanted = counters.newest, {}
    for _ in range(args.count):
        for case in Cases(args, held, link).forged():
            if not re.search(args.match, case.name):
                continue
            for name, n in case.wanted.items():
                if name.startswith("rx_drop"):
                    wanted[name] = wanted.get(name, 0) + n
            for packet in case.packets:
                link.send(link.encapsulate(packet))
    counters.change(wanted)
    grown = {name: counters.newest[name] - before[name] for name in wanted}
    good = all(grown[name] >= n for name, n in wanted.items())
    print(f"{'pass' if good else 'fail'} forged packets are dropped: {wanted}, counted {grown}")
    return 0 if good else 1


def run_stray(args, held, link):
    """A write that is right for a QP, sent to where that QP does not exist."""
    cases = Cases(args, held, link)
    packet = cases.wire.datagram(cases.write())
    case = Case("write for a QP of another namespace", packet, {args.expect: 1})
    return 0 if check(case, link, Counters(args.device)) else 1


COMMANDS = ("trimmed", "not-trimmed", "trims-off", "whole", "silent", "answered", "ended",
            "endpoints", "forged", "flood", "stray", "nacks",
            "nack-all", "nacks-late", "nack-retries", "nack-fatal", "sack-mixes", "sack-retires",
            "status", "acks", "sack-other-cc", "never-asks", "short-imm", "parts", "other-imm",
            "invalidate",
            "beyond", "aside", "mutants")


def parse(words):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("command", choices=COMMANDS)
    parser.add_argument("--held", required=True, help="what mrc_hold printed, with its newest next")
    parser.add_argument("--via", required=True, help="NAMESPACE:IF to send through")
    parser.add_argument("--to", required=True, help="NAMESPACE:IF at the other end of that link")
    parser.add_argument("--outer", help="outer destination address: encapsulate")
    parser.add_argument("--outer-src", default="::1", help="outer source address")
    parser.add_argument("--device", required=True, help="of the receiver, for its counters")
    parser.add_argument(
        "--third", default="fd00:6d72:63::99", help="source address of a third host"
    )
    parser.add_argument("--second", default="::1", help="another address of the receiver")
    parser.add_argument("--mpr", type=int, default=8, help="of the receiver")
    parser.add_argument("--entropy", type=int, default=0, help="that SACKs and NACKs name")
    parser.add_argument("--timeout-ns", type=int, default=0, help="of the receiver's requests")
    parser.add_argument("--match", default="", help="cases whose names match only")
    parser.add_argument(
        "--count", type=int, default=4000, help="rounds of a flood"
    )
    parser.add_argument("--frames", help="what mutants are made of: a capture file")
    parser.add_argument("--seconds", type=float, default=1, help="of mutants")
    parser.add_argument("--seed", type=int, default=0, help="of mutants")
    parser.add_argument("--expect", help="counter that a stray changes")
    parser.add_argument("--masks", default="0", help="of port statuses, with commas between")
    parser.add_argument("--stamps", default="0", help="the same: their time stamps")
    parser.add_argument("--tsr", type=int, default=0, help="unit of these")
    parser.add_argument(
        "--older", type=int, default=0, help="of these are too old, and are not answered"
    )
    return parser.parse_args(words)


def run(words):
    """Runs one command. Returns its status."""
    args = parse(words)
    with open(args.held, encoding="ascii") as file:
        held = {}
        for line in file:
            held.update(json.loads(line))
    runs = {"mutants": run_mutants, "flood": run_flood, "stray": run_stray,
            "nack-all": run_nack_all}
    return runs.get(args.command, run_cases)(args, held, Link(args))


def serve():
    """Runs all commands of standard input: under emulation Python takes seconds to start."""
    for line in sys.stdin:
        try:
            status = run(shlex.split(line))
        except SystemExit as wrong:  # the command is wrong: the reason was printed
            status = wrong.code
        print(f"end {status}", flush=True)
    return 0


def main():
    return serve() if sys.argv[1:] == ["-"] else run(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
