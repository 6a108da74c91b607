"""Units on other machines: what a unit reads goes along, what it writes into the run comes back.

Without a shared disk a worker has a run folder of its own, with ``run.json`` and the files that the unit reads; every
file that is there afterwards and was not before is an answer. With one, it works in the run folder itself. Whatever it
says of a place, in notes and failures, is said of the place that the user named.
"""

from __future__ import annotations

import atexit
import shutil
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from termgauge.cluster.worker import forget_when_done
from termgauge.embeddings.sending import ModelArtifacts, model_artifacts, relocated
from termgauge.embeddings.spec import ModelSpec
from termgauge.engine.run_folder import RUN
from termgauge.engine.units import Outcome, Unit, Work, do, forget
from termgauge.exceptions import TermgaugeError
from termgauge.io.atomic import TEMPORARY_PREFIX, temporary_beside, whole_file, write_text
from termgauge.io.cache import entry_path, sweep
from termgauge.io.identity import file_name
from termgauge.io.paths import PACKAGE_PREFIX, expanded
from termgauge.tasks.registry import task_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from termgauge.executor import Artifact, JobExecutor

_DATA = "human-rated"
_SETS = "sets"
_RUNS = "runs"
"""Where workers have run folders of their own, under the names of what processes that are killed leave behind."""


class Named(NamedTuple):
    """A file or folder that the user named."""

    text: str
    """As it stands in the spec or the option."""
    said: str
    """As messages call it."""
    artifact: Artifact


@dataclass(frozen=True)
class Sent:
    """What goes along with a unit."""

    places: tuple[Named, ...] = ()
    files: tuple[tuple[str, Artifact], ...] = ()
    """Files of the run folder by their names in it."""
    record: str = ""
    """``run.json``; empty where the run folder itself is seen, or there is none."""
    model: ModelArtifacts = field(default_factory=ModelArtifacts)

    @property
    def artifacts(self) -> tuple[Artifact, ...]:
        """All that is to be sent."""
        named = [*(place.artifact for place in self.places), *(artifact for _name, artifact in self.files)]
        return tuple(dict.fromkeys([*named, *self.model]))


@dataclass(frozen=True)
class Returned:
    """What a unit brings back."""

    outcome: Outcome
    files: tuple[tuple[str, bytes], ...] = ()
    """What it wrote into its run folder."""

    def unpacked(self, folder: str) -> Outcome:
        """Write the files into the run folder, whole or not at all, and return what became of the unit."""
        for name, content in self.files:
            with whole_file(Path(folder) / name) as temporary:
                temporary.write_bytes(content)
        return self.outcome


class Sender:
    """Makes artifacts of what the units of a table read."""

    def __init__(self, work: Work, place: JobExecutor) -> None:
        self._place, self._known = place, dict[str, "Artifact"]()
        self._specs = dict(work.specs)
        run = str(Path(work.run).absolute()) if work.run else ""
        data_dir = str(Path(work.data_dir).absolute()) if work.data_dir else None
        self._work = replace(work, specs=(), run=run, data_dir=data_dir)
        self._places = tuple(
            Named(text, str(expanded(text)), self._artifact(expanded(text))) for text in dict.fromkeys(_named(work))
        )
        self._files = [] if place.shared or not work.run else list(self._of_run())

    def _of_run(self) -> Iterator[tuple[str, Path]]:
        folder = Path(self._work.run)
        for set_id, _sha256 in self._work.sets:
            for name in (f"{_SETS}/{file_name(set_id)}.parquet", f"{_SETS}/ratings/{file_name(set_id)}.parquet"):
                if (folder / name).is_file():
                    yield name, folder / name
        yield from ((f"{_DATA}/{path.name}", path) for path in _rated(self._work))

    def block(self, unit: Unit) -> tuple[Work, Unit, Sent]:
        """Return a unit with what goes along: its model, what all units read, and what there is of it already."""
        spec = self._specs[unit.model]
        work = replace(self._work, specs=((unit.model, spec),))
        sent = Sent(self._places, model=self._of_model(spec))
        if self._place.shared or not work.run:
            return work, unit, sent
        folder = Path(work.run)
        kept = task_of(work.task).kept_in
        of_model = sorted((folder / kept / file_name(unit.model)).glob("*")) if kept else []
        files = [*self._files, *((path.relative_to(folder).as_posix(), path) for path in of_model)]
        record = (folder / RUN).read_text(encoding="utf-8")
        artifacts = tuple((name, self._artifact(path)) for name, path in files)
        return work, unit, replace(sent, files=artifacts, record=record)

    def _of_model(self, spec: str) -> ModelArtifacts:
        try:
            return model_artifacts(ModelSpec.parse(spec), self._place)
        except TermgaugeError:  # it means nothing, and fails where it is opened
            return ModelArtifacts()

    def _artifact(self, path: Path) -> Artifact:
        key = str(path.absolute())
        if key not in self._known:
            self._known[key] = self._place.artifact(path)
        return self._known[key]


