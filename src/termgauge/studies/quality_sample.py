"""A blind sample of a benchmark: so many positives and negatives of each set, mixed; the key is a table of its own.

The same seed draws the same sample. A pair that is drawn from two sets is asked twice.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import TYPE_CHECKING

from termgauge.exceptions import TermgaugeError, left_out

if TYPE_CHECKING:
    from collections.abc import Iterable

    import polars as pl

    from termgauge.benchmark.pairset import PairSet

PER_LABEL = 30
KEY_COLUMNS = ("row", "set", "line", "label")


@dataclass(frozen=True, eq=False)
class QualitySample:
    """What raters are asked, and what the benchmark says about it."""

    sheet: pl.DataFrame
    """``row`` (from 1), ``term1``, ``term2`` and an empty ``answer``."""
    key: pl.DataFrame
    """``row``, ``set``, ``line`` (of the set, from 1) and ``label``; raters never see it."""


def quality_sample(sets: Iterable[PairSet], seed: int, per_label: int = PER_LABEL) -> QualitySample:
    """Draw positives and negatives of each set, all of them where there are fewer, and mix them.

    Parameters
    ----------
    sets
        Sets with labels, in the order of the benchmark.
    seed
        Seed for all random choices.
    per_label
        How many positives, and how many negatives, are drawn from each set.
    """
    import polars as pl

    rng = random.Random(seed)  # noqa: S311
    drawn: list[tuple[str, int, int, str, str]] = []
    for pairs in sets:
        if pairs.graded:
            raise TermgaugeError(
                f"The set '{pairs.id}' has ratings and no labels, so that there is nothing to check with a quality "
                "study; name a benchmark, or ask for --kind similarity."
            )
        labels = pairs.frame["label"].to_list()
        terms = list(zip(pairs.frame["term_1"], pairs.frame["term_2"], strict=True))
        for label in (1, 0):
            lines = [line for line, each in enumerate(labels, 1) if each == label]
            if len(lines) < per_label:
                name = "positives" if label else "negatives"
                left_out(
                    f"{per_label - len(lines)} {name} of '{pairs.id}'",
                    f"The set '{pairs.id}' has only {len(lines):,} {name} instead of {per_label:,}; all are taken.",
                )
            chosen = sorted(rng.sample(lines, min(per_label, len(lines))))
            drawn += [(pairs.id, line, label, *terms[line - 1]) for line in chosen]
    rng.shuffle(drawn)
    columns = list(zip(*drawn, strict=True))
    rows = list(range(1, len(drawn) + 1))
    key = pl.DataFrame([rows, *columns[:3]], schema=KEY_COLUMNS)
    sheet = pl.DataFrame([rows, *columns[3:], [""] * len(rows)], schema=["row", "term1", "term2", "answer"])
    return QualitySample(sheet, key)
