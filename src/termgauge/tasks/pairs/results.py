"""Values of a set, in a tidy table: each model and measure, on its own pairs and on those that all models can score.

Graded sets have Spearman's rho and Pearson's r; binary ones the area under the ROC curve, the accuracy, at the best
threshold and cross-validated, the average precision, and F1 at its best threshold. Intervals allow for pairs that share
concepts where concepts are known, as the comparison does for differences. Systems that are measured on the same
pairs are measured together, so that they share their resamples.
"""

from __future__ import annotations

import json
import math
from collections import deque
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, islice
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from termgauge.benchmark.pairset import read_parquet
from termgauge.exceptions import TermgaugeError, warn
from termgauge.executor import current_executor, in_order
from termgauge.io.atomic import write_text
from termgauge.io.identity import sha256_of_stream, sha256_of_value
from termgauge.progress import track
from termgauge.reporting.words import share
from termgauge.statistics.covariance import Units
from termgauge.statistics.inputs import GRADED
from termgauge.tasks.contract import Testing
from termgauge.tasks.pairs.scored import RESULTS, SCHEMA, scores_in

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from collections.abc import Set as AbstractSet
    from pathlib import Path

    from numpy.typing import NDArray

    from termgauge.benchmark.pairset import PairSet
    from termgauge.executor import JobExecutor
    from termgauge.io.artifacts import Artifact
    from termgauge.tasks.pairs.scored import ScoredSets

OF_GRADED = GRADED
OF_BINARY = ("auc", "accuracy", "accuracy_cv", "ap", "f1")
STATISTICS = (*OF_GRADED, *OF_BINARY, "coverage")
OWN, SHARED = "own", "shared"
_STAMP = "values.json"

_Value = tuple[float, float, float]
_UNDEFINED: _Value = (math.nan, math.nan, math.nan)


def truth_of(pairs: PairSet) -> NDArray[np.float64]:
    """Return the ratings of a graded set, or the labels of a binary one."""
    column = "score" if pairs.graded else "label"
    return pairs.frame[column].cast(pl.Float64).to_numpy()


def guessing(truth: NDArray[np.float64], statistic: str = "accuracy") -> float:
    """Return what guessing gives: of accuracies the share of the more frequent label.

    Of average precision it is the share of similar pairs, and of F1 what calling all pairs similar gives.

    >>> labels = np.array([1.0, 0.0, 0.0, 0.0])
    >>> guessing(labels), guessing(labels, "ap"), guessing(labels, "f1")
    (0.75, 0.25, 0.4)
    """
    positives = float(truth.mean())
    if statistic in ("ap", "f1"):
        return positives if statistic == "ap" else 2 * positives / (1 + positives)
    return max(positives, 1 - positives)


def scored_systems(
    scores: Mapping[tuple[str, str], NDArray[np.float64]], min_coverage: float = 0.0
) -> dict[tuple[str, str], NDArray[np.float64]]:
    """Leave out what scores no pair of a set, or a smaller share than asked for: little would be left to share.

    Where nothing scores that much, all that score any pair stay.
    """
    counts = {system: int(np.count_nonzero(~np.isnan(values))) for system, values in scores.items()}
    enough = [system for system, count in counts.items() if count >= max(1, min_coverage * len(scores[system]))]
    return {system: scores[system] for system in enough or [system for system, count in counts.items() if count]}


def shared_pairs(
    scores: Mapping[tuple[str, str], NDArray[np.float64]], size: int, min_coverage: float = 0.0
) -> NDArray[np.bool_]:
    """Return which pairs every model can score with every measure, those aside that score too few.

    >>> scores = {("a", "cos"): [0.1, 0.2, np.nan], ("b", "cos"): [np.nan] * 3, ("c", "cos"): [0.3, np.nan, 0.1]}
    >>> shared_pairs({system: np.array(values) for system, values in scores.items()}, 3)
    array([ True, False, False])
    """
    scored = scored_systems(scores, min_coverage)
    usable = np.full(size, bool(scored))
    for values in scored.values():
        usable &= ~np.isnan(values)
    return usable


