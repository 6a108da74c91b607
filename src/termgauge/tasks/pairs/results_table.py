"""Values of a run, for a terminal: sets down, models across, as many side by side as fit, with superscripts.

A superscript such as ⁺³⁻¹ says that a model is significantly better than three others and worse than one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import polars as pl
from rich.console import Group
from rich.text import Text

from termgauge.document.pieces import corrected, decimal, number, share, superscript, table_of
from termgauge.similarity.measures import standing_measure

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from rich.console import RenderableType
    from rich.table import Table

    from termgauge.tasks.pairs.run_comparison import RunComparison

_NAMES: dict[str, Any] = {"model": pl.String, "measure": pl.String}
_TITLES = {"spearman": "Spearman's rho", "accuracy": "Accuracy at the best threshold"}
_CELL, _LONGEST_HEADING, _PAIRS = 10, 14, 7
_GAP = 2


def results_tables(
    results: pl.DataFrame, kinds: Mapping[str, str], comparison: RunComparison | None = None, *, width: int = 80
) -> RenderableType:
    """Return the main value of each model and set: rho of graded sets, accuracy of binary ones, on shared pairs.

    Parameters
    ----------
    results
        The tidy values of a run.
    kinds
        The kind of each model.
    comparison
        Which differences are significant; without it there are no superscripts.
    width
        How wide a table may be. Models that do not fit side by side stand in a table below.
    """
    own = {model: results.filter(pl.col("model") == model)["measure"].unique(maintain_order=True) for model in kinds}
    standing = {model: standing_measure(own[model].to_list(), kind) for model, kind in kinds.items()}
    chosen = pl.DataFrame({"model": list(standing), "measure": list(standing.values())}, schema_overrides=_NAMES)
    shown = results.join(chosen, on=["model", "measure"], how="semi", maintain_order="left")
    marks = _marks(comparison)
    parts: list[RenderableType] = []
    for statistic, title in _TITLES.items():
        values = _grid(shown.filter((pl.col("statistic") == statistic) & (pl.col("subset") == "shared")))
        for name, group in values.groups():
            parts += _tables(f"{title}, {name}" if name else title, group, _value_cell(group, marks), width, pairs=True)
    coverage = shown.filter(pl.col("statistic") == "coverage")
    part = coverage.filter(pl.col("value") < 1)
    covered = _grid(coverage.filter(pl.col("model").is_in(part["model"].to_list())))
    for name, group in covered.groups():
        title = "Pairs that a model can score" + (f", {name}" if name else "")
        parts += _tables(title, group, _share_cell(group), width, pairs=False)
    return Group(*parts, Text(_legend(standing, comparison), style="dim"))


@dataclass(frozen=True)
class _Grid:
    """Values by set and model."""

    sets: tuple[str, ...]
    models: tuple[str, ...]
    rows: dict[tuple[str, str], dict[str, Any]]

    def groups(self) -> Iterator[tuple[str, _Grid]]:
        """Yield the sets in groups: the human-rated ones, those of each benchmark and kind of negatives."""
        for title in dict.fromkeys(_titled(name)[0] for name in self.sets):
            yield title, _Grid(tuple(name for name in self.sets if _titled(name)[0] == title), self.models, self.rows)


def _grid(frame: pl.DataFrame) -> _Grid:
    rows = {(row["set"], row["model"]): row for row in frame.iter_rows(named=True)}
    return _Grid(tuple(dict.fromkeys(name for name, _ in rows)), tuple(dict.fromkeys(model for _, model in rows)), rows)


def _titled(name: str) -> tuple[str, str]:
    """Return the title of the group that a set is in, and what it is called there."""
    parts = name.split("/")
    if len(parts) == 4:  # terminology, kind of positives, difficulty, kind of negatives
        return f"{parts[0]}, {parts[3]} negatives", f"{parts[1]}/{parts[2]}"
    return (parts[0], "/".join(parts[1:])) if len(parts) > 1 else ("", name)


def _marks(comparison: RunComparison | None) -> dict[tuple[str, str], str]:
    """Return the superscript of each set and model."""
    return {
        (each.set, name): superscript(each.comparison.wins[place], each.comparison.losses[place])
        for each in (comparison.models if comparison else ())
        for place, name in enumerate(each.comparison.names)
    }


def _value_cell(grid: _Grid, marks: Mapping[tuple[str, str], str]) -> Callable[[str, str], str]:
    def cell(name: str, model: str) -> str:
        row = grid.rows.get((name, model))
        return "" if row is None else f"{decimal(row['value'], 3):>6}{marks.get((name, model), '')}"

    return cell


def _share_cell(grid: _Grid) -> Callable[[str, str], str]:
    def cell(name: str, model: str) -> str:
        row = grid.rows.get((name, model))
        return "" if row is None else f"{share(row['value']):>6}"

    return cell


def _tables(
    title: str, grid: _Grid, cell: Callable[[str, str], str], width: int, *, pairs: bool
) -> Iterator[RenderableType]:
    """Yield tables of as many models as fit side by side."""
    names = {name: _titled(name)[1] for name in grid.sets}
    left = max(map(len, names.values())) + _GAP + (_PAIRS + _GAP if pairs else 0)
    fitting = 0
    for low in range(len(grid.models)):
        if low < fitting:
            continue
        fitting = low + _fitting(grid.models[low:], width - left)
        yield Text(title if low == 0 else f"{title} (more models)", style="bold")
        yield _table(grid, names, grid.models[low:fitting], cell, pairs=pairs)
        yield ""


def _fitting(models: Sequence[str], room: int) -> int:
    """Return how many models fit; one always does."""
    used = 0
    for count, model in enumerate(models):
        used += min(max(len(model), _CELL), _LONGEST_HEADING) + _GAP
        if used > room and count:
            return count
    return len(models)


def _table(
    grid: _Grid, names: Mapping[str, str], models: Sequence[str], cell: Callable[[str, str], str], *, pairs: bool
) -> Table:
    table = table_of("Set", *(["pairs"] if pairs else []), *models)
    for column in table.columns[1 + pairs :]:  # to the left, so that numbers stand below each other
        column.justify = "left"
        column.max_width, column.overflow = _LONGEST_HEADING, "fold"
    for column in table.columns[: 1 + pairs]:
        column.no_wrap = True
    for name in grid.sets:
        counts = [number(max(row["n"] for (owner, _), row in grid.rows.items() if owner == name))] if pairs else []
        table.add_row(Text(names[name]), *counts, *(Text(cell(name, model)) for model in models))
    return table


def _legend(standing: Mapping[str, str | None], comparison: RunComparison | None) -> str:
    measures = dict.fromkeys(measure for measure in standing.values() if measure)
    legend = f"On the pairs that all models can score; by {', '.join(measures)}."
    if comparison is not None and comparison.models:
        one = comparison.models[0].comparison
        legend += (
            " ⁺ⁿ: significantly better than n others, ⁻ⁿ: worse than n "
            f"(alpha {one.alpha:g}, {corrected(one.correction)})."
        )
    return legend
