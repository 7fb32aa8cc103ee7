#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Prints the tables of scripts/bench engine, as Markdown for Documentation/figures.md. Reads the file
that Google Benchmark wrote, which the command line names."""

import json
import re
import sys

PACKET = r"/qps:(\d+)/sack:(\d+)/loss:(\d+)"


def medians(benchmarks):
    """{name: entry} of the medians; of the single run where there are no medians."""
    found = {}
    for one in benchmarks:
        if one.get("aggregate_name", "median") == "median":
            found[one["run_name"]] = one
    return found


def table(title, rows):
    """Formats a table; @rows begins with the head."""
    lines = [" | ".join(["", *row, ""]).strip() for row in rows]
    rule = "|" + "---|" * len(rows[0])
    return "\n".join(["", title, "", lines[0], rule, *lines[1:]])


def packets(cases, kind, title):
    """ns per packet, both ends: a row for each number of QPs and each loss."""
    cost = {}
    for name, one in cases.items():
        match = re.fullmatch(kind + PACKET, name)
        if match:
            cost[tuple(map(int, match.groups()))] = one["s/packet"] * 1e9
    if not cost:
        return []
    sacks = sorted({sack for _, sack, _ in cost}, reverse=True)
    rows = [["QPs", "lost", *(f"a SACK per {sack}" for sack in sacks)]]
    for qps, loss in sorted({(qps, loss) for qps, _, loss in cost}):
        cells = [cost.get((qps, sack, loss)) for sack in sacks]
        rows.append([f"{qps:,}", f"{loss / 10:g} %",
                     *("-" if cell is None else f"{cell:.0f}" for cell in cells)])  # fmt: skip
    return [table(title, rows)]


def headers(cases):
    rows = [["headers", "ns"]]
    rows += [[name, f"{one['cpu_time']:.1f}"] for name, one in cases.items()
             if name.startswith(("encode/", "decode/"))]  # fmt: skip
    return [table("One header:", rows)] if len(rows) > 1 else []


def bytes_read(cases):
    rows = [["4,096 bytes", "GB/s"]]
    rows += [[name.removeprefix("bytes/"), f"{one['bytes_per_second'] / 1e9:.1f}"]
             for name, one in cases.items() if name.startswith("bytes/")]  # fmt: skip
    return [table("Payload:", rows)] if len(rows) > 1 else []


def cpu_name(cpuinfo="/proc/cpuinfo"):
    with open(cpuinfo) as lines:
        for line in lines:
            key, _, value = line.partition(":")
            if key.strip() == "model name":
                return value.strip()
    return "unknown CPU"


def report(measured, cpu):
    cases = medians(measured["benchmarks"])
    context = measured["context"]
    memory = [int(context[end]) for end in ("requester_bytes", "responder_bytes")]
    return "\n".join([
        f"{cpu}, one core.",
        *packets(cases, "packet", "ns a packet, both ends:"),
        *packets(cases, "nscc", "The same with NSCC:"), *headers(cases), *bytes_read(cases),
        f"\nA QP: {memory[0]:,} bytes of requester, {memory[1]:,} of responder, at MPR 8.",
    ])  # fmt: skip


def main():
    with open(sys.argv[1]) as file:
        print(report(json.load(file), cpu_name()))


if __name__ == "__main__":
    main()
