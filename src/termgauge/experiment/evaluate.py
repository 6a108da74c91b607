"""Scoring models on sets into a run folder, and making the values; only what is missing is scored.

A model or a set that cannot be used does not stop the others: it is named in a warning and in ``run.json``.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from termgauge.benchmark.human import human_sets, load_human
from termgauge.benchmark.pairset import PairSet, read_parquet, read_tsv
from termgauge.errors import TermgaugeError, did_you_mean, warn
from termgauge.evaluation.results import SCHEMA, set_results
from termgauge.evaluation.scoring import chosen_measures, score_pairs
from termgauge.experiment.run_folder import RUN, RunFolder
from termgauge.identity import library_versions, version
from termgauge.progress import track

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from termgauge.embeddings.model import Model

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
        everything; ``never``: only make the values again.
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
    run = RunFolder(Path(out))
    document = run.document()
    for name in measures:
        chosen_measures("words", [name])
    sets = load_sets(benchmarks, data_dir=Path(data_dir) if data_dir else None, download=download)
    opened = _opened(models)
    for pairs in sets:
        document["sets"][pairs.id] = {"sha256": pairs.sha256, "pairs": len(pairs), "graded": pairs.graded}
    document |= {"termgauge": version(), "libraries": library_versions(_LIBRARIES), "alpha": alpha}
    for model in opened:
        document["models"][model.name] = {**model.identity.as_dict(), "from": model.source}
    run.write_document(document)
    _score(run, sets, opened, measures, overwrite)
    results = _results(run, alpha)
    run.write_results(results)
    return run


def _opened(models: Iterable[str | Model]) -> list[Model]:
    from termgauge.embeddings.load import load_model

    opened: list[Model] = []
    problems = []
    for spec in models:
        try:
            opened.append(load_model(spec) if isinstance(spec, str) else spec)
        except TermgaugeError as error:
            problems.append(f"{spec}: {error}")
    names = [model.name for model in opened]
    for name in names:
        if names.count(name) > 1:
            raise TermgaugeError(
                f"Two models are called '{name}'; name them apart, as in --model A={name} --model B=…."
            )
    if not opened:
        raise TermgaugeError(problems[0] if problems else "No model was named; name one with --model.")
    for problem in problems:
        warn(f"A model cannot be used and is left out: {problem}")
    return opened


def _score(
    run: RunFolder, sets: Sequence[PairSet], models: Sequence[Model], measures: Sequence[str], overwrite: str
) -> None:
    jobs = []
    for model in models:
        chosen = chosen_measures(model.kind, measures)
        for pairs in sets:
            there = run.has_scores(model.name, model.identity, pairs, chosen)
            if overwrite == "always" or (overwrite == "missing" and not there):
                jobs.append((model, pairs, chosen))
    with track("Scoring", total=sum(len(pairs) for _model, pairs, _chosen in jobs), unit="pairs") as advance:
        for model, pairs, chosen in jobs:
            if not chosen:
                warn(f"{model.name} has none of the measures that were named, and is left out.")
                continue
            scores = score_pairs(model, pairs, chosen)
            run.write_scores(model.name, model.identity, pairs, scores)
            advance(len(pairs))
    for pairs in sets:
        run.write_set(pairs)


def all_scores(run: RunFolder, set_id: str) -> dict[tuple[str, str], NDArray[np.float64]]:
    """Return the scores of a set by model and measure."""
    return {
        (model, measure): values
        for model in run.document()["models"]
        for measure, values in (run.read_scores(model, set_id) or {}).items()
    }


def _results(run: RunFolder, alpha: float) -> pl.DataFrame:
    known = run.document()["sets"]
    parts = [pl.DataFrame(schema=SCHEMA)]
    with track("Making values", total=len(known), unit="sets") as advance:
        for set_id in known:
            scores = all_scores(run, set_id)
            if scores:
                parts.append(set_results(run.read_set(set_id), scores, alpha=alpha))
            advance(1)
    found = pl.concat(parts)
    if found.is_empty():
        raise TermgaugeError(f"{run.path}: nothing was scored; see {RUN} for the models and sets that were named.")
    return found
