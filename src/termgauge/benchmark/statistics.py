"""What the paper's Table 2 shows of a set: mean edit distances, and the share of multi-word terms of its Table 1."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from termgauge.benchmark.manifest import Statistics

if TYPE_CHECKING:
    from termgauge.benchmark.pairset import PairSet


def statistics_of(pairs: PairSet | None) -> Statistics:
    """Return the statistics of a set: edit distances of lower-cased terms, words of distinct terms."""
    if pairs is None:
        return Statistics(mean_distance_positives=None, mean_distance_negatives=None, multi_word=None)
    from rapidfuzz import process
    from rapidfuzz.distance import Levenshtein

    terms = [pairs.frame[name].to_list() for name in ("term_1", "term_2")]
    one, two = ([text.lower() for text in texts] for texts in terms)
    distances = process.cpdist(one, two, scorer=Levenshtein.distance, dtype=np.int32, workers=-1)
    positive = pairs.frame["label"].to_numpy() == 1
    distinct = set().union(*terms)
    multiple = sum(len(term.split(None, 1)) > 1 for term in distinct)
    return Statistics(
        mean_distance_positives=_mean(distances[positive]),
        mean_distance_negatives=_mean(distances[~positive]),
        multi_word=round(multiple / len(distinct), 6),
    )


def _mean(values: np.ndarray[Any, Any]) -> float | None:
    return round(float(values.mean()), 6) if len(values) else None
