#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""The guest's side of scripts/bench: runs MRC and its peers in turn.

All peers get the same treatment: the same fabric and MTU where they can use it, the client on CPU 0 and
the server on CPU 1, receive packet steering by plane on all links. Of TCP's planes the better one
counts. rdma_rxe cannot leave the initial namespace, so it talks to itself over a local netdev of the
same MTU. It has the advantage that it crosses no fabric. Its latency is compared with MRC's from a
device to itself. MRC's latency across the fabric is compared with UDP's.
"""
import argparse
import json
import os
import re
import statistics
import sys
import time

from machine import LAB, MRCCTL, OUT, PROVIDER, gid_index, ns, run, say, serving, steer_packets, \
    tell_and_run

CLIENT, SERVER = ["taskset", "-c", "0"], ["taskset", "-c", "1"]
RXE_NETDEV, RXE_ADDR = "rxe-net", "192.0.2.1"
TCP_PLANES = (1, 2)
FIXED = 7  # a CC profile
VERBS = ("write", "send", "read")
# Of each plane, where the NIC is the bottleneck: less than the machine can send. An aggregate of 64 KiB
# takes 5 ms there, and 5 us at 100 Gb/s: CoDel's target and interval are ten times their defaults.
NIC_MBPS = 100
NIC_QDISC = ["fq_codel", "target", "50ms", "interval", "1s"]


class Pair:
    """Two ends that can run a server and a client against each other."""

    def __init__(self, server_ns, client_ns, host, server_dev, client_dev, gid, env):
        self.server = (ns(server_ns) if server_ns else []) + SERVER
        self.client = (ns(client_ns) if client_ns else []) + CLIENT
        self.host, self.devs, self.gid = host, (server_dev, client_dev), gid
        self.env = dict(os.environ, **env)

    def perftest(self, tool, *args):
        """Runs one perftest pair. Returns the client's output."""
        def cmd(dev):
            return [tool, "-d", dev, "-x", gid_index(dev, self.gid), *args]
        with serving(self.server + cmd(self.devs[0]), env=self.env):
            return tell_and_run(self.client + cmd(self.devs[1]) + [self.host], env=self.env)

    def write_bw(self, seconds, verb="write"):
        """Gb/s of 64 KiB requests on one QP."""
        out = self.perftest(f"ib_{verb}_bw", "-s", "65536", "-D", str(seconds), "-f", "1",
                            "-F", "--report_gbits", "-m", "4096")
        return float(re.search(r"^\s*65536\s+\d+\s+\S+\s+(\S+)", out, re.M).group(1))

    def write_lat(self, verb="write"):
        """Median of half a round trip of 64-byte writes or SENDs, of a READ's whole one, microseconds."""
        out = self.perftest(f"ib_{verb}_lat", "-s", "64", "-n", "2000", "-F")
        return float(re.search(r"^\s*64\s+\d+\s+\S+\s+\S+\s+(\S+)", out, re.M).group(1))


def tcp_addr(plane, host):
    return f"fd00:7463:{plane}::{host[1:]}"


def tcp_way(plane, host, peer, usid):
    """A second address per host, which one path of the same fabric leads to."""
    path = run([LAB, "path", host, peer, str(plane), "1"]).strip()
    run(["ip", "-n", host, "addr", "add", tcp_addr(plane, host) + "/128", "dev", "lo"])
    run(["ip", "-n", host, "-6", "route", "replace", f"fcbb:bb00:{usid[host]}:d6::/64", "encap",
         "seg6local", "action", "End.DT6", "table", "255", "dev", "eth1"])
    run(["ip", "-n", host, "-6", "route", "add", tcp_addr(plane, peer) + "/128", "encap", "seg6",
         "mode", "encap", "segs", path.replace(f"{usid[peer]}::", f"{usid[peer]}:d6::"),
         "dev", f"eth{plane}", "src", tcp_addr(plane, host)])
    run(ns(host) + ["sh", "-c", "echo 1 >/proc/sys/net/ipv6/conf/all/forwarding"])


def tcp_setup():
    usid = {"h1": "f001", "h2": "f002"}
    for plane in TCP_PLANES:
        tcp_way(plane, "h1", "h2", usid)
        tcp_way(plane, "h2", "h1", usid)


def tcp_bw(plane, seconds):
    """Gb/s of one TCP connection through one plane."""
    with serving(ns("h2") + SERVER + ["iperf3", "-s", "-1"]):
        out = tell_and_run(ns("h1") + CLIENT + ["iperf3", "-c", tcp_addr(plane, "h2"),
                                                "-t", str(seconds), "-J"])
    return json.loads(out)["end"]["sum_received"]["bits_per_second"] / 1e9


