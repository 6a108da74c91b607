"""Units on other machines: what a unit reads goes along, what it writes into the run comes back.

A worker has a run folder of its own, with ``run.json`` and the files that the unit reads; every file that is there
afterwards and was not before is an answer, and only the client writes the run itself. Whatever a unit says of a path,
in notes and failures, is said of the path that the user named.
"""

from __future__ import annotations

import atexit
import shutil
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from termgauge.embeddings.sending import ModelArtifacts, model_artifacts, relocated
from termgauge.embeddings.spec import ModelSpec
from termgauge.engine.run_folder import RUN
from termgauge.engine.units import Outcome, Unit, Work, do, forget
from termgauge.exceptions import TermgaugeError
from termgauge.executor import forget_when_done
from termgauge.io.atomic import TEMPORARY_PREFIX, temporary_beside, whole_file, write_text
from termgauge.io.identity import file_name
from termgauge.io.paths import PACKAGE_PREFIX, expanded
from termgauge.io.store import entry_path, sweep
from termgauge.tasks.registry import task_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from termgauge.executor import Artifact, JobExecutor

_DATA = "human-rated"
_SETS = "sets"
_RUNS = "runs"
"""Where workers have run folders of their own, under the names of what processes that are killed leave behind."""


class NamedPath(NamedTuple):
    """A file or folder that the user named."""

    text: str
    """As it stands in the spec or the option."""
    shown: str
    """As messages call it."""
    artifact: Artifact


@dataclass(frozen=True)
class UnitInputs:
    """What goes along with a unit."""

    paths: tuple[NamedPath, ...] = ()
    files: tuple[tuple[str, Artifact], ...] = ()
    """Files of the run folder by their names in it."""
    record: str = ""
    """``run.json``; empty where there is no run."""
    model: ModelArtifacts = field(default_factory=ModelArtifacts)

    @property
    def artifacts(self) -> tuple[Artifact, ...]:
        """All that is to be sent."""
        named = [*(path.artifact for path in self.paths), *(artifact for _name, artifact in self.files)]
        return tuple(dict.fromkeys([*named, *self.model]))


class UnitSender:
    """Makes jobs of the units of a table."""

    def __init__(self, work: Work, executor: JobExecutor) -> None:
        self._executor, self._artifacts = executor, dict[str, "Artifact"]()
        self._specs = dict(work.specs)
        run = str(Path(work.run).absolute()) if work.run else ""
        data_dir = str(Path(work.data_dir).absolute()) if work.data_dir else None
        self._work = replace(work, specs=(), run=run, data_dir=data_dir)
        self._paths = tuple(
            NamedPath(text, str(expanded(text)), self._artifact(expanded(text)))
            for text in dict.fromkeys(_named_paths(work))
        )
        self._files = list(self._files_of_run()) if run else []

    def _files_of_run(self) -> Iterator[tuple[str, Path]]:
        folder = Path(self._work.run)
        for set_id, _sha256 in self._work.sets:
            for name in (f"{_SETS}/{file_name(set_id)}.parquet", f"{_SETS}/ratings/{file_name(set_id)}.parquet"):
                if (folder / name).is_file():
                    yield name, folder / name
        yield from ((f"{_DATA}/{path.name}", path) for path in _rated_files(self._work))

    def job(self, unit: Unit) -> tuple[Work, Unit, UnitInputs]:
        """Return a unit with what goes along: its model, what all units read, and what there is of it already."""
        spec = self._specs[unit.model]
        try:
            model = model_artifacts(ModelSpec.parse(spec), self._executor)
        except TermgaugeError:  # it means nothing, and fails where it is opened
            model = ModelArtifacts()
        work = replace(self._work, specs=((unit.model, spec),))
        if not work.run:
            return work, unit, UnitInputs(self._paths, model=model)
        folder, kept = Path(work.run), task_of(work.task).kept_in
        of_model = sorted((folder / kept / file_name(unit.model)).glob("*")) if kept else []
        files = [*self._files, *((path.relative_to(folder).as_posix(), path) for path in of_model)]
        artifacts = tuple((name, self._artifact(path)) for name, path in files)
        return work, unit, UnitInputs(self._paths, artifacts, (folder / RUN).read_text(encoding="utf-8"), model)

    def _artifact(self, path: Path) -> Artifact:
        key = str(path.absolute())
        if key not in self._artifacts:
            self._artifacts[key] = self._executor.artifact(path)
        return self._artifacts[key]


