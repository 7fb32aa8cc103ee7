#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Shows what the guest of "make demo" reports, as it comes; then sums it up.

Reads guest.py's lines on standard input. Writes samples.json and goodput.svg into the folder that the
command line names. Exit status 0 means that the run was complete, MRC had what the remaining planes
carry, no QP had an error, and mrcd named what was broken and nothing else.
"""
import json
import os
import signal
import sys

import verdict
from chart import Chart
from parts import NAMES, PLANES, capacity, parts, planes_of, standstill
from record import Record
from table import Lines, Live

# Seconds between two samples beyond which the host must have been busy with something else.
STILL = 0.1


def follow(record, view):
    """Shows line after line, until the guest ends."""
    for line in sys.stdin:
        message = record.add(line)
        if message is None:
            view.say(line.rstrip("\n"))
        else:
            show(message, record, view)


def show(message, record, view):
    kind = message["kind"]
    if kind == "say":
        view.say(message["text"])
    elif kind == "flow":
        view.say(f"{message['peer']}:")
    elif kind == "fault":
        how = "repaired" if message["healed"] else message["how"]
        view.say(f"{message['t']:5.1f} s  {message['what']} {how}")
    elif kind == "health":
        view.say(f"{message['t']:5.1f} s  {message['host']}$ mrcctl health\n{message['text']}")
    elif kind == "goodput":
        view.draw(record)


def summarize(record):
    """The figures that the summary shows and samples.json keeps."""
    first, last = record.samples[0], record.samples[-1]
    return {
        "capacity": capacity(record.setup["rate"]),
        "parts": {flow.peer: parts(flow, record.setup["rate"]) for flow in record.flows},
        "planes": planes_of(record.flows[0], record.setup["rate"], record.links),
        "named": [verdict.outcome(fault, record.end["decisions"])
                  for fault in record.flows[0].faults],
        "retransmitted_packets": last["retransmitted"] - first["retransmitted"],
        "qp_errors": last["qp_errors"],
    }


def complaints(record, summary):
    """What went wrong, a sentence each."""
    found = list(record.end["problems"])
    if summary["qp_errors"]:
        found.append(f"{summary['qp_errors']} QP errors")
    for i, (peer, found_parts) in enumerate(summary["parts"].items()):
        if not found_parts:
            found.append("this machine was too busy: the faults "
                         f"under {peer} did not come and go in time")
        found += verdict.peer_complaints(peer, found_parts) if i else \
            verdict.goodput_complaints(peer, found_parts, record.setup["rate"], summary["planes"])
    found += verdict.complaints(record.flows[0].faults, record.end["decisions"])
    still = max(map(standstill, record.flows))
    if found and still > STILL:
        found.append(f"(the virtual machine stood still for up to {duration(still)}: "
                     "others use the CPUs)")
    return found


def named_text(named):
    """What happened to a fault, in a line."""
    text = f"{named['what']}: "
    if named["named_after"] is None:
        return text + "not named"
    text += f"{named['element']} {'denied' if named['denied'] else 'named'} " \
        f"after {named['named_after']:.2f} s"
    if named["allowed_after"] is not None:
        text += f", allowed {named['allowed_after']:.1f} s after its repair"
    return text


def duration(seconds):
    return f"{seconds * 1000:.0f} ms" if seconds < 1 else f"{seconds:.1f} s"


def goodput_table(summary):
    """Lines: a row for each part, and below it how long there was little."""
    peers, whole = summary["parts"], summary["capacity"]
    lines = [f"{'':42}" + "".join(f"{peer:>18}" for peer in peers)]
    for row in zip(*peers.values()):
        cells = (f"{part['mbps']:.0f}  {part['mbps'] / whole:4.0%}" for part in row)
        lines.append(f"  {row[0]['name']:40}" + "".join(f"{cell:>18}" for cell in cells))
        lines.append(f"    {'less than half of what is left, for':38}"
                     + "".join(f"{duration(part['little']):>18}" for part in row))
    return lines


def plane_cell(planes, number):
    """What a plane carried, and what it could not carry in addition."""
    for plane in planes:
        if plane.plane == number:
            return f"{plane.had:.0%}" + (f" ({plane.withheld:.0%})" if plane.withheld >= 0.01 else "")
    return "-"


def planes_table(summary):
    """Lines: a row for each part, and a column for each plane."""
    numbers = range(1, PLANES + 1)
    lines = [f"{'':42}" + "".join(f"{f'plane {number}':>12}" for number in numbers)]
    for name, planes in zip(NAMES, summary["planes"]):
        lines.append(f"  {name:40}" + "".join(f"{plane_cell(planes, n):>12}" for n in numbers))
    return lines


def print_planes(summary):
    if not any(summary["planes"]):
        return
    print("Share of its rate that each plane carried for MRC then (and what this machine withheld)")
    print("\n".join(planes_table(summary)))


def print_summary(summary):
    print(f"\nGoodput in Mb/s at the end of each part. {PLANES} planes carry "
          f"{summary['capacity']:.0f}: 100 %")
    print("\n".join(goodput_table(summary)))
    print_planes(summary)
    print(f"mrcd of {verdict.NEAR}")
    for named in summary["named"]:
        print("  " + named_text(named))
    print(f"QP errors: {summary['qp_errors']}")
    print(f"Packets retransmitted by MRC: {summary['retransmitted_packets']:,}")


def write_files(folder, record, summary):
    """samples.json and goodput.svg."""
    flows = [dict(vars(flow)) for flow in record.flows]
    with open(os.path.join(folder, "samples.json"), "w", encoding="utf-8") as file:
        json.dump({"setup": record.setup, "flows": flows, "samples": record.samples,
                   "links": record.links,
                   "decisions": record.end["decisions"], "summary": summary}, file)
        file.write("\n")
    if all(summary["parts"].values()):
        title = f"One flow over {PLANES} planes of {record.setup['rate']} Mb/s each"
        with open(os.path.join(folder, "goodput.svg"), "w", encoding="utf-8") as file:
            file.write(Chart(record.flows, record.setup["rate"], title).svg())


def main():
    # The guest ends first and says why; this end shows it.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    folder = sys.argv[1]
    record = Record()
    view = Live(sys.stdout) if sys.stdout.isatty() else Lines(sys.stdout)
    follow(record, view)
    if record.end is None or len(record.samples) < 3:
        print("demo: the run ended before its time", file=sys.stderr)
        return 1
    summary = summarize(record)
    print_summary(summary)
    write_files(folder, record, summary)
    print(f"\nWritten: {os.path.relpath(folder)}/goodput.svg, samples.json; "
          "h1.toml, mrcd-h1.log, and those of h2")
    problems = complaints(record, summary)
    for problem in problems:
        print(f"demo: {problem}", file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
