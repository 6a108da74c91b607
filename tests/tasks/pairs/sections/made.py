"""Hand-made findings: values and significant differences as a test says them."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import polars as pl

from termgauge.benchmark.pairset import PairSet
from termgauge.statistics.comparison import Comparison, Difference, Estimate, Joint, Ranked, SetComparison
from termgauge.tasks.contract import Testing
from termgauge.tasks.pairs.compare import ComparedSet, RunComparison
from termgauge.tasks.pairs.scored import SCHEMA
from termgauge.tasks.pairs.sections.standings import standings
from termgauge.tasks.records import ModelRecord, SetRecord

HARD = "hp/fsn-syn/hard/levenshtein"
EASY = "hp/fsn-syn/easy/levenshtein"
RANDOM = "hp/fsn-syn/easy/random"
HUMAN = "human/umnsrs-sim"
MODELS = {
    "good": ModelRecord(kind="terms", scheme="onnx"),
    "fair": ModelRecord(kind="terms", scheme="onnx"),
    "edit": ModelRecord(kind="terms", scheme="baseline:levenshtein"),
}


def comparison_of(name, values, beats, statistic, n=100, detectable=None):
    """Make a comparison; `beats` names pairs (better, worse) of models whose difference is significant."""
    known = {model: math.nan if value is None else value for model, value in values.items()}
    assert all(known[better] > known[worse] for better, worse in beats)
    differences = [
        Difference(
            one, other, known[one] - known[other], math.nan, math.nan, math.nan,
            0.001 if (both := (one, other) in beats or (other, one) in beats) else 1.0, both,
            math.nan if detectable is None else detectable,
        )
        for one, other in combinations(known, 2)
    ]  # fmt: skip
    estimates = [Estimate(model, value, value - 0.05, value + 0.05, n, n, 1.0, True) for model, value in known.items()]
    test = "the jackknife over units"
    return SetComparison(name, statistic, test, n, n, tuple(estimates), tuple(differences))


def run_comparison_of(compared, measures=()):
    """Make the comparison of a run from those of its sets; the verdict is over the first."""
    first = compared[0].comparison if compared else None
    ranking = () if first is None else tuple(
        Ranked(model, first.by_model[model].value, 0.1, 0.9, at, at, 1, True, 1.0)
        for at, model in enumerate(first.ranking, 1)
    )  # fmt: skip
    main = first and Joint("", "auc", "AUC", (first.set,), (), 0.02, first.differences, ranking)
    whole = Comparison(0.05, "holm", "set", 0.02, tuple(each.comparison for each in compared), main)
    return RunComparison("run", whole, tuple(compared), tuple(measures))


def found_of(sets, models=None, *, coverage=None, uncompared=(), n=100, apart=(), detectable=None, guessing=0.5):
    """Make standings from ``{set: ({model: value}, [(better, worse), …])}``.

    Models that are `apart` have values on their own pairs alone.
    """
    known = models or MODELS
    rows, compared = [], []
    for name, (values, beats) in sets.items():
        graded = name.startswith("human/") or name.endswith("graded")
        statistic = "spearman" if graded else "accuracy"
        for model, value in values.items():
            measure = "similarity" if known[model].kind == "pairs" else "cos"
            row = {"model": model, "set": name, "measure": measure}
            share = (coverage or {}).get(model, 1.0)
            rows.append(
                row | {"statistic": "coverage", "value": share, "low": 0.0, "high": 1.0, "n": n, "subset": "own"}
            )
            for subset in ("own", "shared"):
                for each in (statistic,) if graded else ("auc", "accuracy", "accuracy_cv"):
                    there = value is not None and not (subset == "shared" and model in apart)
                    found = (value, value - 0.05, value + 0.05) if there else (None, None, None)
                    row |= dict(zip(("value", "low", "high"), found, strict=True))
                    used = any(some is not None for some in values.values()) and not (
                        subset == "shared" and model in apart
                    )
                    rows.append(row | {"statistic": each, "subset": subset, "n": n if used else 0})
        valued = {model: value for model, value in values.items() if value is not None and model not in apart}
        if name not in uncompared and valued:
            measures = {model: "similarity" if known[model].kind == "pairs" else "cos" for model in valued}
            test = comparison_of(name, valued, beats, statistic, n, detectable)
            compared.append(ComparedSet(name, measures, test, None if graded else guessing))
    frame = pl.DataFrame(rows, schema=SCHEMA, orient="row")
    used = {model: known[model] for values, _ in sets.values() for model in values}
    return standings(frame, used, {}, run_comparison_of(compared), Testing(statistic="accuracy"))


def sized(sizes):
    """Return records of sets with so many pairs."""
    return {name: SetRecord(sha256="", pairs=pairs) for name, pairs in sizes.items()}


def scores_of(found, name, size=400, *, similar=False):
    """Draw scores of all models on a labelled set, of which every other pair is positive, or every one."""
    generator = np.random.default_rng(0)
    labels = (np.arange(size) % 2 == 0) | similar
    terms = [f"t{at}" for at in range(size)]
    pairs = PairSet(name, pl.DataFrame({"term_1": terms, "term_2": terms[::-1], "label": labels.astype(int)}))
    return pairs, {model: generator.normal(labels * 1.0, 0.7) for model in found.models}
