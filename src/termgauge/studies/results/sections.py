"""The results of a study as a document: what was asked, agreement, scores or quality, figures and tables."""

from __future__ import annotations

from functools import partial
from operator import itemgetter
from typing import TYPE_CHECKING, Any

import polars as pl

from termgauge.plurals import numbered, plural
from termgauge.reporting.blocks import Cell, Column, Document, Fact, Figure, NumberColumn, Prose, Section, Table
from termgauge.reporting.plots import bars
from termgauge.reporting.plots.canvas import (
    ACCENT,
    NEGATIVE,
    KeyEntry,
)
from termgauge.reporting.plots.dots import Dot, DotPanel, DotPlot
from termgauge.reporting.words import bold, capitalised, count, counted, decimal, named, number, plain, some_of
from termgauge.studies.agreement.sections import RULES, rating_columns
from termgauge.studies.quality.sections import quality_sections, quality_summary

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from termgauge.reporting.blocks import Block
    from termgauge.studies.agreement.compute import AgreementResult
    from termgauge.studies.quality.compute import QualityResult
    from termgauge.studies.results import compute


_MOST_UNKNOWN = 60
_CI = "95 % CI "
_WORDS = ("Word", "Other word")
_two = partial(NumberColumn, cell=partial(Cell.number, digits=2, top=None))
_SD = _two("SD", note="Sample standard deviation, on the scale of the ratings")
_DISPUTED = (
    "Raters differ most on the following pairs. Look at them before the set is published: a word may have two "
    "meanings, or the instructions may leave open what counts."
)


def results_document(results: compute.StudyResults) -> Document:
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
        caption = (
            "What was decided about pairs on which raters disagree. Scores and agreement rest on the ratings alone."
        )
        rows = ((pair[name] or "" for name in ("word1", "word2", "answer", "reason")) for pair in results.adjudications)
        table = Table.from_rows("adjudicated-pairs", caption, (*_WORDS, "Decision", "Why"), rows)
        sections = (*sections, Section("adjudications", "Adjudicated pairs", (table,)))
    last = Section("methods", "Methods, for a paper", (Prose((*_made_up(about), methods)),))
    return Document(about.title, (*_made_up(about), *summary), _facts(about), (*sections, last))


def _made_up(about: compute.StudyAbout) -> tuple[str, ...]:
    if not about.made_up:
        return ()
    who = "All raters are" if about.made_up == about.invited else f"{about.made_up} of {about.invited} raters are"
    return (f"This is a demonstration. {who} made up by a program: nothing here says anything about people or terms.",)


def _facts(about: compute.StudyAbout) -> tuple[Fact, ...]:
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


def _summary(result: compute.SimilarityResult, about: compute.StudyAbout) -> tuple[str, ...]:
    stats = result.agreement
    scored, raters = some_of(len(result.scored), about.pairs, "pair"), counted(len(result.accepted), "rater")
    ratings = numbered(sum(pair.n for pair in result.scores), "rating")
    have = plural(len(result.scored), "has", "have")
    sentences = [f"{capitalised(scored)} {have} a score, by {raters} and {ratings}."]
    if stats.iaa1 is None:
        sentences.append("The raters' agreement is undefined: too few pairs were rated by two raters.")
    else:
        sentences.append(
            f"The raters agree with each other by {bold(decimal(stats.iaa1, 2))}{_ends(stats.intervals.iaa1)} (IAA-1, "
            f"mean pairwise Spearman correlation), and with the mean of the others by {bold(decimal(stats.iaa2, 2))}"
            f"{_ends(stats.intervals.iaa2)} (IAA-2)."
        )
    gone, change = result.findings.change.raters, result.findings.change
    if gone:
        were = f"{capitalised(counted(len(gone), 'rater'))} {plural(len(gone), 'was', 'were')} left out"
        sentences.append(
            f"{were} ({named(gone)}); that moves {number(change.moved)} of {numbered(change.pairs, 'score')}, "
            f"{number(change.moved_noticeably)} by half a point or more."
        )
    else:
        sentences.append("No rater was left out.")
    if stats.reliability.ceiling is not None:
        ceiling = f"{bold(decimal(stats.reliability.ceiling, 2))}{_ends(stats.intervals.ceiling)}"
        sentences.append(
            f"A model that knew all that raters agree on would correlate with these scores by about {ceiling}; no "
            "model can be expected to reach more."
        )
    if result.unscored:
        sentences.append(
            f"{capitalised(counted(len(result.unscored), 'pair'))} without a rating that counts got no score."
        )
    return tuple(sentences)


