"""Turning findings into sentences: lists, counts, ranges and names, as people write them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from termgauge.plurals import plural
from termgauge.reporting.numbers import decimal, number

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

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

    Examples
    --------
    >>> headed("Coverage", "COPD"), headed("Coverage", "")
    ('Coverage: COPD', 'Coverage')
    """
    return f"{what}: {name}" if name else what


def listed(items: Iterable[str], *, last: str = "and") -> str:
    """Return items as a list in a sentence: a, b and c."""
    *others, end = list(items)
    return f"{', '.join(others)} {last} {end}" if others else end


def named(names: Sequence[str], most: int = _MOST_NAMES) -> str:
    """Return names in bold, the first few of many: **a**, **b** and one other."""
    kept = [bold(name) for name in names[:most]]
    more = len(names) - len(kept)
    if more:
        kept.append(counted(more, "other"))
    return listed(kept)


def count(value: int) -> str:
    """Return a number as a word if it is small: three, 1,200."""
    return _SMALL[value] if 0 <= value < len(_SMALL) else number(value)


def counted(value: int, one: str, many: str = "") -> str:
    """Return so many of a thing: one model, three models, 1,200 models."""
    return f"{count(value)} {plural(value, one, many)}"


def some_of(value: int, total: int, one: str, many: str = "") -> str:
    """Return how many of all: one of three raters, both raters, all 24 raters.

    Examples
    --------
    >>> [some_of(value, 3, "rater") for value in (0, 1, 3)], some_of(2, 2, "rater"), some_of(1, 1, "rater")
    (['none of three raters', 'one of three raters', 'all three raters'], 'both raters', 'the one rater')
    """
    if value < total or not total:
        return f"{count(value) if value else 'none'} of {counted(total, one, many)}"
    return {1: f"the one {one}", 2: f"both {many or one + 's'}"}.get(total, f"all {counted(total, one, many)}")


def ranged(values: Sequence[float]) -> str:
    """Return the lowest and the highest of values: 0.52 to 0.61, or one number where they are the same.

    Examples
    --------
    >>> ranged([0.61, 0.524]), ranged([0.5, 0.5]), ranged([0.5, 0.9966])
    ('0.52 to 0.61', '0.50', '0.500 to 0.997')
    """
    close = any(abs(value) < 1 == round(abs(value), 2) for value in (min(values), max(values)))
    low, high = (decimal(value, 3 if close else 2) for value in (min(values), max(values)))
    return low if low == high else f"{low} to {high}"


def capitalised(text: str) -> str:
    """Return a sentence with a capital letter at its start, past the marks of bold text."""
    return text[:1].upper() + text[1:]


def lowered(title: str) -> str:
    """Return a title as it stands inside a sentence: with a small letter at its start."""
    return title[:1].lower() + title[1:]


def corrected(correction: str) -> str:
    """Return how tests were corrected for their number: corrected by Holm, without correction."""
    return "without correction" if correction == "none" else f"corrected by {correction.capitalize()}"
