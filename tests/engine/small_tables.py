"""Tables of tasks that need no terminology: categories whose terms are in files."""

from __future__ import annotations

from typing import TYPE_CHECKING

from termgauge.tasks.categories.task import CategoryOptions
from termgauge.tasks.contract import Material
from termgauge.tasks.registry import task_of

if TYPE_CHECKING:
    from pathlib import Path

    from termgauge.engine.run_folder import RunFolder

CATEGORIES = task_of("categories")
TERMS = {
    "A": ["heart", "heart attack", "heart failure", "cardiac infarct"],
    "B": ["lung infection", "acute pneumonia", "pneumonia"],
    "C": ["skin", "skin rash", "rash"],
}


def category_options(folder: Path, **more: object) -> CategoryOptions:
    """Write the terms of three categories, and return the options that name them."""
    for letter, terms in TERMS.items():
        (folder / f"{letter}.txt").write_text("\n".join(terms) + "\n")
    return CategoryOptions.of(
        close=[f"@{folder / 'A.txt'}", f"@{folder / 'B.txt'}"], far=f"@{folder / 'C.txt'}", **more
    )


def material_of(run: RunFolder, name: str = "organs", **more: object) -> Material:
    """Return what a table of a run works on."""
    return Material(name=name, run=run.scored(), **more)