def _similarity_sections(result: compute.SimilarityResult, about: compute.StudyAbout) -> Iterator[Section]:
    parts = {section.id: section for section in result.agreement.sections()}
    parts.pop("ratings", None)  # they are shown beside the scores
    last = parts.pop("reliability", None)
    yield from parts.values()
    findings = result.findings
    if findings.change.raters:
        yield Section("change", "What leaving raters out changes", tuple(_change(result, about)))
    yield Section("scores", "Ratings and scores", tuple(_scores(result)))
    if findings.unknown:
        yield Section("unknown", "Words that raters do not know", (_unknown_table(findings.unknown),))
    if findings.times:
        yield Section("times", "Time", (times_figure(findings.times, findings.change.raters),))
    if last is not None:
        yield last


def _change(result: compute.SimilarityResult, about: compute.StudyAbout) -> Iterator[Block]:
    change = result.findings.change
    if by_hand := _by_hand(about):
        yield by_hand
    yield Prose((_change_sentence(result),))
    if change.moved:
        columns = (
            *_WORDS, _two("With all raters", group="Score"), _two("That counts", group="Score"),
            NumberColumn("Change", cell=partial(Cell.number, digits=2, signed=True, top=None)),
        )  # fmt: skip
        rows = (
            (pair["word1"] or "", pair["word2"] or "", pair["before"], pair["after"], pair["after"] - pair["before"])
            for pair in change.most
        )
        yield Table.from_rows("moved", "Pairs whose score changes most.", columns, rows, folded=True)


def _change_sentence(result: compute.SimilarityResult) -> str:
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


def _scores(result: compute.SimilarityResult) -> Iterator[Block]:
    findings = result.findings
    yield spread_figure(findings.ratings, [pair.score for pair in result.scored if pair.score is not None])
    if findings.disputed:
        yield Prose((_DISPUTED,))
        yield disputed_figure(findings.disputed)
        caption = "The pairs on which raters differ most, by the standard deviation of their ratings."
        columns = (*_WORDS, Column.count("Ratings", note="How many count"), _two("Mean"), _SD, "All ratings")
        rows = (
            (*_words(pair), pair.n, pair.mean, pair.sd, " ".join(f"{rating:g}" for rating in pair.ratings))
            for pair in findings.disputed
        )
        yield Table.from_rows("disputed-pairs", caption, columns, rows, folded=True)
    if result.unscored:
        caption = "Pairs that have no score, because no rater who counts gave a rating."
        yield Table.from_rows("unscored", caption, _WORDS, map(_words, result.unscored))
    ordered = sorted(result.scored, key=lambda pair: -(pair.score or 0.0))
    data = pl.DataFrame([pair.model_dump() for pair in result.scores], infer_schema_length=None)
    caption = "All pairs with a score, from the highest to the lowest."
    scored = (*_WORDS, _two("Score", note="From 0 to 10"), Column.count("Ratings"), _SD)
    cells = ((*_words(pair), pair.score, pair.n, pair.sd) for pair in ordered)
    yield Table.from_rows("score-table", caption, scored, cells, data=data, folded=True)


def _unknown_table(pairs: Sequence[dict[str, Any]]) -> Table:
    asked = Column.count("Do not know", note="Raters who do not know one of the words"), Column.count("Asked")
    more = f"The first {_MOST_UNKNOWN} of {len(pairs):,}; all are in the data."
    return Table.from_rows(
        "unknown-words",
        "Pairs of which raters do not know a word.",
        (*_WORDS, *asked),
        ((pair["word1"] or "", pair["word2"] or "", pair["unknown"], pair["asked"]) for pair in pairs[:_MOST_UNKNOWN]),
        notes=(more,) if len(pairs) > _MOST_UNKNOWN else (),
        data=pl.DataFrame(pairs, infer_schema_length=None),
    )


def _words(pair: compute.PairRecord) -> tuple[str, str]:
    return pair.word1 or "", pair.word2 or ""


def _by_hand(about: compute.StudyAbout) -> Table | None:
    if not about.left_out_by_hand:
        return None
    rows = ((rater["rater"], rater["reason"]) for rater in about.left_out_by_hand)
    return Table.from_rows("left-out", "Raters who were left out by hand.", ("Rater", "Why"), rows, sortable=False)


def _ends(ends: tuple[float | None, float | None], before: str = "") -> str:
    low, high = ends
    return "" if low is None or high is None else f" ({before}{decimal(low, 2)} to {decimal(high, 2)})"


_STRIPS, _BINS = 15, 20
MOST_RATERS = 40
"""Of more raters, only the fastest are drawn."""


