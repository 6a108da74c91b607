"""How well models cover a domain: Tables 3 and 4 of Giancani et al. (2023), their figures 1 and 2, and a map."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from termgauge.plurals import numbered, plural
from termgauge.reporting.blocks import Cell, Column, Interval, Prose, Section, Table, WinsLosses, block_id
from termgauge.reporting.words import bold, count, counted, decimal, headed, listed, number, plain, share
from termgauge.tasks.coverage.figures import bars_figure, in_percent, lines_figure, map_figure
from termgauge.tasks.coverage.measure import IN_VOCABULARY
from termgauge.tasks.shown import by_neighbourhood, superscript_note, zeros_note

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from termgauge.reporting.blocks import Block
    from termgauge.tasks.coverage.result import CoverageFigures, CoverageResult

USUAL_K = 10
"""What the paper shows its results for."""
_MOST_SEEDS = 300
_NAMES = {"cg": "%CG", "posdcg": "posDCG"}
_SHARES = (IN_VOCABULARY, "cg")
"""What is shown in per cent."""
_NOTES = {
    "cg": "share of the k nearest neighbours of the seeds that are seeds",
    "posdcg": "the same, a neighbour at rank j counting 1/log2(j + 1)",
}


def coverage_sections(name: str, result: CoverageResult) -> tuple[Section, ...]:
    """Return what was found about the coverage of one domain."""
    k = USUAL_K if USUAL_K in result.k else result.k[0]
    groups = _groups(result, k)
    order = [model for group in groups.values() for model in group]
    title = headed("Coverage of a domain", name)
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
    drawn = [model for model in order if (drawing := result.models[model].map) and drawing.points]
    if drawn:
        maps = (map_figure(name, result, model, folded=model != drawn[0]) for model in drawn)
        about = (
            "Seeds and what is nearest to them, in the plane of the first two principal components of their unit "
            "vectors: what lies close together here is close in two of many directions, no more."
        )
        parts.append(Section(block_id("coverage-maps", name), "Maps of the domain", (Prose((about,)), *maps), level=3))
    return tuple(parts)


def _groups(result: CoverageResult, k: int) -> dict[str, list[str]]:
    """Return the models by where their neighbours were sought, which is not to be compared, the best first."""
    models = result.models.items()
    best_first = sorted(models, key=lambda item: (-item[1].at(k).posdcg, -item[1].share))
    groups = by_neighbourhood(dict(best_first))
    return {place: groups[place] for place in ("vocabulary", "terminology") if place in groups}


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
            f"{listed(map(bold, encoders))} {plural(len(encoders), 'has', 'have')} no vocabulary of words: "
            "neighbours are sought among the names of the terminology's concepts. This is a different question: do not "
            f"compare these values with those of a vocabulary. {_best_of(result, encoders, k)}"
        )
    nothing = [model for model in models if not models[model].in_vocabulary]
    if nothing:
        sentences.append(f"None of the seeds is in the vocabulary of {zeros_note(nothing)}")
    if result.left_out:
        reasons = "; ".join(plain(reason.rstrip(".")) for reason in result.left_out)
        sentences.append(f"Left out: {reasons}.")
    return tuple(sentences)


def _best_of(result: CoverageResult, group: Sequence[str], k: int) -> str:
    models = result.models
    widest = max(group, key=lambda model: models[model].share)
    seeds, gain = models[widest], models[group[0]].at(k)
    if len(group) > 1:
        known = f"knows the most of the seeds, {number(seeds.in_vocabulary)}"
        highest = f", which has the highest posDCG, {decimal(gain.posdcg, 3)}"
    else:
        known = f"knows {number(seeds.in_vocabulary)} of the seeds"
        highest = f" (posDCG {decimal(gain.posdcg, 3)})"
    return (
        f"{bold(widest)} {known} ({share(seeds.share)}). Of the {k} nearest neighbours of each seed "
        f"{100 * gain.cg:.1f} % are seeds under {bold(group[0])}{highest}; seeds without a vector count as misses."
    )


def _main_table(name: str, result: CoverageResult, order: Sequence[str], k: int) -> Table:
    best = {statistic: _best(result, statistic, k) for statistic in (IN_VOCABULARY, *_NAMES)}
    rows = []
    for model in order:
        figures = result.models[model]
        among = "names" if figures.neighbourhood == "terminology" else figures.kind
        rows.append(
            (
                Cell(model),
                Cell(f"{number(figures.neighbourhood_size)} {among}", figures.neighbourhood_size),
                Cell.count(figures.out_of_vocabulary),
                Cell(f"{100 * (1 - figures.share):.1f}", 1 - figures.share),
                Cell.count(figures.in_vocabulary),
                *(_measure_cell(figures, statistic, k, best=model in best[statistic]) for statistic in best),
                Cell.number(1 - figures.at(k).posdcg),
            )
        )
    encoders = any(model.neighbourhood == "terminology" for model in result.models.values())
    nearest = plural(k, "nearest neighbours are", f"{k} nearest neighbours are")
    names = "Names: neighbours are sought among the names of the terminology's concepts, which is a different question."
    return Table(
        id=block_id("coverage-values", name),
        caption=f"Seeds in the vocabulary, and how many of their {nearest} seeds.",
        columns=(
            Column("Model"),
            Column("Neighbours among", numeric=True),
            Column("|OOV|", numeric=True, note="seeds out of vocabulary"),
            Column("%OOV", numeric=True, note="share of the seeds that are out of vocabulary"),
            Column("|IV|", numeric=True, note="seeds in the vocabulary"),
            Column("%IV", numeric=True, note="share of the seeds that are in the vocabulary"),
            *(Column(f"{title} {k}", numeric=True, note=_NOTES[which]) for which, title in _NAMES.items()),
            Column(f"negDCG {k}", numeric=True, note="1 − posDCG: neighbours that are no seeds, and seeds without any"),
        ),
        rows=tuple(rows),
        notes=(*([names] if encoders else []), *_table_notes(result)),
        data=pl.DataFrame([_flat(model, result.models[model], k) for model in order]),
    )


def _table_of_ks(name: str, result: CoverageResult, order: Sequence[str]) -> Table:
    ks = result.k
    best = {(statistic, k): _best(result, statistic, k) for statistic in _NAMES for k in ks}
    rows = [
        (Cell(model), *(_measure_cell(result.models[model], *at, best=model in best[at]) for at in best))
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
    seeds, names = result.domain.seeds, result.domain.names
    by_none = set.intersection(*lacks.values())
    lacking = sorted(
        (seed for seed in seeds if any(seed in missing for missing in lacks.values())), key=by_none.__contains__
    )
    if not lacking:
        return None
    shown = lacking[:_MOST_SEEDS]
    from_all = count(len(by_none)) if by_none else "none"
    are = plural(len(lacking), "is", "are")
    missing = f"{number(len(lacking))} of {numbered(len(seeds), 'seed')} {are} missing"
    notes = [f"{missing} from some model, {from_all} from all."]
    if len(shown) < len(lacking):
        notes.append(f"The table has {number(len(shown))} of them, the data all.")
    return Table(
        id=block_id("coverage-seeds", name),
        caption="Seeds that are not in all vocabularies: a tick where a model has the seed.",
        columns=(Column("Concept"), Column("Name"), *(Column(model) for model in order)),
        rows=tuple(
            (Cell(seed), Cell(names.get(seed) or "–"), *(Cell("" if seed in lacks[model] else "✓") for model in order))
            for seed in shown
        ),
        notes=tuple(notes),
        data=pl.DataFrame(
            [
                {"concept": seed, "name": names.get(seed)}
                | {f"in {model}": seed not in lacks[model] for model in order}
                for seed in lacking
            ],
            infer_schema_length=None,
        ),
        folded=True,
    )


def _best(result: CoverageResult, statistic: str, k: int) -> set[str]:
    """Return the models with the greatest value of their group, and those that cannot be told from one of these."""
    top: set[str] = set()
    for group in by_neighbourhood(result.models).values():
        values = {model: result.models[model].measured(statistic, k)[0] for model in group}
        top |= {model for model in group if len(group) > 1 and values[model] == max(values.values()) > 0}
    alike = set(top)
    for each in result.differences:
        if each.statistic == statistic and each.k in (None, k) and not each.significant:
            pair = {each.one, each.other}
            alike |= pair if pair & top else set()
    return alike


def _measure_cell(figures: CoverageFigures, statistic: str, k: int, *, best: bool) -> Cell:
    value, ends, wins, losses = figures.measured(statistic, k)
    against, digits, top = WinsLosses(wins, losses), 3, 1.0
    if statistic in _SHARES:
        value, ends, digits, top = 100 * value, in_percent(ends), 1, 100.0
    return Cell.number(value, digits, top=top, against=against, interval=Interval.known(*ends), best=best)


def _table_notes(result: CoverageResult) -> tuple[str, ...]:
    level = (
        f"Intervals at level {1 - result.alpha:g} are over seeds: Wilson's for %IV; for %CG and posDCG Student's, with "
        "a variance that counts what seeds share as neighbours of each other. There is none where nothing varies."
    )
    return level, *superscript_note(result.models, result.correction)


def _flat(model: str, figures: CoverageFigures, k: int) -> dict[str, str | float | None]:
    """Return all digits of a model at some k."""
    row: dict[str, str | float | None] = {"model": model, "k": k}
    row |= {name: getattr(figures, name) for name in ("seeds", "in_vocabulary", "out_of_vocabulary")}
    for name, statistic in {"share": IN_VOCABULARY, "cg": "cg", "posdcg": "posdcg"}.items():
        value, (low, high), _wins, _losses = figures.measured(statistic, k)
        row |= {name: value, f"{name}_low": low, f"{name}_high": high}
    return row
