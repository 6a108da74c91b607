"""Everything besides the terminology that decides what is in a benchmark, checked before anything is read."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime
from typing import TYPE_CHECKING, Any

from termgauge.benchmark.positives import SPLIT_DISTANCE
from termgauge.benchmark.sets import select_sets
from termgauge.exceptions import TermgaugeError, did_you_mean
from termgauge.terminology.model import KINDS, SYNONYM

if TYPE_CHECKING:
    from collections.abc import Mapping

SCOPES = ("exact", "related", "narrow", "broad", "layperson")


@dataclass(frozen=True)
class BuildOptions:
    """Everything besides the terminology that decides what is in a benchmark."""

    seed: int = 42
    split_distance: int = SPLIT_DISTANCE
    since: str | None = None
    """Only positives whose younger term entered the terminology on or after this day (YYYYMMDD)."""
    language: str | None = "en"
    only: tuple[str, ...] = ()
    """Kinds, difficulties and strategies; all if empty."""
    scope: tuple[str, ...] = ()
    """Scopes of OBO synonyms that count besides exact ones."""
    tag: str | None = None
    under: str | None = None
    max_pairs: int | None = None
    """The most pairs of a set; a seeded subsample of its positives is taken."""

    def checked(self) -> BuildOptions:
        """Return itself if every option makes sense.

        Raises
        ------
        TermgaugeError
            If one does not.
        """
        for scope in self.scope:
            if scope not in SCOPES:
                raise TermgaugeError(
                    f"'{scope}' is no scope of synonyms; known are {', '.join(SCOPES)}.{did_you_mean(scope, SCOPES)}"
                )
        if self.max_pairs is not None and self.max_pairs < 2:
            raise TermgaugeError(f"--max-pairs must be at least 2, a positive and a negative, not {self.max_pairs}.")
        if self.split_distance < 0:
            raise TermgaugeError(f"--split-distance must be 0 or more, not {self.split_distance}.")
        _ = self.since_date
        _ = select_sets(self.only)
        return self

    @property
    def since_date(self) -> date | None:
        """The day of `since`."""
        if self.since is None:
            return None
        for layout in ("%Y%m%d", "%Y-%m-%d"):
            try:
                return datetime.strptime(self.since, layout).date()  # noqa: DTZ007 - a day, not a moment
            except ValueError:
                continue
        raise TermgaugeError(f"'since' must be a day such as 20180131, not '{self.since}'.")

    @property
    def kinds_of_synonym(self) -> tuple[str, ...]:
        """The kinds of terms that count as synonyms."""
        return (SYNONYM, *(scope for scope in KINDS if scope in self.scope))


def options_of(given: Mapping[str, Any]) -> BuildOptions:
    """Return options by their names, checked.

    Raises
    ------
    TermgaugeError
        If there is no option of that name, or its value makes no sense.
    """
    chosen = dict(given)
    known = list(BuildOptions.__dataclass_fields__)
    for name in chosen:
        if name not in known:
            raise TermgaugeError(f"build has no option '{name}'.{did_you_mean(name, known)}")
    for name in ("only", "scope"):
        if name in chosen:
            value = chosen[name]
            chosen[name] = (value,) if isinstance(value, str) else tuple(value or ())
    return BuildOptions(**chosen).checked()
