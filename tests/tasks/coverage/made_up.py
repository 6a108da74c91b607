"""Made-up models of a made-up domain, for what is made of their coverage."""

from __future__ import annotations

import numpy as np

import termgauge as tg
from termgauge.domain.domain import Domain
from termgauge.domain.seeds import listed_concepts
from termgauge.tasks.coverage.result import cover
from tests.domain.tables import Words
from tests.domain.terminologies import terminology_of
from tests.engine.toy_models import ToyTerms

NAMES = [f"w{place}" for place in range(60)]


def covered(seed=0, seeds=60, share=0.8):
    """Return what some model covers of 60 seeds, of which it knows a share."""
    rng = np.random.default_rng(seed)
    names = [f"w{place}" for place in range(200)]
    terminology = terminology_of({f"c{place}": [names[place]] for place in range(200)})
    kept = [name if rng.random() < share else f"not {name}" for name in names]
    model = Words(kept, rng.normal(size=(200, 5)) + np.arange(200)[:, None] * 0.01, name=f"m{seed}")
    return cover(model, terminology, Domain(tuple(f"c{place}" for place in range(seeds))), ks=[5, 10])


def words(name, known, seed=0):
    """Return a model that knows the first so many words."""
    return Words(NAMES[:known], np.random.default_rng(seed).normal(size=(known, 4)), name=name)


def result_of(models, k=(5, 10)):
    """Return how models cover thirty concepts."""
    terminology = terminology_of({f"c{place}": [f"w{place}"] for place in range(60)})
    domain = listed_concepts(terminology, [f"c{place}" for place in range(30)])
    return tg.coverage(terminology, models, domain=domain, k=list(k))


def three_models():
    """Return how three models cover them: one knows half, one knows all, one is an encoder."""
    return result_of([words("half", 15), words("full", 60), ToyTerms()])
