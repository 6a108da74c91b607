"""Units of work done by others: in processes with a share of the cores each, in a pool, or on a cluster.

What a unit reads goes along, and what it writes into the run comes back: a worker has a run folder of its own, with
``run.json`` and the files that the unit reads; every file that is there afterwards and was not before is an answer, and
only the client writes the run itself. Whatever a unit says of a path is said of the path that the user named.

One unit at a time is the rule, for the kernels and encoders use all cores by themselves. A process that dies takes
only its own unit with it: the others are done again, one by one. An interruption ends all of them at once.
"""

from __future__ import annotations

import atexit
import os
import shutil
import signal
import threading
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, CancelledError, Future, ProcessPoolExecutor, wait
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from multiprocessing import get_context, parent_process
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from uuid import uuid4

from termgauge.embeddings.sending import ModelArtifacts, device_of, model_artifacts, relocated
from termgauge.embeddings.spec import ModelSpec
from termgauge.engine.models import opener
from termgauge.engine.run_folder import RUN, Failure, RunFolder
from termgauge.engine.units import BoundTask, Outcome, Unit
from termgauge.exceptions import CannotWriteError, ClusterLostError, TermgaugeError, sentence_of
from termgauge.executor import JobResult, current_executor
from termgauge.io.artifacts import artifact_of
from termgauge.io.atomic import TEMPORARY_PREFIX, temporary_beside, whole_file, write_text
from termgauge.io.identity import file_name
from termgauge.io.paths import PACKAGE_PREFIX, expanded
from termgauge.io.store import entry_path, sweep
from termgauge.progress import track
from termgauge.tasks.registry import task_of
from termgauge.threads import THREAD_VARIABLES, cores

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from concurrent.futures import Executor

    from termgauge.embeddings.model import Model
    from termgauge.io.artifacts import Artifact
    from termgauge.options import Options
    from termgauge.tasks.contract import Material
    from termgauge.terminology.model import Terminology
    from termgauge.terminology.options import ReadingOptions

WAKES_SECONDS = 0.2
"""Who waits wakes up so often to be interrupted: once Polars has worked, a signal wakes nobody who waits for a lock."""
FATAL = (BrokenExecutor, CancelledError, CannotWriteError, ClusterLostError)
"""What ends more than one unit."""
_KILLED = "Its process was killed, perhaps for lack of memory; free some, or use --jobs 1."
_DATA = "human-rated"
_SETS, _RATINGS = "sets", "sets/ratings"
_RUNS = "runs"
"""Where workers have run folders of their own, under the names of what processes that are killed leave behind."""


class TerminologySource(NamedTuple):
    """Where a terminology is, how it is read, and the hash of what it holds."""

    paths: tuple[str, ...]
    reading: ReadingOptions
    sha256: str


@dataclass(frozen=True)
class Work:
    """A table: what a task is asked, in a form that any worker understands who has the files that it names."""

    task: str
    options: Options
    material: Material
    """Without what is large: sets, the terminology, the run."""
    specs: Mapping[str, str]
    """The models by name."""
    run: str = ""
    """The folder that holds the sets; empty if there are none."""
    sets: tuple[str, ...] = ()
    terminology: TerminologySource | None = None
    elsewhere: bool = False
    """Whether another machine may have what a worker lacks."""
    token: str = field(default_factory=lambda: uuid4().hex)
    """What a worker keeps for one table is not used for another, before which files may have changed."""


@dataclass(frozen=True)
class UnitInputs:
    """What goes along with a unit."""

    paths: Mapping[str, tuple[str, Artifact]]
    """By what stands in a spec or an option: what messages call it, and what it is."""
    model: ModelArtifacts
    files: Mapping[str, Artifact] = field(default_factory=dict)
    """Files of the run folder by their names in it."""
    record: str = ""
    """``run.json``; empty where there is no run."""

    @property
    def artifacts(self) -> tuple[Artifact, ...]:
        """All that is to be sent."""
        named = [artifact for _shown, artifact in self.paths.values()]
        return tuple(dict.fromkeys([*named, *self.files.values(), *self.model]))


