#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""MRC on the wire, seen from outside: captures frames and decodes them.

Written from the protocol's description and from nothing else, so that it can
contradict the implementation. Needs only Python itself.

A frame may hold several packets, because segmentation offload passes through virtual links unsegmented.
Once the path MTU is known, a packet's own headers say how long it is, so packets are told apart without
asking the kernel.
"""

import argparse
import ctypes
import ipaddress
import json
import mmap
import os
import select
import signal
import socket
import struct
import sys
import zlib

ETH_IPV6 = 0x86DD
NH_IPV6, NH_ROUTING, NH_UDP = 41, 43, 17
UDP_PORTS = (4791, 4971)
ICRC_LEN = 4


class WireError(Exception):
    """Bytes that break the protocol."""


def be(data, offset, length):
    """A big-endian number; complains when the bytes end before it does."""
    if offset < 0 or offset + length > len(data):
        raise WireError(f"truncated: {length} bytes at {offset} of {len(data)}")
    return int.from_bytes(data[offset : offset + length], "big")


def signed16(value):
    return value - 0x10000 if value & 0x8000 else value


# ---------------------------------------------------------------- headers
#
# Each decoder takes the packet from its BTH on and an offset into it, and returns the fields.
# "reserved" holds all bits that must be zero, or-ed together.


def decode_bth(p, o):
    flags, byte8 = be(p, o + 1, 1), be(p, o + 8, 1)
    return {
        "opcode": be(p, o, 1),
        "se": flags >> 7,
        "m": flags >> 6 & 1,
        "pad": flags >> 4 & 3,
        "tver": flags & 15,
        "pkey": be(p, o + 2, 2),
        "qpn": be(p, o + 5, 3),
        "a": byte8 >> 7,
        "r": byte8 >> 6 & 1,
        "rtx": byte8 >> 5 & 1,
        "ts": byte8 >> 4 & 1,
        "psn": be(p, o + 9, 3),
        "reserved": be(p, o + 4, 1) | byte8 & 15,
    }


def decode_meth(p, o):
    return {"rqmsn": be(p, o, 2), "msn": be(p, o + 2, 2)}


def decode_tseth(p, o):
    low = be(p, o + 2, 2)
    return {"timestamp": be(p, o, 2), "tsr": low >> 15, "ftype": low & 15, "reserved": low & 0x7FF0}


def decode_reth(p, o):
    return {"va": be(p, o, 8), "rkey": be(p, o + 8, 4), "dmalen": be(p, o + 12, 4)}


def decode_pleth(p, o):
    return {"offset": be(p, o, 4), "dmalen": be(p, o + 4, 4)}


def decode_atomiceth(p, o):
    return {"va": be(p, o, 8), "rkey": be(p, o + 8, 4), "value": be(p, o + 12, 8), "compare": be(p, o + 20, 8)}


def decode_atomicacketh(p, o):
    return {"value": be(p, o, 8)}


def decode_rdeth_first(p, o):
    return {"psn": be(p, o + 1, 3), "reserved": be(p, o, 1)}


def decode_rdeth(p, o):
    return {"msn": be(p, o, 2), "reserved": be(p, o + 2, 2)}


def decode_deth(p, o):
    return {"qkey": be(p, o, 4), "qpn": be(p, o + 5, 3), "reserved": be(p, o + 4, 1)}


def decode_immdt(p, o):
    return {"imm": be(p, o, 4)}


def decode_ieth(p, o):
    return {"rkey": be(p, o, 4)}


def decode_aeth(p, o):
    return {"syndrome": be(p, o, 1), "msn": be(p, o + 1, 3)}


def decode_seth(p, o):
    cack, first = be(p, o + 13, 3), be(p, o + 1, 1)
    return {
        "type": be(p, o, 1) >> 4,
        "m": first >> 5 & 3,
        "pr": first >> 1 & 1,
        "ack_psn": (cack + signed16(be(p, o + 2, 2))) & 0xFFFFFF,
        "probe_id": be(p, o + 2, 2),
        "entropy": be(p, o + 4, 4),
        "spdcid": be(p, o + 8, 2),
        "dpdcid": be(p, o + 10, 2),
        "cack_psn": cack,
        "cc_type": be(p, o + 16, 1) >> 4,
        "cc_flags": be(p, o + 16, 1) & 15,
        "mpr": be(p, o + 17, 1),
        "sack_offset": signed16(be(p, o + 18, 2)),
        "bitmap": f"{be(p, o + 20, 8):016x}",
        "reserved": first & 0x1D | be(p, o + 12, 1),
    }


def decode_cc_state(p, o):
    ooo, last = be(p, o + 2, 2), be(p, o + 4, 4)
    return {
        "timestamp": be(p, o, 2),
        "ooo_count": ooo & 0x7FFF,
        "restore_cwnd": last >> 31,
        "rcv_cwnd_pen": last >> 24 & 127,
        "rcvd_bytes": last & 0xFFFFFF,
        "reserved": ooo & 0x8000,
    }


def decode_neth(p, o):
    return {
        "reason": be(p, o + 2, 1),
        "vendor": be(p, o + 3, 1),
        "entropy": be(p, o + 4, 4),
        "spdcid": be(p, o + 8, 2),
        "dpdcid": be(p, o + 10, 2),
        "nack_psn": be(p, o + 13, 3),
        "cc_type": be(p, o + 16, 1) >> 4,
        "timestamp": be(p, o + 18, 2),
        "reserved": be(p, o + 12, 1) | be(p, o + 17, 1),
    }


def decode_peth(p, o):
    return {
        "probe_id": be(p, o + 4, 2),
        "timestamp": be(p, o + 12, 2),
        "reserved": be(p, o + 2, 1) | be(p, o + 6, 2),
    }


def decode_erth(p, o):
    return {
        "op": be(p, o + 1, 1) & 3,
        "port_mask": be(p, o + 4, 4),
        "timestamp": be(p, o + 12, 2),
        "tsr": be(p, o + 14, 2) >> 15,
        "reserved": be(p, o + 2, 1) | be(p, o + 8, 4),
    }


def decode_eeth(p, o):
    return {
        "timestamp": be(p, o + 28, 2),
        "reserved": be(p, o + 4, 24) | be(p, o + 30, 6),
    }


HEADERS = {
    "bth": (12, decode_bth),
    "meth": (4, decode_meth),
    "tseth": (4, decode_tseth),
    "reth": (16, decode_reth),
    "pleth": (8, decode_pleth),
    "atomiceth": (28, decode_atomiceth),
    "atomicacketh": (8, decode_atomicacketh),
    "rdeth_first": (4, decode_rdeth_first),
    "rdeth": (4, decode_rdeth),
    "deth": (8, decode_deth),
    "immdt": (4, decode_immdt),
    "ieth": (4, decode_ieth),
    "aeth": (4, decode_aeth),
    "seth": (28, decode_seth),
    "cc_state": (8, decode_cc_state),
    "neth": (20, decode_neth),
    "peth": (16, decode_peth),
    "erth": (16, decode_erth),
    "eeth": (36, decode_eeth),
}

WRITE = ("meth", "tseth", "reth")
SEND = ("meth", "tseth", "pleth")
RESPONSE = ("meth", "tseth", "rdeth", "pleth")
ATOMIC = ("meth", "tseth", "atomiceth", "rdeth_first")
OPCODES = {
    0x64: ("DATAGRAM", ("deth",)),
    0x65: ("DATAGRAM_IMM", ("deth", "immdt")),
    0xC0: ("SEND_FIRST", SEND),
    0xC1: ("SEND_MIDDLE", SEND),
    0xC2: ("SEND_LAST", SEND),
    0xC3: ("SEND_LAST_IMM", SEND + ("immdt",)),
    0xC4: ("SEND_ONLY", SEND),
    0xC5: ("SEND_ONLY_IMM", SEND + ("immdt",)),
    0xC6: ("WRITE_FIRST", WRITE),
    0xC7: ("WRITE_MIDDLE", WRITE),
    0xC8: ("WRITE_LAST", WRITE),
    0xC9: ("WRITE_LAST_IMM", WRITE + ("immdt",)),
    0xCA: ("WRITE_ONLY", WRITE),
    0xCB: ("WRITE_ONLY_IMM", WRITE + ("immdt",)),
    0xCC: ("READ", WRITE + ("rdeth_first",)),
    0xCD: ("READ_RESPONSE_FIRST", RESPONSE),
    0xCE: ("READ_RESPONSE_MIDDLE", RESPONSE),
    0xCF: ("READ_RESPONSE_LAST", RESPONSE),
    0xD0: ("READ_RESPONSE_ONLY", RESPONSE),
    0xD1: ("ACK", ("aeth",)),
    0xD2: ("ATOMIC_RESPONSE", ("meth", "tseth", "rdeth", "atomicacketh")),
    0xD3: ("COMPARE_SWAP", ATOMIC),
    0xD4: ("FETCH_ADD", ATOMIC),
    0xD6: ("SEND_LAST_INV", SEND + ("ieth",)),
    0xD7: ("SEND_ONLY_INV", SEND + ("ieth",)),
    0xD8: ("EP_REQUEST", ("erth",)),
    0xD9: ("EP_RESPONSE", ("eeth",)),
    0xDC: ("SACK", ("seth", "cc_state")),
    0xDD: ("NACK", ("neth",)),
    0xDE: ("PROBE", ("peth",)),
}


def payload_length(name, dmalen, mtu):
    """The number of payload bytes of a write, SEND or response packet, from its place in the message."""
    if "_ONLY" in name:
        return dmalen
    if name.endswith(("_FIRST", "_MIDDLE")):
        return mtu
    return (dmalen - 1) % mtu + 1


def carries_data(packet):
    return ("reth" in packet and packet["name"] != "READ") or "pleth" in packet


def decode_packet(data, mtu):
    """One MRC packet at the start of data: its fields, and the bytes it takes."""
    bth = decode_bth(data, 0)
    if bth["opcode"] not in OPCODES:
        raise WireError(f"opcode {bth['opcode']:#x}")
    name, following = OPCODES[bth["opcode"]]
    packet = {"name": name, "bth": bth}
    offset = HEADERS["bth"][0]
    for header in following:
        if header == "tseth" and not bth["ts"]:
            continue
        length, decoder = HEADERS[header]
        be(data, offset, length)
        packet[header] = decoder(data, offset)
        offset += length
    payload = 0
    if carries_data(packet):
        payload = payload_length(name, (packet.get("reth") or packet["pleth"])["dmalen"], mtu)
        if payload > mtu:
            raise WireError(f"{payload} bytes in one packet, path MTU {mtu}")
        if (payload + bth["pad"]) % 4:
            raise WireError(f"{payload} bytes and a pad count of {bth['pad']}")
    if "deth" in packet:  # nothing says how long it is, and nothing follows it
        payload = max(len(data) - offset - bth["pad"] - ICRC_LEN, 0)
    total = offset + payload + bth["pad"] + ICRC_LEN
    be(data, 0, total)
    packet["payload"] = payload
    packet["reserved"] = any(f.get("reserved") for f in packet.values() if isinstance(f, dict))
    return packet, total


# ---------------------------------------------------------------- ICRC


def crc32_bitwise(data):
    """CRC-32 of the wire (reflected, polynomial 0x04c11db7), one bit at a time."""
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0xEDB88320 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


class Icrc:
    """Verifies ICRCs with zlib's CRC, and the first few short ones bit by bit as well."""

    SHORT = 1024

    def __init__(self, bitwise=4):
        self.bitwise = bitwise

    def compute(self, ip_header, udp_header, packet):
        """packet: from BTH to pad, without the ICRC. The lengths in both headers must be the packet's
        own."""
        ip = bytearray(ip_header)
        ip[0] |= 0x0F  # traffic class and flow label
        ip[1] = ip[2] = ip[3] = 0xFF
        ip[7] = 0xFF  # hop limit
        udp = bytearray(udp_header)
        udp[6] = udp[7] = 0xFF  # checksum
        bth = bytearray(packet[:12])
        bth[4] = 0xFF
        covered = b"\xff" * 8 + bytes(ip) + bytes(udp) + bytes(bth) + packet[12:]
        crc = zlib.crc32(covered)
        if self.bitwise and len(covered) <= self.SHORT:
            self.bitwise -= 1
            if crc32_bitwise(covered) != crc:
                raise AssertionError("zlib's CRC is not the one of the wire")
        return crc


