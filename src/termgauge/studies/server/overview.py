"""Figures of a study while it is served, computed in the background."""

from __future__ import annotations

import asyncio
import time
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import polars as pl

from termgauge.studies.agreement.screening import rated_of
from termgauge.studies.status import answer_names, rater_statuses, tally_of
from termgauge.studies.study_file import QUALITY
from termgauge.tasks.results import finite

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from termgauge.statistics.krippendorff import Level
    from termgauge.studies.folder import Study
    from termgauge.studies.ratings import Ratings
    from termgauge.studies.status import RaterStatus, Tallies
    from termgauge.studies.store import AdminVisit, Event, Rater

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
class Agreement:
    """How far the raters who are not left out agree so far; None where it is undefined."""

    level: Level
    """What differences mean in Krippendorff's alpha: ``nominal`` in a quality study, else ``interval``."""
    alpha: float | None = None
    iaa1: float | None = None
    iaa2: float | None = None
    raters: Mapping[str, tuple[float | None, float | None]] = field(default_factory=dict)


@dataclass(frozen=True)
class Overview:
    """All that the administrator sees."""

    raters: tuple[RaterStatus, ...]
    counts: Mapping[str, int]
    """How often each answer was given, "I do not know" last."""
    agreement: Agreement | None
    """None before it was worked out for the first time."""
    pending: bool
    history: tuple[Event, ...]
    visits: tuple[AdminVisit, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Return all of it as JSON has it."""
        document = asdict(self)
        del document["pending"]
        for rater in document["raters"]:
            del rater["pages"]
        return document


class Observer:
    """Looks at a study when asked."""

    def __init__(self, study: Study) -> None:
        self._study = study
        self._counted: BackgroundCache[tuple[Ratings, Tallies, dict[str, int]]] = BackgroundCache()
        self._agreement: BackgroundCache[Agreement] = BackgroundCache()

    async def overview(self) -> Overview:
        """Return how the study goes."""

        def read() -> tuple[list[Rater], list[Event], list[AdminVisit], tuple[int, int]]:
            with self._study.store() as store:
                return store.raters(), store.history(), store.visits(), store.version()

        def count() -> tuple[Ratings, Tallies, dict[str, int]]:
            ratings = self._study.ratings(include_left_out=True)
            times = dict(ratings.answers["rating"].value_counts().iter_rows())
            counts = {name: times.get(value, 0) for value, name in answer_names(self._study.file).items()}
            return ratings, tally_of(self._study, ratings), counts

        raters, history, visits, version = await asyncio.to_thread(read)
        counted = await self._counted.get(version, count)
        assert counted is not None
        ratings, tallies, counts = counted
        kept = [rater.id for rater in raters if rater.state != "left_out"]
        level: Level = "nominal" if self._study.file.kind == QUALITY else "interval"
        agreement = await self._agreement.get(
            (ratings, *kept), lambda: agreement_so_far(ratings.of_raters(kept), level), timeout=AGREEMENT_TIMEOUT
        )
        return Overview(
            rater_statuses(self._study, raters, tallies), counts, agreement, self._agreement.is_renewed,
            tuple(reversed(history)), tuple(sorted(visits, key=lambda visit: visit.last, reverse=True)),
        )  # fmt: skip


def agreement_so_far(ratings: Ratings, level: Level) -> Agreement:
    """Return how far raters agree."""
    from termgauge.statistics.agreement import agreement_of
    from termgauge.statistics.krippendorff import krippendorff_alpha

    answers = ratings.first_showings().drop_nulls("rating")
    alpha = krippendorff_alpha(answers["pair"].to_numpy(), answers["rating"].to_numpy(), level).value
    groups = answers.group_by("rater", maintain_order=True).agg(pl.col("group").first())
    if groups.height < 2:
        return Agreement(level)
    agreement = agreement_of(rated_of(ratings, dict(groups.iter_rows())))
    both = zip(map(finite, agreement.rater_iaa1), map(finite, agreement.rater_iaa2), strict=True)
    raters = dict(zip(groups["rater"], both, strict=True))
    return Agreement(level, finite(alpha), finite(agreement.iaa1), finite(agreement.iaa2), raters)
