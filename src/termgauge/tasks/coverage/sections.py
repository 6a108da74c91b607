"""How well models cover a domain: Tables 3 and 4 of Giancani et al. (2023), their figures 1 and 2, and a map."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

from termgauge.document.blocks import Cell, Column, Interval, Prose, Section, Table, WinsLosses, block_id
from termgauge.document.numbers import number
from termgauge.document.words import bold, corrected, count, counted, listed, plain
from termgauge.tasks.coverage.figures import bars_figure, in_percent, lines_figure, map_figure

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from termgauge.document.blocks import Block, Figure

USUAL_K = 10
"""What the paper shows its results for."""
_MOST_SEEDS = 300
_NAMES = {"cg": "%CG", "posdcg": "posDCG"}
_NOTES = {
    "cg": "share of the k nearest neighbours of the seeds that are seeds",
    "posdcg": "the same, a neighbour at rank j counting 1/log2(j + 1)",
}


def coverage_sections(name: str, document: Mapping[str, Any]) -> tuple[Section, ...]:
    """Return what was found about the coverage of one domain.

    Parameters
    ----------
    name
        What the run calls the domain.
    document
        What ``termgauge coverage --json`` prints.
    """
    k = USUAL_K if USUAL_K in document["k"] else document["k"][0]
    groups = _groups(document, k)
    order = [model for group in groups.values() for model in group]
    title = f"Coverage of a domain: {name}"
    if not order:
        return (Section(block_id("coverage", name), title, (Prose((_domain(document), "No model has a value.")),)),)
    blocks: tuple[Block, ...] = (
        Prose(_about(document, groups, k)),
        *(bars_figure(_apart(name, place), document, group, k) for place, group in groups.items()),
        _main_table(name, document, order, k),
    )
    parts = [Section(block_id("coverage", name), title, blocks)]
    if len(document["k"]) > 1:
        lines = (lines_figure(_apart(name, place), document, group) for place, group in groups.items())
        more: tuple[Block, ...] = (*lines, _table_of_ks(name, document, order))
        parts.append(Section(block_id("coverage-k", name), "More or fewer neighbours", more, level=3))
    if missing := _missing_table(name, document, order):
        parts.append(Section(block_id("coverage-missing", name), "Seeds that models lack", (missing,), level=3))
    maps = _maps(name, document, order)
    if maps:
        about = (
            "Seeds and what is nearest to them, in the plane of the first two principal components of their unit "
            "vectors: what lies close together here is close in two of many directions, no more."
        )
        parts.append(Section(block_id("coverage-maps", name), "Maps of the domain", (Prose((about,)), *maps), level=3))
    return tuple(parts)


def _groups(document: Mapping[str, Any], k: int) -> dict[str, list[str]]:
    """Return the models by where their neighbours were sought, which is not to be compared, the best first."""
    models = document["models"]
    order = sorted(models, key=lambda model: (-models[model]["k"][str(k)]["posdcg"], -models[model]["share"]))
    groups: dict[str, list[str]] = {"vocabulary": [], "terminology": []}
    for model in order:
        groups[models[model]["neighbourhood"]].append(model)
    return {place: group for place, group in groups.items() if group}


def _apart(name: str, neighbourhood: str) -> str:
    return name if neighbourhood == "vocabulary" else f"{name} encoders"


def _domain(document: Mapping[str, Any]) -> str:
    domain = document["domain"]
    terminology = " ".join(filter(None, (domain["terminology"].get(key) for key in ("edition", "version"))))
    of = f" of {plain(terminology)}" if terminology else ""
    return f"The domain has {counted(len(domain['seeds']), 'concept')}{of}, its seeds: {plain(domain['title'])}."


def _about(document: Mapping[str, Any], groups: Mapping[str, Sequence[str]], k: int) -> tuple[str, ...]:
    models = document["models"]
    sentences = [_domain(document)]
    if words := groups.get("vocabulary"):
        sentences.append(_best_of(document, words, k))
    if encoders := groups.get("terminology"):
        sentences.append(
            f"{listed(map(bold, encoders))} {'has' if len(encoders) == 1 else 'have'} no vocabulary of words: "
            "neighbours are sought among the names of the terminology's concepts. That is another question, and not "
            f"to be compared with vocabularies. {_best_of(document, encoders, k)}"
        )
    nothing = [model for model in models if not models[model]["in_vocabulary"]]
    if nothing:
        sentences.append(
            f"None of the seeds is in the vocabulary of {listed(map(bold, nothing))}: all "
            f"{'its' if len(nothing) == 1 else 'their'} figures are 0."
        )
    if document.get("left_out"):
        reasons = "; ".join(plain(reason.rstrip(".")) for reason in document["left_out"])
        sentences.append(f"Left out: {reasons}.")
    return tuple(sentences)


def _best_of(document: Mapping[str, Any], group: Sequence[str], k: int) -> str:
    models = document["models"]
    widest = max(group, key=lambda model: models[model]["share"])
    nearest = group[0]
    seeds, gain = models[widest], models[nearest]["k"][str(k)]
    most = " the most" if len(group) > 1 else ""
    known = f"{bold(widest)} knows{most} of the seeds, {number(seeds['in_vocabulary'])}"
    if len(group) == 1:
        known = f"{bold(widest)} knows {number(seeds['in_vocabulary'])} of the seeds"
    highest = ", which has the highest posDCG," if len(group) > 1 else " (posDCG"
    end = f" {gain['posdcg']:.3f}" + ("" if len(group) > 1 else ")")
    return (
        f"{known} ({100 * seeds['share']:.0f} %). Of the {k} nearest neighbours of each seed {100 * gain['cg']:.1f} % "
        f"are seeds under {bold(nearest)}{highest}{end}; seeds without a vector count as misses."
    )


def _main_table(name: str, document: Mapping[str, Any], order: Sequence[str], k: int) -> Table:
    models = document["models"]
    best = {
        statistic: _best(document, order, statistic, None if statistic == "in_vocabulary" else k)
        for statistic in ("in_vocabulary", *_NAMES)
    }
    rows, data = [], []
    for model in order:
        found = models[model]
        at = found["k"][str(k)]
        among = "names" if found["neighbourhood"] == "terminology" else found["kind"]
        low, high = in_percent(found["share_interval"])
        share = Cell(
            f"{100 * found['share']:.1f}",
            found["share"],
            WinsLosses(found["share_wins"], found["share_losses"]),
            interval=None if low == high else Interval.known(low, high, 1),  # else it says nothing
            best=model in best["in_vocabulary"],
        )
        rows.append(
            (
                Cell(model),
                Cell(f"{number(found['neighbourhood_size'])} {among}", found["neighbourhood_size"]),
                Cell.count(found["out_of_vocabulary"]),
                Cell.count(found["in_vocabulary"]),
                share,
                *(_measure_cell(at, statistic, best=model in best[statistic]) for statistic in _NAMES),
            )
        )
        data.append(_flat(model, found, k))
    return Table(
        id=block_id("coverage-values", name),
        caption=f"Seeds in the vocabulary, and how many of their {k} nearest neighbours are seeds.",
        columns=(
            Column("Model"),
            Column("Neighbours among", numeric=True),
            Column("|OOV|", numeric=True, note="seeds out of vocabulary"),
            Column("|IV|", numeric=True, note="seeds in the vocabulary"),
            Column("%IV", numeric=True, note="share of the seeds that are in the vocabulary"),
            *(Column(f"{title} {k}", numeric=True, note=_NOTES[which]) for which, title in _NAMES.items()),
        ),
        rows=tuple(rows),
        notes=(*_encoder_note(document), *_table_notes(document)),
        data=pl.DataFrame(data),
    )


def _encoder_note(document: Mapping[str, Any]) -> list[str]:
    encoders = any(model["neighbourhood"] == "terminology" for model in document["models"].values())
    note = "Names: neighbours are sought among the names of the terminology's concepts, which is another question."
    return [note] if encoders else []


def _table_of_ks(name: str, document: Mapping[str, Any], order: Sequence[str]) -> Table:
    ks = document["k"]
    best = {(statistic, k): _best(document, order, statistic, k) for statistic in _NAMES for k in ks}
    rows = [
        (
            Cell(model),
            *(
                _measure_cell(document["models"][model]["k"][str(k)], statistic, best=model in best[statistic, k])
                for statistic in _NAMES
                for k in ks
            ),
        )
        for model in order
    ]
    data = [_flat(model, document["models"][model], k) for model in order for k in ks]
    return Table(
        id=block_id("coverage-ks", name),
        caption="%CG and posDCG for each number of neighbours k.",
        columns=(
            Column("Model"),
            *(
                Column(f"k = {k}", numeric=True, group=title, note=_NOTES[statistic])
                for statistic, title in _NAMES.items()
                for k in ks
            ),
        ),
        rows=tuple(rows),
        notes=_table_notes(document),
        data=pl.DataFrame(data),
        folded=True,
    )


def _missing_table(name: str, document: Mapping[str, Any], order: Sequence[str]) -> Table | None:
    """Return which models have the seeds that not all have, those first on which models differ."""
    lacks = {model: set(document["models"][model]["missing"]) for model in order}
    seeds = document["domain"]["seeds"]
    lacking = [seed for seed in seeds if any(seed["concept"] in missing for missing in lacks.values())]
    if not lacking:
        return None
    lacking.sort(key=lambda seed: all(seed["concept"] in missing for missing in lacks.values()))
    shown = lacking[:_MOST_SEEDS]
    by_none = sum(all(seed["concept"] in missing for missing in lacks.values()) for seed in lacking)
    from_all = count(by_none) if by_none else "none"
    notes = [f"{number(len(lacking))} of {number(len(seeds))} seeds are missing from some model, {from_all} from all."]
    if len(shown) < len(lacking):
        notes.append(f"The table has {number(len(shown))} of them, the data all.")
    return Table(
        id=block_id("coverage-seeds", name),
        caption="Seeds that are not in all vocabularies: a tick where a model has the seed.",
        columns=(Column("Concept"), Column("Name"), *(Column(model) for model in order)),
        rows=tuple(
            (
                Cell(seed["concept"]),
                Cell(seed["name"] or "–"),
                *(Cell("" if seed["concept"] in lacks[model] else "✓") for model in order),
            )
            for seed in shown
        ),
        notes=tuple(notes),
        data=pl.DataFrame(
            [
                {"concept": seed["concept"], "name": seed["name"]}
                | {f"in {model}": seed["concept"] not in lacks[model] for model in order}
                for seed in lacking
            ],
            infer_schema_length=None,
        ),
        folded=True,
    )


def _maps(name: str, document: Mapping[str, Any], order: Sequence[str]) -> list[Figure]:
    drawn = [model for model in order if (document["models"][model].get("map") or {}).get("points")]
    return [map_figure(name, document, model, folded=place > 0) for place, model in enumerate(drawn)]


def _best(document: Mapping[str, Any], order: Sequence[str], statistic: str, k: int | None) -> set[str]:
    """Return the models with the greatest value of their group, and those that cannot be told from one of these."""
    models = document["models"]
    values: dict[str, dict[str, float]] = {}
    for model in order:
        value = models[model]["share"] if k is None else models[model]["k"][str(k)][statistic]
        values.setdefault(models[model]["neighbourhood"], {})[model] = value
    top = {
        model
        for group in values.values()
        for model, value in group.items()
        if len(group) > 1 and value == max(group.values()) > 0
    }
    alike = set(top)
    for each in document["differences"]:
        if each["statistic"] == statistic and each["k"] == k and not each["significant"]:
            pair = {each["one"], each["other"]}
            alike |= pair if pair & top else set()
    return alike


def _measure_cell(at: Mapping[str, Any], statistic: str, *, best: bool) -> Cell:
    low, high = at[f"{statistic}_interval"]
    return Cell.number(
        at[statistic],
        against=WinsLosses(at[f"{statistic}_wins"], at[f"{statistic}_losses"]),
        interval=None if low == high else Interval(low, high, 3),
        best=best,
    )


def _table_notes(document: Mapping[str, Any]) -> tuple[str, ...]:
    notes = [f"Intervals at level {1 - document['alpha']:g} are over seeds (BCa bootstrap)."]
    if len(document["models"]) > 1:
        notes.append(
            f"Superscripts: how many other models it significantly beats (+) and loses to (−), "
            f"{corrected(document['correction'])}."
        )
    return tuple(notes)


def _flat(model: str, found: Mapping[str, Any], k: int) -> dict[str, Any]:
    """Return all digits of a model at some k."""
    at = found["k"][str(k)]
    row = {
        "model": model,
        "k": k,
        "seeds": found["seeds"],
        "in_vocabulary": found["in_vocabulary"],
        "out_of_vocabulary": found["out_of_vocabulary"],
        "share": found["share"],
        "share_low": found["share_interval"][0],
        "share_high": found["share_interval"][1],
    }
    for statistic in _NAMES:
        low, high = at[f"{statistic}_interval"]
        row |= {statistic: at[statistic], f"{statistic}_low": low, f"{statistic}_high": high}
    return row
