"""Figures of a study while it is served, computed in the background."""

from __future__ import annotations

import asyncio
import math
import time
from contextlib import closing
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import polars as pl

from termgauge.studies.agreement.screening import carelessness_of
from termgauge.studies.answers import answer_names
from termgauge.studies.study_file import QUALITY

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from termgauge.statistics.krippendorff import Level
    from termgauge.studies.folder import Study
    from termgauge.studies.raters import AdminVisit, Event, Rater
    from termgauge.studies.ratings import Ratings
    from termgauge.studies.study_file import StudyFile

T = TypeVar("T")
SHARE_OF_TIME, LONGEST_REST = 0.1, 60.0
"""So much of the time may go into the work: where it takes long, its result is renewed more rarely, but it is."""


class BackgroundCache(Generic[T]):
    """The last result of some work, and of which state of things it is."""

    def __init__(self) -> None:
        self._result: T | None = None
        self._of: object = None
        self._task: asyncio.Task[None] | None = None
        self._rests_until = 0.0

    @property
    def is_renewed(self) -> bool:
        """Whether the work goes on at the moment, so that another result comes soon."""
        return self._task is not None

    async def get(self, state: object, work: Callable[[], T], *, timeout: float | None = None) -> T | None:
        """Return the result, made anew by `work` in a thread if the state of things is another one.

        After so many seconds (`timeout`) the former result is returned, None if there was none, and the work goes on.
        """
        if self._task is None and state != self._of and time.monotonic() >= self._rests_until:
            self._task = asyncio.create_task(self._make(state, work))
        if self._task is not None:
            task = self._task
            await asyncio.wait({task}, timeout=timeout)
            if task.done():
                self._task = None
                task.result()
        return self._result

    async def _make(self, state: object, work: Callable[[], T]) -> None:
        begun = time.monotonic()
        try:
            self._result = await asyncio.to_thread(work)
            self._of = state
        finally:
            took = time.monotonic() - begun
            self._rests_until = time.monotonic() + min(took * (1 / SHARE_OF_TIME - 1), LONGEST_REST)


AGREEMENT_TIMEOUT = 1.5
"""So many seconds a page waits for agreement that is not worked out yet."""


@dataclass(frozen=True)
class RaterTally:
    """What can be counted in the answers of one rater."""

    answered: int = 0
    unknown: int = 0
    seconds: float | None = None
    """The median time for a pair."""
    minutes: tuple[float | None, ...] = ()
    """On each page; None where no time is known."""
    flags: tuple[str, ...] = ()
    """What deserves a look, a few words each."""


@dataclass(frozen=True)
class Tally:
    """What can be counted in all answers, those of raters who are left out among them."""

    raters: Mapping[str, RaterTally]
    counts: tuple[tuple[str, int], ...]
    """How often each answer was given, "I do not know" last."""


@dataclass(frozen=True)
class Agreement:
    """How far the raters who are not left out agree so far; None where it is undefined."""

    level: Level
    """What differences mean in Krippendorff's alpha: ``nominal`` in a quality study, else ``interval``."""
    alpha: float | None = None
    iaa1: float | None = None
    iaa2: float | None = None
    raters: Mapping[str, tuple[float | None, float | None]] = field(default_factory=dict)
    """IAA-1 and IAA-2 of each rater."""


@dataclass(frozen=True)
class Overview:
    """All that the administrator sees."""

    raters: tuple[Rater, ...]
    showings: Mapping[int, int]
    """How many pairs each group is asked."""
    tally: Tally
    agreement: Agreement | None
    """None before it was worked out for the first time."""
    pending: bool
    """Whether agreement is being worked out anew."""
    history: tuple[Event, ...]
    """The last first."""
    visits: tuple[AdminVisit, ...] = ()
    """Those of the administrator, the last first."""

    def to_json(self) -> dict[str, Any]:
        """Return all of it as JSON has it."""
        return {
            "raters": [
                {
                    **asdict(rater),
                    "showings": self.showings[rater.group],
                    **asdict(self.tally.raters.get(rater.id, RaterTally())),
                }
                for rater in self.raters
            ],
            "counts": dict(self.tally.counts),
            "agreement": None if self.agreement is None else asdict(self.agreement),
            "history": [asdict(event) for event in self.history],
            "visits": [asdict(visit) for visit in self.visits],
        }


