"""All sections about scores of pairs, in the order of a report.

Scores are read one group of sets after another, so that a large run does not fill the memory. What cannot be read
costs its picture, with a warning that says so.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from termgauge.exceptions import TermgaugeError, warn, warn_skipped
from termgauge.tasks.pairs.results import taking_part, truth_of
from termgauge.tasks.pairs.sections.group_means import group_means_section
from termgauge.tasks.pairs.sections.groups import group_sections
from termgauge.tasks.pairs.sections.heatmap import heatmap_section
from termgauge.tasks.pairs.sections.measures import measure_section
from termgauge.tasks.pairs.sections.pictured import score_sections
from termgauge.tasks.pairs.sections.scored_pairs import scored_pairs_section
from termgauge.tasks.pairs.sections.scores import SetScores
from termgauge.tasks.pairs.sections.sets import sets_section
from termgauge.tasks.pairs.sections.wrong_pairs import WrongMaterial, telling_sets, wrong_pairs_section

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from termgauge.benchmark.pairset import PairSet
    from termgauge.reporting.blocks import Section
    from termgauge.reporting.set_names import TitledSet
    from termgauge.tasks.pairs.result import PairsResult
    from termgauge.tasks.pairs.sections.standings import Standings


def pair_sections(result: PairsResult) -> Iterator[Section]:
    """Return the sections of a run's scores."""
    comparison, problems = result.compared
    for problem in problems.values():
        warn(problem)
    reading = _Reading(result, result.standings)
    standings = result.standings
    several: list[Section | None] = [
        heatmap_section(standings),
        group_means_section(standings, result.scored.testing.groups),
        *group_sections(standings),
        *score_sections(standings, reading.scores),
        sets_section(standings.sets, result.scored.read_set),
        scored_pairs_section(standings, result.pairs),
        measure_section(standings, comparison.measures),
        wrong_pairs_section(standings, list(reading.wrong())),
    ]
    yield from (section for section in several if section is not None)


@dataclass(frozen=True)
class _Reading:
    """Reads scores for the sections that picture them."""

    result: PairsResult
    standings: Standings

    def scores(self, each: TitledSet, models: Sequence[str]) -> SetScores | None:
        """Read the scores of some models on a labelled set."""
        try:
            pairs, scores = self._shared(each, models)
        except TermgaugeError as error:
            warn_skipped(f"the scores on '{each.id}'", f"The scores on “{each.title}” cannot be shown: {error}")
            return None
        usable = ~np.isnan(next(iter(scores.values()))) if scores else np.zeros(len(pairs), np.bool_)
        if not usable.any():
            return None
        return SetScores(each, truth_of(pairs)[usable] == 1, {model: own[usable] for model, own in scores.items()})

    def _shared(self, each: TitledSet, models: Sequence[str]) -> tuple[PairSet, dict[str, NDArray[np.float64]]]:
        """Return a set and the scores of some models, each by its measure, NaN but on the pairs that all can score.

        The files of the models are read one by one, so that only the scores asked for are in memory together.
        """
        scored = self.result.scored
        pairs = scored.read_set(each.id)
        known: dict[tuple[str, str], NDArray[np.bool_]] = {}
        kept: dict[tuple[str, str], NDArray[np.float64]] = {}
        for model in self.standings.models:
            one = self.standings.of(each, model)
            for name, values in scored.scores(model, each.id).items():
                known[model, name] = ~np.isnan(values)
                if model in models and one is not None and name == one.measure:
                    kept[model, name] = values
        together = taking_part(known, scored.testing.min_coverage)
        usable = np.full(len(pairs), bool(together))
        for system in together:
            usable &= known[system]
        shared = {system[0]: np.where(usable, values, np.nan) for system, values in kept.items() if system in together}
        return pairs, {model: values for model, values in shared.items() if not np.isnan(values).all()}

    def wrong(self) -> Iterator[WrongMaterial]:
        """Yield the sets whose errors are shown, with the scores of all models."""
        for each in telling_sets(self.standings):
            try:
                pairs, scores = self._shared(each, self.standings.models)
            except TermgaugeError as error:
                warn_skipped(f"the errors on '{each.id}'", f"The errors on “{each.title}” cannot be shown: {error}")
                continue
            measures = {model: one.measure for model in scores if (one := self.standings.of(each, model))}
            yield WrongMaterial(each, pairs, scores, measures)
