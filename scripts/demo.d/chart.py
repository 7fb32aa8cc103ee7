# SPDX-License-Identifier: GPL-2.0-only
"""Goodput over time as an SVG picture: stacked by plane, faults marked."""
from frame import COLORS, Frame


def color_of(port):
    return COLORS[(port - 1) % len(COLORS)]


class Chart(Frame):
    """One picture. intervals: rates of record.py, in order; faults: of the record."""

    def __init__(self, intervals, faults, title):
        self.intervals = intervals
        super().__init__(title, "Gb/s", 0, intervals[-1]["t"] + intervals[-1]["seconds"],
                         max(i["gbps"] for i in intervals) * 1.05 or 1,
                         [{"from": fault["from"], "to": fault["to"],
                           "text": f"{fault['what']} {fault['how']}",
                           "color": color_of(fault["plane"])} for fault in faults])

    def legend(self):
        for i, plane in enumerate(self.intervals[0]["planes"]):
            self.legend_entry(i, 90, color_of(plane["port"]), f"plane {plane['port']}")

    def content(self):
        """One area per plane, each standing on the one before."""
        times = [i["t"] + i["seconds"] / 2 for i in self.intervals]
        # The first and last half interval have the value of their interval.
        times[0], times[-1] = self.intervals[0]["t"], self.end
        floor = [0.0] * len(times)
        for k, plane in enumerate(self.intervals[0]["planes"]):
            roof = [f + i["planes"][k]["gbps"] for f, i in zip(floor, self.intervals)]
            outline = list(zip(times, roof)) + list(zip(reversed(times), reversed(floor)))
            self.put(f'<polygon class="area" fill="{color_of(plane["port"])}" '
                     f'points="{self.points(outline)}"/>')
            floor = roof
