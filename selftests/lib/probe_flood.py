#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""EV probes in other hosts' names, or answers to none, faster than packets can be made one by one.

Sends skbs of many probes through sockets of a namespace that routes packets to the receiver. Prints the
time at which it began, in ns since 1970.
"""

import argparse
import ipaddress
import json
import socket
import struct
import sys
import time

from inject import EP_REQ, EP_RSP, UDP_PORT, Wire, bth
from mrcwire import enter_namespace

IPV6_FREEBIND, SOL_UDP, UDP_SEGMENT = 78, 17, 103
SEGMENTS = 64
PORT = 0xC123
PROBE = bth(EP_REQ, 2, 0x1234) + b"\0\1" + bytes(14)
# Skbs with answers: together they try each value of the secret half of an id.
ANSWERS = 256 // SEGMENTS


def answer(number):
    return bth(EP_RSP, 2, number % 256 << 8) + bytes(36)


class Sender:
    """A sender in the name of one host."""

    def __init__(self, name, receiver):
        self.wire = Wire(name, receiver)
        self.socket = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)
        self.socket.setsockopt(socket.IPPROTO_IPV6, IPV6_FREEBIND, 1)
        self.socket.bind((name, PORT))
        self.socket.connect((receiver, UDP_PORT))

    def packets(self, of):
        """SEGMENTS packets in one skb."""
        packets = [self.wire.datagram(of(n), sport=PORT)[48:] for n in range(SEGMENTS)]
        self.socket.setsockopt(SOL_UDP, UDP_SEGMENT, struct.pack("=i", len(packets[0])))
        return b"".join(packets)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("namespace")
    parser.add_argument("receiver", help="its address")
    parser.add_argument("first", help="address of the first sender, others follow it")
    parser.add_argument("--senders", type=int, default=1)
    parser.add_argument("--count", type=int, default=300, help=f"of skbs with {SEGMENTS} probes")
    parser.add_argument("--answers", action="store_true",
                        help="one with each secret half of an id, and no probes")
    args = parser.parse_args()
    enter_namespace(f"/run/netns/{args.namespace}")
    first = ipaddress.IPv6Address(args.first)
    senders = [Sender(str(first + n), args.receiver) for n in range(args.senders)]
    if args.answers:
        skbs = [(senders[0].socket, senders[0].packets(lambda n, at=skb * SEGMENTS: answer(at + n)))
                for skb in range(ANSWERS)]
    else:
        skbs = [(sender.socket, sender.packets(lambda _: PROBE)) for sender in senders]
    began = time.time_ns()
    for n in range(len(skbs) if args.answers else args.count):
        to, packets = skbs[n % len(skbs)]
        to.send(packets)
    print(json.dumps([began]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
