"""What a set of pairs can be: one of the twenty that are built from a terminology, one that people rated, another."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable

FSN_SYN, SYN_SYN = "fsn-syn", "syn-syn"
REPLACEMENT_KINDS = ("possibly-equivalent-to", "replaced-by", "same-as")
KINDS = (*REPLACEMENT_KINDS, FSN_SYN, SYN_SYN)
DIFFICULTIES = ("easy", "hard")
STRATEGIES = ("random", "levenshtein")


class SetName(NamedTuple):
    """Which of the sets it is; as text, ``fsn-syn.hard.levenshtein``."""

    kind: str
    difficulty: str
    strategy: str

    def __str__(self) -> str:
        return ".".join(self)


PARTS = (*KINDS, *DIFFICULTIES, *STRATEGIES)
ALL_SETS = tuple(
    SetName(kind, difficulty, strategy) for strategy in STRATEGIES for kind in KINDS for difficulty in DIFFICULTIES
)
"""All sets; those of one strategy stand in the order in which their negatives depend on each other."""
SHOWN = tuple(SetName(*parts) for parts in product((FSN_SYN, SYN_SYN, *REPLACEMENT_KINDS), DIFFICULTIES, STRATEGIES))
"""All sets in the order of the paper's tables."""

_BY_NAME = {str(name): name for name in ALL_SETS}
_HUMAN = "human"


@dataclass(frozen=True)
class Origin:
    """What a set is: built from a terminology, rated by people, or neither."""

    terminology: str = ""
    """What a set was built from, and in the next three which of its sets it is; empty if it was not built."""
    kind: str = ""
    difficulty: str = ""
    strategy: str = ""
    human: bool = False
    """Whether people rated it."""

    @property
    def built(self) -> bool:
        """Whether it was built from a terminology."""
        return bool(self.kind)

    @classmethod
    def from_id(cls, set_id: str) -> Origin:
        """Read what a set is out of its id, for sets that come without an origin: from files, and from old runs.

        Examples
        --------
        >>> Origin.from_id("hp-2025-01-16/fsn-syn/hard/random").kind, Origin.from_id("human/mayosrs").human
        ('fsn-syn', True)
        """
        parts = set_id.split("/")
        if len(parts) > 3 and tuple(parts[-3:]) in ALL_SETS:
            return cls("/".join(parts[:-3]), parts[-3], parts[-2], parts[-1])
        return cls(human=set_id.startswith(f"{_HUMAN}/"))


def knows(choice: str) -> bool:
    """Tell whether every word of a choice names sets: a kind, a difficulty, a strategy, or a whole name."""
    return all(word in PARTS or word in _BY_NAME for word in _words(choice))


def select_sets(only: Iterable[str]) -> tuple[SetName, ...]:
    """Return the sets that some words (see :func:`knows`) choose, in any order and mixture.

    Words of one sort widen the choice, words of different sorts narrow it; a whole name such as
    ``fsn-syn.hard.random`` chooses that set.

    >>> [str(name) for name in select_sets(["fsn-syn", "random"])]
    ['fsn-syn.easy.random', 'fsn-syn.hard.random']
    """
    words = [word for choice in only for word in _words(choice)]
    chosen = {_BY_NAME[word] for word in words if word in _BY_NAME}
    parts = [word for word in words if word not in _BY_NAME]
    if parts or not chosen:
        chosen |= {
            name
            for name in ALL_SETS
            if all(
                part in parts or not any(word in sort for word in parts)
                for part, sort in zip(name, (KINDS, DIFFICULTIES, STRATEGIES), strict=True)
            )
        }
    return tuple(name for name in ALL_SETS if name in chosen)


def _words(choice: str) -> list[str]:
    return choice.replace(",", " ").split()


def sets_before(name: SetName) -> list[SetName]:
    """Return the sets whose negatives a set must not have again."""
    kinds = (*REPLACEMENT_KINDS, SYN_SYN if name[:2] == (SYN_SYN, "hard") else FSN_SYN)
    before = ALL_SETS[: ALL_SETS.index(name)]
    return [other for other in before if other.strategy == name.strategy and other.kind in kinds]


def needed_for(chosen: Iterable[SetName]) -> tuple[SetName, ...]:
    """Return the chosen sets and those whose negatives decide theirs, in working order.

    A set comes out the same whether it is built alone or with all others.
    """
    needed = set(chosen)
    for name in reversed(ALL_SETS):
        needed.update(sets_before(name) if name in needed else ())
    return tuple(name for name in ALL_SETS if name in needed)
