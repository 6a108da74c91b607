"""Elements of XML documents with the way down to them: what readers of terminologies in XML share."""

from __future__ import annotations

from typing import TYPE_CHECKING

from termgauge.exceptions import TermgaugeError
from termgauge.io.source import tracked
from termgauge.io.xml_stream import MOST_LETTERS, Collected, read_elements

if TYPE_CHECKING:
    from termgauge.io.source import SourceFile


class Elements:
    """Keeps the way down to an element, and gathers the whole text of those whose text is wanted.

    A reader of a format says what it wants, and does its work in :meth:`opened` and :meth:`closed`.
    """

    passed_over: frozenset[str] = frozenset()
    texts: frozenset[str] = frozenset()
    """Elements whose text is wanted, with that of elements inside them."""
    silent: frozenset[str] = frozenset()
    """Elements inside these whose text is not."""
    apart: frozenset[str] = frozenset()
    """Elements inside these that stand apart from the text around them."""

    def __init__(self, file: SourceFile) -> None:
        self.file = file
        self.found: list[None] = []
        self.path: list[str] = ["", "", "", ""]
        """The elements around, the innermost last; it never runs empty."""
        self._kept, self._inside, self._silent = False, 0, 0
        self._collected = Collected()

    def read(self, label: str) -> None:
        """Read the file; progress is shown under a label."""
        with tracked(self.file, label) as file:
            for _ in read_elements(file, self):
                pass

    def opened(self, name: str, attributes: dict[str, str]) -> None:
        """Be told that an element begins, which is now the last of the path."""

    def closed(self, name: str, text: str) -> None:
        """Be told that an element ended, with its text if it is wanted; its parent is now the last of the path."""

    def start(self, name: str, attributes: dict[str, str]) -> bool:
        """Go down."""
        if self._kept:
            self._inside += 1
            if name in self.apart:
                self._collected.add(" ")
            self._silent += bool(self._silent) or name in self.silent
            return not self._silent
        self.path.append(name)
        self.opened(name, attributes)
        self._kept = name in self.texts
        return self._kept

    def end(self, name: str) -> bool:
        """Go up."""
        if self._inside:
            self._inside -= 1
            if name in self.apart:
                self._collected.add(" ")
            self._silent -= bool(self._silent)
            return not self._silent
        if self.path[-1] != name:  # an element within itself, of those that are passed over
            return False
        self.path.pop()
        text = self._collected.taken() if self._kept else ""
        self._kept = False
        self.closed(name, text)
        return False

    def text(self, data: str) -> None:
        """Gather text."""
        collected = self._collected
        collected.add(data)
        if collected.letters > MOST_LETTERS:
            raise TermgaugeError(
                f"{self.file.label}: the text of one element '{self.path[-1]}' has more than {MOST_LETTERS >> 20} "
                "million letters, so it is none; get the file again from its source."
            )
