#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Sends a packet to the UDP port of MRC from any address, in many ways.

Usage: forger.py FROM TO WAY..., or forger.py FROM TO --flood WAY...

One line for each way, "WAY sent" or "WAY ERROR"; with --flood all ways again and again, until it is
killed. A receiver that takes the packet for MRC drops it because of its opcode.
"""

import argparse
import errno
import ipaddress
import itertools
import socket
import struct

from inject import NH_FRAGMENT, Wire, bth, fragments, ipv6
from mrcwire import ETH_IPV6, NH_IPV6, NH_ROUTING

IPV6_RTHDR, IPV6_HOPOPTS, IPV6_DSTOPTS = 57, 54, 59
IPV6_PKTINFO, IPV6_FREEBIND = 50, 78
NH_RAW = 255
PORT, OTHER_PORT = 4791, 9
MESSAGE = bth(0, 0x1234, 0) + bytes(8)
# Longer than the MTU of a veth of lib/pair.sh.
LONG = MESSAGE + bytes(20000)
PADDING = struct.pack("!BBBBI", 0, 0, 1, 4, 0)


class Forger:
    def __init__(self, source, to):
        self.source, self.to = source, to

    def udp(self, connect=False, option=None, data=MESSAGE, port=PORT):
        with socket.socket(socket.AF_INET6, socket.SOCK_DGRAM) as sock:
            sock.setsockopt(socket.IPPROTO_IPV6, IPV6_FREEBIND, 1)
            sock.bind((self.source, 0))
            if option:
                sock.setsockopt(socket.IPPROTO_IPV6, *option)
            if connect:
                sock.connect((self.to, port))
                sock.send(data)
            else:
                sock.sendto(data, (self.to, port))

    def bound(self):
        self.udp()

    def connected(self):
        self.udp(connect=True)

    def long(self):
        """A packet that is sent in fragments."""
        self.udp(data=LONG)

    def other_port(self):
        self.udp(port=OTHER_PORT)

    def named(self):
        """The source is given as ancillary data of the packet."""
        with socket.socket(socket.AF_INET6, socket.SOCK_DGRAM) as sock:
            sock.setsockopt(socket.IPPROTO_IPV6, IPV6_FREEBIND, 1)
            info = socket.inet_pton(socket.AF_INET6, self.source) + bytes(4)
            sock.sendmsg([MESSAGE], [(socket.IPPROTO_IPV6, IPV6_PKTINFO, info)], 0, (self.to, PORT))

    def segments(self, following):
        """A segment routing header that leads to the receiver twice."""
        to = ipaddress.IPv6Address(self.to).packed
        return struct.pack("!BBBBBBH", following, 4, 4, 1, 1, 0, 0) + to + to

    def segmented(self):
        self.udp(option=(IPV6_RTHDR, self.segments(0)))

    # What follows needs CAP_NET_RAW.

    def hop_options(self):
        self.udp(option=(IPV6_HOPOPTS, PADDING))

    def destination_options(self):
        self.udp(option=(IPV6_DSTOPTS, PADDING))

    def packet(self):
        return Wire(self.source, self.to).datagram(MESSAGE)

    def raw(self, *packets):
        """Packets with their headers."""
        with socket.socket(socket.AF_INET6, socket.SOCK_RAW, NH_RAW) as sock:
            for packet in packets or [self.packet()]:
                sock.sendto(packet, (self.to, 0))

    def pieces(self):
        """Fragments, of which only the first shows the port."""
        self.raw(*fragments(self.packet(), 8))

    def last_piece(self):
        self.raw(fragments(self.packet(), 8)[-1])

    def extended(self):
        """The packet behind all extension headers that may precede it."""
        fragment = struct.pack("!BBHI", 17, 0, 0, 1)
        options = bytes([NH_FRAGMENT]) + PADDING[1:]
        routing = self.segments(60)
        packet = self.packet()
        rest = routing + options + fragment + packet[40:]
        head = ipv6(packet[8:24], packet[24:40], len(rest), NH_ROUTING)
        self.raw(head + rest)

    def within(self, head, following):
        """The packet inside another IPv6 packet, behind @head; the kernel fills in the outer source."""
        with socket.socket(socket.AF_INET6, socket.SOCK_RAW, following) as sock:
            sock.sendto(head + self.packet(), (self.to, 0))

    def nested(self):
        self.within(b"", NH_IPV6)

    def nested_segmented(self):
        self.within(self.segments(NH_IPV6), NH_ROUTING)

    def frame(self):
        """A frame that bypasses IP."""
        with socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM, 0) as sock:
            sock.sendto(self.packet(), ("lo", ETH_IPV6))


def send(forger, way):
    try:
        getattr(forger, way)()
    except OSError as error:
        return errno.errorcode[error.errno]
    return "sent"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("source")
    parser.add_argument("to")
    parser.add_argument("--flood", action="store_true")
    parser.add_argument("way", nargs="+")
    args = parser.parse_args()
    forger = Forger(args.source, args.to)
    for way in itertools.cycle(args.way) if args.flood else args.way:
        told = send(forger, way)
        if not args.flood:
            print(way, told)


main()
