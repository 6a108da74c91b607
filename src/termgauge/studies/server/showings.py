"""The showings of a group, in their order, and the answers that raters send to them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, field_validator
from starlette.exceptions import HTTPException

from termgauge.studies.sheets import Slot, showings_of

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Mapping

    from termgauge.studies.folder import Study


@dataclass(frozen=True)
class Showing:
    """A pair as a rater sees it."""

    page: int
    position: int
    word1: str
    word2: str

    @property
    def slot(self) -> Slot:
        """Where it stands."""
        return self.page, self.position


@dataclass(frozen=True)
class Course:
    """All that the raters of a group see, in order."""

    showings: tuple[Showing, ...]

    @cached_property
    def _order(self) -> Mapping[Slot, int]:
        return {showing.slot: at for at, showing in enumerate(self.showings)}

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

    def __contains__(self, slot: Slot) -> bool:
        return slot in self._order

    def __getitem__(self, slot: Slot) -> Showing:
        return self.showings[self._order[slot]]

    def after(self, slot: Slot) -> Showing | None:
        """Return what follows, None after the last."""
        at = self._order[slot] + 1
        return self.showings[at] if at < len(self.showings) else None

    def before(self, slot: Slot) -> Showing | None:
        """Return what comes before, None before the first."""
        at = self._order[slot]
        return self.showings[at - 1] if at else None

    def first_open(self, answered: Container[Slot]) -> Showing | None:
        """Return the first showing without an answer, None if all have one."""
        return next((showing for showing in self.showings if showing.slot not in answered), None)

    def equal_run(self, slot: Slot, rating_at: Callable[[Slot], float | None]) -> int:
        """Return how many equal ratings in a row end at a slot; one that is missing ends a row."""
        at = self._order[slot]
        rating = rating_at(slot)
        if rating is None:
            return 0
        start = at
        while start and rating_at(self.showings[start - 1].slot) == rating:
            start -= 1
        return at - start + 1


def address(slot: Slot) -> str:
    """Return the address of a showing.

    >>> address((2, 14))
    '/rate/2/14'
    """
    return f"/rate/{slot[0]}/{slot[1]}"


def courses_of(study: Study) -> dict[int, Course]:
    """Return the course of each group."""
    return {
        group: Course(tuple(Showing(*slot, one, other) for slot, one, other in showings_of(study, group)))
        for group in range(1, study.file.groups + 1)
    }


MOST_ANSWERS = 400
MOST_SECONDS = 3600.0
"""Longer times are stored as this: somebody had left the page open."""
MOST_NUMBER = 1_000_000_000
UNKNOWN = "unknown"


Number = Annotated[int, Field(ge=0, le=MOST_NUMBER)]
Seconds = Annotated[float, Field(ge=0, le=MOST_NUMBER), AfterValidator(lambda seconds: min(seconds, MOST_SECONDS))]


class Incoming(BaseModel):
    """An answer that somebody wants stored."""

    model_config = ConfigDict(strict=True, frozen=True, allow_inf_nan=False)

    client_id: str = Field(min_length=1, max_length=64)
    page: Number
    position: Number
    rating: Annotated[float, Field(ge=-MOST_NUMBER, le=MOST_NUMBER)] | None
    seconds: Seconds | None = None
    revision: Number = 0

    @field_validator("client_id")
    @classmethod
    def _printable(cls, client_id: str) -> str:
        if not client_id.isprintable():
            raise ValueError
        return client_id

    def why_not(self, study: Study, course: Course) -> str | None:
        """Return in a sentence why it cannot be stored; None if it can."""
        if (self.page, self.position) not in course:
            return "There is no such pair for you in this study."
        if self.rating is not None and self.rating not in study.file.values:
            low, high = study.file.scale
            return f"The rating is none of those on the scale from {low:g} to {high:g}."
        return None


class _Batch(BaseModel):
    answers: list[Incoming] = Field(max_length=MOST_ANSWERS)


def answers_in(body: bytes) -> list[Incoming]:
    """Read what the script of the page sends."""
    try:
        return _Batch.model_validate_json(body).answers
    except ValidationError:
        raise HTTPException(400, "The answers cannot be read.") from None


def answer_in(form: Mapping[str, str], page: int, position: int) -> Incoming | None:
    """Read what the form of the page sends; None if no answer was chosen."""
    if not (chosen := form.get("rating", "")):
        return None
    try:
        return Incoming(
            client_id=form["client_id"],
            page=page,
            position=position,
            rating=None if chosen == UNKNOWN else float(chosen),
            seconds=float(form["seconds"]) if form.get("seconds") else None,
            revision=int(form.get("revision") or 0),
        )
    except (ValueError, KeyError):
        raise HTTPException(400, "The answer cannot be read.") from None
