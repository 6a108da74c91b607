"""One page from several runs: models that were scored on the same sets, whoever scored them, side by side.

Sets are the same if their pairs are, by hash; models are the same if their identities are. Every run keeps its scores,
so all models of all runs are measured anew on the pairs that all of them score, and tested against each other. One set
at a time is in memory.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from termgauge.engine.leaderboard_document import BoardModel, BoardSet, Leaderboard, Source, TaskValues
from termgauge.engine.run_folder import RunFolder, open_run
from termgauge.exceptions import TermgaugeError, did_you_mean, warn
from termgauge.options import also_called, several
from termgauge.progress import track
from termgauge.similarity.measures import USUAL, check_default_measure, default_measure
from termgauge.statistics.inputs import statistic_for
from termgauge.statistics.significance import compare_systems
from termgauge.tasks.contract import Testing
from termgauge.tasks.pairs.compare import RunComparison, SetComparison
from termgauge.tasks.pairs.results import (
    OWN,
    dependence_of,
    guessing,
    scored_systems,
    set_results,
    shared_pairs,
    truth_of,
)
from termgauge.tasks.pairs.scored import SCHEMA
from termgauge.tasks.registry import all_tasks

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from termgauge.benchmark.pairset import PairSet
    from termgauge.tasks.pairs.scored import ScoredSets
    from termgauge.tasks.results import Value


@also_called(set="sets")
def leaderboard(
    runs: Iterable[str | os.PathLike[str] | RunFolder],
    *,
    sets: str | Sequence[str] = (),
    **testing: Any,  # noqa: ANN401
) -> Leaderboard:
    """Bring the models of several runs together.

    Parameters
    ----------
    runs
        Run folders. Of a model that several have scored on a set, the scores of the first count.
    sets
        Only these, by what the first run that has them calls them; all if none is named.
    **testing
        How differences are tested: ``alpha``, ``correction``, ``measure`` (not ``best``) and the others that
        :class:`~termgauge.tasks.contract.Testing` declares.

    Raises
    ------
    TermgaugeError
        If a folder holds no run, or there is nothing to show.

    Examples
    --------
    >>> board = leaderboard(["run-of-may", "run-of-june"])  # doctest: +SKIP
    >>> board.results.filter(statistic="auc", subset="shared")  # doctest: +SKIP
    """
    chosen_testing = Testing.of(**testing)
    check_default_measure(chosen_testing.measure, USUAL)
    entered = _entered([open_run(run) for run in several(runs)])
    by_name = _sets_of(entered)
    for name in (sets := several(sets)):
        if name not in by_name:
            raise TermgaugeError(f"No run has a set '{name}'.{did_you_mean(name, by_name)}")
    chosen = {name: held for name, held in by_name.items() if not sets or name in sets}
    models = _models_of(entered)
    parts = [pl.DataFrame(schema=SCHEMA)]
    compared: list[SetComparison] = []
    sources: dict[tuple[str, str], Source] = {}
    untested: set[tuple[str, str]] = set()
    with track("Ranking", total=sum(held.about.pairs for held in chosen.values()), unit="pairs") as advance:
        for name, held in chosen.items():
            gathered = _scored(held, models, chosen_testing.measure)
            parts.append(_values(name, held, gathered, chosen_testing))
            comparison = _compared(name, held, gathered, chosen_testing)
            compared += [comparison] if comparison else []
            sources |= {(name, model): source for model, source in gathered.sources.items()}
            untested |= {(name, model) for model in gathered.left}
            advance(held.about.pairs)
    results = pl.concat(parts)
    tasks = tuple(_task_values(entered, models))
    if results.is_empty() and not tasks:
        raise TermgaugeError("The runs hold no scores and no results; make them with termgauge evaluate.")
    there = {*results["model"].to_list(), *(value.model for task in tasks for value in task.values)}
    return Leaderboard(
        tuple(str(entry.run.path) for entry in entered),
        {name: model.about for name, model in models.items() if name in there},
        {name: held.about for name, held in chosen.items()},
        results,
        RunComparison(", ".join(str(entry.run.path) for entry in entered), tuple(compared), ()),
        sources,
        frozenset(untested),
        chosen_testing.alpha,
        chosen_testing.correction,
        tasks,
        chosen_testing.statistic,
    )


def _task_values(entered: Sequence[_Entry], models: Mapping[str, _EnteredModel]) -> Iterator[TaskValues]:
    """Yield what tasks other than the scores of pairs found; results of the same inputs, by hash, come together."""
    for task in all_tasks().values():
        if not task.keeps or task.reads_run:
            continue
        names: dict[str, str] = {}
        values: dict[str, dict[str, list[Value]]] = {}
        for entry in entered:
            titles = {model.names[entry.label]: title for title, model in models.items() if entry.label in model.names}
            for name in entry.run.record().tasks.get(task.name, []) if task.repeated else [task.name]:
                result = task.load(entry.scored, name)
                if result is None:
                    continue
                inputs = str(result.identity.get("inputs", entry.label))
                taken = names.values()
                names.setdefault(inputs, name if name not in taken else f"{name} ({entry.label})")
                by_title: dict[str, list[Value]] = {}
                for value in result.values():
                    title = titles.get(value.model, value.model)
                    by_title.setdefault(title, []).append(value._replace(model=title))
                collection = values.setdefault(inputs, {})
                collection.update({title: some for title, some in by_title.items() if title not in collection})
        for inputs, name in names.items():
            every = tuple(value for some in values[inputs].values() for value in some)
            if every:
                yield TaskValues(task.name, name if task.repeated else "", every)


@dataclass(frozen=True)
class _Entry:
    """A run on the board."""

    run: RunFolder
    scored: ScoredSets
    label: str
    """A short name that no other run has."""


def _entered(runs: Sequence[RunFolder]) -> list[_Entry]:
    if not runs:
        raise TermgaugeError("No run was named; name the folders of one or more.")
    once = list({run.path.resolve(): run for run in runs}.values())
    short = [run.path.resolve().name for run in once]
    labels = [name if short.count(name) == 1 else str(run.path) for name, run in zip(short, once, strict=True)]
    return [_Entry(run, run.scored(), label) for run, label in zip(once, labels, strict=True)]


@dataclass(frozen=True)
class _HeldSet:
    """A set, and the runs that have it with what they call it."""

    about: BoardSet
    held: list[tuple[_Entry, str]]


def _sets_of(entered: Sequence[_Entry]) -> dict[str, _HeldSet]:
    """Return the sets of all runs by a name for each: what the first run calls it, told apart where that is taken."""
    by_hash: dict[str, list[tuple[_Entry, str]]] = {}
    for entry in entered:
        for name, about in entry.scored.sets.items():
            by_hash.setdefault(about.sha256, []).append((entry, name))
    names = Counter(held[0][1] for held in by_hash.values())
    named = {}
    for sha256, held in by_hash.items():
        entry, name = held[0]
        title = name if names[name] == 1 else f"{name} ({sha256[:8]})"
        runs = list(dict.fromkeys(holder.label for holder, _ in held))
        about = BoardSet(**entry.scored.sets[name].model_dump(), runs=runs)
        named[title] = _HeldSet(about, held)
    return named


@dataclass(frozen=True)
class _EnteredModel:
    """A model, and what each run calls it."""

    about: BoardModel
    names: dict[str, str] = field(default_factory=dict)
    """By the run's label."""


