"""A study in sections: what it is, who is how far, who answers in a way that deserves a look."""

from __future__ import annotations

from collections import Counter
from contextlib import closing
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

from termgauge.plurals import numbered
from termgauge.reporting.blocks import Cell, Column, Prose, Section, Table

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from termgauge.studies.folder import Study
    from termgauge.studies.raters import AdminVisit, Event
    from termgauge.studies.ratings import Ratings
    from termgauge.studies.sheets import Imported


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
    from termgauge.studies.agreement.screening import carelessness_of

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


def summary(study: Study) -> dict[str, Any]:
    """Return what a study is, as JSON has it."""
    showings = study.layout.group_by("group", maintain_order=True).len().rows()
    return {
        "folder": str(study.folder),
        "study": study.id,
        "kind": study.file.kind,
        "title": study.file.title,
        "pairs": study.pairs.height,
        "groups": study.file.groups,
        "pages": study.file.pages,
        "consistency": study.file.consistency,
        "duplicates": study.file.duplicates,
        "seed": study.file.seed,
        "showings": {str(group): count for group, count in showings},
    }


def study_section(study: Study) -> Section:
    """Return how a study is laid out: what each group of raters sees."""
    counts = study.layout.group_by("group", maintain_order=True).len().rows()
    kinds = {(group, kind): n for group, kind, n in study.layout.group_by("group", "kind").len().rows()}
    rows = tuple(
        (
            Cell(f"Group {group}"),
            Cell.count(count),
            *(Cell.count(kinds.get((group, kind), 0)) for kind in ("unique", "consistency", "duplicate")),
            Cell.count(study.file.pages),
        )
        for group, count in counts
    )
    headings = ("Pairs shown", "Of this group alone", "Shared by all groups", "Shown again", "Pages")
    columns = (Column("Raters"), *(Column(heading, numeric=True) for heading in headings))
    caption = f"{study.file.title} ({numbered(study.pairs.height, 'pair')}, seed {study.file.seed})"
    return Section("study", "", (Table("layout", caption, columns, rows, sortable=False),))


def begun_section(study: Study, admin: str) -> Section:
    """Return what a new study is, what to do next, and the administrator's link, which is shown only this once."""
    folder, laid_out = study.folder, study_section(study)
    steps = (
        f"Next: change the texts in `{folder / 'study.toml'}`; invite raters with `termgauge study invite {folder} "
        f"--group 1`; open the study to them with `termgauge study serve {folder}`."
    )
    link = (
        f"Your own page, once the study is served, is `/admin/{admin}`. Keep this link: it is shown only now "
        f"(`termgauge study invite {folder} --admin` makes another)."
    )
    return replace(laid_out, blocks=(*laid_out.blocks, Prose((steps, link))))


def ratings_section(ratings: Ratings) -> Section:
    """Return how many pairs each rater rated, and how."""
    by_rater = ratings.first_showings().group_by("rater", maintain_order=True)
    columns = (Column("Rater"), *(Column(name, numeric=True) for name in ("Ratings", "Unknown", "Mean", "Median")))
    rows = tuple(
        (
            Cell(rater),
            Cell.count(answers["rating"].count()),
            Cell.count(answers["rating"].null_count()),
            Cell.number(_number(answers["rating"].mean()), 2, top=None),
            Cell.number(_number(answers["rating"].median()), 2, top=None),
        )
        for (rater,), answers in by_rater
    )
    return Section("ratings", "Ratings", (Table("ratings", "", columns, rows, ratings.notes),))


def imported_section(done: Sequence[Imported]) -> Section:
    """Return what became of sheets."""
    headings = ("Group", "Answers", "Of them new", "Still to answer")
    columns = (Column("Sheet"), Column("Rater"), *(Column(heading, numeric=True) for heading in headings))
    rows = tuple(
        (Cell(each.file), Cell(each.rater), *map(Cell.count, (each.group, each.answers, each.new, each.unanswered)))
        for each in done
    )
    return Section("imported", "", (Table("imported", "Imported", columns, rows, sortable=False),))


def _number(value: object) -> float | None:
    return value if isinstance(value, int | float) else None
