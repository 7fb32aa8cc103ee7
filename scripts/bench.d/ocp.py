#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""The guest's side of scripts/bench ocp: writes of many sizes between two hosts of the lab, first by
the benchmark of the OCP's repository, then by ib_write_bw.

Both have at most 128 writes under way, on one QP, every 64th signalled. The OCP's benchmark makes a
sweep of sizes at a time, ends each sweep with one WriteImm, and verifies what has arrived. Its server
polls for that WriteImm, while ib_write_bw's server sleeps. So an equally busy program runs beside
ib_write_bw's server: otherwise a receiver that has a CPU for its packets alone would be compared with a
receiver that shares it.
"""
import argparse
import json
import os
import re
import statistics
import subprocess

from machine import LAB, OUT, PROVIDER, gid_index, ns, run, say, serving

CLIENT, SERVER = ["taskset", "-c", "0"], ["taskset", "-c", "1"]
# The smallest and largest size, and how many writes of each: enough for some seconds.
SWEEPS = [(1, 1 << 16, 2000), (1 << 17, 1 << 20, 200), (1 << 21, 1 << 26, 20)]


# Gb/s: below this, the two digits that mrc_example shows are too coarse for a ratio.
LEAST = 0.2


class Hosts:
    """Two hosts, with a device each."""

    def __init__(self):
        self.env = dict(os.environ, RDMAV_DRIVERS=PROVIDER)
        self.host = run([LAB, "management", "h2"]).strip()

    def between(self, command):
        """@param command: of a device and the index of its GID. Returns the client's output."""
        def at(device):
            return command(device, gid_index(device, "fd00:6d72"))
        with serving(ns("h2") + SERVER + at("mrc1"), env=self.env) as server:
            out = run(ns("h1") + CLIENT + at("mrc0") + [self.host], env=self.env)
            # It verifies as well, and reports that by its exit status.
            try:
                status = server.wait(timeout=30)
            except subprocess.TimeoutExpired:
                status = 0
            if status:
                raise RuntimeError(f"{command('mrc1', '')[0]}: the server ends with {status}")
        return out


def of_ocp(hosts, program, sweep):
    """Gb/s by size."""
    least, most, count = sweep
    out = hosts.between(lambda device, gid: [
        program, "-d", device, "-g", gid, "-S", str(least), "-s", str(most), "-n", str(count)])
    found = re.findall(r"^\s+(\d+)\s+\d+\s+([\d.]+)\s+[\d.]+\s*$", out, re.M)
    if len(found) != (most // least).bit_length():
        raise RuntimeError(f"{program}: sizes are missing\n{out}")
    return {int(size): float(rate) for size, rate in found}


def of_verbs(hosts, size, count):
    """Gb/s"""
    with serving(SERVER + ["sh", "-c", "while :; do :; done"]):
        out = hosts.between(lambda device, gid: [
            "ib_write_bw", "-d", device, "-x", gid, "-s", str(size), "-n", str(count), "-F",
            "--report_gbits", "-m", "4096", "-Q", "64"])
    found = re.search(rf"^\s*{size}\s+\d+\s+\S+\s+(\S+)", out, re.M)
    if not found:
        raise RuntimeError(f"ib_write_bw: no result\n{out}")
    return float(found.group(1))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("program")
    args = parser.parse_args()
    say(run([LAB, "up", "--planes", "2", "--management"]))
    hosts = Hosts()
    ocp, verbs = {}, {}
    for _ in range(args.rounds):
        for sweep in SWEEPS:
            for size, rate in of_ocp(hosts, args.program, sweep).items():
                ocp.setdefault(size, []).append(rate)
                verbs.setdefault(size, []).append(of_verbs(hosts, size, sweep[2]))
    say(f"\n{'bytes':>10} {'mrc_example':>12} {'ib_write_bw':>12} {'ratio':>6}   Gb/s, median of {args.rounds}")
    ratios = {}
    for size in sorted(ocp):
        a, b = statistics.median(ocp[size]), statistics.median(verbs[size])
        ratios[size] = a / b if min(a, b) >= LEAST else 0
        say(f"{size:>10} {a:>12.3f} {b:>12.3f} {ratios[size] or '-':>6.4}")
    large = statistics.geometric_mean(ratios[size] for size in ratios if size >= 1 << 16)
    say(f"\nof 64 KiB and more the geometric mean of the ratios is {large:.3f}")
    with open(os.path.join(OUT, "ocp.json"), "w", encoding="utf-8") as file:
        json.dump({"mrc_example": ocp, "ib_write_bw": verbs}, file, indent=1)


if __name__ == "__main__":
    main()
