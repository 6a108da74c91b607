"""The most confident wrong pairs of a model on a set: where to look for the reasons of a result.

On a binary set a pair is wrong at the model's best threshold, and the farther from it the more confident. On a graded
set pairs are ordered by how far their rank by the model's score is from their rank by people's ratings.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields
from typing import TYPE_CHECKING, Any

import numpy as np

from termgauge.display import Showing, shortened
from termgauge.exceptions import TermgaugeError, did_you_mean
from termgauge.statistics.correlation import average_ranks
from termgauge.statistics.separation import best_accuracy
from termgauge.tasks.pairs.results import truth_of

if TYPE_CHECKING:
    import polars as pl
    from numpy.typing import NDArray

    from termgauge.benchmark.pairset import PairSet
    from termgauge.reporting.blocks import Section

FALSE_POSITIVE, FALSE_NEGATIVE = "false positive", "false negative"
TOO_HIGH, TOO_LOW = "too high", "too low"


@dataclass(frozen=True)
class WrongPair:
    """A pair that a model gets wrong."""

    row: int
    """Its row in the set, from 1."""
    term_1: str
    term_2: str
    truth: float
    """Its rating, or its label."""
    score: float
    error: str
    """``false positive`` or ``false negative``; of graded sets, ``too high`` or ``too low``."""
    size: float
    """How far the score is from the threshold; of graded sets, how many ranks it is off, as a share of all ranks."""


@dataclass(frozen=True, repr=False)
class WorstPairs(Showing):
    """The most confident wrong pairs of a model on a set, the worst first."""

    model: str
    set: str
    measure: str
    threshold: float | None
    """Pairs that score at least this are called similar; None for graded sets."""
    scored: int
    """Pairs that the model can score."""
    wrong: int
    """How many of them it gets wrong; of graded sets, whose rank is off at all."""
    pairs: tuple[WrongPair, ...]

    def _shown(self) -> Section:
        from termgauge.tasks.pairs.sections.errors import worst_section

        return worst_section(self)

    def _brief(self) -> str:
        return (
            f"worst pairs of '{shortened(self.model, 25)}' on '{shortened(self.set, 25)}' by {self.measure}: "
            f"{len(self.pairs):,} shown, {self.wrong:,} of {self.scored:,} wrong"
        )

    def to_frame(self) -> pl.DataFrame:
        """Return a row for each pair, the worst first."""
        import polars as pl

        text, number = pl.String, pl.Float64
        kinds = (pl.Int64, text, text, number, number, text, number)
        schema = {entry.name: kind for entry, kind in zip(fields(WrongPair), kinds, strict=True)}
        return pl.DataFrame([asdict(pair) for pair in self.pairs], schema=schema)

    def as_dict(self) -> dict[str, Any]:
        """Return it as JSON-like values."""
        return {**asdict(self), "pairs": [asdict(pair) for pair in self.pairs]}


def kinds_of(pairs: PairSet) -> tuple[str, str]:
    """Return what scores that are too high, and those that are too low, are called."""
    return (TOO_HIGH, TOO_LOW) if pairs.graded else (FALSE_POSITIVE, FALSE_NEGATIVE)


def wrongness(
    scores: NDArray[np.float64], truth: NDArray[np.float64], *, graded: bool
) -> tuple[NDArray[np.bool_], NDArray[np.bool_], NDArray[np.float64], float | None]:
    """Return which pairs are wrong, whether their scores are too high, how wrong each is, and the threshold."""
    if graded:
        off = average_ranks(scores) - average_ranks(truth)
        return off != 0, off > 0, np.abs(off / max(1, len(scores) - 1)), None
    best = best_accuracy(scores, truth)
    threshold, too_high = best.thresholds[0], best.decisions
    wrong = too_high != (truth == 1)
    return wrong, too_high, np.where(wrong, np.abs(scores - threshold), 0.0), threshold


def worst_pairs(
    pairs: PairSet, scores: NDArray[np.float64], *, model: str, measure: str, n: int = 20, only: str | None = None
) -> WorstPairs:
    """Return the most confident wrong pairs of a set, the worst first; equally bad ones in the order of the set."""
    if n < 1:
        raise TermgaugeError(f"The number of pairs to show is at least 1, not {n}.")
    kinds = kinds_of(pairs)
    wanted = only.replace("-", " ") if only is not None else ""
    if wanted not in ("", *kinds):
        raise TermgaugeError(
            f"The errors on '{pairs.id}' are '{kinds[0]}' or '{kinds[1]}', not '{only}'.{did_you_mean(wanted, kinds)}"
        )
    usable = np.flatnonzero(~np.isnan(scores))
    if not len(usable):
        raise TermgaugeError(f"'{model}' can score no pair of '{pairs.id}', so that none of its scores is wrong.")
    values, truth = scores[usable], truth_of(pairs)[usable]
    wrong, too_high, sizes, threshold = wrongness(values, truth, graded=pairs.graded)
    shown = wrong & (too_high == (wanted == kinds[0])) if wanted else wrong
    worst = np.flatnonzero(shown)[np.argsort(-sizes[shown], kind="stable")][:n].tolist()
    terms = pairs.frame.select("term_1", "term_2")[usable[worst]].iter_rows()
    return WorstPairs(
        model=model,
        set=pairs.id,
        measure=measure,
        threshold=threshold,
        scored=len(usable),
        wrong=int(wrong.sum()),
        pairs=tuple(
            WrongPair(
                row=int(usable[pair]) + 1,
                term_1=one,
                term_2=two,
                truth=float(truth[pair]),
                score=float(values[pair]),
                error=kinds[0 if too_high[pair] else 1],
                size=float(sizes[pair]),
            )
            for pair, (one, two) in zip(worst, terms, strict=True)
        ),
    )
