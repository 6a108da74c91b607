"""The results of a study as a document: what was asked, agreement, scores or quality, figures and tables."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import polars as pl

from termgauge.plurals import numbered, plural
from termgauge.reporting.blocks import Cell, Column, Document, Fact, Figure, NumberColumn, Prose, Section, Table
from termgauge.reporting.plots import bars
from termgauge.reporting.plots.canvas import SMALL, Canvas, KeyEntry, Panel, label_room, shortened, ticks
from termgauge.reporting.plots.dots import Dot, DotPanel, DotPlot
from termgauge.reporting.plots.look import ACCENT, LINE, MUTED, NEGATIVE
from termgauge.reporting.words import bold, capitalised, counted, decimal, named, number, plain, some_of
from termgauge.studies.quality.sections import quality_sections, quality_summary
from termgauge.studies.results.methods import quality_methods, similarity_methods

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from termgauge.reporting.blocks import Block
    from termgauge.studies.results.result import (
        AdjudicatedPair,
        DisputedPair,
        MovedPair,
        RaterTime,
        RatingCount,
        ScoreChange,
        ScoredPair,
        SimilarityResult,
        StudyAbout,
        StudyResults,
        UnknownPair,
    )

_MOST_UNKNOWN = 60
_WORDS: dict[Column, Callable[[Any], Cell]] = {
    Column("Word"): lambda pair: Cell(pair.word1 or ""),
    Column("Other word"): lambda pair: Cell(pair.word2 or ""),
}
_SD = NumberColumn("SD", note="Sample standard deviation, on the scale of the ratings")
_DISPUTED = (
    "Raters differ most on the following pairs. Look at them before the set is published: a word may have two "
    "meanings, or the instructions may leave open what counts."
)


def results_document(results: StudyResults) -> Document:
    """Return the results of a study as a document."""
    about = results.study
    if results.quality is not None:
        summary = quality_summary(results.quality)
        methods = quality_methods(results.quality, about.question, about.seed)
        sections = quality_sections(results.quality)
        if by_hand := _by_hand(about):
            sections = (*sections, Section("left-out", "Who was left out", (by_hand,)))
    else:
        assert results.similarity is not None
        summary = _summary(results.similarity, about)
        methods = similarity_methods(results.similarity, about)
        sections = tuple(_similarity_sections(results.similarity, about))
    if results.adjudications:
        sections = (*sections, Section("adjudications", "Adjudicated pairs", (_adjudicated(results),)))
    last = Section("methods", "Methods, for a paper", (Prose((*_made_up(about), methods)),))
    return Document(about.title, (*_made_up(about), *summary), _facts(about), (*sections, last))


def _made_up(about: StudyAbout) -> tuple[str, ...]:
    if not about.made_up:
        return ()
    who = "All raters are" if about.made_up == about.invited else f"{about.made_up} of {about.invited} raters are"
    return (f"This is a demonstration. {who} made up by a program: nothing here says anything about people or terms.",)


def _facts(about: StudyAbout) -> tuple[Fact, ...]:
    facts = [
        Fact("Question", plain(about.question)),
        Fact("Answers", plain(", ".join(about.answers))),
        Fact("Pairs", number(about.pairs)),
        Fact("Raters", f"{about.answered} of {about.invited} invited have answered; {about.finished} have finished"),
    ]
    if about.first_answer and about.last_answer:
        days = dict.fromkeys((about.first_answer[:10], about.last_answer[:10]))
        facts.append(Fact("Answered", f"{' to '.join(days)} (UTC)"))
    return (*facts, Fact("Seed", str(about.seed)))


def _summary(result: SimilarityResult, about: StudyAbout) -> tuple[str, ...]:
    found = result.agreement
    scored, raters = some_of(len(result.scored), about.pairs, "pair"), counted(len(result.accepted), "rater")
    ratings = numbered(sum(each.n for each in result.scores), "rating")
    have = plural(len(result.scored), "has", "have")
    sentences = [f"{capitalised(scored)} {have} a score, by {raters} and {ratings}."]
    if found.iaa1 is None:
        sentences.append("The raters' agreement is undefined: too few pairs were rated by two raters.")
    else:
        sentences.append(
            f"The raters agree with each other by {bold(decimal(found.iaa1, 2))}{_ends(found.intervals.iaa1)} (IAA-1, "
            f"mean pairwise Spearman correlation), and with the mean of the others by {bold(decimal(found.iaa2, 2))}"
            f"{_ends(found.intervals.iaa2)} (IAA-2)."
        )
    sentences += _left_out_sentence(result)
    if found.reliability.ceiling is not None:
        ceiling = f"{bold(decimal(found.reliability.ceiling, 2))}{_ends(found.intervals.ceiling)}"
        sentences.append(
            f"A model that knew all that raters agree on would correlate with these scores by about {ceiling}; no "
            "model can be expected to reach more."
        )
    if result.unscored:
        sentences.append(
            f"{capitalised(counted(len(result.unscored), 'pair'))} without a rating that counts got no score."
        )
    return tuple(sentences)


def _left_out_sentence(result: SimilarityResult) -> Iterator[str]:
    gone = result.findings.change.raters
    if not gone:
        yield "No rater was left out."
        return
    change = result.findings.change
    were = f"{capitalised(counted(len(gone), 'rater'))} {plural(len(gone), 'was', 'were')} left out ({named(gone)})"
    half = number(change.moved_noticeably)
    of = f"{number(change.moved)} of {numbered(change.pairs, 'score')}"
    yield f"{were}; that moves {of}, {half} by half a point or more."


def _similarity_sections(result: SimilarityResult, about: StudyAbout) -> Iterator[Section]:
    parts = {section.id: section for section in result.agreement.sections()}
    parts.pop("ratings", None)  # they are shown beside the scores
    last = parts.pop("reliability", None)
    yield from parts.values()
    if result.findings.change.raters:
        yield Section("change", "What leaving raters out changes", tuple(_change(result, about)))
    yield Section("scores", "Ratings and scores", tuple(_scores(result, about)))
    if result.findings.unknown:
        yield Section("unknown", "Words that raters do not know", (_unknown_table(result),))
    if result.findings.times:
        times = times_figure(result.findings.times, result.findings.change.raters)
        yield Section("times", "Time", (times,))
    if last is not None:
        yield last


def _change(result: SimilarityResult, about: StudyAbout) -> Iterator[Block]:
    change = result.findings.change
    if by_hand := _by_hand(about):
        yield by_hand
    yield Prose((_change_sentence(result),))
    if change.moved:
        yield change_figure(change, result.scores)
        yield _moved_table(result)


def _change_sentence(result: SimilarityResult) -> str:
    change = result.findings.change
    lost = f" {capitalised(counted(change.lost, 'pair'))} lost all ratings." if change.lost else ""
    if not change.moved:
        return f"No score changes.{lost}"
    mean, largest = (decimal(value, 2, top=None) for value in (change.mean, change.largest))
    return (
        f"Without {plural(len(change.raters), 'this rater', 'these raters')} {number(change.moved)} of "
        f"{numbered(change.pairs, 'score')} {plural(change.moved, 'changes', 'change')}, by {mean} points of 10 on "
        f"average and by {largest} at most; {numbered(change.moved_noticeably, 'changes', 'change')} by half a "
        "point or more. How far the order of the pairs stays the same is told by Spearman's rho of both scores, "
        f"{decimal(change.spearman, 3)}.{lost}"
    )


def _moved_table(result: SimilarityResult) -> Table:
    columns: dict[Column, Callable[[MovedPair], Cell]] = {
        **_WORDS,
        NumberColumn("With all raters", group="Score"): lambda pair: _two(pair.before),
        NumberColumn("That counts", group="Score"): lambda pair: _two(pair.after),
        NumberColumn("Change"): lambda pair: Cell.number(pair.after - pair.before, 2, signed=True, top=None),
    }
    return Table.from_records(
        "moved", "Pairs whose score changes most.", result.findings.change.most, columns, folded=True
    )


def _scores(result: SimilarityResult, about: StudyAbout) -> Iterator[Block]:
    findings = result.findings
    yield spread_figure(findings.ratings, [each.score for each in result.scored if each.score is not None])
    if findings.disputed:
        yield Prose((_DISPUTED,))
        yield disputed_figure(findings.disputed, about.scale)
        yield _disputed_table(result)
    if result.unscored:
        yield _unscored_table(result)
    yield _score_table(result)


def _disputed_table(result: SimilarityResult) -> Table:
    columns: dict[Column, Callable[[DisputedPair], Cell]] = {
        **_WORDS,
        NumberColumn("Ratings", note="How many count"): lambda pair: Cell.count(pair.n),
        NumberColumn("Mean"): lambda pair: _two(pair.mean),
        _SD: lambda pair: _two(pair.sd),
        Column("All ratings"): lambda pair: Cell(" ".join(f"{rating:g}" for rating in pair.ratings)),
    }
    caption = "The pairs on which raters differ most, by the standard deviation of their ratings."
    return Table.from_records("disputed-pairs", caption, result.findings.disputed, columns, folded=True)


def _unscored_table(result: SimilarityResult) -> Table:
    caption = "Pairs that have no score, because no rater who counts gave a rating."
    return Table.from_records("unscored", caption, result.unscored, _WORDS)


def _score_table(result: SimilarityResult) -> Table:
    columns: dict[Column, Callable[[ScoredPair], Cell]] = {
        **_WORDS,
        NumberColumn("Score", note="From 0 to 10"): lambda pair: _two(pair.score),
        NumberColumn("Ratings"): lambda pair: Cell.count(pair.n),
        _SD: lambda pair: _two(pair.sd),
    }
    ordered = sorted(result.scored, key=lambda pair: -(pair.score or 0.0))
    data = pl.DataFrame([pair.model_dump() for pair in result.scores], infer_schema_length=None)
    caption = "All pairs with a score, from the highest to the lowest."
    return Table.from_records("score-table", caption, ordered, columns, data=data, folded=True)


def _unknown_table(result: SimilarityResult) -> Table:
    pairs = result.findings.unknown
    columns: dict[Column, Callable[[UnknownPair], Cell]] = {
        **_WORDS,
        NumberColumn("Do not know", note="Raters who do not know one of the words"):
            lambda pair: Cell.count(pair.unknown),
        NumberColumn("Asked"): lambda pair: Cell.count(pair.asked),
    }  # fmt: skip
    more = f"The first {_MOST_UNKNOWN} of {len(pairs):,}; all are in the data."
    return Table.from_records(
        "unknown-words",
        "Pairs of which raters do not know a word.",
        pairs[:_MOST_UNKNOWN],
        columns,
        notes=(more,) if len(pairs) > _MOST_UNKNOWN else (),
        data=pl.DataFrame([pair.model_dump() for pair in pairs], infer_schema_length=None),
    )


def _adjudicated(results: StudyResults) -> Table:
    columns: dict[Column, Callable[[AdjudicatedPair], Cell]] = {
        **_WORDS,
        Column("Decision"): lambda pair: Cell(pair.answer),
        Column("Why"): lambda pair: Cell(pair.reason),
    }
    caption = "What was decided about pairs on which raters disagree. Scores and agreement rest on the ratings alone."
    return Table.from_records("adjudicated-pairs", caption, results.adjudications, columns)


def _two(value: float | None) -> Cell:
    return Cell.number(value, 2, top=None)


def _by_hand(about: StudyAbout) -> Table | None:
    if not about.left_out_by_hand:
        return None
    rows = tuple((Cell(each.rater), Cell(each.reason)) for each in about.left_out_by_hand)
    return Table(
        "left-out", "Raters who were left out by hand.", (Column("Rater"), Column("Why")), rows, sortable=False
    )


def _ends(ends: tuple[float | None, float | None]) -> str:
    low, high = ends
    return "" if low is None or high is None else f" ({decimal(low, 2)} to {decimal(high, 2)})"


_ROW, _STRIPS, _SIDE = 22, 15, 300
_BINS = 20
MOST_RATERS = 40
"""Of more raters, only the fastest are drawn."""


def spread_figure(counted_ratings: Sequence[RatingCount], scores: Sequence[float]) -> Figure:
    """Return how often each rating was given, and how the scores of pairs are spread."""
    counts = {each.rating: each.count for each in counted_ratings}
    values = sorted(counts)
    half = min((b - a for a, b in pairwise(values)), default=1.0) / 2
    total = sum(counts.values())
    ratings = [
        bars.Column(
            value - half, value + half, counts.get(value, 0), f"rating {value:g}: {counts.get(value, 0):,} of {total:,}"
        )
        for value in values
    ]
    mean = sum(scores) / len(scores) if scores else None
    binned = [0] * _BINS
    for score in scores:
        binned[min(_BINS - 1, int(score / 10 * _BINS))] += 1
    width = 10 / _BINS
    bins = [
        bars.Column(
            at * width, (at + 1) * width, count, f"{at * width:g} to {(at + 1) * width:g}: {counted(count, 'pair')}"
        )
        for at, count in enumerate(binned)
    ]
    plot = bars.Columns(
        (("Ratings", "rating, as raters gave it", ratings), ("Scores", "score of a pair, 0 to 10", bins)),
        marks=(None, mean),
    )
    often = max(values, key=lambda value: counts.get(value, 0))
    rows = [("rating", value, counts.get(value, 0)) for value in values]
    rows += [("score", at * width, count) for at, count in enumerate(binned)]
    return Figure(
        "spread",
        "How often each rating was given by the raters who count, and how many pairs have which score; dashed: the "
        "mean score.",
        f"Columns. The rating {often:g} was given most often, {counted(counts.get(often, 0), 'time')}; the mean score "
        f"is {decimal(mean, 2, top=None)}.",
        plot.draw,
        pl.DataFrame(rows, ["what", "from", "count"], orient="row"),
    )


def disputed_figure(disputed: Sequence[DisputedPair], scale: tuple[float, float]) -> Figure:
    """Return the ratings of the pairs that people differ on most: a circle for each rating, larger for several."""
    shown = disputed[:_STRIPS]
    names = [f"{each.word1} / {each.word2}" for each in shown]
    described = "; ".join(
        f"{name}: {', '.join(f'{each:g}' for each in pair.ratings)}"
        for name, pair in zip(names[:5], shown, strict=False)
    )
    rows = [(each.word1, each.word2, rating) for each in disputed for rating in each.ratings]
    return Figure(
        "disputed",
        f"The {counted(len(shown), 'pair')} on which raters differ most: a circle for each rating, larger where "
        "several raters gave it; the short line is the mean.",
        f"Ratings of each pair. {described}.",
        lambda width: _draw_strips(width, names, shown, scale),
        pl.DataFrame(rows, ["word1", "word2", "rating"], orient="row"),
    )


def _draw_strips(width: int, names: Sequence[str], pairs: Sequence[DisputedPair], scale: tuple[float, float]) -> Canvas:
    canvas = Canvas(width)
    room = label_room(names, canvas.room, 0.45)
    low, high = scale
    edge = (high - low) / 20
    panel = Panel(canvas, room, canvas.room - room - 6, low - edge, high + edge)
    bottom = 4 + _ROW * len(pairs)
    panel.grid(4, bottom)
    for place, (name, pair) in enumerate(zip(names, pairs, strict=True)):
        y = 4 + _ROW * (place + 0.5)
        canvas.text(room - 10, y, shortened(name, room - 10), align="right")
        counts = {rating: pair.ratings.count(rating) for rating in pair.ratings}
        canvas.rule((panel.x(pair.ratings[0]), y), (panel.x(pair.ratings[-1]), y), LINE, stroke=2, front=True)
        for rating, count in counts.items():
            tip = f"{name}: {counted(count, 'rater')} gave {rating:g}"
            canvas.point(panel.x(rating), y, ACCENT, radius=min(9.0, 3.5 * math.sqrt(count)), tip=tip)
        middle = panel.x(pair.mean)
        canvas.rule((middle, y - 8), (middle, y + 8), NEGATIVE, stroke=2, front=True)
    canvas.text(room, bottom + 28, "rating", colour=MUTED, size=SMALL)
    return canvas


def times_figure(times: Sequence[RaterTime], left_out: Sequence[str]) -> Figure:
    """Return how long each rater took for a pair: the median, and the middle half."""
    everyone = sorted(times, key=lambda each: each.median)
    order = everyone[:MOST_RATERS]
    few = "" if len(order) == len(everyone) else f" The fastest {len(order)} of {number(len(everyone))}."
    dots = {
        each.rater: [
            Dot(
                each.median, each.low, each.high, NEGATIVE if each.rater in left_out else ACCENT,
                "diamond" if each.rater in left_out else "circle", f"{each.rater}: median {each.median:.1f} s",
            )
        ]
        for each in order
    }  # fmt: skip
    entries = (KeyEntry("counts", ACCENT), KeyEntry("left out", NEGATIVE, "diamond"))
    axis = "seconds for a pair: median, and the middle half of all pairs"
    plot = DotPlot([DotPanel((), dots)], [each.rater for each in order], axis, entries if left_out else (), least=0.0)
    slowest = everyone[-1]
    return Figure(
        "times",
        f"How long raters took for a pair; raters who are far faster than the others may not have read.{few}",
        f"Dots. The fastest rater, {order[0].rater}, took {order[0].median:.1f} s for a pair, the slowest, "
        f"{slowest.rater}, {slowest.median:.1f} s (medians).",
        plot.draw,
        pl.DataFrame([each.model_dump() for each in everyone]),
    )


def change_figure(change: ScoreChange, scores: Sequence[ScoredPair]) -> Figure:
    """Return the score of each pair with all raters and without those who were left out."""
    points = [
        (each.word1, each.word2, each.before, each.score)
        for each in scores
        if each.score is not None and each.before is not None
    ]
    return Figure(
        "change",
        "The score of each pair with the ratings of all raters, and without those who were left out.",
        f"A scatter plot of {number(len(points))} pairs about the diagonal; Spearman's rho of both scores is "
        f"{decimal(change.spearman, 3)}, the largest change {decimal(change.largest, 2, top=None)}.",
        lambda width: _draw_change(width, points),
        pl.DataFrame(points, ["word1", "word2", "before", "after"], orient="row"),
    )


def _draw_change(width: int, points: Sequence[tuple[str, str, float, float]]) -> Canvas:
    canvas = Canvas(width)
    left = 24.0
    side = min(canvas.room - left - 8, _SIDE)
    top = 6.0

    def place(before: float, after: float) -> tuple[float, float]:
        return left + side * before / 10, top + side * (1 - after / 10)

    for mark in ticks(0, 10, 6):
        (x, bottom), (_, y) = place(mark, 0), place(0, mark)
        canvas.rule((x, top), (x, bottom))
        canvas.rule((left, y), (left + side, y))
        canvas.text(x, bottom + 11, f"{mark:g}", align="center", colour=MUTED, size=SMALL)
        canvas.text(left - 6, y, f"{mark:g}", align="right", colour=MUTED, size=SMALL)
    canvas.rule(place(0, 0), place(10, 10), MUTED, dash=(3, 3), front=True)
    for word1, word2, before, after in points:
        tip = f"{word1} / {word2}: {before:.2f}, then {after:.2f}"
        canvas.point(*place(before, after), ACCENT, radius=2.8, tip=tip if len(points) <= 500 else "")
    canvas.text(left, top + side + 28, "across: score with all raters; up: score that counts", colour=MUTED, size=SMALL)
    return canvas
