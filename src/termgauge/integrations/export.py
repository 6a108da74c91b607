"""One verb for all forms that other libraries take: benchmarks as datasets, tasks or triplets, runs as results."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple

from pydantic import AfterValidator, Field

from termgauge.display import Showing, shortened
from termgauge.exceptions import TermgaugeError, did_you_mean, warn
from termgauge.io.paths import expanded
from termgauge.options import Flag, Names, Options, Place, takes
from termgauge.reporting.blocks import Column, Section, Table

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable

    import polars as pl

    from termgauge.benchmark.load import Benchmark
    from termgauge.benchmark.pairset import PairSet
    from termgauge.engine.run_folder import RunFolder


@dataclass(frozen=True)
class ExportRequest:
    """An export as it was asked for."""

    sources: Any
    """Benchmarks, sets, or one run."""
    out: Path
    options: ExportOptions
    force: bool = False
    data_dir: Path | None = None
    download: bool = True


@dataclass(frozen=True, repr=False)
class Exported(Showing):
    """What was written."""

    to: str
    """The form, by its name."""
    path: Path
    contents: dict[str, int]
    """How many there are of each: pairs by set, triplets by split, results by model."""
    of: str = "pairs"
    """What is counted."""
    notes: tuple[str, ...] = ()
    """What was left out on the way, in sentences."""

    def _shown(self) -> Section:
        return export_section(self)

    def _brief(self) -> str:
        total = sum(self.contents.values())
        return f"export '{shortened(self.path)}' ({self.to}): {total:,} {self.of} in {len(self.contents):,} parts"

    def as_dict(self) -> dict[str, Any]:
        """Return it as JSON-like values."""
        about = {"to": self.to, "path": str(self.path), "of": self.of}
        return {**about, "contents": dict(self.contents), "notes": list(self.notes)}

    def to_frame(self) -> pl.DataFrame:
        """Return how many there are of each, as a table."""
        import polars as pl

        rows = list(self.contents.items())
        return pl.DataFrame(rows, schema={"part": pl.String, self.of: pl.Int64}, orient="row")


class Target(NamedTuple):
    """A form that something can be exported to."""

    about: str
    """In a few words."""
    writer: str
    """The module of this package and its function that takes a request."""
    options: tuple[str, ...]
    """The options that it has."""


def shares(text: str) -> tuple[float, ...]:
    """Return the shares of train, validation and test from text such as ``0.8,0.1,0.1``; they add up to 1."""
    try:
        parts = [float(part) for part in text.split(",")]
    except ValueError:
        parts = []
    if len(parts) != 3 or not all(0 <= part < 1e9 for part in parts) or not parts[0] > 0:
        raise ValueError("must be the shares of train, validation and test, such as 0.8,0.1,0.1")
    return tuple(part / sum(parts) for part in parts)


class ExportOptions(Options):
    """What can be said about an export."""

    licence: str | None = Field(
        None, description="hf, mteb, triplets: the licence of the terms, for the card.", examples=["cc-by-4.0"]
    )
    reference: Annotated[str | None, Flag(metavar="URL")] = Field(
        None, description="mteb: a page that describes the benchmark.", examples=["https://example.org/benchmark"]
    )
    split: Annotated[str, AfterValidator(lambda text: shares(text) and text), Flag(metavar="A,B,C")] = Field(
        "0.8,0.1,0.1", description="triplets: the shares of train, validation and test."
    )
    negatives: Literal["levenshtein", "random", "mined"] = Field(
        "levenshtein",
        description="triplets: the nearest terms by edit distance, random terms, or those that --model finds nearest.",
    )
    per_positive: int = Field(1, ge=1, le=100, description="triplets: how many negatives each positive pair gets.")
    seed: int = Field(42, ge=0, description="triplets: seed for all random choices.")
    model: Annotated[str | None, Flag(("--model", "-m"), metavar="SPEC|NAME")] = Field(
        None,
        description="triplets: the model that mines negatives; model-card, mteb-results: only this model of the run.",
        examples=["wordllama:"],
    )
    terminology: Annotated[Names, Flag(metavar="SOURCE"), Place()] = Field(
        [],
        description="triplets: the terminology, so that no negative is an ancestor or descendant, and terms that the "
        "benchmark lacks count for the split.",
        examples=[["hp.obo"]],
    )


TARGETS = {
    "hf": Target("a folder for the Hugging Face datasets library", "dataset_folder:write_folder", ("licence",)),
    "mteb": Target("the same folder with tasks that mteb runs", "dataset_folder:write_tasks", ("licence", "reference")),
    "triplets": Target(
        "anchor, positive and negative, split for training",
        "triplets:write",
        ("licence", "split", "negatives", "per_positive", "seed", "model", "terminology"),
    ),
    "model-card": Target(
        "the results of a run for the model card on Hugging Face", "run_exports:write_model_card", ("model",)
    ),
    "mteb-results": Target("the results of a run as mteb keeps its own", "run_exports:write_mteb_results", ("model",)),
}
"""Every form by its name."""


@takes(ExportOptions)
def export(
    source: str | os.PathLike[str] | PairSet | Benchmark | RunFolder | Iterable[str | os.PathLike[str] | PairSet],
    to: str,
    out: str | os.PathLike[str],
    *,
    force: bool = False,
    data_dir: str | os.PathLike[str] | None = None,
    download: bool = True,
    **options: Any,  # noqa: ANN401
) -> Exported:
    """Write a benchmark, or the results of a run, in the form that another library takes.

    Parameters
    ----------
    source
        A benchmark's folder, a file, ids of human-rated sets, sets, or DataFrames of pairs; for ``model-card`` and
        ``mteb-results`` a run.
    to
        ``hf``, ``mteb`` or ``triplets`` of a benchmark; ``model-card`` or ``mteb-results`` of a run.
    out
        The folder to write to; for the card of one model, a file.
    force
        Replace an earlier export there.
    data_dir
        A folder with human-rated sets.
    download
        Whether human-rated sets may be downloaded.

    Returns
    -------
    Exported
        Where it is and what is in it.

    Raises
    ------
    TermgaugeError
        If there is no such form or source, an option is of another form, or the place holds other things.

    Examples
    --------
    >>> export("hp-benchmark", "mteb", "hp-mteb")  # doctest: +SKIP
    """
    if to not in TARGETS:
        names = ", ".join(TARGETS)
        raise TermgaugeError(f"There is no export to '{to}'; known are {names}.{did_you_mean(to, TARGETS)}")
    target, chosen = TARGETS[to], ExportOptions.of(**options)
    for name in chosen.changed():
        if name not in target.options:
            homes = ", ".join(other for other, entry in TARGETS.items() if name in entry.options)
            raise TermgaugeError(f"The option '{name}' is for exports to {homes}, not to {to}; leave it out.")
    folder = None if data_dir is None else Path(data_dir)
    write = resolve_name(f"termgauge.integrations.{target.writer}")
    written: Exported = write(ExportRequest(source, expanded(out), chosen, force, folder, download))
    for note in written.notes:
        warn(note)
    return written


def export_section(written: Exported) -> Section:
    """Return how much there is of each part of what was written."""
    columns = "Part", Column.count(written.of.capitalize())
    return Section("export", "", (Table.from_rows("contents", "", columns, written.contents.items()),))
