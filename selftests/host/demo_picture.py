#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Checks that the picture of "make demo" has a curve for each flow which goes where it should, that its
texts lie within it and in or beside a bar, and that no text covers another.

Usage: demo_picture.py FILE [texts]: the texts alone"""
import sys
import xml.etree.ElementTree as ET

SVG = "{http://www.w3.org/2000/svg}"
LETTER, TITLE_LETTER, HEIGHT = 7, 9, 13     # upper bounds for letters of this size, in pixels
CURVES = 3


def box(text):
    """Left, top, right, bottom of a text that is not turned."""
    letter = TITLE_LETTER if text.get("class") == "title" else LETTER
    width, x, y = letter * len(text.text), float(text.get("x")), float(text.get("y"))
    left = x - width * {"end": 1, "middle": 0.5}.get(text.get("text-anchor"), 0)
    return left, y - HEIGHT, left + width, y


def overlap(a, b):
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]


def wrong_texts(root):
    """Texts that do not fit, a line each."""
    width, height = float(root.get("width")), float(root.get("height"))
    boxes = [(text.text, box(text)) for text in root.iter(SVG + "text") if not text.get("transform")]
    for i, (text, a) in enumerate(boxes):
        if a[0] < 0 or a[1] < 0 or a[2] > width or a[3] > height:
            yield f"outside: {text}"
        yield from (f"'{text}' is over '{other}'" for other, b in boxes[:i] if overlap(a, b))


def torn_texts(root):
    """Texts that begin in a bar and end outside it, or the other way round, a line each."""
    bars = [tuple(float(bar.get(key)) for key in ("x", "y", "width", "height"))
            for bar in root.iter(SVG + "rect") if bar.get("opacity")]
    for text in root.iter(SVG + "text"):
        left, top, right, bottom = box(text)
        for x, y, width, height in bars:
            inside = x <= left and right <= x + width
            if overlap((left, top, right, bottom), (x, y, x + width, y + height)) and not inside:
                yield f"half in its bar: {text.text}"


def main():
    root = ET.parse(sys.argv[1]).getroot()
    found = [*wrong_texts(root), *torn_texts(root)]
    if len(sys.argv) > 2:
        print(*found, sep="\n", end="\n" if found else "", file=sys.stderr)
        return bool(found)
    curves = [line for line in root.iter(SVG + "polyline") if line.get("class") == "curve"]
    if len(curves) != CURVES:
        found.append(f"{len(curves)} curves")
    texts = {text.text for text in root.iter(SVG + "text")}
    found += [f"no {name}" for name in ("MRC", "MPTCP", "TCP over ECMP") if name not in texts]
    # MRC's curve is drawn last: from all planes to three quarters and back.
    points = [tuple(map(float, pair.split(","))) for pair in curves[-1].get("points").split()]
    lows = [y for x, y in points[len(points) // 4:len(points) // 2]]
    if not min(y for _, y in points) < sorted(lows)[len(lows) // 2] < max(y for _, y in points):
        found.append("MRC's curve is flat")
    print(*found, sep="\n", end="\n" if found else "", file=sys.stderr)
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
