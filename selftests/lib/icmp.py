# SPDX-License-Identifier: GPL-2.0-only
"""Forges ICMPv6 messages (RFC 4443, RFC 4861). Usage: icmp.py TO WHAT SOURCE DESTINATION...

To TO (an address of the host that is to believe the message, with %NETDEV if it is link-local), for
each DESTINATION. WHAT is one of

    MTU             a packet from SOURCE to DESTINATION was longer than MTU
    unreachable     no packet from SOURCE reaches DESTINATION: one message for each reason that exists
    TARGET          an address: that neighbour is a better next hop to DESTINATION
"""

import ipaddress
import socket
import struct
import sys

UNREACHABLE, PACKET_TOO_BIG, ECHO_REQUEST, REDIRECT = 1, 2, 128, 137
UNREACHABLE_CODES = 8
ICMPV6 = socket.IPPROTO_ICMPV6
# Only neighbours can send with this hop limit.
HOP_LIMIT = 255
PING = struct.pack("!BBHHH", ECHO_REQUEST, 0, 0, 1, 1)
# From the first port of EVs, and from MRC's own port.
UDP = [struct.pack("!HHHH", port, 4791, 8, 0) for port in (0xC000, 4791)]


def packed(address):
    return ipaddress.IPv6Address(address).packed


def quoted(source, destination, payload=PING, following=ICMPV6):
    """The beginning of a packet. It is a ping, because the stack believes errors about pings
    unchecked."""
    header = struct.pack("!IHBB", 6 << 28, len(payload), following, 64)
    return header + packed(source) + packed(destination) + payload


def too_big(mtu, source, destination):
    yield struct.pack("!BBHI", PACKET_TOO_BIG, 0, 0, mtu) + quoted(source, destination)


def unreachable(source, destination):
    inner = quoted(source, destination, UDP[0], socket.IPPROTO_UDP)
    packets = [quoted(source, destination), quoted(source, destination, inner, socket.IPPROTO_IPV6)]
    packets += [quoted(source, destination, udp, socket.IPPROTO_UDP) for udp in UDP]
    for code in range(UNREACHABLE_CODES):
        for packet in packets:
            yield struct.pack("!BBHI", UNREACHABLE, code, 0, 0) + packet


def redirect(target, destination):
    yield struct.pack("!BBHI", REDIRECT, 0, 0, 0) + packed(target) + packed(destination)


def messages(what, source, destination):
    if what == "unreachable":
        return unreachable(source, destination)
    if what.isdigit():
        return too_big(int(what), source, destination)
    return redirect(what, destination)


def main():
    to, what, source, *destinations = sys.argv[1:]
    address = socket.getaddrinfo(to, None, socket.AF_INET6, socket.SOCK_RAW, ICMPV6)[0][4]
    with socket.socket(socket.AF_INET6, socket.SOCK_RAW, ICMPV6) as sock:
        sock.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_UNICAST_HOPS, HOP_LIMIT)
        for destination in destinations:
            for message in messages(what, source, destination):
                # The kernel fills in the checksum.
                sock.sendto(message, address)


main()
