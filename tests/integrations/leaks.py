"""What leaks between the splits of an export for training, sought without the code that makes them."""

from __future__ import annotations

from collections import defaultdict
from itertools import combinations
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    import polars as pl


def leaks(
    splits: Mapping[str, pl.DataFrame], texts: Iterable[tuple[str, str]], linked: Iterable[tuple[str, str]]
) -> Iterator[str]:
    """Yield a sentence for each text or concept of one split that stands in another, and for each false negative.

    Splits have the columns anchor, positive and negative. `texts` are concept and text of all that the benchmark, and
    the terminology, know, and `linked` are concepts that stand for each other.
    """
    owners: defaultdict[str, set[str]] = defaultdict(set)
    for concept, text in texts:
        owners[text.lower()].add(concept)
    beside: defaultdict[str, set[str]] = defaultdict(set)
    for one, other in linked:
        beside[one].add(other)
        beside[other].add(one)
    words = {name: {text.lower() for column in frame for text in column} for name, frame in splits.items()}
    meant = {name: set().union(*(owners[text] for text in vocabulary)) for name, vocabulary in words.items()}
    for one, other in combinations(splits, 2):
        yield from (f"the text '{text}' stands in {one} and {other}" for text in sorted(words[one] & words[other]))
        yield from (
            f"the concept {concept_id} stands in {one} and {other}" for concept_id in sorted(meant[one] & meant[other])
        )
        for name, elsewhere in ((one, other), (other, one)):
            linked_here = set().union(*(beside[concept_id] for concept_id in meant[name]))
            yield from (
                f"the concept {concept_id} of {elsewhere} stands for one of {name}"
                for concept_id in sorted(linked_here & meant[elsewhere])
            )
    for name, frame in splits.items():
        for anchor, positive, negative in frame.iter_rows():
            right = owners[anchor.lower()] | owners[positive.lower()]
            right |= set().union(*(beside[concept] for concept in right))
            if not right.isdisjoint(owners[negative.lower()]):
                yield f"{name}: '{negative}' means the same as '{anchor}'"
