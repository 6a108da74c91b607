"""The administrator's page in words and figures: what the template only has to put into place."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from termgauge.plurals import numbered
from termgauge.reporting.numbers import MISSING, decimal, share, with_minus
from termgauge.studies.agreement import screening
from termgauge.studies.invitations import qr_svg
from termgauge.studies.server.overview import RaterTally
from termgauge.studies.store import ERASED
from termgauge.studies.study_file import QUALITY

if TYPE_CHECKING:
    from collections.abc import Mapping

    from termgauge.studies.folder import Study
    from termgauge.studies.raters import AdminVisit, Event, Rater
    from termgauge.studies.server.overview import Agreement, Overview

MOST_EVENTS = 200
"""How many of the things that happened, and of the visits, are shown; ``study status --json`` has all."""
STATES: Mapping[str, str] = {
    "active": "active", "paused": "paused", "left_out": "left out", "finished": "finished", "revoked": "link revoked",
}  # fmt: skip
EVENTS: Mapping[str, str] = {
    **STATES, "active": "active again", "invited": "invited", "reissued": "got a new link",
    "linked": "got a further link", "begun": "began",
    "qualified": "qualified", "missed": "missed the qualification", "administrator": "new link for the administrator",
    ERASED: "answers erased",
}  # fmt: skip
ACTIONS = {
    "pause": "Pause", "resume": "Resume", "leave_out": "Leave out", "take_back": "Take back", "reissue": "New link",
    "reopen": "Reopen",
}  # fmt: skip
ACTIONS_IN = {
    "active": ("pause", "leave_out", "reissue"),
    "paused": ("resume", "leave_out", "reissue"),
    "left_out": ("take_back",),
    "finished": ("reopen", "leave_out", "reissue"),
    "revoked": ("reissue", "leave_out"),
}
"""What can become of a rater in each state."""
RULES = (
    f"Equal ratings: {screening.RUN} or more in a row.",
    f"Alternation: {screening.ALTERNATION} or more answers that alternate between two ratings.",
    f"Second ratings: they differ from the first of the same pair by more than {screening.DIFFERENCE:g} on average.",
    "IAA-1: the mean of Spearman's correlations of a rater with each other rater of the group.",
    "IAA-2: the correlation of a rater with the mean of the others. Raters who are left out are in neither.",
    f"Too fast: the median time for a pair is less than {screening.FASTEST:g} s.",
    f"Faster than others: it is less than {screening.FAST_SHARE:.0%} of that of the median rater.",
)
"""When a rater is flagged. A flag decides nothing by itself."""


@dataclass(frozen=True)
class Measure:
    """A figure and what it says."""

    name: str
    value: str
    says: str


@dataclass(frozen=True)
class RaterRow:
    """A rater as a row of the table."""

    id: str
    name: str | None
    group: int
    state: str
    state_said: str
    reason: str | None
    done: int
    all: int
    last_seen: str | None
    seen_said: str
    pace: str
    iaa1: str
    iaa2: str
    unknown: int
    flags: tuple[str, ...]
    minutes: tuple[str, ...]
    actions: tuple[tuple[str, str], ...]
    """The name of each action and what its button says; none where the answers were erased."""


@dataclass(frozen=True)
class Bar:
    """An answer and how often it was given."""

    label: str
    count: int
    share: str


@dataclass(frozen=True)
class EventRow:
    """Something that happened."""

    time: str
    who: str
    what: str
    reason: str | None


@dataclass(frozen=True)
class Admin:
    """All that the administrator sees."""

    title: str
    csrf: str
    notice: str | None
    link: str | None
    """The new link of a rater, which is shown once."""
    qr: str
    """The same as a picture for phones."""
    rated: bool
    """Whether the answers are ratings on a scale."""
    groups: int
    next_group: int
    """The group with the fewest raters, for the next one."""
    pages: int
    done: int
    all: int
    states: str
    agreement: tuple[Measure, ...]
    pending: bool
    """Whether agreement is still being worked out."""
    raters: tuple[RaterRow, ...]
    rules: tuple[str, ...]
    distribution: tuple[Bar, ...]
    given: int
    """All answers."""
    history: tuple[EventRow, ...]
    earlier: int
    visits: tuple[AdminVisit, ...]
    made: str


def admin_view(
    study: Study, overview: Overview, csrf: str, *, link: str | None = None, notice: str | None = None
) -> Admin:
    """Return the page of the administrator."""
    now, raters, rated = datetime.now(UTC), overview.raters, study.file.kind != QUALITY
    names = {rater.id: rater.name or rater.id for rater in raters}
    erased = {event.rater for event in overview.history if event.what == ERASED}
    states = Counter[str](rater.state for rater in raters)
    groups = Counter(rater.group for rater in raters if rater.state not in ("left_out", "revoked"))
    total = sum(count for _label, count in overview.tally.counts)
    bars = [Bar(label, count, share(count / total) if total else "") for label, count in overview.tally.counts]
    rows = tuple(_row(overview, rater, study.file.pages, now, erased=rater.id in erased) for rater in raters)
    return Admin(
        title=study.file.title,
        csrf=csrf,
        notice=notice,
        link=link,
        qr=qr_svg(link) if link else "",
        rated=rated,
        groups=study.file.groups,
        next_group=min(range(1, study.file.groups + 1), key=lambda group: groups[group]),
        pages=study.file.pages,
        done=sum(row.done for row in rows),
        all=sum(row.all for row in rows),
        states=", ".join(f"{states[state]} {said}" for state, said in STATES.items() if states[state]),
        agreement=_agreement(overview.agreement, rated=rated),
        pending=overview.pending,
        raters=rows,
        rules=RULES if rated else (*RULES[:2], *RULES[-2:]),
        distribution=tuple(bars),
        given=total,
        history=tuple(_event(event, names) for event in overview.history[:MOST_EVENTS]),
        earlier=max(0, len(overview.history) - MOST_EVENTS),
        visits=overview.visits[:MOST_EVENTS],
        made=now.isoformat(timespec="seconds").replace("+00:00", "Z"),
    )


def _agreement(found: Agreement | None, *, rated: bool) -> tuple[Measure, ...]:
    if found is None:
        return (Measure("Agreement", MISSING, "is being worked out"),)
    alpha = Measure("Krippendorff's alpha", _figure(found.alpha), f"{found.level} differences; 1 is full agreement")
    if not rated:
        return (alpha,)
    return (
        Measure("IAA-1", _figure(found.iaa1), "each rater with each other one"),
        Measure("IAA-2", _figure(found.iaa2), "each rater with the mean of the others"),
        alpha,
    )


def _row(overview: Overview, rater: Rater, pages: int, now: datetime, *, erased: bool) -> RaterRow:
    own = overview.tally.raters.get(rater.id, RaterTally(minutes=(None,) * pages))
    iaa1, iaa2 = overview.agreement.raters.get(rater.id, (None, None)) if overview.agreement else (None, None)
    return RaterRow(
        id=rater.id,
        name=rater.name,
        group=rater.group,
        state=rater.state,
        state_said=STATES[rater.state],
        reason=rater.reason,
        done=own.answered,
        all=overview.showings[rater.group],
        last_seen=rater.last_seen,
        seen_said=ago(rater.last_seen, now) if rater.last_seen else "",
        pace=decimal(own.seconds, 1, top=None),
        iaa1=_figure(iaa1),
        iaa2=_figure(iaa2),
        unknown=own.unknown,
        flags=own.flags,
        minutes=tuple(decimal(each, 1, top=None) for each in own.minutes),
        actions=() if erased else tuple((name, ACTIONS[name]) for name in ACTIONS_IN[rater.state]),
    )


def ago(then: str, now: datetime) -> str:
    """Return how long ago something was.

    >>> ago("2026-03-01T10:00:00.000Z", datetime(2026, 3, 1, 12, 40, tzinfo=UTC))
    '2 hours ago'
    """
    seconds = (now - datetime.fromisoformat(then)).total_seconds()
    for length, unit in ((86400, "day"), (3600, "hour"), (60, "minute")):
        if seconds >= length:
            count = int(seconds // length)
            return f"{numbered(count, unit)} ago"
    return "just now"


def _event(event: Event, names: dict[str, str]) -> EventRow:
    return EventRow(event.time, names.get(event.rater or "", ""), EVENTS.get(event.what, event.what), event.reason)


def _figure(value: float | None) -> str:
    return with_minus(decimal(value, 2))
