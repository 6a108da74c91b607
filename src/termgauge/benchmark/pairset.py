"""A set of term pairs with labels or ratings, and its TSV and Parquet forms.

A set is what its TSV bytes are: they follow the published layout to the byte, and their hash is the set's identity,
whichever file it came from.
"""

from __future__ import annotations

import math
import re
from dataclasses import KW_ONLY, InitVar, dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from termgauge.benchmark.sets import Origin
from termgauge.display import Showing, shortened
from termgauge.exceptions import TermgaugeError
from termgauge.frames import as_polars
from termgauge.io.atomic import whole_file
from termgauge.io.decoding import decoded as text_of
from termgauge.io.identity import sha256_of_bytes
from termgauge.io.parquet_sandbox import read_contained, write_table
from termgauge.io.source import only_file
from termgauge.io.tables import Table

if TYPE_CHECKING:
    import os
    from collections.abc import Sequence

    import polars as pl

    from termgauge.io.tables import Columns

ID_KEY, SET_KEY = "termgauge.id", "termgauge.set"
"""Where the metadata of a Parquet file holds the id of the set, and the hash of the set that it stands beside."""

_BINARY_COLUMNS = ("term_1", "term_2", "label")
_GRADED_COLUMNS = ("term_1", "term_2", "score")
_CONCEPT_COLUMNS = ("concept_1", "concept_2")
LONGEST_TERM = 5000
"""Characters; the longest terms of real terminologies have about 3,000. The time that measures and edit distances take
grows with the square of it."""
_NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]{1,3})?")
_BREAKS_A_LINE = r"[\t\n\r\x00]"
_UNSAID = Origin()
_LABELS = {"0": 0, "1": 1}


class ChangedSetError(TermgaugeError):
    """A file does not hold the pairs that it held when its hash was noted."""


