"""Quality of a benchmark as sections of a document: summary, figures and tables."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import polars as pl

from termgauge.plurals import numbered, plural
from termgauge.reporting.blocks import Cell, Column, Figure, Interval, NumberColumn, Prose, Section, Table, block_id
from termgauge.reporting.plots.bars import StackedBars
from termgauge.reporting.plots.canvas import ACCENT, NEGATIVE, POSITIVE, QUIET, KeyEntry
from termgauge.reporting.plots.dots import Dot, DotPanel, DotPlot
from termgauge.reporting.set_names import titled, with_terminology
from termgauge.reporting.words import bold, capitalised, counted, decimal, listed, share, some_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from termgauge.reporting.blocks import Block
    from termgauge.studies.quality.compute import JudgedPair, QualityResult, SetQuality

_NOTES = {
    "without_truth": "Pairs on which no answer has more than half of all raters",
    "alpha": "Krippendorff's alpha (nominal): 1 is full agreement, 0 what chance gives",
    "accuracy": "Share of the pairs with a truth whose label is the truth",
    "recall": "Of the pairs that people call the same, the share with label 1: falls when negatives are the same",
    "precision": "Of the pairs with label 1, the share that people call the same: falls when positives are not",
}
_PAPER = {"without_truth": "NaN", "alpha": "IAA", "accuracy": "acc", "recall": "rec", "precision": "prec"}
_PAPER_NOTE = (
    "NaN: share of the pairs asked that have no truth; IAA: Krippendorff's alpha; acc, rec, prec: accuracy, recall, "
    "precision; e, h: easy, hard; R, L: random, edit-distance negatives. The paper's own NaN percentages seem to be "
    "shares of 30, not of 60: halve them before comparing."
)
_SHORT_KINDS = {"possibly-equivalent-to": "poss-equiv"}
_ALL = "All sets"
MEASURES = ("alpha", "accuracy", "recall", "precision")
_PARTS = tuple(
    KeyEntry(answer, colour, "square")
    for answer, colour in (("same", POSITIVE), ("no majority", QUIET), ("not same", NEGATIVE))
)
CLEARLY = 0.1
"""A rater without whom alpha rises by so much is named in the summary."""
LEAST_TO_JUDGE = 3
"""Of two raters nobody can say who judges otherwise."""


def quality_sections(result: QualityResult) -> tuple[Section, ...]:
    """Return what people say about the labels of a benchmark."""
    names = set_names(result)
    brief = {name: " ".join(parts) for name, parts in paper_codes(result).items()}
    drawable = any(quality.measured(name)[0] is not None for quality in result.sets for name in MEASURES)
    labels: tuple[Block, ...] = (
        Prose(_limits(result)),
        _main_table(result, names),
        *([measures_figure(result, brief or names, coded=bool(brief))] if drawable and len(result.sets) > 1 else []),
        truths_figure(result, brief or names, coded=bool(brief)),
        *_paper_table(result),
        *_whole_table(result, names),
    )
    pairs = tuple(_pair_tables(result, names))
    return (
        Section("labels", "How right the labels are", labels),
        Section("pairs", "Pairs to look at", pairs or (Prose(("No label is contradicted, and all have a truth.",)),)),
        Section("raters", "Raters", (_rater_table(result),)),
    )


def quality_summary(result: QualityResult) -> tuple[str, ...]:
    """Return what is to be remembered, in a few sentences."""
    total = result.overall
    decided = total.asked - total.without_truth
    raters, sets = capitalised(counted(result.raters, "rater")), counted(len(result.sets), "set")
    have = f"{capitalised(some_of(decided, total.asked, 'pair'))} {plural(decided, 'has', 'have')}"
    sentences = [f"{raters} judged {numbered(result.pairs, 'pair')} of {sets}. {have} a truth by majority."]
    if total.accuracy is not None:
        sentences.append(
            f"The labels are right for {bold(share(total.accuracy))} of these (95 % interval {_ends(total, 'accuracy')}"
            f"); recall is {_value(total, 'recall')}, precision {_value(total, 'precision')}."
        )
    if total.alpha is None:
        sentences.append("The raters' agreement is undefined, because no two answers differ.")
    else:
        sentences.append(
            f"The raters agree with Krippendorff's alpha = {bold(decimal(total.alpha, 2))} "
            f"(95 % interval {_ends(total, 'alpha')})."
        )
    return (*sentences, *_otherwise(result), *_extremes(result))


def set_names(result: QualityResult) -> dict[str, str]:
    """Return what people call each set."""
    sets = [titled(quality.set, graded=False) for quality in result.sets]
    return {titled_set.id: with_terminology(titled_set, sets) for titled_set in sets}


def paper_codes(result: QualityResult) -> dict[str, tuple[str, str]]:
    """Return what the paper's table calls each set, its kind and a code such as h-L; nothing if the sets are others."""
    origins = {quality.set: titled(quality.set, graded=False).origin for quality in result.sets}
    if (
        not all(origin.built for origin in origins.values())
        or len({origin.terminology for origin in origins.values()}) > 1
    ):
        return {}
    return {
        name: (_SHORT_KINDS.get(origin.kind, origin.kind), f"{origin.difficulty[0]}-{origin.strategy[0].upper()}")
        for name, origin in origins.items()
    }


