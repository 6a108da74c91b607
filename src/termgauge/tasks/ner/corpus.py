"""A corpus of named entities: a folder with sentences for training, perhaps for development, and for testing.

Each line of a file is a token and its tag, and an empty line ends a sentence. Tags of any usual scheme become IOBES;
what was converted, and what a reader of results should know of a corpus, stands in its notes.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass, replace
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from termgauge.exceptions import TermgaugeError
from termgauge.io.paths import expanded
from termgauge.io.source import files_of, line_blocks
from termgauge.plurals import numbered, plural
from termgauge.progress import track
from termgauge.tasks.ner.tags import (
    BEGIN,
    IOB1,
    IOB2,
    IOBES,
    OUTSIDE,
    SINGLE,
    TagCodes,
    as_iobes,
    beginnings,
    codes_of,
    problem_of,
    scheme_of,
)
from termgauge.tasks.results import Record

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from termgauge.io.source import SourceFile


_FIELDS = ("a token", "its tag")
_MOST_NAMED = 5


@dataclass(frozen=True, eq=False)
class Sentences:
    """The sentences of a file or of a part of a corpus, one after the other."""

    tokens: list[str]
    starts: NDArray[np.int64]
    """The first token of each sentence, and in the end the number of tokens."""
    tags: NDArray[np.int32]
    """The tag of each token, as its place in the list of tags; of a file, a row for each column of tags."""
    documents: NDArray[np.int64] | None = None
    """The number of each sentence's document; None where it is not known which documents there are."""

    @property
    def count(self) -> int:
        """How many sentences there are."""
        return len(self.starts) - 1

    @property
    def document_count(self) -> int | None:
        """How many documents they are of, if that is known."""
        return None if self.documents is None else len(np.unique(self.documents))


def documents_in_words(documents: int | None) -> str:
    """Say what intervals and tests take as independent."""
    if documents is None:
        return (
            "It is not known where documents begin, so each sentence is taken as independent: if sentences of one "
            "document are alike, intervals are too short."
        )
    return f"Intervals allow for sentences of one document, which are alike: there are {documents:,} documents."


class Size(Record):
    """How much a part of a corpus holds."""

    sentences: int
    tokens: int
    entities: int


@dataclass(frozen=True, eq=False)
class Corpus:
    """Sentences with named entities, tagged in IOBES."""

    name: str
    train: Sentences
    devel: Sentences | None
    test: Sentences
    types: tuple[str, ...]
    """The types of entities, by first appearance."""
    tags: tuple[str, ...]
    """O, then the others by first appearance in train, devel and test."""
    sha256: str
    """Of all tokens, sentences and tags, however the files are written."""
    notes: tuple[str, ...]

    @property
    def parts(self) -> dict[str, Sentences]:
        """The parts that there are."""
        return {name: part for name in PARTS if (part := getattr(self, name)) is not None}

    @property
    def codes(self) -> TagCodes:
        """What each tag says; its types are those of the corpus."""
        return codes_of(self.tags)

    def size(self, part: str) -> Size:
        """Return how much a part holds."""
        sentences = self.parts[part]
        kinds = self.codes.kinds[sentences.tags]
        entities = int(np.isin(kinds, (BEGIN, SINGLE)).sum())
        return Size(sentences=sentences.count, tokens=len(sentences.tokens), entities=entities)

    def __repr__(self) -> str:
        sizes = ", ".join(f"{name} {numbered(part.count, 'sentence')}" for name, part in self.parts.items())
        return f"<corpus {self.name}: {', '.join(self.types)}; {sizes}>"


def read_corpus(folder: str | os.PathLike[str]) -> Corpus:
    """Read a corpus of named entities from a folder or a zip archive with the files train, test and perhaps devel.

    Each line is a token, white space and its tag; an empty line ends a sentence, and a line such as ``-DOCSTART-`` a
    document.
    """
    path = expanded(folder)
    files = files_of_parts(path)
    numbers: dict[str, int] = {}
    with track("Reading the corpus", total=sum(file.size for file in files.values()), unit="bytes") as advance:
        read = {part: read_columns(file, _FIELDS, numbers, advance=advance) for part, file in files.items()}
    for part, sentences in read.items():
        if not sentences.tokens:
            raise TermgaugeError(
                f"{files[part].label}: holds no sentences; put tokens with their tags in it"
                f"{', or delete it' if part == DEVEL else ''}."
            )
    raw = codes_of(numbers)
    notes = _scheme_notes(path, raw, read)
    parts, names = _converted(raw, read)
    train, devel, test = map(parts.get, PARTS)
    assert train is not None
    assert test is not None
    corpus = Corpus(corpus_name(path), train, devel, test, codes_of(names).names, names, _hash(parts, names), ())
    for part in (TRAIN, TEST):
        if not corpus.size(part).entities:
            raise TermgaugeError(f"{files[part].label}: holds no entity, only the tag O; name a corpus with entities.")
    return replace(corpus, notes=(*notes, *_unseen_notes(corpus)))


