#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Prints what the guest of "make demo" might report, for demo.sh.

Usage: demo.py [OPTION=VALUE]... -- ["HOST T TEXT"]...: decisions of mrcd.
  mrc, mptcp, tcp   per cent of four planes that the flow has in each part
  qp_errors, problem, unmended (a peer whose faults do not end), aborted
"""
import json
import sys

RATE = 50
WHOLE = RATE * 4 * 4096 / 4234 / 8 * 1e6    # bytes per second that four planes carry
CUT, DIE, MEND, END = 3, 7, 11, 16
PEERS = ("mrc", "MRC", 4), ("mptcp", "MPTCP", 4), ("tcp", "TCP over ECMP", 1)
PARTS = {"mrc": "100,75,75,100", "mptcp": "100,75,75,100", "tcp": "25,0,0,25"}
# Seconds without anything after the link is cut.
STILL = {"mrc": 0.1, "mptcp": 1.1, "tcp": 0}
FAULTS = ({"what": "link h1:eth2", "how": "cut", "element": "h1-p2t0r1"},
          {"what": "switch p3t1s1", "how": "forwards nothing", "element": "p3t1s1"})


def line(kind, **fields):
    return json.dumps({"kind": kind, **fields})


def plane_sample(t, qp_errors=0):
    """Of one plane, 50 Mb/s of payload by 1,000 packets a second."""
    plane = {"port": 1, "up": True, "evs": 2, "evs_good": 2, "lost": 0, "tx_packets": 1000 * t,
             "rx_packets": 1000 * t, "rx_bytes": (RATE * 125000 + 36 * 1000) * t}
    return line("sample", t=t, planes=[plane], retransmitted=0, duplicates=0, qp_errors=qp_errors)


def goodput(key, shares):
    """Points, each 10 ms."""
    points, total = [], 0.0
    for i in range(END * 100 + 1):
        t = i / 100
        points.append((t, round(total)))
        part = sum(t >= begin for begin in (CUT, DIE, MEND))
        if not CUT <= t < CUT + STILL[key]:
            total += WHOLE * shares[part] / 100 * 0.01
    return points


def told(t, faults, healed):
    return [line("fault", t=t, healed=healed, **fault) for fault in faults]


def flow(key, peer, planes, options):
    """A flow's lines, a second at a time."""
    points = goodput(key, [float(s) for s in options.get(key, PARTS[key]).split(",")])
    happens = {CUT: told(CUT, FAULTS[:1], False), DIE: told(DIE, FAULTS[1:], False),
               MEND: told(MEND, FAULTS, True) if options.get("unmended") != peer else []}
    lines = [line("flow", peer=peer, planes=planes)]
    for t in range(END + 1):
        lines += happens.get(t, [])
        if key == "mrc":
            lines.append(plane_sample(t, int(options.get("qp_errors", 0))))
        lines.append(line("goodput", samples=[p for p in points if t <= p[0] < t + 1]))
    return lines


def main():
    split = sys.argv.index("--")
    options = dict(word.split("=") for word in sys.argv[1:split])
    decisions = [dict(zip(("host", "t", "text"), word.split(" ", 2))) for word in sys.argv[split + 1:]]
    lines = [line("setup", kernel="6.12", rate=RATE, seconds=END),
             line("health", t=3.5, host="h1", text="mrc0 h1\n    plane 1")]
    for peer in PEERS:
        lines += flow(*peer, options)
    if "aborted" not in options:
        lines.append(line("end", problems=[options["problem"].replace("_", " ")]
                          if "problem" in options else [],
                          decisions=[{**d, "t": float(d["t"])} for d in decisions]))
    print("\n".join(lines))


if __name__ == "__main__":
    main()
