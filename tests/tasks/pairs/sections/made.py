"""Hand-made findings: values and significant differences as a test says them."""

from __future__ import annotations

import math

import numpy as np
import polars as pl

from termgauge.statistics.bootstrap import Value
from termgauge.statistics.significance import Comparison
from termgauge.tasks.pairs.compare import RunComparison, SetComparison
from termgauge.tasks.pairs.scored import SCHEMA
from termgauge.tasks.pairs.sections.curves import SetScores
from termgauge.tasks.pairs.sections.standings import standings
from termgauge.tasks.records import ModelRecord

HARD = "hp/fsn-syn/hard/levenshtein"
EASY = "hp/fsn-syn/easy/levenshtein"
RANDOM = "hp/fsn-syn/easy/random"
HUMAN = "human/umnsrs-sim"
MODELS = {
    "good": ModelRecord(kind="terms", scheme="onnx"),
    "fair": ModelRecord(kind="terms", scheme="onnx"),
    "edit": ModelRecord(kind="terms", scheme="baseline:levenshtein"),
}


def comparison_of(values, beats, statistic, n=100):
    """Make a comparison; `beats` names pairs (better, worse) of models whose difference is significant."""
    names = list(values)
    estimates = np.array([math.nan if value is None else value for value in values.values()])
    significant = np.zeros((len(names), len(names)), bool)
    for better, worse in beats:
        one, other = names.index(better), names.index(worse)
        assert values[better] > values[worse]
        significant[one, other] = significant[other, one] = True
    blank = np.full(significant.shape, math.nan)
    return Comparison(
        statistic=statistic,
        test={"spearman": "BCa bootstrap", "accuracy": "McNemar", "auc": "DeLong"}[statistic],
        names=tuple(names),
        values=tuple(Value(value, value - 0.05, value + 0.05) for value in estimates.tolist()),
        n=n,
        alpha=0.05,
        correction="bonferroni",
        comparisons=math.comb(len(names), 2),
        level=0.05,
        resamples=0,
        differences=estimates[:, None] - estimates[None, :],
        lows=blank,
        highs=blank,
        p_values=blank,
        adjusted_p=np.where(significant, 0.001, 1.0),
        open=np.zeros_like(significant),
    )


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
            test = comparison_of(valued, beats, statistic, n)
            compared.append(SetComparison(name, measures, test, detectable, None if graded else guessing))
    frame = pl.DataFrame(rows, schema=SCHEMA, orient="row")
    used = {model: known[model] for values, _ in sets.values() for model in values}
    return standings(frame, used, {}, RunComparison("run", tuple(compared), ()))


def scores_of(found, name, size=400, seed=0):
    """Draw scores of all models on a labelled set, of which every other pair is positive."""
    generator = np.random.default_rng(seed)
    labels = np.arange(size) % 2 == 0
    each = next(one for one in found.sets if one.id == name)
    return SetScores(each, labels, {model: generator.normal(labels * 1.0, 0.7) for model in found.models})