@dataclass(frozen=True, eq=False, repr=False)
class PairSet(Showing):
    r"""Term pairs, each with a label (binary sets) or a score (graded sets).

    Parameters
    ----------
    id
        Where the set comes from, such as ``hp-2025-01-16/fsn-syn/hard/levenshtein`` or ``human/umnsrs-sim``.
    frame
        The pairs in order, as a DataFrame of Polars or pandas: ``term_1``, ``term_2`` and either ``label`` (0 or 1) or
        ``score`` (a finite number); optionally ``concept_1`` and ``concept_2``, the ids of the concepts where they are
        known. Integer and float columns are brought to Int8 and Float64. If it has other columns, too, or only others,
        these five are found by what they are usually called, as in a file (see :func:`read_pairs`). The attribute is
        always a Polars DataFrame of these columns.
    origin
        What the set is; read out of the id if not given.
    ratings
        What each rater said, where that is known: a row for each pair, a Float64 column for each rater, null where
        there is no rating. They are no part of the set's TSV form, and so not of its identity.
    columns
        Which columns of the DataFrame are meant; see :func:`read_pairs`.

    Raises
    ------
    TermgaugeError
        If a column is missing, a term is empty or holds a tab, a line end or a zero byte, a label is not 0
        or 1, or a score is no finite number.

    Examples
    --------
    >>> import polars as pl
    >>> pairs = PairSet("demo", pl.DataFrame({"term_1": ["flu"], "term_2": ["influenza"], "label": [1]}))
    >>> pairs.to_tsv_bytes()
    b'flu\tinfluenza\t1\n'
    >>> len(pairs), pairs.graded, pairs.positives
    (1, False, 1)
    """

    id: str
    frame: pl.DataFrame
    origin: Origin = _UNSAID
    ratings: pl.DataFrame | None = None
    _: KW_ONLY
    columns: InitVar[Columns] = ()

    def __post_init__(self, columns: Columns) -> None:
        if not self.id or not self.id.isprintable():
            raise TermgaugeError(f"The id of a set of pairs must be one printable word or more, not {self.id!r}.")
        object.__setattr__(self, "frame", _checked(_found(self.frame, columns, self.id), self.id))
        if self.ratings is not None and self.ratings.height != self.frame.height:
            rows = f"{self.ratings.height:,} rows of ratings for {self.frame.height:,} pairs"
            raise TermgaugeError(f"The set '{self.id}' has {rows}; give one row for each pair.")
        if self.origin is _UNSAID:
            object.__setattr__(self, "origin", Origin.from_id(self.id))

    def _brief(self) -> str:
        kind = "ratings" if self.graded else f"labels, {self.positives:,} positive"
        return f"set '{shortened(self.id)}': {len(self):,} pairs with {kind}"

    def to_frame(self) -> pl.DataFrame:
        """Return a row for each pair."""
        return self.frame

    def __len__(self) -> int:
        return self.frame.height

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, PairSet):
            return NotImplemented
        return self.id == other.id and self.frame.equals(other.frame)

    def __hash__(self) -> int:
        return hash((self.id, self.sha256))

    @property
    def graded(self) -> bool:
        """Whether the pairs have scores rather than labels."""
        return "score" in self.frame.columns

    @property
    def positives(self) -> int | None:
        """How many pairs have label 1; None for a graded set."""
        return None if self.graded else int(self.frame["label"].sum())

    @cached_property
    def sha256(self) -> str:
        """The SHA-256 of the set's TSV bytes."""
        return sha256_of_bytes(self.to_tsv_bytes())

    @property
    def concepts(self) -> pl.DataFrame | None:
        """The ids of the concepts of each pair; None if they are not known."""
        return self.frame.select(_CONCEPT_COLUMNS) if _CONCEPT_COLUMNS[0] in self.frame.columns else None

    @cached_property
    def different_concepts(self) -> int:
        """How many concepts its pairs have; 0 if they are not known."""
        concepts = self.concepts
        return 0 if concepts is None else concepts["concept_1"].append(concepts["concept_2"]).n_unique()

    def with_concepts(self, concepts: pl.DataFrame) -> PairSet:
        """Return the set with the ids of the concepts of each pair."""
        return PairSet(self.id, self.frame.hstack(concepts), self.origin, self.ratings)

    def to_tsv_bytes(self) -> bytes:
        """Return ``term TAB term TAB label LF`` for each pair, in UTF-8, without a header.

        Scores are written in the shortest form that reads back to the same number.
        """
        if not self.graded:
            lines = self.frame.select("term_1", "term_2", "label").write_csv(
                include_header=False, separator="\t", quote_style="never"
            )
            return lines.encode("utf-8")
        rows = zip(self.frame["term_1"], self.frame["term_2"], map(repr, self.frame["score"]), strict=True)
        return "".join(f"{one}\t{two}\t{value}\n" for one, two, value in rows).encode("utf-8")

    def write_tsv(self, path: str | os.PathLike[str]) -> None:
        """Write the TSV form, whole or not at all."""
        with whole_file(Path(path)) as temporary:
            temporary.write_bytes(self.to_tsv_bytes())

    def write_parquet(self, path: str | os.PathLike[str]) -> None:
        """Write the pairs and the id as Parquet, whole or not at all."""
        with whole_file(Path(path)) as temporary:
            write_table(self.frame, temporary, {ID_KEY: self.id})


