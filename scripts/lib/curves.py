# SPDX-License-Identifier: GPL-2.0-only
"""Draws a picture of curves."""
from frame import COLORS, LEFT, RIGHT, WIDTH, Frame

# The most pixels for the name of a curve.
NAME = 130


class Curves(Frame):
    """Curves {name: [(x, y)]} from 0 on, with texts at both axes; marks are as in Frame."""

    def __init__(self, title, across, along, curves, marks=()):
        self.across, self.along, self.curves = across, along, curves
        points = [point for curve in curves.values() for point in curve]
        end = max((x for x, _ in points), default=0) or 1
        top = max((y for _, y in points), default=0) or 1
        super().__init__(title, "", 0, end, top * 1.1, list(marks))

    def legend(self):
        width = min(NAME, (WIDTH - LEFT - RIGHT) // max(1, len(self.curves)))
        for i, name in enumerate(self.curves):
            self.legend_entry(i, width, COLORS[i % len(COLORS)], name)

    def content(self):
        for i, curve in enumerate(self.curves.values()):
            self.put(f'<polyline class="curve" stroke="{COLORS[i % len(COLORS)]}" '
                     f'stroke-width="2" points="{self.points(curve)}"/>')
