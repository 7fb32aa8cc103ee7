# SPDX-License-Identifier: GPL-2.0-only
"""Runs one bulk flow from h1 to h2 at a time: MRC, and what it is compared with.

Each flow tells how much has arrived in order. For MRC that is a counter of the receiving device, for
the others a count that the receiver keeps in shared memory.
"""
import json
import mmap
import os
import re
import statistics
import struct
import subprocess
import tempfile
import time

from fabric import PLANES
from machine import MRCCTL, PROVIDER, gid_index, lab, ns, run, say, wait_until

HERE = os.path.dirname(os.path.abspath(__file__))


MESSAGE = 16384
# Before it is watched, a flow must have this part of the rate of its planes; that is waited for at most
# this many seconds.
STEADY, STEADY_LIMIT = 0.8, 20


def read_number(path):
    with open(path, encoding="ascii") as file:
        return int(file.read())


def longest_rtt(qps):
    """The longest smoothed RTT in seconds. @qps: as mrcctl shows them; a QP that has sent nothing has no
    RTT."""
    found = [qp["srtt-ns"] for qp in qps if "srtt-ns" in qp]
    if not found:
        raise SystemExit("no QP has a round trip")
    return max(found) / 1e9


class Ends:
    """A server in h2 and a client in h1. They leave the CPUs to the fabric, because one of them
    polls."""

    def __init__(self, stack):
        self.stack = stack

    def start(self, host, command):
        say(f"    {host}$ {' '.join(command)}")
        output = self.stack.enter_context(tempfile.TemporaryFile())
        process = subprocess.Popen(["nice", "-n", "10", *ns(host), *command],
                                   stdout=output, stderr=subprocess.STDOUT,
                                   env=dict(os.environ, RDMAV_DRIVERS=PROVIDER))
        process.output = output
        self.stack.callback(process.wait)
        self.stack.callback(process.kill)
        return process


def check_alive(process):
    if process.poll() is not None:
        process.output.seek(0)
        raise RuntimeError(f"{' '.join(process.args)} ended with {process.returncode}:\n"
                           f"{process.output.read().decode()}")


def listening(server, table, port):
    check_alive(server)
    with open(f"/proc/{server.pid}/net/{table}", encoding="ascii") as file:
        return any(re.match(rf"\s*\d+: \w+:{port:04X} \w+:0000 0A", line) for line in file)


class Mrc:
    """RDMA writes on one QP. It counts writes that have arrived in full, with all before them."""

    name, planes = "MRC", PLANES
    port = 18515
    # The default of ib_write_bw: 67 ms; perftest's QPs survive 29 such timeouts.
    TIMEOUT = 14

    def __init__(self, timeout=TIMEOUT):
        """timeout: the exponent of verbs"""
        self.timeout = timeout
        if timeout != self.TIMEOUT:
            self.name = f"MRC, timeout {timeout}"
        self.host = lab("management", "h2")
        self.remote = lab("gid", "h2")

    def counter(self, device, name):
        return read_number(f"/sys/class/infiniband/{device}/ports/1/hw_counters/{name}")

    def received(self):
        return self.counter("mrc1", "rx_write_requests") * MESSAGE

    def write_bw(self, device, *args):
        return ["ib_write_bw", "-d", device, "-x", gid_index(device, "fd00:6d72"), "-m", "4096",
                "-s", str(MESSAGE), "-q", "1", "-D", "3600", "-F", *self.patience(), *args]

    def patience(self):
        return ["-u", str(self.timeout)] if self.timeout != self.TIMEOUT else []

    def start(self, ends):
        server = ends.start("h2", self.write_bw("mrc1"))
        wait_until("ib_write_bw", lambda: listening(server, "tcp", self.port))
        return ends.start("h1", self.write_bw("mrc0", self.host))

    def share(self, left):
        """The part of the goodput that is left with this many planes."""
        return left / PLANES

    def path(self, planes=range(1, PLANES + 1)):
        """A plane and a spine that the flow uses: it uses all of them."""
        return planes[0], 1

    def rtt(self, client):
        """Smoothed round trip of the QP under load, seconds."""
        qps = json.loads(run([MRCCTL, "-n", "h1", "-j", "-s", "qp", "show", "mrc0"]))
        return longest_rtt(qps)

    def counts(self, client):
        return {"retransmitted": self.counter("mrc0", "retransmitted_packets"),
                "duplicates": self.counter("mrc1", "duplicate_request")}


class Stream:
    """TCP or MPTCP. It counts what the receiver has read."""

    def __init__(self, name, protocol, prefix, planes):
        self.name, self.protocol, self.prefix, self.planes = name, protocol, prefix, planes
        self.file = f"/run/failover-{protocol}"
        with open(self.file, "wb") as file:
            file.write(bytes(8))
        with open(self.file, "r+b") as file:
            self.count = mmap.mmap(file.fileno(), 8)

    def received(self):
        return struct.unpack("=Q", self.count[:])[0]

    def flow(self, *args):
        return ["python3", f"{HERE}/flow.py", *args]

    def start(self, ends):
        self.count[:] = bytes(8)
        server = ends.start("h2", self.flow("receive", self.protocol, self.file))
        wait_until("flow.py", lambda: listening(server, "tcp6", 7778))
        return ends.start("h1", self.flow("send", self.protocol, f"{self.prefix}::2"))

    def share(self, left):
        """One connection needs one plane, any of them."""
        return min(1, left / self.planes)

    def trunks(self):
        """Bytes sent on each trunk of rack 1 so far, by plane and spine."""
        return {(plane, int(link["ifname"][3:])): link["stats64"]["tx"]["bytes"]
                for plane in range(1, PLANES + 1)
                for link in json.loads(run(["ip", "-n", f"p{plane}t0r1", "-j", "-s", "link"]))
                if link["ifname"].startswith("t1s")}

    def path(self, planes=range(1, PLANES + 1)):
        """The trunk that carries most of the flow in these planes: the fault hits it there."""
        before = self.trunks()
        time.sleep(0.5)
        after = self.trunks()
        return max((trunk for trunk in after if trunk[0] in planes),
                   key=lambda trunk: after[trunk] - before[trunk])

    def rtt(self, client):
        """The median of the RTTs of the connections."""
        found = re.findall(r"bytes_sent:\d{6,}.*?\brtt:([\d.]+)/|\brtt:([\d.]+)/.*?bytes_sent:\d{6,}",
                           run(ns("h1") + ["ss", "-tinH"]))
        return statistics.median(float(a or b) for a, b in found) / 1e3

    def counts(self, client):
        with open(f"/proc/{client.pid}/net/snmp", encoding="ascii") as file:
            names, values = (line.split() for line in file if line.startswith("Tcp:"))
        return {"retransmitted": int(values[names.index("RetransSegs")])}


def settle(flow, rate):
    """Waits until the flow has found its rate, in Mb/s; a flow that does not is watched as it is."""
    end = time.monotonic() + STEADY_LIMIT
    while time.monotonic() < end:
        begin, at = flow.received(), time.monotonic()
        time.sleep(1)
        found = (flow.received() - begin) * 8 / (time.monotonic() - at) / 1e6
        if found >= STEADY * rate * flow.planes:
            return
