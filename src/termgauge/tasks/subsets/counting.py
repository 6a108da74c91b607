"""How often words occur in untagged text: runs of the letters A to Z in lower case, counted as they stream by."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from termgauge.exceptions import TermgaugeError
from termgauge.progress import track
from termgauge.source import files_of, position

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Sequence

    from termgauge.source import SourceFile

_WORD = re.compile(rb"[a-z]+")
_BLOCK = 1 << 22


def count_words(paths: Sequence[str | os.PathLike[str]]) -> Counter[str]:
    """Count the words of some files, or of all files of folders, whatever text they hold."""
    files = [file for path in paths for file in files_of(path)]
    counts: Counter[bytes] = Counter()
    with track("Counting words", total=sum(file.size for file in files), unit="bytes") as advance:
        for file in files:
            _count(file, counts, advance)
    if not counts:
        raise TermgaugeError(f"{paths[0] if paths else 'The corpus'}: holds no word; name files with text.")
    return Counter({word.decode("ascii"): count for word, count in counts.items()})


def _count(file: SourceFile, counts: Counter[bytes], advance: Callable[[float], None]) -> None:
    rest, done = b"", 0
    with file.open() as stream:
        while read := stream.read(_BLOCK):
            block = rest + read.lower()
            end = len(block)
            while end and block[end - 1 : end].isalpha():  # a word that may go on in the next block
                end -= 1
            rest = block[end:]
            counts.update(_WORD.findall(block, 0, end))
            advance(position(stream) - done)
            done = position(stream)
    counts.update([rest] if rest else [])