# ---------------------------------------------------------------- frames


def decode_ipv6(f, o):
    word = be(f, o, 4)
    if word >> 28 != 6:
        raise WireError(f"IP version {word >> 28}")
    be(f, o, 40)
    return {
        "tclass": word >> 20 & 0xFF,
        "dscp": word >> 22 & 0x3F,
        "ecn": word >> 20 & 3,
        "flow": word & 0xFFFFF,
        "length": be(f, o + 4, 2),
        "next": be(f, o + 6, 1),
        "hops": be(f, o + 7, 1),
        "src": str(ipaddress.IPv6Address(f[o + 8 : o + 24])),
        "dst": str(ipaddress.IPv6Address(f[o + 24 : o + 40])),
    }


def decode_srh(f, o):
    """A segment routing header (RFC 8754), and its length."""
    length = 8 + 8 * be(f, o + 1, 1)
    if be(f, o + 2, 1) != 4:
        raise WireError(f"routing header of type {be(f, o + 2, 1)}")
    last = be(f, o + 4, 1)
    be(f, o, max(length, 8 + 16 * (last + 1)))
    segments = [
        str(ipaddress.IPv6Address(f[o + 8 + 16 * i : o + 24 + 16 * i])) for i in range(last + 1)
    ]
    srh = {"next": be(f, o, 1), "left": be(f, o + 3, 1), "segments": segments}
    return srh, length


