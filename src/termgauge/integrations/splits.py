"""Splitting a benchmark for training: which concepts stay together, where they go, and whether anything leaks.

Concepts belong together if they share a text, in whatever case, or if a pair says that one stands for the other; what
is connected through others is together too. Splitting such groups, and not pairs, is what keeps a term of the test out
of the training. Leaks are sought in what was written, without the code that made the splits.
"""

from __future__ import annotations

import random
from collections import defaultdict
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from termgauge.exceptions import TermgaugeError
from termgauge.io.source import files_of
from termgauge.terminology.parquet import read_parquet

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from termgauge.benchmark.pairset import PairSet
    from termgauge.terminology import Terminology


@dataclass(frozen=True)
class Knowledge:
    """What is known of the concepts of a benchmark: their texts, and which of them stand for each other."""

    positives: list[tuple[str, str, str, str]]
    """Anchor, positive and their concepts; each pair of texts once, in whatever order and case."""
    texts: list[tuple[str, str]]
    """Concept and text, each once."""
    linked: list[tuple[str, str]]
    """Two concepts, each pair once."""

    @classmethod
    def from_sets(cls, sets: Iterable[PairSet], terminology: Terminology | None = None) -> Knowledge:
        """Gather it from labelled sets that have concept ids, and from the terminology, if it is given."""
        positives: dict[frozenset[str], tuple[str, str, str, str]] = {}
        texts: dict[tuple[str, str], None] = {}
        linked: dict[tuple[str, str], None] = {}
        for pairs in sets:
            for one, other, label, concept, second in _labelled_pairs(pairs).iter_rows():
                texts |= {(concept, one): None, (second, other): None}
                if label:
                    positives.setdefault(frozenset((one.lower(), other.lower())), (one, other, concept, second))
                    linked |= {(concept, second): None} if concept != second else {}
        if terminology is not None:
            known = {concept for concept, _text in texts}
            texts |= dict.fromkeys(_terms(terminology, known))
            linked |= dict.fromkeys(
                (old, new)
                for old, new in terminology.replacements.select("old", "new").iter_rows()
                if old in known and new in known and old != new
            )
        return cls(list(positives.values()), list(texts), list(linked))


def _labelled_pairs(pairs: PairSet) -> pl.DataFrame:
    if pairs.graded:
        raise TermgaugeError(f"{pairs.id}: has ratings and no labels, so that it has no positive pairs to train on.")
    if pairs.concepts is None:
        raise TermgaugeError(
            f"{pairs.id}: has no concept ids beside its pairs, without which concepts cannot be split; build the "
            "benchmark again, and name its folder."
        )
    frame = pairs.frame.select("term_1", "term_2", "label", "concept_1", "concept_2")
    if frame["concept_1"].null_count() or frame["concept_2"].null_count():
        raise TermgaugeError(f"{pairs.id}: has pairs without concept ids; build the benchmark again.")
    return frame


def _terms(terminology: Terminology, known: set[str]) -> Iterable[tuple[str, str]]:
    wanted = pl.Series(list(known), dtype=pl.String).implode()
    own = terminology.terms.filter(pl.col("active") & pl.col("concept").is_in(wanted) & pl.col("text").is_not_null())
    if own.is_empty():
        raise TermgaugeError(
            f"{terminology.identity.slug} has none of the benchmark's concepts; name the terminology that it was built "
            "from with --terminology."
        )
    names = terminology.concepts.filter(pl.col("concept").is_in(wanted) & pl.col("name").is_not_null())
    yield from own.filter(pl.col("kind") != "definition").select("concept", "text").iter_rows()
    yield from names.select("concept", "name").iter_rows()


def concept_groups(knowledge: Knowledge) -> dict[str, int]:
    """Return the group of each concept, numbered as they come.

    >>> concept_groups(Knowledge([], [("A", "cold"), ("B", "Cold"), ("C", "flu"), ("D", "grippe")], [("C", "D")]))
    {'A': 0, 'B': 0, 'C': 1, 'D': 1}
    """
    parent = {concept: concept for concept, _text in knowledge.texts}

    def root(concept: str) -> str:
        while parent[concept] != concept:
            parent[concept] = concept = parent[parent[concept]]
        return concept

    first: dict[str, str] = {}
    for concept, text in knowledge.texts:
        parent[root(concept)] = root(first.setdefault(text.lower(), concept))
    for one, other in knowledge.linked:
        parent[root(one)] = root(other)
    numbers: dict[str, int] = {}
    return {concept: numbers.setdefault(root(concept), len(numbers)) for concept in parent}


