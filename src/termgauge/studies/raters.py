"""Raters, their answers and what happened to them, as plain records; the store keeps them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Literal, get_args

from termgauge.exceptions import TermgaugeError

State = Literal["active", "paused", "left_out", "finished", "revoked"]
STATES: tuple[State, ...] = get_args(State)
FROM_PAGE = "page"
"""The source of answers that were given on the page; others name a file."""
MOST_DAYS = 3650
"""For so long a link can be made to work that does not work for ever."""


@dataclass(frozen=True)
class Rater:
    """Somebody who rates; times are UTC."""

    id: str
    group: int
    name: str | None
    state: State
    reason: str | None
    """Why the rater is in this state, where the administrator said so."""
    invited: str
    last_seen: str | None = None
    begun: str | None = None
    """When the rater had read the instructions, after the last qualification that was missed."""
    qualified: str | None = None
    attempts: int = 0
    """How often the qualification was missed."""


@dataclass(frozen=True)
class Answer:
    """What a rater said to a showing; a rating that is None means "I do not know"."""

    rater: str
    page: int
    position: int
    revision: int
    rating: float | None
    seconds: float | None
    client_id: str
    given: str
    source: str = FROM_PAGE


@dataclass(frozen=True)
class Adjudication:
    """What the administrator decided about a pair on which raters disagree; a rating that is None means "not known"."""

    pair: int
    rating: float | None
    reason: str
    decided: str


@dataclass(frozen=True)
class Event:
    """Something that happened to a rater: a new state, an invitation, a new link, a qualification."""

    time: str
    rater: str | None
    what: str
    reason: str | None


@dataclass(frozen=True)
class Link:
    """A secret link, by which a rater or the administrator comes; times are UTC."""

    rater: str | None
    """None: the administrator."""
    issued: str
    expires: str | None
    revoked: str | None

    def end(self, days: int | None = None) -> str | None:
        """Return when it stops working, at the latest so many days after it was made; None for never."""
        ends = (self.expires, None if days is None else days_after(self.issued, days))
        return min((each for each in ends if each is not None), default=None)

    def works(self, days: int | None = None) -> bool:
        """Say whether it works now."""
        end = self.end(days)
        return self.revoked is None and (end is None or now() < end)


@dataclass(frozen=True)
class AdminVisit:
    """A page that the administrator used, once or several times within half an hour each; times are UTC."""

    link: str
    """When the link was made that they came by."""
    address: str
    page: str
    first: str
    last: str
    times: int


class AnswerRefusedError(TermgaugeError):
    """An answer that is not stored, because another one was there first."""

    def __init__(self, sentence: str, current: Answer | None) -> None:
        super().__init__(sentence)
        self.current = current


class NotActiveError(TermgaugeError):
    """The rater may not answer now: paused, finished, left out or revoked."""

    def __init__(self, sentence: str, state: State) -> None:
        super().__init__(sentence)
        self.state = state


def days_after(time: str, days: int) -> str:
    """Return the time so many days later, written alike.

    >>> days_after("2026-02-27T10:00:00.000Z", 2)
    '2026-03-01T10:00:00.000Z'
    """
    if not 1 <= days <= MOST_DAYS:
        raise TermgaugeError(f"A link expires after 1 to {MOST_DAYS:,} days, not after {days:,}.")
    return _written(datetime.fromisoformat(time) + timedelta(days=days))


def now(ago: timedelta = timedelta()) -> str:
    """Return the time (UTC), or what it was so long ago, as it is stored."""
    return _written(datetime.now(UTC) - ago)


def _written(time: datetime) -> str:
    return time.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def number_of(rater: str) -> int:
    """Return the number in the id of a rater."""
    digits = rater.removeprefix("r")
    number = int(digits) if digits.isascii() and digits.isdecimal() and len(digits) < 10 else 0
    if rater != f"r{number}":
        raise TermgaugeError(f"'{rater}' is no id of a rater; they look like r1.")
    return number
