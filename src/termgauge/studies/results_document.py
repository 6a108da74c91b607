"""The results of a study as a document: what is to be remembered, agreement, scores, who was left out, and methods."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from termgauge.plurals import numbered, plural
from termgauge.reporting.blocks import Cell, Column, Document, Fact, Prose, Section, Table
from termgauge.reporting.numbers import decimal, number
from termgauge.reporting.words import bold, capitalised, counted, named, plain, some_of
from termgauge.studies.methods import quality_methods, similarity_methods
from termgauge.studies.quality_document import quality_sections, quality_summary
from termgauge.studies.results_figures import change_figure, disputed_figure, spread_figure, times_figure

if TYPE_CHECKING:
    from collections.abc import Iterator

    from termgauge.reporting.blocks import Block
    from termgauge.studies.records import SimilarityResult, StudyAbout, StudyResults

_MOST_UNKNOWN = 60
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
    columns = (
        Column("Word"),
        Column("Other word"),
        Column("With all raters", numeric=True, group="Score"),
        Column("That counts", numeric=True, group="Score"),
        Column("Change", numeric=True),
    )
    rows = tuple(
        (
            Cell(each.word1 or ""),
            Cell(each.word2 or ""),
            Cell.number(each.before, 2, top=None),
            Cell.number(each.after, 2, top=None),
            Cell.number(each.after - each.before, 2, signed=True, top=None),
        )
        for each in result.findings.change.most
    )
    return Table("moved", "Pairs whose score changes most.", columns, rows, folded=True)


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
    columns = (
        Column("Word"),
        Column("Other word"),
        Column("Ratings", numeric=True, note="How many count"),
        Column("Mean", numeric=True),
        Column("SD", numeric=True, note="Sample standard deviation, on the scale of the ratings"),
        Column("All ratings"),
    )
    rows = tuple(
        (
            Cell(each.word1 or ""),
            Cell(each.word2 or ""),
            Cell.count(each.n),
            Cell.number(each.mean, 2, top=None),
            Cell.number(each.sd, 2, top=None),
            Cell(" ".join(f"{rating:g}" for rating in each.ratings)),
        )
        for each in result.findings.disputed
    )
    caption = "The pairs on which raters differ most, by the standard deviation of their ratings."
    return Table("disputed-pairs", caption, columns, rows, folded=True)


def _unscored_table(result: SimilarityResult) -> Table:
    rows = tuple((Cell(each.word1), Cell(each.word2)) for each in result.unscored)
    caption = "Pairs that have no score, because no rater who counts gave a rating."
    return Table("unscored", caption, (Column("Word"), Column("Other word")), rows)


def _score_table(result: SimilarityResult) -> Table:
    columns = (
        Column("Word"),
        Column("Other word"),
        Column("Score", numeric=True, note="From 0 to 10"),
        Column("Ratings", numeric=True),
        Column("SD", numeric=True, note="Sample standard deviation, on the scale of the ratings"),
    )
    ordered = sorted(result.scored, key=lambda each: -(each.score or 0.0))
    rows = tuple(
        (
            Cell(each.word1),
            Cell(each.word2),
            Cell.number(each.score, 2, top=None),
            Cell.count(each.n),
            Cell.number(each.sd, 2, top=None),
        )
        for each in ordered
    )
    data = pl.DataFrame([each.model_dump() for each in result.scores], infer_schema_length=None)
    return Table(
        "score-table", "All pairs with a score, from the highest to the lowest.", columns, rows, (), data, folded=True
    )


def _unknown_table(result: SimilarityResult) -> Table:
    columns = (
        Column("Word"),
        Column("Other word"),
        Column("Do not know", numeric=True, note="Raters who do not know one of the words"),
        Column("Asked", numeric=True),
    )
    found = result.findings.unknown
    rows = tuple(
        (Cell(each.word1 or ""), Cell(each.word2 or ""), Cell.count(each.unknown), Cell.count(each.asked))
        for each in found[:_MOST_UNKNOWN]
    )
    more = (
        () if len(found) <= _MOST_UNKNOWN else (f"The first {_MOST_UNKNOWN} of {len(found):,}; all are in the data.",)
    )
    data = pl.DataFrame([each.model_dump() for each in found], infer_schema_length=None)
    return Table("unknown-words", "Pairs of which raters do not know a word.", columns, rows, more, data)


def _adjudicated(results: StudyResults) -> Table:
    columns = (Column("Word"), Column("Other word"), Column("Decision"), Column("Why"))
    rows = tuple(tuple(map(Cell, (each.word1, each.word2, each.answer, each.reason))) for each in results.adjudications)
    caption = "What was decided about pairs on which raters disagree. Scores and agreement rest on the ratings alone."
    return Table("adjudicated-pairs", caption, columns, rows)


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
