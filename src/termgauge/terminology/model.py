"""One model for every terminology: four tables and an identity.

Readers fill it; nothing after them knows RF2 from OBO. The tables keep every row of the source, in the source's
order, because benchmarks must come out the same to the byte.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

import polars as pl

from termgauge.display import Showing, shortened
from termgauge.exceptions import TermgaugeError, did_you_mean
from termgauge.plurals import numbered
from termgauge.terminology.languages import ENGLISH, is_in, tags_in

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

IS_A = "is_a"
"""The relation type of the hierarchy, in all formats that have a plain one."""
HIERARCHY = (IS_A, "isa", "CHD")
"""Relation types that say: the source is a kind of the target (UMLS writes ``isa`` and ``CHD``)."""

FSN, SYNONYM = "fsn", "synonym"
KINDS = (FSN, SYNONYM, "related", "narrow", "broad", "layperson", "definition")
"""What a term can be to its concept: its name, an exact synonym, an OBO synonym of another scope, or a definition."""
_BY_RANK = (FSN, SYNONYM, "layperson", "narrow", "broad", "related", "definition")
_RANK = pl.col("kind").replace_strict({kind: rank for rank, kind in enumerate(_BY_RANK)}, return_dtype=pl.Int32)
"""The rank of a term by its kind, where nothing else ranks them."""

SAME_AS, REPLACED_BY, POSSIBLY_EQUIVALENT_TO = "same-as", "replaced-by", "possibly-equivalent-to"
REASONS = (SAME_AS, REPLACED_BY, POSSIBLY_EQUIVALENT_TO)
"""Why one concept stands for another that was retired."""

MODEL_COMPONENT_MODULE = "900000000000012004"
"""The module of concepts that describe SNOMED CT itself; they are no medical concepts."""
COUNTED = pl.col("active") & (pl.col("module").fill_null("") != MODEL_COMPONENT_MODULE)
"""Which rows of the table of concepts are medical concepts in use."""

TAG_SEPARATOR = "; "
"""Between the tags of a concept that has several, as UMLS concepts have semantic types."""

_TYPES = {"rank": pl.Int32, "active": pl.Boolean, "since": pl.Date}
"""The types of the columns that are no text."""
SCHEMAS: Mapping[str, dict[str, Any]] = {
    table: {column: _TYPES.get(column, pl.String) for column in columns}
    for table, columns in {
        "concepts": ("concept", "name", "tag", "module", "active", "since"),
        "terms": ("concept", "text", "kind", "language", "rank", "active", "since"),
        "relations": ("source", "type", "target"),
        "replacements": ("old", "new", "reason"),
    }.items()
}


@dataclass(frozen=True)
class TerminologyIdentity:
    """Which terminology this is, exactly."""

    format: str
    edition: str
    """What its publisher calls it: ``INT``, ``hp``, or the name of a user's own file."""
    version: str
    """The release, as its publisher writes it; empty if it does not say."""
    sha256: str
    """A hash of the contents of the files it was read from, wherever they lay, and of the reader's options."""

    @property
    def slug(self) -> str:
        """Edition and version in a form fit for names of benchmarks and files.

        Examples
        --------
        >>> TerminologyIdentity("obo", "hp", "2025-01-16", "").slug
        'hp-2025-01-16'
        """
        words = "-".join(part for part in (self.edition, self.version) if part)
        return re.sub(r"[^a-z0-9.]+", "-", words.lower()).strip("-.") or self.format


@dataclass(frozen=True)
class Skipped:
    """Something in a source that did not become part of its terminology."""

    what: str
    """In a few words, plural: ``synonyms without text``."""
    count: int
    examples: tuple[str, ...] = ()
    """A few, each with where it is: ``line 12: synonym: "" EXACT []``."""


