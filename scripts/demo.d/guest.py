#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""What "make demo" does inside the virtual machine.

Builds the fabric, has mrcd configure the hosts, runs ib_write_bw and
mrc_traffic between h1 and h2, breaks and heals the fabric meanwhile, and
samples the counters. This process takes the samples, from mrcctl processes
that live as long as it does: it shares the CPUs with the traffic, and goes
first; so does mrcd.

Standard output: a JSON object a line, with "kind"
  say     text for people
  setup   kernel, command, seconds
  sample  t (seconds since the traffic began), planes (of h1, by port; rx_* are
          h2's), and counters of the devices
  fault   t, what, plane, how, element (mrcd's name for it), healed
  health  t, host, text: what mrcctl shows
  end     write_bw, traffic, qp_errors, retransmitted, problems, and decisions
          of mrcd: host, t, text
Other lines come from the programs. Exit status 1: the run could not be done.
"""
import contextlib
import json
import os
import subprocess
import sys
import tempfile
import time

import daemons
from faults import Faults
from machine import LAB, PROVIDER, START_LIMIT, TRAFFIC, Clock, DemoError, Query, emit, lab, say, \
    wait_until

SECONDS = 24
INTERVAL = 0.4
PORT = 18515
PRIORITY = 10
# Beside ib_write_bw, which looks at no byte: slow, the CPUs are for the other.
VERIFIED = ["--seconds", str(SECONDS - 3), "--sizes", "64K", "--rate", "25"]
QP_ERRORS = ("retry_exceeded_err", "req_cqe_error", "resp_cqe_error", "ring_corrupt",
             "req_remote_access_errors", "req_remote_invalid_request",
             "resp_remote_access_errors")


class Sampler:
    """Counters of both devices, as one sample."""

    def __init__(self, clock):
        self.near, self.far = Query("h1"), Query("h2")
        self.clock = clock
        self.sampled = 0

    def sample(self):
        planes, peers, devices = self.near.ask("plane show mrc0", "peer show mrc0",
                                               "device show mrc0")
        far_planes, far_devices = self.far.ask("plane show mrc1", "device show mrc1")
        counters = [device["counter"] for device in devices + far_devices]
        rows = [self.row(*pair, peers) for pair in zip(planes, far_planes)]
        self.sampled = self.clock.now()
        return {
            "t": self.sampled,
            "planes": rows,
            "retransmitted": counters[0]["retransmitted_packets"],
            "duplicates": counters[1]["duplicate_request"],
            "qp_errors": sum(c[name] for c in counters for name in QP_ERRORS),
        }

    @staticmethod
    def row(plane, far, peers):
        port = plane["port"]
        up = "up" == plane["admin-state"] == plane["oper-state"]
        evs = [ev for peer in peers for ev in peer["peer-ev"] if ev["port"] == port]
        good = [ev for ev in evs if up and ev["state"] in ("good", "skip")]
        return {
            "port": port, "up": up, "evs": len(evs), "evs_good": len(good),
            "lost": sum(ev["lost"] for ev in evs),
            "tx_packets": plane["stats"]["tx-packets"],
            "rx_packets": far["stats"]["rx-packets"],
            "rx_bytes": far["stats"]["rx-bytes"],
        }


class End:
    """A host's device and GID."""

    def __init__(self, host, device):
        self.device = device
        self.gid = lab("gid", host)
        self.gid_index = gid_index(device, self.gid)


def gid_index(device, gid):
    """Index of a GID, as perftest wants it."""
    folder = f"/sys/class/infiniband/{device}/ports/1/gids"
    for index in sorted(map(int, os.listdir(folder))):
        with open(f"{folder}/{index}", encoding="ascii") as file:
            if file.read().strip() == expanded(gid):
                return str(index)
    raise DemoError(f"{device} has no GID {gid}")


def expanded(address):
    """An IPv6 address as sysfs writes GIDs: eight groups of four digits."""
    head, _, tail = address.partition("::")
    head, tail = (part.split(":") if part else [] for part in (head, tail))
    groups = head + ["0"] * (8 - len(head) - len(tail)) + tail
    return ":".join(group.rjust(4, "0") for group in groups)


def listening(pid, port):
    with open(f"/proc/{pid}/net/tcp", encoding="ascii") as file:
        return any(f":{port:04X} 00000000:0000 0A" in line for line in file)


class Programs:
    """The traffic: pairs of a server in h2 and a client in h1."""

    def __init__(self, stack, folder):
        self.stack = stack
        self.folder = folder
        self.ends = {"h1": End("h1", "mrc0"), "h2": End("h2", "mrc1")}

    def start(self, host, name, command):
        """A program inside a host, at the priority that all programs have."""
        output = self.stack.enter_context(open(f"{self.folder}/{name}", "w+", encoding="utf-8"))
        process = subprocess.Popen(
            ["nice", "-n", str(PRIORITY), "nsenter", f"--net=/run/netns/{host}", *command],
            env=dict(os.environ, RDMAV_DRIVERS=PROVIDER), stdout=output, stderr=subprocess.STDOUT)
        self.stack.callback(process.kill)
        process.output = output
        return process

    def write_bw(self, host, *server):
        end = self.ends[host]
        return ["ib_write_bw", "-d", end.device, "-x", end.gid_index, "-s", "65536", "-q", "1",
                "-D", str(SECONDS), "-f", "1", "--report_gbits", "-F", *server]

    def start_write_bw(self):
        """ib_write_bw as it is, the client last. Returns client and its command."""
        server = self.start("h2", "server", self.write_bw("h2"))
        wait_until("ib_write_bw's server", lambda: self.alive(server, "ib_write_bw's server")
                   and listening(server.pid, PORT))
        command = self.write_bw("h1", lab("management", "h2"))
        return self.start("h1", "client", command), command

    def traffic(self, host, role, *options):
        end = self.ends[host]
        command = [TRAFFIC, role, "--socket", f"{self.folder}/socket",
                   "--device", end.device, "--gid", end.gid, *options]
        return self.start(host, f"traffic-{role}", command)

    def start_traffic(self):
        """mrc_traffic. Returns its server: that end verifies."""
        verifier = self.traffic("h2", "server")
        self.traffic("h1", "client", *VERIFIED)
        return verifier

    @staticmethod
    def alive(process, name):
        if process.poll() is not None:
            raise DemoError(f"{name} ended:\n{output_of(process)}")
        return True


def output_of(process):
    process.output.seek(0)
    return process.output.read()


def wait_for_packets(client, sampler):
    """Until ib_write_bw writes: time zero."""
    def flowing():
        Programs.alive(client, "ib_write_bw")
        return sum(row["tx_packets"] for row in sampler.sample()["planes"]) > 100
    wait_until("ib_write_bw", flowing)
    sampler.clock.begin()


def watch(client, sampler, daemon):
    """Samples until just before the end, and faults meanwhile."""
    faults = Faults(sampler.clock, daemon)
    faults.thread.start()
    # The last half second belongs to the taking down of connections.
    while client.poll() is None and sampler.clock.now() < SECONDS - 0.5:
        emit("sample", **sampler.sample())
        time.sleep(max(0.05, sampler.sampled + INTERVAL - sampler.clock.now()))
    faults.thread.join(START_LIMIT)
    if faults.error or faults.thread.is_alive():
        raise DemoError(faults.error or "a fault command hangs")


def finish(process, name):
    """Wait for the end. Returns its output and a list of complaints."""
    try:
        status = process.wait(START_LIMIT)
    except subprocess.TimeoutExpired:
        return output_of(process), [f"{name} does not end"]
    if status == 0:
        return output_of(process), []
    return output_of(process), [f"{name}: exit status {status}:\n{output_of(process)}"]


def write_bw_average(output):
    """Gb/s from perftest's table: size, iterations, peak, average, rate."""
    for line in output.splitlines():
        words = line.split()
        if len(words) == 5 and words[0] == "65536":
            return float(words[3])
    return 0.0


def last_json(output):
    for line in reversed(output.splitlines()):
        if line.startswith("{"):
            return json.loads(line)
    return {}


def build(stack):
    """The fabric, and what mrcd makes of its hosts. Returns the daemons."""
    say("building the fabric: 2 racks, 4 planes, 16 switches; the hosts are left to mrcd")
    stack.callback(subprocess.run, [LAB, "down"])
    lab("up", "--management", "--bare-hosts")
    lab("load")
    return daemons.start(stack, ("h1", "h2"))


def run(stack):
    watching = build(stack)
    programs = Programs(stack, stack.enter_context(tempfile.TemporaryDirectory()))
    sampler = Sampler(Clock())
    client, command = programs.start_write_bw()
    say("h1$ " + " ".join(command))
    emit("setup", kernel=os.uname().release, command=" ".join(command[:-1]), seconds=SECONDS)
    wait_for_packets(client, sampler)
    verifier = programs.start_traffic()
    watch(client, sampler, watching["h1"])

    output, problems = finish(client, "ib_write_bw")
    report, more = finish(verifier, "mrc_traffic")
    last = sampler.sample()
    emit("end", write_bw={"gbps": write_bw_average(output), "status": client.poll()},
         traffic=last_json(report), qp_errors=last["qp_errors"],
         retransmitted=last["retransmitted"], problems=problems + more,
         decisions=[decision for daemon in watching.values()
                    for decision in daemon.decisions(sampler.clock)])


def main():
    os.nice(-PRIORITY)
    with contextlib.ExitStack() as stack:
        try:
            run(stack)
        except DemoError as error:
            print(f"demo: {error}", file=sys.stderr, flush=True)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
