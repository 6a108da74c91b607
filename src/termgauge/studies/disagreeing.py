"""Pairs on which models disagree, out of a run: where people's ratings tell most about which model is right.

Models use their scales differently, so their scores are compared by their ranks.
"""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

from termgauge.exceptions import TermgaugeError, left_out
from termgauge.plurals import numbered

if TYPE_CHECKING:
    import polars as pl

    from termgauge.benchmark.pairset import PairSet
    from termgauge.tasks.pairs.scored import ScoredSets

TERMS = ["term_1", "term_2"]
PAIRS = 200
"""How many pairs are taken if nothing else is said."""


def disagreeing_pairs(run: ScoredSets, wanted: int, seed: int) -> PairSet:
    """Return the pairs of a run on which its models disagree most, in the order of the run.

    Each model ranks all pairs that every model scores, by the measure that stands for it. The score of a pair in the
    set that is returned is the standard deviation of its ranks, as a share of all ranks.

    Parameters
    ----------
    run
        Scores of at least two models.
    wanted
        How many pairs to take; all, and a note, if there are fewer.
    seed
        Decides which pairs are taken where models disagree equally.
    """
    import numpy as np
    import polars as pl

    from termgauge.benchmark.pairset import PairSet
    from termgauge.statistics.correlation import average_ranks

    scored = pl.concat([_scores_of(run, name) for name in run.sets], how="diagonal") if run.sets else pl.DataFrame()
    models = {at: name for at, name in enumerate(run.models) if str(at) in scored.columns and scored[str(at)].count()}
    if len(models) < 2:
        raise TermgaugeError(
            f"{run.path}: has scores of {numbered(len(models), 'model')}, and only two or more can "
            "disagree; score another one with termgauge evaluate."
        )
    same = pl.concat_list(TERMS).list.sort()
    known = scored.drop_nulls([str(at) for at in models]).unique(same, keep="first", maintain_order=True)
    if not known.height:
        raise TermgaugeError(
            f"{run.path}: no pair has a score by all of {', '.join(models.values())}; score them anew without one."
        )
    if known.height < wanted:
        why = f"Only {known.height:,} pairs of {run.path} have a score by all {len(models)} models; all are taken."
        left_out(f"{wanted - known.height:,} of {wanted:,} pairs", why)
    ranks = np.array([average_ranks(known[str(at)].to_numpy()) for at in models])
    spread = (np.std(ranks, axis=0) / known.height).round(12)
    order = list(range(known.height))
    random.Random(seed).shuffle(order)  # noqa: S311
    chosen = sorted(sorted(order, key=lambda at: -spread[at])[:wanted])
    pairs = known.select(*TERMS, score=pl.Series(spread))[chosen]
    return PairSet(f"pairs of {run.path.name} on which {len(models)} models disagree", pairs)


def _scores_of(run: ScoredSets, name: str) -> pl.DataFrame:
    """Return the pairs of a set with a column for each model, which is called by the number of the model."""
    import polars as pl

    from termgauge.similarity.measures import default_measure

    columns = []
    for at, (model, about) in enumerate(run.models.items()):
        scores = run.readable_scores(model, name, "study")
        if (measure := default_measure(scores, about.kind, run.testing.measure)) is not None:
            columns.append(pl.Series(str(at), scores[measure]).fill_nan(None))
    return run.read_set(name).frame.select(TERMS).with_columns(columns)
