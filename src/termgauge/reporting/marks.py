"""The two marks that prose in a document may carry, ``**bold**`` and ```code```, taken apart for whoever shows it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

_MARKED = re.compile(r"\*\*(?P<bold>[^*]+)\*\*|`(?P<code>[^`]+)`")


class Span(NamedTuple):
    """A piece of text in one style."""

    style: Literal["plain", "bold", "code"]
    text: str


def spans(text: str) -> Iterator[Span]:
    """Yield the pieces of a marked text; a mark that has no end is plain text.

    Examples
    --------
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