def read_tsv(
    path: str | os.PathLike[str],
    *,
    id: str | None = None,  # noqa: A002
    graded: bool | None = None,
    origin: Origin = _UNSAID,
    sha256: str | None = None,
) -> PairSet:
    """Read a set of pairs from ``term TAB term TAB label`` lines; its id is the file's name unless given.

    Line ends may be LF or CRLF, the last may be missing, and a byte order mark at the start is dropped. Unless it is
    said whether the third column holds scores, a file is binary if every third field is ``0`` or ``1``. A file whose
    bytes do not have the `sha256`, if one is given, is refused.

    The first line may be a header, with ``term_1``, ``term_2`` and ``score`` or what else these are usually called
    (see :func:`~termgauge.io.tables.read_table`), among other columns, which are passed over. What raters said is read
    from a file ``NAME.ratings.tsv`` beside ``NAME.tsv``, if there is one: ``word1``, ``word2`` and a column for each
    rater.
    """
    import polars as pl

    from termgauge.benchmark.rating_matrix import ratings_beside

    name, content = _content(path, sha256)
    first, (*terms, third) = _split(decoded(content, name), name)
    columns = dict(zip(_GRADED_COLUMNS, terms, strict=False))
    if graded is None:
        graded = not set(third) <= set(_LABELS)
    kind, read, must = ("score", parse_score, "a finite number") if graded else ("label", _LABELS.get, "0 or 1")
    values = [read(field) for field in third]
    if None in values:
        row = values.index(None)
        raise TermgaugeError(f"{name}, line {first + row:,}: the {kind} is {shown(third[row])}, and must be {must}.")
    frame = pl.DataFrame({**columns, kind: values})
    return _named(id or _stem(path), frame, origin, name, ratings_beside(Path(path), columns) if graded else None)


def read_parquet(
    path: str | os.PathLike[str],
    *,
    id: str | None = None,  # noqa: A002
    origin: Origin = _UNSAID,
    sha256: str | None = None,
) -> PairSet:
    """Read a set of pairs from Parquet; its id, unless given, is the one in the file, else the file's name.

    A file whose bytes do not have the `sha256`, if one is given, is refused.
    """
    name, content = _content(path, sha256)
    table = read_contained(content, name)
    return _named(id or table.metadata.get(ID_KEY) or _stem(path), table.frame, origin, name)


def _named(name: str, frame: pl.DataFrame, origin: Origin, file: str, ratings: pl.DataFrame | None = None) -> PairSet:
    try:
        return PairSet(name, frame, origin, ratings)
    except TermgaugeError as error:
        raise TermgaugeError(f"{file}: {error}") from error


def parse_score(text: str) -> float | None:
    """Return the number that a field holds, or None if it is no finite number in plain ASCII notation.

    >>> parse_score("1.50"), parse_score("nan"), parse_score("1_000")
    (1.5, None, None)
    """
    if _NUMBER.fullmatch(text) is None:
        return None
    value = float(text)
    return value if math.isfinite(value) else None


def _found(table: pl.DataFrame, columns: Columns, name: str) -> pl.DataFrame:
    """Return the pairs of a DataFrame in columns of our names, which are looked for if it has others."""
    label = f"The pairs of '{name}'"
    frame = as_polars(table, label)
    if not columns and set(frame.columns) <= {*_BINARY_COLUMNS, *_GRADED_COLUMNS, *_CONCEPT_COLUMNS}:
        return frame
    from termgauge.benchmark.pair_table import pairs_of

    return pairs_of(frame, columns, label)


def _checked(frame: pl.DataFrame, name: str) -> pl.DataFrame:
    import polars as pl

    columns = _order(frame.columns, name)
    for column in ("term_1", "term_2"):
        if (kind := frame.schema[column]) not in (pl.String, pl.Categorical, pl.Enum, pl.Null):
            raise TermgaugeError(f"The pairs of '{name}': the column '{column}' has the type {kind}; make it text.")
    if frame.schema.get("label", pl.Int8).is_float():
        no_label = ~pl.col("label").is_in([0.0, 1.0]).fill_null(value=False)
        _refuse(frame, no_label, "the label is not 0 or 1", name)
    types = {"label": pl.Int8, "score": pl.Float64}
    try:
        frame = frame.select(pl.col(column).cast(types.get(column, pl.String)) for column in columns)
    except pl.exceptions.PolarsError as error:
        why = " ".join(str(error).split())[:200].rstrip(".")
        raise TermgaugeError(f"The pairs of '{name}' have a column of the wrong type ({why}).") from error
    for column in ("term_1", "term_2"):
        _refuse(frame, pl.col(column).is_null() | (pl.col(column).str.strip_chars() == ""), f"{column} is empty", name)
        _refuse(
            frame, pl.col(column).str.contains(_BREAKS_A_LINE), f"{column} holds a tab, a line end or a zero byte", name
        )
        too_long = pl.col(column).str.len_chars() > LONGEST_TERM
        _refuse(frame, too_long, f"{column} has more than {LONGEST_TERM:,} characters, which is no term", name)
    if "label" in columns:
        _refuse(frame, ~pl.col("label").is_in([0, 1]).fill_null(value=False), "the label is not 0 or 1", name)
    else:
        _refuse(frame, ~pl.col("score").is_finite().fill_null(value=False), "the score is no finite number", name)
    return frame.rechunk()


