"""A run on disk: which models were scored on which sets, every score, and the values made from them.

    run.json                 identities, versions, seeds
    sets/NAME.parquet        the pairs, as they were when they were scored
    scores/MODEL/NAME.parquet   a score per pair and measure
    results.parquet, results.csv

Every file is written whole or not at all and says what it belongs to, so a run that was killed goes on where it
stopped, and scores of a set or a model that has changed are noticed.
"""

from __future__ import annotations

import json
import re
import shutil
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from termgauge.atomic import TEMPORARY_PREFIX, whole_file, write_text
from termgauge.benchmark.pairset import PairSet, read_parquet
from termgauge.exceptions import CannotWriteError, TermgaugeError, did_you_mean
from termgauge.identity import sha256_of_value
from termgauge.similarity.measures import MEASURES, chosen_measures

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator, Mapping
    from typing import BinaryIO

    from numpy.typing import NDArray

    from termgauge.embeddings.model import ModelIdentity

LAYOUT = 1
RUN, RESULTS, LOCK = "run.json", "results", ".lock"
EXPERIMENT, REPORT = "experiment.toml", "report.html"
_META = "termgauge.scores"
_PLAIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*(?:/[A-Za-z0-9][A-Za-z0-9._-]*)*")
_LONGEST = 120
_UNREADABLE = (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError)


class DamagedRunError(TermgaugeError):
    """What a run folder says of itself cannot be read."""


