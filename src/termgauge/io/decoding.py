"""From bytes to text and JSON: the one step that all readers take, so that odd bytes end everywhere alike.

Text is UTF-8, with or without a byte order mark and without zero bytes. No line of a file of lines is longer than
1 MB: nothing in this field is, and one that is may take minutes or gigabytes further on. Each megabyte is searched for
a line end from its end, so the check costs next to nothing. JSON is also read as a stream, by ijson: of a long list one
item is in memory.
"""

from __future__ import annotations

import codecs
import gc
import json
import re
from contextlib import contextmanager
from itertools import chain
from typing import TYPE_CHECKING, Any

from termgauge.exceptions import TermgaugeError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from termgauge.io.source import SourceFile

LONGEST_LINE = 1 << 20
"""In bytes."""
TOO_LONG = f"is longer than {LONGEST_LINE >> 20} MB, as no line of such a file is; check that it is the file you meant."
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")
_ESCAPE = re.compile(r"\\(?:u[dD][89abAB]..\\u[dD][c-fC-F]..|(u[dD][89a-fA-F])|.)", re.DOTALL)
"""An escape of JSON; the group is half of a character whose other half is missing."""
MOST_LETTERS = 16 << 20
"""No single value of JSON that is read as a stream may be longer."""
MOST_LEVELS = 500
_DEEPER = {"start_map": 1, "start_array": 1, "end_map": -1, "end_array": -1}