@dataclass(frozen=True, repr=False)
class Terminology(Showing):
    """A terminology: its concepts, their terms, how they are related, and what replaced the retired ones.

    Attributes
    ----------
    concepts
        One row per concept: ``concept`` (its id), ``name`` (without semantic tag), ``tag``, ``module``, ``active``,
        ``since`` (first time active, where the source has history).
    terms
        One row per description, synonym or atom: ``concept``, ``text``, ``kind`` (one of ``KINDS``), ``language``,
        ``rank`` (0 is the label to prefer), ``active`` (by its own row), ``since``.
    relations
        ``source``, ``type``, ``target``; current ones only.
    replacements
        ``old``, ``new``, ``reason`` (one of ``REASONS``).
    identity
        What it is.
    notes
        What its reader had to pass over, in sentences.
    skipped
        Everything that its reader passed over, counted, with examples.
    """

    concepts: pl.DataFrame
    terms: pl.DataFrame
    relations: pl.DataFrame
    replacements: pl.DataFrame
    identity: TerminologyIdentity
    notes: tuple[str, ...] = ()
    skipped: tuple[Skipped, ...] = ()

    def __post_init__(self) -> None:
        for name, schema in SCHEMAS.items():
            if (columns := dict(getattr(self, name).schema)) != schema:
                raise TypeError(f"{name} must have the columns {schema}, not {columns}")

    def _brief(self) -> str:
        return (
            f"terminology {shortened(self.identity.slug)}: {numbered(self.concepts.height, 'concept')}, "
            f"{numbered(self.terms.height, 'term')}, {numbered(self.relations.height, 'relation')}, "
            f"{numbered(self.replacements.height, 'replacement')}"
        )

    def to_frame(self) -> pl.DataFrame:
        """Return a row for each term, with the name and the tag of its concept."""
        about = self.concepts.select("concept", "name", "tag")
        return self.terms.join(about, on="concept", how="left", maintain_order="left")

    def summary(self) -> dict[str, Any]:
        """Count what is there, in the form that ``termgauge terminology --json`` prints."""
        reasons = Counter(self.replacements["reason"].to_list())
        return {
            **asdict(self.identity),
            "concepts": self.concepts.height,
            "active_concepts": int(self.concepts["active"].sum()),
            "terms": self.terms.height,
            "active_terms": int(self.terms["active"].sum()),
            "relations": self.relations.height,
            "replacements": {reason: reasons[reason] for reason in REASONS},
            "languages": sorted(counts(self.terms, "language")),
            "terms_by_language": counts(self.terms, "language"),
            "kinds": counts(self.terms, "kind"),
            "notes": list(self.notes),
        }

    def descendants(self, root: str) -> pl.Series:
        """Return the ids of a concept, which must be there, and of everything below it in the hierarchy."""
        concepts = self.concepts["concept"]
        if not (concepts == root).any():
            raise TermgaugeError(
                f"{self.identity.slug} has no concept '{root}'.{did_you_mean(root, concepts.to_list())} "
                "Concepts are named by their id."
            )
        edges = self.relations.filter(pl.col("type").is_in(HIERARCHY)).select("source", "target").unique()
        reached = frontier = pl.DataFrame({"target": [root]})
        while frontier.height:
            below = edges.join(frontier, on="target", how="semi").select(target="source").unique()
            frontier = below.join(reached, on="target", how="anti")
            reached = pl.concat([reached, frontier])
        return reached["target"].alias("concept")

    def tagged(self, tag: str) -> pl.Series:
        """Return the ids of the concepts that have a tag; there must be some."""
        tags = self.concepts.select("concept", pl.col("tag").str.split(TAG_SEPARATOR)).explode("tag")
        tagged = tags.filter(pl.col("tag") == tag)["concept"]
        if tagged.is_empty():
            names = tags["tag"].drop_nulls().unique().to_list()
            hint = did_you_mean(tag, names) or f" Its tags: {', '.join(sorted(names)[:12]) or 'none'}."
            raise TermgaugeError(f"{self.identity.slug} has no concept tagged '{tag}'.{hint}")
        return tagged

    def save(self, folder: Path) -> None:
        """Write it to a folder: a Parquet file per table and ``identity.json``."""
        for name in SCHEMAS:
            frame: pl.DataFrame = getattr(self, name)
            frame.write_parquet(folder / f"{name}.parquet", compression="lz4", statistics=False)
        document = {
            "identity": asdict(self.identity),
            "notes": self.notes,
            "skipped": [asdict(entry) for entry in self.skipped],
        }
        (folder / "identity.json").write_text(json.dumps(document), encoding="utf-8")

    @classmethod
    def load(cls, folder: Path) -> Terminology:
        """Read back what :meth:`save` wrote."""
        document = json.loads((folder / "identity.json").read_text(encoding="utf-8"))
        frames = {name: pl.read_parquet(folder / f"{name}.parquet", glob=False) for name in SCHEMAS}
        skipped = tuple(Skipped(**{**entry, "examples": tuple(entry["examples"])}) for entry in document["skipped"])
        identity = TerminologyIdentity(**document["identity"])
        return cls(**frames, identity=identity, notes=tuple(document["notes"]), skipped=skipped)


