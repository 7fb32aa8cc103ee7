#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Answers an EV probe in the name of whom it went to, as somebody would who sees some of it.

Waits for an EV probe at the interface that answers leave by.
"""

import argparse
import socket
import struct
import sys

from inject import EP_RSP, Link, Wire, bth
from mrcwire import Decoder, WireError

LIMIT = 30  # seconds: ends a hung test


def probe(link, gid):
    """The first probe to this GID."""
    decoder = Decoder(4096)
    link.socket.settimeout(LIMIT)
    while True:
        try:
            packets = decoder.frame(link.socket.recv(1 << 16))
        except WireError:
            continue
        for packet in packets:
            if packet["name"] == "EP_REQUEST" and packet["ip"]["dst"] == gid:
                return packet


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("via", help="NAMESPACE:INTERFACE that answers leave by")
    parser.add_argument("to", help="NAMESPACE:INTERFACE at the other end")
    parser.add_argument("gid", help="whom the probe is for, as an address is written")
    parser.add_argument("--ids", type=int, default=0, help="answers with another id")
    parser.add_argument("--stamps", type=int, default=0, help="answers with another time stamp")
    parser.add_argument("--good", action="store_true", help="and then the right one")
    args = parser.parse_args()
    args.outer = None
    link = Link(args)
    print("ready", flush=True)
    asked = probe(link, args.gid)
    wire = Wire(args.gid, asked["ip"]["src"])
    psn, stamp = asked["bth"]["psn"], asked["erth"]["timestamp"]
    answers = [(psn ^ (n + 1) << 8 & 0xFF00, stamp) for n in range(args.ids)]
    answers += [(psn, stamp ^ (n + 1)) for n in range(args.stamps)]
    if args.good:
        answers.append((psn, stamp))
    for number, told in answers:
        body = bytes(28) + struct.pack("!H", told) + bytes(6)
        link.send(wire.datagram(bth(EP_RSP, 2, number) + body))
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except socket.timeout:
        sys.exit("no probe came")
