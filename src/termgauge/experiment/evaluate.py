"""Scoring models on sets into a run folder, and making the values; only what is missing is scored.

A model or a set that cannot be used does not stop the others: it is named in a warning and in ``run.json``.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np
import polars as pl

from termgauge.benchmark.human.sets import human_sets, load_human
from termgauge.benchmark.pairset import PairSet, read_parquet, read_tsv
from termgauge.exceptions import CannotWriteError, TermgaugeError, did_you_mean, warn
from termgauge.experiment.run_folder import RUN, RunFolder
from termgauge.identity import library_versions, version
from termgauge.progress import track
from termgauge.similarity.measures import chosen_measures
from termgauge.similarity.scoring import score_pairs
from termgauge.statistics.bootstrap import SEED
from termgauge.statistics.inputs import checked_level
from termgauge.tasks.pairs.results import SCHEMA, scored_systems, set_results, shared_pairs

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterable, Sequence

    from numpy.typing import NDArray

    from termgauge.embeddings.model import ConceptModel, Model

OVERWRITE = ("missing", "always", "never")
HUMAN = "human"
_LIBRARIES = ("numpy", "numba", "polars", "scipy", "scikit-learn", "tokenizers")


def load_sets(
    sources: Iterable[str | os.PathLike[str] | PairSet], *, data_dir: Path | None = None, download: bool = True
) -> list[PairSet]:
    """Return the sets that some names mean.

    Parameters
    ----------
    sources
        A benchmark's folder (all its sets, or one as ``DIR/fsn-syn.hard.random.tsv``), the id of a human-rated set,
        ``human`` for all of those that are at hand, or a set itself.
    data_dir
        A folder with human-rated sets.
    download
        Whether human-rated sets may be downloaded.

    Raises
    ------
    TermgaugeError
        If a name means nothing, or two sets have the same id.
    """
    found: list[PairSet] = []
    for source in sources:
        if isinstance(source, PairSet):
            found.append(source)
            continue
        name = str(source)
        if name == HUMAN or (name.startswith(f"{HUMAN}/") and not Path(name).exists()):
            found += _human(name, data_dir, download=download)
        else:
            found += _from_path(Path(name))
    ids = [pairs.id for pairs in found]
    for name in ids:
        if ids.count(name) > 1:
            raise TermgaugeError(f"Two sets are called '{name}'; name each benchmark once.")
    if not found:
        raise TermgaugeError("No set was named; name a benchmark's folder or a human-rated set with --benchmark.")
    return found


def _human(name: str, data_dir: Path | None, *, download: bool) -> list[PairSet]:
    if name != HUMAN:
        return [load_human(name, data_dir=data_dir, download=download)]
    at_hand = [entry for entry in human_sets() if entry.status(data_dir) in ("in folder", "in cache")]
    found = [load_human(entry.id, data_dir=data_dir, download=False) for entry in at_hand]
    if not found:
        raise TermgaugeError(
            "No human-rated set is at hand; name the folder that holds them with --data-dir, or one of them by its id "
            "to download it (`termgauge sets` lists them)."
        )
    return found


def _from_path(path: Path) -> list[PairSet]:
    if path.is_dir():
        from termgauge.benchmark.stored import load_benchmark

        return list(load_benchmark(path))
    if path.suffix == ".parquet":
        return [read_parquet(path)]
    if not path.exists():
        ids = [entry.id for entry in human_sets()]
        raise TermgaugeError(
            f"{path}: is neither a benchmark nor the id of a human-rated set.{did_you_mean(str(path), ids)}"
        )
    return [read_tsv(path)]


def evaluate(
    benchmarks: Iterable[str | os.PathLike[str] | PairSet],
    models: Iterable[str | Model],
    out: str | os.PathLike[str],
    *,
    measures: Sequence[str] = (),
    overwrite: str = "missing",
    alpha: float = 0.05,
    data_dir: str | os.PathLike[str] | None = None,
    download: bool = True,
) -> RunFolder:
    """Score models on sets and make the values.

    Parameters
    ----------
    benchmarks
        What :func:`load_sets` takes.
    models
        Specs such as ``PubMed=word2vec:vectors.bin``, or models.
    out
        The run folder; one that is there is added to.
    measures
        Measures of similarity; all that fit a model if none is named.
    overwrite
        ``missing``: score what is not there, or is there for another version of the model or set; ``always``: score
        everything again; ``never``: leave all scores of a model on a set as they are once there are some.
    alpha
        Intervals have level 1 - alpha.
    data_dir
        A folder with human-rated sets.
    download
        Whether human-rated sets may be downloaded.

    Returns
    -------
    RunFolder
        The run; its ``results()`` are the values.

    Raises
    ------
    TermgaugeError
        If nothing can be scored, or a name means nothing.
    """
    if overwrite not in OVERWRITE:
        raise TermgaugeError(
            f"--overwrite is one of {', '.join(OVERWRITE)}, not '{overwrite}'.{did_you_mean(overwrite, OVERWRITE)}"
        )
    checked_level(alpha)
    run = RunFolder(Path(out))
    document = run.document()
    for name in measures:
        chosen_measures("words", [name])
    folder = Path(data_dir) if data_dir else None
    sets = load_sets(benchmarks, data_dir=folder, download=download)
    opened, left_out = open_models(models, measures)
    if overwrite == "never":
        for model in opened:
            _refuse_another_version(run, document, model, sets)
    with run.at_work():
        document = run.document()  # another run may have ended while the models were opened
        jobs = [job for model in opened for job in jobs_of(run, model, sets, measures, overwrite)]
        for pairs in sets:
            run.write_set(pairs)
            document["sets"][pairs.id] = {"sha256": pairs.sha256, "pairs": len(pairs), "graded": pairs.graded}
        document |= made_with(alpha)
        document["left_out"] = left_out
        if document.get("measures"):  # of an experiment: what is added to it counts as well
            document["measures"] = [*dict.fromkeys([*document["measures"], *measures])] if measures else []
        for model in opened:
            ids = document["models"].get(model.name, {}).get("concept_ids", {})
            document["models"][model.name] = {**model.identity.as_dict(), "from": model.source, "concept_ids": ids}
        run.write_document(document)
        _score(run, document, jobs, folder)
        run.write_document(document)
        run.write_results(make_results(run, document, alpha))
    return run


def made_with(alpha: float) -> dict[str, Any]:
    """Return what ``run.json`` says about what made the values."""
    return {"termgauge": version(), "libraries": library_versions(_LIBRARIES), "alpha": alpha, "seed": SEED}


def open_models(models: Iterable[str | Model], measures: Sequence[str]) -> tuple[list[Model], list[str]]:
    """Return the models that can be used, and a sentence for each that cannot, which is also a warning.

    Raises
    ------
    TermgaugeError
        If none can be used, or two have the same name.
    """
    from termgauge.embeddings.load import load_model

    opened: list[Model] = []
    problems = []
    for spec in models:
        try:
            model = load_model(spec) if isinstance(spec, str) else spec
        except TermgaugeError as error:
            sentence = str(error)
            problems.append(sentence if sentence.startswith(f"{spec}: ") else f"{spec}: {sentence}")
            continue
        if chosen_measures(model.kind, measures):
            opened.append(model)
        else:
            problems.append(f"{model.name}: has none of the measures that were named ({', '.join(measures)}).")
    names = [model.name for model in opened]
    for name in names:
        if names.count(name) > 1:
            raise TermgaugeError(f"Two models are called '{name}'; name them apart, as in --model A=… --model B=….")
    if not opened:
        raise TermgaugeError(problems[0] if problems else "No model was named; name one with --model.")
    for problem in problems:
        warn(f"A model cannot be used and is left out: {problem}")
    return opened, problems


class Job(NamedTuple):
    """Scores to make."""

    model: Model
    pairs: PairSet
    measures: tuple[str, ...]
    kept: dict[str, NDArray[np.float64]]
    """Scores by other measures that are there and stay."""


def jobs_of(
    run: RunFolder, model: Model, sets: Iterable[PairSet], measures: Sequence[str], overwrite: str = "missing"
) -> list[Job]:
    """Find out what of a model is to be scored, and what of it is there already."""
    jobs = []
    chosen = chosen_measures(model.kind, measures)
    for pairs in sets:
        try:
            there = run.stored_scores(
                model.name, pairs.id, identity=model.identity.key, sha256=pairs.sha256, pairs=len(pairs)
            )
        except TermgaugeError:  # of another version, or damaged: made anew
            there = None
        there = there or {}
        if overwrite == "always":
            wanted = chosen
        else:
            wanted = () if overwrite == "never" and there else tuple(name for name in chosen if name not in there)
        if wanted:
            kept = {name: values for name, values in there.items() if name not in wanted}
            jobs.append(Job(model, pairs, wanted, kept))
    return jobs


def score_job(run: RunFolder, job: Job, data_dir: Path | None, advance: Callable[[float], None]) -> str:
    """Make scores and keep them; return which system of concept ids was used, if any."""
    model, pairs, system = job.model, job.pairs, ""
    if model.kind == "concepts":
        pairs, system = best_concept_ids(cast("ConceptModel", model), pairs, data_dir)
    scores = score_pairs(model, pairs, job.measures, advance)
    run.write_scores(model.name, model.identity, pairs, {**job.kept, **scores})
    return system


def _refuse_another_version(run: RunFolder, document: dict[str, Any], model: Model, sets: Sequence[PairSet]) -> None:
    """Say so where what must not be overwritten is not what was asked for."""
    known = document["models"].get(model.name, {}).get("key", model.identity.key)
    changed = [f"model '{model.name}'"] if known != model.identity.key else []
    changed += [
        f"set '{pairs.id}'"
        for pairs in sets
        if document["sets"].get(pairs.id, {}).get("sha256", pairs.sha256) != pairs.sha256
    ]
    if changed:
        raise TermgaugeError(
            f"{run.path}: holds scores of another version of the {changed[0]}, which --overwrite never keeps; use "
            "--overwrite missing to score again, or another folder or name."
        )


def _score(run: RunFolder, document: dict[str, Any], jobs: Sequence[Job], data_dir: Path | None) -> None:
    failed: dict[str, str] = {}
    with track("Scoring", total=sum(len(job.pairs) for job in jobs), unit="pairs") as advance:
        for job in jobs:
            name = job.model.name
            try:
                system = score_job(run, job, data_dir, advance)
            except CannotWriteError:
                raise
            except TermgaugeError as error:
                failed[name] = str(error)
                advance(len(job.pairs))
                continue
            if system:
                document["models"][name]["concept_ids"][job.pairs.id] = system
    for name, problem in failed.items():
        document["left_out"].append(f"{name}: {problem}")
        warn(f"A model could not score all sets: {name}: {problem}")


def best_concept_ids(model: ConceptModel, pairs: PairSet, data_dir: Path | None) -> tuple[PairSet, str]:
    """Return a human-rated set with the system of concept ids that a model knows most of, and the system's name.

    The files of some sets name each concept in several systems, such as UMLS and MeSH. The pairs are the same whatever
    the system. Sets from elsewhere come back as they are, with no name.
    """
    entry = next((entry for entry in human_sets() if entry.id == pairs.id), None)
    if entry is None or len(entry.layout.concepts) < 2:
        return pairs, next(iter(entry.layout.concepts), "") if entry else ""
    found: list[tuple[int, PairSet, str]] = []
    for system in entry.layout.concepts:
        try:
            same = load_human(entry.id, data_dir=data_dir, download=False, concepts=system)
        except TermgaugeError:  # the set came from elsewhere
            return pairs, ""
        if same.sha256 == pairs.sha256:
            both = [model.find(same.frame[name].fill_null("").to_list()) >= 0 for name in ("concept_1", "concept_2")]
            found.append((int((both[0] & both[1]).sum()), same, system))
    if not found:
        return pairs, ""
    _covered, best, system = max(found, key=lambda each: each[0])  # the first of equals
    return best, system


def all_scores(run: RunFolder, document: dict[str, Any], set_id: str) -> dict[tuple[str, str], NDArray[np.float64]]:
    """Return the scores of a set by model and measure.

    Raises
    ------
    TermgaugeError
        If some are not of the set or the model that ``run.json`` names, or cannot be read.
    """
    return {
        (model, measure): values
        for model in document["models"]
        for measure, values in (run.read_scores(model, set_id) or {}).items()
    }


def make_results(run: RunFolder, document: dict[str, Any], alpha: float) -> pl.DataFrame:
    """Make the values of all sets and models that ``run.json`` names from their scores.

    Raises
    ------
    TermgaugeError
        If there are no scores.
    """
    known = document["sets"]
    parts = [pl.DataFrame(schema=SCHEMA)]
    with track("Making values", total=sum(entry["pairs"] for entry in known.values()), unit="pairs") as advance:
        for set_id, entry in known.items():
            scores: dict[tuple[str, str], NDArray[np.float64]] = {}
            for model in document["models"]:
                try:
                    own = run.read_scores(model, set_id) or {}
                except TermgaugeError as error:
                    warn(f"Left out of the results: {error}")
                    continue
                scores |= {(model, measure): values for measure, values in own.items()}
            if scores:
                parts.append(set_results(run.read_set(set_id), scores, alpha=alpha))
                _say_what_is_shared(set_id, scores, entry["pairs"])
            advance(entry["pairs"])
    found = pl.concat(parts)
    if found.is_empty() and known:
        raise TermgaugeError(f"{run.path}: nothing was scored; see {RUN} for the models and sets that were named.")
    return found


def _say_what_is_shared(set_id: str, scores: dict[tuple[str, str], NDArray[np.float64]], size: int) -> None:
    """Tell which models take no part in the shared pairs, or leave none."""
    scored = scored_systems(scores)
    none = dict.fromkeys(model for model, _measure in scores if all(model != one for one, _ in scored))
    if none:
        warn(f"{set_id}: these models score no pair of it and take no part in the shared pairs: {', '.join(none)}.")
    if scored and not shared_pairs(scored, size).any():
        fewest = min(scored, key=lambda system: int((~np.isnan(scored[system])).sum()))
        warn(
            f"{set_id}: there is no pair that all models can score, so that they cannot be compared on it; "
            f"{fewest[0]} scores the fewest."
        )
