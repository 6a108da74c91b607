"""How well a domain's relations hold as analogies: figures 3 to 6 and tables 5 and 6 of Giancani et al. (2023)."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

import polars as pl

from termgauge.domain.relations import INVERSE
from termgauge.plurals import numbered, plural
from termgauge.reporting.blocks import Cell, Column, Figure, Interval, Prose, Section, Table, WinsLosses, block_id
from termgauge.reporting.plots.canvas import MUTED, KeyEntry
from termgauge.reporting.plots.dots import Dot, DotPanel, DotPlot
from termgauge.reporting.words import MISSING, bold, counted, decimal, headed, listed, number, plain
from termgauge.tasks.shown import by_neighbourhood, style_of, superscript_note, verdict_blocks, zeros_note

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

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
    name, shown = about.name, _shown(result)
    figures = [_figure(name, result, shown, group, what) for what in _TITLES for group in _groups(result)]
    drawn = [figure for figure in (*figures, _sizes(name, result, shown)) if figure is not None]
    models = list(result.models)
    parts = [models[low : low + _MODELS_ABREAST] for low in range(0, len(models), _MODELS_ABREAST)]
    tables = (_table(name, result, some, place, len(parts)) for place, some in enumerate(parts))
    joints = verdict_blocks("analogies", name, result)
    blocks = (*joints, Prose(tuple(_about(result, shown))), *drawn, *tables, *_by_k(name, result))
    return (Section(block_id("analogies", name), headed("Relations as analogies", name), blocks),)


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
    if not any(each.successes for model in models.values() for each in model.relations.values()):
        yield "No analogy holds in any model."
    nothing = [name for name, model in models.items() if not any(each.analogies for each in model.relations.values())]
    if nothing:
        yield f"No two pairs of any relation are in the vocabulary of {zeros_note(nothing)}"
    if len(shown) < len(relations):
        rest = len(relations) - len(shown)
        yield f"The pictures leave out {counted(rest, 'relation')}; the tables have all of them."
    encoders = [name for name, model in models.items() if model.neighbourhood == "terminology"]
    if encoders:
        yield (
            f"{listed(map(bold, encoders))} {plural(len(encoders), 'has', 'have')} no vocabulary: answers are "
            "sought among the names of the terminology's concepts, a different question with a verdict of its own."
        )
    yield from map(plain, (*result.notes, *result.left_out))


def _groups(result: AnalogyResult) -> list[list[str]]:
    return list(by_neighbourhood(result.models).values())


_TITLES = {
    "coverage": ("Percentage analogy coverage M of each relation; the table has the intervals.", "M"),
    "successes": ("Analogies that hold, AR, of each relation.", "AR"),
    "in_vocabulary": ("Pairs of each relation that are in a model's vocabulary, |IV|.", "|IV|"),
}


def _figure(
    name: str, result: AnalogyResult, relations: Sequence[str], group: Sequence[str], what: str
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
    styles = {model: style_of(place) for place, model in enumerate(result.models)}
    dots: dict[str, list[Dot]] = {labels[relation]: [] for relation in shown}
    for row in rows:
        printed = shown_coverage(row[what]) if what == "coverage" else number(row[what])
        label = labels[row["relation"]]
        # Without intervals: those of relations with few pairs would make the scale so long that nothing is told apart.
        dots[label].append(Dot(row[what], None, None, *styles[row["model"]], f"{row['model']}, {label}: {printed}"))
    caption, axis = _TITLES[what]
    encoders = len(_groups(result)) > 1 and result.models[group[0]].neighbourhood == "terminology"
    if encoders:
        caption = f"{caption.rstrip('.')}; among the names of the terminology's concepts."
    entries = tuple(KeyEntry(model, *styles[model]) for model in models) if len(styles) > 1 else ()
    plot = DotPlot([DotPanel((), dots)], list(dots), axis, entries=entries, least=0.0)
    described = []
    for model in models:
        own = [row[what] for row in rows if row["model"] == model]
        most = f"at most {shown_coverage(max(own, default=0))}"
        described.append(f"{model}: {most if what == 'coverage' else f'{number(sum(own))} in all'}")
    return Figure(
        id=block_id("analogy", what.replace("_", "-"), f"{name} encoders" if encoders else name),
        caption=caption + _turned(labels),
        description=f"{axis} of {numbered(len(shown), 'relation')}. {'; '.join(described)}.",
        draw=plot.draw,
        data=pl.DataFrame(rows, infer_schema_length=None),
        folded=what == "in_vocabulary",
    )


def _sizes(name: str, result: AnalogyResult, shown: Sequence[str]) -> Figure | None:
    if not shown:
        return None
    labels = _row_labels(result, shown)
    sizes = {relation: result.relations[relation].pairs for relation in shown}
    dots = {
        labels[relation]: [Dot(pairs, None, None, MUTED, tip=f"{labels[relation]}: {number(pairs)}")]
        for relation, pairs in sizes.items()
    }
    plot = DotPlot([DotPanel((), dots)], list(dots), "|W|", least=0.0)
    largest = max(sizes, key=lambda relation: sizes[relation])
    return Figure(
        id=block_id("analogy", "pairs", name),
        caption=f"Pairs of concepts of each relation that touch the domain, |W|.{_turned(labels)}",
        description=f"|W| of {numbered(len(shown), 'relation')}; the largest is {labels[largest]} with "
        f"{number(sizes[largest])}.",
        draw=plot.draw,
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


def _by_k(name: str, result: AnalogyResult) -> list[Table]:
    """Return M of each relation and model for each k, where there are several."""
    if len(result.k) == 1:
        return []
    rows = (
        (
            about.label,
            model,
            *(Cell(shown_coverage(at.coverage), at.coverage) for at in figures.relations[relation].k.values()),
        )
        for relation, about in result.relations.items()
        for model, figures in result.models.items()
    )
    columns = ("Relation", "Model", *(Column.number(f"k = {k}", group="M") for k in result.k))
    caption = "Percentage analogy coverage M if the answer may be among more or fewer words."
    return [Table.from_rows(block_id("analogies-k", name), caption, columns, rows, folded=True)]


def _table(name: str, result: AnalogyResult, models: Sequence[str], place: int, parts: int) -> Table:
    columns: list[Column | str] = ["Relation", Column.count("|W|", "pairs that touch the domain")]
    for model in models:
        columns += [
            Column.number("M", note="AR / (|W| (|W| − 1))", group=model),
            Column.count("AR", "analogies that hold", model),
            Column.count("|IV|", "pairs in the vocabulary", model),
        ]
    rows = []
    for relation, about in result.relations.items():
        greatest = {
            name: max(result.models[each].relations[relation].coverage or 0.0 for each in group)
            for group in _groups(result)
            for name in group
            if len(group) > 1
        }
        cells: list[Cell | int] = []
        for model in models:
            figures = result.models[model].relations[relation]
            m = Cell.number(
                figures.coverage,
                DIGITS,
                against=WinsLosses(figures.wins, figures.losses),
                interval=Interval.known(figures.low, figures.high),
                best=bool(figures.coverage) and figures.coverage == greatest.get(model),
            )
            cells += [replace(m, text=shown_coverage(figures.coverage)), figures.successes, figures.in_vocabulary]
        rows.append((about.label, about.pairs, *cells))
    part = f" (part {place + 1} of {parts})" if parts > 1 else ""
    return Table.from_rows(
        block_id("analogies", name, str(place + 1) if parts > 1 else ""),
        f"Percentage analogy coverage M, analogies that hold and pairs in vocabulary{part}.",
        columns,
        rows,
        notes=(
            f"Intervals at level {1 - result.alpha:g} and tests are over pairs of concepts.",
            *superscript_note(result.models, result.correction),
        ),
    )
