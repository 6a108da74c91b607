"""A run on disk.

    run.json                    identities, versions, seeds, what failed and why
    sets/  scores/  results.*   pairs, their scores, and the values made from them
    TASK/NAME.json              the result of a task; TASK/NAME/ what was measured of each model

Every file is written whole or not at all and says what it belongs to, so a run that was killed goes on where it
stopped.
"""

from __future__ import annotations

import shutil
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from termgauge.display import Showing, shortened
from termgauge.engine.record import RunRecord
from termgauge.exceptions import CannotWriteError, TermgaugeError
from termgauge.io.atomic import TEMPORARY_PREFIX, is_temporary, refuse_links, write_text
from termgauge.io.checksums import sealed
from termgauge.io.locks import held, lock_file
from termgauge.io.paths import as_text, expanded
from termgauge.io.source import read_small
from termgauge.plurals import numbered
from termgauge.tasks.pairs.scored import ScoredSets

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator
    from pathlib import Path

    import polars as pl

    from termgauge.tasks.contract import Testing

RUN, LOCK = "run.json", ".lock"
_MARK = b"of a run of termgauge\n"
"""What stands in the lock file, by which a run folder is known before it has a ``run.json``."""
EXPERIMENT, REPORT = "experiment.toml", "report.html"


@dataclass(frozen=True, repr=False)
class RunFolder(Showing):
    """A run folder, there or to be made."""

    shown_by = "termgauge.engine.run_section:run_in_brief"

    path: Path

    def record(self) -> RunRecord:
        """Return what ``run.json`` says; a fresh record if there is none."""
        if self.path.exists() and not self.path.is_dir():
            raise TermgaugeError(f"{self.path}: is a file, not a run folder; name another folder.")
        file = self.path / RUN
        try:
            text = read_small(file, 256 << 20)
        except FileNotFoundError:
            return RunRecord()
        except OSError as error:
            raise TermgaugeError(f"{file}: cannot be read ({error.strerror or error}); name another folder.") from None
        return RunRecord.read(text, str(file))

    def write(self, record: RunRecord) -> None:
        """Write ``run.json``."""
        write_text(self.path / RUN, sealed(record.model_dump_json(indent=2)) + "\n")

    def scored(self, testing: Testing | None = None) -> ScoredSets:
        """Return its sets and their scores, to be tested as the run says unless told otherwise."""
        record = self.record()
        measures, tested = tuple(record.measures), testing or record.testing
        failures = {name: each.reason for name, each in record.failures.items()}
        return ScoredSets(self.path, record.models, record.sets, measures, tested, record.tasks, failures)

    def results(self) -> pl.DataFrame:
        """Return the values: model, set, measure, statistic, value, low, high, n, subset."""
        return self.scored().results()

    def to_frame(self) -> pl.DataFrame:
        """Return the values, as `results` does."""
        return self.results()

    def _brief(self) -> str:
        record = self.record()
        size = f"{numbered(len(record.models), 'model')}, {numbered(len(record.sets), 'set')}"
        return f"run '{shortened(self.path)}': {size}"

    @contextmanager
    def at_work(self) -> Iterator[None]:
        """Hold the folder while it is worked on, and sweep what a killed process was writing."""
        if as_text(str(self.path)) != str(self.path):
            raise TermgaugeError(f"{self.path}: its name is no UTF-8 text; name another folder with --out.")
        self._spare_others()
        refuse_links(self.path)
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            file = lock_file(self.path / LOCK)
        except OSError as error:
            reason = error.strerror or error
            raise CannotWriteError(
                f"{self.path}: cannot be written ({reason}); name another folder with --out."
            ) from error
        with file:
            lock = held(file)
            if lock is False:
                raise TermgaugeError(f"{self.path}: another process is at work in it; wait for it, or use --out.")
            if lock:
                self._sweep()
            if not file.tell():
                file.write(_MARK)
                file.flush()
            yield

    def _spare_others(self) -> None:
        """Refuse a folder of other things: files of the same names in it would be written over."""
        if self._is_ours() or not self.path.is_dir():
            return
        if other := next((each for each in self.path.iterdir() if each.name != LOCK), None):
            raise TermgaugeError(
                f"{self.path}: is no run folder and holds other files ('{other.name}'); name a new or an empty folder."
            )

    def _is_ours(self) -> bool:
        """Say whether a run wrote in the folder: ``run.json``, even a damaged one, or the lock file shows it."""
        for name, mark in ((RUN, b'"layout":'), (LOCK, _MARK)):
            with suppress(OSError), (self.path / name).open("rb") as file:
                if mark in file.read(1 << 20):
                    return True
        return False

    def _sweep(self) -> None:
        for left in filter(is_temporary, self.path.rglob(f"{TEMPORARY_PREFIX}*")):
            if left.is_dir():
                shutil.rmtree(left, ignore_errors=True)
            else:
                left.unlink(missing_ok=True)


def open_run(path: str | os.PathLike[str] | RunFolder) -> RunFolder:
    """Open a run that is there; one that is open stays as it is."""
    if isinstance(path, RunFolder):
        return path
    run = RunFolder(expanded(path))
    if not (run.path / RUN).is_file():
        raise TermgaugeError(
            f"{run.path}: is no run folder (it has no {RUN}); make one with termgauge run or evaluate."
        )
    refuse_links(run.path)
    _ = run.record()
    return run
