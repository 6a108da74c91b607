"""A corpus of named entities: a folder with sentences for training, perhaps for development, and for testing.

Each line of a file is a token and its tag, and an empty line ends a sentence. Tags of any usual scheme become IOBES;
what was converted, and what a reader of results should know of a corpus, stands in its notes. A file is read in
portions of whole lines, and a portion is split at once; how many fields each line has is counted on the side. So no
line is looked at on its own, unless something is wrong with it.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass, replace
from itertools import chain, compress
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from termgauge.exceptions import TermgaugeError
from termgauge.io.paths import expanded
from termgauge.io.source import files_of, line_blocks
from termgauge.plurals import numbered, plural
from termgauge.progress import track
from termgauge.tasks.ner.tags import (
    BEGIN,
    IOB1,
    IOB2,
    OUTSIDE,
    SINGLE,
    TagCodes,
    as_iobes,
    beginnings,
    codes_of,
    letters_of,
    problem_of,
    scheme_of,
    tag_names,
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
    """The sentences of a part of a corpus, one after the other."""

    tokens: list[str]
    starts: NDArray[np.int64]
    """The first token of each sentence, and in the end the number of tokens."""
    tags: NDArray[np.int32]
    """The tag of each token, as its place in the corpus's list of tags."""
    documents: NDArray[np.int64] | None = None
    """The number of each sentence's document; None where it is not known which documents there are."""

    @property
    def count(self) -> int:
        """How many sentences there are."""
        return len(self.starts) - 1


def number_of_documents(documents: NDArray[np.int64] | None) -> int | None:
    """Return how many documents sentences are of, if that is known."""
    return None if documents is None else len(np.unique(documents))


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
        by_name = {TRAIN: self.train, DEVEL: self.devel, TEST: self.test}
        return {name: part for name, part in by_name.items() if part is not None}

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
    for part, columns in read.items():
        if not columns.tokens:
            raise TermgaugeError(
                f"{files[part].label}: holds no sentences; put tokens with their tags in it"
                f"{', or delete it' if part == DEVEL else ''}."
            )
    tags = list(numbers)
    for tag, number in numbers.items():
        if problem := problem_of(tag):
            where = next(filter(None, (first_place(files[part], read[part], number) for part in read)))
            raise TermgaugeError(f"{where}: {problem}")
    raw = codes_of(tags)
    notes = _scheme_notes(path, letters_of(tags), raw, read)
    parts, names = _converted(raw, read)
    corpus = Corpus(
        corpus_name(path),
        parts[TRAIN],
        parts.get(DEVEL),
        parts[TEST],
        codes_of(names).names,
        names,
        _hash(parts, names),
        (),
    )
    for part in (TRAIN, TEST):
        if not corpus.size(part).entities:
            raise TermgaugeError(f"{files[part].label}: holds no entity, only the tag O; name a corpus with entities.")
    return replace(corpus, notes=(*notes, *_unseen_notes(corpus)))


def corpus_name(place: Path) -> str:
    """Return what a corpus is called: as its folder or archive, or the link to it."""
    name = place.absolute().name
    if name in ("", ".."):
        name = place.resolve().name
    return name[: -len(".zip")] if name.lower().endswith(".zip") else name


def _scheme_notes(path: Path, letters: str, raw: TagCodes, read: dict[str, Columns]) -> list[str]:
    """Return what is to be said of the scheme of tags; a mixture of schemes is refused."""
    scheme = scheme_of(letters)
    if not scheme:
        raise TermgaugeError(
            f"{path}: its tags have the letters {', '.join(letters)}, which are of no single scheme; write all tags "
            "as IOB2 or IOBES."
        )
    if scheme != IOB2:
        return [f"The tags were read as {scheme}{'' if scheme == 'IOBES' else ' and turned into IOBES'}."]
    begun = [
        beginnings(raw.kinds[columns.tags[0]], raw.types[columns.tags[0]], columns.starts) for columns in read.values()
    ]
    inside, begin = (sum(counts) for counts in zip(*begun, strict=True))
    if inside and not begin:
        return [f"The tags were read as {IOB1} and turned into IOBES."]
    if inside:
        begin_so = numbered(inside, "entity begins", "entities begin")
        were = plural(inside, "it was read as an entity", "they were read as entities")
        return [f"The tags are {IOB2}, but {begin_so} with I in place of B; {were}."]
    return []


