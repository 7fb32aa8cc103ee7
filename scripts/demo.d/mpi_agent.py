#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""mpi_agent.py HOST COMMAND...: runs a command as another host, for mpirun, in the place of ssh.

A host is a network namespace. It gets a name of its own, and no shared memory in common with others, so that
libraries take it for another machine.
"""

import ctypes
import os
import socket
import sys

CLONE_NEWUTS, CLONE_NEWIPC, CLONE_NEWNET = 0x04000000, 0x08000000, 0x40000000


def main():
    host, command = sys.argv[1], sys.argv[2:]
    libc = ctypes.CDLL(None, use_errno=True)
    namespace = os.open(f"/run/netns/{host}", os.O_RDONLY | os.O_CLOEXEC)
    if libc.setns(namespace, CLONE_NEWNET) or libc.unshare(CLONE_NEWUTS | CLONE_NEWIPC):
        raise OSError(ctypes.get_errno(), host)
    socket.sethostname(host)
    os.execvp("sh", ["sh", "-c", " ".join(command)])


main()
