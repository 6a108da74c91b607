"""What is asked: which names stand for which concepts, which texts are looked for, and which concepts are right.

A terminology's own synonyms are questions with known answers. Texts are compared in lower case; each is encoded as it
is first written. Concepts are numbered in the order of their ids, so that the smaller id is the smaller number.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import polars as pl

from termgauge.exceptions import TermgaugeError, warn
from termgauge.io.identity import sha256_of_value
from termgauge.io.tables import open_table
from termgauge.plurals import numbered, plural
from termgauge.similarity.search import Listed
from termgauge.terminology.model import COUNTED, FSN, HIERARCHY, TAG_SEPARATOR

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from termgauge.tasks.contract import Material, Testing
    from termgauge.tasks.linking.task import LinkingOptions
    from termgauge.terminology.model import Terminology


_MOST_NAMED = 5
_HEADINGS = (("text", "mention", "term", "query"), ("concept", "concept_id", "id", "identifier", "code", "cui"))
"""What the columns of a file of queries may be called."""


@dataclass(frozen=True)
class Questions:
    """An index of names, and the queries that are put to it."""

    concepts: tuple[str, ...]
    """Ids, ascending; a concept's place is its number."""
    preferred: tuple[str, ...]
    """The preferred name of each concept."""
    names: tuple[str, ...]
    """The index, in the order of concepts."""
    owners: NDArray[np.int64]
    """The concept of each name of the index."""
    texts: tuple[str, ...]
    """The queries."""
    right: Listed
    """The concepts that each query means."""
    hidden: Listed
    """The names of the index that are left out for each query."""
    found: int
    """How many queries there were before some were drawn."""
    lacking: tuple[str, ...] = ()
    """Ids of a file of queries that are no active concepts of the terminology."""
    best: int = 0
    """How many of the best concepts of each query are kept."""

    @property
    def ambiguous(self) -> int:
        """How many queries mean several concepts."""
        return int((np.diff(self.right.offsets) > 1).sum())

    def answers(self, query: int) -> NDArray[np.int64]:
        """Return the right concepts of a query."""
        return self.right.values[self.right.offsets[query] : self.right.offsets[query + 1]]

    def right_rows(self) -> Iterator[list[int]]:
        """Yield the names of the right concepts of each query in the index, without those that are left out for it."""
        hidden = set(zip(self.hidden.owners.tolist(), self.hidden.values.tolist(), strict=True))
        starts, ends = (
            np.searchsorted(self.owners, np.arange(len(self.concepts)), side).tolist() for side in ("left", "right")
        )
        for query in range(len(self.texts)):
            spans = (range(starts[concept], ends[concept]) for concept in self.answers(query).tolist())
            yield [row for span in spans for row in span if (query, row) not in hidden]

    @property
    def key(self) -> str:
        """A hash of the queries and of what is right."""
        asked = [list(self.texts), self.right.offsets.tolist(), self.right.values.tolist()]
        return sha256_of_value([*asked, len(self.names), len(self.concepts), self.best])


class LinkingInputs(NamedTuple):
    """What is asked of a terminology."""

    terminology: Terminology
    questions: Questions
    testing: Testing


def inputs_of(options: LinkingOptions, material: Material) -> LinkingInputs:
    """Take names and queries from the terminology, or the queries from a file."""
    assert material.terminology is not None
    questions = questions_of(material.terminology, options, material.testing.seed)
    return LinkingInputs(material.terminology, questions, material.testing)


