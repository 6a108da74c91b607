"""The results of a study as a document: agreement, scores or quality, and what was done in a paragraph for a paper."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import polars as pl

from termgauge.plurals import numbered, plural
from termgauge.reporting.blocks import Cell, Column, Document, Fact, NumberColumn, Prose, Section, Table
from termgauge.reporting.words import capitalised, counted, decimal, named, number, plain, some_of
from termgauge.studies.agreement.sections import agreement_summary, in_bold, rule_sentence
from termgauge.studies.quality.sections import quality_sections, quality_summary

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from termgauge.reporting.blocks import Block
    from termgauge.studies.quality.compute import QualityResult
    from termgauge.studies.results import compute

_WORDS = ("Word", "Other word")
_two = partial(NumberColumn, cell=partial(Cell.number, digits=2, top=None))
_SD = _two("SD", note="Sample standard deviation, on the scale of the ratings")
_DISPUTED = (
    "Raters differ most on the following pairs. Look at them before the set is published: a word may have two "
    "meanings, or the instructions may leave open what counts."
)


def results_document(results: compute.StudyResults) -> Document:
    """Return the results of a study as a document."""
    about, sections = results.study, list[Section]()
    if results.quality is not None:
        summary, methods = quality_summary(results.quality), quality_methods(results.quality, about)
        sections += quality_sections(results.quality)
    else:
        assert results.similarity is not None
        summary, methods = tuple(_summary(results.similarity, about)), similarity_methods(results.similarity, about)
        sections += _similarity_sections(results.similarity)
    if about.left_out_by_hand:
        rows = ((rater["rater"], rater["reason"]) for rater in about.left_out_by_hand)
        out = Table.from_rows("left-out", "Raters who were left out by hand.", ("Rater", "Why"), rows, sortable=False)
        sections.append(Section("left-out", "Who was left out", (out,)))
    if results.adjudications:
        caption = "Decisions about pairs on which raters disagree. Scores and agreement rest on the ratings alone."
        decided = _pairs("adjudicated-pairs", caption, results.adjudications, {"Decision": "answer", "Why": "reason"})
        sections.append(Section("adjudications", "Adjudicated pairs", (decided,)))
    last = Section("methods", "Methods, for a paper", (Prose((*_made_up(about), methods)),))
    return Document(about.title, (*_made_up(about), *summary), _facts(about), (*sections, last))


def _made_up(about: compute.StudyAbout) -> tuple[str, ...]:
    if not about.made_up:
        return ()
    who = "All raters are" if about.made_up == about.invited else f"{about.made_up} of {about.invited} raters are"
    return (f"This is a demonstration. {who} made up by a program: nothing here says anything about people or terms.",)


def _facts(about: compute.StudyAbout) -> tuple[Fact, ...]:
    days = dict.fromkeys((time or "")[:10] for time in (about.first_answer, about.last_answer))
    return (
        Fact("Question", plain(about.question)),
        Fact("Answers", plain(", ".join(about.answers))),
        Fact("Pairs", number(about.pairs)),
        Fact("Raters", f"{about.answered} of {about.invited} invited have answered; {about.finished} have finished"),
        Fact("Answered", f"{' to '.join(days)} (UTC)"),
        Fact("Seed", str(about.seed)),
    )


def _summary(result: compute.SimilarityResult, about: compute.StudyAbout) -> Iterator[str]:
    scored, change = len(result.scored), result.findings.change
    raters, ratings = counted(len(result.accepted), "rater"), sum(pair["n"] for pair in result.scores)
    some = capitalised(some_of(scored, about.pairs, "pair"))
    yield f"{some} {plural(scored, 'has', 'have')} a score, by {raters} and {numbered(ratings, 'rating')}."
    yield from agreement_summary(result.agreement)
    if not change.raters:
        yield "No rater was left out."
        return
    yield (
        f"{capitalised(counted(len(change.raters), 'rater'))} {plural(len(change.raters), 'was', 'were')} left out "
        f"({named(change.raters)}); that moves {number(change.moved)} of {numbered(change.pairs, 'score')}, "
        f"{number(change.moved_noticeably)} by half a point or more."
    )


def _similarity_sections(result: compute.SimilarityResult) -> Iterator[Section]:
    *agreement, reliability = result.agreement.sections()
    yield from agreement
    change, unknown = result.findings.change, result.findings.unknown
    if change.raters:
        yield Section("change", "What leaving raters out changes", tuple(_change(change)))
    yield Section("scores", "Ratings and scores", tuple(_scores(result)))
    if unknown:
        columns = {"Do not know": "unknown", "Asked": "asked"}
        table = _pairs("unknown-words", "Pairs of which raters do not know a word.", unknown, columns, folded=True)
        yield Section("unknown", "Words that raters do not know", (table,))
    yield reliability


def _change(change: compute.ScoreChange) -> Iterator[Block]:
    lost = f" {capitalised(counted(change.lost, 'pair'))} lost all ratings." if change.lost else ""
    mean, largest = (decimal(value, 2, top=None) for value in (change.mean, change.largest))
    sentence = (
        f"Without {named(change.raters)} {number(change.moved)} of {numbered(change.pairs, 'score')} "
        f"{plural(change.moved, 'changes', 'change')}, {number(change.moved_noticeably)} by half a point or more; all "
        f"change by {mean} points of 10 on average, and by {largest} at most. Spearman's rho of both scores, "
        f"{decimal(change.spearman, 3)}, tells how far the order of the pairs stays the same.{lost}"
    )
    yield Prose((sentence,))
    if change.moved:
        columns = {_two("With all raters", group="Score"): "before", _two("That counts", group="Score"): "after"}
        yield _pairs("moved", "Pairs whose score changes most.", change.most, columns, folded=True)


def _scores(result: compute.SimilarityResult) -> Iterator[Block]:
    ratings = Column.count("Ratings", note="How many count")
    if disputed := [pair.model_dump() for pair in result.findings.disputed]:
        yield Prose((_DISPUTED,))
        caption = "The pairs on which raters differ most, by the standard deviation of their ratings."
        rows = [{**pair, "all": " ".join(f"{rating:g}" for rating in pair["ratings"])} for pair in disputed]
        columns = {ratings: "n", _two("Mean"): "mean", _SD: "sd", "All ratings": "all"}
        yield _pairs("disputed-pairs", caption, rows, columns, folded=True)
    if result.unscored:
        caption = "Pairs that have no score, because no rater who counts gave a rating."
        yield _pairs("unscored", caption, result.unscored, {})
    ordered = sorted(result.scored, key=lambda pair: -pair["score"])
    data = pl.DataFrame(result.scores, infer_schema_length=None)
    caption = "All pairs with a score, from the highest to the lowest."
    scored = {_two("Score", note="From 0 to 10"): "score", ratings: "n", _SD: "sd"}
    yield _pairs("score-table", caption, ordered, scored, data=data, folded=True)


def _pairs(
    table: str,
    caption: str,
    pairs: Iterable[dict[str, Any]],
    columns: dict[Any, str],
    **more: Any,  # noqa: ANN401
) -> Table:
    """Return a table of pairs: their words, and values by the columns that show them."""
    rows = ((pair["word1"], pair["word2"], *(pair[name] for name in columns.values())) for pair in pairs)
    return Table.from_rows(table, caption, (*_WORDS, *columns), rows, **more)


def similarity_methods(result: compute.SimilarityResult, about: compute.StudyAbout) -> str:
    """Return a paragraph about a similarity study."""
    stats, (low, high) = result.agreement, about.scale
    groups = "in one group" if about.groups == 1 else f"in {counted(about.groups, 'group')} with pairs of their own"
    common = f" and {counted(about.consistency, 'pair')} in common" if about.consistency else ""
    twice = f" Each rater saw {counted(about.duplicates, 'pair')} twice." if about.duplicates else ""
    by_hand = len(about.left_out_by_hand)
    hand = f" The administrator left out {counted(by_hand, 'rater')}." if by_hand else ""
    moved = f" The ratings of {counted(len(stats.moved), 'rater')} were moved by 1 (SimLex-999)." if stats.moved else ""
    return (
        f"{capitalised(counted(about.answered, 'rater'))} rated {numbered(about.pairs, 'term pair')} {groups}{common} "
        f"(seed {about.seed}). The question was “{plain(about.question)}”, answered on a scale from {low:g} to "
        f"{high:g} or by saying that a word is not known, which counts as missing.{twice} {rule_sentence(stats)}{hand}"
        f"{moved} {' '.join(agreement_summary(stats))} IAA-1 is the mean pairwise Spearman correlation of the raters "
        "of a group, IAA-2 the mean correlation of a rater with the mean of the others. The score of a pair is the "
        "mean rating of the accepted raters, brought to a scale from 0 to 10. Intervals are 95 % bootstrap intervals "
        f"over pairs ({number(stats.resamples)} resamples). Layout, agreement and exclusion follow Chiu et al. (2018)."
    )


def quality_methods(result: QualityResult, about: compute.StudyAbout) -> str:
    """Return a paragraph that could go into a paper."""
    most = max(count for quality in result.sets for count in (quality.positives, quality.negatives))
    treatment = "as missing" if result.dont_know == "missing" else "as a third answer"
    return (
        f"{capitalised(counted(result.raters, 'rater'))} judged the same {numbered(result.pairs, 'term pair')}: up to "
        f"{most} positives and {most} negatives, drawn at random without replacement (seed {about.seed}) from each of "
        f"{counted(len(result.sets), 'set')}. Set and label were hidden, and all pairs were shown in one random order. "
        f"The question was “{plain(about.question)}”; raters could also say that they do not know. The truth of a pair "
        f"is the answer of more than half of all raters; {counted(result.overall.without_truth, 'pair')} had none and "
        f"enter neither accuracy, recall nor precision. Agreement is Krippendorff's alpha for nominal data "
        f"({in_bold(*result.overall.measured('alpha'))}), “don't know” counted {treatment}. Intervals (95 %) of shares "
        "are Wilson's, with Poisson ends for one to three hits or misses (Brown, Cai & DasGupta 2001) and a correction "
        "for the finite size of the sets where it is known, put together over positives and negatives (Zou & Donner "
        "2008; Donner & Zou 2012); that of alpha is a BCa bootstrap interval over pairs, drawn anew within the "
        f"positives and the negatives of each set ({number(result.resamples)} resamples). Sample, truth and measures "
        "follow Schulz & Juric (2020)."
    )
