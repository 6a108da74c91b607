"""All sets of a run in bands of a property; a set that cannot be divided is passed over, and it is said why."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from termgauge.exceptions import TermgaugeError, warn
from termgauge.progress import track
from termgauge.tasks.subsets.measure import chosen_models, measured_set, scored_set
from termgauge.tasks.subsets.properties import property_of
from termgauge.tasks.subsets.result import SubsetsResult

if TYPE_CHECKING:
    from termgauge.benchmark.pairset import PairSet
    from termgauge.tasks.pairs.scored import ScoredSets
    from termgauge.tasks.subsets.task import SubsetOptions
    from termgauge.terminology.model import Terminology


def divided_sets(scored: ScoredSets, options: SubsetOptions, terminology: Terminology | None) -> SubsetsResult:
    """Divide the sets that options name, or all that can be divided."""
    models = chosen_models(scored, options.only_models)
    names = list(options.sets) or list(scored.sets)
    if not names:
        raise TermgaugeError(f"{scored.path}: has no sets to divide; add some with termgauge evaluate.")
    found = property_of(options, terminology)
    sets, skipped = {}, {}
    with track("Dividing sets", total=sum(scored.sets[name].pairs for name in names), unit="pairs") as advance:
        for name in names:
            try:
                pairs = _with_ratings(scored, name, options.ratings)
                own = scored_set(scored, name, pairs, models, options.statistic)
                sets[name] = measured_set(found, own, options.bands)
            except TermgaugeError as error:
                if options.sets or len(names) == 1:
                    raise
                skipped[name] = str(error)
            advance(scored.sets[name].pairs)
    if not sets:
        raise TermgaugeError(f"{scored.path}: none of its sets can be divided. {next(iter(skipped.values()))}")
    if skipped:
        warn(f"Sets that cannot be divided are left out: {', '.join(skipped)}. {next(iter(skipped.values()))}")
    testing = scored.testing
    return SubsetsResult(sets=sets, alpha=testing.alpha, correction=testing.correction, skipped=skipped)


def _with_ratings(scored: ScoredSets, name: str, table: str | None) -> PairSet:
    """Return a set with what raters said: by the table that is named, else as the run keeps it."""
    from termgauge.benchmark.rating_matrix import ratings_of

    pairs = scored.read_set(name)
    if not pairs.graded:
        return pairs
    if table is None:
        return replace(pairs, ratings=scored.ratings(name))
    return replace(
        pairs, ratings=ratings_of(table, {each: pairs.frame[each].to_list() for each in ("term_1", "term_2")})
    )