def units_of(pairs: PairSet) -> Units:
    """Return the two units of each pair, as numbers that are the same in all sets: its concepts, or else its terms.

    A pair that lacks a concept has its term in lower case instead.
    """
    return Units(*(_numbers(_texts(pairs, side)) for side in (1, 2)))


def _texts(pairs: PairSet, side: int) -> pl.Series:
    terms = pairs.frame[f"term_{side}"].str.to_lowercase()
    if pairs.concepts is None:
        return terms
    concepts = pairs.concepts[f"concept_{side}"]
    has_concept = concepts.is_not_null() & (concepts != "")
    return ("concept " + concepts.fill_null("")).zip_with(has_concept, terms)


def _numbers(texts: pl.Series) -> NDArray[np.int64]:
    return (texts.hash(seed=0).to_numpy() >> np.uint64(1)).astype(np.int64)


def alone(pairs: int) -> Units:
    """Return the units of pairs that are taken as independent, as published."""
    return Units(np.arange(pairs), np.full(pairs, -1))


def first_concepts(pairs: PairSet) -> NDArray[np.int64] | None:
    """Return a number for the first concept of each pair, in the order in which they appear; None if none is known.

    A pair without one shares it with no other.
    """
    if pairs.concepts is None:
        return None
    numbers: dict[object, int] = {}
    column = pairs.concepts["concept_1"].to_list()
    return np.array([numbers.setdefault(entry or object(), len(numbers)) for entry in column], np.int64)


_System = tuple[str, str]
_Values = dict[tuple[str, _System], dict[str, _Value]]
"""By the pairs used, own or shared, and the system: its values by statistic."""


def set_results(
    pairs: PairSet, scores: Mapping[tuple[str, str], NDArray[np.float64]], testing: Testing | None = None
) -> pl.DataFrame:
    """Return all values of a set from its scores by model and measure, NaN where there is none.

    A value that is undefined is null: on fewer than two pairs, where scores or ratings are all equal (rho), or where
    all pairs have the same label. A model that scores too few pairs of the set has no value on the shared pairs.
    """
    one = _SetValues(pairs, scores, testing or Testing())
    return one.table(one.measured())


@dataclass
class _SetValues:
    """A set whose values are asked for, and how systems score it."""

    pairs: PairSet
    scores: Mapping[_System, NDArray[np.float64]]
    testing: Testing

    @cached_property
    def together(self) -> NDArray[np.bool_]:
        """Which pairs all systems can score that take part."""
        return shared_pairs(self.scores, len(self.pairs), self.testing.min_coverage)

    @cached_property
    def taking_part(self) -> frozenset[_System]:
        """The systems that score enough pairs."""
        return frozenset(scored_systems(self.scores, self.testing.min_coverage))

    def measured(self) -> _Values:
        """Measure all systems."""
        return _values(self.pairs, self.scores, self.together, self.taking_part, self.testing)

    def table(self, values: _Values) -> pl.DataFrame:
        """Put values into rows."""
        from termgauge.statistics.separation import wilson

        rows: list[tuple[object, ...]] = []
        none = dict.fromkeys(OF_GRADED if self.pairs.graded else OF_BINARY, _UNDEFINED)
        for system, scores in self.scores.items():
            scored = ~np.isnan(scores)
            count = int(scored.sum())
            ends = wilson(count, len(scored), self.testing.alpha) if len(scored) else _UNDEFINED[1:]
            covered = (count / len(scored) if len(scored) else math.nan, *ends)
            statistics = [("coverage", covered, len(scored), OWN)]
            for subset, usable in ((OWN, scored), (SHARED, self.together)):
                n = int(usable.sum()) if count and (subset == OWN or system in self.taking_part) else 0
                statistics += [(*item, n, subset) for item in values.get((subset, system), none).items()]
            for statistic, numbers, n, subset in statistics:
                ends_or_none = (None if math.isnan(number) else number for number in numbers)
                rows.append((system[0], self.pairs.id, system[1], statistic, *ends_or_none, n, subset))
        return pl.DataFrame(rows, schema=SCHEMA, orient="row")

    def say_what_is_shared(self) -> None:
        """Tell which models take no part in the shared pairs, or leave none."""
        set_id, least = self.pairs.id, self.testing.min_coverage
        few = {model for model, _measure in self.scores} - {model for model, _measure in self.taking_part}
        if few:
            little = f"less than {share(least)} of its pairs" if least else "no pair of it"
            names = ", ".join(dict.fromkeys(model for model, _measure in self.scores if model in few))
            warn(f"{set_id}: these models score {little} and take no part in the shared pairs: {names}.")
        if self.taking_part and not self.together.any():
            fewest = min(
                (system for system in self.scores if system in self.taking_part),
                key=lambda system: int((~np.isnan(self.scores[system])).sum()),
            )
            warn(
                f"{set_id}: there is no pair that all models can score, so that they cannot be compared on it; "
                f"{fewest[0]} scores the fewest."
            )


