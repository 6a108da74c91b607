"""A study in tables for people: the pairs on which raters disagree, who is how far, and what was imported.

A decision about a pair stands beside the ratings and is never one of them: agreement and scores do not know it.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, astuple, dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import polars as pl

from termgauge.plurals import numbered
from termgauge.reporting.blocks import Cell, Column, NumberColumn, Prose, Section, Table
from termgauge.studies.agreement.screening import carelessness_of
from termgauge.studies.store import Rater

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from termgauge.studies.folder import Study
    from termgauge.studies.ratings import Ratings
    from termgauge.studies.sheets import Imported
    from termgauge.studies.store import AdminVisit, Event
    from termgauge.studies.study_file import StudyFile

FAR_APART = 0.5
"""Raters disagree on a pair if their ratings are so much of the scale apart, or more."""


def answer_text(table: pl.DataFrame) -> str:
    """Return a table of answers as tab-separated text with a header; whole numbers have no point."""

    def text(value: object) -> str:
        whole = isinstance(value, float) and value.is_integer()
        return "" if value is None else str(int(value) if whole else value)  # type: ignore[call-overload]

    lines = ("\t".join(map(text, row)) for row in table.iter_rows())
    return "".join(f"{line}\n" for line in ("\t".join(table.columns), *lines))


def disagreements(study: Study) -> list[dict[str, Any]]:
    """Return the pairs on which raters who are not left out disagree, by the standard deviation of their ratings.

    Each has its words, the `ratings` in ascending order, and the last decision as :meth:`Study.adjudications` has it;
    those that are not decided yet come first.
    """
    low, high = study.file.scale
    rating = pl.col("rating")
    answers = study.ratings().first_showings().drop_nulls("rating").with_columns(pl.col("pair").cast(pl.Int64))
    disputes = (
        answers.group_by("pair")
        .agg(ratings=rating.sort(), sd=rating.std(), apart=rating.max() - rating.min())
        .filter(pl.col("apart") >= FAR_APART * (high - low))
        .join(study.pairs, on="pair")
        .join(study.adjudications().drop("word1", "word2"), on="pair", how="left")
    )
    undecided = pl.col("decided").is_null()
    return disputes.sort(undecided, "sd", "pair", descending=[True, True, False]).to_dicts()


def answer_names(file: StudyFile) -> dict[float | None, str]:
    """Return what each answer is called, in the order in which they are shown, and at last "I do not know" (None)."""
    names: dict[float | None, str] = {
        answer.value: f"{answer.value:g} {answer.label}" if file.widget == "slider" else answer.label
        for answer in file.answers
    }
    return {**names, None: file.unknown}


@dataclass(frozen=True)
class RaterStatus(Rater):
    """How far a rater is: of the showings, those answered, those answered with "I do not know", and whole pages."""

    showings: int = 0
    answered: int = 0
    unknown: int = 0
    seconds: float | None = None
    """The median for a pair."""
    minutes: tuple[float | None, ...] = ()
    """On each page; None where no time is known."""
    flags: tuple[str, ...] = ()
    pages: int = 0

    @property
    def rater(self) -> str:
        """The id of the rater."""
        return self.id


Tallies = dict[str, dict[str, Any]]
"""What can be counted in the answers of raters: by their id, the fields of a status that follow from answers."""


def tally_of(study: Study, ratings: Ratings) -> Tallies:
    """Return what can be counted in answers, rater by rater."""
    sizes = Counter(study.layout.select(pl.col("group").cast(pl.String), "page").rows())
    seconds = pl.col("seconds")
    by_page = ratings.answers.group_by("rater", "page").agg(
        pl.col("group").first(), answers=pl.len(), minutes=pl.when(seconds.count() > 0).then(seconds.sum() / 60)
    )
    pages = {(rater, page): row for rater, page, *row in by_page.iter_rows()}
    tallies = {}
    for signs in carelessness_of(ratings):
        rows = {page: pages.get((signs.rater, page), (None, 0, None)) for page in range(1, study.file.pages + 1)}
        tallies[signs.rater] = {
            "answered": signs.answers, "unknown": signs.unknown, "seconds": signs.seconds, "flags": signs.flags,
            "minutes": tuple(minutes for _group, _answers, minutes in rows.values()),
            "pages": sum(sizes[group, page] == answers > 0 for page, (group, answers, _minutes) in rows.items()),
        }  # fmt: skip
    return tallies


def rater_statuses(study: Study, raters: Iterable[Rater], tallies: Tallies) -> tuple[RaterStatus, ...]:
    """Return how far raters are."""
    showings = dict(study.layout.group_by("group").len().iter_rows())
    return tuple(
        RaterStatus(**vars(rater), showings=showings[rater.group], **tallies.get(rater.id, {})) for rater in raters
    )


@dataclass(frozen=True)
class StudyStatus:
    """How far a study is: raters, what happened to them, and the visits of the administrator to the server."""

    summary: dict[str, Any]
    raters: tuple[RaterStatus, ...]
    history: tuple[Event, ...]
    visits: tuple[AdminVisit, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Return all of it as JSON has it."""
        return {
            **self.summary,
            "answers": sum(rater.answered for rater in self.raters),
            "finished": sum(rater.state == "finished" for rater in self.raters),
            "raters": [{"rater": rater.id, **{key: getattr(rater, key) for key in _IN_JSON}} for rater in self.raters],
            "history": [asdict(event) for event in self.history],
            "visits": [asdict(visit) for visit in self.visits],
        }

    def sections(self) -> list[Section]:
        """Return a table of the raters."""
        caption = f"{self.summary['title']} ({numbered(self.summary['pairs'], 'pair')})"
        if not self.raters:
            nobody = f"Nobody has been invited yet: `termgauge study invite {self.summary['folder']} --group 1`."
            return [Section("status", caption, (Prose((nobody,)),))]
        flagged = any(rater.flags for rater in self.raters)
        counts = map(Column.count, ("Answered", "Of", "Unknown"))
        columns = ("Rater", "Name", Column.count("Group"), "State", *counts, "Last seen (UTC)")
        rows = (
            (
                rater.id, rater.name or "", rater.group,
                ": ".join(filter(None, (rater.state.replace("_", " "), rater.reason))), rater.answered, rater.showings,
                rater.unknown, (rater.last_seen or "")[:16].replace("T", " "), *["; ".join(rater.flags)] * flagged,
            )
            for rater in self.raters
        )  # fmt: skip
        table = Table.from_rows("raters", caption, (*columns, *["Worth a look"] * flagged), rows)
        return [Section("status", "", (table,))]