@contextmanager
def paused_garbage_collection() -> Iterator[None]:
    """Readers make millions of objects, none in circles, and the collector would walk through all, again and again."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def decoded(data: bytes, label: str, *, lines: bool = True, otherwise: str | None = None) -> str:
    """Return the text of a file that messages call `label`; lines that end in CR alone get another end.

    What is no file of `lines`, such as JSON, may be one long line. What is not UTF-8 is refused, unless it is
    `otherwise` in another encoding.
    """
    data = data.removeprefix(codecs.BOM_UTF8)
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        if otherwise is None:
            line = data.count(b"\n", 0, error.start) + 1
            raise TermgaugeError(f"{label}, line {line:,}: is not UTF-8 text; save the file as UTF-8.") from None
        text = data.decode(otherwise, "replace")
    refuse_zero(text, label)
    if lines:
        if "\n" not in text:
            data, text = data.replace(b"\r", b"\n"), text.replace("\r", "\n")
        refuse_long_line(data, label)
    return text


def refuse_zero(text: str, label: str, line: int = 1) -> None:
    """Refuse a text with a zero byte; `line` is the number of its first line."""
    if (position := text.find("\0")) >= 0:
        line += text.count("\n", 0, position)
        raise TermgaugeError(f"{label}, line {line:,}: holds a zero byte, as UTF-16 text does; save the file as UTF-8.")


def refuse_long_line(data: bytes, label: str) -> None:
    """Refuse a text with a line of more than 1 MB."""
    if (line := long_line(data)) is not None:
        raise TermgaugeError(f"{label}, line {line + 1:,}: {TOO_LONG}")


def long_line(data: bytes) -> int | None:
    """Return which line of a text, counted from 0, is the first of more than 1 MB."""
    start = 0
    while len(data) - start > LONGEST_LINE:
        end = data.rfind(b"\n", start, start + LONGEST_LINE + 1)
        if end < 0:
            return data.count(b"\n", 0, start)
        start = end + 1
    return None


def parsed_json(data: str | bytes, label: str, advice: str = "get the file again from its source.") -> Any:  # noqa: ANN401
    """Return what a JSON file holds; `advice` says what to do about one that cannot be read."""
    text = decoded(data, label, lines=False) if isinstance(data, bytes) else data
    if (half := half_character(text)) is not None:
        line, why = text.count("\n", 0, half) + 1, "half of a character, a lone surrogate"
    else:
        try:
            return json.loads(text)
        except json.JSONDecodeError as error:
            line, why = error.lineno, error.msg
        except RecursionError:
            line, why = 1, "values within values on too many levels"
        except ValueError:
            line, why = 1, "a number of too many digits"
    raise TermgaugeError(f"{label}, line {line:,}: is no JSON ({why}); {advice}")


def half_character(text: str) -> int | None:
    r"""Return where a JSON text holds a lone surrogate (``"\ud800"``), which no file can hold and no library take."""
    if _SURROGATE.search(text) is None:
        return None
    return next((match.start() for match in _ESCAPE.finditer(text) if match[1]), None)


class TextStream:
    """A text for a parser that asks for bytes, and how many it was given since it last came to something."""

    def __init__(self, pieces: Iterable[str], most: int, too_long: Callable[[int], TermgaugeError]) -> None:
        self._pieces, self._most, self._too_long = filter(None, map(str.encode, pieces)), most, too_long
        self._piece, self._at, self._begins = b"", 0, 1
        self.since = 0
        """Set it to zero wherever something is complete; beyond `most` the text is refused."""

    @property
    def line(self) -> int:
        """The line of the last byte that was given."""
        return self._begins + self._piece.count(b"\n", 0, max(0, self._at - 1))

    def read(self, size: int) -> bytes:
        """Return the next bytes."""
        if self._at >= len(self._piece):
            self._begins += self._piece.count(b"\n")
            self._piece, self._at = next(self._pieces, b""), 0
        data = self._piece[self._at : self._at + size]
        self._at += len(data)
        self.since += len(data)
        if self.since > self._most:
            raise self._too_long(self.line)
        return data


def read_values(file: SourceFile, levels: int) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Read a file, and yield what it holds so many levels deep, each value with the keys that lead to it.

    A list counts as a level, but adds no key; what is further down comes whole.
    """
    import ijson
    from ijson.common import ObjectBuilder

    path: list[str | None] = []
    """The last key of each object that is walked through; None for a list."""
    builder, depth = ObjectBuilder(), 0
    stream = TextStream(_parts(file), MOST_LETTERS, lambda line: _broken(file, line, "a value has no end"))
    try:
        # Without floats, ijson 3.6 breaks at a whole number of thousands of digits.
        for event, value in ijson.basic_parse(stream, use_float=True):
            deeper = _DEEPER.get(event, 0)
            if depth or not (deeper or event == "map_key") or (deeper > 0 and len(path) == levels):
                if not depth:
                    builder, stream.since = ObjectBuilder(), 0
                builder.event(event, value)
                depth += deeper
                if depth > MOST_LEVELS:
                    raise _broken(file, stream.line, "it is nested too deeply")
                if not depth:
                    yield tuple(key for key in path if key is not None), builder.value
            elif deeper > 0:
                path.append(None)
            elif deeper < 0:
                path.pop()
            else:
                path[-1] = value
    except ijson.JSONError as error:
        why = re.sub(r"^(b')?(lexical|parse) error: ", "", str(error).splitlines()[0])
        raise _broken(file, stream.line, why) from None


def _broken(file: SourceFile, line: int, why: str) -> TermgaugeError:
    return TermgaugeError(f"{file.label}, line {line:,}: is broken JSON ({why}); get it again from its source.")


def _parts(file: SourceFile) -> Iterator[str]:
    """Yield the lines of a text, long ones in parts; none ends inside of a character that is written as two escapes."""
    rest, number = "", 1
    for block in chain(file.text_blocks(), [None]):
        text = rest + (block or "")
        has_surrogates = _SURROGATE.search(text) is not None
        *lines, rest = text.split("\n")
        cut = len(rest) if block is None else rest.rfind('"') + 1
        for part in (*(f"{line}\n" for line in lines), rest[:cut]):
            if has_surrogates and half_character(part) is not None:
                raise _broken(file, number, "half of a character, a lone surrogate")
            yield part
            number += part.endswith("\n")
        rest = rest[cut:]
        if len(rest) > MOST_LETTERS:
            raise _broken(file, number, "a value has no end")
