"""Scoring a model on sets: only what is missing is scored, and every set's scores are kept once they are there."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, cast

from termgauge.benchmark.human.sets import human_sets, load_human
from termgauge.exceptions import TermgaugeError
from termgauge.progress import track
from termgauge.similarity.measures import select_measures
from termgauge.similarity.scoring import score_pairs
from termgauge.tasks.records import SetRecord

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path

    from termgauge.benchmark.pairset import PairSet
    from termgauge.embeddings.model import ConceptModel, Model
    from termgauge.tasks.pairs.scored import ScoredSets, Scores


class _Job(NamedTuple):
    """Scores to make."""

    pairs: PairSet
    measures: tuple[str, ...]
    kept: Scores
    """Scores by other measures that are there and stay."""


def score_model(
    scored: ScoredSets,
    model: Model,
    sets: Sequence[PairSet],
    measures: Sequence[str],
    *,
    overwrite: str = "missing",
    data_dir: Path | None = None,
) -> dict[str, str]:
    """Score a model on sets, as far as that is missing; return which concept ids each set was scored with, if any."""
    jobs = list(_jobs(scored, model, sets, _chosen(model, measures), overwrite))
    systems = {}
    with track(f"Scoring {model.name}", total=sum(len(job.pairs) for job in jobs), unit="pairs") as advance:
        for job in jobs:
            if system := _score(scored, model, job, data_dir, advance):
                systems[job.pairs.id] = system
    return systems


def sets_to_score(
    scored: ScoredSets, model: Model, sets: Sequence[PairSet], measures: Sequence[str], *, overwrite: str = "missing"
) -> list[str]:
    """Return the ids of the sets on which :func:`score_model` would make scores."""
    return [job.pairs.id for job in _jobs(scored, model, sets, _chosen(model, measures), overwrite)]


def _chosen(model: Model, measures: Sequence[str]) -> tuple[str, ...]:
    chosen = select_measures(model.kind, measures)
    if not chosen:
        raise TermgaugeError(f"It has none of the measures that were named ({', '.join(measures)}).")
    return chosen


def _jobs(
    scored: ScoredSets, model: Model, sets: Iterable[PairSet], chosen: tuple[str, ...], overwrite: str
) -> Iterator[_Job]:
    """Find out what of a model is to be scored, and what of it is there already."""
    for pairs in sets:
        try:
            there = scored.stored_scores(model.name, model.identity.key, pairs.id, SetRecord.of(pairs))
        except TermgaugeError:  # of another version, or damaged: made anew
            there = {}
        if overwrite == "always":
            wanted = chosen
        else:
            wanted = () if overwrite == "never" and there else tuple(name for name in chosen if name not in there)
        if wanted:
            yield _Job(pairs, wanted, {name: values for name, values in there.items() if name not in wanted})


def _score(scored: ScoredSets, model: Model, job: _Job, data_dir: Path | None, advance: Callable[[float], None]) -> str:
    """Make scores and keep them; return which system of concept ids was used, if any."""
    pairs, system = job.pairs, ""
    if model.kind == "concepts":
        pairs, system = best_concept_ids(cast("ConceptModel", model), pairs, data_dir)
    scores = score_pairs(model, pairs, job.measures, advance)
    scored.write_scores(model.name, model.identity.key, pairs, {**job.kept, **scores})
    return system


def best_concept_ids(model: ConceptModel, pairs: PairSet, data_dir: Path | None) -> tuple[PairSet, str]:
    """Return a human-rated set with the system of concept ids that a model knows most of, and the system's name.

    The files of some sets name each concept in several systems, such as UMLS and MeSH. The pairs are the same whatever
    the system. Sets from elsewhere come back as they are, with no name.
    """
    entry = next((entry for entry in human_sets() if entry.id == pairs.id), None)
    if entry is None or len(entry.layout.concepts) < 2:
        return pairs, next(iter(entry.layout.concepts), "") if entry else ""
    candidates: list[tuple[int, PairSet, str]] = []
    for system in entry.layout.concepts:
        try:
            same = load_human(entry.id, data_dir=data_dir, download=False, concepts=system)
        except TermgaugeError:  # the set came from elsewhere
            return pairs, ""
        if same.sha256 == pairs.sha256:
            both = [model.find(same.frame[name].fill_null("").to_list()) >= 0 for name in ("concept_1", "concept_2")]
            candidates.append((int((both[0] & both[1]).sum()), same, system))
    if not candidates:
        return pairs, ""
    _covered, best, system = max(candidates, key=lambda each: each[0])  # the first of equals
    return best, system
