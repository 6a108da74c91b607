"""JSON from elsewhere, as a stream of values: ijson walks through a long list, and one of its items is in memory."""

from __future__ import annotations

import re
from collections import deque
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from termgauge.exceptions import TermgaugeError
from termgauge.io.decoding import half_character

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from termgauge.io.source import SourceFile

MOST_LETTERS = 16 << 20
"""No single value may be longer."""
MOST_LEVELS = 500
_DEEPER = {"start_map": 1, "start_array": 1, "end_map": -1, "end_array": -1}


class _BrokenError(Exception):
    """The text is no JSON."""


def read_values(file: SourceFile, levels: int) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Read a file, and yield what it holds so many levels deep, each value with the keys that lead to it.

    A list counts as a level, but adds no key; what is further down comes whole.
    """
    try:
        yield from _values(file.text_blocks(), levels)
    except _BrokenError as error:
        line = _line_of_error(file, levels)
        raise TermgaugeError(
            f"{file.label}, line {line:,}: is broken JSON ({error}); get it again from its source."
        ) from error


def _line_of_error(file: SourceFile, levels: int) -> int:
    """Return in which line a text ceases to be JSON, by reading it again line by line."""
    line = 1

    def lines() -> Iterator[str]:
        nonlocal line
        for block in file.text_blocks():
            for piece in block.splitlines(keepends=True):
                yield piece
                line += piece.endswith("\n")

    with suppress(_BrokenError):
        deque(_values(lines(), levels), maxlen=0)
    return line


def _values(blocks: Iterable[str], levels: int) -> Iterator[tuple[tuple[str, ...], Any]]:
    from ijson.common import ObjectBuilder

    path: list[str | None] = []
    """The last key of each object that is walked through; None for a list."""
    builder, depth, began = ObjectBuilder(), 0, 0
    for letters, events in _events(blocks):
        for event, value in events:
            deeper = _DEEPER.get(event, 0)
            if depth or not (deeper or event == "map_key") or (deeper > 0 and len(path) == levels):
                if not depth:
                    builder, began = ObjectBuilder(), letters
                builder.event(event, value)
                depth += deeper
                if depth > MOST_LEVELS:
                    raise _BrokenError("it is nested too deeply")
                if not depth:
                    yield tuple(key for key in path if key is not None), builder.value
            elif deeper > 0:
                path.append(None)
            elif deeper < 0:
                path.pop()
            else:
                path[-1] = value
        if depth and letters - began > MOST_LETTERS:
            raise _BrokenError("a value has no end")


def _events(blocks: Iterable[str]) -> Iterator[tuple[int, list[tuple[str, Any]]]]:
    """Yield what ijson tells of a text, block by block, and how many letters were read by then."""
    import ijson

    events = ijson.sendable_list()
    # Without floats, ijson 3.6 breaks at a whole number of thousands of digits.
    parser = ijson.basic_parse_coro(events, use_float=True)
    letters = 0
    try:
        for part in _parts(blocks):
            letters += len(part)
            if half_character(part) is not None:
                raise _BrokenError("half of a character, a lone surrogate")
            parser.send(part.encode())
            yield letters, events
            events.clear()
        parser.close()
        yield letters, events  # a number may end with the text
    except ijson.JSONError as error:
        raise _BrokenError(re.sub(r"^(b')?(lexical|parse) error: ", "", str(error).splitlines()[0])) from None


def _parts(blocks: Iterable[str]) -> Iterator[str]:
    """Yield a text in parts, none of which ends inside of a character that is written as two escapes."""
    rest = ""
    for block in blocks:
        rest += block
        if len(rest) > MOST_LETTERS:
            raise _BrokenError("a value has no end")
        cut = max(rest.rfind('"'), rest.rfind("\n")) + 1
        if cut:
            yield rest[:cut]
            rest = rest[cut:]
    if rest:
        yield rest