def counts(frame: pl.DataFrame, column: str) -> dict[str, int]:
    """Count the values of a column, the most frequent first; nulls do not count."""
    tally = frame[column].drop_nulls().value_counts(name="n").sort(["n", column], descending=[True, False])
    return dict(tally.iter_rows())


def frame_of(table: str, rows: Iterable[tuple[object, ...]], columns: Iterable[str] = ()) -> pl.DataFrame:
    """Return rows of one of the tables, or of some of its columns; by columns, which is much faster than row by row."""
    schema = {name: SCHEMAS[table][name] for name in columns or SCHEMAS[table]}
    values = list(zip(*rows, strict=True)) or [()] * len(schema)
    return pl.DataFrame([pl.Series(*column) for column in zip(schema, values, schema.values(), strict=True)])


def active_terms(terms: pl.DataFrame) -> pl.DataFrame:
    """Return terms as active ones, ranked by their kind."""
    return terms.with_columns(active=pl.lit(True), rank=_RANK)


def conform(frame: pl.DataFrame, table: str) -> pl.DataFrame:
    """Bring a frame to the columns and types of one of the tables; missing columns become null."""
    schema, present = SCHEMAS[table], frame.columns
    if not present:
        return pl.DataFrame(schema=schema)
    return frame.select(
        (pl.col(name) if name in present else pl.lit(None)).cast(kind).alias(name) for name, kind in schema.items()
    )


def split_names(names: pl.Series) -> pl.DataFrame:
    """Return fully specified names without their semantic tag (``name``), and the ``tag`` of those that have one.

    Brackets that belong to the name stay: those after `` or`` or ``&``, and those that start with ``&``.

    >>> split_names(pl.Series(["Myocardial infarction (disorder)", "Removal of (stent) or (drain)", "Fever"])).rows()
    [('Myocardial infarction', 'disorder'), ('Removal of (stent) or (drain)', None), ('Fever', None)]
    """
    whole, before, inside = pl.col("whole"), pl.col("before"), pl.col("inside")
    last = whole.str.split(" (").list.last()  # much faster than a regular expression
    is_name = before.str.ends_with(" or") | before.str.ends_with("&") | inside.str.starts_with("&")
    tagged = whole.str.ends_with(")") & (before != whole) & ~is_name
    return (
        names.to_frame("whole")
        .with_columns(before=whole.str.strip_suffix(pl.lit(" (") + last), inside=last.str.strip_suffix(")"))
        .select(name=pl.when(tagged).then(before).otherwise(whole), tag=pl.when(tagged).then(inside))
    )


MOST_EXAMPLES = 5
_LONGEST_EXAMPLE = 120


