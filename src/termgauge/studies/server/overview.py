"""How a study goes, for its administrator: who is how far and how fast, how far raters agree, what deserves a look.

Counting answers takes longer than showing a page, so the figures are made in a thread of their own and kept until there
are new answers; raters never wait for them. Nothing here knows of the key of a quality study.
"""

from __future__ import annotations

import asyncio
import math
import time
from contextlib import closing
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from termgauge.studies.study_file import QUALITY

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    import polars as pl

    from termgauge.statistics.krippendorff import Level
    from termgauge.studies.folder import Study
    from termgauge.studies.raters import Event, Rater
    from termgauge.studies.ratings import Ratings
    from termgauge.studies.study_file import StudyFile

SHARE_OF_TIME = 0.1
"""So much of the time may go into figures; where they take long they are made more rarely."""


@dataclass(frozen=True)
class RaterFigures:
    """What the answers of one rater show."""

    answered: int = 0
    unknown: int = 0
    seconds: float | None = None
    """The median time for a pair."""
    minutes: tuple[float | None, ...] = ()
    """On each page; None where the rater has not been."""
    iaa1: float | None = None
    iaa2: float | None = None
    flags: tuple[str, ...] = ()
    """What deserves a look, a few words each."""


@dataclass(frozen=True)
class Figures:
    """What all answers show. Agreement is that of raters who are not left out."""

    raters: Mapping[str, RaterFigures]
    iaa1: float | None
    iaa2: float | None
    alpha: float | None
    alpha_level: str
    """What differences mean in Krippendorff's alpha: ``interval``, or ``nominal`` in a quality study."""
    counts: tuple[tuple[str, int], ...]
    """How often each answer was given, "I do not know" last."""


@dataclass(frozen=True)
class Overview:
    """All that the administrator sees."""

    raters: tuple[tuple[Rater, RaterFigures, int], ...]
    """Each rater, what their answers show, and how many pairs they are asked."""
    figures: Figures
    history: tuple[Event, ...]
    """The last first."""

    def to_json(self) -> dict[str, Any]:
        """Return all of it as JSON has it."""
        return {
            **asdict(self.figures),
            "raters": [{**asdict(rater), "showings": showings, **asdict(own)} for rater, own, showings in self.raters],
            "history": [asdict(event) for event in self.history],
        }


class Observer:
    """Makes figures when they are asked for and there is something new, one at a time."""

    def __init__(self, study: Study) -> None:
        self._study = study
        self._lock = asyncio.Lock()
        self._figures: Figures | None = None
        self._of: tuple[int, frozenset[str]] | None = None
        self._rest_until = 0.0

    async def overview(self) -> Overview:
        """Return how the study goes, without making anybody else wait."""
        async with self._lock:
            return await asyncio.to_thread(self._look)

    def _look(self) -> Overview:
        with closing(self._study.store()) as store:
            raters, history, answers = store.raters(), store.history(), store.count()
        state = answers, frozenset(rater.id for rater in raters if rater.state == "left_out")
        if self._figures is None or (state != self._of and time.monotonic() >= self._rest_until):
            begun = time.monotonic()
            self._figures, self._of = figures_of(self._study, left_out=state[1]), state
            took = time.monotonic() - begun
            self._rest_until = begun + took / SHARE_OF_TIME
        showings = dict(self._study.layout.group_by("group").len().iter_rows())
        nothing = RaterFigures(minutes=(None,) * self._study.file.pages)
        rows = tuple((each, self._figures.raters.get(each.id, nothing), showings[each.group]) for each in raters)
        return Overview(rows, self._figures, tuple(reversed(history)))


def figures_of(study: Study, *, left_out: frozenset[str] = frozenset()) -> Figures:
    """Return what the answers of a study show so far."""
    ratings = study.ratings(include_left_out=True)
    agreed, own = _agreement(ratings.of_raters([each for each in ratings.raters if each not in left_out]))
    level: Level = "nominal" if study.file.kind == QUALITY else "interval"
    minutes, flags = _minutes(ratings.answers, study.file.pages), flags_of(ratings)
    raters = {
        rater: RaterFigures(answered, unknown, seconds, minutes[rater], *own.get(rater, (None, None)), flags[rater])
        for rater, answered, unknown, seconds in _pace(ratings.answers)
    }
    return Figures(raters, *agreed, _alpha(ratings, left_out, level), level, _counts(ratings.answers, study.file))


def _pace(answers: pl.DataFrame) -> Iterable[tuple[str, int, int, float | None]]:
    """Return how many pairs each rater answered, how many of them were not known, and the median time for one."""
    import polars as pl

    return answers.group_by("rater", maintain_order=True).agg(
        answered=pl.len(), unknown=pl.col("rating").null_count(), seconds=pl.col("seconds").median()
    ).iter_rows()  # fmt: skip


def _minutes(answers: pl.DataFrame, pages: int) -> dict[str, tuple[float | None, ...]]:
    """Return how long each rater took for each page."""
    import polars as pl

    found: dict[str, list[float | None]] = {rater: [None] * pages for rater in answers["rater"].unique()}
    timed = answers.filter(pl.col("seconds").is_not_null()).group_by("rater", "page").agg(pl.col("seconds").sum() / 60)
    for rater, page, minutes in timed.iter_rows():
        found[rater][page - 1] = minutes
    return {rater: tuple(row) for rater, row in found.items()}


def _agreement(
    ratings: Ratings,
) -> tuple[tuple[float | None, float | None], dict[str, tuple[float | None, float | None]]]:
    """Return IAA-1 and IAA-2 of all raters, and of each."""
    import polars as pl

    from termgauge.statistics.agreement import Rated, agreement_of

    given = ratings.first_showings().drop_nulls("rating")
    groups = given.group_by("rater", maintain_order=True).agg(pl.col("group").first())
    if groups.height < 2:
        return (None, None), {}
    numbers = dict(zip(groups["rater"], range(groups.height), strict=True))
    found = agreement_of(
        Rated.of(
            given["rater"].replace_strict(numbers), given["pair"].rank("dense") - 1, given["rating"],
            groups["group"].rank("dense") - 1,
        )
    )  # fmt: skip
    each = zip(groups["rater"], map(_defined, found.rater_iaa1), map(_defined, found.rater_iaa2), strict=True)
    return (_defined(found.iaa1), _defined(found.iaa2)), {rater: (iaa1, iaa2) for rater, iaa1, iaa2 in each}


def _alpha(ratings: Ratings, left_out: frozenset[str], level: Level) -> float | None:
    import polars as pl

    from termgauge.statistics.krippendorff import krippendorff_alpha

    given = ratings.first_showings().drop_nulls("rating").filter(~pl.col("rater").is_in(list(left_out)))
    return _defined(krippendorff_alpha(given["pair"].to_numpy(), given["rating"].to_numpy(), level).value)


def _counts(answers: pl.DataFrame, file: StudyFile) -> tuple[tuple[str, int], ...]:
    """Return how often each answer was given, under the name that raters read."""
    given = dict(answers["rating"].value_counts().iter_rows())
    names = [
        (each.label if file.widget == "choices" else f"{each.value:g} {each.label}", each.value)
        for each in file.answers
    ]
    return (*((name, given.get(value, 0)) for name, value in names), (file.unknown, given.get(None, 0)))


def flags_of(ratings: Ratings) -> dict[str, tuple[str, ...]]:
    return {rater: () for rater in ratings.raters}


def _defined(value: float) -> float | None:
    return None if math.isnan(value) else float(value)
