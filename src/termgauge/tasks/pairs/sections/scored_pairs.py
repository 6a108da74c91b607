"""How many pairs each model can score, and how many all of them."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import polars as pl

from termgauge.reporting.blocks import Cell, Column, Figure, Prose, Section, Table
from termgauge.reporting.plots.heat import Block, Heat
from termgauge.reporting.set_names import with_terminology
from termgauge.reporting.words import bold, counted, listed, number, plain, share
from termgauge.tasks.pairs.sections.heatmap import row_label

if TYPE_CHECKING:
    from collections.abc import Mapping

    from termgauge.reporting.blocks import Block as AnyBlock
    from termgauge.tasks.pairs.sections.standings import Standings

_MOST_UNKNOWN = 8


def scored_pairs_section(standings: Standings, pairs: Mapping[str, int]) -> Section:
    """Return how many pairs of each set each model, and all models together, can score."""
    figure = _coverage_figure(standings)
    blocks: tuple[AnyBlock, ...] = (Prose((_about(standings),)),)
    return Section(
        "pairs", "Pairs that models can score", (*blocks, figure, shared_table(standings, pairs)) if figure else blocks
    )


def _about(standings: Standings) -> str:
    partial = _partial(standings)
    if not partial:
        return "Every model can score every pair of every set."
    names = listed([*(plain(model) for model in partial[:6]), *(["others"] if partial[6:] else [])])
    apart = Counter(model for each in standings.sets for model in standings.apart(each))
    without = "; ".join(f"{bold(model)} takes no part on {counted(sets, 'set')}" for model, sets in apart.items())
    return (
        "A word model scores a pair if it knows every word of both terms. Models are compared on the pairs that all of "
        "them can score, so a model with a small vocabulary decides on which pairs all are measured; one that scores "
        f"too few pairs of a set (see `min_coverage`) takes no part there. Here {names} "
        f"{'does' if len(partial) == 1 else 'do'} not score all pairs{f', and {without}' if without else ''}."
    )


def _partial(standings: Standings) -> list[str]:
    return [
        model
        for model in standings.models
        if any(
            (one := standings.of(each, model)) and one.coverage is not None and one.coverage < 1
            for each in standings.sets
        )
    ]


def _coverage_figure(standings: Standings) -> Figure | None:
    """Return a heat map of the models that do not score all pairs; None if all do."""
    models = _partial(standings)
    values = {
        (each.id, model): one.coverage
        for each in standings.sets
        for model in models
        if (one := standings.of(each, model)) and one.coverage is not None
    }
    if not values:
        return None
    blocks = [Block(group.title, [(each.id, row_label(each)) for each in group.sets]) for group in standings.groups]
    others = len(standings.models) - len(models)
    rest = f" The {number(others)} other models score all pairs." if others > 1 else ""
    rest = " The other model scores all pairs." if others == 1 else rest
    lowest = min(values, key=lambda key: values[key])
    return Figure(
        id="coverage-of-pairs",
        caption=f"Share of the pairs of each set that a model can score, in per cent.{rest}",
        description=f"Heat map of coverage; the lowest is {values[lowest]:.0%}, of {lowest[1]} on {lowest[0]}.",
        draw=Heat(blocks, models, values, (0.0, 1.0), percent=True).draw,
        data=pl.DataFrame(
            [{"set": name, "model": model, "coverage": value} for (name, model), value in values.items()]
        ),
    )


def shared_table(standings: Standings, pairs: Mapping[str, int]) -> Table:
    """Return how many pairs of each set there are, and how many all models can score."""
    rows = []
    data = []
    for group in standings.groups:
        for each in group.sets:
            shared = standings.shared(each)
            size = pairs.get(each.id, 0)
            part = shared / size if size else None
            shares = {
                model: one.coverage
                for model in standings.models
                if (one := standings.of(each, model)) and one.coverage is not None
            }
            fewest = min(shares, key=lambda model: shares[model], default="")
            rows.append(
                (
                    Cell(with_terminology(each, standings.sets), note=each.id),
                    Cell.count(size),
                    Cell.count(shared),
                    Cell.share(part),
                    Cell(f"{fewest} ({share(shares[fewest])})" if fewest and shares[fewest] < 1 else ""),
                )
            )
            data.append({"set": each.id, "pairs": size, "shared": shared, "share": part, "fewest": fewest})
    return Table(
        id="shared-pairs",
        caption="Pairs of each set that all models can score: those on which they are compared.",
        columns=(
            Column("Set"),
            Column("Pairs", numeric=True),
            Column("Scored by all", numeric=True),
            Column("Share", numeric=True),
            Column("Scored least by"),
        ),
        rows=tuple(rows),
        data=pl.DataFrame(data, infer_schema_length=None),
        folded=True,
    )
