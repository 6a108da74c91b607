"""Raters, their answers and what happened to them, as plain records; the store keeps them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from termgauge.exceptions import TermgaugeError

State = Literal["active", "paused", "left_out", "finished", "revoked"]
STATES: tuple[State, ...] = get_args(State)
FROM_PAGE = "page"
"""The source of answers that were given on the page; others name a file."""


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
class Event:
    """Something that happened to a rater: a new state, an invitation, a new link, a qualification."""

    time: str
    rater: str | None
    what: str
    reason: str | None


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


def number_of(rater: str) -> int:
    """Return the number in the id of a rater."""
    digits = rater.removeprefix("r")
    number = int(digits) if digits.isascii() and digits.isdecimal() and len(digits) < 10 else 0
    if rater != f"r{number}":
        raise TermgaugeError(f"'{rater}' is no id of a rater; they look like r1.")
    return number
