"""Running a whole experiment, or saying what that would do: two views of its graph.

The run folder remembers what was made from what. So a run that was killed goes on where it stopped, a changed file is
noticed, and a second run of the same file is quick. A model that fails costs itself alone and is named in ``run.json``.
"""

from __future__ import annotations

import shlex
import warnings
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from termgauge.benchmark.load import load_sets
from termgauge.cluster.connect import use_client
from termgauge.embeddings.sending import device_of
from termgauge.engine.file import ExperimentFile, load_experiment
from termgauge.engine.graph import Graph, Item, Node, Plan, PlannedStep
from termgauge.engine.models import by_name
from termgauge.engine.nodes import BenchmarkNode, HumanNode, ReportNode, TaskNode, TerminologyNode
from termgauge.engine.run_folder import EXPERIMENT, REPORT, DamagedRunError, RunFolder, RunRecord
from termgauge.engine.session import RunSession
from termgauge.engine.trust import Permissions
from termgauge.engine.workers import require_devices
from termgauge.exceptions import TermgaugeError, TermgaugeWarning, sentence_of, warn
from termgauge.io.atomic import write_text
from termgauge.options import takes
from termgauge.tasks.contract import Material
from termgauge.tasks.pairs.scored import ScoredSets
from termgauge.tasks.records import SetRecord

if TYPE_CHECKING:
    import os
    from concurrent.futures import Executor

    from termgauge.embeddings.model import Model

PERMISSIONS, OPEN = "Permissions", "Open models"
"""Steps of plans alone: what the file does that its user should know, and models that cannot be opened."""


@takes(Permissions)
def run(
    experiment: str | os.PathLike[str] | ExperimentFile | None = None,
    *,
    out: str | os.PathLike[str] | None = None,
    jobs: int = 1,
    report: bool = True,
    executor: Executor | None = None,
    client: Any = None,  # noqa: ANN401
    shared: bool = False,
    models: Any = None,  # noqa: ANN401
    **permissions: Any,  # noqa: ANN401
) -> RunFolder:
    """Run a whole experiment.

    Parameters
    ----------
    experiment
        An experiment file; the embedded default if not given.
    out
        The run folder, instead of the one that the file names.
    jobs
        How many models are measured at once, each in a process of its own with its share of the cores.
    report
        Whether ``report.html`` is written.
    executor
        Where models are measured instead: anything like `concurrent.futures.Executor` whose workers see the same files.
    client
        A Dask client on whose cluster everything is done that can be: benchmarks, models, tests. Where a model is an
        object, models are measured in this process.
    shared
        Whether all workers of the cluster see the same disk; else what they need is sent to them.
    models
        More models than the file names: what `evaluate` takes, such as ``{name: SentenceTransformer(…)}``. Where one is
        an object, all are measured in this process, one by one.

    Returns
    -------
    RunFolder
        The run; its ``results()`` are the values.

    Raises
    ------
    TermgaugeError
        If the file makes no sense, what it names cannot be read, or no model can be used.
    """
    allowed = Permissions.of(**permissions)
    file = experiment if isinstance(experiment, ExperimentFile) else load_experiment(experiment, allowed)
    folder = RunFolder(Path(out) if out is not None else file.output)
    measured: dict[str, str | Model] = {table.title: table.spec for table in file.experiment.model}
    more = {} if models is None else by_name(models, file.experiment.scoring.missing)
    for name in measured.keys() & more.keys():
        raise TermgaugeError(f"A model of the file is called '{name}', too; give yours another name.")
    measured |= more
    with use_client(client, shared=shared):
        devices = [getattr(config.options, "device", "") for config in file.experiment.task_configs()]
        require_devices([*devices, *(device_of(spec) for spec in measured.values() if isinstance(spec, str))])
        graph = experiment_graph(file, RunSession(folder, _former(folder), measured, jobs, executor), report=report)
        graph.session.refuse_models()
        for node in graph.nodes:
            if isinstance(node, TaskNode):
                try:
                    node.check()
                except (TermgaugeError, OSError) as error:
                    node.fail(sentence_of(error))
        graph.work_off()
        graph.session.finish()
    if graph.session.defect is not None:
        raise graph.session.defect
    return folder