def _values(
    pairs: PairSet,
    scores: Mapping[_System, NDArray[np.float64]],
    together: NDArray[np.bool_],
    taking_part: AbstractSet[_System],
    testing: Testing,
) -> _Values:
    """Measure all systems, those of a model together that are measured on the same pairs."""
    robust = testing.tests == "robust"
    units, concepts = units_of(pairs) if robust else alone(len(pairs)), first_concepts(pairs) if robust else None
    truth = truth_of(pairs)
    groups: dict[tuple[bytes, str], tuple[NDArray[np.bool_], dict[_System, list[str]]]] = {}
    for system, values in scored_systems(scores).items():
        for subset, usable in ((OWN, ~np.isnan(values)), *([(SHARED, together)] if system in taking_part else [])):
            # The last digit of a value must not depend on which other models are there.
            groups.setdefault((usable.tobytes(), system[0]), (usable, {}))[1].setdefault(system, []).append(subset)
    measured_values: _Values = {}
    chosen: dict[bytes, Units] = {}
    for (mask, _model), (usable, systems) in groups.items():
        within = chosen.setdefault(mask, units.chosen(usable))
        matrix = np.array([scores[system][usable] for system in systems])
        folds = None if concepts is None else concepts[usable]
        measured = _measured(matrix, truth[usable], within, testing, graded=pairs.graded, concepts=folds)
        for (system, subsets), row in zip(systems.items(), measured, strict=True):
            measured_values |= dict.fromkeys(((subset, system) for subset in subsets), row)
    return measured_values


def _measured(
    matrix: NDArray[np.float64],
    truth: NDArray[np.float64],
    units: Units,
    testing: Testing,
    *,
    graded: bool,
    concepts: NDArray[np.int64] | None,
) -> list[dict[str, _Value]]:
    """Return the values of systems (scores are systems x pairs) on some pairs."""
    from termgauge.statistics.compare import with_intervals
    from termgauge.statistics.published import published_values
    from termgauge.statistics.separation import cross_validated_decisions

    statistics = OF_GRADED if graded else OF_BINARY
    if len(truth) < 2 or len(np.unique(truth)) < 2:
        return [dict.fromkeys(statistics, _UNDEFINED) for _ in matrix]
    columns: dict[str, Sequence[_Value]] = {}
    for statistic in statistics:
        if statistic == "accuracy_cv":
            similar = truth > 0
            decided = (cross_validated_decisions(row, similar, testing.seed, concepts) for row in matrix)
            right = np.array([entry == similar for entry in decided])
            columns[statistic] = with_intervals("mean", right * 1.0, truth, units, testing.alpha, scale="share")
        elif testing.tests == "paper" and statistic in ("accuracy", "spearman"):
            columns[statistic] = published_values(statistic, matrix, truth, testing.alpha, testing.seed)
        else:
            columns[statistic] = with_intervals(statistic, matrix, truth, units, testing.alpha)
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def make_results(scored: ScoredSets) -> pl.DataFrame:
    """Make the values of all sets and models of a run from their scores."""
    results = [pl.DataFrame(schema=SCHEMA)]
    executor = current_executor()
    with track("Making values", total=sum(entry.pairs for entry in scored.sets.values()), unit="pairs") as advance:
        asked = _scored_sets(scored, advance)
        here = ((entry, entry.measured()) for entry in asked)
        for entry, values in here if executor is None else _measured_at(executor, scored, asked):
            results.append(entry.table(values))
            entry.say_what_is_shared()
            advance(len(entry.pairs))
    if len(results) == 1 and scored.sets:
        raise TermgaugeError(
            f"{scored.path}: nothing was scored; see run.json for the models and sets that were named."
        )
    return pl.concat(results)