def unit_jobs(
    work: Work, units: Iterable[Unit], artifact: Callable[[Path], Artifact]
) -> Iterator[tuple[Work, Unit, UnitInputs]]:
    """Yield each unit of a table with what goes along: its model, what all units read, and what there is of it already.

    `artifact` makes an artifact of a file or folder.
    """
    artifact, folder, kept = lru_cache(maxsize=None)(artifact), Path(work.run).absolute(), task_of(work.task).kept_in
    work = replace(work, run=str(folder) if work.run else "")
    named = list(work.terminology.paths) if work.terminology else []

    def note(path: str) -> str:
        named.append(path)
        return path

    work.options.located(note)
    paths = {  # beside those of models; what is not there fails where it is opened
        text: (str(expanded(text)), artifact(expanded(text)))
        for text in named
        if not text.startswith(PACKAGE_PREFIX) and expanded(text).exists()
    }
    files = _files_of_all(work) if work.run else {}
    for unit in units:
        spec = work.specs[unit.model]
        try:
            model = model_artifacts(ModelSpec.parse(spec), artifact)
        except TermgaugeError:  # it means nothing, and fails where it is opened
            model = ModelArtifacts()
        inputs = UnitInputs(paths, model)
        if work.run:
            scored = sorted((folder / kept / file_name(unit.model)).glob("*")) if kept else []
            there = files | {path.relative_to(folder).as_posix(): path for path in scored}
            record = (folder / RUN).read_text(encoding="utf-8")
            inputs = UnitInputs(paths, model, {name: artifact(path) for name, path in there.items()}, record)
        yield replace(work, specs={unit.model: spec}), unit, inputs


def _files_of_all(work: Work) -> dict[str, Path]:
    """Return the files of a run that all units of a table read, by name."""
    from termgauge.benchmark.human.sets import human_sets

    sets = [f"{file_name(set_id)}.parquet" for set_id in work.sets]
    files = {f"{folder}/{name}": Path(work.run, folder, name) for name in sets for folder in (_SETS, _RATINGS)}
    for entry in human_sets():  # those that name each concept in several systems, which scoring looks at again
        several = entry.id in work.sets and len(entry.layout.concepts) > 1
        if several and (path := entry.locate(work.material.data_dir)):
            files[f"{_DATA}/{path.name}"] = path
    return {name: path for name, path in files.items() if path.is_file()}


def do_unit(work: Work, unit: Unit, inputs: UnitInputs) -> tuple[Outcome, dict[str, bytes]]:
    """Do a unit on a worker; return what became of it, and what it wrote into its run folder."""
    local = {text: str(artifact.here) for text, (_shown, artifact) in inputs.paths.items()}
    shown = {shown: local[text] for text, (shown, _artifact) in inputs.paths.items()}

    def at(path: str) -> str:
        return local.get(path, path)

    spec = work.specs[unit.model]
    if inputs.model.location is not None:
        parsed = ModelSpec.parse(spec)
        there = relocated(parsed, inputs.model)
        spec, shown[str(expanded(parsed.location))] = str(there), there.location
    source = work.terminology and work.terminology._replace(paths=tuple(map(at, work.terminology.paths)))
    data_dir = None
    before: dict[str, tuple[int, int]] = {}
    if inputs.record:
        with _one_at_a_time:
            folder = _run_folder(work.token)
        for name, artifact in inputs.files.items():
            _link(artifact.here, folder / name)
        write_text(folder / RUN, inputs.record)
        before = _files_in(folder)
        shown[work.run] = str(folder)
        data_dir = folder / _DATA if (folder / _DATA).is_dir() else None
    moved = replace(
        work,
        options=work.options.located(at),
        terminology=source,
        material=replace(work.material, data_dir=data_dir),
        run=str(folder) if inputs.record else work.run,
    )

    def as_named(text: str) -> str:
        for name in sorted(shown, key=lambda name: -len(shown[name])):
            text = text.replace(shown[name], name)
        return text

    def opened() -> Model:
        model = opener(unit.model, spec)()
        if (source := as_named(model.source)) != model.source:
            object.__setattr__(model, "source", source)
        return model

    with _one_at_a_time:
        bound = _bound(moved)
    outcome = bound.attempt(unit.model, opened, unit.parts, elsewhere=work.elsewhere)
    failure = outcome.failure and outcome.failure.model_copy(update={"reason": as_named(outcome.failure.reason)})
    outcome = replace(outcome, failure=failure, notes=tuple(map(as_named, outcome.notes)))
    after = _files_in(folder) if inputs.record else {}
    changed = sorted(name for name, state in after.items() if before.get(name) != state)
    return outcome, {name: (folder / name).read_bytes() for name in changed}


