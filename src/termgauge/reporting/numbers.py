"""Numbers as text for people: counts, decimals, shares, sizes, times."""

from __future__ import annotations

import math

MISSING = "–"
_RAISED = str.maketrans("0123456789+-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻")


def number(count: int) -> str:
    """Return a count with commas, such as 12,345."""
    return f"{count:,}"


def decimal(value: float | None, digits: int = 1, *, signed: bool = False, top: float | None = 1.0) -> str:
    """Return a value to so many digits, with a plus sign if asked for; a dash where there is none.

    What is not quite perfect must not look so: a value below `top` is never shown as `top`; None if there is none.

    Examples
    --------
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

    Examples
    --------
    >>> raised("+12-3")
    '⁺¹²⁻³'
    """
    return text.translate(_RAISED)


def with_minus(text: str) -> str:
    """Return a number as text with a minus sign, as wide as a plus sign and never broken off, for a hyphen."""
    return "\N{MINUS SIGN}" + text[1:] if text.startswith("-") and text[1:2].isdigit() else text


def share(value: float | None) -> str:
    """Return a share in per cent, such as 91 %; with a digit more where it is only almost all or nothing.

    Examples
    --------
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

    Examples
    --------
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
