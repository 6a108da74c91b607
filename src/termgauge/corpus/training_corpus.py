"""A corpus to train on: tokenize once into a file of the cache, a sentence in each line, and read from there.

Text, MEDLINE and JATS XML are divided as for tagging; of tagged text the forms are taken. Tokens without a letter or a
digit are left out. The corpus is never in memory.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from termgauge.corpus.sentences import tokenize
from termgauge.corpus.tagged_text import files_with_layouts
from termgauge.exceptions import TermgaugeError
from termgauge.io.documents import documents
from termgauge.io.identity import sha256_of_value
from termgauge.io.source import files_of, hashed
from termgauge.io.store import cached
from termgauge.progress import track

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path

    from termgauge.io.source import SourceFile

NAMESPACE = "corpora"
TOKENS, COUNTS = "tokens.txt", "counts.json"
VERSION = 1
"""Raise it whenever the same files give other tokens."""
_LINES_AT_ONCE = 1 << 16


@dataclass(frozen=True)
class Corpus:
    """A tokenize corpus on disk."""

    path: Path
    sha256: str
    """Of the contents of its files in their order, and of how they are tokenize."""
    tokens: int
    sentences: int

    def read(self, advance: Callable[[float], None]) -> Iterator[list[str]]:
        """Yield the sentences, and tell how many words were read."""
        with self.path.open(encoding="utf-8", newline="\n") as lines:
            words = 0
            for line in lines:
                sentence = line.split()
                words += len(sentence)
                if words >= _LINES_AT_ONCE:
                    advance(words)
                    words = 0
                yield sentence
            advance(words)


def training_corpus(paths: Sequence[str | os.PathLike[str]], *, lower: bool = True) -> Corpus:
    """Tokenise a corpus, or find it in the cache."""
    files = [file for path in paths for file in files_of(path)]
    if not files:
        raise TermgaugeError("There is no text to train on; name files or folders with text.")
    contents = hashed(files)
    key = sha256_of_value([VERSION, lower, contents.sha256])

    def make(folder: Path) -> None:
        counts = _tokenise(paths, files, folder / TOKENS, lower=lower)
        (folder / COUNTS).write_text(json.dumps(counts), encoding="utf-8")
        contents.require_unchanged()

    entry = cached(NAMESPACE, key, make)
    return Corpus(entry / TOKENS, key, **json.loads((entry / COUNTS).read_text(encoding="utf-8")))


def _tokenise(
    paths: Sequence[str | os.PathLike[str]], files: Sequence[SourceFile], target: Path, *, lower: bool
) -> dict[str, int]:
    """Write the sentences to a file, one in each line; return how many there are, and how many tokens."""
    sentences = tokens = 0
    with track("Tokenising", unit="words") as advance, target.open("w", encoding="utf-8", newline="\n") as out:
        for forms in _sentences(paths):
            kept = [form for form in forms if any(map(str.isalnum, form)) and not any(map(str.isspace, form))]
            if kept:
                line = " ".join(kept)
                out.write(f"{line.lower() if lower else line}\n")
                sentences += 1
                tokens += len(kept)
                advance(len(kept))
    if not tokens:
        raise TermgaugeError(f"{files[0].root}: holds no words to train on; name files with text.")
    return {"sentences": sentences, "tokens": tokens}


def _sentences(paths: Sequence[str | os.PathLike[str]]) -> Iterator[Sequence[str]]:
    by_path = files_with_layouts(paths)
    for path in paths:
        tagged = [file for file, layout in by_path[path] if layout is not None]
        for file in tagged:
            yield from _tagged_sentences(_lines(file))
        for document in () if tagged else documents([path]):
            forms, ends = tokenize(document.paragraphs)
            yield from (forms[start:end] for start, end in zip([0, *ends], ends, strict=False))


def _tagged_sentences(lines: Iterable[str]) -> Iterator[list[str]]:
    """Yield the forms of tagged text: CoNLL-U, whose first field is a number, or a form and its tag in each line."""
    forms: list[str] = []
    for line in lines:
        fields = line.split("\t")
        if len(fields) < 2:  # an empty line, or a comment
            if forms and not line.strip():
                yield forms
                forms = []
        elif len(fields) < 8:
            forms.append(fields[0])
        elif fields[0].isdecimal():
            forms.append(fields[1])
    if forms:
        yield forms


def _lines(file: SourceFile) -> Iterator[str]:
    rest = b""
    with file.open() as stream:
        while block := stream.read(1 << 20):
            *lines, rest = (rest + block).split(b"\n")
            yield from (line.decode("utf-8", "replace").rstrip("\r") for line in lines)
    yield rest.decode("utf-8", "replace")