def decode_stack(frame):
    """Decodes headers down to UDP: the layers' fields, and the offsets of the innermost IPv6 and
    UDP."""
    if be(frame, 12, 2) != ETH_IPV6:
        return None
    layers = {"ip": []}
    offset, following = 14, NH_IPV6
    while following != NH_UDP:
        if following == NH_IPV6:
            ip = decode_ipv6(frame, offset)
            ip_offset = offset
            layers["ip"].append(ip)
            following, offset = ip["next"], offset + 40
        elif following == NH_ROUTING:
            layers["srh"], length = decode_srh(frame, offset)
            following, offset = layers["srh"]["next"], offset + length
        else:
            return None
    layers["udp"] = {
        "sport": be(frame, offset, 2),
        "dport": be(frame, offset + 2, 2),
        "length": be(frame, offset + 4, 2),
        "checksum": be(frame, offset + 6, 2),
    }
    return layers, ip_offset, offset


def ones_sum(data):
    """The folded sum that IP's checksums are made of (RFC 1071)."""
    total = sum(struct.unpack(f"!{(len(data) + 1) // 2}H", data + bytes(len(data) % 2)))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return total


def udp_sum(frame, ip_offset, udp_offset, end):
    """The UDP checksum is none (0), good, bad, or partial: that of the pseudo header alone, which the
    interface that the frame leaves by must complete."""
    checksum = be(frame, udp_offset + 6, 2)
    pseudo = ones_sum(
        frame[ip_offset + 8 : ip_offset + 40] + struct.pack("!II", end - udp_offset, NH_UDP)
    )
    if not checksum:
        return "none"
    if checksum == pseudo:
        return "partial"
    whole = pseudo + ones_sum(frame[udp_offset:end])
    return "good" if (whole & 0xFFFF) + (whole >> 16) == 0xFFFF else "bad"


