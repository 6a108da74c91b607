"""Who is how far in a study, and who answers in a way that deserves a look."""

from __future__ import annotations

from contextlib import closing
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from termgauge.document.blocks import Cell, Column, Prose, Section, Table

if TYPE_CHECKING:
    from termgauge.studies.folder import Study
    from termgauge.studies.raters import Event


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

    def to_json(self) -> dict[str, Any]:
        """Return all of it as JSON has it."""
        return {
            **self.summary,
            "answers": sum(each.answered for each in self.raters),
            "finished": sum(each.state == "finished" for each in self.raters),
            "raters": [{**asdict(each), "flags": list(each.flags)} for each in self.raters],
            "history": [asdict(event) for event in self.history],
        }

    def sections(self) -> list[Section]:
        """Return a table of the raters."""
        headings = {
            "Rater": False, "Name": False, "Group": True, "State": False, "Answered": True, "Of": True, "Unknown": True,
            "Last seen (UTC)": False, "Worth a look": False,
        }  # fmt: skip
        rows = tuple(
            (
                Cell(each.rater), Cell(each.name or ""), Cell.count(each.group), Cell(_state(each)),
                Cell.count(each.answered), Cell.count(each.showings), Cell.count(each.unknown),
                Cell((each.last_seen or "")[:16].replace("T", " ")), Cell("; ".join(each.flags)),
            )
            for each in self.raters
        )  # fmt: skip
        columns = tuple(Column(heading, numeric=numeric) for heading, numeric in headings.items())
        if not any(each.flags for each in self.raters):
            columns, rows = columns[:-1], tuple(row[:-1] for row in rows)
        caption = f"{self.summary['title']} ({self.summary['pairs']:,} pairs)"
        if not rows:
            nobody = f"Nobody has been invited yet: `termgauge study invite {self.summary['folder']} --group 1`."
            return [Section("status", caption, (Prose((nobody,)),))]
        return [Section("status", "", (Table("raters", caption, columns, rows),))]


def study_status(study: Study) -> StudyStatus:
    """Return how far a study is."""
    from termgauge.studies.sections import summary

    with closing(study.store()) as store:
        raters, answers, history = store.raters(), store.answers(), store.history()
    sizes = {(group, page): count for group, page, count in study.layout.group_by("group", "page").len().rows()}
    found = []
    for rater in raters:
        own = [each for each in answers if each.rater == rater.id]
        complete = [
            page
            for (group, page), size in sizes.items()
            if group == rater.group and sum(each.page == page for each in own) == size
        ]
        found.append(
            RaterStatus(
                rater=rater.id,
                name=rater.name,
                group=rater.group,
                state=rater.state,
                reason=rater.reason,
                answered=len(own),
                showings=sum(size for (group, _page), size in sizes.items() if group == rater.group),
                unknown=sum(each.rating is None for each in own),
                pages=len(complete),
                invited=rater.invited,
                last_seen=rater.last_seen,
            )
        )
    return StudyStatus(summary(study), tuple(found), tuple(history))


def _state(rater: RaterStatus) -> str:
    state = rater.state.replace("_", " ")
    return f"{state}: {rater.reason}" if rater.reason else state
