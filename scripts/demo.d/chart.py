# SPDX-License-Identifier: GPL-2.0-only
"""Goodput over time as an SVG picture: stacked by plane, faults marked."""
from xml.sax.saxutils import escape

WIDTH = 860
LEFT, RIGHT = 64, 24
PLOT_HEIGHT = 280
FAULT_ROW = 24
TITLE = 56      # height of title and legend
BELOW = 52      # height of the time axis

# Told apart by people who see colours differently, on white and on black.
COLORS = ("#4477aa", "#ee7733", "#228833", "#aa3377", "#66ccee", "#ccbb44", "#bb5566", "#888888")

STYLE = """
  text { font: 13px system-ui, sans-serif; fill: #1f2328; }
  .title { font-size: 16px; font-weight: 600; }
  .paper { fill: #ffffff; }
  .axis { stroke: #59636e; stroke-width: 1; fill: none; }
  .grid { stroke: #59636e; stroke-width: 1; opacity: 0.2; }
  .mark { stroke: #59636e; stroke-width: 1; stroke-dasharray: 4 3; }
  .area { stroke: none; opacity: 0.85; }
  @media (prefers-color-scheme: dark) {
    text { fill: #f0f6fc; }
    .paper { fill: #0d1117; }
    .axis, .grid, .mark { stroke: #9198a1; }
  }
"""


def color_of(port):
    return COLORS[(port - 1) % len(COLORS)]


def nice_step(top, steps):
    """A round distance of grid lines, so that about that many fit below top."""
    raw = max(top, 1e-9) / steps
    size = 10.0 ** int(f"{raw:e}".split("e")[1])
    return next(size * m for m in (1, 2, 5, 10) if size * m >= raw)


def number(value):
    return f"{value:.1f}".rstrip("0").rstrip(".")


class Chart:
    """One picture. intervals: rates of record.py, in order; faults: of the record."""

    def __init__(self, intervals, faults, title):
        self.intervals = intervals
        self.faults = faults
        self.title = title
        self.end = intervals[-1]["t"] + intervals[-1]["seconds"]
        self.top = max(i["gbps"] for i in intervals) * 1.05 or 1
        self.plot_top = TITLE + FAULT_ROW * len(faults) + 8
        self.bottom = self.plot_top + PLOT_HEIGHT
        self.parts = []

    def x(self, t):
        return LEFT + t / self.end * (WIDTH - LEFT - RIGHT)

    def y(self, gbps):
        return self.bottom - gbps / self.top * PLOT_HEIGHT

    def put(self, text):
        self.parts.append(text)

    def text(self, x, y, text, **attributes):
        extra = "".join(f' {k.replace("_", "-").rstrip("-")}="{v}"' for k, v in attributes.items())
        self.put(f'<text x="{x:.1f}" y="{y:.1f}"{extra}>{escape(text)}</text>')

    def line(self, x1, y1, x2, y2, cls):
        self.put(f'<line class="{cls}" x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"/>')

    def svg(self):
        """The whole picture as text."""
        height = self.bottom + BELOW
        self.put(f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" '
                 f'width="{WIDTH}" height="{height}" role="img">')
        self.put(f"<title>{escape(self.title)}</title><style>{STYLE}</style>")
        self.put(f'<rect class="paper" width="{WIDTH}" height="{height}"/>')
        self.text(LEFT, 24, self.title, class_="title")
        self.legend()
        self.areas()
        self.axes()
        self.marks()
        self.put("</svg>")
        return "\n".join(self.parts) + "\n"

    def legend(self):
        for i, plane in enumerate(self.intervals[0]["planes"]):
            x = LEFT + 90 * i
            self.put(f'<rect x="{x}" y="38" width="12" height="12" '
                     f'fill="{color_of(plane["port"])}"/>')
            self.text(x + 18, 49, f"plane {plane['port']}")

    def areas(self):
        """One area per plane, each standing on the one before."""
        times = [i["t"] + i["seconds"] / 2 for i in self.intervals]
        # The first and last half interval have the value of their interval.
        times[0], times[-1] = self.intervals[0]["t"], self.end
        floor = [0.0] * len(times)
        for k, plane in enumerate(self.intervals[0]["planes"]):
            roof = [f + i["planes"][k]["gbps"] for f, i in zip(floor, self.intervals)]
            outline = list(zip(times, roof)) + list(zip(reversed(times), reversed(floor)))
            points = " ".join(f"{self.x(t):.1f},{self.y(v):.1f}" for t, v in outline)
            color = color_of(plane["port"])
            self.put(f'<polygon class="area" fill="{color}" points="{points}"/>')
            floor = roof

    def axes(self):
        step = nice_step(self.top, 5)
        for i in range(int(self.top / step) + 1):
            y = self.y(i * step)
            self.line(LEFT, y, WIDTH - RIGHT, y, "grid")
            self.text(LEFT - 8, y + 4, number(i * step), text_anchor="end")
        step = nice_step(self.end, 12)
        for i in range(int(self.end / step) + 1):
            self.text(self.x(i * step), self.bottom + 18, number(i * step), text_anchor="middle")
        self.put(f'<path class="axis" d="M{LEFT},{self.plot_top} V{self.bottom} H{WIDTH - RIGHT}"/>')
        self.text((LEFT + WIDTH - RIGHT) / 2, self.bottom + 40, "time in seconds",
                  text_anchor="middle")
        middle = (self.plot_top + self.bottom) / 2
        self.text(18, middle, "goodput in Gb/s", text_anchor="middle",
                  transform=f"rotate(-90 18 {middle:.1f})")

    def marks(self):
        """Above the plot a bar per fault, and lines down from its ends."""
        for row, fault in enumerate(self.faults):
            y = TITLE + FAULT_ROW * row
            x1 = self.x(fault["from"])
            x2 = self.x(min(self.end, self.end if fault["to"] is None else fault["to"]))
            self.put(f'<rect x="{x1:.1f}" y="{y + 3}" width="{max(1, x2 - x1):.1f}" '
                     f'height="{FAULT_ROW - 6}" rx="3" opacity="0.35" '
                     f'fill="{color_of(fault["plane"])}"/>')
            self.text(x1 + 6, y + 16, f"{fault['what']} {fault['how']}")
            self.line(x1, y + FAULT_ROW - 3, x1, self.bottom, "mark")
            if fault["to"] is not None:
                self.line(x2, y + FAULT_ROW - 3, x2, self.bottom, "mark")