class Decoder:
    def __init__(self, mtu, ports=UDP_PORTS):
        self.mtu = mtu
        self.ports = ports
        self.icrc = Icrc()

    def frame(self, frame):
        """The MRC packets of a frame; raises WireError. Empty: not MRC."""
        stack = decode_stack(frame)
        if stack is None or stack[0]["udp"]["dport"] not in self.ports:
            return []
        layers, ip_offset, udp_offset = stack
        end = ip_offset + 40 + layers["ip"][-1]["length"]
        be(frame, 0, end)
        udp_end = udp_offset + layers["udp"]["length"]
        if udp_end > end:
            raise WireError(f"UDP length {layers['udp']['length']} of {end - udp_offset}")
        layers["udp"]["sum"] = udp_sum(frame, ip_offset, udp_offset, udp_end)
        packets = self.walk(frame[udp_offset + 8 : udp_end])
        surplus = frame[udp_end:end]
        # Only probes of a requested size have it.
        if any(surplus) or surplus and [p["name"] for p, _ in packets] != ["EP_REQUEST"]:
            raise WireError(f"{len(surplus)} bytes behind the UDP datagram")
        headers = frame[ip_offset : ip_offset + 40], frame[udp_offset : udp_offset + 8]
        for index, (packet, data) in enumerate(packets):
            self.finish(packet, data, layers, headers)
            packet["segment"], packet["segments"] = index, len(packets)
            packet["surplus"] = len(surplus)
        return [packet for packet, _ in packets]

    def walk(self, data):
        packets = []
        while data or not packets:
            packet, total = decode_packet(data, self.mtu)
            if packets and total > len(packets[0][1]):
                raise WireError("a segment longer than the first")
            packets.append((packet, data[:total]))
            data = data[total:]
        for _, segment in packets[:-1]:
            if len(segment) != len(packets[0][1]):
                raise WireError("segments of different lengths before the last")
        return packets

    def finish(self, packet, data, layers, headers):
        ip, udp = bytearray(headers[0]), bytearray(headers[1])
        # The values that each segment has once it is a packet of its own.
        ip[4:6] = struct.pack("!H", len(data) + 8)
        udp[4:6] = struct.pack("!H", len(data) + 8)
        found = struct.unpack("<I", data[-ICRC_LEN:])[0]
        wanted = self.icrc.compute(ip, udp, data[:-ICRC_LEN])
        packet["icrc"] = "good" if found == wanted else "zero" if found == 0 else "bad"
        packet["ip"] = layers["ip"][-1]
        packet["outer"] = layers["ip"][0] if len(layers["ip"]) > 1 else None
        packet["depth"] = len(layers["ip"])
        packet["srh"] = layers.get("srh")
        packet["udp"] = layers["udp"]
        packet["ev"] = layers["udp"]["sport"] << 16 | packet["ip"]["flow"] & 0xFFFF