def write_files(folder: str, files: Mapping[str, bytes]) -> None:
    """Write what a unit brings back into the run folder, each file whole or not at all."""
    for name, content in files.items():
        with whole_file(Path(folder) / name) as temporary:
            temporary.write_bytes(content)


_tasks: dict[str, BoundTask] = {}
_terminologies: dict[str, Terminology] = {}
"""What the units of the last table share."""
_one_at_a_time = threading.Lock()
"""Held while that is made: a pool may have threads."""


def _bound(work: Work) -> BoundTask:
    """Make what a unit needs beside its model; units of one table share it."""
    if work.token not in _tasks:
        task = task_of(work.task)
        scored = RunFolder(Path(work.run)).scored(work.material.testing) if work.run else None
        material = replace(
            work.material,
            terminology=_terminology(work.terminology) if work.terminology else None,
            sets=tuple(scored.read_set(name) for name in work.sets) if scored else (),
            run=scored,
        )
        bound = BoundTask.from_material(task, work.options, material, task.called(material.name))
        _tasks.clear()
        _tasks[work.token] = bound
    return _tasks[work.token]


def _terminology(source: TerminologySource) -> Terminology:
    from termgauge.terminology import read_terminology

    key = f"{source.sha256} {source.reading.model_dump_json()}"
    if key not in _terminologies:
        _terminologies.clear()
        _terminologies[key] = read_terminology(source.paths, **source.reading.model_dump())
    if _terminologies[key].identity.sha256 != source.sha256:
        raise TermgaugeError(f"{source.paths[0]}: holds something else here than where the run was started.")
    return _terminologies[key]


@lru_cache(maxsize=64)
def _run_folder(_token: str) -> Path:
    """Return a run folder of this worker for a table; its units share it."""
    sweep(_RUNS)
    folder = temporary_beside(entry_path(_RUNS, "run"))
    folder.mkdir(parents=True)
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def _link(source: Path, target: Path) -> None:
    """Put a file into a run folder, where a former one of its name may be of another unit."""
    if target.exists() and target.samefile(source):
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    temporary = temporary_beside(target)
    try:
        temporary.hardlink_to(source)
    except OSError:  # another disk
        shutil.copyfile(source, temporary)
    temporary.replace(target)


def _files_in(folder: Path) -> dict[str, tuple[int, int]]:
    """Return the files of a folder, each with what changes when it is written."""
    files = ((path, path.stat()) for path in folder.rglob("*") if path.is_file())
    return {
        path.relative_to(folder).as_posix(): (state.st_ino, state.st_mtime_ns)
        for path, state in files
        if not path.name.startswith(TEMPORARY_PREFIX)
    }


def require_devices(devices: Iterable[str]) -> None:
    """Refuse a GPU that no worker of a cluster of several machines says it has, before anything starts."""
    executor = current_executor()
    wanted = next((device for device in devices if device.startswith("cuda")), None)
    if wanted and executor is not None and not executor.local and not executor.gpus:
        raise TermgaugeError(
            f"device={wanted}: no worker of the cluster says that it has a GPU; start one with: dask worker "
            "--resources GPU=1, or give device=cpu."
        )


def work_off(
    bound: BoundTask,
    units: Sequence[Unit],
    openers: Mapping[str, Callable[[], Model]],
    work: Work | None,
    jobs: int = 1,
    pool: Executor | None = None,
) -> list[Outcome]:
    """Do the units of a table: on the cluster, in a pool whose workers see the same files, in processes, or here.

    Without `work`, which says in plain values what others are to do, everything is done here. Others do each part of a
    model as a unit of its own. What became of units is in their order.
    """
    results: Iterable[tuple[int, Outcome]]
    if work is None:
        called, results = "", enumerate(bound.attempt(unit.model, openers[unit.model], unit.parts) for unit in units)
    else:
        units = [Unit(unit.model, (part,)) for unit in units for part in unit.parts]
        called, results = bound.task.parts_called, _by_others(bound, work, units, jobs, pool)
    done: dict[int, Outcome] = {}
    with track(bound.step.capitalize(), len(units), called or "models") as advance:
        for at, outcome in results:
            done[at] = outcome
            advance(1)
    return [done[at] for at in range(len(units))]


