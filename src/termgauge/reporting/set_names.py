"""What sets and groups of sets are called in a report: words for people, made from the ids that results carry."""

from __future__ import annotations

from dataclasses import dataclass
from fnmatch import fnmatchcase
from itertools import pairwise
from typing import TYPE_CHECKING

from termgauge.benchmark.human.catalogue import CATALOGUE
from termgauge.benchmark.sets import DIFFICULTIES, STRATEGIES, Origin
from termgauge.exceptions import TermgaugeError
from termgauge.reporting.blocks import block_id
from termgauge.statistics.inputs import statistic_for

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

KINDS = {
    "fsn-syn": "Names vs synonyms",
    "syn-syn": "Synonyms vs synonyms",
    "possibly-equivalent-to": "Possibly equivalent concepts",
    "replaced-by": "Replaced concepts",
    "same-as": "Duplicate concepts",
}
"""Kinds of positive pairs, in the order of the paper's tables."""
NEGATIVES = {"random": "random negatives", "levenshtein": "edit-distance negatives"}
STATISTICS = {
    "spearman": "Spearman's rho",
    "pearson": "Pearson's r",
    "accuracy": "accuracy",
    "accuracy_cv": "cross-validated accuracy",
    "auc": "area under the ROC curve",
    "ap": "average precision",
    "f1": "F1 at the best threshold",
    "coverage": "share of pairs that can be scored",
}
SHORT_STATISTICS = {
    "spearman": "rho", "pearson": "r", "accuracy": "accuracy", "auc": "AUC", "ap": "AP", "f1": "F1",
}  # fmt: skip
"""What statistics are called where there is little room."""
BASELINES = {
    "baseline:levenshtein": "edit distance",
    "baseline:char-ngrams": "character n-grams",
    "baseline:random": "random word vectors",
}
"""What knows no medicine, by the scheme of its identity."""
_HUMAN = {entry.id: entry for entry in CATALOGUE}
_MOST_SETS = 10


@dataclass(frozen=True)
class TitledSet:
    """A set, and what people call it."""

    id: str
    graded: bool
    title: str
    """Its whole name."""
    brief: str
    """What it is called among the sets of its group."""
    over: str
    """What stands over it and its neighbours in a group."""
    origin: Origin
    statistic: str
    """What models are compared by; unless another one was chosen, Spearman's rho of ratings and accuracy of labels."""

    @property
    def built(self) -> bool:
        """Whether it was built from a terminology."""
        return self.origin.built

    @property
    def within(self) -> str:
        """What it is called in a sentence about its group: easy, random."""
        return f"{self.brief.lower()}, {self.sampling}" if self.built else self.brief

    @property
    def sampling(self) -> str:
        """How its negatives were drawn, in a word or two."""
        return "edit distance" if self.origin.strategy == "levenshtein" else self.origin.strategy


@dataclass(frozen=True)
class SetGroup:
    """Sets that are shown together."""

    id: str
    title: str
    sets: tuple[TitledSet, ...]

    @property
    def graded(self) -> bool:
        """Whether its sets are rated; the sets of a group are of one sort."""
        return self.sets[0].graded

    @property
    def statistic(self) -> str:
        """What models are compared by."""
        return self.sets[0].statistic


def titled(set_id: str, *, graded: bool, origin: Origin | None = None, statistic: str = "accuracy") -> TitledSet:
    """Return a set with its names; if its `origin` is not given, it is read out of the id.

    >>> titled("hp-2025-01-16/fsn-syn/hard/levenshtein", graded=False).title
    'Names vs synonyms, hard, edit-distance negatives'
    >>> titled("human/umnsrs-sim", graded=True).title
    'UMNSRS-Sim'
    >>> titled("ours", graded=False).title
    'ours'
    """
    by = statistic_for(statistic, graded=graded)
    what = origin or Origin.from_id(set_id)
    if what.built:
        negatives, brief = NEGATIVES[what.strategy], what.difficulty.capitalize()
        name = f"{KINDS[what.kind]}, {what.difficulty}, {negatives}"
        return TitledSet(set_id, graded, name, brief, negatives.capitalize(), what, by)
    name = _HUMAN[set_id].title if set_id in _HUMAN else set_id.removeprefix("human/") or set_id
    return TitledSet(set_id, graded, name, name, "", what, by)


