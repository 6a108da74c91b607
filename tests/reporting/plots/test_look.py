from __future__ import annotations

import re
from itertools import combinations

from termgauge.reporting.plots import canvas as look
from termgauge.reporting.plots.canvas import Canvas


def lightness(colour):
    """Return the relative luminance of WCAG 2."""
    parts = (int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5))
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return sum(share * part for share, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def contrast(one, two):
    low, high = sorted(map(lightness, (one, two)))
    return (high + 0.05) / (low + 0.05)


def test_colours_are_written_as_pages_replace_them():
    colours = [look.INK, look.MUTED, look.LINE, look.PAPER, look.ACCENT, look.QUIET]
    for colour in (*colours, *look.SERIES, *look.RAMP, look.ON_LOW, look.ON_HIGH):
        assert re.fullmatch("#[0-9a-f]{6}", colour)
    assert len(set(look.SERIES)) == len(look.SERIES)


def test_text_can_be_read():
    assert contrast(look.INK, look.PAPER) > 7
    assert contrast(look.MUTED, look.PAPER) > 4.5
    for place, colour in enumerate(look.RAMP):
        share = place / (len(look.RAMP) - 1)
        assert contrast(look.ON_HIGH if share >= look.TURN else look.ON_LOW, colour) > 4.3


def test_the_ramp_goes_from_light_to_dark():
    light = list(map(lightness, look.RAMP))
    assert light == sorted(light, reverse=True)


def test_every_shape_is_drawn_and_differs_from_the_others():
    drawn = []
    for shape in look.SHAPES:
        canvas = Canvas(100)
        canvas.point(10, 10, look.INK, shape=shape)
        drawn.append(canvas.svg("a", "b", "c"))
    assert all(one != two for one, two in combinations(drawn, 2))
