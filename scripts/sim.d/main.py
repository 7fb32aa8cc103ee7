# SPDX-License-Identifier: GPL-2.0-only
"""Simulates rows with their seeds, prints a table of the results, and names what was not expected.
scripts/sim calls it."""

import argparse
import concurrent.futures
import json
import statistics
import subprocess
import sys
from pathlib import Path

import draw
import rows

SCENARIOS = Path(__file__).resolve().parents[2] / "userspace/mrcsim/scenarios"


def stem(row, seed):
    return f"{row.name.replace(' ', '-').replace(',', '')}-{seed}"


def simulate(program, output, row, seed):
    """One run: its output, or why there is none."""
    out = output / f"{stem(row, seed)}.json"
    out.unlink(missing_ok=True)
    command = [program, "run", "--output", out]
    for key, value in {**row.set, "run.seed": str(seed)}.items():
        command += ["--set", f"{key}={value}"]
    ran = subprocess.run([*command, SCENARIOS / f"{row.scenario}.toml"], capture_output=True,
                         text=True, check=False)  # fmt: skip
    if not out.exists():
        return {"error": ran.stderr.strip() or f"status {ran.returncode}"}
    return json.loads(out.read_text())


def number(value):
    return f"{value:.4f}".rstrip("0").rstrip(".") if abs(value) < 1000 else f"{value:.0f}"


def cell(name, runs):
    """A figure's median, and its smallest and greatest value if there are several seeds."""
    values = sorted(run["figures"].get(name, 0) for run in runs)
    text = number(statistics.median(values))
    if values[0] != values[-1]:
        text += f" ({number(values[0])} to {number(values[-1])})"
    return f"{name} {text}"


def verdict(row, runs):
    """The word for the table, and whether it stands for a failure."""
    errors = [run["error"] for run in runs if "error" in run]
    if errors:
        return f"error: {errors[0]}", True
    missed = sorted({text.split(" is ")[0] for run in runs for text in run["missed"]})
    if not missed:
        return ("as expected" if not row.known else "as expected, though it is known not to be",
                bool(row.known))  # fmt: skip
    return f"missed: {', '.join(missed)}" + (f" [{row.known}]" if row.known else ""), not row.known


def speed(results):
    """Packet-hops of all runs per CPU second."""
    runs = [run for found in results.values() for run in found if "totals" in run]
    seconds = sum(run["cpu-seconds"] for run in runs)
    return sum(run["totals"]["hops"] for run in runs) / max(seconds, 1e-9), seconds


def median(name, runs):
    return statistics.median(run["figures"].get(name, 0) for run in runs)


def tell_relation(relation, results):
    """Returns 1 if the relation does not hold."""
    less = median(relation.figure, results[relation.less])
    than = median(relation.figure, results[relation.than])
    holds = less <= relation.factor * than
    bad = holds == bool(relation.known)
    word = "as expected" if holds else f"missed [{relation.known}]"
    print(f"{'FAIL' if bad else 'ok  '} {relation.name}: {word}\n       {relation.figure} "
          f"{number(less)} ({relation.less}), at most {relation.factor:g} of {number(than)} "
          f"({relation.than})")  # fmt: skip
    return int(bad)


def tell(chosen, results):
    failed = 0
    for row in chosen:
        runs = results[row.name]
        word, bad = verdict(row, runs)
        failed += bad
        good = [run for run in runs if "figures" in run]
        figures = "; ".join(cell(name, good) for name in row.shown) if good else ""
        print(f"{'FAIL' if bad else 'ok  '} {row.name}: {word}\n       {figures}")
    good = {name for name, runs in results.items() if all("figures" in run for run in runs)}
    for relation in rows.RELATIONS:
        if {relation.less, relation.than} <= good:
            failed += tell_relation(relation, results)
    hops, seconds = speed(results)
    print(f"\n{hops / 1e6:.2f} M packet-hops for each of {seconds:.0f} seconds of a CPU")
    return failed


def choose(names, quick):
    chosen = [row for row in rows.ROWS if (not names or row.name in names)
              and (row.quick or not quick)]  # fmt: skip
    unknown = set(names) - {row.name for row in rows.ROWS}
    if unknown:
        sys.exit(f"sim: there is no row {', '.join(sorted(unknown))}")
    return chosen


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True)
    parser.add_argument("--output", type=Path, required=True)
    parser.add_argument("--jobs", type=int, required=True)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("names", nargs="*")
    args = parser.parse_args()
    chosen = choose(args.names, args.quick)
    results = {}
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        for row in chosen:
            seeds = range(1, 2 if args.quick else row.seeds + 1)
            results[row.name] = [pool.submit(simulate, args.program, args.output, row, seed)
                                 for seed in seeds]  # fmt: skip
    results = {name: [run.result() for run in found] for name, found in results.items()}
    for row in chosen:
        if "figures" in results[row.name][0]:
            draw.draw(args.output / f"{stem(row, 1)}.json")
    sys.exit(1 if tell(chosen, results) else 0)


if __name__ == "__main__":
    main()