# ---------------------------------------------------------------- files (pcapng)

BLOCK_SECTION, BLOCK_INTERFACE, BLOCK_PACKET = 0x0A0D0D0A, 1, 6
OPTION_NAME, OPTION_TSRESOL, OPTION_FLAGS = 2, 9, 2
DIRECTIONS = {1: "in", 2: "out"}


def padded(data):
    return data + bytes(-len(data) % 4)


def option(code, value):
    return struct.pack("<HH", code, len(value)) + padded(value)


def block(kind, body):
    length = len(body) + 12
    return struct.pack("<II", kind, length) + body + struct.pack("<I", length)


class Writer:
    def __init__(self, path, interfaces):
        self.file = open(path, "wb")
        self.file.write(block(BLOCK_SECTION, struct.pack("<IHHq", 0x1A2B3C4D, 1, 0, -1)))
        for name in interfaces:
            body = struct.pack("<HHI", 1, 0, 0)
            body += option(OPTION_NAME, name.encode()) + option(OPTION_TSRESOL, b"\x09")
            self.file.write(block(BLOCK_INTERFACE, body + option(0, b"")))

    def frame(self, interface, when, outgoing, data):
        body = struct.pack(
            "<IIIII", interface, when >> 32, when & 0xFFFFFFFF, len(data), len(data)
        )
        flags = struct.pack("<I", 2 if outgoing else 1)
        self.file.write(
            block(BLOCK_PACKET, body + padded(data) + option(OPTION_FLAGS, flags) + option(0, b""))
        )

    def close(self):
        self.file.close()