def _converted(raw: TagCodes, read: dict[str, Columns]) -> tuple[dict[str, Sentences], tuple[str, ...]]:
    """Return the parts with tags of IOBES, and the list of these."""
    kinds = {
        part: as_iobes(raw.kinds[columns.tags[0]], raw.types[columns.tags[0]], columns.starts)
        for part, columns in read.items()
    }
    # The numbers 0 for O, and else 1 + 4 x type + kind - 1, come in no order yet.
    codes = {
        part: np.where(kinds[part] == OUTSIDE, 0, 4 * raw.types[columns.tags[0]] + kinds[part])
        for part, columns in read.items()
    }
    everything = np.concatenate([[0], *codes.values()])
    numbers, first = np.unique(everything, return_index=True)
    order = np.argsort(first)
    positions = np.empty(len(order), np.int32)
    positions[order] = np.arange(len(order), dtype=np.int32)
    ordered = numbers[order]
    types, kind = np.divmod(ordered - 1, 4)
    names = tag_names(np.where(ordered == 0, OUTSIDE, kind + 1).tolist(), types.tolist(), raw.names)
    parts = {
        part: Sentences(
            columns.tokens, columns.starts, positions[np.searchsorted(numbers, codes[part])], columns.documents
        )
        for part, columns in read.items()
    }
    return parts, tuple(names)


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
    learnt = np.unique(corpus.train.tags)
    type_of = {tag: tag.partition("-")[2] for tag in corpus.tags}
    types = {type_of[corpus.tags[number]] for number in learnt.tolist()}
    unseen = [corpus.tags[number] for number in np.setdiff1d(corpus.test.tags, learnt).tolist() if number]
    lacking = list(dict.fromkeys(type_of[tag] for tag in unseen if type_of[tag] not in types))
    rest = [tag for tag in unseen if type_of[tag] in types]
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


def files_of_parts(place: Path) -> dict[str, SourceFile]:
    """Return the file of each part that a folder or an archive has, in the order of parts; devel may be missing."""
    try:
        listed = sorted(place.iterdir()) if place.is_dir() else []
    except OSError as error:
        raise TermgaugeError(f"{place}: cannot be read ({error.strerror}).") from error
    if place.is_dir():
        files = [file for path in listed if path.is_file() and part_of(path.name) for file in _single(path)]
    else:
        files = files_of(place)
        if len(files) == 1 and files[0].member is None:
            raise TermgaugeError(f"{place}: is a file; name the folder that has train.tsv and test.tsv.")
    by_part: dict[str, list[SourceFile]] = {part: [] for part in PARTS}
    for file in files:
        if part := part_of(file.base):
            by_part[part].append(file)
    for part, candidates in by_part.items():
        if len(candidates) > 1:
            both = " and ".join(file.name for file in candidates[:2])
            raise TermgaugeError(f"{place}: {both} could both be {part}; keep one of them in the folder.")
        if not candidates and part != DEVEL:
            folders = (path for path in listed if path.is_dir())
            inner = [folder.name for folder in folders if any(part_of(path.name) for path in folder.glob("*"))]
            hint = f"name a folder inside it, such as {inner[0]}" if inner else f"add {part}.tsv"
            raise TermgaugeError(f"{place}: has no file {part}.tsv (or .txt, .conll, .iob); {hint}.")
    return {part: candidates[0] for part, candidates in by_part.items() if candidates}


def _single(path: Path) -> Sequence[SourceFile]:
    """Return a file of a folder; none if it is an archive."""
    files = files_of(path)
    return files if files and files[0].member is None else ()


def part_of(name: str) -> str:
    """Return which part a file is by its name; nothing if it is none."""
    stem, _, ending = re.sub(r"\.(gz|bz2|xz)$", "", name.lower()).partition(".")
    return _NAMES.get(stem, "") if ending in _ENDINGS else ""


LONGEST_LINE = 1 << 16
"""No token is longer, in bytes."""
_MARKS = (b"-DOCSTART-", b"###MEDLINE:", b"###PMID:", b"#doc", b"# doc", b"newdoc", b"#begin document")
_MARK = re.compile(rb"-DOCSTART-|###(?:MEDLINE|PMID):|#\s?(?:begin document|newdoc|doc)\b(?!.*\s(?:O|[A-Z]-\S+)$)")
"""How lines look with which a document begins; a token such as #doc has a tag."""
_IS_SPACE = np.isin(np.arange(256), list(b" \t\n\v\f\r"))
_NEWLINE = ord("\n")


class Columns(NamedTuple):
    """The tokens of a file in their sentences, and the numbers of their tags."""

    tokens: list[str]
    tags: tuple[NDArray[np.int32], ...]
    """For each column of tags, a number for each token."""
    starts: NDArray[np.int64]
    """The first token of each sentence, and in the end the number of tokens."""
    lines: NDArray[np.int64]
    """Where each token stands."""
    documents: NDArray[np.int64] | None
    """The number of each sentence's document; None for fewer than two."""