def _limits(result: QualityResult) -> tuple[str, ...]:
    labels = (
        "Positives are pairs with label 1, negatives pairs with label 0. Precision falls when positives are in fact "
        "not the same; recall falls when negatives in fact are."
    )
    raters = (
        "The intervals say how much another draw of pairs could change the values. They do not say what other raters "
        f"would have answered: {counted(result.raters, 'rater')} cannot tell that."
    )
    return labels, raters


def _main_table(result: QualityResult, names: dict[str, str]) -> Table:
    even = len({quality.asked for quality in result.sets}) == 1  # then one number in the caption will do
    several = len(result.sets) > 1
    columns = [
        "Set",
        *([] if even else [Column.count("Asked", note="Pairs that raters were asked")]),
        NumberColumn("No truth", note=_NOTES["without_truth"]),
        *(NumberColumn(name.capitalize(), note=_NOTES[name]) for name in MEASURES),
    ]
    shown = [*result.sets, *([result.overall] if several else [])]
    rows = (
        (
            names.get(quality.set, _ALL),
            *([] if even else [quality.asked]),
            Cell.share(quality.without_truth_share, note=f"{quality.without_truth} of {quality.asked} pairs"),
            *(_cell(quality, name) for name in MEASURES),
        )
        for quality in shown
    )
    many = f"; {result.sets[0].asked} pairs of each set were asked" if even else ""
    below = (
        "Below each value: its 95 % interval. A dash: the value is undefined, because nothing is in its denominator or "
        "all answers are the same."
    )
    last = "All sets: over all pairs that were asked, so that each set counts as much as was drawn from it."
    return Table.from_rows(
        "quality",
        f"How right the labels of each set are, judged by people (Table 3 of Schulz & Juric 2020){many}.",
        columns,
        rows,
        notes=(below, last) if several else (below,),
        data=quality_frame(shown),
        sortable=several,
    )


def quality_frame(shown: Sequence[SetQuality]) -> pl.DataFrame:
    """Return all values of sets as a table, a row for each set."""
    rows = []
    for quality in shown:
        row = quality.model_dump()
        flat = {name: value for name, value in row.items() if not name.endswith("_interval")}
        for name in ("without_truth", *MEASURES, "whole_accuracy", "whole_recall"):
            flat[f"{name}_low"], flat[f"{name}_high"] = row[f"{name}_interval"]
        rows.append(flat)
    return pl.DataFrame(rows, infer_schema_length=None)


def _cell(quality: SetQuality, name: str) -> Cell:
    value, ends = quality.measured(name)
    return Cell.number(value, 2, interval=Interval.known(*ends))


def _paper_table(result: QualityResult) -> Iterator[Table]:
    """Yield the table as the paper prints it, a column for each set, where the sets are such."""
    codes = paper_codes(result)
    if len(codes) < 2:
        return
    by_id = {quality.set: quality for quality in result.sets}

    def short(measure: str, name: str) -> Cell:
        value, _ends = by_id[name].measured(measure)
        return Cell.share(value) if measure == "without_truth" else Cell.number(value, 2)

    heads = (
        NumberColumn(code, note=titled(name, graded=False).title, group=kind) for name, (kind, code) in codes.items()
    )
    rows = ((heading, *(short(measure, name) for name in codes)) for measure, heading in _PAPER.items())
    caption = "The same as the paper prints it, a column for each set."
    yield Table.from_rows("quality-paper", caption, ("", *heads), rows, (_PAPER_NOTE,), sortable=False, folded=True)
    columns = ("Set", *(NumberColumn(_PAPER[measure]) for measure in MEASURES))
    rows = ((" ".join(code), *(_cell(by_id[name], measure) for measure in MEASURES)) for name, code in codes.items())
    caption = "The same with 95 % intervals, narrow enough for print."
    yield Table.from_rows("quality-intervals", caption, columns, rows, sortable=False, folded=True)


