#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""The host's side of scripts/bench failover: makes a table, failover-figures.json and one picture per
case from failover.json in the folder that the command line names. Exit status 1: a flow did not survive
its fault."""
import json
import math
import os
import sys

from failover_figures import BEFORE, figures
from frame import COLORS, LEFT, Frame

# Probes get through on an EV that loses some packets, so it is tried again. Without any path all
# packets are lost until one is back.
NO_LAST_LOSS = ("lossy", "outage")
# MRC with the timeout of perftest, and with a timeout that is longer than a fault.
OURS = ("MRC", "MRC, timeout 20")
PEERS = (*OURS, "MPTCP", "ECMP TCP")
COLOR = dict(zip(("MRC", "MPTCP", "ECMP TCP", "MRC, timeout 20"), COLORS))
# The other faults are silent.
VISIBLE = ("cut1", "cut2", "cut3", "cutfar", "cutfar2", "cutfar3", "outage")
RESOLUTION = 10     # ms
SMOOTH = 10         # bins that a point of the thick curve averages


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
        # One burst after a standstill would flatten the rest of the picture.
        top = max(run["before"] for run in runs.values()) * 1.5
        heal = max(run["heal"] for run in runs.values())
        super().__init__(name, "Mb/s", start, end, top, [
            {"from": 0, "to": heal, "text": "fault", "color": COLORS[-2]},
            {"from": heal, "to": None, "text": "restored", "color": COLORS[2]}])

    def legend(self):
        wide = OURS[1] in self.runs
        width = 122 if wide else 110
        for i, peer in enumerate(self.runs):
            self.legend_entry(i, width, COLOR[peer], peer)
        # There is no room for the whole text.
        text = "thin: each 10 ms, thick: 100 ms" if wide else \
            "thin: each 10 ms, thick: mean of 100 ms; dashed: what remains of MRC's"
        self.text(LEFT + width * len(self.runs), 49, text)

    def content(self):
        """Each 10 ms as a thin line, their mean as a thick one; MRC's remaining capacity as a dashed
        line."""
        for peer, pairs in self.curves.items():
            self.curve(peer, pairs, 0.35, 0.8)
        for peer, pairs in self.curves.items():
            rates = [rate for _, rate in pairs]
            self.curve(peer, [(t, sum(part) / len(part)) for (t, _), part in
                              ((pair, rates[max(0, i - SMOOTH // 2):i + SMOOTH // 2])
                               for i, pair in enumerate(pairs))], 1, 2)
        if "MRC" in self.runs:
            y = self.y(self.runs["MRC"]["remains"])
            self.line(self.x(0), y, self.x(self.runs["MRC"]["heal"]), y, "mark")

    def curve(self, peer, pairs, opacity, width):
        clipped = [(t, min(rate, self.top)) for t, rate in pairs]
        self.put(f'<polyline class="curve" stroke="{COLOR[peer]}" opacity="{opacity}" '
                 f'stroke-width="{width}" points="{self.points(clipped)}"/>')


class Report:
    def __init__(self, record):
        self.still, self.steady = record["still"], record["steady"]
        self.names = record["names"]
        self.failed = [run for run in record["runs"] if "failed" in run]
        self.cases = {}
        for run in record["runs"]:
            if "failed" not in run:
                self.cases.setdefault(run["case"], {})[run["peer"]] = dict(
                    figures(run), what=run["commands"])

    def table(self):
        print(f"\n{'':39}{'':15} {'RTT':>7} | {'before':>7} {'lowest':>7} {'after':>6} |"
              f"{'noticed':>8} {'back':>7} |{'recovered':>17} |{'path left':>17} |{'last loss':>17} |"
              f"{'lost':>7} {'again':>7} {'ratio':>6} {'later':>7}")
        print(f"{'':39}{'':15} {'ms':>7} | {'Mb/s':>7} {'Mb/s':>7} {'share':>6} |{'ms':>8} {'ms':>7} |"
              + f"{'ms':>9} {'RTT':>7} |" * 3 + f"{'packets':>15}")
        for case, runs in self.cases.items():
            for peer, run in runs.items():
                name = self.names[case] if peer == next(iter(runs)) else ""
                print(f"{name:39}{peer:15} {self.row(run)}")

    @staticmethod
    def row(run):
        times = "".join(f"{cell(ms(run[key]), '.1f', 9)} "
                        f"{cell(in_rtts(run[key], run['rtt']), '.1f', 7)} |"
                        for key in ("recovered", "path_left", "last_loss"))
        return (f"{cell(ms(run['rtt']), '.1f', 7)} | {cell(run['before'], '.0f', 7)} "
                f"{cell(run['lowest'], '.0f', 7)} {cell(run['after_cut'], '.2f', 6)} |"
                f"{cell(ms(run['noticed']), '.1f', 8)} {cell(ms(run['noticed_back']), '.1f', 7)} |{times}"
                f"{cell(run['lost'], 'd', 7)} {cell(run['again'], 'd', 7)} "
                f"{cell(run['again_per_lost'], '.2f', 6)} {cell(run['again_restored'], 'd', 7)}")

    def ratios(self):
        """The peers' time to recover, divided by MRC's. For a peer that has not recovered: at least the
        time to the end."""
        comparable = {case: runs for case, runs in self.cases.items()
                      if len(runs) > 1 and runs.get("MRC", {}).get("recovered") is not None}
        if not comparable:
            return
        print(f"\nTime to recover, as a multiple of MRC's (at least {RESOLUTION} ms)")
        print(f"{'':39}" + "".join(f"{peer:>16}" for peer in PEERS[1:]))
        for case, runs in comparable.items():
            base = max(ms(runs["MRC"]["recovered"]), RESOLUTION)
            cells = [self.ratio(runs[peer], base) if peer in runs else "-" for peer in PEERS[1:]]
            print(f"{self.names[case]:39}" + "".join(f"{text:>16}" for text in cells))

    @staticmethod
    def ratio(run, base):
        if run["recovered"] is None:
            return f"> {ms(run['seen']) / base:.0f} x"
        return f"{max(ms(run['recovered']), RESOLUTION) / base:.1f} x"

    def goals(self):
        """(what, value, unit, limit, met) of MRC's runs."""
        for case, runs in self.cases.items():
            for ours in OURS:
                if ours in runs:
                    yield from self.goals_of(case, runs[ours], self.names[case] + ours[len("MRC"):])

    def goals_of(self, case, run, name):
        """The same for one run."""
        limit, back = self.limits(case, run)
        for key, what in (("path_left", "path left"), ("last_loss", "last loss")):
            value = ms(run[key])
            if key != "last_loss" or case not in NO_LAST_LOSS:
                yield f"{name}: {what}", value, "ms", f"<= {limit:.1f}", (
                    self.in_time(case, value, limit))
        # Goodput is seen in steps: those that the time takes, and the first good one.
        value, limit = ms(run["recovered"]), RESOLUTION * (math.ceil(back / RESOLUTION) + 1)
        yield (f"{name}: recovered", value, "ms", f"<= {limit}",
               value is not None and value <= limit)
        yield (f"{name}: goodput of what remains", run["after_cut"], "", ">= 0.95",
               run["after_cut"] >= 0.95)
        ratio = run["again_per_lost"]
        yield (f"{name}: sent again per lost", ratio, "", "< 1.5",
               run["again"] == 0 if ratio is None else ratio < 1.5)

    @staticmethod
    def limits(case, run):
        """Milliseconds until paths are left, and until goodput is back."""
        if case not in VISIBLE:
            limit = ms(max(10 * run["rtt"], 0.002))
            return limit, limit
        # A fault with loss of carrier counts from when the kernel has reported it.
        seen, back = (ms(run[key] or 0) for key in ("noticed", "noticed_back"))
        limit = ms(3 * run["rtt"])
        return seen + limit, (back if case == "outage" else seen) + limit

    @staticmethod
    def in_time(case, value, limit):
        """None: the port had nothing in flight when it was cut, so nothing can be said."""
        if value is None:
            return None if case in VISIBLE else False
        return value <= limit

    def print_goals(self):
        print()
        for what, value, unit, limit, met in self.goals():
            print(f"| {what:<76} | {cell(value, '.2f', 9)} {unit:<2} | {limit:>9} | "
                  f"{ {True: 'met', False: 'MISSED', None: '-'}[met]:<6} |")

    def warnings(self):
        runs = [run for runs in self.cases.values() for run in runs.values()]
        still = [run["gap"] for run in runs if run["gap"] > self.still]
        slow = [run for run in runs if run["before"] < self.steady * run["nominal"]]
        if still:
            print(f"\nThis machine was disturbed: in {len(still)} of {len(runs)} runs it stood still "
                  f"for {ms(min(still)):.0f} to {ms(max(still)):.0f} ms. Their figures say little")
        if slow:
            print(f"\nIn {len(slow)} of {len(runs)} runs the flow had less than {self.steady:.0%} of its "
                  "planes' rate before the fault: a lower rate (-r) may be in place")
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