_IN_JSON = (
    "name", "group", "state", "reason", "answered", "showings", "unknown", "pages", "invited", "last_seen", "flags"
)  # fmt: skip


def study_status(study: Study) -> StudyStatus:
    """Return who is how far."""
    with study.store() as store:
        raters, history, visits = store.raters(), store.history(), store.visits()
    statuses = rater_statuses(study, raters, tally_of(study, study.ratings(include_left_out=True)))
    return StudyStatus(summary(study), statuses, tuple(history), tuple(visits))


def summary(study: Study) -> dict[str, Any]:
    """Return what a study is, as JSON has it."""
    showings = study.layout.group_by("group", maintain_order=True).len().rows()
    file = study.file
    return {
        "folder": str(study.folder),
        "study": study.id,
        "kind": file.kind,
        "title": file.title,
        "pairs": study.pairs.height,
        **{key: getattr(file, key) for key in ("groups", "pages", "consistency", "duplicates", "seed")},
        "showings": {str(group): count for group, count in showings},
    }


def study_section(study: Study) -> Section:
    """Return how a study is laid out: what each group of raters sees."""
    kinds = Counter(study.layout.select("group", "kind").rows())
    headings = {"unique": "Of this group alone", "consistency": "Shared by all groups", "duplicate": "Shown again"}
    columns = ("Raters", *map(Column.count, ("Pairs shown", *headings.values(), "Pages")))
    counts = {
        group: [kinds[group, kind] for kind in headings] for group in study.layout["group"].unique(maintain_order=True)
    }
    rows = ((f"Group {group}", sum(count), *count, study.file.pages) for group, count in counts.items())
    caption = f"{study.file.title} ({numbered(study.pairs.height, 'pair')}, seed {study.file.seed})"
    return Section("study", "", (Table.from_rows("layout", caption, columns, rows, sortable=False),))


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
    rating = pl.col("rating")
    by_rater = ratings.first_showings().group_by("rater", maintain_order=True).agg(
        rating.count(), unknown=rating.null_count(), mean=rating.mean(), median=rating.median()
    )  # fmt: skip
    columns = (
        "Rater", Column.count("Ratings"), Column.count("Unknown"),
        *(NumberColumn(name, cell=partial(Cell.number, digits=2, top=None)) for name in ("Mean", "Median")),
    )  # fmt: skip
    return Section("ratings", "Ratings", (Table.from_rows("ratings", "", columns, by_rater.rows(), ratings.notes),))


def imported_section(done: Sequence[Imported]) -> Section:
    """Return what became of sheets."""
    columns = ("Sheet", "Rater", *map(Column.count, ("Group", "Answers", "Of them new", "Still to answer")))
    rows = (astuple(sheet) for sheet in done)
    return Section("imported", "", (Table.from_rows("imported", "Imported", columns, rows, sortable=False),))