def corpus_name(path: Path) -> str:
    """Return what a corpus is called: as its folder or archive, or the link to it."""
    name = path.absolute().name
    if name in ("", ".."):
        name = path.resolve().name
    return name[: -len(".zip")] if name.lower().endswith(".zip") else name


def _scheme_notes(path: Path, raw: TagCodes, read: dict[str, Sentences]) -> list[str]:
    """Return what is to be said of the scheme of tags; a mixture of schemes is refused."""
    scheme = scheme_of(raw.letters)
    if not scheme:
        raise TermgaugeError(
            f"{path}: its tags have the letters {', '.join(sorted(raw.letters))}, which are of no single scheme; write "
            "all tags as IOB2 or IOBES."
        )
    if scheme != IOB2:
        return [f"The tags were read as {scheme}{'' if scheme == 'IOBES' else ' and turned into IOBES'}."]
    begun = [beginnings(raw.kinds[part.tags[0]], raw.types[part.tags[0]], part.starts) for part in read.values()]
    inside, begin = map(sum, zip(*begun, strict=True))
    if inside and not begin:
        return [f"The tags were read as {IOB1} and turned into IOBES."]
    if inside:
        begin_so = numbered(inside, "entity begins", "entities begin")
        were = plural(inside, "it was read as an entity", "they were read as entities")
        return [f"The tags are {IOB2}, but {begin_so} with I in place of B; {were}."]
    return []


def _converted(raw: TagCodes, read: dict[str, Sentences]) -> tuple[dict[str, Sentences], tuple[str, ...]]:
    """Return the parts with tags of IOBES, and the list of these by first appearance."""
    codes = {}
    for name, part in read.items():
        types = raw.types[part.tags[0]]
        kinds = as_iobes(raw.kinds[part.tags[0]], types, part.starts)
        codes[name] = np.where(kinds == OUTSIDE, 0, 4 * types + kinds)
    ordered = pl.Series(np.concatenate([[0], *codes.values()])).unique(maintain_order=True).to_numpy()
    places = np.zeros(ordered.max() + 1, np.int32)
    places[ordered] = np.arange(len(ordered))
    coded = (divmod(code - 1, 4) for code in ordered[1:].tolist())
    parts = {name: replace(part, tags=places[codes[name]]) for name, part in read.items()}
    return parts, ("O", *(f"{IOBES[kind + 1]}-{raw.names[number]}" for number, kind in coded))


def _hash(parts: dict[str, Sentences], tags: Sequence[str]) -> str:
    digest = hashlib.sha256("\n".join(tags).encode())
    for name, part in parts.items():
        digest.update(f"\0{name}\0{len(part.tokens)}\0{part.count}\0".encode())
        digest.update("\n".join(part.tokens).encode())
        digest.update(part.starts.astype("<i8").tobytes())
        digest.update(part.tags.astype("<i4").tobytes())
    return digest.hexdigest()


def _unseen_notes(corpus: Corpus) -> Iterator[str]:
    """Yield what is to be said of entities in test that nobody can learn from train."""
    learnt, tested = ([corpus.tags[tag] for tag in np.unique(part.tags)] for part in (corpus.train, corpus.test))
    types, unseen = {tag[2:] for tag in learnt}, [tag for tag in tested if tag not in (*learnt, "O")]
    lacking = list(dict.fromkeys(tag[2:] for tag in unseen if tag[2:] not in types))
    rest = [tag for tag in unseen if tag[2:] in types]
    if lacking:
        yield (
            f"Train has no entities of {_listed(lacking)}, which test has: no model can find them, and they are "
            "counted as missed."
        )
    if rest:
        yield (
            f"Train never has {_listed(rest)}, which test has: no model can learn entities of that form, and they are "
            "scored all the same."
        )


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
    return ", ".join(names[:_MOST_NAMED]) + more


TRAIN, DEVEL, TEST = PARTS = ("train", "devel", "test")
_NAMES = {
    "train": TRAIN, "training": TRAIN, "devel": DEVEL, "dev": DEVEL, "valid": DEVEL, "validation": DEVEL,
    "development": DEVEL, "test": TEST, "testing": TEST,
}  # fmt: skip
_ENDINGS = ("", "tsv", "txt", "tab", "conll", "iob", "iob1", "iob2", "iobes", "bio", "bioes", "bilou")