def _whole_table(result: QualityResult, names: dict[str, str]) -> Iterator[Block]:
    """Yield what whole sets are, where their labels are balanced otherwise than the pairs that were drawn."""
    uneven = [
        quality
        for quality in result.sets
        if quality.set_positives is not None
        and quality.positives * (quality.set_negatives or 0) != quality.negatives * quality.set_positives
    ]
    if not uneven:
        return
    whole, drawn, estimated = "In the whole set", "Of the pairs that were drawn", "Estimated for the whole set"
    columns = (
        "Set",
        Column.count("Positives", group=whole),
        Column.count("Negatives", group=whole),
        *(
            NumberColumn(heading, group=group, note=note)
            for group in ("Accuracy", "Recall")
            for heading, note in (("drawn", drawn), ("whole set", estimated))
        ),
    )
    measures = ("accuracy", "whole_accuracy", "recall", "whole_recall")
    rows = (
        (names[quality.set], quality.set_positives, quality.set_negatives, *(_cell(quality, name) for name in measures))
        for quality in uneven
    )
    note = (
        "As many positives as negatives were drawn, but these sets have more of one than of the other. For the whole "
        "set each pair counts as many times as there are pairs that it was drawn from. Precision stays as it is."
    )
    caption = "Accuracy and recall estimated for whole sets."
    yield Table.from_rows("quality-whole", caption, columns, rows, (note,))


def _pair_tables(result: QualityResult, names: dict[str, str]) -> Iterator[Block]:
    if result.contradicted:
        about = f"The majority contradicts the label of {counted(len(result.contradicted), 'pair')}."
        yield Prose((f"{about} Whoever keeps the terminology may want to look at them.",))
        yield _pairs("contradicted", "Pairs whose label the majority contradicts.", result.contradicted, names)
    if result.undecided:
        caption = "Pairs on which no answer has a majority."
        yield _pairs("undecided", caption, result.undecided, names, folded=bool(result.contradicted))


def _pairs(
    table_id: str, caption: str, pairs: Sequence[JudgedPair], names: dict[str, str], *, folded: bool = False
) -> Table:
    group = "Raters who say"
    columns = (
        "Term", "Other term", "Set", Column.count("Label"), Column.count("same", group=group),
        Column.count("not same", group=group), Column.count("don't know", group=group),
    )  # fmt: skip
    rows = (
        (
            pair.word1, pair.word2, names.get(pair.set, pair.set), pair.label, pair.same, pair.not_same, pair.dont_know
        )
        for pair in pairs
    )  # fmt: skip
    data = pl.DataFrame([pair.model_dump() for pair in pairs], infer_schema_length=None)
    return Table.from_rows(block_id("quality", table_id), caption, columns, rows, data=data, folded=folded)


def _rater_table(result: QualityResult) -> Table:
    columns = (
        "Rater",
        *(Column.count(answer, group="Said") for answer in ("same", "not same", "don't know", "nothing")),
        Column.share("Agrees with others", note="Share of equal answers, over pairs that both decided"),
        Column.number("Alpha without", 2, note="Krippendorff's alpha of the other raters"),
        NumberColumn("Seconds", note="Median time for a pair", cell=partial(Cell.number, digits=1, top=None)),
    )
    rows = (list(rater.model_dump().values()) for rater in result.per_rater)
    note = (
        f"Alpha of all raters is {decimal(result.overall.alpha, 2)}; a rater without whom it is clearly higher judges "
        "otherwise than the others."
    )
    data = pl.DataFrame([rater.model_dump() for rater in result.per_rater], infer_schema_length=None)
    return Table.from_rows("quality-raters", "What each rater said.", columns, rows, (note,), data=data)


