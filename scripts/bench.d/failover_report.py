#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""The host's side of scripts/bench-failover: from failover.json in the folder named on the
command line a table, failover-figures.json and one picture per case. Exit status 1: a flow
did not survive its fault."""
import json
import os
import sys

from failover_figures import BEFORE, figures
from frame import COLORS, Frame

PEERS = ("MRC", "MPTCP", "ECMP TCP")
COLOR = dict(zip(PEERS, COLORS))
VISIBLE = ("cut1", "cut2", "cut3")  # the others die in silence
RESOLUTION = 10     # ms
# Samples further apart than this, in ms: the machine stood still meanwhile.
STILL = 25


def ms(seconds):
    return None if seconds is None else seconds * 1e3


def cell(value, form, width):
    return f"{'-' if value is None else format(value, form):>{width}}"


def in_rtts(seconds, rtt):
    return None if seconds is None else seconds / rtt


class Picture(Frame):
    """Goodput of all peers over time since the fault of one case."""

    def __init__(self, name, runs):
        self.runs = runs
        start, end = -BEFORE, min(run["curve"][-1][0] for run in runs.values())
        self.curves = {peer: [(t, rate) for t, rate in run["curve"] if start <= t <= end]
                       for peer, run in runs.items()}
        # One burst after a standstill would flatten the rest.
        top = max(run["before"] for run in runs.values()) * 1.8
        super().__init__(name, "Mb/s", start, end, top, [
            {"from": 0, "to": max(run["heal"] for run in runs.values()), "text": name,
             "color": COLORS[-1]}])

    def legend(self):
        for i, peer in enumerate(self.runs):
            self.legend_entry(i, 110, COLOR[peer], peer)

    def content(self):
        for peer, pairs in self.curves.items():
            clipped = [(t, min(rate, self.top)) for t, rate in pairs]
            self.put(f'<polyline class="curve" stroke="{COLOR[peer]}" '
                     f'points="{self.points(clipped)}"/>')


class Report:
    def __init__(self, record):
        self.names = record["names"]
        self.failed = [run for run in record["runs"] if "failed" in run]
        self.cases = {}
        for run in record["runs"]:
            if "failed" not in run:
                self.cases.setdefault(run["case"], {})[run["peer"]] = dict(
                    figures(run), what=run["commands"])

    def table(self):
        print(f"\n{'':34}{'':9} {'RTT':>7} | {'before':>7} {'lowest':>7} {'after':>6} |"
              f"{'recovered':>17} |{'path left':>17} |{'last loss':>17} |"
              f"{'lost':>7} {'again':>7} {'ratio':>6}")
        print(f"{'':34}{'':9} {'ms':>7} | {'Mb/s':>7} {'Mb/s':>7} {'share':>6} |"
              + f"{'ms':>9} {'RTT':>7} |" * 3 + f"{'packets':>15}")
        for case, runs in self.cases.items():
            for peer, run in runs.items():
                name = self.names[case] if peer == next(iter(runs)) else ""
                print(f"{name:34}{peer:9} {self.row(run)}")

    @staticmethod
    def row(run):
        times = "".join(f"{cell(ms(run[key]), '.1f', 9)} "
                        f"{cell(in_rtts(run[key], run['rtt']), '.1f', 7)} |"
                        for key in ("recovered", "path_left", "last_loss"))
        return (f"{cell(ms(run['rtt']), '.1f', 7)} | {cell(run['before'], '.0f', 7)} "
                f"{cell(run['lowest'], '.0f', 7)} {cell(run['after_cut'], '.2f', 6)} |{times}"
                f"{cell(run['lost'], 'd', 7)} {cell(run['again'], 'd', 7)} "
                f"{cell(run['again_per_lost'], '.2f', 6)}")

    def ratios(self):
        """Time to recover, the peers' to MRC's. A peer that has not: to the restore at least."""
        rows = []
        for case, runs in self.cases.items():
            if "MRC" not in runs or runs["MRC"]["recovered"] is None:
                continue
            base = max(ms(runs["MRC"]["recovered"]), RESOLUTION)
            cells = [self.ratio(run, base) for peer, run in runs.items() if peer != "MRC"]
            rows.append(f"{self.names[case]:34}" + "".join(f"{text:>12}" for text in cells))
        if rows:
            print(f"\nTime to recover, as a multiple of MRC's (at least {RESOLUTION} ms)")
            peers = [peer for peer in next(iter(self.cases.values())) if peer != "MRC"]
            print(f"{'':34}" + "".join(f"{peer:>12}" for peer in peers))
            print("\n".join(rows))

    @staticmethod
    def ratio(run, base):
        if run["recovered"] is None:
            return f"> {ms(run['heal']) / base:.0f} x"
        return f"{max(ms(run['recovered']), RESOLUTION) / base:.1f} x"

    def goals(self):
        """(what, value, unit, limit, met) of MRC's runs."""
        for case, runs in self.cases.items():
            if "MRC" not in runs:
                continue
            run, name = runs["MRC"], self.names[case]
            limit = ms(3 * run["rtt"] if case in VISIBLE else max(10 * run["rtt"], 0.002))
            for key, what in (("path_left", "path left"), ("last_loss", "last loss")):
                value = ms(run[key])
                # Of an EV that loses some, probes get through: it is tried again.
                if case != "lossy" or key != "last_loss":
                    yield f"{name}: {what}", value, "ms", f"<= {limit:.1f}", (
                        value is not None and value <= limit)
            yield (f"{name}: goodput of what remains", run["after_cut"], "", ">= 0.95",
                   run["after_cut"] >= 0.95)
            ratio = run["again_per_lost"]
            yield (f"{name}: sent again per lost", ratio, "", "< 2",
                   run["again"] == 0 if ratio is None else ratio < 2)

    def print_goals(self):
        print()
        for what, value, unit, limit, met in self.goals():
            print(f"| {what:<60} | {cell(value, '.2f', 9)} {unit:<2} | {limit:>9} | "
                  f"{'met' if met else 'MISSED':<6} |")

    def warnings(self):
        still = [run["gap"] for runs in self.cases.values() for run in runs.values()
                 if ms(run["gap"]) > STILL]
        if still:
            print(f"\nThis machine was disturbed: in {len(still)} runs it stood still for "
                  f"{ms(min(still)):.0f} to {ms(max(still)):.0f} ms, so the figures say little")
        for run in self.failed:
            print(f"\nFAILED: {self.names[run['case']]}, {run['peer']}: {run['failed']}")

    def save(self, folder, record):
        goals = [dict(zip(("what", "value", "unit", "goal", "met"), goal))
                 for goal in self.goals()]
        with open(os.path.join(folder, "failover-figures.json"), "w", encoding="utf-8") as file:
            json.dump({**{key: record[key] for key in ("kernel", "rate", "queue", "window")},
                       "cases": self.cases, "goals": goals}, file, indent=1)
            file.write("\n")
        for case, runs in self.cases.items():
            with open(os.path.join(folder, f"failover-{case}.svg"), "w", encoding="utf-8") as file:
                file.write(Picture(self.names[case], runs).svg())


def main():
    folder = sys.argv[1]
    with open(os.path.join(folder, "failover.json"), encoding="utf-8") as file:
        record = json.load(file)
    report = Report(record)
    report.table()
    report.ratios()
    report.print_goals()
    report.warnings()
    report.save(folder, record)
    where = os.path.relpath(folder)
    print(f"\nWritten: {where}/failover-figures.json, failover-CASE.svg; the samples: failover.json")
    return 1 if report.failed else 0


if __name__ == "__main__":
    sys.exit(main())
