"""Stands in for a network where torch is not installed: a token gets the tags of those whose vectors are nearest.

It is quick, it learns from vectors alone, and a seed changes a little: enough for all that is done with trials.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from termgauge.tasks.ner import measure
from termgauge.tasks.ner.task import NerTask
from termgauge.tasks.ner.training import EpochRecord, Trial

CORPUS = Path(__file__).parent / "corpus_of_words"
"""A corpus of the words w0 to w23; most of the first eight are drugs, most of the next eight are diseases."""
trained: list[tuple[str, str, int]] = []
"""Model, corpus and seed of each trial, as they were trained."""


def train(corpus, vectors, settings, seeds, device):
    """Return trials as `termgauge.tasks.ner.training.train` does."""
    assert device == "cpu"
    rows = np.nan_to_num(vectors.rows)
    known, asked = (rows[vectors.rows_of(part.tokens)] for part in (corpus.train, corpus.test))
    trials = []
    for seed in seeds:
        trained.append((vectors.model, corpus.name, seed))
        drawn = np.random.default_rng(seed).normal(0, 0.05, asked.shape)
        scores = np.full((len(asked), len(corpus.tags)), -30.0)
        for tag in np.unique(corpus.train.tags):
            own = known[corpus.train.tags == tag]
            scores[:, tag] = -10 * ((asked + drawn)[:, None, :] - own[None]).__pow__(2).sum(axis=2).min(axis=1)
        scores -= np.log(np.exp(scores).sum(axis=1, keepdims=True))
        curve = [
            EpochRecord(loss=1 / (epoch + 1), seconds=0.01, devel_f=0.5 + epoch / 100 if corpus.devel else None)
            for epoch in range(settings.epochs)
        ]
        trials.append(Trial(seed, scores.astype(np.float32), curve))
    return trials


def use_stand_in(monkeypatch):
    """Let it stand in, and return the trials that are trained from now on."""
    monkeypatch.setattr(measure, "train", train)
    monkeypatch.setattr(measure, "_device", lambda _device: "cpu")
    monkeypatch.setattr(NerTask, "check_libraries", lambda _task, _options: None)
    trained.clear()
    return trained
