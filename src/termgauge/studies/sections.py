"""What the commands about a study show: how it is laid out, and who is how far."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from termgauge.document.blocks import Cell, Column, Prose, Section, Table

if TYPE_CHECKING:
    from termgauge.studies.folder import Study


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


def begun_section(study: Study) -> Section:
    """Return what a new study is, and what to do next."""
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
    steps = (
        f"Next: change the texts in `{study.folder}/study.toml`; invite raters with `termgauge study invite "
        f"{study.folder} --group 1`; open the study to them with `termgauge study serve {study.folder}`."
    )
    caption = f"{study.file.title} ({study.pairs.height:,} pairs, seed {study.file.seed})"
    return Section("study", "", (Table("layout", caption, columns, rows, sortable=False), Prose((steps,))))
