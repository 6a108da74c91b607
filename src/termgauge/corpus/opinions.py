"""What experts say to proposed pairs: each has a copy of the proposals, with yes or no in the column ``accept``.

A pair is accepted if enough experts have an opinion on it and all of these are yes.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from termgauge.corpus.pools import CLASSES
from termgauge.corpus.relations.resource import table_of
from termgauge.exceptions import TermgaugeError
from termgauge.io.source import files_of

if TYPE_CHECKING:
    import os
    from collections.abc import Collection, Mapping, Sequence

YES, NO = "yes", "no"

Key = tuple[str, str, str]
"""The class of a pair, and its words in lower case, the smaller first."""


def read_opinions(
    places: Sequence[str | os.PathLike[str]], proposed: Collection[Key], classes: Sequence[str] = CLASSES
) -> dict[Key, list[bool]]:
    """Return all opinions on each proposed pair; nothing but proposals may stand in the files for these classes."""
    opinions: dict[Key, list[bool]] = defaultdict(list)
    for place in places:
        for key, opinion in _of_expert(place, proposed, set(CLASSES).difference(classes)).items():
            opinions[key].append(opinion)
    return dict(opinions)


def accepted(opinions: Mapping[Key, Sequence[bool]], experts: int) -> set[Key]:
    """Return the pairs on which at least so many experts have an opinion, all of them yes.

    >>> accepted({("noun", "a", "b"): [True, True], ("noun", "a", "c"): [True]}, 2)
    {('noun', 'a', 'b')}
    """
    return {key for key, given in opinions.items() if len(given) >= experts and all(given)}


def _of_expert(place: str | os.PathLike[str], proposed: Collection[Key], others: Collection[str]) -> dict[Key, bool]:
    files = files_of(place)
    if len(files) != 1:
        raise TermgaugeError(f"{place}: holds {len(files) or 'no'} files; name the table of one expert.")
    rows = table_of(files[0], ("word1", "word2", "class", "accept"))
    opinions: dict[Key, bool] = {}
    for at, (word1, word2, word_class, answer) in enumerate(rows.iter_rows(), 2):
        where = f"{files[0].label}, row {at} (the header is row 1)"
        low, high = sorted((word1.lower(), word2.lower()))
        key = word_class.lower(), low, high
        if key[0] in others:
            continue
        if key not in proposed:
            raise TermgaugeError(
                f"{where}: '{word1}' and '{word2}' ({word_class}) are not among the proposals; the file belongs to "
                "other words or resources."
            )
        if answer.lower() not in (YES, NO, ""):
            raise TermgaugeError(f"{where}: '{answer[:40]}' is no answer; write yes or no, or leave it empty.")
        if answer and opinions.setdefault(key, answer.lower() == YES) != (answer.lower() == YES):
            raise TermgaugeError(f"{where}: says the opposite of an earlier row on '{word1}' and '{word2}'; leave one.")
    if not opinions:
        raise TermgaugeError(f"{files[0].label}: holds no opinion; write yes or no in the column accept.")
    return opinions