def best_tcp_bw(seconds):
    """The better of two planes: one is received on the client's CPU, the other on the server's."""
    return max(tcp_bw(plane, seconds) for plane in TCP_PLANES)


def udp_lat():
    """Median of half a round trip of 64-byte UDP datagrams over the same path, microseconds."""
    here = os.path.dirname(os.path.abspath(__file__))
    with serving(ns("h2") + SERVER + ["python3", f"{here}/udp_ping.py", "pong"]):
        return float(tell_and_run(ns("h1") + CLIENT + ["python3", f"{here}/udp_ping.py", "ping",
                                                       tcp_addr(1, "h2")]))


def rxe_setup():
    run(["modprobe", "-a", "rdma_rxe", "sch_htb", "sch_fq_codel"])
    run(["ip", "link", "add", RXE_NETDEV, "mtu", "9000", "type", "dummy"])
    run(["ip", "addr", "add", RXE_ADDR + "/24", "dev", RXE_NETDEV])
    run(["ip", "link", "set", RXE_NETDEV, "up"])
    run(["rdma", "link", "add", "rxe0", "type", "rxe", "netdev", RXE_NETDEV])


class Bench:
    def __init__(self, opts):
        self.opts, self.figures, self.misses = opts, {}, []
        self.mrc = Pair("h2", "h1", run([LAB, "management", "h2"]).strip(), "mrc1", "mrc0", "fd00:6d72",
                        {"RDMAV_DRIVERS": PROVIDER})
        # As for rdma_rxe: both ends are one device, without a fabric in between.
        self.local = Pair("h1", "h1", "127.0.0.1", "mrc0", "mrc0", "fd00:6d72",
                          {"RDMAV_DRIVERS": PROVIDER})
        run([MRCCTL, "-n", "h1", "cc-profile", "add", "mrc0", str(FIXED), "algorithm", "none",
             "window", str(1 << 20)])
        self.rxe = Pair(None, None, RXE_ADDR, "rxe0", "rxe0",
                        "0000:0000:0000:0000:0000:ffff:c000:0201", {})

    def measure(self, name, functions):
        """Runs the peers in turn and keeps all samples."""
        samples = {peer: [] for peer in functions}
        for r in range(self.opts.rounds):
            for peer, fn in functions.items():
                say(f"  {name}: {peer}, round {r + 1}")
                samples[peer].append(fn())
        for peer, values in samples.items():
            self.figures[f"{name}/{peer}"] = {
                "median": statistics.median(values), "samples": values}

    def median(self, key):
        return self.figures[key]["median"]

    def icrc(self, on):
        for host, dev in (("h1", "mrc0"), ("h2", "mrc1")):
            run([MRCCTL, "-n", host, "device", "set", dev, "icrc", "on" if on else "off"])

    def mrc_bw(self, icrc=True):
        self.icrc(icrc)
        return self.mrc.write_bw(self.opts.seconds)

    def steer(self, cc_profile):
        """Sets the CC profile of QPs from h1 to h2."""
        gid = run([LAB, "gid", "h2"]).strip()
        mrcctl = [MRCCTL, "-n", "h1", "-j", "route"]
        route = json.loads(run(mrcctl + ["get", "mrc0", gid]))[0]
        run(mrcctl + ["replace", "mrc0", f"{gid}/128", "ev-profile", str(route["ev-profile"]),
                      "cc-profile", str(cc_profile)])

    def fixed_bw(self):
        """Compares with and without congestion control. With it, nothing is set, and there are no marks
        or trims."""
        self.steer(FIXED)
        try:
            return self.mrc_bw()
        finally:
            self.steer(0)

    def bandwidth(self):
        self.measure("bandwidth", {
            "mrc": self.mrc_bw,
            "mrc, fixed window": self.fixed_bw,
            "mrc, icrc off": lambda: self.mrc_bw(False),
            "rdma_rxe": lambda: self.rxe.write_bw(self.opts.seconds),
            "tcp": lambda: best_tcp_bw(self.opts.seconds)})
        self.icrc(True)

    def latency(self):
        self.measure("latency", {
            "mrc": self.mrc.write_lat, "mrc, one device": self.local.write_lat,
            "rdma_rxe, one device": self.rxe.write_lat, "udp": udp_lat})

    def verbs(self):
        """SENDs and READs beside writes: of MRC over the fabric, and of rdma_rxe."""
        peers = {"mrc": self.mrc, "rdma_rxe": self.rxe}
        self.measure("verbs", {
            f"{name}, {verb}": lambda pair=pair, verb=verb: pair.write_bw(self.opts.seconds, verb)
            for name, pair in peers.items() for verb in VERBS})
        self.measure("verbs latency", {
            f"{name}, {verb}": lambda pair=pair, verb=verb: pair.write_lat(verb)
            for name, pair in (("mrc", self.mrc), ("mrc, one device", self.local),
                               ("rdma_rxe, one device", self.rxe)) for verb in VERBS})

    def loss(self):
        def lossy(bandwidth):
            run([LAB, "netem", "all", "loss", "1%"])
            try:
                return bandwidth()
            finally:
                run([LAB, "netem", "all", "off"])
        self.measure("loss", {"mrc": self.mrc_bw,
                              "mrc, 1 % on every link": lambda: lossy(self.mrc_bw),
                              "mrc, fixed window, 1 % on every link": lambda: lossy(self.fixed_bw)})

    def qdiscs(self, planes):
        """The queues of h1's planes: a slow link behind the qdisc that systemd gives each netdev."""
        for plane in planes:
            tc = ["tc", "-n", "h1", "qdisc", "replace", "dev", f"eth{plane}"]
            run(tc + ["root", "handle", "1:", "htb", "default", "1"])
            run(["tc", "-n", "h1", "class", "replace", "dev", f"eth{plane}", "parent", "1:",
                 "classid", "1:1", "htb", "rate", f"{NIC_MBPS}mbit", "quantum", "10000"])
            run(tc + ["parent", "1:1"] + NIC_QDISC)

    def nic_counts(self, planes):
        """Packets that queues of this host dropped, and marked, and that h1 holds to be lost by EVs; EVs
        that are out of use."""
        evs = json.loads(run([MRCCTL, "-n", "h1", "-j", "-d", "-s", "peer", "show", "mrc0"]))
        evs = [ev for peer in evs for ev in peer["peer-ev"]]
        queues = [q for plane in planes
                  for q in json.loads(run(["tc", "-n", "h1", "-s", "-j", "qdisc", "show", "dev",
                                           f"eth{plane}"])) if q.get("parent") == "1:1"]
        return {"dropped": sum(q["drops"] for q in queues),
                "marked": sum(q.get("ecn_mark", 0) for q in queues),
                "lost": sum(ev["lost"] for ev in evs),
                "out": sum(ev["state"] not in ("good", "skip") for ev in evs)}

    def nic(self):
        """The host can send faster than its NIC: queues must stay short, and paths must stay good."""
        planes = [p["port"] for p in json.loads(run([MRCCTL, "-n", "h1", "-j", "plane", "show",
                                                     "mrc0"]))]
        self.qdiscs(planes)
        before = self.nic_counts(planes)
        self.measure("nic", {"mrc": self.mrc_bw, "mrc, fixed window": self.fixed_bw})
        after = self.nic_counts(planes)
        self.measure("nic", {"tcp": lambda: best_tcp_bw(self.opts.seconds)})
        self.figures["nic/plane"] = {"median": NIC_MBPS / 1e3, "samples": []}
        self.figures["nic/planes"] = {"median": len(planes) * NIC_MBPS / 1e3, "samples": []}
        for count, value in after.items():
            self.figures[f"nic/{count}"] = {
                "median": value - (before[count] if count != "out" else 0), "samples": []}
        for plane in planes:
            run(["tc", "-n", "h1", "qdisc", "del", "dev", f"eth{plane}", "root"])

    def memory(self):
        """Kernel memory of a QP while it sends, its rings included."""
        def cmd(dev):
            return ["ib_write_bw", "-d", dev, "-x", gid_index(dev, "fd00:6d72"), "-D", "6"]
        with serving(self.mrc.server + cmd("mrc1"), env=self.mrc.env):
            with serving(self.mrc.client + cmd("mrc0") + [self.mrc.host], env=self.mrc.env):
                time.sleep(2)
                qps = json.loads(tell_and_run(
                    ["rdma", "-j", "-d", "-d", "resource", "show", "qp", "link", "mrc0"]))
        sizes = [q["drv_memory"] for q in qps if q["type"] == "RC"]
        self.figures["memory/mrc"] = {"median": max(sizes), "samples": sizes}

    def row(self, what, value, unit, ratio=None, goal=None, met=None):
        text = "" if ratio is None else f"{ratio:6.2f} x"
        verdict = "" if met is None else ("met" if met else "MISSED")
        say(f"| {what:<44} | {value:9.2f} {unit:<4} | {text:>9} | {goal or '':>8} | {verdict:<6} |")
        if met is False:
            self.misses.append(what)

    def ratio(self, what, key, base, goal, unit, at_most=False):
        r = self.median(key) / self.median(base)
        met = r <= goal if at_most else r >= goal
        self.row(what, self.median(base), unit, r, f"{'<=' if at_most else '>='} {goal}", met)

    def report_verbs(self):
        self.ratio("SEND, against a write", "verbs/mrc, send", "verbs/mrc, write", 0.95, "Gb/s")
        self.ratio("READ, against a write", "verbs/mrc, read", "verbs/mrc, write", 0.9, "Gb/s")
        for verb in ("send", "read"):
            self.row(f"rdma_rxe: {verb.upper()}, against a write", self.median("verbs/rdma_rxe, write"),
                     "Gb/s", self.median(f"verbs/rdma_rxe, {verb}") /
                     self.median("verbs/rdma_rxe, write"))
            self.ratio(f"{verb.upper()}, against rdma_rxe", f"verbs/mrc, {verb}",
                       f"verbs/rdma_rxe, {verb}", 1, "Gb/s")
            self.ratio(f"64-byte {verb.upper()} latency, against rdma_rxe",
                       f"verbs latency/mrc, one device, {verb}",
                       f"verbs latency/rdma_rxe, one device, {verb}", 1, "us", True)
        self.ratio("64-byte SEND latency, against a write", "verbs latency/mrc, send",
                   "verbs latency/mrc, write", 1.1, "us", True)

    def report(self):
        say("")
        for key in self.figures:
            if not key.startswith(("memory", "nic/")):
                self.row(key, self.median(key), "Gb/s" if "latency" not in key else "us")
        say("|" + "-" * 92)
        if "bandwidth/mrc" in self.figures:
            self.ratio("icrc on, against rdma_rxe", "bandwidth/mrc", "bandwidth/rdma_rxe", 2.5, "Gb/s")
            self.ratio("icrc on, against one TCP connection", "bandwidth/mrc", "bandwidth/tcp", 1.2, "Gb/s")
            self.ratio("icrc on, against a fixed window", "bandwidth/mrc", "bandwidth/mrc, fixed window", 0.9, "Gb/s")
            self.ratio("icrc off, against rdma_rxe", "bandwidth/mrc, icrc off", "bandwidth/rdma_rxe", 8, "Gb/s")
            self.ratio("icrc off, against one TCP connection", "bandwidth/mrc, icrc off", "bandwidth/tcp", 4, "Gb/s")
        if "latency/mrc" in self.figures:
            self.ratio("64-byte write latency, against rdma_rxe", "latency/mrc, one device",
                       "latency/rdma_rxe, one device", 1, "us", True)
            self.ratio("64-byte write latency, against UDP", "latency/mrc", "latency/udp", 2, "us", True)
        if "verbs/mrc, write" in self.figures:
            self.report_verbs()
        if "loss/mrc" in self.figures:
            self.ratio("1 % loss, against a fixed window", "loss/mrc, 1 % on every link",
                       "loss/mrc, fixed window, 1 % on every link", 0.9, "Gb/s")
            self.ratio("goodput at 1 % loss, against lossless", "loss/mrc, 1 % on every link", "loss/mrc", 0.8, "Gb/s")
        if "nic/mrc" in self.figures:
            self.ratio("NIC as bottleneck, against its rate", "nic/mrc", "nic/planes", 0.85, "Gb/s")
            self.ratio("the same with a fixed window", "nic/mrc, fixed window", "nic/planes", 0.85, "Gb/s")
            self.row("one TCP connection, against one plane", self.median("nic/plane"), "Gb/s",
                     self.median("nic/tcp") / self.median("nic/plane"))
            for what, count in (("dropped in its queues", "dropped"), ("marked there", "marked"),
                                ("packets that paths are blamed for", "lost"), ("EVs that are out", "out")):
                n = self.median(f"nic/{count}")
                self.row(f"NIC as bottleneck: {what}", n, "", None, "0", not n)
        if "memory/mrc" in self.figures:
            kib = self.median("memory/mrc") / 1024
            self.row("kernel memory per QP", kib, "KiB", None, "< 64", kib < 64)

    def save(self):
        with open(os.path.join(OUT, "bench.json"), "w") as f:
            json.dump({"kernel": os.uname().release, "rounds": self.opts.rounds,
                       "seconds": self.opts.seconds, "figures": self.figures,
                       "missed": self.misses}, f, indent=1)


def main():
    cases = ["bandwidth", "latency", "verbs", "loss", "nic", "memory"]
    p = argparse.ArgumentParser()
    p.add_argument("--rounds", type=int, default=3)
    p.add_argument("--seconds", type=int, default=4)
    p.add_argument("case", nargs="*", choices=cases + [[]])
    opts = p.parse_args()
    rxe_setup()
    say("    scripts/lab up --management")
    say(run([LAB, "up", "--management"]))
    tcp_setup()
    steer_packets()
    bench = Bench(opts)
    for case in opts.case or cases:
        getattr(bench, case)()
    bench.report()
    bench.save()


if __name__ == "__main__":
    sys.exit(main())
