"""Turning findings into sentences: lists, counts, ranges and names, as people write them."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Literal, NamedTuple

from termgauge.plurals import plural

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence


MISSING = "–"
_RAISED = str.maketrans("0123456789+-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻")


def number(count: int) -> str:
    """Return a count with commas, such as 12,345."""
    return f"{count:,}"


def decimal(value: float | None, digits: int = 1, *, signed: bool = False, top: float | None = 1.0) -> str:
    """Return a value to so many digits, with a plus sign if asked for; a dash where there is none.

    What is not quite perfect must not look so: a value below `top` is never shown as `top`; None if there is none.

    >>> decimal(0.346, 2), decimal(None), decimal(-0.001, 2), decimal(0.5, signed=True), decimal(0.001, signed=True)
    ('0.35', '–', '0.00', '+0.5', '0.0')
    >>> decimal(0.997, 2), decimal(1.0, 2), decimal(99.97, top=100), decimal(0.97, top=None)
    ('0.99', '1.00', '99.9', '1.0')
    """
    if value is None or math.isnan(value):
        return MISSING
    text = f"{value:z.{digits}f}"
    if top is not None and digits and abs(value) < top <= abs(float(text)):
        text = f"{math.copysign(top - 10.0**-digits, value):.{digits}f}"
    return f"+{text}" if signed and float(text) > 0 else text


def missing(value: float | None) -> bool:
    """Say whether there is no value."""
    return value is None or math.isnan(value)


def raised(text: str) -> str:
    """Return digits and signs as a superscript.

    >>> raised("+12-3")
    '⁺¹²⁻³'
    """
    return text.translate(_RAISED)


def with_minus(text: str) -> str:
    """Return a number as text with a minus sign, as wide as a plus sign and never broken off, for a hyphen."""
    return "\N{MINUS SIGN}" + text[1:] if text.startswith("-") and text[1:2].isdigit() else text


def share(value: float | None) -> str:
    """Return a share in per cent, such as 91 %; with a digit more where it is only almost all or nothing.

    >>> share(0.912), share(1.0), share(0.9987), share(0.9999), share(0.0002), share(None)
    ('91 %', '100 %', '99.9 %', '99.9 %', '0.1 %', '–')
    """
    if value is None or math.isnan(value):
        return MISSING
    text = f"{100 * value:.0f}"
    if text in ("0", "100") and value not in (0, 1):
        text = decimal(max(100 * value, 0.1), top=100)
    return f"{text} %"


def size(count: float) -> str:
    """Return a number of bytes for people, such as 1.5 MB."""
    for unit in ("B", "kB", "MB", "GB"):
        if count < 1000:
            return f"{count:.0f} {unit}" if unit in ("B", "kB") else f"{count:.1f} {unit}"
        count /= 1000
    return f"{count:.1f} TB"


def duration(seconds: float) -> str:
    """Return a time in words, as exactly as a guess deserves; nothing for a moment.

    >>> duration(0.2), duration(12), duration(100), duration(9000)
    ('', '10 s', '2 min', '3 h')
    """
    if seconds < 1:
        return ""
    if seconds < 10:
        return f"{seconds:.0f} s"
    if seconds < 90:
        return f"{round(seconds, -1):.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{-(-seconds // 3600):.0f} h"


_MARKED = re.compile(r"\*\*(?P<bold>[^*]+)\*\*|`(?P<code>[^`]+)`")


class Span(NamedTuple):
    """A piece of text in one style."""

    style: Literal["plain", "bold", "code"]
    text: str


def spans(text: str) -> Iterator[Span]:
    """Yield the pieces of a marked text; a mark that has no end is plain text.

    >>> [tuple(span) for span in spans("**GloVe** by `avg_cos` wins 2 ** 3")]
    [('bold', 'GloVe'), ('plain', ' by '), ('code', 'avg_cos'), ('plain', ' wins 2 ** 3')]
    """
    start = 0
    for mark in _MARKED.finditer(text):
        if mark.start() > start:
            yield Span("plain", text[start : mark.start()])
        yield Span("bold", mark["bold"]) if mark["bold"] else Span("code", mark["code"])
        start = mark.end()
    if start < len(text):
        yield Span("plain", text[start:])


_MOST_NAMES = 4
_SMALL = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")


def bold(name: str) -> str:
    """Return a name in bold, with nothing in it that marks text."""
    return f"**{plain(name)}**"


def plain(name: str) -> str:
    """Return a name with nothing in it that marks text."""
    return name.replace("*", "∗").replace("`", "′")


def headed(what: str, name: str) -> str:
    """Return a heading: what is shown, and of what, if that has a name.

    >>> headed("Coverage", "COPD"), headed("Coverage", "")
    ('Coverage: COPD', 'Coverage')
    """
    return f"{what}: {name}" if name else what


def listed(items: Iterable[str], *, last: str = "and") -> str:
    """Return items as a list in a sentence: a, b and c."""
    *others, end = list(items)
    return f"{', '.join(others)} {last} {end}" if others else end


def named(names: Sequence[str]) -> str:
    """Return names in bold, the first four of many: **a**, **b** and one other."""
    more = len(names) - _MOST_NAMES
    return listed([*map(bold, names[:_MOST_NAMES]), *([counted(more, "other")] if more > 0 else [])])


def count(value: int) -> str:
    """Return a number as a word if it is small: three, 1,200."""
    return _SMALL[value] if 0 <= value < len(_SMALL) else number(value)


def counted(value: int, one: str, many: str = "") -> str:
    """Return so many of a thing: one model, three models, 1,200 models."""
    return f"{count(value)} {plural(value, one, many)}"


def some_of(value: int, total: int, one: str, many: str = "") -> str:
    """Return how many of all: one of three raters, both raters, all 24 raters.

    >>> [some_of(value, 3, "rater") for value in (0, 1, 3)], some_of(2, 2, "rater"), some_of(1, 1, "rater")
    (['none of three raters', 'one of three raters', 'all three raters'], 'both raters', 'the one rater')
    """
    if value < total or not total:
        return f"{count(value) if value else 'none'} of {counted(total, one, many)}"
    return {1: f"the one {one}", 2: f"both {many or one + 's'}"}.get(total, f"all {counted(total, one, many)}")


def capitalised(text: str) -> str:
    """Return a sentence with a capital letter at its start, past the marks of bold text."""
    return text[:1].upper() + text[1:]


def lowered(title: str) -> str:
    """Return a title as it stands inside a sentence: with a small letter at its start."""
    return title[:1].lower() + title[1:]


def corrected(correction: str) -> str:
    """Return how tests were corrected for their number: corrected by Holm, without correction."""
    return "without correction" if correction == "none" else f"corrected by {correction.capitalize()}"