def _models_of(entered: Sequence[_Entry]) -> dict[str, _EnteredModel]:
    """Return the models of all runs, each once, by a name that says which run it is of where names clash."""
    by_key: dict[str, list[tuple[_Entry, str]]] = {}
    for entry in entered:
        for name, about in entry.scored.models.items():
            by_key.setdefault(about.key or f"{entry.label}/{name}", []).append((entry, name))
    names = Counter(held[0][1] for held in by_key.values())
    named: dict[str, _EnteredModel] = {}
    for key, held in by_key.items():
        entry, name = held[0]
        title = name if names[name] == 1 else f"{name} ({entry.label})"
        if title in named:
            title = f"{name} ({key[:8]})"
        runs = list(dict.fromkeys(holder.label for holder, _ in held))
        also = sorted({other for _, other in held} - {name})
        about = BoardModel(**entry.scored.models[name].model_dump(), runs=runs, also=also)
        named[title] = _EnteredModel(about, {})
        for run_entry, alias in held:
            named[title].names.setdefault(run_entry.label, alias)
    return named


@dataclass(frozen=True)
class _Scored:
    """What the runs have on a set."""

    scores: dict[tuple[str, str], NDArray[np.float64]]
    """By model and measure."""
    left: dict[str, pl.DataFrame]
    """Rows of results of models that have no scores left."""
    sources: dict[str, Source]


