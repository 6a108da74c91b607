"""Reading drawings: where their marks and texts lie, and what they say."""

from __future__ import annotations

import math
import re
from itertools import combinations

from termgauge.reporting.plots.canvas import text_width

SVG = "{http://www.w3.org/2000/svg}"
_SLACK = 2.0


def titles(root):
    """Return what marks say to those who point at them."""
    return [child.text for element in root.iter() if element is not root for child in element.findall(f"{SVG}title")]


def texts(root):
    """Return all texts that are shown, in the order in which they are written."""
    return [element.text for element in root.iter(f"{SVG}text")]


def outside(root):
    """Return the marks and texts that lie outside of their drawing."""
    left, top, width, height = map(float, root.get("viewBox").split())
    return [
        (element.tag.removeprefix(SVG), element.text or element.attrib)
        for group in root.findall(f"{SVG}g")
        for element in group
        for x, y in _corners(group, element)
        if not (left - _SLACK <= x <= left + width + _SLACK and top - _SLACK <= y <= top + height + _SLACK)
    ]


def overlapping(root):
    """Return pairs of texts that lie on one another; what is turned is left out."""
    boxes = [
        (element.text, *_corners(group, element))
        for group in root.findall(f"{SVG}g")
        for element in group.findall(f"{SVG}text")
        if not element.get("transform")
    ]
    return [
        (one, two)
        for (one, (left, top), (right, bottom)), (two, (left2, top2), (right2, bottom2)) in combinations(boxes, 2)
        if min(right, right2) - max(left, left2) > 1 and min(bottom, bottom2) - max(top, top2) > 1
    ]


def _corners(group, element):
    """Return two corners of a mark, or all points of a path."""
    kind = element.tag.removeprefix(SVG)
    number = {key: float(value) for key, value in element.attrib.items() if re.fullmatch(r"-?[\d.]+", value)}
    if kind == "path":
        return [(float(x), float(y)) for x, y in re.findall(r"(-?[\d.]+),(-?[\d.]+)", element.get("d"))]
    if kind == "circle":
        x, y, r = number["cx"], number["cy"], number["r"]
        return [(x - r, y - r), (x + r, y + r)]
    if kind == "rect":
        return [(number["x"], number["y"]), (number["x"] + number["width"], number["y"] + number["height"])]
    size = float(group.get("font-size"))
    wide = text_width(element.text, size)
    left = number["x"] - wide * {None: 0, "middle": 0.5, "end": 1}[group.get("text-anchor")]
    turned = re.match(r"rotate\((-?\d+) ", element.get("transform") or "")
    if turned:
        angle = math.radians(int(turned[1]))
        return [(left, number["y"]), (left + wide * math.cos(angle), number["y"] + wide * math.sin(angle))]
    return [(left, number["y"] - 0.75 * size), (left + wide, number["y"] + 0.2 * size)]
