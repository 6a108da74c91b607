"""What comparing a whole run gives: the models on each set, and the measures of each model."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from termgauge.display import Showing, shortened
from termgauge.exceptions import TermgaugeError, did_you_mean
from termgauge.plurals import numbered
from termgauge.statistics.power import Detectable
from termgauge.statistics.significance import Comparison
from termgauge.tasks.results import finite

if TYPE_CHECKING:
    from collections.abc import Collection

    import polars as pl


_SUFFIXES = (".gz", ".tsv", ".csv", ".parquet")


def set_named(name: str, known: Collection[str], where: str) -> str:
    """Return the id of the one set that a name means.

    A name is the id, a file such as ``hp/fsn-syn.hard.random.tsv``, the folder of a benchmark of which the run has one
    set, or a part of the id that only one has.

    Raises
    ------
    TermgaugeError
        If no set fits, or several do; the message, which begins with `where`, lists them.

    Examples
    --------
    >>> set_named("fsn-syn.hard.random.tsv", ["hp/fsn-syn/hard/random", "hp/fsn-syn/easy/random"], "run")
    'hp/fsn-syn/hard/random'
    """
    if name in known:
        return name
    last = _without_suffix(Path(name).name)
    whole, file = _ending({name.strip("/")}, known), _ending({last, last.replace(".", "/")}, known)
    for fitting in (_of_folder(name, known), whole, file, _holding(name, known)):
        if len(fitting) == 1:
            return fitting[0]
        if fitting:
            raise TermgaugeError(f"{where}: several sets fit '{name}'; name one of them: {', '.join(fitting)}.")
    there = f"; there are: {', '.join(known)}" if known else ""
    raise TermgaugeError(f"{where}: has no set '{name}'{there}.{did_you_mean(name, known)}")


def _of_folder(name: str, known: Collection[str]) -> list[str]:
    """Return the sets of the benchmark that stands in a folder."""
    from termgauge.benchmark.load import load_benchmark
    from termgauge.benchmark.manifest import MANIFEST

    if not (Path(name) / MANIFEST).is_file():
        return []
    return [pairs.id for pairs in load_benchmark(name) if pairs.id in known]


def _without_suffix(name: str) -> str:
    while suffix := next((each for each in _SUFFIXES if name.endswith(each)), ""):
        name = name.removesuffix(suffix)
    return name


def _ending(ends: Collection[str], known: Collection[str]) -> list[str]:
    """Return the sets whose id ends so; the name of a file has dots where the id has slashes."""
    return [each for each in known if any(f"/{each}".endswith(f"/{end}") for end in ends if end)]


def _holding(name: str, known: Collection[str]) -> list[str]:
    parts = name.lower().replace(".", "/").split("/")
    return [each for each in known if all(part in each.lower() for part in parts)] if name.strip("./ ") else []


@dataclass(frozen=True)
class SetComparison:
    """The models of a run on one set."""

    set: str
    measures: dict[str, str]
    """The measure that stands for each model."""
    comparison: Comparison
    detectable: Detectable | None
    """The smallest difference that a set of this size could have shown."""
    guessing: float | None = None
    """What guessing gives on the pairs compared, as accuracy the share of the more frequent label; None of ratings."""


@dataclass(frozen=True)
class MeasureComparison:
    """The measures of one model on one set."""

    set: str
    model: str
    comparison: Comparison


@dataclass(frozen=True, repr=False)
class RunComparison(Showing):
    """All comparisons of a run."""

    shown_by = "termgauge.tasks.pairs.sections.compared:overview_sections"

    run: str
    """The folder of the run."""
    models: tuple[SetComparison, ...]
    measures: tuple[MeasureComparison, ...]

    def _brief(self) -> str:
        models = {name for each in self.models for name in each.comparison.names}
        return (
            f"comparison of '{shortened(self.run)}': {numbered(len(models), 'model')} on "
            f"{numbered(len(self.models), 'set')}, {numbered(len(self.measures), 'comparison')} of measures"
        )

    def to_frame(self) -> pl.DataFrame:
        """Return a row for each two models on each set: their difference, its interval, and whether it is real."""
        import polars as pl

        rows = [
            {"set": each.set, "statistic": each.comparison.statistic, **difference}
            for each in self.models
            for difference in _as_dict(each.comparison)["differences"]
        ]
        return pl.DataFrame(rows, infer_schema_length=None)

    def as_dict(self) -> dict[str, Any]:
        """Return all comparisons as JSON-like values."""
        return {
            "run": self.run,
            "models": {
                each.set: {
                    **_as_dict(each.comparison),
                    "measures": each.measures,
                    "detectable": None if each.detectable is None else finite(each.detectable.difference),
                    "guessing": each.guessing,
                }
                for each in self.models
            },
            "measures": [{"set": one.set, "model": one.model, **_as_dict(one.comparison)} for one in self.measures],
        }


def _as_dict(comparison: Comparison) -> dict[str, Any]:
    names = comparison.names
    return {
        "statistic": comparison.statistic,
        "test": comparison.test,
        "n": comparison.n,
        "alpha": comparison.alpha,
        "correction": comparison.correction,
        "resamples": comparison.resamples,
        "comparisons": comparison.comparisons,
        "systems": [
            {
                "name": names[place],
                "value": finite(comparison.values[place].value),
                "low": finite(comparison.values[place].low),
                "high": finite(comparison.values[place].high),
                "wins": comparison.wins[place],
                "losses": comparison.losses[place],
                **({"accuracy_cv": comparison.cross_validated[place]} if comparison.cross_validated else {}),
            }
            for place in comparison.ranking
        ],
        "differences": [
            {key: finite(value) for key, value in comparison.between(one, other)._asdict().items()}
            for at, one in enumerate(names)
            for other in names[at + 1 :]
        ],
    }