def options(data):
    found, offset = {}, 0
    while offset + 4 <= len(data):
        code, length = struct.unpack_from("<HH", data, offset)
        if code == 0:
            break
        found[code] = data[offset + 4 : offset + 4 + length]
        offset += 4 + length + -length % 4
    return found


def read_frames(path):
    """Yields (interface, time in ns, direction, bytes) of a capture file."""
    with open(path, "rb") as file:
        data = file.read()
    interfaces, offset = [], 0
    while offset + 12 <= len(data):
        kind, length = struct.unpack_from("<II", data, offset)
        if length < 12 or offset + length > len(data):
            raise WireError(f"{path}: truncated")
        body = data[offset + 8 : offset + length - 4]
        offset += length
        if kind == BLOCK_INTERFACE:
            interfaces.append(options(body[8:])[OPTION_NAME].decode())
        elif kind == BLOCK_PACKET:
            index, high, low, size, _ = struct.unpack_from("<IIIII", body)
            flags = options(body[20 + size + -size % 4 :]).get(OPTION_FLAGS, b"\0")[0]
            direction = DIRECTIONS.get(flags & 3)
            yield interfaces[index], high << 32 | low, direction, body[20 : 20 + size]


def read_packets(path, mtu, ports):
    """Yields all MRC packets of a capture file; a frame that breaks the rules has an "error"."""
    decoder = Decoder(mtu, ports)
    for interface, when, direction, frame in read_frames(path):
        try:
            packets = decoder.frame(frame)
        except WireError as error:
            packets = [{"name": "ERROR", "error": str(error), "frame": frame[:160].hex()}]
        for packet in packets:
            packet.update({"if": interface, "time": when, "dir": direction})
            yield packet


# ---------------------------------------------------------------- capturing

ETH_P_ALL = 3
SOL_PACKET = 263
PACKET_RX_RING, PACKET_STATISTICS, PACKET_VERSION, PACKET_IGNORE_OUTGOING = 5, 6, 10, 23
TPACKET_V3 = 2
PACKET_OUTGOING = 4
SO_ATTACH_FILTER, BPF_RET = 26, 6
CLONE_NEWNET = 0x40000000
BLOCK_SIZE, BLOCK_COUNT = 1 << 18, 64
# A block is closed after this time, full or not. On a slow machine this program may wait for a CPU for
# longer than it takes to close all 64 blocks.
RETIRE_MS = 50 * int(os.environ.get("SELFTESTS_SLOW", "1"))
STATUS_OFFSET = 8  # then the number of frames, and the offset of the first
FRAME_HEADER = struct.Struct("=IIIIIIHH")
PKTTYPE_OFFSET = 48 + 10  # offset in the link-layer address behind the frame's header


def enter_namespace(path):
    libc = ctypes.CDLL(None, use_errno=True)
    with open(path, "rb") as file:
        if libc.setns(file.fileno(), CLONE_NEWNET):
            raise OSError(ctypes.get_errno(), f"{path}: setns")