def _scored(held: _HeldSet, models: Mapping[str, _EnteredModel], measure: str) -> _Scored:
    """Gather a score per pair of each model from the first run that has them."""
    gathered = _Scored({}, {}, {})
    for model, entered in models.items():
        kind = entered.about.kind
        for entry, name in held.held:
            alias = entered.names.get(entry.label)
            if alias is None:
                continue
            scores = entry.scored.readable_scores(alias, name, "leaderboard")
            standing = default_measure(scores, kind, measure)
            if standing is not None:
                gathered.scores[model, standing] = scores[standing]
                gathered.left.pop(model, None)
                gathered.sources[model] = Source(entry.label, name, alias)
                break
            rows = _left_over(entry.run, alias, name, kind, measure)
            if rows is not None and model not in gathered.left:
                gathered.left[model] = rows
                gathered.sources[model] = Source(entry.label, name, alias)
    return gathered


def _left_over(run: RunFolder, model: str, set_id: str, kind: str, measure: str) -> pl.DataFrame | None:
    """Return the rows of a run's results, of all pairs that the model scores; None if there are none."""
    try:
        results = run.results()
    except TermgaugeError:
        return None
    rows = results.filter((pl.col("model") == model) & (pl.col("set") == set_id) & (pl.col("subset") == OWN))
    standing = default_measure(rows["measure"].unique(maintain_order=True).to_list(), kind, measure)
    chosen = rows.filter(pl.col("measure") == standing) if standing else rows
    return None if chosen.is_empty() else chosen


def _values(name: str, held: _HeldSet, gathered: _Scored, testing: Testing) -> pl.DataFrame:
    """Return the values of all models on a set; of those without scores, what their run's results say."""
    parts = [pl.DataFrame(schema=SCHEMA)]
    if gathered.scores:
        parts.append(set_results(_pairs(held), gathered.scores, testing))
    parts += [rows.with_columns(model=pl.lit(model)).select(list(SCHEMA)) for model, rows in gathered.left.items()]
    return pl.concat(parts).with_columns(set=pl.lit(name))


def _pairs(held: _HeldSet) -> PairSet:
    entry, name = held.held[0]
    return entry.scored.read_set(name)


def _compared(name: str, held: _HeldSet, gathered: _Scored, testing: Testing) -> SetComparison | None:
    """Test all models against each other; None where that cannot be done."""
    scored = scored_systems(gathered.scores, testing.min_coverage)
    if not scored:
        return None
    pairs = _pairs(held)
    usable = shared_pairs(scored, len(pairs))
    truth, shared = truth_of(pairs)[usable], dependence_of(pairs)
    if len(np.unique(truth)) < 2:
        warn(f"{name}: the models cannot be compared on it, because too few pairs can be scored by all of them.")
        return None
    statistic = statistic_for(testing.statistic, graded=pairs.graded)
    comparison = compare_systems(
        [model for model, _ in scored],
        [values[usable] for values in scored.values()],
        truth,
        statistic=statistic,
        alpha=testing.alpha,
        correction=testing.correction,
        resamples=testing.resamples,
        seed=testing.seed,
        shared=shared and shared.of_pairs(usable),
        tests=testing.tests,
    )
    chance = None if pairs.graded else guessing(truth, statistic)
    return SetComparison(name, dict(scored.keys()), comparison, None, chance)