def questions_of(terminology: Terminology, options: LinkingOptions, seed: int) -> Questions:
    """Take the index and the queries from a terminology, or the queries from a file."""
    if options.out is not None and options.queries is None:
        raise TermgaugeError("--out writes your own mentions with their best concepts; name them with --queries.")
    named = (
        terminology.concepts.filter(COUNTED & (pl.col("name").fill_null("").str.strip_chars() != ""))
        .select("concept", text="name")
        .unique("concept", keep="first", maintain_order=True)
        .sort("concept")
        .with_row_index("number")
        .with_columns(pl.col("number").cast(pl.Int64), lower=pl.col("text").str.to_lowercase())
    )
    if named.is_empty():
        raise TermgaugeError(
            f"{terminology.identity.slug} has no active concept with a name, so nothing can be linked."
        )
    terms = _terms(terminology, named)
    columns = ["number", "text", "lower"]
    index = named.select(columns)
    if options.index == "all":
        index = (
            pl.concat([terms.select(columns), index])
            .unique(["number", "lower"], keep="first", maintain_order=True)
            .sort("number", maintain_order=True)
        )
    index = index.with_row_index("row").with_columns(pl.col("row").cast(pl.Int64))
    lacking: tuple[str, ...] = ()
    if options.queries is not None:
        meant, lacking = _own_queries(options.queries, named)
    elif options.index == "all":
        meant = pl.concat([terms.select(columns), named.select(columns)])
    else:
        meant = terms.select(columns).join(named, on="lower", how="anti", maintain_order="left")
    queries = meant.unique("lower", keep="first", maintain_order=True).select("text", "lower")
    if queries.is_empty():
        raise TermgaugeError(
            f"{terminology.identity.slug} has no term that is not a preferred name, so that nothing is asked; choose "
            "--index all, or give your own mentions with --queries."
        )
    total = queries.height
    if 0 < options.sample < total:
        chosen = np.sort(np.random.default_rng(seed).choice(total, options.sample, replace=False))
        queries = queries[chosen]
    queries = queries.with_row_index("query").with_columns(pl.col("query").cast(pl.Int64))
    asked_names = index if options.index == "all" and options.queries is None else index.clear()
    return Questions(
        concepts=tuple(named["concept"].to_list()),
        preferred=tuple(named["text"].to_list()),
        names=tuple(index["text"].to_list()),
        owners=index["number"].to_numpy().astype(np.int64),
        texts=tuple(queries["text"].to_list()),
        right=_listed(queries, meant, "number"),
        hidden=_listed(queries, asked_names, "row"),
        found=total,
        lacking=lacking,
        best=max(options.k) if options.queries is not None else 0,
    )


def _terms(terminology: Terminology, named: pl.DataFrame) -> pl.DataFrame:
    """Return the active terms of the concepts; a fully specified name stands without its semantic tag."""
    return (
        terminology.terms.filter(pl.col("active") & (pl.col("kind").fill_null("") != "definition"))
        .select("concept", "kind", full="text")
        .join(named.select("concept", "number", name="text"), on="concept", how="inner", maintain_order="left")
        .select("number", text=pl.when(pl.col("kind") == FSN).then("name").otherwise("full"))
        .filter(pl.col("text").fill_null("").str.strip_chars() != "")
        .with_columns(lower=pl.col("text").str.to_lowercase())
    )


def _listed(queries: pl.DataFrame, meant: pl.DataFrame, column: str) -> Listed:
    """Return the numbers that have the text of each query, ascending."""
    pairs = queries.select("query", "lower").join(meant.select("lower", column), on="lower", how="inner")
    pairs = pairs.select("query", column).unique().sort("query", column)
    offsets = np.searchsorted(pairs["query"].to_numpy(), np.arange(queries.height + 1))
    return Listed(offsets.astype(np.int64), pairs[column].to_numpy().astype(np.int64))


def _own_queries(path: str, named: pl.DataFrame) -> tuple[pl.DataFrame, tuple[str, ...]]:
    """Read mentions and their concepts from a file; those of concepts that are not there are left out, with a word."""
    table = open_table(path)
    label, header = table.label, [table.find(*usual) for usual in _HEADINGS]
    places = [0, 1] if None in header else [at for at in header if at is not None]
    rows: list[tuple[str, str]] = []
    for line, cells in table.content[None not in header :]:
        if len(cells) <= max(places) or not all(cells[column] for column in places):
            raise TermgaugeError(
                f"{label}, line {line:,}: needs a text and the id of a concept, with a tab, a semicolon or a comma "
                "between them."
            )
        rows.append((cells[places[0]], cells[places[1]]))
    if not rows:
        raise TermgaugeError(f"{label}: holds no queries; write a text and the id of a concept on each line.")
    mentions = pl.DataFrame(rows, schema={"text": pl.String, "concept": pl.String}, orient="row")
    lacking = tuple(mentions.join(named, on="concept", how="anti")["concept"].unique(maintain_order=True).to_list())
    meant = mentions.join(named.select("concept", "number"), on="concept", how="inner", maintain_order="left")
    if lacking:
        gone = len(rows) - meant.height
        first = ", ".join(lacking[:_MOST_NAMED]) + (", …" if len(lacking) > _MOST_NAMED else "")
        warn(
            f"{label}: {numbered(len(lacking), 'id is no active concept', 'ids are no active concepts')} of the "
            f"terminology ({first}); {gone:,} of {numbered(len(rows), 'line')} {plural(gone, 'is', 'are')} left out."
        )
    if meant.is_empty():
        raise TermgaugeError(f"{label}: names no active concept of the terminology; check the ids.")
    return meant.select("number", "text", lower=pl.col("text").str.to_lowercase()), lacking


