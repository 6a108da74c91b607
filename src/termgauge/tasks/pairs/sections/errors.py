"""The sections about scores of pairs in the order of a report, of which the last are the most telling errors.

Scores are read one group of sets after another, so that a large run does not fill the memory. What cannot be read costs
its picture, with a warning that says so.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from termgauge.exceptions import TermgaugeError, warn, warn_skipped
from termgauge.reporting.blocks import Cell, Column, Prose, Section, Table, block_id
from termgauge.reporting.words import number
from termgauge.statistics.correlation import average_ranks
from termgauge.tasks.pairs.results import scored_systems, shared_pairs, truth_of
from termgauge.tasks.pairs.sections.compared import means_section, measure_section, verdict_section
from termgauge.tasks.pairs.sections.groups import group_sections
from termgauge.tasks.pairs.sections.roc import roc_section
from termgauge.tasks.pairs.sections.sets import heatmap_section, sets_section, shared_table
from termgauge.tasks.pairs.worst import kinds_of, worst_pairs, wrongness

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from termgauge.benchmark.pairset import PairSet
    from termgauge.reporting.blocks import Block
    from termgauge.reporting.set_names import TitledSet
    from termgauge.tasks.contract import About
    from termgauge.tasks.pairs.result import PairsResult
    from termgauge.tasks.pairs.sections.standings import Standings
    from termgauge.tasks.pairs.worst import WorstPairs

    Scores = Mapping[str, NDArray[np.float64]]
    """By model, NaN but on the pairs that all can score."""

_OF_EACH_KIND = 3
_OF_ALL = 5
_LEAST_PAIRS = 50


def pair_sections(result: PairsResult, about: About | None = None) -> Iterator[Section]:
    """Show where models stand on each group of sets, by which measure, and where they err."""
    del about
    comparison, standings = result.compared, result.standings
    for problem in comparison.problems.values():
        warn(problem)

    telling = (
        (entry, *shared)
        for entry in telling_sets(standings)
        if (shared := _shared_scores(result, entry, standings.models, "errors"))
    )
    sizes = (shared_table(standings),)
    several: list[Section | None] = [
        verdict_section(comparison),
        heatmap_section(standings),
        means_section(standings),
        *group_sections(standings),
        roc_section(standings, lambda entry, models: _shared_scores(result, entry, models, "scores")),
        sets_section(standings.sets, result.scored.read_set),
        None if standings.complete else Section("pairs", "Pairs that models can score", sizes),
        measure_section(standings),
        wrong_pairs_section(standings, telling),
    ]
    yield from (section for section in several if section is not None)


def _shared_scores(
    result: PairsResult, entry: TitledSet, models: Sequence[str], shown: str
) -> tuple[PairSet, Scores] | None:
    """Return a set and the scores of some models, each by its measure; None, and a warning, if they cannot be had."""
    scored, least = result.scored, result.scored.testing.min_coverage
    try:
        pairs, scores = scored.read_set(entry.id), scored_systems(scored.all_scores(entry.id), least)
    except TermgaugeError as error:
        warn_skipped(f"the {shown} on '{entry.id}'", f"The {shown} on “{entry.title}” cannot be shown: {error}")
        return None
    usable = shared_pairs(scores, len(pairs))
    standing = ((model, one.measure) for model in models if (one := result.standings.of(entry, model)))
    shared = {system[0]: np.where(usable, scores[system], np.nan) for system in standing if system in scores}
    return (pairs, shared) if shared and usable.any() else None


def telling_sets(standings: Standings) -> list[TitledSet]:
    """Return the sets whose errors are shown: the labelled one that is hardest, and the largest that people rated.

    Sets with few pairs are taken only where there are no others.
    """
    chosen = []
    for graded in (False, True):
        values = {entry: list(standings.valued(entry).values()) for entry in standings.sets if entry.graded == graded}
        valued = {entry: max(numbers) for entry, numbers in values.items() if numbers}
        large = [entry for entry in valued if standings.shared(entry) >= _LEAST_PAIRS] or list(valued)
        if large:
            chosen.append(max(large, key=standings.shared) if graded else min(large, key=valued.__getitem__))
    return chosen


def wrong_pairs_section(standings: Standings, telling: Iterable[tuple[TitledSet, PairSet, Scores]]) -> Section | None:
    """Return the errors on some sets; None if there are none."""
    blocks: list[Block] = []
    for entry, pairs, scores in telling:
        what, wrong = (
            ("the largest set rated by people", "whose rank by a model's score is far from that by people's ratings")
            if entry.graded
            else ("the hardest labelled set", "on the wrong side of the threshold that is best for the model")
        )
        models = [model for model in scores if model not in standings.baselines]
        common = models if len(models) > 1 else list(scores)
        blocks.append(Prose((f"On **{entry.title}**, {what}: pairs {wrong}.",)))
        blocks += [_common_table(entry, pairs, [scores[model] for model in common])] if len(common) > 1 else []
        blocks.append(_table_of_models(entry, pairs, scores))
    return Section("errors", "Errors", tuple(blocks)) if blocks else None


def _common_table(entry: TitledSet, pairs: PairSet, scores: Sequence[NDArray[np.float64]]) -> Table:
    """Return the pairs that most models get wrong, some of either kind."""
    usable, graded = np.flatnonzero(~np.isnan(np.array(scores)).any(axis=0)), pairs.graded
    truth = truth_of(pairs)[usable]
    signed = np.array([_signed(values[usable], truth, graded=graded) for values in scores])
    rows, data = [], []
    for kind, sign in zip(kinds_of(pairs), (1, -1), strict=True):
        counts, mean = (sign * signed > 0).sum(axis=0), sign * signed.mean(axis=0)
        order = np.lexsort((np.arange(len(mean)), -mean)) if graded else np.lexsort((-mean, -counts))
        for pair in [at for at in order[:_OF_ALL].tolist() if 2 * counts[at] > len(scores)]:
            row, count = int(usable[pair]), int(counts[pair])
            one, two = pairs.frame.row(row)[:2]
            rating = [Cell.number(float(truth[pair]), 2, top=None)] if graded else []
            rows.append((one, two, kind, Cell(f"{count} of {len(scores)}", count), *rating))
            data.append({"set": pairs.id, "row": row + 1, "term_1": one, "term_2": two, "error": kind,
                         "models_wrong": count, "models": len(scores)})  # fmt: skip
    ratings = [Column.number("Rating")] if graded else []
    return Table.from_rows(
        block_id("errors-of-most", entry.id),
        f"Pairs that most models get wrong: {entry.title}.",
        ("Term", "Term", "Error", Column.number("Models", note="That err this way"), *ratings),
        rows,
        data=pl.DataFrame(data) if data else None,
        sortable=False,
    )


def _signed(scores: NDArray[np.float64], truth: NDArray[np.float64], *, graded: bool) -> NDArray[np.float64]:
    """Return how wrong each pair is, as a share of all ranks: above 0 if its score is too high, below if too low."""
    wrong, too_high, sizes, _ = wrongness(scores, truth, graded=graded)
    ranks = sizes if graded else average_ranks(sizes) / len(sizes)
    return np.where(wrong, np.where(too_high, ranks, -ranks), 0.0)


def _table_of_models(entry: TitledSet, pairs: PairSet, scores: Scores) -> Table:
    rows = (
        (model, *row)
        for model, values in scores.items()
        for kind in kinds_of(pairs)
        for row in _rows(worst_pairs(pairs, values, model=model, measure="", n=_OF_EACH_KIND, only=kind))
    )
    return Table.from_rows(
        block_id("errors", entry.id),
        f"The most confident errors of each model: {entry.title}.",
        ("Model", *_columns(graded=pairs.graded)),
        rows,
        notes=(f"{number(_OF_EACH_KIND)} of either kind; more of them: `termgauge errors`.",),
        folded=True,
    )


def worst_section(worst: WorstPairs) -> Section:
    """Return the wrong pairs of one model, the worst first, with what the model said and what is true."""
    graded = worst.threshold is None
    wrong = "have another rank than people gave them" if graded else f"are wrong at the threshold {worst.threshold:.3f}"
    caption = f"By `{worst.measure}`: {number(worst.wrong)} of {number(worst.scored)} pairs {wrong}."
    title = f"{worst.model} on {worst.set}"
    table = Table.from_rows(block_id("worst", title), caption, _columns(graded=graded), _rows(worst))
    return Section(block_id("wrong", title), title, (table,))


def _columns(*, graded: bool) -> tuple[str | Column, ...]:
    return "Error", *map(Column.number, ("Score", "Rating" if graded else "Label", "Off by")), "Term", "Term"


def _rows(worst: WorstPairs) -> Iterator[tuple[object, ...]]:
    graded = worst.threshold is None
    for pair in worst.pairs:
        truth = Cell.number(pair.truth, 2 if graded else 0, top=None)
        off = Cell(f"{100 * pair.size:.0f} % of ranks", pair.size) if graded else pair.size
        yield pair.error, pair.score, truth, off, pair.term_1, pair.term_2