class Tally:
    """What was passed over so far.

    >>> tally = Tally()
    >>> for line in (3, 9):
    ...     tally.add("synonyms without text", f"line {line}")
    >>> tally.skipped()
    (Skipped(what='synonyms without text', count=2, examples=('line 3', 'line 9')),)
    """

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()
        self._examples: dict[str, list[str]] = {}

    def add(self, what: str, example: str = "", count: int = 1) -> None:
        """Count something, of which an example may be given."""
        if not count:
            return
        self._counts[what] += count
        examples = self._examples.setdefault(what, [])
        if example and len(examples) < MOST_EXAMPLES:
            examples.append(" ".join(example.split())[:_LONGEST_EXAMPLE])

    def add_rows(self, what: str, rows: pl.DataFrame, example: pl.Expr) -> None:
        """Count rows, the first of which are examples."""
        if rows.height:
            examples = self._examples.setdefault(what, [])
            shown = rows.head(MOST_EXAMPLES - len(examples)).select(example.alias("example"))["example"]
            examples.extend(shown.fill_null(""))
            self._counts[what] += rows.height

    def count(self, what: str) -> int:
        """Return how often something was counted."""
        return self._counts[what]

    def skipped(self) -> tuple[Skipped, ...]:
        """Return all of it, in the order in which each kind was first met."""
        return tuple(Skipped(what, count, tuple(self._examples[what])) for what, count in self._counts.items())


def in_language(terminology: Terminology, language: str) -> Terminology:
    """Return a terminology with its terms in one language only; terms of no language count as in any.

    The name of a concept is the one that it has in that language; in a language other than English, one without a name
    is called by its first active synonym of the best rank, which then is its name. (An English concept without a name
    stays nameless, as in the published benchmarks.)
    """
    whole = terminology.terms
    tags = tags_in(whole["language"].unique(), language)
    terms = whole.filter(pl.col("language").is_null() | pl.col("language").is_in(tags))
    if terms.is_empty():
        languages = ", ".join(whole["language"].drop_nulls().unique().sort())
        raise TermgaugeError(
            f"{terminology.identity.slug} has no terms in '{language}', only in {languages or 'none'}."
        )
    if is_in(language, ENGLISH):
        if terms.height == whole.height:
            return terminology
    else:
        terms = _with_names(terms)
    return replace(terminology, concepts=_renamed(terminology, terms), terms=terms)


def _with_names(terms: pl.DataFrame) -> pl.DataFrame:
    """Make the best active synonym of each concept that has no name its name."""
    numbered = terms.with_row_index("row")
    named = numbered.filter(pl.col("active") & (pl.col("kind") == FSN))
    best = (
        numbered.filter(pl.col("active") & (pl.col("kind") == SYNONYM))
        .join(named, on="concept", how="anti", maintain_order="left")
        .sort("rank", maintain_order=True)
        .unique("concept", keep="first", maintain_order=True)
    )
    return terms.with_columns(kind=terms["kind"].scatter(best["row"], FSN)) if best.height else terms


def _renamed(terminology: Terminology, terms: pl.DataFrame) -> pl.DataFrame:
    """Return the concepts with their names among some terms; semantic tags are cut off where they were before."""
    concepts = terminology.concepts
    names = first_names(terms).rename({"text": "own_name"})
    before = first_names(terminology.terms).join(concepts, on="concept").select("text", "name")
    without_tags = split_names(before["text"])["name"]
    if ((before["text"] != before["name"]) & (without_tags == before["name"])).any():
        names = names.with_columns(own_name=split_names(names["own_name"])["name"])
    joined = concepts.join(names, on="concept", how="left", maintain_order="left")
    return joined.with_columns(name=pl.coalesce("own_name", "name")).select(concepts.columns)


def first_names(terms: pl.DataFrame) -> pl.DataFrame:
    """Return the active name of each concept that has one, the first if it has several."""
    names = terms.lazy().filter(pl.col("active") & (pl.col("kind") == FSN)).select("concept", "text")
    return names.unique("concept", keep="first", maintain_order=True).collect()