def _named(work: Work) -> list[str]:
    """Return the places that a table names beside its models; what is not there fails where it is opened."""
    named = list(work.terminology[0]) if work.terminology else []

    def noted(place: str) -> str:
        named.append(place)
        return place

    task_of(work.task).options.model_validate_json(work.options).located(noted)
    return [place for place in named if not place.startswith(PACKAGE_PREFIX) and expanded(place).exists()]


def _rated(work: Work) -> Iterator[Path]:
    """Yield the files of human-rated sets that name each concept in several systems, which scoring looks at again."""
    from termgauge.benchmark.human.sets import human_sets, locate

    wanted = {set_id for set_id, _sha256 in work.sets}
    for entry in human_sets():
        if entry.id in wanted and len(entry.layout.concepts) > 1:
            path = locate(entry, work.data_dir)
            if path is not None:
                yield path


def do_there(work: Work, unit: Unit, sent: Sent) -> Returned:
    """Do a unit on a worker of a cluster."""
    forget_when_done(_forget)
    here = {place.text: str(place.artifact.here) for place in sent.places}
    said = {place.said: here[place.text] for place in sent.places}
    own = _moved(work, lambda place: here.get(place, place))
    if sent.model.location is not None:
        spec = ModelSpec.parse(dict(work.specs)[unit.model])
        there = relocated(spec, sent.model)
        own = replace(own, specs=((unit.model, str(there)),))
        said[str(expanded(spec.location))] = there.location
    if not sent.record:
        return Returned(do(own, unit, _as_named(said)))
    folder = _own_run(work.token)
    for name, artifact in sent.files:
        _linked(artifact.here, folder / name)
    write_text(folder / RUN, sent.record)
    before = _files_in(folder)
    data_dir = str(folder / _DATA) if (folder / _DATA).is_dir() else None
    own = replace(own, run=str(folder), data_dir=data_dir)
    outcome = do(own, unit, _as_named(said | {work.run: str(folder)}))
    changed = sorted(name for name, state in _files_in(folder).items() if before.get(name) != state)
    return Returned(outcome, tuple((name, (folder / name).read_bytes()) for name in changed))


def _moved(work: Work, at: Callable[[str], str]) -> Work:
    """Return a table with all that it names beside its model moved by a function."""
    options = task_of(work.task).options.model_validate_json(work.options).located(at)
    terminology = work.terminology and (tuple(map(at, work.terminology[0])), *work.terminology[1:])
    return replace(work, options=options.model_dump_json(), terminology=terminology)


def _as_named(here: dict[str, str]) -> Callable[[str], str]:
    """Return what makes a text speak of places as the user named them, given where they are here."""

    def said(text: str) -> str:
        for name in sorted(here, key=lambda each: -len(here[each])):
            text = text.replace(here[name], name)
        return text

    return said


_runs: list[Path] = []


@lru_cache(maxsize=64)
def _own_run(token: str) -> Path:
    """Return a run folder of this worker for a table; its units share it."""
    del token
    sweep(_RUNS)
    folder = temporary_beside(entry_path(_RUNS, "run"))
    folder.mkdir(parents=True)
    _runs.append(folder)
    return folder


def _linked(source: Path, target: Path) -> None:
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


def _forget() -> None:
    """Let go of what units shared in this worker."""
    forget()
    _own_run.cache_clear()
    _delete_runs()


@atexit.register
def _delete_runs() -> None:
    for folder in _runs:
        shutil.rmtree(folder, ignore_errors=True)
    _runs.clear()