def spread_figure(given: Sequence[dict[str, Any]], scores: Sequence[float]) -> Figure:
    """Return how often each rating was given, and how the scores of pairs are spread."""
    counts = {row["rating"]: row["count"] for row in given}
    often = max(counts, key=counts.__getitem__)
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
    ratings = ("Ratings", "rating, as raters gave it", rating_columns(list(counts.items())))
    plot = bars.Columns((ratings, ("Scores", "score of a pair, 0 to 10", bins)), marks=(None, mean))
    rows = [("rating", value, times) for value, times in counts.items()]
    rows += [("score", at * width, count) for at, count in enumerate(binned)]
    return Figure(
        "spread",
        "How often each rating was given by the raters who count, and how many pairs have which score; dashed: the "
        "mean score.",
        f"Columns. The rating {often:g} was given most often, {counted(counts[often], 'time')}; the mean score "
        f"is {decimal(mean, 2, top=None)}.",
        plot.draw,
        pl.DataFrame(rows, ["what", "from", "count"], orient="row"),
    )


def disputed_figure(disputed: Sequence[compute.DisputedPair]) -> Figure:
    """Return the ratings of the pairs that people differ on most."""
    shown = disputed[:_STRIPS]
    names = [f"{pair.word1} / {pair.word2}" for pair in shown]
    described = "; ".join(
        f"{name}: {', '.join(f'{rating:g}' for rating in pair.ratings)}"
        for name, pair in zip(names[:5], shown, strict=False)
    )
    dots = {}
    for name, pair in zip(names, shown, strict=True):
        mean = Dot(pair.mean, pair.ratings[0], pair.ratings[-1], NEGATIVE, "diamond", f"{name}: mean {pair.mean:g}")
        times = {rating: counted(pair.ratings.count(rating), "rater") for rating in pair.ratings}
        tips = {rating: f"{name}: {raters} gave {rating:g}" for rating, raters in times.items()}
        dots[name] = [*(Dot(rating, None, None, ACCENT, "circle", tip) for rating, tip in tips.items()), mean]
    plot = DotPlot([DotPanel((), dots)], names, "rating", labels=0.45)
    rows = [(pair.word1, pair.word2, rating) for pair in disputed for rating in pair.ratings]
    return Figure(
        "disputed",
        f"The {counted(len(shown), 'pair')} on which raters differ most: a circle for each rating that was given; the "
        "diamond is the mean.",
        f"Ratings of each pair. {described}.",
        plot.draw,
        pl.DataFrame(rows, ["word1", "word2", "rating"], orient="row"),
    )


def times_figure(times: Sequence[dict[str, Any]], left_out: Sequence[str]) -> Figure:
    """Return how long each rater took for a pair: the median, and the middle half."""
    everyone = sorted(times, key=lambda timing: timing["median"])
    order = everyone[:MOST_RATERS]
    few = "" if len(order) == len(everyone) else f" The fastest {len(order)} of {number(len(everyone))}."
    dots = {}
    for rater, median, low, high in map(itemgetter("rater", "median", "low", "high"), order):
        colour, shape = (NEGATIVE, "diamond") if rater in left_out else (ACCENT, "circle")
        dots[rater] = [Dot(median, low, high, colour, shape, f"{rater}: median {median:.1f} s")]
    entries = (KeyEntry("counts", ACCENT), KeyEntry("left out", NEGATIVE, "diamond"))
    axis = "seconds for a pair: median, and the middle half of all pairs"
    plot = DotPlot([DotPanel((), dots)], list(dots), axis, entries if left_out else (), least=0.0)
    fastest, slowest = order[0], everyone[-1]
    return Figure(
        "times",
        f"How long raters took for a pair; raters who are far faster than the others may not have read.{few}",
        f"Dots. The fastest rater, {fastest['rater']}, took {fastest['median']:.1f} s for a pair, the slowest, "
        f"{slowest['rater']}, {slowest['median']:.1f} s (medians).",
        plot.draw,
        pl.DataFrame(everyone),
    )


def rule_in_words(found: AgreementResult) -> str:
    """Return who is left out by the rule, as a part of a sentence."""
    if found.rule not in RULES:
        return "the rule none leaves nobody out"
    where = "the consistency set" if found.consistency else "the pairs of their group"
    if found.least_panel:
        return (
            f"raters of panels of at least {count(found.least_panel)} are left out whose agreement with the others on "
            f"{where} is {RULES['default']} (Grubbs' test of Fisher's z)"
        )
    return f"the rule {found.rule} leaves out raters whose agreement with the others on {where} is {RULES[found.rule]}"


