"""What the commands about a study show: how it is laid out, and who is how far."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from termgauge.plurals import numbered
from termgauge.reporting.blocks import Cell, Column, Prose, Section, Table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from termgauge.studies.folder import Study
    from termgauge.studies.ratings import Ratings
    from termgauge.studies.sheet_import import Imported


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
