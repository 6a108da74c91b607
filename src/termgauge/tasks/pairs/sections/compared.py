"""A comparison in brief: the best model of each set and who keeps up with it, who beats whom how often, which measures.

A run of seven models on twenty sets has thousands of differences; `values.py` lists every set and every model.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from termgauge.plurals import numbered
from termgauge.reporting.blocks import Cell, Column, Prose, Section, Table, block_id
from termgauge.reporting.set_names import SHORT_STATISTICS, groups_of, titled
from termgauge.reporting.words import corrected, listed
from termgauge.statistics.inputs import GRADED
from termgauge.tasks.pairs.sections.groups import open_note

if TYPE_CHECKING:
    from collections.abc import Iterator

    from termgauge.reporting.set_names import SetGroup
    from termgauge.tasks.pairs.run_comparison import RunComparison, SetComparison

_MOST_NAMED = 3


def overview_sections(comparison: RunComparison) -> Iterator[Section]:
    """Yield what is to be known of a comparison, a line for each set and for each model."""
    every = [each.comparison for each in comparison.models] + [each.comparison for each in comparison.measures]
    first = next(iter(every), None)
    if first is None:
        return
    said = [f"Differences are tested at alpha {first.alpha:g}, on each set {corrected(first.correction)}."]
    if comparison.models:
        compared = {each.set: each for each in comparison.models}
        sets = [titled(name, graded=each.comparison.statistic in GRADED) for name, each in compared.items()]
        tables = [_best(group, compared) for group in groups_of(sets)]
        yield Section("best", "The best model of each set", tuple(tables))
        yield Section("wins", "How often models beat each other", (_wins(comparison),))
        said += ["MDD: the minimum detectable difference (80 % power)."] if _powered(comparison) else []
        if any(each.comparison.cross_validated for each in comparison.models):
            said.append("CV: the same accuracy, cross-validated.")
        said += open_note(int(each.comparison.open.sum()) for each in comparison.models)
    if comparison.measures:
        yield Section("measures", "Measures of each model", (_measures(comparison),))
    yield Section("compared", "", (Prose((" ".join(said),)),))


def _powered(comparison: RunComparison) -> bool:
    return any(each.detectable is not None for each in comparison.models)


def _best(group: SetGroup, compared: dict[str, SetComparison]) -> Table:
    powered = any(compared[each.id].detectable is not None for each in group.sets)
    crossed = all(compared[each.id].comparison.cross_validated for each in group.sets)
    rows = []
    for each in group.sets:
        one = compared[each.id].comparison
        best = one.ranking[0]
        value = one.values[best]
        others = [place for place in one.ranking[1:] if not math.isnan(one.values[place].value)]
        even = [
            one.names[place] + ("?" if one.open[best, place] else "")
            for place in others
            if not one.significant[best, place]
        ]
        detectable = compared[each.id].detectable
        cells = [
            Cell(f"{each.over}, {each.brief.lower()}" if each.over else each.brief, note=each.id),
            Cell.count(one.n),
            Cell(one.names[best]),
            Cell.number(value.value),
            *([Cell.number(one.cross_validated[best])] if crossed else []),
            Cell(_named(even), note=", ".join(even)),
        ]
        if powered:
            # An infinite one: by the estimate, no difference has that power.
            shown = detectable is not None and not math.isinf(detectable.difference)
            cells.append(Cell.number(detectable.difference) if shown and detectable else Cell("none"))
        rows.append(tuple(cells))
    columns = [
        Column("Set"),
        Column("Pairs", numeric=True),
        Column("Best"),
        Column(SHORT_STATISTICS[compared[group.sets[0].id].comparison.statistic], numeric=True),
        *([Column("CV", numeric=True, note="Cross-validated")] if crossed else []),
        Column("Not told apart"),
        *([Column("MDD", numeric=True, note="Minimum detectable difference")] if powered else []),
    ]
    return Table(block_id("best", group.id), f"{group.title}.", tuple(columns), tuple(rows))


def _named(names: list[str]) -> str:
    """Return names, the first few of many."""
    more = len(names) - _MOST_NAMED
    if not names:
        return "none"
    return ", ".join(names) if more <= 1 else f"{', '.join(names[:_MOST_NAMED])} and {more} more"


def _wins(comparison: RunComparison) -> Table:
    """Return on how many sets the model of a row is significantly better than that of a column."""
    models = list(dict.fromkeys(name for each in comparison.models for name in each.comparison.names))
    beaten = dict.fromkeys(((one, other) for one in models for other in models), 0)
    for each in comparison.models:
        one = each.comparison
        for i, winner in enumerate(one.names):
            for j, loser in enumerate(one.names):
                beaten[winner, loser] += bool(one.significant[i, j] and one.differences[i, j] > 0)
    total = {model: sum(beaten[model, other] for other in models) for model in models}
    models.sort(key=lambda model: -total[model])
    rows = tuple(
        (
            Cell(f"{at}. {model}"),
            *(Cell("") if other == model else Cell.count(beaten[model, other]) for other in models),
            Cell.count(total[model]),
        )
        for at, model in enumerate(models, 1)
    )
    heads = (Column(str(at), numeric=True, note=model) for at, model in enumerate(models, 1))
    about = f"On how many of the {numbered(len(comparison.models), 'set')} the model of a row is significantly better."
    return Table("wins", about, (Column("Better than model"), *heads, Column("All", numeric=True)), rows)


def _measures(comparison: RunComparison) -> Table:
    """Return on how many sets no other measure of a model is significantly better than the one of a column."""
    models = list(dict.fromkeys(each.model for each in comparison.measures))
    measures = list(dict.fromkeys(name for each in comparison.measures for name in each.comparison.names))
    rows = []
    for model in models:
        own = [each.comparison for each in comparison.measures if each.model == model]
        unbeaten = {name: [0, 0] for name in measures}
        for one in own:
            for name, losses in zip(one.names, one.losses, strict=True):
                unbeaten[name][0] += losses == 0
                unbeaten[name][1] += 1
        most = max(good for good, _of in unbeaten.values())
        kept = [name for name, (good, _of) in unbeaten.items() if good == most]
        worst = [name for name, (good, of) in unbeaten.items() if of and good < most]
        fewest = sorted(worst, key=lambda name: unbeaten[name][0])[:_MOST_NAMED]
        shown = [f"{name} ({unbeaten[name][0]})" for name in fewest]
        rows.append((Cell(model), Cell.count(len(own)), Cell(listed(kept)), Cell.count(most), Cell(", ".join(shown))))
    columns = (
        Column("Model"), Column("Sets", numeric=True), Column("Least often beaten"), Column("Unbeaten", numeric=True),
        Column("Most often beaten"),
    )  # fmt: skip
    about = "Unbeaten: on how many sets no other measure of the model is significantly better."
    return Table("unbeaten", about, columns, tuple(rows))
