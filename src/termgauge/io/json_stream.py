"""JSON from elsewhere, as a stream of values: a long list is walked through, and only one of its items is in memory."""

from __future__ import annotations

from json import JSONDecodeError, JSONDecoder
from typing import TYPE_CHECKING, Any, NoReturn

from termgauge.exceptions import TermgaugeError
from termgauge.io.decoding import half_character

if TYPE_CHECKING:
    from collections.abc import Iterator

    from termgauge.io.source import SourceFile

MOST_LETTERS = 16 << 20
"""No single value may be longer."""
_SPACE = " \t\n\r"
_MORE_OF_A_NUMBER = {"", ".", "e", "E"}
"""What follows a number that may go on in the next block."""


def read_values(file: SourceFile, levels: int) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Read a file, and yield what it holds so many levels deep, each value with the keys that lead to it.

    Parameters
    ----------
    file
        A JSON file.
    levels
        How deep to walk into objects and lists; what is below comes whole. A list counts as a level, but adds no key.

    Yields
    ------
    tuple
        The keys, and the value.
    """
    document = _Document(file)
    yield from document.walk((), levels)
    if document.sign():
        document.refuse("something follows its end")


class _Document:
    """The part of a file that is in memory, and how far the reading has come in it."""

    def __init__(self, file: SourceFile) -> None:
        self._file, self._blocks = file, file.text_blocks()
        self._decode = JSONDecoder().raw_decode
        self._text, self._at, self._line = "", 0, 1
        self._ended = False

    def walk(self, keys: tuple[str, ...], levels: int) -> Iterator[tuple[tuple[str, ...], Any]]:
        """Yield what the value that comes next holds."""
        opened = self.sign()
        if not levels or opened not in {"{", "["}:
            yield keys, self._value()
            return
        closing = "}" if opened == "{" else "]"
        self._at += 1
        if self.sign() == closing:
            self._at += 1
            return
        while True:
            yield from self.walk(keys if opened == "[" else (*keys, self._key()), levels - 1)
            sign = self.sign()
            if sign not in {",", closing}:
                self.refuse(f"a comma or '{closing}' is missing")
            self._at += 1
            if sign == closing:
                return

    def sign(self) -> str:
        """Return the next character that is no space, without going beyond it; nothing at the end."""
        while True:
            while self._at < len(self._text):
                if (sign := self._text[self._at]) not in _SPACE:
                    return sign
                self._at += 1
            if not self._more():
                return ""

    def refuse(self, why: str) -> NoReturn:
        """Refuse the file, and say where it is wrong."""
        line = self._line + self._text.count("\n", 0, self._at)
        raise TermgaugeError(
            f"{self._file.label}, line {line:,}: is broken JSON ({why}); get it again from its source."
        )

    def _key(self) -> str:
        key = self._value() if self.sign() == '"' else None
        if not isinstance(key, str) or self.sign() != ":":
            self.refuse("a key is missing")
        self._at += 1
        return key

    def _value(self) -> Any:  # noqa: ANN401
        """Return the value that comes next, reading on until it is whole."""
        self.sign()
        while True:
            try:
                value, end = self._decode(self._text, self._at)
            except RecursionError:
                self.refuse("it is nested too deeply")
            except JSONDecodeError as error:
                if len(self._text) - self._at > MOST_LETTERS or not self._more():
                    self.refuse(error.msg)
            except ValueError:
                self.refuse("a number has too many digits")
            else:
                if half_character(self._text[self._at : end]) is not None:
                    self.refuse("half of a character, a lone surrogate")
                rest = len(self._text) - self._at
                if self._text[end : end + 1] not in _MORE_OF_A_NUMBER or rest > MOST_LETTERS or not self._more():
                    self._at = end
                    return value

    def _more(self) -> bool:
        """Read on, as much as there is already, so that a long value is not tried too often; False at the end."""
        kept = len(self._text) - self._at
        pieces, letters = [self._text[self._at :]], 0
        while not self._ended and letters <= kept:
            block = next(self._blocks, None)
            self._ended = block is None
            pieces.append(block or "")
            letters += len(pieces[-1])
        if letters:
            self._line += self._text.count("\n", 0, self._at)
            self._text, self._at = "".join(pieces), 0
        return letters > 0
