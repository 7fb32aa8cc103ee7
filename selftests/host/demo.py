#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Prints what the guest of "make demo" might report, for demo.sh.

Usage: demo.py [OPTION=VALUE]... -- ["HOST T TEXT"]...: decisions of mrcd.
  mrc, mptcp, tcp   per cent of four planes that the flow has in each part
  links             what the last links are made to carry: full; idle (plane 3 has half of its rate, and
                    nothing waits); late (the same, but packets wait); saturated (all planes, nothing
                    waits, and no CPU has time to spare)
  only              1: MRC alone
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
    """The counters of a plane, with 50 Mb/s of payload in 1,000 packets a second."""
    plane = {"port": 1, "up": True, "evs": 2, "evs_good": 2, "lost": 0, "tx_packets": 1000 * t,
             "rx_packets": 1000 * t, "rx_bytes": (RATE * 125000 + 36 * 1000) * t}
    return line("sample", t=t, planes=[plane], retransmitted=0, duplicates=0, qp_errors=qp_errors)


def goodput(key, shares):
    """Points every 10 ms."""
    points, total = [], 0.0
    for i in range(END * 100 + 1):
        t = i / 100
        points.append((t, round(total)))
        part = sum(t >= begin for begin in (CUT, DIE, MEND))
        if not CUT <= t < CUT + STILL[key]:
            total += WHOLE * shares[part] / 100 * 0.01
    return points


def links(kind):
    """Samples of last_links.py, every 20 ms."""
    step, whole = 0.02, int(RATE * 1e6 / 8 * 0.02)
    less = {"full": (), "idle": (2,), "late": (2,), "saturated": range(4)}[kind]
    samples, sent, spare = [], [0] * 4, 0.0
    for i in range(int(END / step) + 1):
        waits = [0 if plane in less and kind != "late" else 2 * whole for plane in range(4)]
        samples.append((round(i * step, 2), [list(pair) for pair in zip(sent, waits)], [spare] * 2))
        sent = [total + (whole // 2 if plane in less else whole) for plane, total in enumerate(sent)]
        spare += 0 if kind == "saturated" else step / 2
    return [line("links", samples=samples[i:i + 25]) for i in range(0, len(samples), 25)]


def told(t, faults, healed):
    return [line("fault", t=t, healed=healed, **fault) for fault in faults]


def flow(key, peer, planes, options):
    """The lines of a flow, a second at a time."""
    points = goodput(key, [float(s) for s in options.get(key, PARTS[key]).split(",")])
    happens = {CUT: told(CUT, FAULTS[:1], False), DIE: told(DIE, FAULTS[1:], False),
               MEND: told(MEND, FAULTS, True) if options.get("unmended") != peer else []}
    lines = [line("flow", peer=peer, planes=planes)]
    if key == "mrc" and "links" in options:
        lines += links(options["links"])
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
    for peer in PEERS[:1] if "only" in options else PEERS:
        lines += flow(*peer, options)
    if "aborted" not in options:
        lines.append(line("end", problems=[options["problem"].replace("_", " ")]
                          if "problem" in options else [],
                          decisions=[{**d, "t": float(d["t"])} for d in decisions]))
    print("\n".join(lines))


if __name__ == "__main__":
    main()