def assign_splits(sizes: Sequence[int], shares: Sequence[float], seed: int) -> list[int]:
    """Return the split of each group, so that the splits have about the shares of the sizes.

    Groups come in random order, each to the split that lacks most; one that is larger than the smallest split goes to
    the largest.

    >>> assign_splits([1] * 10, (0.8, 0.1, 0.1), 42).count(0)
    8
    """
    wanted = [share * sum(sizes) for share in shares]
    asked = [place for place, share in enumerate(shares) if share > 0]
    least, largest = min(wanted[place] for place in asked), max(asked, key=lambda place: wanted[place])
    order = list(range(len(sizes)))
    random.Random(seed).shuffle(order)  # noqa: S311 - reproducible, not secret
    order.sort(key=lambda group: sizes[group] <= least)
    filled, chosen = [0.0] * len(shares), [0] * len(sizes)
    for group in order:
        most = largest if sizes[group] > least else min(asked, key=lambda place: filled[place] / wanted[place])
        chosen[group] = most
        filled[most] += sizes[group]
    return chosen


CONCEPTS = "concepts.parquet"
"""The file of an export for training that says which concepts and texts each split may hold."""


def training_terms(place: str | os.PathLike[str]) -> pl.DataFrame:
    """Return the concepts and texts of the training split of an export, which is named by its folder or that file."""
    file = Path(place) / CONCEPTS if Path(place).is_dir() else Path(place)
    if not file.is_file():
        raise TermgaugeError(f"{file}: is not there; name the folder that termgauge export --to triplets wrote.")
    return read_parquet(files_of(file)[0], ("split", "concept", "text")).filter(split="train")


def trained_concepts(pairs: PairSet, trained: pl.DataFrame) -> list[str]:
    """Return the concepts of a set that were trained on: those with such an id, or with such a text, in any case."""
    owners = {text.lower(): concept for concept, text in trained.select("concept", "text").iter_rows()}
    ids = set() if pairs.concepts is None else {each for column in pairs.concepts for each in column}
    terms = {text.lower() for column in pairs.frame.select("term_1", "term_2") for text in column}
    return sorted(ids.intersection(owners.values()) | {owners[text] for text in terms & owners.keys()})


def leaks(
    splits: Mapping[str, pl.DataFrame], texts: Iterable[tuple[str, str]], linked: Iterable[tuple[str, str]]
) -> Iterator[str]:
    """Yield a sentence for each text or concept of one split that stands in another, and for each false negative.

    Parameters
    ----------
    splits
        By name, the columns anchor, positive and negative.
    texts
        Concept and text of all that the benchmark, and the terminology, know.
    linked
        Concepts that stand for each other.
    """
    owners: defaultdict[str, set[str]] = defaultdict(set)
    for concept, text in texts:
        owners[text.lower()].add(concept)
    beside: defaultdict[str, set[str]] = defaultdict(set)
    for one, other in linked:
        beside[one].add(other)
        beside[other].add(one)
    words = {name: {text.lower() for column in frame for text in column} for name, frame in splits.items()}
    meant = {name: set().union(*(owners[text] for text in own)) for name, own in words.items()}
    known: defaultdict[str, set[str]] = defaultdict(set)
    for text, concepts in owners.items():
        for concept in concepts:
            known[concept].add(text)
    for one, other in combinations(splits, 2):
        yield from (f"the text '{text}' stands in {one} and {other}" for text in sorted(words[one] & words[other]))
        yield from (f"the concept {each} stands in {one} and {other}" for each in sorted(meant[one] & meant[other]))
        for name, elsewhere in ((one, other), (other, one)):
            linked_here = set().union(*(beside[each] for each in meant[name]))
            yield from (
                f"the concept {each} of {elsewhere} stands for one of {name}"
                for each in sorted(linked_here & meant[elsewhere])
            )
            said = set().union(*(known[each] for each in meant[name]))
            yield from (f"'{text}' of {elsewhere} is a term of {name}" for text in sorted(said & words[elsewhere]))
    for name, frame in splits.items():
        yield from (f"{name}: {each}" for each in _false_negatives(frame, owners, beside))


def _false_negatives(
    frame: pl.DataFrame, owners: Mapping[str, set[str]], beside: Mapping[str, set[str]]
) -> Iterator[str]:
    for anchor, positive, negative in frame.iter_rows():
        right = owners.get(anchor.lower(), set()) | owners.get(positive.lower(), set())
        right |= set().union(*(beside.get(each, set()) for each in right))
        if not right.isdisjoint(owners.get(negative.lower(), set())):
            yield f"'{negative}' means the same as '{anchor}'"
