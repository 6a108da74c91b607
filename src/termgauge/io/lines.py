"""Large files of tagged text as blocks of whole lines; the next block is read while one is worked on.

Memory depends neither on the size of the file nor on that of its sentences and documents.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, BinaryIO

from termgauge.exceptions import TermgaugeError
from termgauge.io.source import position
from termgauge.threads import ThreadPool

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from termgauge.io.source import SourceFile

BLOCK = 8 << 20
LONGEST_LINE = 64 << 20
"""No line of tagged text is longer, not even a comment that has the text of a sentence of a million tokens."""
BOM = b"\xef\xbb\xbf"


def line_blocks(file: SourceFile, advance: Callable[[float], None]) -> Iterator[bytes]:
    """Yield a file as whole lines, each of which ends in a newline, and report how much of it is read."""
    with file.open() as stream, ThreadPool(1) as ahead:
        blocks = _blocks(file, stream)
        coming = ahead.submit(next, blocks, None)
        done = 0
        while (block := coming.result()) is not None:
            coming = ahead.submit(next, blocks, None)
            lines, reached = block
            advance(reached - done)
            done = reached
            yield lines


def _blocks(file: SourceFile, stream: BinaryIO) -> Iterator[tuple[bytes, int]]:
    """Yield whole lines, and how much of the file is read with them."""
    held, lines = stream.read(len(BOM)).removeprefix(BOM), 0
    while block := stream.read(BLOCK):
        end = block.rfind(b"\n") + 1
        if end:
            whole = held + block[:end]
            held = block[end:]
            yield whole, position(stream)
            lines += whole.count(b"\n")
        else:
            held += block
        if len(held) > LONGEST_LINE:
            raise TermgaugeError(
                f"{file.label}, line {lines + 1:,}: is longer than {LONGEST_LINE >> 20} MB, so that this is no tagged "
                "text; name another file."
            )
    if held:
        yield (held if held.endswith(b"\n") else held + b"\n"), position(stream)
