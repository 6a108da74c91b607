"""A small run whose models know rare words worse, a rated set and a set with labels, and counts of their words."""

from __future__ import annotations

import numpy as np
import polars as pl

import termgauge as tg
from termgauge.benchmark.pairset import PairSet
from tests.engine.toy_models import ToyPairs

PAIRS = 150
RARE, USUAL = range(50), range(50, 150)
RATINGS = np.random.default_rng(5).integers(0, 7, size=(PAIRS, 4)).astype(float)


def counts(folder):
    """Write how often words occur: those of the first 50 pairs 1 to 9 times, of the next 20, of the last 500."""
    values = [3 if at in RARE else 20 if at < 100 else 500 for at in range(PAIRS)]
    rows = "".join(f"A{at}\t{value}\nb{at}\t{value}\n" for at, value in enumerate(values))
    (folder / "counts.tsv").write_text(f"word\tcount\n{rows}")
    return folder / "counts.tsv"


def rated_pairs(name="rated"):
    """Return pairs with ratings of four raters."""
    ratings = pl.DataFrame({f"r{at}": RATINGS[:, at] for at in range(4)})
    frame = pl.DataFrame(
        {
            "term_1": [f"a{at}" for at in range(PAIRS)],
            "term_2": [f"B{at}" for at in range(PAIRS)],
            "score": RATINGS.mean(axis=1),
        }
    )
    return PairSet(name, frame, ratings=ratings)


def labelled_pairs(name="labelled", *, concepts=False):
    """Return pairs with labels, half of them similar."""
    frame = rated_pairs().frame.drop("score").with_columns(label=pl.Series([at % 2 for at in range(PAIRS)]))
    if concepts:
        numbers = [f"c{at // 3}" for at in range(PAIRS)]
        frame = frame.with_columns(concept_1=pl.Series(numbers), concept_2=pl.Series(numbers))
    return PairSet(name, frame)


def truth_of(pairs):
    return pairs.frame[pairs.frame.columns[2]].to_numpy().astype(float)


def model_of(pairs, name="knows", noise=0.3, seed=0, missing=()):
    """Return a model that knows the pairs of frequent words, and of rare ones nothing."""
    generator = np.random.default_rng(seed)
    truth = truth_of(pairs)
    scores = truth + noise * truth.std() * generator.normal(size=PAIRS)
    scores[: len(RARE)] = generator.normal(size=len(RARE))
    scores[list(missing)] = np.nan
    return ToyPairs(name=name, scores=tuple(scores))


def run_of(folder, pairs, *models):
    """Score models on a set."""
    return tg.evaluate([pairs], models or [model_of(pairs)], folder / "run")
