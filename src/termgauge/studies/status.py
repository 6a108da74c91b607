"""Who is how far in a study, and who answers in a way that deserves a look."""

from __future__ import annotations

from collections import Counter
from contextlib import closing
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from termgauge.plurals import numbered
from termgauge.reporting.blocks import Cell, Column, Prose, Section, Table

if TYPE_CHECKING:
    from collections.abc import Callable

    from termgauge.studies.folder import Study
    from termgauge.studies.raters import AdminVisit, Event


@dataclass(frozen=True)
class RaterStatus:
    """How far a rater is."""

    rater: str
    name: str | None
    group: int
    state: str
    reason: str | None
    answered: int
    showings: int
    """How many pairs the rater is asked, second showings included."""
    unknown: int
    """How many were answered with "I do not know"."""
    pages: int
    """How many pages are complete."""
    invited: str
    last_seen: str | None
    flags: tuple[str, ...] = ()
    """What deserves a look, in a few words each."""


@dataclass(frozen=True)
class StudyStatus:
    """How far a study is."""

    summary: dict[str, Any]
    raters: tuple[RaterStatus, ...]
    history: tuple[Event, ...]
    """What happened to raters, in order."""
    visits: tuple[AdminVisit, ...] = ()
    """The visits of the administrator to the pages of the server, in order."""

    def to_json(self) -> dict[str, Any]:
        """Return all of it as JSON has it."""
        return {
            **self.summary,
            "answers": sum(each.answered for each in self.raters),
            "finished": sum(each.state == "finished" for each in self.raters),
            "raters": [{**asdict(each), "flags": list(each.flags)} for each in self.raters],
            "history": [asdict(event) for event in self.history],
            "visits": [asdict(visit) for visit in self.visits],
        }

    def sections(self) -> list[Section]:
        """Return a table of the raters."""
        columns: dict[Column, Callable[[RaterStatus], Cell]] = {
            Column("Rater"): lambda each: Cell(each.rater),
            Column("Name"): lambda each: Cell(each.name or ""),
            Column("Group", numeric=True): lambda each: Cell.count(each.group),
            Column("State"): lambda each: Cell(_state(each)),
            Column("Answered", numeric=True): lambda each: Cell.count(each.answered),
            Column("Of", numeric=True): lambda each: Cell.count(each.showings),
            Column("Unknown", numeric=True): lambda each: Cell.count(each.unknown),
            Column("Last seen (UTC)"): lambda each: Cell((each.last_seen or "")[:16].replace("T", " ")),
        }
        if any(each.flags for each in self.raters):
            columns[Column("Worth a look")] = lambda each: Cell("; ".join(each.flags))
        rows = tuple(tuple(cell(each) for cell in columns.values()) for each in self.raters)
        caption = f"{self.summary['title']} ({numbered(self.summary['pairs'], 'pair')})"
        if not rows:
            nobody = f"Nobody has been invited yet: `termgauge study invite {self.summary['folder']} --group 1`."
            return [Section("status", caption, (Prose((nobody,)),))]
        return [Section("status", "", (Table("raters", caption, tuple(columns), rows),))]


def study_status(study: Study) -> StudyStatus:
    """Return how far a study is."""
    from termgauge.studies.carelessness import carelessness_of
    from termgauge.studies.sections import summary

    with closing(study.store()) as store:
        raters, answers, history, visits = store.raters(), store.answers(), store.history(), store.visits()
    sizes = {(group, page): count for group, page, count in study.layout.group_by("group", "page").len().rows()}
    flags = {each.rater: each.flags for each in carelessness_of(study.ratings(include_left_out=True))}
    given = Counter(each.rater for each in answers)
    unknown = Counter(each.rater for each in answers if each.rating is None)
    on_page = Counter((each.rater, each.page) for each in answers)
    found = [
        RaterStatus(
            rater=rater.id,
            name=rater.name,
            group=rater.group,
            state=rater.state,
            reason=rater.reason,
            answered=given[rater.id],
            showings=sum(size for (group, _page), size in sizes.items() if group == rater.group),
            unknown=unknown[rater.id],
            pages=sum(
                group == rater.group and on_page[rater.id, page] == size for (group, page), size in sizes.items()
            ),
            invited=rater.invited,
            last_seen=rater.last_seen,
            flags=flags.get(rater.id, ()),
        )
        for rater in raters
    ]
    return StudyStatus(summary(study), tuple(found), tuple(history), tuple(visits))


def _state(rater: RaterStatus) -> str:
    state = rater.state.replace("_", " ")
    return f"{state}: {rater.reason}" if rater.reason else state
