# SPDX-License-Identifier: GPL-2.0-only
"""Draws the goodput of all flows over time as an SVG picture, and marks the faults."""
from frame import COLORS, Frame
from parts import LEFT, NAMES, bounds, capacity

# Bins of 10 ms that a point of a curve averages, because packets arrive in bursts.
SMOOTH = 10


class Chart(Frame):
    """One picture. flows: those of record.py, MRC's first; rate: Mb/s of a plane."""

    def __init__(self, flows, rate, title):
        self.flows, self.times = flows, bounds(flows[0])
        self.capacities = [capacity(rate, left) for left in LEFT]
        end = min(flow.now() for flow in flows)
        _, cut, dead, mended, _ = self.times
        super().__init__(title, "Mb/s", 0, end, self.capacities[0] * 1.25, [
            {"from": cut, "to": mended, "text": NAMES[1], "color": COLORS[1]},
            {"from": dead, "to": mended, "text": NAMES[2], "color": COLORS[3]}])

    def legend(self):
        for i, flow in enumerate(self.flows):
            self.legend_entry(i, 130, COLORS[(0, 2, 6)[i]], flow.peer)
        self.legend_line(len(self.flows), 130, "what the planes that are left carry")

    def content(self):
        """The remaining capacity as a dashed line, and a curve for each flow, MRC's on top."""
        for value, start, end in zip(self.capacities, self.times, self.times[1:]):
            self.line(self.x(start), self.y(value), self.x(min(end, self.end)), self.y(value),
                      "mark")
        for i, flow in reversed(list(enumerate(self.flows))):
            self.put(f'<polyline class="curve" stroke="{COLORS[(0, 2, 6)[i]]}" stroke-width="2" '
                     f'points="{self.points(self.smooth(flow))}"/>')

    def smooth(self, flow):
        bins = flow.curve().bins(0, self.end)
        for i in range(0, len(bins) - SMOOTH, SMOOTH // 2):
            mean = sum(rate for _, rate in bins[i:i + SMOOTH]) / SMOOTH
            yield bins[i + SMOOTH // 2][0], min(mean, self.top)
