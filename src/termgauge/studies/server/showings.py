"""The showings of a group, in their order, and the answers that raters send to them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from starlette.exceptions import HTTPException

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Mapping

    from termgauge.studies.folder import Study

Place = tuple[int, int]
"""A page and a position on it, both from 1."""


@dataclass(frozen=True)
class Showing:
    """A pair as a rater sees it."""

    page: int
    position: int
    word1: str
    word2: str

    @property
    def place(self) -> Place:
        """Where it stands."""
        return self.page, self.position


@dataclass(frozen=True)
class Course:
    """All that the raters of a group see, in order."""

    showings: tuple[Showing, ...]

    @cached_property
    def _order(self) -> Mapping[Place, int]:
        return {showing.place: at for at, showing in enumerate(self.showings)}

    @cached_property
    def by_page(self) -> Mapping[int, tuple[Showing, ...]]:
        """The showings of each page."""
        pages: dict[int, list[Showing]] = {}
        for showing in self.showings:
            pages.setdefault(showing.page, []).append(showing)
        return {page: tuple(showings) for page, showings in pages.items()}

    @property
    def pages(self) -> int:
        """How many pages there are."""
        return len(self.by_page)

    def __contains__(self, place: Place) -> bool:
        return place in self._order

    def __getitem__(self, place: Place) -> Showing:
        return self.showings[self._order[place]]

    def after(self, place: Place) -> Showing | None:
        """Return what follows, None after the last."""
        at = self._order[place] + 1
        return self.showings[at] if at < len(self.showings) else None

    def before(self, place: Place) -> Showing | None:
        """Return what comes before, None before the first."""
        at = self._order[place]
        return self.showings[at - 1] if at else None

    def first_open(self, answered: Container[Place]) -> Showing | None:
        """Return the first showing without an answer, None if all have one."""
        return next((showing for showing in self.showings if showing.place not in answered), None)

    def equal_run(self, place: Place, rating_at: Callable[[Place], float | None]) -> int:
        """Return how many equal ratings in a row end at a place; one that is missing ends a row."""
        at = self._order[place]
        rating = rating_at(place)
        if rating is None:
            return 0
        start = at
        while start and rating_at(self.showings[start - 1].place) == rating:
            start -= 1
        return at - start + 1


def address(place: Place) -> str:
    """Return the address of a showing.

    >>> address((2, 14))
    '/rate/2/14'
    """
    return f"/rate/{place[0]}/{place[1]}"


def courses_of(study: Study) -> dict[int, Course]:
    """Return the course of each group."""
    shown = study.layout.join(study.pairs, on="pair", how="left", maintain_order="left").sort(
        "group", "page", "position", maintain_order=True
    )
    found: dict[int, list[Showing]] = {}
    for group, *showing in shown.select("group", "page", "position", "word1", "word2").iter_rows():
        found.setdefault(group, []).append(Showing(*showing))
    return {group: Course(tuple(showings)) for group, showings in found.items()}


MOST_ANSWERS = 400
MOST_SECONDS = 3600.0
"""Longer times are stored as this: somebody had left the page open."""
MOST_NUMBER = 1_000_000_000
UNKNOWN = "unknown"


@dataclass(frozen=True)
class Incoming:
    """An answer that somebody wants stored."""

    client_id: str
    page: int
    position: int
    rating: float | None
    seconds: float | None
    revision: int

    def why_not(self, study: Study, course: Course) -> str | None:
        """Return in a sentence why it cannot be stored; None if it can."""
        if (self.page, self.position) not in course:
            return "There is no such pair for you in this study."
        if self.rating is not None and self.rating not in study.file.values:
            low, high = study.file.scale
            return f"The rating is none of those on the scale from {low:g} to {high:g}."
        return None


def answers_in(body: bytes) -> list[Incoming]:
    """Read what the script of the page sends."""
    try:
        document = json.loads(body, parse_constant=_no_number)
        return [_answer(each) for each in _listed(document["answers"])]
    except (ValueError, TypeError, KeyError, RecursionError):
        raise HTTPException(400, "The answers cannot be read.") from None


def answer_in(form: Mapping[str, str], page: int, position: int) -> Incoming | None:
    """Read what the form of the page sends; None if no answer was chosen."""
    given = form.get("rating", "")
    if not given:
        return None
    try:
        rating = None if given == UNKNOWN else float(given)
        seconds = float(form["seconds"]) if form.get("seconds") else None
        return _answer({
            "client_id": form["client_id"], "page": page, "position": position, "rating": rating, "seconds": seconds,
            "revision": int(form.get("revision") or 0),
        })  # fmt: skip
    except (ValueError, TypeError, KeyError):
        raise HTTPException(400, "The answer cannot be read.") from None


def _listed(given: object) -> list[dict[str, object]]:
    if not isinstance(given, list) or len(given) > MOST_ANSWERS:
        raise ValueError
    return given


def _answer(given: Mapping[str, object]) -> Incoming:
    client_id = given["client_id"]
    if not isinstance(client_id, str) or not client_id.isprintable() or not 0 < len(client_id) <= 64:
        raise ValueError
    rating, seconds = _number(given["rating"]), _number(given.get("seconds"))
    if seconds is not None and seconds < 0:
        raise ValueError
    return Incoming(
        client_id, _count(given["page"]), _count(given["position"]), rating,
        None if seconds is None else min(seconds, MOST_SECONDS), _count(given.get("revision", 0)),
    )  # fmt: skip


def _count(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= MOST_NUMBER:
        raise ValueError
    return value


def _number(value: object) -> float | None:
    if value is None:
        return None
    if not isinstance(value, int | float) or isinstance(value, bool) or not abs(value) <= MOST_NUMBER:
        raise ValueError
    return float(value)


def _no_number(_word: str) -> float:
    raise ValueError