def _named_paths(work: Work) -> list[str]:
    """Return the paths that a table names beside its models; what is not there fails where it is opened."""
    named = list(work.terminology[0]) if work.terminology else []

    def noted(path: str) -> str:
        named.append(path)
        return path

    task_of(work.task).options.model_validate_json(work.options).located(noted)
    return [path for path in named if not path.startswith(PACKAGE_PREFIX) and expanded(path).exists()]


def _rated_files(work: Work) -> Iterator[Path]:
    """Yield the files of human-rated sets that name each concept in several systems, which scoring looks at again."""
    from termgauge.benchmark.human.sets import human_sets, locate

    wanted = {set_id for set_id, _sha256 in work.sets}
    for entry in human_sets():
        if entry.id in wanted and len(entry.layout.concepts) > 1:
            path = locate(entry, work.data_dir)
            if path is not None:
                yield path


def do_unit(work: Work, unit: Unit, inputs: UnitInputs) -> tuple[Outcome, dict[str, bytes]]:
    """Do a unit on a worker of a cluster; return what became of it, and what it wrote into its run folder."""
    forget_when_done(_forget)
    local = {path.text: str(path.artifact.here) for path in inputs.paths}
    shown = {path.shown: local[path.text] for path in inputs.paths}
    moved = _relocated(work, lambda path: local.get(path, path))
    if inputs.model.location is not None:
        spec = ModelSpec.parse(dict(work.specs)[unit.model])
        there = relocated(spec, inputs.model)
        moved = replace(moved, specs=((unit.model, str(there)),))
        shown[str(expanded(spec.location))] = there.location
    if not inputs.record:
        return do(moved, unit, _as_named(shown)), {}
    folder = _run_folder(work.token)
    for name, artifact in inputs.files:
        _link(artifact.here, folder / name)
    write_text(folder / RUN, inputs.record)
    before = _files_in(folder)
    data_dir = str(folder / _DATA) if (folder / _DATA).is_dir() else None
    moved = replace(moved, run=str(folder), data_dir=data_dir)
    outcome = do(moved, unit, _as_named(shown | {work.run: str(folder)}))
    changed = sorted(name for name, state in _files_in(folder).items() if before.get(name) != state)
    return outcome, {name: (folder / name).read_bytes() for name in changed}


def write_files(folder: str, files: dict[str, bytes]) -> None:
    """Write what a unit brings back into the run folder, each file whole or not at all."""
    for name, content in files.items():
        with whole_file(Path(folder) / name) as temporary:
            temporary.write_bytes(content)


def _relocated(work: Work, at: Callable[[str], str]) -> Work:
    """Return a table with all that it names beside its model moved by a function."""
    options = task_of(work.task).options.model_validate_json(work.options).located(at)
    terminology = work.terminology and (tuple(map(at, work.terminology[0])), *work.terminology[1:])
    return replace(work, options=options.model_dump_json(), terminology=terminology)


def _as_named(local: dict[str, str]) -> Callable[[str], str]:
    """Return what makes a text speak of paths as the user named them, given where they are here."""

    def renamed(text: str) -> str:
        for name in sorted(local, key=lambda name: -len(local[name])):
            text = text.replace(local[name], name)
        return text

    return renamed


_runs: list[Path] = []


@lru_cache(maxsize=64)
def _run_folder(_token: str) -> Path:
    """Return a run folder of this worker for a table; its units share it."""
    sweep(_RUNS)
    folder = temporary_beside(entry_path(_RUNS, "run"))
    folder.mkdir(parents=True)
    _runs.append(folder)
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


@atexit.register
def _forget() -> None:
    """Let go of what units shared in this worker."""
    forget()
    _run_folder.cache_clear()
    for folder in _runs:
        shutil.rmtree(folder, ignore_errors=True)
    _runs.clear()
