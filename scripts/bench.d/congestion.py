#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""The guest's side of scripts/bench congestion: many hosts send to one, with a fixed window and with
NSCC, over switches that mark, trim, do both, or neither. TCP runs on the same fabric beside them.

One rack: h1 to h8 send, h9 receives. h10 receives what the victim sends, which is one of the eight. The
links are slower than the CPUs, so the senders compete for the ports to h9. This process takes the
samples and has priority over all others. It asks ports for their queues, and devices for the number of
packets sent for the first time.

Writes congestion.json: what happened. congestion_report.py makes figures of it.
"""
import argparse
import contextlib
import json
import mmap
import os
import signal
import struct
import subprocess
import sys
import tempfile
import time
import typing

import ports
from fabric import go_first
from machine import MRCCTL, OUT, PROVIDER, TOP, lab, ns, run, say, wait_until
from state import State

TRAFFIC = os.path.join(TOP, "build/userspace/bin/mrc_traffic")
FLOW = os.path.join(TOP, "scripts/lib/flow.py")
PLANES, RTT_US, MTU = 2, 2000, 1280
SENDERS, SINK, VICTIM_SINK = 8, 9, 10
MESSAGE = 65536
PATH_MTU = 1024
FOREIGN = "foreign traffic"
# Seconds between samples, before a run is watched, and of foreign traffic.
INTERVAL, SETTLE = 0.02, 2
FOREIGN_FLOWS, FOREIGN_BEFORE, FOREIGN_DURING, FOREIGN_AFTER = 4, 2, 4, 2
PROFILE = 7
COUNTERS = ("retransmitted_packets", "local_ack_timeout_err", "trim_nack_received")


class Case(typing.NamedTuple):
    """One run. senders: of the incast; cc: fixed, nscc, or a TCP; victim: the last sender has one more
    flow, to another host."""

    senders: int
    cc: str
    ecn: bool
    trim: bool
    victim: bool = False

    @property
    def name(self):
        switch = " and ".join(word for word, on in (("ECN", self.ecn), ("trim", self.trim)) if on)
        return f"{self.senders}:1 {self.cc}, {switch or 'drop'}" + (
            " with a victim" if self.victim else "")


def all_cases(sizes):
    of_switches = [(ecn, trim) for trim in (False, True) for ecn in (False, True)]
    cases = [Case(n, cc, ecn, trim)
             for n in sizes for ecn, trim in of_switches for cc in ("fixed", "nscc")]
    cases += [Case(max(sizes), cc, ecn, trim, victim=True)
              for ecn, trim in of_switches for cc in ("fixed", "nscc")]
    return cases + [Case(n, cc, cc == "dctcp", False) for n in sizes for cc in ("dctcp", "mptcp")]


# ---- hosts ----------------------------------------------------------------------


def device(n):
    return f"mrc{n - 1}"


def counter(n, name):
    path = f"/sys/class/infiniband/{device(n)}/ports/1/hw_counters/{name}"
    with open(path, encoding="ascii") as file:
        return int(file.read())


def mrcctl(n, *lines):
    run([MRCCTL, "-n", f"h{n}", "-b", "-"], input="".join(f"{line}\n" for line in lines))


def base_rtt_us():
    """Measures the base RTT of the empty fabric, as an operator would find it; it is set below."""
    found = []
    for _ in range(5):
        answer = run([MRCCTL, "-n", "h1", "-j", "probe", device(1), "remote",
                      lab("gid", f"h{SINK}")])
        found += [ev["rtt-ns"] for ev in json.loads(answer)[0]["result"] if "rtt-ns" in ev]
    return min(found) // 1000


class Hosts:
    """The hosts' devices, routes and CC profiles."""

    def __init__(self, rate):
        self.rate = rate
        self.base = base_rtt_us()
        self.added = False
        self.gids = {n: lab("gid", f"h{n}") for n in range(1, VICTIM_SINK + 1)}

    def prepare(self, case):
        """Sets routes to both receivers with the profile of this case."""
        settings = "none window 1048576" if case.cc == "fixed" else (
            f"nscc rate {PLANES * self.rate}mbit base-rtt {self.base}us "
            f"trimming {'on' if case.trim else 'off'}")
        verb = "set" if self.added else "add"
        for n in range(1, SENDERS + 1):
            lines = [f"cc-profile {verb} {device(n)} {PROFILE} algorithm {settings}"]
            if not self.added:
                lines += [f"route replace {device(n)} {self.gids[to]}/128 ev-profile {to} "
                          f"cc-profile {PROFILE}" for to in (SINK, VICTIM_SINK)]
            mrcctl(n, *lines)
        self.added = True
        for n in range(1, VICTIM_SINK + 1):
            mrcctl(n, f"device set {device(n)} trim {'on' if case.trim else 'off'}")


