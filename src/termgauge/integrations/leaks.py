"""Does anything of one split stand in another? Asked of what was written, without the code that made the splits."""

from __future__ import annotations

from collections import defaultdict
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING

from termgauge.exceptions import TermgaugeError
from termgauge.io.source import files_of
from termgauge.terminology.parquet import read_parquet

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Iterator, Mapping

    import polars as pl

    from termgauge.benchmark.pairset import PairSet

CONCEPTS = "concepts.parquet"
"""The file of an export for training that says which concepts and texts each split may hold."""


def trained_terms(place: str | os.PathLike[str]) -> pl.DataFrame:
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
