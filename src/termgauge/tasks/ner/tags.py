"""Tags of named entities: what a tag says, which scheme a corpus has, and every scheme as IOBES.

A tag is a letter and a type, such as ``B-Disease``, split at the first ``-``; ``O`` is outside of entities. Where an
entity begins and ends is decided by the rules of conlleval, which make sense of any scheme, and of sequences that
their scheme forbids. So whatever comes is turned into IOBES by writing down the entities that these rules find.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from termgauge.compiled import njit

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

OUTSIDE, BEGIN, INSIDE, END, SINGLE = range(5)
IOBES = "OBIES"
"""The letter of each kind of tag."""
NO_TYPE = -1
_KINDS = {"B": BEGIN, "I": INSIDE, "M": INSIDE, "E": END, "L": END, "S": SINGLE, "U": SINGLE, "W": SINGLE}
_SCHEMES = {"IOBES": "BIES", "BILOU": "BILU", "BMES": "BMES", "BMEWO": "BMEW"}
IOB1, IOB2 = "IOB1", "IOB2"


class TagCodes(NamedTuple):
    """What each tag of a list says, as numbers."""

    kinds: NDArray[np.int8]
    """Outside, begin, inside, end or single."""
    types: NDArray[np.int32]
    """The number of its type; -1 outside."""
    names: tuple[str, ...]
    """The types, by first appearance."""


def problem_of(tag: str) -> str:
    """Say what is wrong with a tag, and what to do; nothing if it is well-formed.

    >>> problem_of("B-Disease"), problem_of("O")
    ('', '')
    >>> problem_of("B")
    "the tag 'B' has no type; write a letter, '-' and a type, such as B-Disease."
    """
    letter, _, name = tag.partition("-")
    if tag == "O" or (letter in _KINDS and name):
        return ""
    if letter in _KINDS:
        return f"the tag '{tag}' has no type; write a letter, '-' and a type, such as {letter}-Disease."
    return (
        f"'{tag}' is no tag of entities; write O, or a letter of IOB or IOBES, '-' and a type, such as B-Disease, and "
        "let the tag be the last field."
    )


def codes_of(tags: Iterable[str]) -> TagCodes:
    """Return what well-formed tags say."""
    names: dict[str, int] = {}
    kinds, types = [], []
    for tag in tags:
        letter, _, name = tag.partition("-")
        kinds.append(_KINDS.get(letter, OUTSIDE))
        types.append(names.setdefault(name, len(names)) if name else NO_TYPE)
    return TagCodes(np.array(kinds, np.int8), np.array(types, np.int32), tuple(names))


def letters_of(tags: Iterable[str]) -> str:
    """Return the letters of well-formed tags, without O, in alphabetical order."""
    return "".join(sorted({tag[0] for tag in tags if tag != "O"}))


def scheme_of(letters: str) -> str:
    """Return the scheme that has all of some letters; IOB2 also for IOB1, and nothing if there is none.

    >>> scheme_of("BI"), scheme_of("BILU"), scheme_of("ELS")
    ('IOB2', 'BILOU', '')
    """
    if set(letters) <= set("BI"):
        return IOB2
    return next((name for name, all_of in _SCHEMES.items() if set(letters) <= set(all_of)), "")


class Beginnings(NamedTuple):
    """With which letters the entities of IOB begin, which tells IOB1 from IOB2."""

    inside: int
    """With I."""
    begin: int
    """With B, where no other entity of the type is just before, so that IOB1 has I."""

    @property
    def scheme(self) -> str:
        """The name of the scheme."""
        return IOB1 if self.inside and not self.begin else IOB2


def beginnings(kinds: NDArray[np.int8], types: NDArray[np.int32], starts: NDArray[np.int64]) -> Beginnings:
    """Count with which letters entities begin, in sentences that start at given tokens."""
    before = np.concatenate([[NO_TYPE], types[:-1]])
    before[starts[:-1]] = NO_TYPE
    apart = before != types
    return Beginnings(int(np.sum(apart & (kinds == INSIDE))), int(np.sum(apart & (kinds == BEGIN))))


@njit(inline="always")
def ends_between(kind: int, type_: int, next_kind: int, next_type: int) -> bool:
    """Say whether an entity ends after the first of two neighbouring tags."""
    if kind == OUTSIDE:
        return False
    return (
        kind in (END, SINGLE)
        or (kind in (BEGIN, INSIDE) and next_kind in (BEGIN, SINGLE, OUTSIDE))
        or type_ != next_type
    )


@njit(inline="always")
def starts_between(kind: int, type_: int, next_kind: int, next_type: int) -> bool:
    """Say whether an entity starts at the second of two neighbouring tags."""
    if next_kind == OUTSIDE:
        return False
    return (
        next_kind in (BEGIN, SINGLE)
        or (kind in (END, SINGLE, OUTSIDE) and next_kind in (END, INSIDE))
        or type_ != next_type
    )


@njit()
def as_iobes(
    kinds: NDArray[np.int8], types: NDArray[np.int32], starts: NDArray[np.int64]
) -> NDArray[np.int8]:  # pragma: no cover - compiled
    """Return the kinds of tags that write the same entities in IOBES; types stay as they are."""
    found = np.zeros(len(kinds), np.int8)
    for sentence in range(len(starts) - 1):
        first, last = starts[sentence], starts[sentence + 1] - 1
        for at in range(first, last + 1):
            kind, type_ = kinds[at], types[at]
            if kind == OUTSIDE:
                continue
            begins = at == first or starts_between(kinds[at - 1], types[at - 1], kind, type_)
            ends = at == last or ends_between(kind, type_, kinds[at + 1], types[at + 1])
            if begins:
                found[at] = SINGLE if ends else BEGIN
            else:
                found[at] = END if ends else INSIDE
    return found


def tag_names(kinds: Sequence[int], types: Sequence[int], names: Sequence[str]) -> list[str]:
    """Return tags of IOBES as they are written."""
    return [
        IOBES[kind] if kind == OUTSIDE else f"{IOBES[kind]}-{names[number]}"
        for kind, number in zip(kinds, types, strict=True)
    ]