def _order(names: Sequence[str], name: str) -> tuple[str, ...]:
    """Return the columns in their order, or say what is wrong with them."""
    base = _GRADED_COLUMNS if "score" in names else _BINARY_COLUMNS
    columns = (*base, *_CONCEPT_COLUMNS) if set(_CONCEPT_COLUMNS) & set(names) else base
    if set(names) != set(columns):
        raise TermgaugeError(
            f"The pairs of '{name}' have the columns {', '.join(names) or '(none)'}; wanted are term_1, term_2, "
            "label or score, and, where known, concept_1 and concept_2."
        )
    return columns


def _refuse(frame: pl.DataFrame, bad: pl.Expr, why: str, name: str) -> None:
    if len(rows := frame.select(bad.arg_true()).to_series()):
        more = f" (and {len(rows) - 1:,} more such rows)" if len(rows) > 1 else ""
        raise TermgaugeError(f"Row {rows[0] + 1:,} of the pairs of '{name}' cannot be used: {why}{more}.")


def _content(path: str | os.PathLike[str], sha256: str | None) -> tuple[str, bytes]:
    """Return a file's name and its bytes, which are hashed as they were read."""
    file = only_file(path, "file with pairs")
    content = file.read()
    if sha256 is not None and sha256_of_bytes(content) != sha256:
        raise ChangedSetError(f"{file.label}: is not the file that was written there; its SHA-256 is another.")
    return file.label, content


def decoded(content: bytes, name: str) -> str:
    """Return the text of a file with pairs."""
    if not content.strip():
        raise TermgaugeError(f"{name}: is empty; a set of pairs has one line for each pair.")
    return text_of(content, name)


def _split(text: str, name: str) -> tuple[int, list[list[str]]]:
    """Return the first line that is no header, and the columns of the terms and of what stands beside them."""
    # Only LF ends a line: terms may hold the other characters that str.splitlines splits at.
    lines = text.replace("\r\n", "\n").removesuffix("\n").removesuffix("\r").split("\n")
    titles = [title.strip() for title in lines[0].split("\t")]
    places = [column for column in map(Table("", titles).find, _GRADED_COLUMNS) if column is not None]
    header = len(places) == len(_GRADED_COLUMNS)
    width = len(titles) if header else 3
    for number, line in enumerate(lines, start=1):
        if (columns := line.count("\t") + 1) != width:
            wanted = "the header has so many" if header else "a line is term TAB term TAB label"
            count = f"{columns} column{'s' if columns > 1 else ''} instead of {width}"
            raise TermgaugeError(f"{name}, line {number:,}: has {count}; {wanted}.")
    if header and len(lines) == 1:
        raise TermgaugeError(f"{name}: has a header and no pair; a set of pairs has one line for each pair.")
    fields = "\t".join(lines[header:]).split("\t")
    return 1 + header, [fields[at::width] for at in (places if header else range(3))]


def _stem(path: str | os.PathLike[str]) -> str:
    return Path(path).name.split(".tsv")[0].split(".parquet")[0] or "pairs"


def shown(field: str) -> str:
    """Return a field as messages show it."""
    return repr(field if len(field) <= 40 else field[:40] + "…")
