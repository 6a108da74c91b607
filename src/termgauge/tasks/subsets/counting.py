"""How often words occur in untagged text: runs of the letters A to Z in lower case, counted as they stream by.

Of MEDLINE and JATS XML only titles, abstracts and bodies count; any other file counts as it stands.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from termgauge.exceptions import TermgaugeError
from termgauge.io.articles import jats_documents, medline_documents
from termgauge.io.documents import kind_of
from termgauge.io.source import files_of, position
from termgauge.progress import track

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterable, Sequence

    from termgauge.io.documents import Document
    from termgauge.io.source import SourceFile

_WORD = re.compile(rb"[a-z]+")
_BLOCK = 1 << 22


def count_words(paths: Sequence[str | os.PathLike[str]]) -> Counter[str]:
    """Count the words of some files, or of all files of folders: plain text, MEDLINE or JATS XML."""
    by_kind: dict[str, list[SourceFile]] = {"text": [], "jats": [], "medline": []}
    for path in paths:
        for file in files_of(path):
            by_kind[kind_of(file)].append(file)
    texts = by_kind["text"]
    counts: Counter[bytes] = Counter()
    with track("Counting words", total=sum(file.size for file in texts), unit="bytes") as advance:
        for file in texts:
            _count(file, counts, advance)
    for file in by_kind["jats"]:
        _count_articles(jats_documents(file), counts)
    _count_articles(medline_documents(by_kind["medline"]), counts)
    if not counts:
        raise TermgaugeError(f"{paths[0] if paths else 'The corpus'}: holds no word; name files with text.")
    return Counter({word.decode("ascii"): count for word, count in counts.items()})


def _count_articles(articles: Iterable[Document], counts: Counter[bytes]) -> None:
    with track("Counting words", unit="articles") as advance:
        for article in articles:
            for paragraph in article.paragraphs:
                counts.update(_WORD.findall(paragraph.encode().lower()))
            advance(1)


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
