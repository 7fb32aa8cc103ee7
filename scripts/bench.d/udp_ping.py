#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""UDP ping-pong of 64 bytes: "pong" answers, "ping ADDRESS" prints the median
of half a round trip in microseconds. Both poll, as ib_write_lat does."""
import socket
import statistics
import sys
import time

PORT, COUNT = 7777, 2000


def receive(sock):
    while True:
        try:
            return sock.recvfrom(64)
        except BlockingIOError:
            pass


def main():
    sock = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)
    sock.setblocking(False)
    if sys.argv[1] == "pong":
        sock.bind(("::", PORT))
        while True:
            data, peer = receive(sock)
            sock.sendto(data, peer)
    times = []
    for _ in range(COUNT):
        start = time.perf_counter()
        sock.sendto(bytes(64), (sys.argv[2], PORT))
        receive(sock)
        times.append((time.perf_counter() - start) / 2)
    print(statistics.median(times) * 1e6)
    return 0


if __name__ == "__main__":
    sys.exit(main())
