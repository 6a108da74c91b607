"""Groups of sets over which there are joint values: by kind, difficulty and negatives, and those that a user names."""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from termgauge.benchmark.sets import DIFFICULTIES, STRATEGIES
from termgauge.exceptions import TermgaugeError
from termgauge.reporting.set_names import KINDS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from termgauge.reporting.set_names import TitledSet

HUMAN = "human"


def groups_by_name(sets: Sequence[TitledSet], own: Sequence[str] = ()) -> dict[str, list[TitledSet]]:
    """Return the groups of sets that have two or more, each collection of sets once; then those of one's own.

    A group of one's own is written ``NAME=SET,SET``; a set is an id, its end, or a pattern such as ``human/umnsrs-*``.
    """
    found = {HUMAN: [each for each in sets if each.origin.human]}
    for part, names in (("kind", tuple(KINDS)), ("difficulty", DIFFICULTIES), ("strategy", STRATEGIES)):
        found |= {name: [each for each in sets if getattr(each.origin, part) == name] for name in names}
    groups: dict[str, list[TitledSet]] = {}
    for name, some in found.items():
        if len(some) > 1 and some not in groups.values():
            groups[name] = some
    return groups | dict(_own(each, sets) for each in own)


def _own(text: str, sets: Sequence[TitledSet]) -> tuple[str, list[TitledSet]]:
    name, _, words = text.partition("=")
    chosen: dict[str, TitledSet] = {}
    for word in filter(None, map(str.strip, words.split(","))):
        fitting = {each.id: each for each in sets if fnmatchcase(each.id, word) or each.id.endswith(f"/{word}")}
        if not fitting:
            there = ", ".join(each.id for each in sets)
            raise TermgaugeError(f"The group '{name}' names a set '{word}' that the run does not have; it has {there}.")
        chosen |= fitting
    if not name.strip() or not chosen:
        raise TermgaugeError(f"The group '{text}' must be written as NAME=SET,SET, with one set at least.")
    return name.strip(), list(chosen.values())
