"""Counts of entities in sentences, as networks that are more or less good leave them."""

from __future__ import annotations

import numpy as np


def made_counts(sentences, good, generator):
    """Return what is right, predicted and there in each sentence, of a network that finds a share of the entities."""
    gold = generator.poisson(1.2, sentences)
    return with_gold(gold, good, generator)


def with_gold(gold, good, generator):
    """Return such counts for sentences that are given."""
    right = generator.binomial(gold, good)
    return np.stack([right, right + generator.poisson(0.3, len(gold)), gold], axis=1).astype(np.int32)