def plan(
    file: ExperimentFile,
    *,
    out: str | os.PathLike[str] | None = None,
    report: bool = True,
    workers: int | None = None,
) -> Plan:
    """Say what running an experiment would do, here and on so many workers; nothing is made."""
    folder = RunFolder(Path(out) if out is not None else file.output)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TermgaugeWarning)  # the run says them
        specs = {table.title: table.spec for table in file.experiment.model}
        session = RunSession(folder, _former(folder), specs, elsewhere=workers is not None)
        graph = experiment_graph(file, session, report=report)
        refused = "It is not allowed yet; allow it with {} of termgauge run."
        permissions = tuple(
            Item(f"It {demand.what}", "", problem="" if demand.granted else refused.format(demand.flags[0]))
            for demand in file.demands
        )
        # Of a task that itself keeps what it makes, the plan lists all models.
        problems = session.model_problems if all(config.task.keeps for config in session.configs) else {}
        models = tuple(Item(name, specs[name], problem=problem) for name, problem in problems.items())
        before = [
            PlannedStep(name, items, 0.0) for name, items in ((PERMISSIONS, permissions), (OPEN, models)) if items
        ]
        return Plan(file.title, str(folder.path), (*before, *graph.missing()), workers)


def _former(folder: RunFolder) -> RunRecord:
    """Return ``run.json`` as it was; one that is damaged is made again from the files, which know what they are."""
    try:
        return folder.record()
    except DamagedRunError as error:
        warn(f"{error} It is made again.")
        return RunRecord()


def experiment_graph(file: ExperimentFile, session: RunSession, *, report: bool = True) -> Graph:
    """Return the graph of an experiment."""
    experiment, human = file.experiment, file.experiment.human
    data_dir = Path(human.data_dir) if human and human.data_dir else None
    session.base = Material(testing=experiment.testing, data_dir=data_dir)
    session.configs, session.goes_on = list(experiment.task_configs()), True
    seed, languages = experiment.seed, {table.name: table.language for table in experiment.terminology}
    nodes: list[Node] = [
        TerminologyNode(session, table.name, table.sources, table.reading) for table in experiment.terminology
    ]
    nodes += [HumanNode(session, "human", human)] if human is not None else []
    for table in experiment.benchmark:
        building = table.building(seed, languages.get(table.terminology or ""))
        nodes.append(BenchmarkNode(session, table.title, table, building))
    tables = [TaskNode(session, config.name, config) for config in session.configs]
    tables[0].begin = partial(_begin, session, file)
    return Graph(session, [*nodes, *tables, *([ReportNode(session, REPORT, file.text)] if report else [])])


def _begin(session: RunSession, file: ExperimentFile) -> None:
    """Keep the sets, and say in ``run.json`` what the run is about, for the workers to read."""
    experiment, folder = file.experiment, session.run.path
    record, testing = session.record, experiment.testing
    session.built, session.rated = load_sets(session.sets) if session.sets else [], []  # no two of one id
    write_text(folder / EXPERIMENT, file.text)
    for pairs in session.sets:
        ScoredSets(folder).write_set(pairs)
    session.record = record.made_now(testing)
    session.write(
        sets={pairs.id: SetRecord.of(pairs, ceiling=True) for pairs in session.sets},
        models={name: model for name, model in record.models.items() if name in session.models},
        descriptions={table.title: table.description for table in experiment.model},
        title=file.title,
        command=_command(file, session),
        measures=list(experiment.scoring.measures),
        terminologies={name: terminology.identity for name, terminology in session.terminologies.items()},
        benchmarks=session.benchmarks if experiment.benchmark else record.benchmarks,
        tasks=session.tables,
    )


def _command(file: ExperimentFile, session: RunSession) -> str:
    if len(session.models) > len(file.experiment.model):  # no command names objects
        return f"tg.run({str(file.path)!r}, models=…)" if file.path else "tg.run(models=…)"
    words = ["termgauge", "run", *([str(file.path)] if file.path else [])]
    if session.folder is not None and session.folder.path != file.output:
        words += ["--out", str(session.folder.path)]
    words += [word for flag in file.permissions.flags() for word in flag.split(" ", 1)]
    return shlex.join(words)
