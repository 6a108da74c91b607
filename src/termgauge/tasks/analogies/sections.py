"""How well a domain's relations hold as analogies: figures 3 to 6 and tables 5 and 6 of Giancani et al. (2023)."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

import polars as pl

from termgauge.domain.relations import INVERSE
from termgauge.plurals import numbered
from termgauge.reporting.blocks import Cell, Column, Figure, Table, block_id
from termgauge.reporting.plots.canvas import MUTED, KeyEntry
from termgauge.reporting.plots.dots import Dot, DotPanel, DotPlot
from termgauge.reporting.words import MISSING, counted, decimal, number, plain
from termgauge.tasks.analogies.result import COVERAGE
from termgauge.tasks.shown import (
    ShownValues,
    by_neighbourhood,
    encoders_note,
    opening,
    style_of,
    testing_notes,
    zeros_note,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from termgauge.reporting.blocks import Section
    from termgauge.tasks.analogies.result import AnalogyResult
    from termgauge.tasks.contract import About

DIGITS = 5
"""Of an M, as the paper prints it."""
_MODELS_ABREAST = 4
_MOST_RELATIONS = 40
_TURNED = "←"
_LABELS = {
    "first": "a concept is the best-ranked of its labels in the vocabulary",
    "all": "an analogy holds if it does for any choice of labels of its concepts",
}


def analogy_sections(result: AnalogyResult, about: About) -> tuple[Section, ...]:
    """Return what was found about the relations of one domain."""
    name, shown, groups = about.name, _shown(result), by_neighbourhood(result.models)
    figures = [
        _figure(name, result, shown, group, what, encoders=kind == "terminology" and len(groups) > 1)
        for what in _TITLES
        for kind, group in groups.items()
    ]
    drawn = [figure for figure in (*figures, _sizes(name, result, shown)) if figure is not None]
    text, tables = _about(result, shown), _tables(name, result)
    return (opening("analogies", "Relations as analogies", name, result, text, *drawn, *tables),)


def shown_coverage(value: float | None) -> str:
    """Return an M as the paper prints it: five digits, a dash where there is none.

    >>> shown_coverage(0.000421), shown_coverage(0.0), shown_coverage(1e-7), shown_coverage(None)
    ('0.00042', '0', '<0.00001', '–')
    """
    if not value:
        return MISSING if value is None else "0"
    return decimal(value, DIGITS) if value >= 10**-DIGITS else f"<{10**-DIGITS:.{DIGITS}f}"


def _shown(result: AnalogyResult) -> list[str]:
    """Return the relations worth drawing: those of which a model has two pairs, the largest first."""
    models = result.models.values()
    asked = [relation for relation in result.relations if any(model.relations[relation].analogies for model in models)]
    largest = sorted(asked, key=lambda relation: -result.relations[relation].pairs)[:_MOST_RELATIONS]
    return [relation for relation in asked if relation in largest]


def _about(result: AnalogyResult, shown: Sequence[str]) -> Iterator[str]:
    about, relations, models = result.domain, result.relations, result.models
    k = result.k[0]
    yield (
        f"Of two pairs of concepts with the same relation, does x − y of the one, added to y of the other, lead to its "
        f"x? An analogy holds if x is among the {k} nearest words ({result.method_name}). Asked are all analogies "
        f"between the pairs of a relation that touch the domain ({plain(about.title)}: {number(about.related)} "
        f"concepts), for {counted(len(relations), 'relation')}; {_LABELS[result.labels]}. M is the share of all "
        "analogies between a relation's pairs that hold; pairs that are not in a model's vocabulary count as misses."
    )
    if not any(figures.successes for model in models.values() for figures in model.relations.values()):
        yield "No analogy holds in any model."
    nothing = [name for name, model in models.items() if not any(row.analogies for row in model.relations.values())]
    if nothing:
        yield f"No two pairs of any relation are in the vocabulary of {zeros_note(nothing)}"
    if len(shown) < len(relations):
        rest = len(relations) - len(shown)
        yield f"The pictures leave out {counted(rest, 'relation')}; the tables have all of them."
    yield from encoders_note(by_neighbourhood(models))
    yield from map(plain, (*result.notes, *result.left_out))


_TITLES = {
    "coverage": ("Percentage analogy coverage M of each relation; the table has the intervals.", "M"),
    "successes": ("Analogies that hold, AR, of each relation.", "AR"),
    "in_vocabulary": ("Pairs of each relation that are in a model's vocabulary, |IV|.", "|IV|"),
}


def _figure(
    name: str, result: AnalogyResult, relations: Sequence[str], group: Sequence[str], what: str, *, encoders: bool
) -> Figure | None:
    """Draw what models of one sort have; those that know too little to be asked anything are left to the table."""
    figures = {model: result.models[model].relations for model in group}
    shown = [relation for relation in relations if any(figures[model][relation].analogies for model in group)]
    models = [model for model in group if any(figures[model][relation].analogies for relation in shown)]
    kept = {"coverage", "low", "high"} if what == "coverage" else {what}
    rows = [
        {"relation": relation, "model": model, **figures[model][relation].model_dump(include=kept)}
        for relation in shown
        for model in models
    ]
    rows = [row for row in rows if row[what] is not None]
    if not rows:
        return None
    labels = _row_labels(result, shown)
    styles = {model: style_of(at) for at, model in enumerate(result.models)}
    dots: dict[str, list[Dot]] = {labels[relation]: [] for relation in shown}
    for row in rows:
        printed = shown_coverage(row[what]) if what == "coverage" else number(row[what])
        label = labels[row["relation"]]
        # Without intervals: those of relations with few pairs would make the scale so long that nothing is told apart.
        dots[label].append(Dot(row[what], None, None, *styles[row["model"]], f"{row['model']}, {label}: {printed}"))
    caption, axis = _TITLES[what]
    caption = f"{caption.rstrip('.')}; among the names of the terminology's concepts." if encoders else caption
    most = {model: max(row[what] for row in rows if row["model"] == model) for model in models}
    described = "; ".join(f"{model}: at most {shown_coverage(value)}" for model, value in most.items())
    entries = tuple(KeyEntry(model, *styles[model]) for model in models) if len(styles) > 1 else ()
    return Figure(
        id=block_id("analogy", what.replace("_", "-"), f"{name} encoders" if encoders else name),
        caption=caption + _turned(labels),
        description=f"{axis} of {numbered(len(shown), 'relation')}. {described}.",
        draw=DotPlot([DotPanel((), dots)], list(dots), axis, entries=entries, least=0.0).draw,
        data=pl.DataFrame(rows, infer_schema_length=None),
        folded=what == "in_vocabulary",
    )


def _sizes(name: str, result: AnalogyResult, shown: Sequence[str]) -> Figure | None:
    if not shown:
        return None
    labels = _row_labels(result, shown)
    sizes = {relation: result.relations[relation].pairs for relation in shown}
    described = "; ".join(f"{labels[relation]}: {number(pairs)}" for relation, pairs in sizes.items())
    dots = {labels[relation]: [Dot(pairs, None, None, MUTED, tip=number(pairs))] for relation, pairs in sizes.items()}
    return Figure(
        id=block_id("analogy", "pairs", name),
        caption=f"Pairs of concepts of each relation that touch the domain, |W|.{_turned(labels)}",
        description=f"|W| of {numbered(len(shown), 'relation')}. {described}.",
        draw=DotPlot([DotPanel((), dots)], list(dots), "|W|", least=0.0).draw,
        data=pl.DataFrame({"relation": list(sizes), "pairs": list(sizes.values())}),
        folded=True,
    )


def _row_labels(result: AnalogyResult, shown: Sequence[str]) -> dict[str, str]:
    """Return a short name for each relation, with an arrow for inverses; its own where two have the same label."""
    labels = {}
    for relation in shown:
        label = result.relations[relation].label
        labels[relation] = f"{_TURNED} {label.removeprefix(INVERSE)}" if label.startswith(INVERSE) else label
    times = Counter(labels.values())
    return {relation: label if times[label] == 1 else f"{label} ({relation})" for relation, label in labels.items()}


def _turned(labels: Mapping[str, str]) -> str:
    """Say what the arrow means, where there is one."""
    turned = any(label.startswith(_TURNED) for label in labels.values())
    return f" {_TURNED}: the inverse of a relation." if turned else ""


def _tables(name: str, result: AnalogyResult) -> Iterator[Table]:
    """Yield a table of all relations for every few models."""
    values = ShownValues(result.values(), result.differences, by_neighbourhood(result.models).values())
    names = list(result.models)
    parts = [names[low : low + _MODELS_ABREAST] for low in range(0, len(names), _MODELS_ABREAST)]
    for part, models in enumerate(parts, 1):
        columns: list[Column | str] = ["Relation", Column.count("|W|", "pairs that touch the domain")]
        for model in models:
            columns += [
                Column.number("M", note="AR / (|W| (|W| − 1))", group=model),
                Column.count("AR", "analogies that hold", model),
                Column.count("|IV|", "pairs in the vocabulary", model),
            ]
        rows = []
        for relation, about in result.relations.items():
            cells: list[Cell | int] = []
            for model in models:
                figures = result.models[model].relations[relation]
                cell = values.cell(model, relation, COVERAGE, DIGITS)
                cells += [
                    replace(cell, text=shown_coverage(figures.coverage)),
                    figures.successes,
                    figures.in_vocabulary,
                ]
            rows.append((about.label, about.pairs, *cells))
        several = f" (part {part} of {len(parts)})" if len(parts) > 1 else ""
        yield Table.from_rows(
            block_id("analogies", name, str(part) if several else ""),
            f"Percentage analogy coverage M, analogies that hold and pairs in vocabulary{several}.",
            columns,
            rows,
            testing_notes(result, "analogies that share a pair of concepts"),
        )
