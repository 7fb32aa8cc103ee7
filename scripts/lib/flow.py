#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""One bulk flow of TCP or MPTCP: "receive PROTOCOL FILE [PORT]" counts what it reads into
eight bytes of a file, "send PROTOCOL ADDRESS [PORT [CONGESTION]]" sends until it is killed."""
import mmap
import socket
import struct
import sys

PORT, PIECE = 7778, 1 << 18
PROTOCOLS = {"tcp": socket.IPPROTO_TCP, "mptcp": socket.IPPROTO_MPTCP}


def open_socket(protocol):
    return socket.socket(socket.AF_INET6, socket.SOCK_STREAM, PROTOCOLS[protocol])


def receive(protocol, path, port=PORT):
    listener = open_socket(protocol)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    # Subflows connect to other addresses than the first.
    listener.bind(("::", int(port)))
    listener.listen(1)
    flow, _ = listener.accept()
    piece, total = bytearray(PIECE), 0
    with open(path, "r+b") as file, mmap.mmap(file.fileno(), 8) as counter:
        while count := flow.recv_into(piece):
            total += count
            counter[:] = struct.pack("=Q", total)


def send(protocol, address, port=PORT, congestion=None):
    flow, piece = open_socket(protocol), bytes(PIECE)
    if congestion:
        flow.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, congestion.encode())
    flow.connect((address, int(port)))
    while True:
        flow.sendall(piece)


if __name__ == "__main__":
    {"receive": receive, "send": send}[sys.argv[1]](*sys.argv[2:])