def files_of_parts(path: Path) -> dict[str, SourceFile]:
    """Return the file of each part that a folder or an archive has, in the order of parts; devel may be missing."""
    files = files_of(path)
    if path.is_file() and [file.member for file in files] == [None]:
        raise TermgaugeError(f"{path}: is a file; name the folder that has train.tsv and test.tsv.")
    parts: dict[str, list[SourceFile]] = {part: [] for part in PARTS}
    for file in files:
        if (part := part_of(file.base)) and (file.member is not None or file.name == file.base):
            parts[part].append(file)
    for part, candidates in parts.items():
        if len(candidates) > 1:
            both = " and ".join(file.name for file in candidates[:2])
            raise TermgaugeError(f"{path}: {both} could both be {part}; keep one of them in the folder.")
        if not candidates and part != DEVEL:
            inner = (file.name.partition("/")[0] for file in files if part_of(file.base) and file.name != file.base)
            hint = next((f"name a folder inside it, such as {folder}" for folder in inner), f"add {part}.tsv")
            raise TermgaugeError(f"{path}: has no file {part}.tsv (or .txt, .conll, .iob); {hint}.")
    return {part: candidates[0] for part, candidates in parts.items() if candidates}


def part_of(name: str) -> str:
    """Return which part a file is by its name; nothing if it is none."""
    stem, _, ending = re.sub(r"\.(gz|bz2|xz)$", "", name.lower()).partition(".")
    return _NAMES.get(stem, "") if ending in _ENDINGS else ""


LONGEST_LINE = 1 << 16
"""No token is longer, in bytes."""
_MARK = re.compile(rb"-DOCSTART-|###(?:MEDLINE|PMID):|#\s?(?:begin document|newdoc|doc)\b(?!.*\s(?:O|[A-Z]-\S+)$)")
"""How lines look with which a document begins; a token such as #doc has a tag."""


def read_columns(
    file: SourceFile,
    fields: Sequence[str],
    numbers: dict[str, int],
    *,
    advance: Callable[[float], None] = lambda _size: None,
) -> Sentences:
    """Read the named fields of a file: a token and its tags. New tags get the next numbers.

    A line with which a document begins counts as an empty one; marks with the same id are one document.
    """
    tokens, starts, documents = list[str](), list[int](), list[int]()
    columns: list[list[int]] = [[] for _ in fields[1:]]
    number_of_tag = {tag.encode(): number for tag, number in numbers.items()}
    ids: dict[bytes, int] = {}
    document, inside = -1, False
    lines = chain.from_iterable(block[:-1].split(b"\n") for block in line_blocks(replace(file, advance=advance)))
    for at, line in enumerate(lines, 1):
        if (0 in line or len(line) > LONGEST_LINE or not line.isascii()) and (problem := _problem_of_line(line)):
            raise TermgaugeError(f"{file.label}, line {at:,}: {problem}")
        row = line.split()
        if row and row[0][0] in b"-#" and _MARK.match(line.strip()):
            mark = b"%d" % at if row[0].startswith(b"-DOCSTART-") else line.strip()
            document = ids.setdefault(mark, len(ids))
            row = []
        if not row:
            inside = False
            continue
        if len(row) != len(fields):
            there = f"{len(row)} field{'s' * (len(row) > 1)} between white space"
            advice = "keep only these columns." if len(row) > len(fields) else "add what is missing."
            raise TermgaugeError(
                f"{file.label}, line {at:,}: has {there}, but each line holds {len(fields)}: {', '.join(fields)}; "
                f"{advice}"
            )
        if not inside:
            starts.append(len(tokens))
            documents.append(document)
            inside = True
        tokens.append(row[0].decode())
        for column, tag in zip(columns, row[1:], strict=True):
            if tag not in number_of_tag:
                name = tag.decode()
                if problem := problem_of(name):
                    raise TermgaugeError(f"{file.label}, line {at:,}: {problem}")
                number_of_tag[tag] = numbers[name] = len(numbers)
            column.append(number_of_tag[tag])
    return Sentences(
        tokens,
        np.array([*starts, len(tokens)], np.int64),
        np.array(columns, np.int32),
        np.array(documents, np.int64) if len(set(documents)) > 1 else None,
    )


def _problem_of_line(line: bytes) -> str:
    """Say why a line is no line of text; nothing if it is one."""
    try:
        line.decode()
    except UnicodeDecodeError:
        return "is not UTF-8; save the file as UTF-8."
    if b"\0" in line:
        return "holds a zero byte, as UTF-16 text does; save the file as UTF-8."
    if len(line) > LONGEST_LINE:
        why = f"is longer than {LONGEST_LINE >> 10} KB, so that this is no file with one token in each line"
        return f"{why}; name another file."
    return ""