def groups_of(sets: Iterable[TitledSet]) -> list[SetGroup]:
    """Return sets in groups: a group per terminology and kind of positives, then those that people rated, then others.

    A group has at most ten sets; a larger one is divided evenly.
    """
    kept = list(sets)
    terminologies = list(dict.fromkeys(entry.origin.terminology for entry in kept))
    groups: dict[tuple[int, int, str], list[TitledSet]] = {}
    for entry in sorted(kept, key=_order):
        if entry.built:
            title = with_terminology(entry, kept, KINDS[entry.origin.kind])
            key = (terminologies.index(entry.origin.terminology), list(KINDS).index(entry.origin.kind), title)
        else:
            key = (len(terminologies), *_rated(entry))
        groups.setdefault(key, []).append(entry)
    return [
        SetGroup(block_id(title, str(part) if part else ""), title + (" (more sets)" if part else ""), some)
        for (_, _, title), group in sorted(groups.items(), key=lambda item: item[0][:2])
        for part, some in enumerate(_divided(group))
    ]


def _order(entry: TitledSet) -> tuple[int, int]:
    """Order the sets of a kind by their negatives and difficulty; all others stay as they are."""
    origin = entry.origin
    return (STRATEGIES.index(origin.strategy), DIFFICULTIES.index(origin.difficulty)) if entry.built else (0, 0)


def with_terminology(entry: TitledSet, sets: Sequence[TitledSet], title: str = "") -> str:
    """Return a set's title, or that of its kind, with its terminology where the run has several."""
    several = len({other.origin.terminology for other in sets if other.built}) > 1
    return f"{title or entry.title} ({entry.origin.terminology})" if several and entry.built else title or entry.title


def _rated(titled_set: TitledSet) -> tuple[int, str]:
    if not titled_set.graded:
        return 3, "Other labelled sets"
    if titled_set.id in _HUMAN:
        what = "similarity" if _HUMAN[titled_set.id].score.startswith("similarity") else "relatedness"
        return (0 if what == "similarity" else 1), f"{what.capitalize()} rated by people"
    return 2, "Other rated sets"


def _divided(group: list[TitledSet]) -> list[tuple[TitledSet, ...]]:
    parts = -(-len(group) // _MOST_SETS)
    size, more = divmod(len(group), parts)
    bounds = [part * size + min(part, more) for part in range(parts + 1)]
    return [tuple(group[low:high]) for low, high in pairwise(bounds)]


def groups_by_name(sets: Sequence[TitledSet], extra: Sequence[str] = ()) -> dict[str, list[TitledSet]]:
    """Return the groups of sets that have two or more, each collection of sets once; then those of one's own.

    A group of one's own is written ``NAME=SET,SET``; a set is an id, its end, or a pattern such as ``human/umnsrs-*``.
    """
    collections = {"human": [entry for entry in sets if entry.origin.human]}
    for part, names in (("kind", tuple(KINDS)), ("difficulty", DIFFICULTIES), ("strategy", STRATEGIES)):
        collections |= {name: [entry for entry in sets if getattr(entry.origin, part) == name] for name in names}
    groups: dict[str, list[TitledSet]] = {}
    for name, some in collections.items():
        if len(some) > 1 and some not in groups.values():
            groups[name] = some
    return groups | dict(_own(entry, sets) for entry in extra)


def _own(text: str, sets: Sequence[TitledSet]) -> tuple[str, list[TitledSet]]:
    name, _, words = text.partition("=")
    chosen: dict[str, TitledSet] = {}
    for word in filter(None, map(str.strip, words.split(","))):
        fitting = {entry.id: entry for entry in sets if fnmatchcase(entry.id, word) or entry.id.endswith(f"/{word}")}
        if not fitting:
            there = ", ".join(entry.id for entry in sets)
            raise TermgaugeError(f"The group '{name}' names a set '{word}' that the run does not have; it has {there}.")
        chosen |= fitting
    if not name.strip() or not chosen:
        raise TermgaugeError(f"The group '{text}' must be written as NAME=SET,SET, with one set at least.")
    return name.strip(), list(chosen.values())