@dataclass(frozen=True)
class RunFolder:
    """A run folder, there or to be made."""

    path: Path

    def document(self) -> dict[str, Any]:
        """Return ``run.json``; a fresh one if there is none.

        Raises
        ------
        TermgaugeError
            If it is of another version, or damaged.
        """
        file = self.path / RUN
        if self.path.exists() and not self.path.is_dir():
            raise TermgaugeError(f"{self.path}: is a file, not a run folder; name another folder.")
        if not file.is_file():
            return {"layout": LAYOUT, "sets": {}, "models": {}}
        try:
            document: dict[str, Any] = json.loads(file.read_bytes())
            layout = document.get("layout")
        except (ValueError, AttributeError, OSError) as error:
            raise DamagedRunError(f"{file}: is damaged ({error}); score into a new folder with --out.") from None
        if layout != LAYOUT:
            raise TermgaugeError(
                f"{file}: was written by another version of termgauge (layout {layout}, this one has {LAYOUT}); "
                "score into a new folder with --out."
            )
        for part in ("sets", "models"):
            entries = document.get(part)
            if not isinstance(entries, dict) or not all(isinstance(entry, dict) for entry in entries.values()):
                raise DamagedRunError(f"{file}: is damaged (no '{part}'); score into a new folder with --out.")
        return document

    @contextmanager
    def at_work(self) -> Iterator[None]:
        """Hold the folder while it is worked on, and sweep what a killed process was writing.

        Raises
        ------
        TermgaugeError
            If another process is at work in it, or it holds other things than a run.
        """
        self._spare_others()
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            file = (self.path / LOCK).open("ab")
        except OSError as error:
            reason = error.strerror or error
            raise CannotWriteError(
                f"{self.path}: cannot be written ({reason}); name another folder with --out."
            ) from error
        with file:
            held = _held(file)
            if held is False:
                raise TermgaugeError(f"{self.path}: another process is at work in it; wait for it, or use --out.")
            if held:
                self._sweep()
            yield

    def _spare_others(self) -> None:
        """Refuse a folder of other things: files of the same names in it would be written over."""
        if not self.path.is_dir() or any((self.path / name).exists() for name in (RUN, LOCK)):
            return
        if other := next(self.path.iterdir(), None):
            raise TermgaugeError(
                f"{self.path}: is no run folder and holds other files ('{other.name}'); name a new or an empty folder."
            )

    def _sweep(self) -> None:
        for left in self.path.rglob(f"{TEMPORARY_PREFIX}*"):
            if left.is_dir():
                shutil.rmtree(left, ignore_errors=True)
            else:
                left.unlink(missing_ok=True)

    def write_document(self, document: Mapping[str, Any]) -> None:
        """Write ``run.json``."""
        write_text(self.path / RUN, json.dumps(document, ensure_ascii=False, indent=2) + "\n")

    def write_set(self, pairs: PairSet) -> None:
        """Keep a copy of a set."""
        pairs.write_parquet(self.path / "sets" / f"{file_name(pairs.id)}.parquet")

    def read_set(self, name: str) -> PairSet:
        """Return a set by its id.

        Raises
        ------
        TermgaugeError
            If the run has no such set, or its file is not what it was.
        """
        known = self.document()["sets"]
        if name not in known:
            raise TermgaugeError(f"{self.path}: has no set '{name}'.{did_you_mean(name, known)}")
        file = self.path / "sets" / f"{file_name(name)}.parquet"
        pairs = read_parquet(file, id=name)
        if pairs.sha256 != known[name]["sha256"]:
            raise TermgaugeError(f"{file}: is not the set that {RUN} names; score it again with termgauge evaluate.")
        return pairs

    def write_scores(
        self, model: str, identity: ModelIdentity, pairs: PairSet, scores: Mapping[str, NDArray[np.float64]]
    ) -> None:
        """Keep a model's scores of a set."""
        order = {name: place for place, name in enumerate(MEASURES)}
        ordered = sorted(scores, key=lambda name: order.get(name, len(order)))  # however the measures came together
        frame = pl.DataFrame({name: pl.Series(scores[name]).fill_nan(None) for name in ordered})
        meta = {"model": model, "identity": identity.key, "set": pairs.id, "sha256": pairs.sha256}
        with whole_file(self.scores_file(model, pairs.id)) as temporary:
            frame.write_parquet(temporary, metadata={_META: json.dumps(meta)})

    def read_scores(self, model: str, set_id: str) -> dict[str, NDArray[np.float64]] | None:
        """Return a model's scores of a set by measure, NaN where there is none; None if they are not there.

        Scores by measures that the run does not ask for any more are kept, but not given.

        Raises
        ------
        TermgaugeError
            If they are not of the set or the model that ``run.json`` names, or cannot be read.
        """
        document = self.document()
        entry = document["models"].get(model, {})
        found = self.stored_scores(
            model,
            set_id,
            identity=entry.get("key"),
            sha256=document["sets"].get(set_id, {}).get("sha256"),
            pairs=document["sets"].get(set_id, {}).get("pairs"),
        )
        wanted = document.get("measures")
        if not found or not wanted or "kind" not in entry:
            return found
        asked = chosen_measures(entry["kind"], wanted)
        return {name: values for name, values in found.items() if name in asked}

    def stored_scores(
        self, model: str, set_id: str, *, identity: str | None, sha256: str | None, pairs: int | None
    ) -> dict[str, NDArray[np.float64]] | None:
        """Return the scores that are kept, if they are those of a certain model and set; None if there are none.

        Raises
        ------
        TermgaugeError
            If they are of another model or set, or cannot be read.
        """
        file = self.scores_file(model, set_id)
        if not file.is_file():
            return None
        meta = self._meta(file)
        if meta is None:
            raise TermgaugeError(f"{file}: is damaged; delete it and score again with termgauge evaluate.")
        for what, found, wanted in (
            ("set", meta.get("sha256"), sha256),
            ("model", meta.get("identity"), identity),
        ):
            if found != wanted:
                name = set_id if what == "set" else model
                raise TermgaugeError(
                    f"{file}: its scores are of another version of the {what} '{name}'; score the model on that set "
                    "again with termgauge evaluate."
                )
        try:
            frame = pl.read_parquet(file)
            scores = {name: frame[name].cast(pl.Float64).fill_null(np.nan).to_numpy() for name in frame.columns}
        except _UNREADABLE as error:
            reason = " ".join(str(error).split())[:100]
            raise TermgaugeError(f"{file}: cannot be read ({reason}); delete it and score again.") from None
        if pairs is not None and frame.height != pairs:
            raise TermgaugeError(
                f"{file}: has {frame.height:,} scores for the {pairs:,} pairs of '{set_id}'; delete it and score again."
            )
        return scores

    def scores_file(self, model: str, set_id: str) -> Path:
        """Return where a model's scores of a set are."""
        return self.path / "scores" / file_name(model) / f"{file_name(set_id)}.parquet"

    def write_results(self, results: pl.DataFrame) -> None:
        """Write the values as Parquet and as CSV."""
        with whole_file(self.path / f"{RESULTS}.parquet") as temporary:
            results.write_parquet(temporary)
        with whole_file(self.path / f"{RESULTS}.csv") as temporary:
            results.write_csv(temporary)

    def results(self) -> pl.DataFrame:
        """Return the values.

        Raises
        ------
        TermgaugeError
            If there are none.
        """
        file = self.path / f"{RESULTS}.parquet"
        if not file.is_file():
            raise TermgaugeError(
                f"{self.path}: holds no results; make them with termgauge run or evaluate, which go on where they "
                "stopped."
            )
        try:
            return pl.read_parquet(file)
        except _UNREADABLE as error:
            raise TermgaugeError(f"{file}: cannot be read ({error}); score again.") from None

    def _meta(self, file: Path) -> dict[str, Any] | None:
        try:
            found: dict[str, Any] = json.loads(pl.read_parquet_metadata(file)[_META])
        except (*_UNREADABLE, KeyError, ValueError):
            return None
        return found


def _held(file: BinaryIO) -> bool | None:
    """Lock a file until it is closed or the process ends; None where the system has no such locks."""
    try:
        import fcntl
    except ImportError:
        return None
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return None
    return True


def open_run(path: str | os.PathLike[str] | RunFolder) -> RunFolder:
    """Open a run that is there; one that is open stays as it is.

    Raises
    ------
    TermgaugeError
        If there is none.
    """
    if isinstance(path, RunFolder):
        return path
    run = RunFolder(Path(path))
    if not (run.path / RUN).is_file():
        raise TermgaugeError(
            f"{run.path}: is no run folder (it has no {RUN}); make one with termgauge run or evaluate."
        )
    _ = run.document()
    return run


def file_name(name: str) -> str:
    """Return a name fit for a file, different for different names.

    Examples
    --------
    >>> file_name("human/umnsrs-sim")
    'human__umnsrs-sim'
    """
    if _PLAIN.fullmatch(name) and "__" not in name and len(name) <= _LONGEST:
        return name.replace("/", "__")
    plain = re.sub(r"[^A-Za-z0-9._-]+", "-", name).strip("-.") or "x"
    return f"{plain[:_LONGEST]}-{sha256_of_value(name)[:8]}"
