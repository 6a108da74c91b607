"""What was done, in a paragraph for a paper: who rated what, who was left out, and how every figure was computed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from termgauge.plurals import numbered, plural
from termgauge.reporting.words import capitalised, count, counted, decimal, number, plain

if TYPE_CHECKING:
    from termgauge.studies.agreement.result import AgreementResult
    from termgauge.studies.quality.result import QualityResult
    from termgauge.studies.results.result import SimilarityResult, StudyAbout

_RULES = {
    "others": "is more than two standard deviations below the mean of the other raters",
    "simlex": "is more than one standard deviation below the mean of all raters",
}


def rule_in_words(found: AgreementResult) -> str:
    """Return who is left out by the rule, as a part of a sentence."""
    if found.rule not in _RULES:
        return "the rule none leaves nobody out"
    where = "the consistency set" if found.consistency else "the pairs of their group"
    panel = f" of panels of at least {count(found.least_panel)}" if found.least_panel else ""
    leaves_out = f"the rule {found.rule} leaves out raters{panel}"
    return f"{leaves_out} whose agreement with the others on {where} {_RULES[found.rule]}"


def similarity_methods(result: SimilarityResult, about: StudyAbout) -> str:
    """Return a paragraph about a similarity study."""
    found, (low, high) = result.agreement, about.scale
    return (
        f"{capitalised(counted(about.answered, 'rater'))} rated {numbered(about.pairs, 'term pair')} in "
        f"{_groups(about)} "
        f"(seed {about.seed}). The question was “{plain(about.question)}”, answered on a scale from {low:g} to "
        f"{high:g} or by saying that a word is not known, which counts as missing.{_twice(about)} "
        f"{_left_out(result, about)} Agreement was IAA-1 = {decimal(found.iaa1, 2)}{_ci(found.intervals.iaa1)}, the "
        "mean pairwise Spearman correlation of the raters of a group, and IAA-2 = "
        f"{decimal(found.iaa2, 2)}{_ci(found.intervals.iaa2)}, the "
        "mean correlation of a rater with the mean of the others. The score of a pair is the mean rating of the "
        f"accepted raters, brought to a scale from 0 to 10.{_reliability(found)} Intervals are 95 % bootstrap "
        f"intervals over pairs ({number(found.resamples)} resamples). Layout, agreement and exclusion follow Chiu et "
        "al. (2018)."
    )


def _groups(about: StudyAbout) -> str:
    if about.groups == 1:
        return "one group, in which every rater saw all pairs"
    common = f" and {counted(about.consistency, 'pair')} in common" if about.consistency else ""
    return f"{counted(about.groups, 'group')} with pairs of their own{common}"


def _twice(about: StudyAbout) -> str:
    if not about.duplicates:
        return ""
    return f" Each rater saw {counted(about.duplicates, 'pair')} twice, to show how far raters agree with themselves."


def _left_out(result: SimilarityResult, about: StudyAbout) -> str:
    found = result.agreement
    by_hand = [each for each in about.left_out_by_hand if each.rater in result.findings.change.raters]
    sentences = [f"{capitalised(rule_in_words(found))}; it left out {counted(len(found.left_out), 'rater')}."]
    if by_hand:
        sentences.append(f"The administrator left out {counted(len(by_hand), 'rater')}.")
    if found.moved:
        moved = counted(len(found.moved), "rater")
        sentences.append(f"The ratings of {moved} who rated high or low throughout were moved by 1 (SimLex-999).")
    return " ".join(sentences)


def _reliability(found: AgreementResult) -> str:
    mean, ceiling = found.reliability.mean, found.reliability.ceiling
    if mean is None or ceiling is None:
        return ""
    return (
        f" The reliability of the scores, from split halves of the raters, is {decimal(mean, 2)}, which lets a model's "
        f"correlation with them be {decimal(ceiling, 2)}{_ci(found.intervals.ceiling)} at most."
    )


def quality_methods(result: QualityResult, question: str, seed: int) -> str:
    """Return a paragraph that could go into a paper."""
    per_label = sorted({count for each in result.sets for count in (each.positives, each.negatives)})
    drawn = f"{per_label[0]}" if len(per_label) == 1 else f"up to {per_label[-1]}"
    known = "as missing" if result.dont_know == "missing" else "as a third answer"
    found = result.overall
    agreed = (
        "" if found.alpha is None else f", here {decimal(found.alpha, 2)} (95 % CI {_between(found.alpha_interval)})"
    )
    none = counted(found.without_truth, "pair")
    return (
        f"{capitalised(counted(result.raters, 'rater'))} judged the same {numbered(result.pairs, 'term pair')}: "
        f"{drawn} "
        f"positives and {drawn} negatives, drawn at random without replacement (seed {seed}) from each of "
        f"{counted(len(result.sets), 'set')}. Set and label were hidden, and all pairs were shown in one random order. "
        f"The question was “{plain(question)}”; raters could also say that they do not know. The truth of a pair is "
        f"the answer of more than half of all raters; {none} had no such answer and "
        f"{plural(found.without_truth, 'counts', 'count')} in neither accuracy, recall "
        f"nor precision. Agreement is Krippendorff's alpha for nominal data, “don't know” counted {known}{agreed}. "
        "Intervals are at the 95 % level: for shares Wilson's, with Poisson ends for one to three hits or misses "
        "(Brown, Cai & DasGupta 2001) and a correction for the finite size of the sets where it is known, put together "
        "over positives and negatives (Zou & Donner 2008; Donner & Zou 2012); for alpha BCa bootstrap intervals over "
        f"pairs, drawn anew within the positives and the negatives of each set ({number(result.resamples)} resamples). "
        "Sample, truth and measures follow Schulz & Juric (2020)."
    )


def _ci(ends: tuple[float | None, float | None]) -> str:
    return "" if None in ends else f" (95 % CI {_between(ends)})"


def _between(ends: tuple[float | None, float | None]) -> str:
    return f"{decimal(ends[0], 2)} to {decimal(ends[1], 2)}"
