"""A small terminology whose links can be told by hand, and models of it."""

from __future__ import annotations

from functools import cache

import numpy as np

import termgauge as tg
from termgauge.tasks.linking.questions import questions_of
from termgauge.tasks.linking.task import LinkingOptions
from tests.domain.tables import Words
from tests.domain.terminologies import terminology_of

LABELS = {
    "c3": ["Heart attack", "Cardiac infarction", "MI"],
    "c1": ["Fever", "raised temperature", "Pyrexia"],
    "c2": ["Cold", "Common cold", "chill"],
    "c4": ["Chills", "Chill", "Rigor"],
    "c5": ["Disease"],
}
EDGES = [("c3", "is_a", "c5"), ("c1", "is_a", "c5"), ("c2", "is_a", "c5"), ("c4", "is_a", "c1")]
WORDS = ["heart", "attack", "cardiac", "infarction", "fever", "pyrexia", "cold", "common", "chill", "chills", "disease"]


def terminology():
    """Return five concepts: one with one name, two that share a synonym."""
    return terminology_of(LABELS, EDGES)


def questions(**options):
    """Return what is asked of it."""
    return questions_of(terminology(), LinkingOptions.of(**options), 42)


def model(name="words"):
    """Return vectors of some of its words: one for each thing that is meant, nearly."""
    meant = [0, 0, 0, 0, 1, 1, 2, 2, 3, 3, 4]
    vectors = np.eye(5)[meant] + 0.1 * np.random.default_rng(0).normal(size=(len(WORDS), 5))
    return Words(WORDS, vectors, name=name)


@cache
def read_once(path):
    """Return a large terminology, which many tests share."""
    return tg.read_terminology(path, cache=False)
