#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""The host's side of scripts/bench congestion: makes tables, congestion-figures.json and pictures from
congestion.json in the folder that the command line names. Exit status 1: a flow failed."""
import json
import os
import sys

from congestion_figures import HEADERS, MOVED_RTTS, RATE_BIN, TARGET, Run, foreign, queues, rates
from curves import Curves
from frame import COLORS

SECONDS = "time in seconds"
# The CPU that a run must have left, so that its results show windows and not this guest's CPU.
IDLE = 0.25
GROUPS = ((2, False), (4, False), (8, False), (8, True))


def cell(value, form, width):
    return f"{'-' if value is None else format(value, form):>{width}}"


def binned(pairs, width):
    """Means over so many seconds, each placed at the middle of its interval."""
    bins = {}
    for t, value in pairs:
        bins.setdefault(int(t / width), []).append(value)
    return [((key + 0.5) * width, sum(values) / len(values)) for key, values in sorted(bins.items())]


class Report:
    def __init__(self, record):
        self.record = record
        self.failed = [run for run in [*record["runs"], record.get("foreign", {})]
                       if "failed" in run]
        self.foreign = "samples" in record.get("foreign", {}) and record["foreign"]
        self.runs = [Run(record, run) for run in record["runs"] if "failed" not in run]

    def table(self):
        print(f"\n{'':42}{'link':>6} {'Mb/s':>6} {'Jain':>6} {'victim':>7} | {'queue (BDP)':>13} | "
              f"{'64 KiB write, ms':>18} | {'marks':>6} {'trims':>6} {'drops':>6} | {'again':>6} "
              f"{'timeouts':>8}")
        print(f"{'':42}{'used':>6} {'':>6} {'':>6} {'of left':>7} | {'mean':>6} {'most':>6} | "
              f"{'p50':>8} {'p99':>9} |{'':>22} |")
        for run in self.runs:
            print(f"{run.name:42}{self.row(run)}")

    @staticmethod
    def row(run):
        drops = run.switch["dropped"] + run.switch["control_dropped"]
        return (f"{run.use:>6.2f} {run.goodput:>6.1f} {cell(run.jain, '.3f', 6)} {cell(run.left, '.2f', 7)} | "
                f"{cell(run.queue, '.2f', 6)} {run.longest:>6.2f} | {cell(run.p50, '.1f', 8)} "
                f"{cell(run.p99, '.1f', 9)} | {run.switch['marked']:>6} {run.switch['trimmed']:>6} "
                f"{drops:>6} | {cell(run.again, 'd', 6)} {cell(run.timeouts, 'd', 8)}")

    def find(self, **case):
        """The runs of a case."""
        return [run for run in self.runs if all(run.case[key] == value
                                                for key, value in case.items())]

    def goals(self):
        """(what, value, limit, met)."""
        for run in self.find(cc="nscc", senders=8, victim=False, ecn=True):
            yield f"{run.name}: link used", run.use, ">= 0.95", run.use >= 0.95
            yield f"{run.name}: Jain", run.jain, ">= 0.95", (run.jain or 0) >= 0.95
            limit = 1.3 * TARGET
            yield (f"{run.name}: mean queue", run.queue, f"<= {limit:.2f}", run.queue <= limit)
        for run in self.find(cc="nscc", victim=True):
            yield f"{run.name}: victim, of what is left", run.left, ">= 0.90", run.left >= 0.9
        for run in self.find(trim=True):
            if run.mrc:
                yield f"{run.name}: timeouts", run.timeouts, "0", not run.timeouts
        yield from self.latency_goals()
        if self.foreign:
            found = foreign(self.record)
            yield ("foreign traffic on one plane: of what the others have", found["of_others"],
                   ">= 0.90", found["of_others"] >= 0.9)

    def latency_goals(self):
        for ecn in (False, True):
            for trim in (False, True):
                pair = [self.find(cc=cc, senders=8, victim=False, ecn=ecn, trim=trim)
                        for cc in ("fixed", "nscc")]
                if all(pair) and all(run.p99 for runs in pair for run in runs):
                    ratio = pair[1][0].p99 / pair[0][0].p99
                    yield (f"{pair[1][0].name}: p99 of a write, of the fixed window's", ratio,
                           "<= 0.50", ratio <= 0.5)

    def print_goals(self):
        print()
        for what, value, limit, met in self.goals():
            print(f"| {what:<70} | {cell(value, '.2f', 7)} | {limit:>8} | "
                  f"{'met' if met else 'MISSED':<6} |")

    def print_foreign(self):
        if not self.foreign:
            return
        found = foreign(self.record)
        print(f"\nForeign traffic (TCP, CUBIC) on plane 1: of what MRC sends, it has "
              f"{found['before']:.0%} before, {found['during']:.0%} from {MOVED_RTTS} RTT on, "
              f"{found['after']:.0%} afterwards; MRC has {found['of_others']:.0%} of the other plane")

    def warnings(self):
        busy = [run.name for run in self.runs if run.idle < IDLE]
        if busy:
            print(f"\nThe guest's CPU had less than {IDLE:.0%} to spare, so that hosts were late, in: "
                  f"{'; '.join(busy)}. A lower rate (-r) says more")
        for run in self.failed:
            print(f"\nFAILED: {run['name']}: {run['failed']}")

    def pictures(self):
        """(name, picture)."""
        bdp = self.record["bdp"]
        for senders, victim in GROUPS:
            runs = [run for run in self.find(senders=senders, victim=victim) if run.mrc]
            curves = {f"{run.case['cc']}{', ECN' * run.case['ecn']}{', trim' * run.case['trim']}":
                      binned(self.since_start(run, queues(run.samples, bdp)), RATE_BIN)
                      for run in runs}
            if curves:
                name = f"{senders}to1{'-victim' * victim}"
                yield f"queue-{name}", Curves(
                    f"Queue to the receiver, {senders}:1{' with a victim' * victim}", SECONDS,
                    "queue in BDP of a plane", curves)
        for run in self.find(senders=8, cc="nscc", ecn=True, trim=True, victim=False):
            yield "goodput", Curves(f"Goodput of each flow, {run.name}", SECONDS, "Mb/s", {
                f"h{flow + 1}": binned(self.since_start(run, rates(run.samples, flow)), RATE_BIN)
                for flow in range(8)})
        if self.foreign:
            yield "foreign", self.foreign_picture()

    @staticmethod
    def since_start(run, pairs):
        return [(t - run.samples[0]["t"], value) for t, value in pairs]

    def foreign_picture(self):
        runs = self.foreign
        zero = runs["samples"][0]["t"]
        curves = {}
        for plane in range(self.record["planes"]):
            samples = [{"t": s["t"], "bytes": [s["planes"][plane]]} for s in runs["samples"]]
            curves[f"plane {plane + 1}"] = binned(
                [(t - zero, rate) for t, rate in rates(samples, 0)], RATE_BIN)
        return Curves("What MRC sends by each plane while TCP fills plane 1", SECONDS, "Mb/s", curves, [
            {"from": runs["came"] - zero, "to": runs["went"] - zero, "text": "foreign traffic",
             "color": COLORS[-2]}])

    def save(self, folder):
        figures = [{**run.case, "name": run.name, "use": run.use, "goodput": run.goodput, "jain": run.jain,
                    "goodputs": run.goodputs, "victim": run.victim, "victim_of_left": run.left,
                    "queue": run.queue, "longest": run.longest, "p50_ms": run.p50,
                    "p99_ms": run.p99, "idle": run.idle, "switch": run.switch, "counts": run.counts}
                   for run in self.runs]
        goals = [dict(zip(("what", "value", "goal", "met"), goal)) for goal in self.goals()]
        with open(os.path.join(folder, "congestion-figures.json"), "w", encoding="utf-8") as file:
            json.dump({**{key: self.record[key] for key in ("kernel", "rate", "planes", "bdp",
                                                            "base_rtt_us")},
                       "headers": HEADERS, "runs": figures, "goals": goals,
                       "foreign": foreign(self.record) if self.foreign else None},
                      file, indent=1)
            file.write("\n")
        for name, picture in self.pictures():
            with open(os.path.join(folder, f"congestion-{name}.svg"), "w",
                      encoding="utf-8") as file:
                file.write(picture.svg())


def main():
    folder = sys.argv[1]
    with open(os.path.join(folder, "congestion.json"), encoding="utf-8") as file:
        record = json.load(file)
    report = Report(record)
    print(f"\n{record['planes']} planes of {record['rate']} Mb/s, base RTT {record['base_rtt_us']} us, "
          f"bandwidth-delay product of a plane {record['bdp']} bytes")
    report.table()
    report.print_foreign()
    report.print_goals()
    report.warnings()
    report.save(folder)
    print(f"\nWritten: {os.path.relpath(folder)}/congestion-figures.json, congestion-*.svg; the samples: "
          "congestion.json")
    return 1 if report.failed else 0


if __name__ == "__main__":
    sys.exit(main())
