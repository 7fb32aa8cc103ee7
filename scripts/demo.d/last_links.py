# SPDX-License-Identifier: GPL-2.0-only
"""Measures what the last link of each plane carries, and what this machine withholds from it.

The last links, from the T0 switches to h2, are held at a rate (fabric.limit_links). So it is known what
they could carry, and their queues show why they carried less. Everything is asked by netlink, from
sockets that were opened in the switches' namespaces, because starting programs costs more than what is
measured.
"""
import ctypes
import os
import socket
import struct

from fabric import PLANES, go_first
from telling import emit

INTERVAL = 0.02
# Samples that are reported at a time.
BATCH = 25

CLONE_NEWNET = 0x40000000
RTM_NEWQDISC, RTM_GETQDISC, NLMSG_ERROR = 36, 38, 2
# Without NLM_F_ECHO the answer goes to listeners, and not to the requester.
NLM_F_REQUEST, NLM_F_ECHO = 1, 8
TC_H_ROOT = 0xffffffff
TCA_STATS2, TCA_STATS_BASIC, TCA_STATS_QUEUE = 7, 1, 3
NLMSG = struct.Struct("=IHHII")
TCMSG = struct.Struct("=BxxxiIII")
NLA = struct.Struct("=HH")
RUN = "/run/netns"


def attributes(data):
    """{type: payload} of netlink attributes."""
    found = {}
    while len(data) >= NLA.size:
        length, kind = NLA.unpack_from(data)
        if length < NLA.size:
            break
        found[kind & 0x3fff] = data[NLA.size:length]
        data = data[(length + 3) & ~3:]
    return found


def queue_of(message):
    """(bytes sent, bytes that wait) of a qdisc, from the kernel's message."""
    length, kind = NLMSG.unpack_from(message)[:2]
    if kind != RTM_NEWQDISC:
        code = struct.unpack_from("=i", message, NLMSG.size)[0] if kind == NLMSG_ERROR else 0
        raise RuntimeError(f"a qdisc cannot be asked: {os.strerror(-code)}")
    stats = attributes(attributes(message[NLMSG.size + TCMSG.size:length])[TCA_STATS2])
    sent, = struct.unpack_from("=Q", stats[TCA_STATS_BASIC])
    _, backlog = struct.unpack_from("=II", stats[TCA_STATS_QUEUE])
    return sent, backlog


class LastLink:
    """The queue of a plane before h2. One thread must make it and ask it."""

    def __init__(self, plane):
        libc = ctypes.CDLL(None, use_errno=True)
        with open(f"{RUN}/p{plane}t0r2", "rb") as there, \
                open(f"/proc/{os.getpid()}/ns/net", "rb") as here:
            # Only this thread enters the namespace.
            if libc.setns(there.fileno(), CLONE_NEWNET):
                raise RuntimeError(f"p{plane}t0r2: {os.strerror(ctypes.get_errno())}")
            self.socket = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, socket.NETLINK_ROUTE)
            index = socket.if_nametoindex("h2")
            if libc.setns(here.fileno(), CLONE_NEWNET):
                raise RuntimeError(f"no way back: {os.strerror(ctypes.get_errno())}")
        body = TCMSG.pack(0, index, 0, TC_H_ROOT, 0)
        self.request = NLMSG.pack(NLMSG.size + len(body), RTM_GETQDISC,
                                  NLM_F_REQUEST | NLM_F_ECHO, 1, 0) + body

    def ask(self):
        self.socket.send(self.request)
        return queue_of(self.socket.recv(1 << 16))


def spare_times(text):
    """For each CPU the seconds that the fabric could have used: the CPU was idle, or ran what yields to
    the fabric. @text: /proc/stat"""
    tick = os.sysconf("SC_CLK_TCK")
    rows = (line.split() for line in text.splitlines() if line[:3] == "cpu" and line[3] != " ")
    # user nice system idle iowait ...
    return [sum(int(row[i]) for i in (2, 4, 5)) / tick for row in rows]


class LastLinks:
    """For all planes: sent, waiting; and for all CPUs their spare seconds."""

    def __init__(self):
        self.links = None

    def sample(self, clock):
        with open("/proc/stat", encoding="ascii") as file:
            spare = spare_times(file.read())
        queues = [link.ask() for link in self.links]
        return [clock.now(), queues, spare]

    def follow(self, clock, end):
        """Reports samples every INTERVAL seconds."""
        go_first()
        self.links = [LastLink(plane) for plane in range(1, PLANES + 1)]
        batch, t = [], 0
        while t < end:
            clock.sleep_until(t)
            batch.append(self.sample(clock))
            if len(batch) == BATCH:
                emit("links", samples=batch)
                batch = []
            t = max(t + INTERVAL, clock.now())
        emit("links", samples=batch)
