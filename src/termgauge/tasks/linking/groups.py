"""Groups of queries: by semantic tag or branch, by edit distance to the nearest right name, by number of words."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import polars as pl

from termgauge.terminology.model import HIERARCHY, TAG_SEPARATOR

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from termgauge.tasks.linking.questions import Questions
    from termgauge.terminology.model import Terminology

TAG, BRANCH, DISTANCE, WORDS = "tag", "branch", "distance", "words"
_BANDS = ((0, "0"), (2, "1 to 2"), (5, "3 to 5"), (10, "6 to 10"), (20, "11 to 20"))
_BEYOND = "more than 20"
_NO_NAME = "no name to compare with"
_MOST_WORDS = 5
_WHOLE = 0.75
"""A branch with a greater share of all concepts is taken apart into those below it."""
_DEEPEST = 20


class Grouping(NamedTuple):
    """One way to put queries into groups; a query may be in several, or in none."""

    name: str
    groups: dict[str, NDArray[np.bool_]]
    """By title: which queries are in the group."""


def groupings_of(terminology: Terminology, questions: Questions) -> tuple[Grouping, ...]:
    """Put queries into groups in every way that the terminology allows."""
    titles = _tags(terminology, questions)
    of_concepts = _by_concept(TAG, titles, questions)
    if len({title for each in titles.values() for title in each}) < 2:
        of_concepts = _by_concept(BRANCH, _branches(terminology, questions), questions)
    found = (of_concepts, _by_distance(questions), _by_words(questions))
    return tuple(each for each in found if each.groups)


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
    below: set[int] = set()
    for source, target in edges.iter_rows():
        if source in number and target in number and source != target:
            children.setdefault(number[target], []).append(number[source])
            below.add(number[source])
    tops = sorted(set(children) - below)
    reached = {top: _descendants(top, children) for top in tops}
    for _ in range(_DEEPEST):
        wide = max(reached, key=lambda top: (len(reached[top]), -top), default=None)
        if wide is None or len(reached[wide]) <= _WHOLE * len(number) or wide not in children:
            break
        del reached[wide]
        reached |= {child: _descendants(child, children) for child in sorted(children[wide])}
    branches: dict[int, list[str]] = {}
    if len(reached) > 1:
        for top in sorted(reached):
            for each in reached[top]:
                branches.setdefault(each, []).append(questions.preferred[top])
    return branches


def _descendants(top: int, children: Mapping[int, list[int]]) -> set[int]:
    reached, waiting = {top}, [top]
    while waiting:
        for child in children.get(waiting.pop(), ()):
            if child not in reached:
                reached.add(child)
                waiting.append(child)
    return reached


def _by_concept(name: str, titles: Mapping[int, list[str]], questions: Questions) -> Grouping:
    """Put queries into the groups of their right concepts, the largest first."""
    members: dict[str, list[int]] = {}
    for query, concept in zip(questions.right.owners.tolist(), questions.right.values.tolist(), strict=True):
        for title in dict.fromkeys(titles.get(concept, ())):
            members.setdefault(title, []).append(query)
    masks = {title: _mask(chosen, len(questions.texts)) for title, chosen in members.items()}
    return Grouping(name, dict(sorted(masks.items(), key=lambda item: (-int(item[1].sum()), item[0]))))


def _mask(chosen: list[int], count: int) -> NDArray[np.bool_]:
    mask = np.zeros(count, np.bool_)
    mask[chosen] = True
    return mask


def _by_distance(questions: Questions) -> Grouping:
    """Put queries into bands of their edit distance to the nearest name of a right concept, in lower case."""
    distances = np.array([_distance(questions, query) for query in range(len(questions.texts))], np.int64)
    titles = np.array([_band(distance) for distance in distances.tolist()], np.str_)
    order = (*(title for _end, title in _BANDS), _BEYOND, _NO_NAME)
    return Grouping(DISTANCE, {title: titles == title for title in order if (titles == title).any()})


def _distance(questions: Questions, query: int) -> int:
    from rapidfuzz.distance import Levenshtein

    text = questions.texts[query].lower()
    offsets = questions.hidden.offsets
    hidden = set(questions.hidden.values[offsets[query] : offsets[query + 1]].tolist())
    concepts = questions.answers(query)
    spans = zip(
        np.searchsorted(questions.owners, concepts).tolist(),
        np.searchsorted(questions.owners, concepts, "right").tolist(),
        strict=True,
    )
    names = [row for first, end in spans for row in range(first, end) if row not in hidden]
    return min((Levenshtein.distance(text, questions.names[row].lower()) for row in names), default=-1)


def _band(distance: int) -> str:
    if distance < 0:
        return _NO_NAME
    return next((title for end, title in _BANDS if distance <= end), _BEYOND)


def _by_words(questions: Questions) -> Grouping:
    counts = np.array([len(text.split()) for text in questions.texts], np.int64)
    groups = {str(count): counts == count for count in range(1, _MOST_WORDS)}
    groups |= {f"{_MOST_WORDS} or more": counts >= _MOST_WORDS}
    return Grouping(WORDS, {title: mask for title, mask in groups.items() if mask.any()})
