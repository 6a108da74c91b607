"""Values of a run, for a terminal: a table per kind of set, models down, sets across."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl
from rich.console import Group
from rich.text import Text

from termgauge.evaluation.scoring import default_measure
from termgauge.report.pieces import decimal, number, share, table_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rich.console import RenderableType

_NAMES: dict[str, Any] = {"model": pl.String, "measure": pl.String}


def results_tables(results: pl.DataFrame, kinds: Mapping[str, str]) -> RenderableType:
    """Return the main value of each model and set: rho of graded sets, AUC of binary ones, on shared pairs.

    Parameters
    ----------
    results
        The tidy values of a run.
    kinds
        The kind of each model.
    """
    standing = {model: _standing_measure(results, model, default_measure(kind)) for model, kind in kinds.items()}
    chosen = pl.DataFrame({"model": list(standing), "measure": list(standing.values())}, schema_overrides=_NAMES)
    shown = results.join(chosen, on=["model", "measure"], how="semi", maintain_order="left")
    parts: list[RenderableType] = []
    for statistic, title in (("spearman", "Spearman's rho, graded sets"), ("auc", "AUC, binary sets")):
        table = _table(shown, statistic, title)
        if table is not None:
            parts += [table, ""]
    legend = "value on the pairs that all models can score (own: share of pairs that the model itself can score)"
    return Group(*parts, Text(legend, style="dim"))


def _standing_measure(results: pl.DataFrame, model: str, usual: str) -> str | None:
    """Return the measure that is shown for a model: its usual one, else its first."""
    own = results.filter(pl.col("model") == model)["measure"].unique(maintain_order=True).to_list()
    return usual if usual in own else next(iter(own), None)


def _table(shown: pl.DataFrame, statistic: str, title: str) -> RenderableType | None:
    values = shown.filter((pl.col("statistic") == statistic) & (pl.col("subset") == "shared"))
    if values.is_empty():
        return None
    models = values["model"].unique(maintain_order=True).to_list()
    table = table_of(title, "shared pairs", *models)
    covered = {
        (row["model"], row["set"]): row["value"]
        for row in shown.filter(pl.col("statistic") == "coverage").iter_rows(named=True)
    }
    for name in values["set"].unique(maintain_order=True).to_list():
        own = {row["model"]: row for row in values.filter(pl.col("set") == name).iter_rows(named=True)}
        cells = [
            f"{decimal(own[model]['value'], 3)} (own {share(covered.get((model, name)))})" if model in own else ""
            for model in models
        ]
        table.add_row(Text(name), number(next(iter(own.values()))["n"]), *cells)
    return table
