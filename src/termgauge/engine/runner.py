"""Running a whole experiment: read, build, measure, report, each step only as far as it is missing.

The run folder remembers what was made from what. So a run that was killed goes on where it stopped, a changed file is
noticed, and a second run of the same file is quick. A model that fails costs itself alone and is named in ``run.json``.
"""

from __future__ import annotations

import shlex
import shutil
import time
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from termgauge.benchmark.load import load_sets
from termgauge.cluster.connect import use_client
from termgauge.engine.file import ExperimentFile, load_experiment
from termgauge.engine.run_folder import EXPERIMENT, BenchmarkRecord, DamagedRunError, RunFolder, RunRecord
from termgauge.engine.session import RunSession
from termgauge.engine.steps import BUILD, HUMAN, READ, REPORT, step_names
from termgauge.engine.trust import Permissions
from termgauge.engine.units import by_name
from termgauge.exceptions import CannotWriteError, ClusterLostError, TermgaugeError, left_out, sentence_of, warn
from termgauge.io.atomic import write_text
from termgauge.io.identity import file_name
from termgauge.options import also_called
from termgauge.progress import steps
from termgauge.tasks.contract import Material
from termgauge.tasks.pairs.scored import ScoredSets
from termgauge.tasks.records import SetRecord
from termgauge.tasks.registry import all_tasks
from termgauge.terminology.model import TerminologyIdentity

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterable, Iterator
    from concurrent.futures import Executor

    from termgauge.benchmark.pairset import PairSet
    from termgauge.embeddings.model import Model
    from termgauge.engine.tables import TaskConfig, TerminologyTable
    from termgauge.terminology.model import Terminology

_DOMAINS = "domains"


