"""Scores of models that were not measured: as a table, and as what tasks of a run found."""

from __future__ import annotations

from types import SimpleNamespace

from termgauge.tasks.prediction.correlate import predict
from termgauge.tasks.prediction.scores import Scores
from termgauge.tasks.registry import LoadedResult
from termgauge.tasks.results import Result, Value

MODELS = ["Attention", "SSG", "SG", "CBOW", "Dependency", "PubMed-w2v", "BioASQ"]
INTRINSIC = {
    "umnsrs": [0.5551, 0.552, 0.6271, 0.5348, 0.4622, 0.549, 0.5893],
    "simlex": [0.7155, 0.7181, 0.7151, 0.702, 0.7436, 0.6984, 0.6982],
}
EXTRINSIC = {
    "anatem": [80.49, 81.3, 81.32, 80.3, 82.4, 81.1, 53.34],
    "jnlpba": [62.3, 63.78, 65.16, 61.9, 65.01, 64.86, 50.51],
}


def scores(models=MODELS, intrinsic=None, extrinsic=None, **more):
    """Return scores; None stands for one that is missing."""
    sides = [
        {
            name: {model: value for model, value in zip(models, values, strict=False) if value is not None}
            for name, values in columns.items()
        }
        for columns in (intrinsic or INTRINSIC, extrinsic or EXTRINSIC)
    ]
    return Scores(label="made", models=list(models), intrinsic=sides[0], extrinsic=sides[1], **more)


def result(alpha=0.05, correction="none", **given):
    """Return what is found on such scores."""
    return predict(scores(**given), alpha=alpha, correction=correction)


class MadeResult(Result):
    """Values that a task is said to have found."""

    made: list[Value]

    def values(self):
        yield from self.made


def found_of(task, name, *values, repeated=True):
    """Return what a task found in a run."""
    return LoadedResult(SimpleNamespace(name=task, repeated=repeated), name, MadeResult(made=list(values)))