def similarity_methods(result: compute.SimilarityResult, about: compute.StudyAbout) -> str:
    """Return a paragraph about a similarity study."""
    stats, (low, high) = result.agreement, about.scale
    common = f" and {counted(about.consistency, 'pair')} in common" if about.consistency else ""
    groups = f"{counted(about.groups, 'group')} with pairs of their own{common}"
    twice = f" Each rater saw {counted(about.duplicates, 'pair')} twice, to show how far raters agree with themselves."
    return (
        f"{capitalised(counted(about.answered, 'rater'))} rated {numbered(about.pairs, 'term pair')} in "
        f"{groups if about.groups > 1 else 'one group, in which every rater saw all pairs'} "
        f"(seed {about.seed}). The question was “{plain(about.question)}”, answered on a scale from {low:g} to "
        f"{high:g} or by saying that a word is not known, which counts as missing.{twice if about.duplicates else ''} "
        f"{_left_out(result, about)} Agreement was IAA-1 = {decimal(stats.iaa1, 2)}"
        f"{_ends(stats.intervals.iaa1, _CI)}, the mean pairwise Spearman correlation of the raters of a group, and "
        f"IAA-2 = {decimal(stats.iaa2, 2)}{_ends(stats.intervals.iaa2, _CI)}, the mean correlation of a rater with the "
        "mean of the others. The score of a pair is the mean rating of the accepted raters, brought to a scale from 0 "
        f"to 10.{_reliability(stats)} Intervals are 95 % bootstrap "
        f"intervals over pairs ({number(stats.resamples)} resamples). Layout, agreement and exclusion follow Chiu et "
        "al. (2018)."
    )


def _left_out(result: compute.SimilarityResult, about: compute.StudyAbout) -> str:
    agreement = result.agreement
    by_hand = [rater for rater in about.left_out_by_hand if rater["rater"] in result.findings.change.raters]
    sentences = [f"{capitalised(rule_in_words(agreement))}; it left out {counted(len(agreement.left_out), 'rater')}."]
    if by_hand:
        sentences.append(f"The administrator left out {counted(len(by_hand), 'rater')}.")
    if agreement.moved:
        moved = counted(len(agreement.moved), "rater")
        sentences.append(f"The ratings of {moved} who rated high or low throughout were moved by 1 (SimLex-999).")
    return " ".join(sentences)


def _reliability(agreement: AgreementResult) -> str:
    mean, ceiling = agreement.reliability.mean, agreement.reliability.ceiling
    if mean is None or ceiling is None:
        return ""
    return (
        f" The reliability of the scores, from split halves of the raters, is {decimal(mean, 2)}; a model's "
        f"correlation with them can be expected to be {decimal(ceiling, 2)}{_ends(agreement.intervals.ceiling, _CI)} "
        "at most."
    )


def quality_methods(result: QualityResult, question: str, seed: int) -> str:
    """Return a paragraph that could go into a paper."""
    per_label = sorted({count for quality in result.sets for count in (quality.positives, quality.negatives)})
    drawn = f"{per_label[0]}" if len(per_label) == 1 else f"up to {per_label[-1]}"
    treatment = "as missing" if result.dont_know == "missing" else "as a third answer"
    overall = result.overall
    alpha = overall.alpha
    agreed = "" if alpha is None else f", here {decimal(alpha, 2)}{_ends(overall.alpha_interval, _CI)}"
    none = counted(overall.without_truth, "pair")
    return (
        f"{capitalised(counted(result.raters, 'rater'))} judged the same {numbered(result.pairs, 'term pair')}: "
        f"{drawn} "
        f"positives and {drawn} negatives, drawn at random without replacement (seed {seed}) from each of "
        f"{counted(len(result.sets), 'set')}. Set and label were hidden, and all pairs were shown in one random order. "
        f"The question was “{plain(question)}”; raters could also say that they do not know. The truth of a pair is "
        f"the answer of more than half of all raters; {none} had no such answer and "
        f"{plural(overall.without_truth, 'counts', 'count')} in neither accuracy, recall "
        f"nor precision. Agreement is Krippendorff's alpha for nominal data, “don't know” counted {treatment}{agreed}. "
        "Intervals are at the 95 % level: for shares Wilson's, with Poisson ends for one to three hits or misses "
        "(Brown, Cai & DasGupta 2001) and a correction for the finite size of the sets where it is known, put together "
        "over positives and negatives (Zou & Donner 2008; Donner & Zou 2012); for alpha BCa bootstrap intervals over "
        f"pairs, drawn anew within the positives and the negatives of each set ({number(result.resamples)} resamples). "
        "Sample, truth and measures follow Schulz & Juric (2020)."
    )
