"""Quality of a benchmark as sections of a document: summary, one figure and tables."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import polars as pl

from termgauge.plurals import numbered, plural
from termgauge.reporting.blocks import Cell, Column, Figure, Interval, NumberColumn, Prose, Section, Table, block_id
from termgauge.reporting.set_names import titled, with_terminology
from termgauge.reporting.words import capitalised, counted, decimal, listed, some_of
from termgauge.studies.agreement.sections import dot_figure, in_bold

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from termgauge.reporting.blocks import Block
    from termgauge.studies.quality.compute import QualityResult, SetQuality

_NOTES = {
    "without_truth": "Pairs on which no answer has more than half of all raters",
    "alpha": "Krippendorff's alpha (nominal): 1 is full agreement, 0 what chance gives",
    "accuracy": "Share of the pairs with a truth whose label is the truth",
    "recall": "Of the pairs that people call the same, the share with label 1: falls when negatives are the same",
    "precision": "Of the pairs with label 1, the share that people call the same: falls when positives are not",
    "whole_accuracy": "Estimated for the whole set: each pair counts as often as there are pairs it was drawn from",
    "whole_recall": "Estimated for the whole set likewise",
}
_PAPER = {"without_truth": "NaN", "alpha": "IAA", "accuracy": "acc", "recall": "rec", "precision": "prec"}
_PAPER_NOTE = (
    "NaN: share of the pairs asked that have no truth; IAA: Krippendorff's alpha; acc, rec, prec: accuracy, recall, "
    "precision; e, h: easy, hard; R, L: random, edit-distance negatives. The paper's own NaN percentages seem to be "
    "shares of 30, not of 60: halve them before comparing."
)
_SHORT_KINDS = {"possibly-equivalent-to": "poss-equiv"}
MEASURES = ("alpha", "accuracy", "recall", "precision")
WHOLE = ("whole_accuracy", "whole_recall")


def quality_sections(result: QualityResult) -> tuple[Section, ...]:
    """Return what people say about the labels of a benchmark."""
    names = set_names(result)
    drawable = any(quality.measured(name)[0] is not None for quality in result.sets for name in MEASURES)
    labels: tuple[Block, ...] = (
        _main_table(result, names),
        *([measures_figure(result, names)] if drawable and len(result.sets) > 1 else []),
        *_paper_table(result),
    )
    pairs = [
        _pairs("contradicted", "Pairs whose label the majority contradicts.", result.contradicted, names),
        _pairs("undecided", "Pairs on which no answer has a majority.", result.undecided, names),
    ]
    none = Prose(("No label is contradicted, and all have a truth.",))
    return (
        Section("labels", "How right the labels are", labels),
        Section("pairs", "Pairs to look at", tuple(table for table in pairs if table.rows) or (none,)),
        Section("raters", "Raters", (_rater_table(result),)),
    )


def quality_summary(result: QualityResult) -> tuple[str, ...]:
    """Return what is to be remembered, in a few sentences."""
    total = result.overall
    decided = total.asked - total.without_truth
    raters, sets = capitalised(counted(result.raters, "rater")), counted(len(result.sets), "set")
    have = f"{capitalised(some_of(decided, total.asked, 'pair'))} {plural(decided, 'has', 'have')}"
    sentences = [f"{raters} judged {numbered(result.pairs, 'pair')} of {sets}. {have} a truth by majority."]
    measured = {name: total.measured(name) for name in ("accuracy", "recall", "precision")}
    if values := [f"{name} {in_bold(*value)}" for name, value in measured.items() if value[0] is not None]:
        sentences.append(f"The labels have {listed(values)}.")
    if total.alpha is None:
        return *sentences, "The raters' agreement is undefined, because no two answers differ."
    return *sentences, f"The raters agree with Krippendorff's alpha = {in_bold(*total.measured('alpha'))}."


def set_names(result: QualityResult) -> dict[str, str]:
    """Return what people call each set."""
    sets = [titled(quality.set, graded=False) for quality in result.sets]
    return {titled_set.id: with_terminology(titled_set, sets) for titled_set in sets}


def _main_table(result: QualityResult, names: dict[str, str]) -> Table:
    shown = [*result.sets, *([result.overall] if len(result.sets) > 1 else [])]
    measures = (*MEASURES, *(WHOLE if any(map(_is_uneven, result.sets)) else ()))
    columns = (
        "Set",
        Column.count("Asked", note="Pairs that raters were asked"),
        NumberColumn("No truth", note=_NOTES["without_truth"]),
        *(NumberColumn(name.capitalize().replace("_", " "), note=_NOTES[name]) for name in measures),
    )
    rows = (
        (
            names.get(quality.set, "All sets"),
            quality.asked,
            Cell.share(quality.without_truth_share, note=f"{quality.without_truth} of {quality.asked} pairs"),
            *(_cell(quality, name) for name in measures),
        )
        for quality in shown
    )
    below = (
        "Below each value: its 95 % interval, which says how much another draw of pairs could change it, not what "
        "other raters would have said. A dash: undefined, since nothing is in its denominator or all answers are alike."
    )
    caption = "How right the labels of each set are, judged by people (Table 3 of Schulz & Juric 2020)."
    return Table.from_rows(
        "quality", caption, columns, rows, (below,), data=quality_frame(shown), sortable=len(result.sets) > 1
    )


def _is_uneven(quality: SetQuality) -> bool:
    """Say whether a set is balanced otherwise than the pairs that were drawn from it."""
    whole = quality.set_positives, quality.set_negatives or 0
    return whole[0] is not None and quality.positives * whole[1] != quality.negatives * whole[0]


def quality_frame(shown: Sequence[SetQuality]) -> pl.DataFrame:
    """Return all values of sets as a table, a row for each set."""
    rows = []
    for quality in shown:
        row = quality.model_dump()
        flat = {name: value for name, value in row.items() if not name.endswith("_interval")}
        for name in ("without_truth", *MEASURES, *WHOLE):
            flat[f"{name}_low"], flat[f"{name}_high"] = row[f"{name}_interval"]
        rows.append(flat)
    return pl.DataFrame(rows, infer_schema_length=None)


def _cell(quality: SetQuality, name: str) -> Cell:
    value, ends = quality.measured(name)
    return Cell.number(value, 2, interval=Interval.known(*ends))


def _paper_table(result: QualityResult) -> Iterator[Table]:
    """Yield the table as the paper prints it, a column for each set, where the sets are several of one terminology."""
    origins = [titled(quality.set, graded=False) for quality in result.sets]
    if (
        len(origins) < 2
        or not all(of.origin.built for of in origins)
        or len({of.origin.terminology for of in origins}) > 1
    ):
        return

    def short(measure: str, quality: SetQuality) -> Cell:
        value, _ends = quality.measured(measure)
        return Cell.share(value) if measure == "without_truth" else Cell.number(value, 2)

    heads = (
        NumberColumn(
            f"{of.origin.difficulty[0]}-{of.origin.strategy[0].upper()}",
            note=of.title,
            group=_SHORT_KINDS.get(of.origin.kind, of.origin.kind),
        )
        for of in origins
    )
    rows = ((heading, *(short(name, quality) for quality in result.sets)) for name, heading in _PAPER.items())
    caption = "The same as the paper prints it, a column for each set."
    yield Table.from_rows("quality-paper", caption, ("", *heads), rows, (_PAPER_NOTE,), sortable=False, folded=True)


def _pairs(table_id: str, caption: str, pairs: Sequence[dict[str, Any]], names: dict[str, str]) -> Table:
    answers = (Column.count(answer, group="Raters who say") for answer in ("same", "not same", "don't know"))
    shown = ("word1", "word2", "set", "label", "same", "not_same", "dont_know")
    rows = ([names.get(pair[key], pair[key]) if key == "set" else pair[key] for key in shown] for pair in pairs)
    columns = ("Term", "Other term", "Set", Column.count("Label"), *answers)
    data = pl.DataFrame(pairs, infer_schema_length=None)
    return Table.from_rows(block_id("quality", table_id), caption, columns, rows, data=data)


def _rater_table(result: QualityResult) -> Table:
    columns = (
        "Rater",
        *(Column.count(answer, group="Said") for answer in ("same", "not same", "don't know", "nothing")),
        Column.share("Agrees with others", note="Share of equal answers, over pairs that both decided"),
        Column.number("Alpha without", 2, note="Krippendorff's alpha of the other raters"),
        NumberColumn("Seconds", note="Median time for a pair", cell=partial(Cell.number, digits=1, top=None)),
    )
    note = (
        f"Alpha of all raters is {decimal(result.overall.alpha, 2)}; a rater without whom it is clearly higher judges "
        "otherwise than the others."
    )
    data, rows = pl.DataFrame(result.per_rater, infer_schema_length=None), (row.values() for row in result.per_rater)
    return Table.from_rows("quality-raters", "What each rater said.", columns, rows, (note,), data=data)


def measures_figure(result: QualityResult, names: dict[str, str]) -> Figure:
    """Return alpha, accuracy, recall and precision of each set, with their intervals."""
    rows = [
        (quality.set, name, value, *ends)
        for quality in result.sets
        for name in MEASURES
        for value, ends in [quality.measured(name)]
    ]
    return dot_figure(
        "quality-measures",
        "Agreement of the raters, and accuracy, recall and precision of the labels, by set.",
        "with 95 % intervals; dashed: all sets",
        {
            (name.capitalize(),): (
                result.overall.measured(name)[0],
                {names[row[0]]: row[2:] for row in rows if row[1] == name},
            )
            for name in MEASURES
        },
        pl.DataFrame(rows, ["set", "measure", "value", "low", "high"], orient="row", infer_schema_length=None),
    )