class Ring:
    """Frames of one interface, through a ring in shared memory.

    The kernel copies each frame into the ring as the frame passes. A plain packet socket would hold the
    payload's pages and copy them when they are read. By then their program may have written something
    else there.
    """

    def __init__(self, name, incoming_only):
        """name: an interface, or NAMESPACE:INTERFACE."""
        namespace, _, interface = name.rpartition(":")
        if namespace:
            enter_namespace(f"/run/netns/{namespace}")
        self.socket = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0)
        self.socket.setsockopt(SOL_PACKET, PACKET_VERSION, TPACKET_V3)
        ring = (BLOCK_SIZE, BLOCK_COUNT, BLOCK_SIZE, BLOCK_COUNT, RETIRE_MS, 0, 0)
        self.socket.setsockopt(SOL_PACKET, PACKET_RX_RING, struct.pack("=7I", *ring))
        self.memory = mmap.mmap(self.socket.fileno(), BLOCK_SIZE * BLOCK_COUNT)
        if incoming_only:
            self.socket.setsockopt(SOL_PACKET, PACKET_IGNORE_OUTGOING, 1)
        self.socket.bind((interface, ETH_P_ALL))
        self.block = 0
        self.read = 0
        self.seen = 0
        self.dropped = 0

    def fileno(self):
        return self.socket.fileno()

    def stop(self):
        """Makes the ring take no new frames: a filter program refuses all."""
        program = ctypes.create_string_buffer(struct.pack("=HBBI", BPF_RET, 0, 0, 0))
        self.socket.setsockopt(
            socket.SOL_SOCKET, SO_ATTACH_FILTER, struct.pack("@HP", 1, ctypes.addressof(program))
        )

    def count(self):
        """Asks the kernel how many frames there were; this resets the kernel's count."""
        seen, dropped, _ = struct.unpack(
            "=III", self.socket.getsockopt(SOL_PACKET, PACKET_STATISTICS, 12)
        )
        self.seen += seen - dropped
        self.dropped += dropped

    def complete(self):
        """Whether all frames that the kernel has taken so far are read."""
        self.count()
        return self.read >= self.seen

    def frames(self):
        """Yields (time in ns, outgoing, bytes) of all frames in closed blocks."""
        while True:
            base = self.block * BLOCK_SIZE
            status, count, first = struct.unpack_from("=III", self.memory, base + STATUS_OFFSET)
            if not status & 1:
                return
            offset = base + first
            for _ in range(count):
                following, seconds, ns, size, _, _, mac, _ = FRAME_HEADER.unpack_from(
                    self.memory, offset
                )
                outgoing = self.memory[offset + PKTTYPE_OFFSET] == PACKET_OUTGOING
                data = self.memory[offset + mac : offset + mac + size]
                yield seconds * 10**9 + ns, outgoing, data
                offset += following
            self.read += count
            struct.pack_into("=I", self.memory, base + STATUS_OFFSET, 0)
            self.block = (self.block + 1) % BLOCK_COUNT


def drain(rings, args, writer):
    """Writes all frames in the rings; returns their number."""
    written = 0
    for index, ring in enumerate(rings):
        for when, outgoing, data in ring.frames():
            if outgoing or args.direction != "out":
                writer.frame(index, when, outgoing, data)
                written += 1
    return written


def capture(args):
    ended = []
    signal.signal(signal.SIGTERM, lambda *_: ended.append(1))
    signal.signal(signal.SIGINT, lambda *_: ended.append(1))
    with open("/proc/self/ns/net", "rb") as home:
        rings = []
        for name in args.interface:
            rings.append(Ring(name, args.direction == "in"))
            enter_namespace(f"/proc/self/fd/{home.fileno()}")
    writer = Writer(args.output, args.interface)
    if args.ready:
        with open(args.ready, "w", encoding="ascii"):
            pass
    written = 0
    while not ended and (not args.frames or written < args.frames):
        select.select(rings, [], [], 0.2)
        written += drain(rings, args, writer)
    for ring in rings:
        ring.stop()
    while not all([ring.complete() for ring in rings]):
        select.select(rings, [], [], 0.2)
        written += drain(rings, args, writer)
    writer.close()
    dropped = sum(ring.dropped for ring in rings)
    print(json.dumps({"frames": written, "dropped": dropped}))
    return 1 if dropped else 0


# ---------------------------------------------------------------- commands