def _otherwise(result: QualityResult) -> Iterator[str]:
    """Name a rater without whom the others agree clearly better."""
    alpha = result.overall.alpha
    raters = [rater for rater in result.per_rater if rater.alpha_without is not None]
    if alpha is None or not raters or result.raters < LEAST_TO_JUDGE:
        return
    worst = max(raters, key=lambda rater: rater.alpha_without or 0.0)
    if (worst.alpha_without or 0.0) - alpha >= CLEARLY:
        yield (
            f"Without {bold(worst.rater)} alpha would be {decimal(worst.alpha_without, 2)}: look at these answers, and "
            "leave this rater out (`leave_out`) if there is a reason."
        )


def _extremes(result: QualityResult) -> Iterator[str]:
    qualities = [quality for quality in result.sets if quality.accuracy is not None]
    names = set_names(result)
    if len(qualities) > 1:
        values = sorted({quality.accuracy for quality in qualities if quality.accuracy is not None})
        worst = [names[quality.set] for quality in qualities if quality.accuracy == values[0]]
        more = "" if len(worst) <= 3 else f" and {counted(len(worst) - 3, 'other set')}"
        low, high = decimal(values[0], 2), decimal(values[-1], 2)
        yield f"By set, accuracy goes from {low} ({listed(worst[:3])}{more}) to {high}."


def _ends(quality: SetQuality, name: str) -> str:
    low, high = quality.measured(name)[1]
    if low is None or high is None:
        return "undefined"
    return f"{decimal(low, 2)} to {decimal(high, 2)}"


def _value(quality: SetQuality, name: str) -> str:
    value, _interval = quality.measured(name)
    return "undefined" if value is None else f"{decimal(value, 2)} ({_ends(quality, name)})"


def measures_figure(result: QualityResult, names: dict[str, str], *, coded: bool = False) -> Figure:
    """Return alpha, accuracy, recall and precision of each set, with their intervals."""
    panels = []
    for name in MEASURES:
        dots: dict[str, list[Dot]] = {}
        for quality in result.sets:
            value, (low, high) = quality.measured(name)
            if value is not None:
                tip = f"{names[quality.set]}, {name}: {decimal(value, 2)}"
                dots[names[quality.set]] = [Dot(value, low, high, ACCENT, tip=tip)]
        if dots:
            panels.append(DotPanel((name.capitalize(),), dots, reference=result.overall.measured(name)[0]))
    order = [names[entry.set] for entry in result.sets]
    plot = DotPlot(panels, order, "with 95 % intervals; dashed: all sets", most=1.0)
    described = (f"{names[entry.set]}: accuracy {decimal(entry.accuracy, 2)}" for entry in result.sets)
    rows = [
        (entry.set, name, value, low, high)
        for entry in result.sets
        for name in MEASURES
        for value, (low, high) in [entry.measured(name)]
    ]
    return Figure(
        "quality-measures",
        f"Agreement of the raters, and accuracy, recall and precision of the labels, by set{_codes(coded)}.",
        f"Dots with intervals. {'; '.join(described)}.",
        plot.draw,
        pl.DataFrame(rows, ["set", "measure", "value", "low", "high"], orient="row", infer_schema_length=None),
    )


def truths_figure(result: QualityResult, names: dict[str, str], *, coded: bool = False) -> Figure:
    """Return how many positives, and how many negatives, people call the same."""
    order = [names[entry.set] for entry in result.sets]
    positives, negatives = {}, {}
    for quality in result.sets:
        positives[names[quality.set]] = (quality.tp, quality.positives - quality.tp - quality.fp, quality.fp)
        negatives[names[quality.set]] = (quality.fn, quality.negatives - quality.fn - quality.tn, quality.tn)
    panels = (("Positives (label 1)", positives), ("Negatives (label 0)", negatives))
    plot = StackedBars(panels, order, _PARTS, "per cent of the pairs asked")
    rows = [
        (entry.set, label, *counts[names[entry.set]])
        for entry in result.sets
        for label, counts in ((1, positives), (0, negatives))
    ]
    overall = result.overall
    return Figure(
        "quality-truths",
        f"What the majority says about positives and about negatives of each set{_codes(coded)}.",
        f"Bars. Of all positives {overall.tp} are called the same and {overall.fp} not the same; of all negatives "
        f"{overall.fn} are called the same and {overall.tn} not the same.",
        plot.draw,
        pl.DataFrame(rows, ["set", "label", "same", "no_majority", "not_same"], orient="row"),
    )


def _codes(coded: bool) -> str:
    return " (e, h: easy, hard; R, L: random, edit-distance negatives)" if coded else ""