TAG, BRANCH, DISTANCE, WORDS = "tag", "branch", "distance", "words"
_BANDS = (0, 2, 5, 10, 20)
_BAND_TITLES = ("0", "1 to 2", "3 to 5", "6 to 10", "11 to 20", "more than 20", "no name to compare with")
_MOST_WORDS = 5
_WHOLE = 0.75
"""A branch with a greater share of all concepts is taken apart into those below it."""
_DEEPEST = 20


Groups = dict[str, "NDArray[np.bool_]"]
"""By title, which queries are in a group; a query may be in several, or in none."""


def groupings_of(terminology: Terminology, questions: Questions) -> dict[str, Groups]:
    """Put queries into groups in every way that the terminology allows."""
    way, titles = TAG, _tags(terminology, questions)
    if len({title for some in titles.values() for title in some}) < 2:
        way, titles = BRANCH, _branches(terminology, questions)
    groupings = {
        way: _by_concept(titles, questions),
        DISTANCE: _by_distance(questions),
        WORDS: _by_words(questions),
    }
    return {way: groups for way, groups in groupings.items() if groups}


def _tags(terminology: Terminology, questions: Questions) -> dict[int, list[str]]:
    tags = dict(terminology.concepts.select("concept", "tag").drop_nulls().iter_rows())
    return {
        number: tags[concept].split(TAG_SEPARATOR) if tags.get(concept) else []
        for number, concept in enumerate(questions.concepts)
    }


def _branches(terminology: Terminology, questions: Questions) -> dict[int, list[str]]:
    """Return the top-level branches that each concept is in, by their names.

    Branches are what is below the root, or the roots if there are several; one with more than three quarters of all
    concepts is replaced by what is below it, if that is divided.
    """
    number = {concept: at for at, concept in enumerate(questions.concepts)}
    edges = terminology.relations.filter(pl.col("type").is_in(HIERARCHY)).select("source", "target").unique()
    children: dict[int, list[int]] = {}
    for source, target in edges.iter_rows():
        if source in number and target in number and source != target:
            children.setdefault(number[target], []).append(number[source])
    tops = sorted(set(children).difference(*children.values()))
    reached = {top: _descendants(top, children) for top in tops}
    for _ in range(_DEEPEST):
        wide = max(reached, key=lambda top: (len(reached[top]), -top), default=None)
        if wide is None or len(reached[wide]) <= _WHOLE * len(number) or wide not in children:
            break
        del reached[wide]
        reached |= {child: _descendants(child, children) for child in sorted(children[wide])}
    branches: dict[int, list[str]] = {}
    for top in sorted(reached) if len(reached) > 1 else ():
        for concept in reached[top]:
            branches.setdefault(concept, []).append(questions.preferred[top])
    return branches


def _descendants(top: int, children: Mapping[int, list[int]]) -> set[int]:
    reached, waiting = {top}, [top]
    while waiting:
        new = set(children.get(waiting.pop(), ())) - reached
        reached |= new
        waiting += new
    return reached


def _by_concept(titles: Mapping[int, list[str]], questions: Questions) -> Groups:
    """Put queries into the groups of their right concepts, the largest first."""
    masks: Groups = {}
    for query, concept in zip(questions.right.owners.tolist(), questions.right.values.tolist(), strict=True):
        for title in titles.get(concept, ()):
            masks.setdefault(title, np.zeros(len(questions.texts), np.bool_))[query] = True
    return dict(sorted(masks.items(), key=lambda item: (-int(item[1].sum()), item[0])))


def _by_distance(questions: Questions) -> Groups:
    """Put queries into bands of their edit distance to the nearest name of a right concept, in lower case."""
    from rapidfuzz.distance import Levenshtein

    distances = [
        min((Levenshtein.distance(text.lower(), questions.names[row].lower()) for row in rows), default=np.inf)
        for text, rows in zip(questions.texts, questions.right_rows(), strict=True)
    ]
    return _grouped(_BAND_TITLES, np.searchsorted([*_BANDS, sys.maxsize], distances))


def _by_words(questions: Questions) -> Groups:
    counts = np.array([len(text.split()) for text in questions.texts], np.int64)
    titles = [*map(str, range(_MOST_WORDS)), f"{_MOST_WORDS} or more"]
    return _grouped(titles, np.minimum(counts, _MOST_WORDS))


def _grouped(titles: Sequence[str], numbers: NDArray[np.int64]) -> Groups:
    """Return the queries of each group that has any, by its title, of the number of each query's group."""
    return {title: numbers == at for at, title in enumerate(titles) if (numbers == at).any()}
