#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Show what the guest of "make demo" reports, as it comes; then sum it up.

Reads guest.py's lines on standard input. Writes samples.json and goodput.svg
into the folder named on the command line. Exit status 0 only when the run was
complete, nothing failed, traffic never stopped for good, and mrcd named what was
broken, and nothing else.
"""
import json
import os
import signal
import sys

import verdict
from chart import Chart
from record import Record, rates
from table import Lines, Live

# Left out of "before": the connections are still being made.
WARM_UP = 1.0


def follow(record, view):
    """Show line after line, until the guest is gone."""
    for line in sys.stdin:
        message = record.add(line)
        if message is None:
            view.say(line.rstrip("\n"))
        elif message["kind"] == "say":
            view.say(message["text"])
        elif message["kind"] == "fault":
            how = "healed" if message["healed"] else message["how"]
            view.say(f"{message['t']:5.1f} s  {message['what']} {how}")
        elif message["kind"] == "health":
            view.say(f"{message['t']:5.1f} s  {message['host']}$ mrcctl health\n{message['text']}")
        elif message["kind"] == "sample" and len(record.samples) > 1:
            view.draw(record)


def summarize(record):
    """The figures that the summary shows and samples.json keeps."""
    phases = []
    for i, (name, start, end) in enumerate(record.phases()):
        speed = record.rates_between(start + WARM_UP if i == 0 else start, end)
        phases.append({"name": name, "from": start, "to": end,
                       "gbps": speed["gbps"] if speed else None})
    return {
        "phases": phases,
        "named": [verdict.outcome(fault, record.end["decisions"]) for fault in record.faults],
        "retransmitted_packets": record.end["retransmitted"],
        "qp_errors": record.end["qp_errors"],
        "write_bw": record.end["write_bw"],
        "bytes_verified": record.end["traffic"].get("bytes_verified", 0),
    }


def complaints(record, summary):
    """What went wrong, a sentence each."""
    end = record.end
    found = list(end["problems"])
    if summary["qp_errors"]:
        found.append(f"{summary['qp_errors']} QP errors")
    if not summary["bytes_verified"]:
        found.append("no bytes were verified")
    late = record.setup["seconds"] - 2
    if any(fault["to"] is None or fault["to"] > late for fault in record.faults):
        found.append("this machine was too busy: the faults came too late, or did not end in time")
    for phase in summary["phases"]:
        if not phase["gbps"]:
            found.append(f"no traffic in the phase '{phase['name']}'")
    return found + verdict.complaints(record.faults, end["decisions"])


def named_text(named):
    """What became of a fault, in a line."""
    text = f"{named['what']}: "
    if named["named_after"] is None:
        return text + "not named"
    text += f"{named['element']} {'denied' if named['denied'] else 'named'} " \
        f"after {named['named_after']:.2f} s"
    if named["allowed_after"] is not None:
        text += f", allowed {named['allowed_after']:.1f} s after its repair"
    return text


def print_summary(summary):
    base = summary["phases"][0]["gbps"]
    print("\nGoodput")
    for phase in summary["phases"]:
        gbps = phase["gbps"] or 0
        share = f"{100 * gbps / base:4.0f} %" if base else ""
        print(f"  {phase['from']:5.1f} - {phase['to']:4.1f} s  {gbps:6.2f} Gb/s {share}"
              f"  {phase['name']}")
    print(f"mrcd of {verdict.NEAR}")
    for named in summary["named"]:
        print("  " + named_text(named))
    write_bw = summary["write_bw"]
    print(f"ib_write_bw says {write_bw['gbps']:.2f} Gb/s on average, exit status "
          f"{write_bw['status']}")
    print(f"QP errors: {summary['qp_errors']}")
    print(f"Packets retransmitted: {summary['retransmitted_packets']:,}")
    print(f"Bytes verified: {summary['bytes_verified']:,} (mrc_traffic, beside ib_write_bw)")


def write_files(folder, record, summary):
    """samples.json and goodput.svg."""
    samples = record.samples
    intervals = [rates(a, b) for a, b in zip(samples, samples[1:])]
    with open(os.path.join(folder, "samples.json"), "w", encoding="utf-8") as file:
        json.dump({"setup": record.setup, "faults": record.faults, "samples": samples,
                   "decisions": record.end["decisions"], "intervals": intervals,
                   "summary": summary}, file, indent=1)
        file.write("\n")
    title = f"ib_write_bw, one queue pair over {len(samples[0]['planes'])} planes"
    with open(os.path.join(folder, "goodput.svg"), "w", encoding="utf-8") as file:
        file.write(Chart(intervals, record.faults, title).svg())


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
