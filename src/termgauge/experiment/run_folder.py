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
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from termgauge.atomic import whole_file, write_text
from termgauge.benchmark.pairset import PairSet, read_parquet
from termgauge.errors import TermgaugeError, did_you_mean
from termgauge.identity import sha256_of_value

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from termgauge.embeddings.model import ModelIdentity

LAYOUT = 1
RUN, RESULTS = "run.json", "results"
_META = "termgauge.scores"
_PLAIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*(?:/[A-Za-z0-9][A-Za-z0-9._-]*)*")
_LONGEST = 120


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
        if not file.is_file():
            return {"layout": LAYOUT, "sets": {}, "models": {}}
        try:
            document: dict[str, Any] = json.loads(file.read_bytes())
            layout = document["layout"]
            _ = document["sets"], document["models"]
        except (ValueError, KeyError, TypeError, OSError) as error:
            raise TermgaugeError(f"{file}: is damaged ({error}); score into a new folder with --out.") from None
        if layout != LAYOUT:
            raise TermgaugeError(
                f"{file}: was written by another version of termgauge (layout {layout}, this one writes {LAYOUT}); "
                "score into a new folder with --out."
            )
        return document

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
            raise TermgaugeError(f"{file}: is not the set that was scored; score it again with --overwrite always.")
        return pairs

    def write_scores(
        self, model: str, identity: ModelIdentity, pairs: PairSet, scores: Mapping[str, NDArray[np.float64]]
    ) -> None:
        """Keep a model's scores of a set."""
        frame = pl.DataFrame({name: pl.Series(values).fill_nan(None) for name, values in scores.items()})
        meta = {"model": model, "identity": identity.key, "set": pairs.id, "sha256": pairs.sha256}
        with whole_file(self.scores_file(model, pairs.id)) as temporary:
            frame.write_parquet(temporary, metadata={_META: json.dumps(meta)})

    def read_scores(self, model: str, set_id: str) -> dict[str, NDArray[np.float64]] | None:
        """Return a model's scores of a set by measure, NaN where there is none; None if they are not there."""
        file = self.scores_file(model, set_id)
        if not file.is_file():
            return None
        document = self.document()
        meta = self._meta(file)
        wanted = document["sets"].get(set_id, {}).get("sha256"), document["models"].get(model, {}).get("key")
        if meta is None or (meta.get("sha256"), meta.get("identity")) != wanted:
            raise TermgaugeError(
                f"{file}: its scores do not belong to the set or the model that {RUN} names; score them again with "
                "--overwrite always."
            )
        frame = pl.read_parquet(file)
        return {name: frame[name].cast(pl.Float64).fill_null(np.nan).to_numpy() for name in frame.columns}

    def has_scores(self, model: str, identity: ModelIdentity, pairs: PairSet, measures: tuple[str, ...]) -> bool:
        """Tell whether a model's scores of a set are there, of this very model and set, with all measures."""
        file = self.scores_file(model, pairs.id)
        meta = self._meta(file) if file.is_file() else None
        if meta is None or (meta.get("identity"), meta.get("sha256")) != (identity.key, pairs.sha256):
            return False
        return set(measures) <= set(pl.read_parquet_schema(file))

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
                f"{self.path}: holds no results; make them with: termgauge evaluate --benchmark … --model … --out "
                f"{self.path}."
            )
        try:
            return pl.read_parquet(file)
        except (pl.exceptions.PolarsError, OSError) as error:
            raise TermgaugeError(f"{file}: cannot be read ({error}); score again.") from None

    def _meta(self, file: Path) -> dict[str, Any] | None:
        try:
            found: dict[str, Any] = json.loads(pl.read_parquet_metadata(file)[_META])
        except (pl.exceptions.PolarsError, OSError, KeyError, ValueError):
            return None
        return found


def open_run(path: str | os.PathLike[str]) -> RunFolder:
    """Open a run that is there.

    Raises
    ------
    TermgaugeError
        If there is none.
    """
    run = RunFolder(Path(path))
    if not (run.path / RUN).is_file():
        raise TermgaugeError(
            f"{run.path}: is no run folder (it has no {RUN}); make one with: termgauge evaluate --out {run.path} …."
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