class Observer:
    """Looks at a study when asked."""

    def __init__(self, study: Study) -> None:
        self._study = study
        self._showings = dict(study.layout.group_by("group").len().iter_rows())
        self._counted: BackgroundCache[tuple[Ratings, Tally]] = BackgroundCache()
        self._agreement: BackgroundCache[Agreement] = BackgroundCache()

    async def overview(self) -> Overview:
        """Return how the study goes."""
        raters, history, visits, version = await asyncio.to_thread(self._read)
        counted = await self._counted.get(version, self._count)
        assert counted is not None
        ratings, tally = counted
        kept = [rater.id for rater in raters if rater.state != "left_out"]
        level: Level = "nominal" if self._study.file.kind == QUALITY else "interval"
        agreement = await self._agreement.get(
            (ratings, *kept), lambda: agreement_so_far(ratings.of_raters(kept), level), timeout=AGREEMENT_TIMEOUT
        )
        return Overview(
            tuple(raters), self._showings, tally, agreement, self._agreement.is_renewed, tuple(reversed(history)),
            tuple(sorted(visits, key=lambda visit: visit.last, reverse=True)),
        )  # fmt: skip

    def _read(self) -> tuple[list[Rater], list[Event], list[AdminVisit], tuple[int, int]]:
        with closing(self._study.store()) as store:
            return store.raters(), store.history(), store.visits(), store.version()

    def _count(self) -> tuple[Ratings, Tally]:
        ratings = self._study.ratings(include_left_out=True)
        return ratings, tally_of(ratings, self._study.file)


def tally_of(ratings: Ratings, file: StudyFile) -> Tally:
    """Return what can be counted in answers."""
    answers = ratings.answers
    minutes = _minutes(answers, file.pages)
    flags = {each.rater: each.flags for each in carelessness_of(ratings)}
    own = answers.group_by("rater", maintain_order=True).agg(
        answered=pl.len(), unknown=pl.col("rating").null_count(), seconds=pl.col("seconds").median()
    )
    raters = {
        rater: RaterTally(answered, unknown, seconds, minutes[rater], flags[rater])
        for rater, answered, unknown, seconds in own.iter_rows()
    }
    return Tally(raters, _counts(answers, file))


def agreement_so_far(ratings: Ratings, level: Level) -> Agreement:
    """Return how far raters agree."""
    from termgauge.statistics.agreement import Rated, agreement_of
    from termgauge.statistics.krippendorff import krippendorff_alpha

    given = ratings.first_showings().drop_nulls("rating")
    alpha = krippendorff_alpha(given["pair"].to_numpy(), given["rating"].to_numpy(), level).value
    groups = given.group_by("rater", maintain_order=True).agg(pl.col("group").first())
    if groups.height < 2:
        return Agreement(level)
    numbers = dict(zip(groups["rater"], range(groups.height), strict=True))
    found = agreement_of(
        Rated.from_ratings(
            given["rater"].replace_strict(numbers), given["pair"].rank("dense") - 1, given["rating"],
            groups["group"].rank("dense") - 1,
        )
    )  # fmt: skip
    own = zip(map(_defined, found.rater_iaa1), map(_defined, found.rater_iaa2), strict=True)
    raters = dict(zip(groups["rater"], own, strict=True))
    return Agreement(level, _defined(alpha), _defined(found.iaa1), _defined(found.iaa2), raters)


def _minutes(answers: pl.DataFrame, pages: int) -> dict[str, tuple[float | None, ...]]:
    """Return how long each rater took for each page."""
    found: dict[str, list[float | None]] = {rater: [None] * pages for rater in answers["rater"].unique()}
    timed = answers.filter(pl.col("seconds").is_not_null()).group_by("rater", "page").agg(pl.col("seconds").sum() / 60)
    for rater, page, minutes in timed.iter_rows():
        found[rater][page - 1] = minutes
    return {rater: tuple(row) for rater, row in found.items()}


def _counts(answers: pl.DataFrame, file: StudyFile) -> tuple[tuple[str, int], ...]:
    """Return how often each answer was given, under the name that raters read."""
    given = dict(answers["rating"].value_counts().iter_rows())
    return tuple((name, given.get(value, 0)) for value, name in answer_names(file).items())


def _defined(value: float) -> float | None:
    return None if math.isnan(value) else float(value)
