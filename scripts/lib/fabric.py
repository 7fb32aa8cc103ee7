# SPDX-License-Identifier: GPL-2.0-only
"""Sets up the fabric on which flows are measured: planes that are slower than the CPUs, and faults."""
import os
import subprocess
import time

from machine import LAB, START_LIMIT, ns, run

PLANES = 4
LINKDOWN = "/proc/sys/net/ipv6/conf/all/ignore_routes_with_linkdown"


class Held:
    """Commands of scripts/lab that wait for a line to start, and then have priority over all others,
    too."""

    def __init__(self, commands):
        self.commands = [
            (command, subprocess.Popen(["chrt", "-f", "1", LAB, "hold", *command],
                                       stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                       stderr=subprocess.STDOUT))
            for command in commands]

    def fire(self):
        """Starts the command. Returns the moment, on the clock of the samples."""
        now = time.monotonic()
        for _, process in self.commands:
            process.stdin.write(b"\n")
            process.stdin.flush()
        return now

    def finish(self):
        for command, process in self.commands:
            output, _ = process.communicate(timeout=START_LIMIT)
            if process.returncode:
                raise RuntimeError(f"lab {' '.join(command)} failed:\n{output.decode()}")


def limit_links(rate, queue):
    """Limits the last link of each plane to h2: rate in Mb/s, queue before it in KiB."""
    run(["modprobe", "sch_tbf"])
    for plane in range(1, PLANES + 1):
        run(["tc", "-n", f"p{plane}t0r2", "qdisc", "add", "dev", "h2", "root", "tbf",
             "rate", f"{rate}mbit", "burst", "128k", "limit", f"{queue}k"])


def mptcp_setup():
    """Makes a subflow per plane: h2 offers its other addresses, h1 has a route to each."""
    for host in ("h1", "h2"):
        run(["ip", "-n", host, "mptcp", "limits", "set", "subflows", "8",
             "add_addr_accepted", "8"])
        # A host that spreads over ports does not use those without a carrier. Debian's kernel 6.1.192
        # sets the value, and then the write fails with EINVAL.
        run(ns(host) + ["sh", "-c", f"echo 1 2>/dev/null >{LINKDOWN}; grep -qx 1 {LINKDOWN}"])
    for plane in range(2, PLANES + 1):
        run(["ip", "-n", "h2", "mptcp", "endpoint", "add", f"fd00:7463:{plane}::2", "signal"])


def go_first():
    """Gives this process priority over all others; what it starts has normal priority."""
    os.sched_setscheduler(0, os.SCHED_FIFO | os.SCHED_RESET_ON_FORK, os.sched_param(1))
