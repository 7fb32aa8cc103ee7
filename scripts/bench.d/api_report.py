#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Prints what libmrc adds to calls of verbs, as Markdown for Documentation/figures.md. Reads the file
that Google Benchmark wrote, which the command line names."""

import json
import sys

import engine_report


def report(measured):
    cases = engine_report.medians(measured["benchmarks"])
    rows = [["ns a call", "verbs", "libmrc", "more"]]
    for name, one in cases.items():
        call, _, by = name.partition("/")
        if by != "verbs" or f"{call}/mrc" not in cases:
            continue
        verbs, mrc = one["cpu_time"], cases[f"{call}/mrc"]["cpu_time"]
        rows.append([call, f"{verbs:.1f}", f"{mrc:.1f}", f"{mrc - verbs:.1f}"])
    return engine_report.table("Calls of libmrc:", rows) if len(rows) > 1 else ""


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as file:
        print(report(json.load(file)))