def decode(args):
    for packet in read_packets(args.file, args.mtu, args.udp_port or UDP_PORTS):
        print(json.dumps(packet))
    return 0


def count_in(table, key):
    table[key] = table.get(key, 0) + 1


class Spray:
    """Counts how write packets, retransmissions aside, were spread over EVs and interfaces."""

    def __init__(self):
        self.evs = {}
        self.interfaces = {}
        self.ev_of = {}

    def add(self, packet):
        if packet["bth"]["rtx"]:
            return
        ev, interface = packet["ev"], packet["if"]
        count_in(self.evs, ev)
        count_in(self.interfaces, interface)
        self.ev_of[packet["bth"]["qpn"], packet["bth"]["psn"]] = ev

    def result(self):
        pairs = same = 0
        for (qpn, psn), ev in self.ev_of.items():
            following = self.ev_of.get((qpn, psn + 1 & 0xFFFFFF))
            pairs += following is not None
            same += following == ev
        return {
            "writes": sum(self.evs.values()),
            "evs": self.evs,
            "interfaces": self.interfaces,
            "pairs": pairs,
            "same_ev": same,
        }


def verdict(packet, sent):
    """The state of the ICRC. A write that was sent twice may be stale: payloads are not copied, and once
    one of the two packets has arrived the program may write something else there.
    """
    if not carries_data(packet) or packet["icrc"] != "bad":
        return packet["icrc"]
    key = packet["bth"]["qpn"], packet["bth"]["psn"]
    return "stale" if packet["bth"]["rtx"] or key in sent else "bad"


def add_up(result, packet, sent):
    name = packet["name"]
    count_in(result["packets"], name)
    if name == "ERROR":
        result["errors"] = (result["errors"] + [packet["error"]])[:10]
        return
    count_in(result["icrc"], verdict(packet, sent))
    count_in(result["depths"], str(packet["depth"]))
    result["reserved"] += packet["reserved"]
    result["largest_payload"] = max(result["largest_payload"], packet["payload"])
    result["most_segments"] = max(result["most_segments"], packet["segments"])


def summary(args):
    """Sums up what was captured, what was wrong, and how it was spread."""
    result = {"packets": {}, "icrc": {}, "depths": {}, "errors": [], "reserved": 0}
    result.update({"largest_payload": 0, "most_segments": 0})
    spray = Spray()
    packets = list(read_packets(args.file, args.mtu, args.udp_port or UDP_PORTS))
    sent = {(p["bth"]["qpn"], p["bth"]["psn"]) for p in packets if carries_data(p) and p["bth"]["rtx"]}
    for packet in packets:
        add_up(result, packet, sent)
        if carries_data(packet):
            spray.add(packet)
    result.update(spray.result())
    print(json.dumps(result))
    return 1 if result["errors"] else 0


def parse():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(dest="command", required=True)
    c = commands.add_parser("capture", help="write frames to a file until SIGTERM")
    c.add_argument("-i", "--interface", action="append", required=True, help="[NAMESPACE:]IF")
    c.add_argument("-o", "--output", required=True, help="pcapng file")
    c.add_argument("--direction", choices=("in", "out", "both"), default="both")
    c.add_argument("--frames", type=int, default=0, help="end after so many")
    c.add_argument("--ready", help="file that appears when capturing has begun")
    c.set_defaults(run=capture)
    for name, function, text in (
        ("decode", decode, "one JSON object per MRC packet"),
        ("summary", summary, "counts; fails when a frame breaks the rules"),
    ):
        c = commands.add_parser(name, help=text)
        c.add_argument("file")
        c.add_argument("--mtu", type=int, required=True, help="path MTU of the QPs")
        c.add_argument("--udp-port", type=int, action="append", help="in place of 4791 and 4971")
        c.set_defaults(run=function)
    return parser.parse_args()


def main():
    args = parse()
    try:
        return args.run(args)
    except (OSError, WireError) as error:
        print(f"mrcwire: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