@also_called(allow_host="allow_hosts", allow_variable="allow_variables")
def run(
    experiment: str | os.PathLike[str] | ExperimentFile | None = None,
    *,
    out: str | os.PathLike[str] | None = None,
    jobs: int = 1,
    report: bool = True,
    executor: Executor | None = None,
    client: Any = None,  # noqa: ANN401
    shared: bool = False,
    allow_hosts: Iterable[str] = (),
    allow_variables: Iterable[str] = (),
    allow_remote_code: bool = False,
    trust: bool = False,
    models: Any = None,  # noqa: ANN401
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
    allow_hosts
        Hosts to which the file may send texts, and the keys that it names, each as ``HOST`` or ``HOST:PORT``.
    allow_variables
        Environment variables that the file may read.
    allow_remote_code
        Whether Python code that comes with a model of the file may run.
    trust
        Whether the file may send texts and read variables of the environment as it says; a key still goes only to the
        hosts that it belongs to, or that you allow.
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
    if isinstance(experiment, ExperimentFile):
        file = experiment
    else:
        allowed = Permissions(tuple(allow_hosts), tuple(allow_variables), allow_remote_code, trust)
        file = load_experiment(experiment, allowed)
    folder = RunFolder(Path(out) if out is not None else file.output)
    measured: dict[str, str | Model] = {table.title: table.spec for table in file.experiment.model}
    more = {} if models is None else by_name(models, file.experiment.scoring.missing)
    for name in measured.keys() & more.keys():
        raise TermgaugeError(f"A model of the file is called '{name}', too; give yours another name.")
    measured |= more
    with use_client(client, shared=shared):
        return _Runner(file, RunSession(folder, _former(folder), measured, jobs, executor)).run(report=report)


def _former(folder: RunFolder) -> RunRecord:
    """Return ``run.json`` as it was; one that is damaged is made again from the files, which know what they are."""
    try:
        return folder.record()
    except DamagedRunError as error:
        warn(f"{error} It is made again.")
        return RunRecord()


@dataclass
class _Runner:
    """What is known so far of a run under way."""

    file: ExperimentFile
    measuring: RunSession
    terminologies: dict[str, Terminology] = field(default_factory=dict)
    sets: list[PairSet] = field(default_factory=list)
    section_failures: dict[str, str] = field(default_factory=dict)
    timings: dict[str, float] = field(default_factory=dict)
    defect: Exception | None = None
    """What ends the run as a defect, once all else is done and reported."""
    _begun: bool = False

    @property
    def folder(self) -> RunFolder:
        return self.measuring.folder

    def run(self, *, report: bool) -> RunFolder:
        names = step_names(self.file.experiment, report=report)
        fixed: dict[str, Callable[[], None]] = {
            READ: self._read,
            HUMAN: self._human,
            BUILD: self._build,
            REPORT: self._report,
        }
        with ExitStack() as held, steps(names) as begin:
            at_work = False
            for name in names:
                begin(name)
                if not at_work and name not in (READ, HUMAN):  # what is to be read was there: now the folder is made
                    held.enter_context(self.folder.at_work())
                    at_work = True
                with self._timed(name):
                    if name in fixed:
                        fixed[name]()
                    else:
                        self._measure(name)
            self._write_end()
        if self.defect is not None:
            raise self.defect
        return self.folder

    @contextmanager
    def _timed(self, name: str) -> Iterator[None]:
        began = time.monotonic()
        yield
        former = self.measuring.record.timings.get(name, 0.0)
        # What was there already took no time now; how long it took is what people want to know.
        self.timings[name] = max(round(time.monotonic() - began, 2), former)

    def _read(self) -> None:
        from termgauge.terminology import read_terminology

        for table in self.file.experiment.terminology:
            self.terminologies[table.name] = read_terminology(table.sources, **table.reading.model_dump())

    def _human(self) -> None:
        table = self.file.experiment.human
        assert table is not None
        names = ["human"] if table.sets == "all" else table.sets
        self.sets += load_sets(names, data_dir=self._data_dir, download=table.download)

    @property
    def _data_dir(self) -> Path | None:
        human = self.file.experiment.human
        return Path(human.data_dir) if human and human.data_dir else None

    def _build(self) -> None:
        from termgauge.benchmark.build import build
        from termgauge.benchmark.load import load_benchmark

        records = {}
        built: list[PairSet] = []
        for table in self.file.experiment.benchmark:
            if table.file is not None:
                built += table.own_set()
                continue
            if table.folder is not None:
                benchmark = load_benchmark(table.folder)
            else:
                assert table.terminology is not None  # the file was checked
                options = table.building(self.file.experiment.seed, self._table_of(table.terminology).language)
                place = self.folder.path / "benchmarks" / table.title
                # The folder is the run's own: what another version of the file built there is out of date.
                benchmark = build(
                    self.terminologies[table.terminology], place, force=True, **options.model_dump(exclude_unset=True)
                )
            manifest = benchmark.manifest
            records[table.title] = BenchmarkRecord(
                folder=str(benchmark.folder),
                terminology=TerminologyIdentity(**manifest.terminology),
                seed=manifest.seed,
                options=manifest.options,
                notes=list(manifest.notes),
            )
            built += benchmark
        self.sets = built + self.sets
        self.measuring.record = self.measuring.record.model_copy(update={"benchmarks": records})

    def _table_of(self, name: str) -> TerminologyTable:
        return next(each for each in self.file.experiment.terminology if each.name == name)

    def _begin(self) -> None:
        """Keep the sets, and say in ``run.json`` what the run is about, for the workers to read."""
        experiment, record = self.file.experiment, self.measuring.record
        self.sets = load_sets(self.sets) if self.sets else []  # no two of one id
        write_text(self.folder.path / EXPERIMENT, self.file.text)
        for pairs in self.sets:
            ScoredSets(self.folder.path).write_set(pairs)
        testing, asked = experiment.testing, list(experiment.task_configs())
        self.measuring.record = record.made_now(testing)
        self.measuring.write(
            sets={pairs.id: SetRecord.of(pairs, ceiling=True) for pairs in self.sets},
            models={name: each for name, each in record.models.items() if name in self.measuring.models},
            descriptions={table.title: table.description for table in experiment.model},
            title=self.file.title,
            command=self._command(),
            correction=testing.correction,
            measures=list(experiment.scoring.measures),
            significance=testing,
            terminologies={name: each.identity for name, each in self.terminologies.items()},
            tasks={
                task.name: [each.name for each in asked if each.task is task]
                for task in all_tasks().values()
                if task.repeated
            },
        )

    def _command(self) -> str:
        if len(self.measuring.models) > len(self.file.experiment.model):  # no command names objects
            return f"tg.run({str(self.file.path)!r}, models=…)" if self.file.path else "tg.run(models=…)"
        words = ["termgauge", "run", *([str(self.file.path)] if self.file.path else [])]
        if self.folder.path != self.file.output:
            words += ["--out", str(self.folder.path)]
        words += [word for flag in self.file.permissions.flags() for word in flag.split(" ", 1)]
        return shlex.join(words)

    def _measure(self, title: str) -> None:
        """Measure all tables of a task."""
        if not self._begun:
            self._begin()
            self._begun = True
        for each in self.file.experiment.task_configs():
            if each.task.title == title:
                self._measure_table(each)

    def _measure_table(self, asked: TaskConfig) -> None:
        """Measure a table; one that cannot be measured is noted, instead of losing all that was done before it."""
        task = asked.task
        terminology, source = self._terminology(asked)
        material = Material(
            name=asked.name,
            terminology=terminology,
            sets=tuple(self.sets) if "sets" in task.needs else (),
            testing=self.file.experiment.testing,
            data_dir=self._data_dir,
            run=self.folder.scored(self.file.experiment.testing),
        )
        try:
            self.measuring.measure(task, asked.options, material, source)
        except (CannotWriteError, ClusterLostError):
            raise
        except Exception as error:  # a defect, too, which the sentence says
            if not self.measuring.record.models:
                raise TermgaugeError(f"No model can be used: {sentence_of(error)}") from None
            if not task.keeps:
                if isinstance(error, TermgaugeError | OSError | MemoryError):
                    raise
                self.defect = error
            task.discard(self.folder.path, asked.name)  # what it was is out of date
            title = task.called(asked.name)
            self.section_failures[title] = sentence_of(error)
            left_out(f"the section '{title}'", f"The section '{title}' is left out: {sentence_of(error)}")
        self._note()

    def _terminology(self, asked: TaskConfig) -> tuple[Terminology | None, tuple[tuple[str, ...], str, str] | None]:
        """Return the terminology of a table: that of the name, or the only one; and how a worker reads it."""
        tables = self.file.experiment.terminology
        if "terminology" not in asked.task.needs or not tables:
            return None, None
        table = self._table_of(asked.terminology) if asked.terminology else tables[0]
        terminology = self.terminologies[table.name]
        places = tuple(str(place) for place in table.sources)
        return terminology, (places, table.reading.model_dump_json(), terminology.identity.sha256)

    def _note(self) -> None:
        self.measuring.write(section_failures=dict(self.section_failures), timings=dict(self.timings))

    def _write_end(self) -> None:
        """Say in ``run.json`` what failed and how long the steps took, and delete what is not asked for any more."""
        asked = [(each.task, file_name(each.name)) for each in self.file.experiment.task_configs()]
        kept = {_DOMAINS: {name for _task, name in asked}}
        kept |= {task.name: {name for other, name in asked if other is task} for task in all_tasks().values()}
        for folder, names in kept.items():
            for file in (self.folder.path / folder).glob("*.json"):
                if file.stem not in names:
                    file.unlink(missing_ok=True)
                    shutil.rmtree(file.with_suffix(""), ignore_errors=True)
        self._note()

    def _report(self) -> None:
        self._write_end()
        from termgauge.engine.report import update_report

        update_report(self.folder)
