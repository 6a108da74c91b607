"""How well a domain's relations hold as analogies: figures 3 to 6 and tables 5 and 6 of Giancani et al. (2023)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

from termgauge.report.analogies import shown_coverage
from termgauge.report.document import Cell, Column, Figure, Prose, Section, Table
from termgauge.report.look import MUTED, SERIES, SHAPES
from termgauge.report.pieces import number
from termgauge.report.sections.canvas import KeyEntry
from termgauge.report.sections.dots import Dot, DotPanel, DotPlot
from termgauge.report.sections.names import block_id
from termgauge.report.sections.words import bold, count, counted, listed, plain

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from termgauge.report.document import Block

_MODELS_ABREAST = 4
_MOST_RELATIONS = 40
_DIGITS = 5
_LABELS = {
    "first": "a concept is the best-ranked of its labels in the vocabulary",
    "all": "an analogy holds if it does for any choice of labels of its concepts",
}


def analogy_sections(name: str, document: Mapping[str, Any]) -> tuple[Section, ...]:
    """Return what was found about the relations of one domain.

    Parameters
    ----------
    name
        What the run calls the domain.
    document
        What ``termgauge analogies --json`` prints.
    """
    shown = _shown(document)
    figures = (
        _figure(name, document, shown, "coverage"),
        _figure(name, document, shown, "successes"),
        _figure(name, document, shown, "in_vocabulary"),
        _sizes(name, document, shown),
    )
    tables = _tables(name, document)
    drawn = [figure for figure in figures if figure is not None]
    blocks: tuple[Block, ...] = (Prose(_about(document, shown)), *drawn, *tables)
    return (Section(block_id("analogies", name), f"Relations as analogies: {name}", blocks),)


def _shown(document: Mapping[str, Any]) -> list[str]:
    """Return the relations worth drawing: those of which a model has two pairs, the largest first."""
    asked = [
        relation
        for relation in document["relations"]
        if any(model["relations"][relation]["in_vocabulary"] > 1 for model in document["models"].values())
    ]
    if len(asked) <= _MOST_RELATIONS:
        return asked
    largest = sorted(asked, key=lambda relation: -document["relations"][relation]["pairs"])[:_MOST_RELATIONS]
    return [relation for relation in asked if relation in largest]


def _about(document: Mapping[str, Any], shown: Sequence[str]) -> tuple[str, ...]:
    about, relations, models = document["domain"], document["relations"], document["models"]
    k = document["k"][0]
    text = (
        f"Of two pairs of concepts with the same relation, does x − y of the one, added to y of the other, lead to its "
        f"x? An analogy holds if x is among the {k} nearest words ({document['method_name']}). Asked are all analogies "
        f"between the pairs of a relation that touch the domain ({plain(about['title'])}: {number(about['related'])} "
        f"concepts), for {counted(len(relations), 'relation')}; {_LABELS[document['labels']]}. M is the share of all "
        "analogies between a relation's pairs that hold; pairs that are not in a model's vocabulary count as misses."
    )
    paragraphs = [text, _finding(document)]
    if len(shown) < len(relations):
        rest = len(relations) - len(shown)
        paragraphs.append(f"The pictures leave out {counted(rest, 'relation')}; the tables have all of them.")
    encoders = [name for name, model in models.items() if model["neighbourhood"] == "terminology"]
    if encoders:
        paragraphs.append(
            f"{listed(map(bold, encoders))} {'has' if len(encoders) == 1 else 'have'} no vocabulary: answers are "
            "sought among the names of the terminology's concepts, which is another question than for models with one."
        )
    paragraphs += [plain(note) for note in (*document.get("notes", ()), *document.get("left_out", ()))]
    return tuple(paragraphs)


def _finding(document: Mapping[str, Any]) -> str:
    models = document["models"]
    best: dict[str, int] = {}
    held = 0
    for relation in document["relations"]:
        values = {name: model["relations"][relation]["coverage"] or 0.0 for name, model in models.items()}
        top = max(values.values())
        held += top > 0
        leaders = [name for name, value in values.items() if value == top]
        if top > 0 and len(leaders) == 1:
            best[leaders[0]] = best.get(leaders[0], 0) + 1
    if not held:
        return "No analogy holds in any model."
    greatest = max(
        ((model["relations"][relation]["coverage"] or 0.0), name, relation)
        for name, model in models.items()
        for relation in document["relations"]
    )
    label = plain(document["relations"][greatest[2]]["label"])
    relations = counted(len(document["relations"]), "relation")
    where = f"{count(held)} of {relations}" if held < len(document["relations"]) else f"all {relations}"
    if len(document["relations"]) == 1:
        where = "the one relation"
    which = f"{shown_coverage(greatest[0])}, of {bold(greatest[1])} for {label}"
    text = f"Some analogies hold in {where}; the greatest M is {which}."
    if len(models) > 1 and best:
        ranking = sorted(best, key=lambda name: -best[name])
        text += f" {bold(ranking[0])} has the greatest M in {counted(best[ranking[0]], 'relation')}"
        text += f", {bold(ranking[1])} in {count(best[ranking[1]])}." if len(ranking) > 1 else "."
        real = sum(bool(each["significant"]) for each in document["differences"])
        text += f" {number(real)} of {number(len(document['differences']))} differences between models are significant."
    return text


_TITLES = {
    "coverage": ("Percentage analogy coverage M of each relation; the table has the intervals.", "M"),
    "successes": ("Analogies that hold, AR, of each relation.", "AR"),
    "in_vocabulary": ("Pairs of each relation that are in a model's vocabulary, |IV|.", "|IV|"),
}


def _figure(name: str, document: Mapping[str, Any], shown: Sequence[str], what: str) -> Figure | None:
    models = list(document["models"])
    rows = [
        {"relation": relation, "model": model, what: document["models"][model]["relations"][relation][what]}
        | {end: document["models"][model]["relations"][relation][end] for end in ("low", "high") if what == "coverage"}
        for relation in shown
        for model in models
    ]
    rows = [row for row in rows if row[what] is not None]
    if not rows:
        return None
    labels = _row_labels(document, shown)
    dots: dict[str, list[Dot]] = {labels[relation]: [] for relation in shown}
    for row in rows:
        place = models.index(row["model"])
        printed = shown_coverage(row[what]) if what == "coverage" else number(row[what])
        tip = f"{row['model']}, {labels[row['relation']]}: {printed}"
        # Without intervals: those of relations with few pairs would make the scale so long that nothing is told apart.
        dots[labels[row["relation"]]].append(Dot(row[what], None, None, _colour(place), _shape(place), tip))
    caption, axis = _TITLES[what]
    entries = tuple(KeyEntry(model, _colour(place), _shape(place)) for place, model in enumerate(models))
    plot = DotPlot([DotPanel((), dots)], list(dots), axis, entries=entries if len(models) > 1 else (), least=0.0)
    totals = {model: sum(row[what] for row in rows if row["model"] == model) for model in models}
    ends = {model: max((row[what] for row in rows if row["model"] == model), default=0) for model in models}
    described = "; ".join(
        f"{model}: at most {shown_coverage(ends[model])}"
        if what == "coverage"
        else f"{model}: {number(totals[model])} in all"
        for model in models
    )
    return Figure(
        id=block_id("analogy", what.replace("_", "-"), name),
        caption=caption,
        description=f"{axis} of {len(shown)} relations. {described}.",
        draw=plot.draw,
        data=pl.DataFrame(rows, infer_schema_length=None),
        folded=what == "in_vocabulary",
    )


def _sizes(name: str, document: Mapping[str, Any], shown: Sequence[str]) -> Figure | None:
    if not shown:
        return None
    labels = _row_labels(document, shown)
    sizes = {relation: document["relations"][relation]["pairs"] for relation in shown}
    dots = {
        labels[relation]: [Dot(pairs, None, None, MUTED, tip=f"{labels[relation]}: {number(pairs)}")]
        for relation, pairs in sizes.items()
    }
    plot = DotPlot([DotPanel((), dots)], list(dots), "|W|", least=0.0)
    largest = max(sizes, key=lambda relation: sizes[relation])
    return Figure(
        id=block_id("analogy", "pairs", name),
        caption="Pairs of concepts of each relation that touch the domain, |W|.",
        description=f"|W| of {len(shown)} relations; the largest is {labels[largest]} with {number(sizes[largest])}.",
        draw=plot.draw,
        data=pl.DataFrame({"relation": list(sizes), "pairs": list(sizes.values())}),
        folded=True,
    )


def _row_labels(document: Mapping[str, Any], shown: Sequence[str]) -> dict[str, str]:
    """Return a name for each relation; its own where two have the same label."""
    labels = {relation: str(document["relations"][relation]["label"]) for relation in shown}
    every = list(labels.values())
    return {
        relation: label if every.count(label) == 1 else f"{label} ({relation})" for relation, label in labels.items()
    }


def _tables(name: str, document: Mapping[str, Any]) -> list[Table]:
    models = list(document["models"])
    parts = [models[low : low + _MODELS_ABREAST] for low in range(0, len(models), _MODELS_ABREAST)]
    return [_table(name, document, some, place, len(parts)) for place, some in enumerate(parts)]


def _table(name: str, document: Mapping[str, Any], models: Sequence[str], place: int, parts: int) -> Table:
    columns = [Column("Relation"), Column("|W|", numeric=True, note="pairs that touch the domain")]
    for model in models:
        columns += [
            Column("M", numeric=True, note="AR / (|W| (|W| − 1))", group=model),
            Column("AR", numeric=True, note="analogies that hold", group=model),
            Column("|IV|", numeric=True, note="pairs in the vocabulary", group=model),
        ]
    rows = []
    for relation, about in document["relations"].items():
        every = [model["relations"][relation]["coverage"] or 0.0 for model in document["models"].values()]
        cells = [Cell(str(about["label"])), Cell(number(about["pairs"]), about["pairs"])]
        for model in models:
            cells += _cells(document["models"][model]["relations"][relation], max(every))
        rows.append(tuple(cells))
    part = f" (part {place + 1} of {parts})" if parts > 1 else ""
    return Table(
        id=block_id("analogies", name, str(place + 1) if parts > 1 else ""),
        caption=f"Percentage analogy coverage M, analogies that hold and pairs in vocabulary{part}.",
        columns=tuple(columns),
        rows=tuple(rows),
        notes=_notes(document),
        data=_data(document, models),
    )


def _cells(values: Mapping[str, Any], greatest: float) -> list[Cell]:
    marks = "".join(f"{sign}{values[key]}" for sign, key in (("+", "wins"), ("-", "losses")) if values[key])
    ends = None
    if values["low"] is not None:
        ends = (f"{values['low']:.{_DIGITS}f}", f"{values['high']:.{_DIGITS}f}")
    coverage = values["coverage"]
    best = bool(coverage) and coverage == greatest
    return [
        Cell(shown_coverage(coverage), coverage, superscript=marks, interval=ends, best=best),
        Cell(number(values["successes"]), values["successes"]),
        Cell(number(values["in_vocabulary"]), values["in_vocabulary"]),
    ]


def _notes(document: Mapping[str, Any]) -> tuple[str, ...]:
    notes = [f"Intervals are over pairs of concepts, at level {1 - document['alpha']:g}; none where nothing holds."]
    if len(document["models"]) > 1:
        notes.append(
            f"Superscripts: how many of the other models a model is significantly better (+) and worse (−) than, "
            f"correction {document['correction']}."
        )
    return tuple(notes)


def _data(document: Mapping[str, Any], models: Sequence[str]) -> pl.DataFrame:
    rows = [
        {"relation": relation, "model": model, "k": int(k), "pairs": values["pairs"]}
        | {"in_vocabulary": values["in_vocabulary"], **at}
        for model in models
        for relation, values in document["models"][model]["relations"].items()
        for k, at in values["k"].items()
    ]
    return pl.DataFrame(rows, infer_schema_length=None)


def _colour(place: int) -> str:
    return SERIES[place % len(SERIES)]


def _shape(place: int) -> str:
    return SHAPES[place % len(SHAPES)]
