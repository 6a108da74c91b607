"""Which concepts must stay together when a benchmark is split, and which split each group of them goes to.

Concepts belong together if they share a text, in whatever case, or if a pair says that one stands for the other; what
is connected through others is together too. Splitting such groups, and not pairs, is what keeps a term of the test out
of the training.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import TYPE_CHECKING

import polars as pl

from termgauge.exceptions import TermgaugeError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

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
    def of(cls, sets: Iterable[PairSet], terminology: Terminology | None = None) -> Knowledge:
        """Gather it from labelled sets that have concept ids, and from the terminology, if it is given."""
        positives: dict[frozenset[str], tuple[str, str, str, str]] = {}
        texts: dict[tuple[str, str], None] = {}
        linked: dict[tuple[str, str], None] = {}
        for pairs in sets:
            for one, other, label, concept, second in _checked(pairs).iter_rows():
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


def _checked(pairs: PairSet) -> pl.DataFrame:
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


def groups_of(knowledge: Knowledge) -> dict[str, int]:
    """Return the group of each concept, numbered as they come.

    >>> groups_of(Knowledge([], [("A", "cold"), ("B", "Cold"), ("C", "flu"), ("D", "grippe")], [("C", "D")]))
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


def divided(sizes: Sequence[int], shares: Sequence[float], seed: int) -> list[int]:
    """Return the split of each group, so that the splits have about the shares of the sizes.

    Groups come in random order, each to the split that lacks most; one that is larger than the smallest split goes to
    the largest.

    >>> divided([1] * 10, (0.8, 0.1, 0.1), 42).count(0)
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
