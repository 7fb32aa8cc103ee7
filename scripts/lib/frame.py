# SPDX-License-Identifier: GPL-2.0-only
"""Draws what the SVG pictures have in common: a frame around values over time, with a bar for each
event."""
import math
from xml.sax.saxutils import escape

WIDTH = 860
LEFT, RIGHT = 64, 24
PLOT_HEIGHT = 280
FAULT_ROW = 24
TITLE = 56      # height of title and legend
BELOW = 52      # height of the time axis

# Colours that people who see colours differently can tell apart, on white and on black.
COLORS = ("#4477aa", "#ee7733", "#228833", "#aa3377", "#66ccee", "#ccbb44", "#bb5566", "#888888")

STYLE = """
  text { font: 13px system-ui, sans-serif; fill: #1f2328; }
  .title { font-size: 16px; font-weight: 600; }
  .paper { fill: #ffffff; }
  .axis { stroke: #59636e; stroke-width: 1; fill: none; }
  .grid { stroke: #59636e; stroke-width: 1; opacity: 0.2; }
  .mark { stroke: #59636e; stroke-width: 1; stroke-dasharray: 4 3; }
  .area { stroke: none; opacity: 0.85; }
  .curve { fill: none; stroke-linejoin: round; }
  @media (prefers-color-scheme: dark) {
    text { fill: #f0f6fc; }
    .paper { fill: #0d1117; }
    .axis, .grid, .mark { stroke: #9198a1; }
  }
"""


# Pixels that a letter takes at most, in any font.
LETTER = 7.5


def nice_step(top, steps):
    """A round distance between grid lines, so that about this many fit below top."""
    raw = max(top, 1e-9) / steps
    size = 10.0 ** int(f"{raw:e}".split("e")[1])
    return next(size * m for m in (1, 2, 5, 10) if size * m >= raw)


def number(value):
    return f"{value:.1f}".rstrip("0").rstrip(".")


class Frame:
    """One picture from start to end seconds, up to top on the other axis.

    marks: dicts with from, to (None: it lasts), text, and color. Derived classes draw with legend() and
    content(), and may have other texts at the axes.
    """

    across, along = "time in seconds", "goodput in {unit}"

    def __init__(self, title, unit, start, end, top, marks):
        self.title, self.unit = title, unit
        self.start, self.end, self.top = start, end, top
        self.marked = marks
        self.plot_top = TITLE + FAULT_ROW * len(marks) + 8
        self.bottom = self.plot_top + PLOT_HEIGHT
        self.parts = []

    def x(self, t):
        return LEFT + (t - self.start) / (self.end - self.start) * (WIDTH - LEFT - RIGHT)

    def y(self, value):
        return self.bottom - value / self.top * PLOT_HEIGHT

    def put(self, text):
        self.parts.append(text)

    def text(self, x, y, text, **attributes):
        extra = "".join(f' {k.replace("_", "-").rstrip("-")}="{v}"' for k, v in attributes.items())
        self.put(f'<text x="{x:.1f}" y="{y:.1f}"{extra}>{escape(text)}</text>')

    def line(self, x1, y1, x2, y2, cls):
        self.put(f'<line class="{cls}" x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"/>')

    def points(self, pairs):
        return " ".join(f"{self.x(t):.1f},{self.y(value):.1f}" for t, value in pairs)

    def svg(self):
        """The whole picture as text."""
        height = self.bottom + BELOW
        self.put(f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" '
                 f'width="{WIDTH}" height="{height}" role="img">')
        self.put(f"<title>{escape(self.title)}</title><style>{STYLE}</style>")
        self.put(f'<rect class="paper" width="{WIDTH}" height="{height}"/>')
        self.text(LEFT, 24, self.title, class_="title")
        self.legend()
        self.content()
        self.axes()
        self.marks()
        self.put("</svg>")
        return "\n".join(self.parts) + "\n"

    def legend_entry(self, place, width, color, name):
        x = LEFT + width * place
        self.put(f'<rect x="{x}" y="38" width="12" height="12" fill="{color}"/>')
        self.text(x + 18, 49, name)

    def legend_line(self, place, width, name):
        """An entry for a dashed line."""
        x = LEFT + width * place
        self.line(x, 44, x + 14, 44, "mark")
        self.text(x + 20, 49, name)

    def axes(self):
        step = nice_step(self.top, 5)
        for i in range(int(self.top / step) + 1):
            y = self.y(i * step)
            self.line(LEFT, y, WIDTH - RIGHT, y, "grid")
            self.text(LEFT - 8, y + 4, number(i * step), text_anchor="end")
        step = nice_step(self.end - self.start, 12)
        for i in range(math.ceil(self.start / step), int(self.end / step) + 1):
            self.text(self.x(i * step), self.bottom + 18, number(i * step), text_anchor="middle")
        self.put(f'<path class="axis" d="M{LEFT},{self.plot_top} V{self.bottom} H{WIDTH - RIGHT}"/>')
        self.text((LEFT + WIDTH - RIGHT) / 2, self.bottom + 40, self.across,
                  text_anchor="middle")
        middle = (self.plot_top + self.bottom) / 2
        self.text(18, middle, self.along.format(unit=self.unit), text_anchor="middle",
                  transform=f"rotate(-90 18 {middle:.1f})")

    def marks(self):
        """Draws a bar per mark above the plot, and lines down from its ends."""
        for row, mark in enumerate(self.marked):
            y = TITLE + FAULT_ROW * row
            x1 = self.x(mark["from"])
            x2 = self.x(self.end if mark["to"] is None else min(self.end, mark["to"]))
            self.put(f'<rect x="{x1:.1f}" y="{y + 3}" width="{max(1, x2 - x1):.1f}" '
                     f'height="{FAULT_ROW - 6}" rx="3" opacity="0.35" fill="{mark["color"]}"/>')
            self.beside(x1, x2, y + 16, mark["text"])
            self.line(x1, y + FAULT_ROW - 3, x1, self.bottom, "mark")
            if mark["to"] is not None:
                self.line(x2, y + FAULT_ROW - 3, x2, self.bottom, "mark")

    def beside(self, x1, x2, y, text):
        """Places a text in the bar between x1 and x2; where it does not fit, right or left of the
        bar."""
        width = LETTER * len(text)
        if x1 + 6 + width <= x2:
            self.text(x1 + 6, y, text)
        elif x2 + 6 + width <= WIDTH - RIGHT:
            self.text(x2 + 6, y, text)
        else:
            self.text(x1 - 6, y, text, text_anchor="end")
