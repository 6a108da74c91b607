"""Comparisons of a run, kept in its folder: what was compared once and has not changed is read, not computed.

A comparison is kept for each set, under a key that covers the set, all values on it and the options; a new model or
another alpha gives another key.
"""

from __future__ import annotations

import json
import math
import warnings
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from termgauge.atomic import write_text
from termgauge.exceptions import TermgaugeError, TermgaugeWarning
from termgauge.experiment.compare import check_options, compare_set
from termgauge.experiment.run_folder import RunFolder, file_name
from termgauge.identity import sha256_of_value, version
from termgauge.progress import track
from termgauge.statistics.power import Detectable
from termgauge.statistics.significance import Comparison, Value
from termgauge.tasks.pairs.run_comparison import MeasureComparison, RunComparison, SetComparison

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

FOLDER = "comparisons"
_LAYOUT = 1

_Found = tuple[SetComparison, list[MeasureComparison]]


def stored_comparison(
    run: RunFolder, *, alpha: float = 0.05, correction: str = "bonferroni", measure: str = "usual",
    statistic: str = "accuracy",
) -> tuple[RunComparison, dict[str, str]]:  # fmt: skip
    """Compare the models of a run on each set, and the measures of each model, as far as that was not done before.

    Parameters
    ----------
    run
        A run folder; what is computed is kept in it if it can be written.
    alpha, correction, measure, statistic
        As :func:`~termgauge.experiment.compare.compare` takes them.

    Returns
    -------
    tuple
        All comparisons, and for each set that cannot be compared the reason.

    Raises
    ------
    TermgaugeError
        If an option is none that is known, or the run has no results.
    """
    check_options(alpha, correction, measure, statistic)
    document = run.document()
    options = {"alpha": alpha, "correction": correction, "measure": measure, "statistic": statistic}
    values = run.results().partition_by("set", as_dict=True, maintain_order=True)
    of_models: list[SetComparison] = []
    of_measures: list[MeasureComparison] = []
    problems: dict[str, str] = {}
    with track("Comparing", total=sum(entry["pairs"] for entry in document["sets"].values()), unit="pairs") as advance:
        for name, entry in document["sets"].items():
            rows = values.get((name,), pl.DataFrame())
            models = rows["model"].unique(maintain_order=True).to_list() if rows.height else []
            kinds = [document["models"].get(model, {}).get("kind") for model in models]
            key = sha256_of_value([_LAYOUT, version(), name, entry["sha256"], kinds, options, rows.write_json()])
            try:
                found = _of_set(run, document, name, key, options)
            except TermgaugeError as error:
                problems[name] = str(error)
            else:
                of_models.append(found[0])
                of_measures += found[1]
            advance(entry["pairs"])
    return RunComparison(str(run.path), tuple(of_models), tuple(of_measures)), problems


def _of_set(run: RunFolder, document: dict[str, Any], name: str, key: str, options: dict[str, Any]) -> _Found:
    """Return what is known of a set, or find it out.

    Raises
    ------
    TermgaugeError
        If the models cannot be compared on it, or scores cannot be read.
    """
    path = run.path / FOLDER / f"{file_name(name)}.json"
    there = _read(path, key, name)
    if there is not None:
        return there
    with warnings.catch_warnings(record=True) as notes:
        warnings.simplefilter("always", TermgaugeWarning)
        found = compare_set(run, document, name, **options)
    if found is None:
        said = [str(note.message) for note in notes if isinstance(note.message, TermgaugeWarning)]
        raise TermgaugeError(" ".join(said) or f"{name}: cannot be compared.")
    record = {
        "key": key,
        "models": {
            "measures": found[0].measures,
            "comparison": _packed(found[0].comparison),
            "detectable": None if found[0].detectable is None else [_plain(each) for each in found[0].detectable],
        },
        "measures": [{"model": one.model, "comparison": _packed(one.comparison)} for one in found[1]],
    }
    with suppress(TermgaugeError, OSError):  # a folder that cannot be written can still be looked at
        write_text(path, json.dumps(record, ensure_ascii=False) + "\n")
    return found


def _read(path: Path, key: str, name: str) -> _Found | None:
    """Return what is kept under a key; None if it is not there, of another key, or damaged."""
    try:
        record = json.loads(path.read_bytes())
        if record["key"] != key:
            return None
        of_models = record["models"]
        detectable = None if of_models["detectable"] is None else Detectable(*map(_number, of_models["detectable"]))
        one = SetComparison(name, of_models["measures"], _unpacked(of_models["comparison"]), detectable)
        return one, [
            MeasureComparison(name, each["model"], _unpacked(each["comparison"])) for each in record["measures"]
        ]
    except (OSError, ValueError, KeyError, TypeError, IndexError):
        return None


_PLAIN = ("statistic", "test", "n", "alpha", "correction", "comparisons", "level", "resamples")
_MATRICES = ("lows", "highs", "p_values", "adjusted_p")


def _packed(comparison: Comparison) -> dict[str, Any]:
    """Return a comparison as JSON-like values: of each matrix what is above its diagonal, for the rest follows."""
    upper = np.triu_indices(len(comparison.names), 1)
    return {
        **{name: getattr(comparison, name) for name in _PLAIN},
        "names": list(comparison.names),
        "values": [[_plain(part) for part in value] for value in comparison.values],
        **{name: [_plain(part) for part in getattr(comparison, name)[upper].tolist()] for name in _MATRICES},
        "significant": comparison.significant[upper].tolist(),
    }


def _unpacked(record: dict[str, Any]) -> Comparison:
    values = tuple(Value(*map(_number, value)) for value in record["values"])
    estimates = np.array([value.value for value in values])
    size = len(values)
    significant = np.array(record["significant"], np.float64)
    above = {name: np.array([_number(part) for part in record[name]], np.float64) for name in _MATRICES}
    plain: dict[str, Any] = {name: record[name] for name in _PLAIN}
    return Comparison(
        **plain,
        names=tuple(record["names"]),
        values=values,
        differences=estimates[:, None] - estimates[None, :],
        lows=_mirrored(above["lows"], -above["highs"], size),
        highs=_mirrored(above["highs"], -above["lows"], size),
        p_values=_mirrored(above["p_values"], above["p_values"], size),
        adjusted_p=_mirrored(above["adjusted_p"], above["adjusted_p"], size),
        significant=_mirrored(significant, significant, size) == 1,
    )


def _mirrored(above: NDArray[np.float64], below: NDArray[np.float64], size: int) -> NDArray[np.float64]:
    """Return a matrix from what is above its diagonal and what mirrors it; the diagonal is NaN."""
    upper = np.triu_indices(size, 1)
    matrix = np.full((size, size), np.nan)
    matrix[upper] = above
    matrix.T[upper] = below
    return matrix


def _plain(value: float) -> float | str | None:
    """Return a number as JSON has it: null for none, a word for an infinite one."""
    return None if math.isnan(value) else str(value) if math.isinf(value) else value


def _number(value: float | str | None) -> Any:  # noqa: ANN401 - counts stay whole numbers
    return math.nan if value is None else float(value) if isinstance(value, str) else value
