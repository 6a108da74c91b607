"""Does anything of one split stand in another? Asked of what was written, without the code that made the splits."""

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
