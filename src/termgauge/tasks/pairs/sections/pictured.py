"""The sections of scores: distributions and ROC curves for each group of labelled sets, the first of them unfolded."""

from __future__ import annotations

from typing import TYPE_CHECKING

from termgauge.plurals import plural
from termgauge.reporting.blocks import Prose, Section
from termgauge.reporting.words import number
from termgauge.tasks.pairs.sections.distributions import distribution_figure
from termgauge.tasks.pairs.sections.roc import roc_figure
from termgauge.tasks.pairs.sections.scores import MOST_MODELS, chosen_models

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from termgauge.reporting.blocks import Figure
    from termgauge.reporting.set_names import SetGroup, TitledSet
    from termgauge.tasks.pairs.sections.scores import SetScores
    from termgauge.tasks.pairs.sections.standings import Standings

MOST_FOLDED = 6
"""Models in the pictures that are folded, to keep a large page small."""
MOST_GROUPS = 8
"""A page with the pictures of more groups would be too large."""


def score_sections(
    standings: Standings, read: Callable[[TitledSet, Sequence[str]], SetScores | None], *, most: int = MOST_GROUPS
) -> list[Section]:
    """Return the pictures of scores, and of ROC curves, of the largest groups of labelled sets.

    `read` gives the scores of some models on a set; None if they cannot be had. It is asked for one group after
    another, so that only the scores of a few sets are in memory at once.
    """
    groups = [group for group in standings.groups if not group.graded]
    largest = sorted(groups, key=lambda group: -_pairs(standings, group))[:most]
    distributions: list[Figure] = []
    curves: list[Figure] = []
    for group in (group for group in groups if group in largest):
        models = chosen_models(standings, group.sets, MOST_FOLDED if distributions else MOST_MODELS)
        several = [one for each in group.sets if models and (one := read(each, models)) is not None]
        several = [one for one in several if 0 < one.labels.sum() < len(one.labels)]
        for figures, made in ((distributions, distribution_figure), (curves, roc_figure)):
            figure = made(standings, group, several, models, folded=bool(figures))
            if figure is not None:
                figures.append(figure)
    more = len(groups) - most
    smallest = plural(more, "smallest group of sets is", f"{number(more)} smallest groups of sets are")
    unseen = f" The {smallest} not pictured." if more > 0 else ""
    folded = " The first group of sets is shown, the others are folded." if len(distributions) > 1 else ""
    sections = []
    if distributions:
        about = (
            "Positive pairs that are lexically close, and negatives drawn at random, are easy to tell apart; where "
            "synonyms share few letters and negatives share many, a model must know what terms mean."
            if any(each.built for group in groups for each in group.sets)
            else "The farther apart the scores of positive and negative pairs are, the better a model knows the terms."
        )
        sections.append(
            Section(
                "scores", "Scores of positive and negative pairs", (Prose((about + folded + unseen,)), *distributions)
            )
        )
    if curves:
        about = "A curve shows all thresholds at once; the farther it is above the dashed line, the better."
        sections.append(Section("roc", "ROC curves", (Prose((about + folded + unseen,)), *curves)))
    return sections


def _pairs(standings: Standings, group: SetGroup) -> int:
    return sum(standings.shared(each) for each in group.sets)
