"""The showings of a group, in their order, and the answers that raters send to them."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, field_validator
from starlette.exceptions import HTTPException

from termgauge.studies.sheets import showings_of

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Mapping, Sequence

    from termgauge.studies.folder import Study
    from termgauge.studies.sheets import Showing, Slot


class Course:
    """All that the raters of a group see, in order."""

    def __init__(self, showings: Sequence[Showing]) -> None:
        self.showings = showings
        self.by_page = {page: tuple(group) for page, group in groupby(showings, key=lambda showing: showing.page)}
        self._order = {showing.slot: at for at, showing in enumerate(showings)}

    def __contains__(self, slot: Slot) -> bool:
        return slot in self._order

    def __getitem__(self, slot: Slot) -> Showing:
        return self.showings[self._order[slot]]

    def neighbour(self, slot: Slot, step: int) -> Showing | None:
        """Return what comes so many steps after a slot, or before it; None beyond both ends."""
        at = self._order[slot] + step
        return self.showings[at] if 0 <= at < len(self.showings) else None

    def first_open(self, answered: Container[Slot]) -> Showing | None:
        """Return the first showing without an answer, None if all have one."""
        return next((showing for showing in self.showings if showing.slot not in answered), None)

    def equal_run(self, slot: Slot, rating_at: Callable[[Slot], float | None]) -> int:
        """Return how many equal ratings in a row end at a slot; one that is missing ends a row."""
        last = start = self._order[slot]
        rating = rating_at(slot)
        if rating is None:
            return 0
        while start and rating_at(self.showings[start - 1].slot) == rating:
            start -= 1
        return last - start + 1


def courses_of(study: Study) -> dict[int, Course]:
    """Return the course of each group."""
    return {group: Course(showings_of(study, group)) for group in range(1, study.file.groups + 1)}


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
