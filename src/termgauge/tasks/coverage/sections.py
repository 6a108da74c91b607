"""How well models cover a domain: Tables 3 and 4 of Giancani et al. (2023), their figures 1 and 2, and a map."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from termgauge.document.blocks import Cell, Column, Interval, Prose, Section, Table, WinsLosses, block_id
from termgauge.document.numbers import number
from termgauge.document.words import bold, corrected, count, counted, listed, plain
from termgauge.tasks.coverage.figures import bars_figure, in_percent, lines_figure, map_figure

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from termgauge.document.blocks import Block, Figure
    from termgauge.tasks.coverage.result import AtK, CoverageFigures, CoverageResult

USUAL_K = 10
"""What the paper shows its results for."""
_MOST_SEEDS = 300
_NAMES = {"cg": "%CG", "posdcg": "posDCG"}
_NOTES = {
    "cg": "share of the k nearest neighbours of the seeds that are seeds",
    "posdcg": "the same, a neighbour at rank j counting 1/log2(j + 1)",
}


def coverage_sections(name: str, result: CoverageResult) -> tuple[Section, ...]:
    """Return what was found about the coverage of one domain.

    Parameters
    ----------
    name
        What the run calls the domain.
    result
        What was found.
    """
    k = USUAL_K if USUAL_K in result.k else result.k[0]
    groups = _groups(result, k)
    order = [model for group in groups.values() for model in group]
    title = f"Coverage of a domain: {name}"
    if not order:
        return (Section(block_id("coverage", name), title, (Prose((_domain(result), "No model has a value.")),)),)
    blocks: tuple[Block, ...] = (
        Prose(_about(result, groups, k)),
        *(bars_figure(_apart(name, place), result, group, k) for place, group in groups.items()),
        _main_table(name, result, order, k),
    )
    parts = [Section(block_id("coverage", name), title, blocks)]
    if len(result.k) > 1:
        lines = (lines_figure(_apart(name, place), result, group) for place, group in groups.items())
        more: tuple[Block, ...] = (*lines, _table_of_ks(name, result, order))
        parts.append(Section(block_id("coverage-k", name), "More or fewer neighbours", more, level=3))
    if missing := _missing_table(name, result, order):
        parts.append(Section(block_id("coverage-missing", name), "Seeds that models lack", (missing,), level=3))
    maps = _maps(name, result, order)
    if maps:
        about = (
            "Seeds and what is nearest to them, in the plane of the first two principal components of their unit "
            "vectors: what lies close together here is close in two of many directions, no more."
        )
        parts.append(Section(block_id("coverage-maps", name), "Maps of the domain", (Prose((about,)), *maps), level=3))
    return tuple(parts)


def _groups(result: CoverageResult, k: int) -> dict[str, list[str]]:
    """Return the models by where their neighbours were sought, which is not to be compared, the best first."""
    models = result.models
    order = sorted(models, key=lambda model: (-models[model].at(k).posdcg, -models[model].share))
    groups: dict[str, list[str]] = {"vocabulary": [], "terminology": []}
    for model in order:
        groups[models[model].neighbourhood].append(model)
    return {place: group for place, group in groups.items() if group}


def _apart(name: str, neighbourhood: str) -> str:
    return name if neighbourhood == "vocabulary" else f"{name} encoders"


def _domain(result: CoverageResult) -> str:
    domain = result.domain
    terminology = " ".join(filter(None, (domain.terminology.get(key) for key in ("edition", "version"))))
    of = f" of {plain(terminology)}" if terminology else ""
    return f"The domain has {counted(len(domain), 'concept')}{of}, its seeds: {plain(domain.title)}."


def _about(result: CoverageResult, groups: Mapping[str, Sequence[str]], k: int) -> tuple[str, ...]:
    models = result.models
    sentences = [_domain(result)]
    if words := groups.get("vocabulary"):
        sentences.append(_best_of(result, words, k))
    if encoders := groups.get("terminology"):
        sentences.append(
            f"{listed(map(bold, encoders))} {'has' if len(encoders) == 1 else 'have'} no vocabulary of words: "
            "neighbours are sought among the names of the terminology's concepts. This is a different question: do not "
            f"compare these values with those of a vocabulary. {_best_of(result, encoders, k)}"
        )
    nothing = [model for model in models if not models[model].in_vocabulary]
    if nothing:
        sentences.append(
            f"None of the seeds is in the vocabulary of {listed(map(bold, nothing))}: all "
            f"{'its' if len(nothing) == 1 else 'their'} figures are 0."
        )
    if result.left_out:
        reasons = "; ".join(plain(reason.rstrip(".")) for reason in result.left_out)
        sentences.append(f"Left out: {reasons}.")
    return tuple(sentences)


def _best_of(result: CoverageResult, group: Sequence[str], k: int) -> str:
    models = result.models
    widest = max(group, key=lambda model: models[model].share)
    nearest = group[0]
    seeds, gain = models[widest], models[nearest].at(k)
    most = " the most" if len(group) > 1 else ""
    known = f"{bold(widest)} knows{most} of the seeds, {number(seeds.in_vocabulary)}"
    if len(group) == 1:
        known = f"{bold(widest)} knows {number(seeds.in_vocabulary)} of the seeds"
    highest = ", which has the highest posDCG," if len(group) > 1 else " (posDCG"
    end = f" {gain.posdcg:.3f}" + ("" if len(group) > 1 else ")")
    return (
        f"{known} ({100 * seeds.share:.0f} %). Of the {k} nearest neighbours of each seed {100 * gain.cg:.1f} % "
        f"are seeds under {bold(nearest)}{highest}{end}; seeds without a vector count as misses."
    )


def _main_table(name: str, result: CoverageResult, order: Sequence[str], k: int) -> Table:
    models = result.models
    best = {
        statistic: _best(result, order, statistic, None if statistic == "in_vocabulary" else k)
        for statistic in ("in_vocabulary", *_NAMES)
    }
    rows, data = [], []
    for model in order:
        found = models[model]
        at = found.at(k)
        among = "names" if found.neighbourhood == "terminology" else found.kind
        low, high = in_percent(found.share_interval)
        share = Cell(
            f"{100 * found.share:.1f}",
            found.share,
            WinsLosses(found.share_wins, found.share_losses),
            interval=None if low == high else Interval.known(low, high, 1),  # else it says nothing
            best=model in best["in_vocabulary"],
        )
        rows.append(
            (
                Cell(model),
                Cell(f"{number(found.neighbourhood_size)} {among}", found.neighbourhood_size),
                Cell.count(found.out_of_vocabulary),
                Cell.count(found.in_vocabulary),
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
        notes=(*_encoder_note(result), *_table_notes(result)),
        data=pl.DataFrame(data),
    )


def _encoder_note(result: CoverageResult) -> list[str]:
    encoders = any(model.neighbourhood == "terminology" for model in result.models.values())
    note = "Names: neighbours are sought among the names of the terminology's concepts, which is a different question."
    return [note] if encoders else []


def _table_of_ks(name: str, result: CoverageResult, order: Sequence[str]) -> Table:
    ks = result.k
    best = {(statistic, k): _best(result, order, statistic, k) for statistic in _NAMES for k in ks}
    rows = [
        (
            Cell(model),
            *(
                _measure_cell(result.models[model].at(k), statistic, best=model in best[statistic, k])
                for statistic in _NAMES
                for k in ks
            ),
        )
        for model in order
    ]
    data = [_flat(model, result.models[model], k) for model in order for k in ks]
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
        notes=_table_notes(result),
        data=pl.DataFrame(data),
        folded=True,
    )


def _missing_table(name: str, result: CoverageResult, order: Sequence[str]) -> Table | None:
    """Return which models have the seeds that not all have, those first on which models differ."""
    lacks = {model: set(result.models[model].missing) for model in order}
    seeds = result.domain.seeds
    lacking = [seed for seed in seeds if any(seed in missing for missing in lacks.values())]
    if not lacking:
        return None
    lacking.sort(key=lambda seed: all(seed in missing for missing in lacks.values()))
    shown = lacking[:_MOST_SEEDS]
    by_none = sum(all(seed in missing for missing in lacks.values()) for seed in lacking)
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
                Cell(seed),
                Cell(result.domain.names.get(seed) or "–"),
                *(Cell("" if seed in lacks[model] else "✓") for model in order),
            )
            for seed in shown
        ),
        notes=tuple(notes),
        data=pl.DataFrame(
            [
                {"concept": seed, "name": result.domain.names.get(seed)}
                | {f"in {model}": seed not in lacks[model] for model in order}
                for seed in lacking
            ],
            infer_schema_length=None,
        ),
        folded=True,
    )


def _maps(name: str, result: CoverageResult, order: Sequence[str]) -> list[Figure]:
    drawn = [model for model in order if (drawing := result.models[model].map) and drawing.points]
    return [map_figure(name, result, model, folded=place > 0) for place, model in enumerate(drawn)]


def _best(result: CoverageResult, order: Sequence[str], statistic: str, k: int | None) -> set[str]:
    """Return the models with the greatest value of their group, and those that cannot be told from one of these."""
    models = result.models
    values: dict[str, dict[str, float]] = {}
    for model in order:
        value = models[model].share if k is None else models[model].at(k).measured(statistic)[0]
        values.setdefault(models[model].neighbourhood, {})[model] = value
    top = {
        model
        for group in values.values()
        for model, value in group.items()
        if len(group) > 1 and value == max(group.values()) > 0
    }
    alike = set(top)
    for each in result.differences:
        if each.statistic == statistic and each.k == k and not each.significant:
            pair = {each.one, each.other}
            alike |= pair if pair & top else set()
    return alike


def _measure_cell(at: AtK, statistic: str, *, best: bool) -> Cell:
    value, (low, high), wins, losses = at.measured(statistic)
    interval = None if low == high else Interval.known(low, high, 3)  # where all resamples agree, it says nothing
    return Cell.number(value, against=WinsLosses(wins, losses), interval=interval, best=best)


def _table_notes(result: CoverageResult) -> tuple[str, ...]:
    notes = [f"Intervals at level {1 - result.alpha:g} are over seeds (BCa bootstrap)."]
    if len(result.models) > 1:
        notes.append(
            f"Superscripts: how many other models it significantly beats (+) and loses to (−), "
            f"{corrected(result.correction)}."
        )
    return tuple(notes)


def _flat(model: str, found: CoverageFigures, k: int) -> dict[str, str | float | None]:
    """Return all digits of a model at some k."""
    at = found.at(k)
    row: dict[str, str | float | None] = {
        "model": model,
        "k": k,
        "seeds": found.seeds,
        "in_vocabulary": found.in_vocabulary,
        "out_of_vocabulary": found.out_of_vocabulary,
        "share": found.share,
        "share_low": found.share_interval[0],
        "share_high": found.share_interval[1],
    }
    for statistic in _NAMES:
        value, (low, high), _wins, _losses = at.measured(statistic)
        row |= {statistic: value, f"{statistic}_low": low, f"{statistic}_high": high}
    return row