def read_columns(
    file: SourceFile,
    fields: Sequence[str],
    numbers: dict[str, int],
    *,
    advance: Callable[[float], None] = lambda _size: None,
) -> Columns:
    """Read the named fields of a file: a token and its tags. New tags get the next numbers."""
    columns: list[list[bytes]] = [[] for _ in fields]
    begins, lines = [np.zeros(0, np.bool_)], [np.zeros(0, np.int64)]
    marks: dict[int, bytes] = {}
    done = 0
    inside = False
    for portion in line_blocks(replace(file, advance=advance)):
        flat, filled, marked = _split(file, portion, done, fields)
        for number, column in enumerate(columns):
            column.extend(flat[number :: len(fields)])
        before = np.concatenate([[inside], filled[:-1]])
        begins.append(~before[filled])
        lines.append(np.flatnonzero(filled) + done + 1)
        marks |= {done + 1 + line: mark for line, mark in marked.items()}
        done, inside = done + len(filled), bool(filled[-1])
    starts = np.append(np.flatnonzero(np.concatenate(begins)), len(columns[0])).astype(np.int64)
    places = np.concatenate(lines)
    return Columns(
        b"\n".join(columns[0]).decode().split("\n") if columns[0] else [],
        tuple(_numbered(column, numbers) for column in columns[1:]),
        starts,
        places,
        _documents(marks, places[starts[:-1]]),
    )


def _documents(marks: dict[int, bytes], sentences: NDArray[np.int64]) -> NDArray[np.int64] | None:
    """Return the document of each sentence, by the lines of marks and sentences; marks with the same id are one."""
    ids: dict[bytes, int] = {}
    named = (b"%d" % line if mark.startswith(b"-DOCSTART-") else mark for line, mark in marks.items())
    numbers = np.array([-1, *(ids.setdefault(mark, len(ids)) for mark in named)], np.int64)
    documents = numbers[np.searchsorted(np.array([*marks], np.int64), sentences)]
    return documents if len(np.unique(documents)) > 1 else None


def _split(
    file: SourceFile, portion: bytes, done: int, fields: Sequence[str]
) -> tuple[list[bytes], NDArray[np.bool_], dict[int, bytes]]:
    """Return the fields of all lines one after the other, which lines have some, and where documents begin.

    A line with which a document begins counts as an empty one. `done` lines were read before.
    """
    text = np.frombuffer(portion, np.uint8)
    ends = np.flatnonzero(text == _NEWLINE)
    if refused := _refused(portion, ends):
        raise TermgaugeError(f"{file.label}, line {done + 1 + refused[0]:,}: {refused[1]}")
    space = _IS_SPACE[text]
    first = ~space
    first[1:] &= space[:-1]
    lengths = np.diff(np.cumsum(first)[ends], prepend=0)
    flat, marked = portion.split(), dict[int, bytes]()
    if any(mark in portion for mark in _MARKS):
        rows = enumerate(line.strip() for line in portion.split(b"\n"))
        marked = {at: line for at, line in rows if _MARK.match(line)}
        over = np.zeros(len(lengths), np.bool_)
        over[[*marked]] = True
        flat = list(compress(flat, np.repeat(~over, lengths)))
        lengths[over] = 0
    filled = lengths > 0
    width = len(fields)
    if (wrong := np.flatnonzero(filled & (lengths != width))).size:
        there = int(lengths[wrong[0]])
        raise TermgaugeError(
            f"{file.label}, line {done + 1 + int(wrong[0]):,}: has {there} field{'s' * (there > 1)} between white "
            f"space, but each line holds {width}: {', '.join(fields)}; "
            + ("keep only these columns." if there > width else "add what is missing.")
        )
    return flat, filled, marked


def _refused(portion: bytes, ends: NDArray[np.int64]) -> tuple[int, str] | None:
    """Return which line of a portion is no line of text, counted from 0, and what is wrong with it."""
    try:
        portion.decode()
    except UnicodeDecodeError as error:
        return portion.count(b"\n", 0, error.start), "is not UTF-8; save the file as UTF-8."
    if (zero := portion.find(b"\0")) >= 0:
        return portion.count(b"\n", 0, zero), "holds a zero byte, as UTF-16 text does; save the file as UTF-8."
    if (long := np.flatnonzero(np.diff(ends, prepend=-1) > LONGEST_LINE)).size:
        why = f"is longer than {LONGEST_LINE >> 10} KB, so that this is no file with one token in each line"
        return int(long[0]), f"{why}; name another file."
    return None


def _numbered(tags: list[bytes], numbers: dict[str, int]) -> NDArray[np.int32]:
    """Return the number of each tag."""
    places = {tag: numbers.setdefault(tag.decode(), len(numbers)) for tag in dict.fromkeys(tags)}
    return np.fromiter(map(places.__getitem__, tags), np.int32, len(tags))


def first_place(file: SourceFile, columns: Columns, number: int) -> str:
    """Return where a tag stands first, as messages name it; nothing if it does not."""
    at = [np.flatnonzero(column == number)[:1] for column in columns.tags]
    lines = [int(columns.lines[index]) for index in chain.from_iterable(at)]
    return f"{file.label}, line {min(lines):,}" if lines else ""