def _scored_sets(scored: ScoredSets, advance: Callable[[float], None]) -> Iterator[_SetValues]:
    """Read the sets that any model scores, with their scores; tell how many pairs the others have."""
    for set_id, about in scored.sets.items():
        scores = {
            (model, measure): values
            for model in scored.models
            for measure, values in scored.readable_scores(model, set_id, "results").items()
        }
        if scores:
            yield _SetValues(scored.read_set(set_id), scores, scored.testing)
        else:
            advance(about.pairs)


def _measured_at(
    executor: JobExecutor, scored: ScoredSets, asked: Iterable[_SetValues]
) -> Iterator[tuple[_SetValues, _Values]]:
    """Let an executor measure one model on one set in a block; blocks of several sets are under way together."""
    begun: deque[tuple[_SetValues, int]] = deque()

    def blocks() -> Iterator[tuple[Any, ...]]:
        for entry in asked:
            by_model = {model: [system for system in entry.scores if system[0] == model] for model, _ in entry.scores}
            begun.append((entry, len(by_model)))
            pairs, together = executor.artifact(scored.set_file(entry.pairs.id)), np.packbits(entry.together)
            for model, systems in by_model.items():
                scores = executor.artifact(scored.scores_file(model, entry.pairs.id))
                yield pairs, scores, systems, together, entry.taking_part.intersection(systems), entry.testing

    done = in_order(executor.map(measure_block, blocks(), label="values", inputs=lambda *block: block[:2]))
    for first in done:
        entry, count = begun.popleft()
        yield entry, dict(chain.from_iterable(part.items() for part in (first, *islice(done, count - 1))))


def measure_block(
    pairs: Artifact,
    scores: Artifact,
    systems: Sequence[_System],
    together: NDArray[np.uint8],
    taking_part: AbstractSet[_System],
    testing: Testing,
) -> _Values:
    """Measure some systems of one model from the files of a set and of the model's scores.

    Which pairs all models can score is given as packed bits.
    """
    pair_set, by_measure = read_parquet(pairs.here), scores_in(scores.here)
    usable = np.unpackbits(together, count=len(pair_set)).astype(np.bool_)
    return _values(pair_set, {system: by_measure[system[1]] for system in systems}, usable, taking_part, testing)


def update_results(scored: ScoredSets) -> pl.DataFrame:
    """Return the values of a run; make and write them if they are not there or out of date."""
    made_from = [{name: entry.model_dump() for name, entry in part.items()} for part in (scored.sets, scored.models)]
    testing = scored.testing.model_dump(include={"alpha", "seed", "tests", "min_coverage"})
    scores = [scored.scores_file(model, name) for model in scored.models for name in scored.sets]
    inputs = sha256_of_value([STATISTICS, made_from, scored.measures, testing, _hashes(scored, scores)])
    stamp, files = scored.path / "scores" / _STAMP, [scored.path / f"{RESULTS}.{kind}" for kind in ("csv", "parquet")]
    try:
        up_to_date = json.loads(stamp.read_bytes()) == {"inputs": inputs, "files": _hashes(scored, files)}
    except (OSError, ValueError):
        up_to_date = False
    if not up_to_date:
        stamp.unlink(missing_ok=True)
        scored.write_results(make_results(scored))
        write_text(stamp, json.dumps({"inputs": inputs, "files": _hashes(scored, files)}) + "\n")
    return scored.results()


def _hashes(scored: ScoredSets, files: Iterable[Path]) -> dict[str, str | None]:
    """Return what is in files of a run, None for one that is not there or cannot be read."""
    hashes = dict.fromkeys(file.relative_to(scored.path).as_posix() for file in files)
    for name in hashes:
        with suppress(OSError), (scored.path / name).open("rb") as stream:
            hashes[name] = sha256_of_stream(stream)
    return hashes
