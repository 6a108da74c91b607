"""The way of a rater through a study: what is shown after what, and where they left.

Nothing here knows of labels, sets, kinds or numbers of pairs, so that none of it can reach a browser.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

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


def courses_of(study: Study) -> dict[int, Course]:
    """Return the course of each group."""
    shown = study.layout.join(study.pairs, on="pair", how="left", maintain_order="left").sort(
        "group", "page", "position", maintain_order=True
    )
    found: dict[int, list[Showing]] = {}
    for group, *showing in shown.select("group", "page", "position", "word1", "word2").iter_rows():
        found.setdefault(group, []).append(Showing(*showing))
    return {group: Course(tuple(showings)) for group, showings in found.items()}