# ---- flows ----------------------------------------------------------------------


class Flow:
    """MRC: writes of 64 KiB, two at a time; the receiver verifies their bytes."""

    def __init__(self, stack, hosts, start, end):
        self.start, self.end = start, end
        self.folder = stack.enter_context(tempfile.TemporaryDirectory())
        socket = os.path.join(self.folder, "socket")
        self.server = self.begin(stack, hosts, end, "server", socket)
        # The QP's timeout is 67 ms: many times a round trip.
        self.client = self.begin(stack, hosts, start, "client", socket, "--iterations", "0",
                                 "--sizes", str(MESSAGE), "--mtu", str(PATH_MTU), "--depth", "2",
                                 "--batch", "1", "--timeout", "14")

    def begin(self, stack, hosts, n, role, socket, *options):
        output = open(os.path.join(self.folder, role), "w+", encoding="utf-8")
        stack.callback(output.close)
        process = subprocess.Popen(
            ["nice", "-n", "10", *ns(f"h{n}"), TRAFFIC, role, "--socket", socket,
             "--device", device(n), "--gid", hosts.gids[n], *options],
            stdout=output, stderr=subprocess.STDOUT,
            env=dict(os.environ, RDMAV_DRIVERS=PROVIDER))
        process.output = output
        stack.callback(process.wait)
        stack.callback(process.kill)
        return process

    def bytes(self):
        """Payload that has left this host for the first time. Each device has one flow, except the
        victim's host, see Victim."""
        return (counter(self.start, "tx_packets") - counter(self.start, "retransmitted_packets")
                ) * PATH_MTU

    def finish(self):
        """The client's final output."""
        self.client.send_signal(signal.SIGTERM)
        for process in (self.client, self.server):
            process.wait(timeout=120)
            if process.returncode:
                process.output.seek(0)
                raise RuntimeError(f"{' '.join(process.args)} ended with {process.returncode}:\n"
                                   f"{process.output.read()}")
        self.client.output.seek(0)
        return json.loads(self.client.output.read())["completions"]


class Victim(Flow):
    """The victim's receiver has no other flow, so what has arrived there counts."""

    def bytes(self):
        return counter(self.end, "rx_packets") * PATH_MTU