def _by_others(
    bound: BoundTask, work: Work, units: Sequence[Unit], processes: int, pool: Executor | None
) -> Iterator[tuple[int, Outcome]]:
    """Yield what became of units, and keep what they wrote; one that does not come back costs itself alone."""
    results: Iterable[JobResult[tuple[Outcome, dict[str, bytes]]]]
    if (cluster := current_executor()) is not None:
        require_devices([getattr(bound.options, "device", ""), *map(device_of, work.specs.values())])
        jobs, gpu = unit_jobs(replace(work, elsewhere=True), units, cluster.artifact), bound.task.on_gpu(bound.options)
        results = cluster.map(do_unit, jobs, label=bound.step, inputs=lambda *job: job[2].artifacts, gpu=gpu)
    else:
        jobs = unit_jobs(work, units, partial(artifact_of, shared=True))
        results = _in_pool(pool, dict(enumerate(jobs)), processes)
    for done in results:
        unit = units[done.number]
        try:
            outcome, files = done.result()
        except FATAL:
            raise
        except Exception as error:  # noqa: BLE001 - a defect, too, which the sentence says
            outcome = Outcome(unit.model, failure=Failure(step=bound.step, reason=sentence_of(error)), parts=unit.parts)
        else:
            write_files(work.run, files)
        seconds = done.seconds or outcome.seconds
        yield done.number, replace(outcome, worker=done.worker, seconds=seconds, tries=done.tries)


def _in_pool(pool: Executor | None, jobs: dict[int, tuple[Any, ...]], processes: int) -> Iterator[JobResult[Any]]:
    """Do jobs in a pool, or in processes; where one process died, and with it all that was under way, one by one."""
    futures: dict[Future[Any], int] = {}
    with nullcontext(pool) if pool is not None else _processes(max(1, min(processes, len(jobs)))) as executor:
        try:
            for at, job in jobs.items():
                futures[executor.submit(do_unit, *job)] = at
            for future in _as_completed(set(futures)):
                result = _result_of(futures[future], future)
                del jobs[result.number]
                yield result
        except BrokenExecutor:
            for at, job in jobs.items():
                try:
                    with _processes(1) as alone:
                        (future,) = _as_completed({alone.submit(do_unit, *job)})
                        result = _result_of(at, future)
                except BrokenExecutor:
                    result = JobResult(at, error=TermgaugeError(_KILLED))
                yield result
        finally:
            for future in futures:
                future.cancel()


def _result_of(number: int, future: Future[Any]) -> JobResult[Any]:
    """Return what became of a job; the end of its process is raised."""
    error = future.exception()
    if isinstance(error, BrokenExecutor):
        raise error
    return JobResult(number, None if error else future.result(), error)


def _as_completed(left: set[Future[Any]]) -> Iterator[Future[Any]]:
    while left:
        done, left = wait(left, timeout=WAKES_SECONDS, return_when=FIRST_COMPLETED)
        yield from done


@contextmanager
def _processes(workers: int) -> Iterator[ProcessPoolExecutor]:
    """Give processes that share the cores among them."""
    former = {name: os.environ.get(name) for name in THREAD_VARIABLES}
    # Libraries read them when they are first imported.
    os.environ.update(dict.fromkeys(THREAD_VARIABLES, str(max(1, cores() // workers))))
    try:
        # Not forked: threads of kernels and encoders do not survive that.
        with _Pool(workers, mp_context=get_context("spawn"), initializer=_end_with_parent) as pool:
            try:
                yield pool
            except KeyboardInterrupt:  # what they write is whole or not at all
                for process in list((pool._processes or {}).values()):  # noqa: SLF001
                    process.kill()
                raise
    finally:
        for name, value in former.items():
            os.environ.pop(name, None)
            if value is not None:
                os.environ[name] = value


class _Pool(ProcessPoolExecutor):
    """Processes that leave interruptions to the one that started them, which then ends them at once."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:  # noqa: ANN401
        if not hasattr(signal, "pthread_sigmask"):  # Windows, where a console interrupts all its processes
            return super().submit(fn, *args, **kwargs)
        # Processes are started here, and what is blocked now is blocked in them for good.
        former = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            return super().submit(fn, *args, **kwargs)
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, former)


def _end_with_parent() -> None:
    """End this process when the one that started it is killed; it would otherwise wait for work forever."""
    parent = parent_process()
    if parent is None:
        return

    def watch() -> None:
        parent.join()
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
