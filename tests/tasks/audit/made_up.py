"""A small terminology with an error of each kind, and models that see what they are told to see."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl

from termgauge.embeddings.model import ModelIdentity
from termgauge.tasks.contract import Material
from termgauge.terminology.model import conform
from tests.domain.terminologies import terminology_of

ORGANS = ("kidney", "liver", "heart", "lung", "spleen", "brain", "skin", "stomach")
LABELS = {
    "root": ["All"],
    **{f"o{at}": [f"Disease of {organ}", f"{organ.capitalize()} disease"] for at, organ in enumerate(ORGANS)},
    **{f"t{at}": [f"Tumor of {organ}", f"{organ.capitalize()} neoplasm"] for at, organ in enumerate(ORGANS)},
    "m1": ["Short metacarpal", "Hypoplastic metacarpal"],
    "m2": ["Short hand bones", "Hypoplastic metacarpals"],
    "x1": ["Raised temperature", "Fever", "Broken femur"],  # the last belongs to x2
    "x2": ["Fracture of femur", "Femur fracture"],
}
EDGES = [(concept, "is_a", "root") for concept in LABELS if concept != "root" and concept[0] in "ot"]
RETIRED = {"r1": "Lung tumor", "r2": "Disease of heart muscle", "r3": "Illness of skin", "r4": "Femur fractures"}
REPLACEMENTS = [("r2", "o2", "replaced-by"), ("r3", "m1", "replaced-by"), ("r3", "nowhere", "same-as")]


def terminology(labels=LABELS, edges=EDGES, retired=RETIRED, replacements=REPLACEMENTS):
    """Return a terminology with retired concepts and replacements."""
    made = terminology_of({**labels, **{concept: [name] for concept, name in retired.items()}}, edges)
    active = ~pl.col("concept").is_in(list(retired))
    rows = pl.DataFrame(list(replacements), schema=["old", "new", "reason"], orient="row")
    return replace(
        made,
        concepts=made.concepts.with_columns(active=active),
        replacements=conform(rows if rows.height else pl.DataFrame(), "replacements"),
    )


class Terms:
    """A vector for a term: the sum of those of its stems, which are drawn once for all; synonyms have one stem."""

    kind = "terms"
    source = "made up"
    dimension = 24

    def __init__(self, name="terms", seed=1, unknown=(), same=()):
        self.name, self.seed, self.unknown = name, seed, set(unknown)
        self.same = {word: group[0] for group in same for word in group}
        self.identity = ModelIdentity("terms", "made up", name, options=(("seed", str(seed)),))

    def vector(self, word):
        stem = self.same.get(word, word).removesuffix("s")[:5]
        return np.random.default_rng([self.seed, *stem.encode()]).normal(size=self.dimension)

    def encode(self, terms):
        rows = [
            sum((self.vector(word) for word in text.lower().split() if word != "of"), np.zeros(self.dimension))
            for text in terms
        ]
        vectors = np.array(rows, np.float32).reshape(-1, self.dimension)
        vectors[[text in self.unknown for text in terms]] = np.nan
        return vectors


class Letters:
    """A similarity of pairs alone: the letters that two terms share."""

    kind = "pairs"
    name = "letters"
    source = "made up"
    identity = ModelIdentity("pairs", "letters")

    def score(self, first, second, corpus=None):
        assert corpus is not None
        sets = [(set(one.lower()), set(two.lower())) for one, two in zip(first, second, strict=True)]
        return np.array([len(one & two) / len(one | two) for one, two in sets], np.float64)


SAME = (("tumor", "neoplasm"), ("fracture", "broken"), ("fever", "raised"), ("disease", "illness"))


def models():
    """Return two models of terms and one of pairs."""
    return {each.name: each for each in (Terms("one", 1, same=SAME), Terms("two", 2, same=SAME), Letters())}


def audited(known=None, source=None, **options):
    """Audit a terminology with some models."""
    from termgauge.tasks.audit.task import TASK

    own = models() if known is None else known
    chosen = TASK.options.of(**options)
    material = Material(
        terminology=source or terminology(), models={name: lambda it=it: it for name, it in own.items()}
    )
    inputs = TASK.inputs(chosen, material)
    return TASK.combine({name: TASK.measure(it, inputs, chosen) for name, it in own.items()}, inputs, chosen)