class Stream:
    """TCP over all planes by ECMP with DCTCP, or MPTCP with a subflow per plane and CUBIC."""

    def __init__(self, stack, kind, start, end, prefix, congestion):
        port = str(7800 + start)
        self.file = os.path.join(stack.enter_context(tempfile.TemporaryDirectory()), "count")
        with open(self.file, "wb") as file:
            file.write(bytes(8))
        with open(self.file, "r+b") as file:
            self.count = mmap.mmap(file.fileno(), 8)
        server = self.begin(stack, end, "receive", kind, self.file, port)
        wait_until("flow.py", lambda: self.listens(server, int(port)))
        self.begin(stack, start, "send", kind, f"{prefix}::{end:x}", port, congestion)

    @staticmethod
    def begin(stack, n, *words):
        process = subprocess.Popen(["nice", "-n", "10", *ns(f"h{n}"), "python3", FLOW, *words],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        stack.callback(process.wait)
        stack.callback(process.kill)
        return process

    @staticmethod
    def listens(server, port):
        with open(f"/proc/{server.pid}/net/tcp6", encoding="ascii") as file:
            return any(f":{port:04X} " in line and " 0A " in line for line in file)

    def bytes(self):
        return struct.unpack("=Q", self.count[:])[0]

    @staticmethod
    def finish():
        return None


def flows_of(stack, case, hosts):
    numbers = range(1, case.senders + 1)
    if case.cc in ("dctcp", "mptcp"):
        kind, prefix, congestion = {"dctcp": ("tcp", "fd00:7463", "dctcp"),
                                    "mptcp": ("mptcp", "fd00:7463:1", "cubic")}[case.cc]
        return [Stream(stack, kind, n, SINK, prefix, congestion) for n in numbers]
    found = [Flow(stack, hosts, n, SINK) for n in numbers]
    if case.victim:
        found.append(Victim(stack, hosts, case.senders, VICTIM_SINK))
    return found


# ---- watching -------------------------------------------------------------------


class Fabric:
    """The switches, and the ports to the receiver."""

    def __init__(self):
        self.state = State()
        self.ports = ports.of(self.state)
        self.ends = [(f"p{plane}t0r1", f"h{SINK}") for plane in range(1, PLANES + 1)]
        self.everywhere = [end for ns_a, if_a, ns_b, if_b in self.state.links()
                           for end in ((ns_a, if_a), (ns_b, if_b))]

    def set(self, case):
        words = ["ecn", "on" if case.ecn else "off", "trim", "on" if case.trim else "off"]
        self.ports.change(self.everywhere, words)

    def look(self):
        return [self.ports.look(*end) for end in self.ends]

    def sent_by_h1(self):
        return [self.ports.look("h1", f"eth{plane}")["sent_bytes"]
                for plane in range(1, PLANES + 1)]


def counts():
    return {name: sum(counter(n, name) for n in range(1, SENDERS + 1)) for name in COUNTERS}


class Burner:
    """Runs whenever nothing else does, so that the guest's clock, which counts instructions, never
    waits for this host. A timer of the guest that had to wake a busy host would come late. The share of
    the CPU that this does not get is what everything else needs."""

    def __init__(self, stack):
        self.process = subprocess.Popen(["chrt", "-i", "0", "sh", "-c", "while :; do :; done"])
        stack.callback(self.process.wait)
        stack.callback(self.process.kill)

    def ran(self):
        """Seconds."""
        with open(f"/proc/{self.process.pid}/stat", encoding="ascii") as file:
            words = file.read().rpartition(")")[2].split()
        return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")


def watch(sample, seconds, interval=INTERVAL):
    samples = []
    tick = time.monotonic()
    end = tick + seconds
    while tick < end:
        time.sleep(max(0, tick - time.monotonic()))
        samples.append({"t": time.monotonic(), **sample()})
        tick = max(tick + interval, time.monotonic())
    return samples


def run_case(case, fabric, hosts, burner, opts):
    fabric.set(case)
    if case.cc in ("fixed", "nscc"):
        hosts.prepare(case)
    with contextlib.ExitStack() as stack:
        flows = flows_of(stack, case, hosts)
        begin = [flow.bytes() for flow in flows]
        wait_until("all flows", lambda: all(
            flow.bytes() > before for flow, before in zip(flows, begin)))
        time.sleep(SETTLE)
        before, looks, idle = counts(), fabric.look(), burner.ran()
        samples = watch(lambda: {"bytes": [flow.bytes() for flow in flows],
                                 "ports": [(look["queued"], look["at"], look["sent_bytes"])
                                           for look in fabric.look()]}, opts.seconds)
        after, looked, idle = counts(), fabric.look(), burner.ran() - idle
        completions = [flow.finish() for flow in flows]
    grown = {name: sum(b[name] - a[name] for a, b in zip(looks, looked))
             for name in ("marked", "trimmed", "dropped", "control_dropped", "sent", "sent_bytes")}
    return {"samples": samples,
            "counts": {name: after[name] - before[name] for name in after},
            "switch": grown, "completions": completions,
            "idle": idle / (samples[-1]["t"] - samples[0]["t"])}


def run_foreign(fabric, hosts):
    """One flow over both planes; for a while TCP fills one of them."""
    case = Case(1, "nscc", True, True)
    fabric.set(case)
    hosts.prepare(case)

    def sample():
        return {"bytes": [flow.bytes()], "planes": fabric.sent_by_h1()}

    with contextlib.ExitStack() as stack:
        flow = Flow(stack, hosts, 1, SINK)
        begin = flow.bytes()
        wait_until("the flow", lambda: flow.bytes() > begin + MESSAGE)
        time.sleep(SETTLE)
        samples = watch(sample, FOREIGN_BEFORE, INTERVAL / 4)
        with contextlib.ExitStack() as foreign:
            for n in range(2, 2 + FOREIGN_FLOWS):
                Stream(foreign, "tcp", n, SINK, "fd00:7463:1", "cubic")
            came = time.monotonic()
            samples += watch(sample, FOREIGN_DURING, INTERVAL / 4)
            went = time.monotonic()
        samples += watch(sample, FOREIGN_AFTER, INTERVAL / 4)
        flow.finish()
    return {"samples": samples, "came": came, "went": went}


def tried(what, *arguments):
    """A flow that ends is a result, too, and the other runs must still come."""
    try:
        return what(*arguments)
    except (RuntimeError, subprocess.TimeoutExpired) as error:
        say(str(error))
        return {"failed": str(error)}


def prepare_tcp():
    run(["modprobe", "tcp_dctcp"])
    for n in range(1, VICTIM_SINK + 1):
        run(ns(f"h{n}") + ["sysctl", "-qw", "net.ipv4.tcp_ecn=1"])
        run(["ip", "-n", f"h{n}", "mptcp", "limits", "set", "subflows", "8",
             "add_addr_accepted", "8"])
    run(["ip", "-n", f"h{SINK}", "mptcp", "endpoint", "add", f"fd00:7463:2::{SINK:x}", "signal"])


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--rate", type=int, default=50)
    p.add_argument("--seconds", type=float, default=10)
    p.add_argument("--senders", type=int, action="append", choices=[2, 4, 8])
    p.add_argument("--case", action="append", help="only those whose name has this text")
    opts = p.parse_args()
    cases = [case for case in all_cases(opts.senders or [2, 4, 8])
             if not opts.case or any(text in case.name for text in opts.case)]
    with_foreign = not opts.case or any(text in FOREIGN for text in opts.case)
    if not cases and not with_foreign:
        p.error("no case has the text of --case in its name")
    up = ["up", "--planes", str(PLANES), "--racks", "1", "--spines", "1",
          "--hosts-per-rack", str(VICTIM_SINK), "--mtu", str(MTU), "--plain-too",
          "--switch", "trim", "--rate-mbit", str(opts.rate), "--rtt-us", str(RTT_US)]
    say("    scripts/lab " + " ".join(up))
    lab(*up)
    prepare_tcp()
    fabric = Fabric()
    go_first()
    record = {"kernel": os.uname().release, "rate": opts.rate, "planes": PLANES,
              "bdp": fabric.ports.link.bdp, "path_mtu": PATH_MTU, "runs": []}
    with contextlib.ExitStack() as stack:
        burner = Burner(stack)
        hosts = Hosts(opts.rate)
        record["base_rtt_us"] = hosts.base
        say(f"    base RTT {hosts.base} us, bandwidth-delay product of a plane {record['bdp']} bytes")
        for case in cases:
            say(f"  {case.name}")
            record["runs"].append({"case": case._asdict(), "name": case.name, **tried(
                run_case, case, fabric, hosts, burner, opts)})
        if with_foreign:
            say(f"  {FOREIGN}")
            record["foreign"] = {"name": FOREIGN, **tried(run_foreign, fabric, hosts)}
    with open(os.path.join(OUT, "congestion.json"), "w", encoding="utf-8") as file:
        json.dump(record, file)
    return 0


if __name__ == "__main__":
    sys.exit(main())
