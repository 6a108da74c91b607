"""One verb for all forms that other libraries take: benchmarks as datasets, tasks or triplets, runs as results."""

from __future__ import annotations

from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from termgauge.exceptions import TermgaugeError, did_you_mean, warn
from termgauge.integrations.options import ExportOptions
from termgauge.integrations.order import Exported, Order, Target
from termgauge.io.paths import expanded
from termgauge.options import takes

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Mapping

    from termgauge.benchmark.load import Benchmark
    from termgauge.benchmark.pairset import PairSet
    from termgauge.engine.run_folder import RunFolder

TARGETS: Mapping[str, Target] = MappingProxyType(
    {
        "hf": Target("a folder for the Hugging Face datasets library", "dataset_folder", frozenset({"licence"})),
        "mteb": Target("the same folder with tasks that mteb runs", "mteb_tasks", frozenset({"licence", "reference"})),
        "triplets": Target(
            "anchor, positive and negative, split for training",
            "triplets",
            frozenset({"licence", "split", "negatives", "per_positive", "seed", "model", "terminology"}),
        ),
        "model-card": Target(
            "the results of a run for the model card on Hugging Face", "model_card", frozenset({"model"}), of_run=True
        ),
        "mteb-results": Target(
            "the results of a run as mteb keeps its own", "mteb_results", frozenset({"model"}), of_run=True
        ),
    }
)
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
        known = ", ".join(TARGETS)
        raise TermgaugeError(f"There is no export to '{to}'; known are {known}.{did_you_mean(to, TARGETS)}")
    target, chosen = TARGETS[to], ExportOptions.of(**options)
    for name in chosen.changed():
        if name not in target.options:
            homes = ", ".join(other for other, each in TARGETS.items() if name in each.options)
            raise TermgaugeError(f"The option '{name}' is for exports to {homes}, not to {to}; leave it out.")
    folder = None if data_dir is None else Path(data_dir)
    written = target.write(Order(source, expanded(out), chosen, force, folder, download))
    for note in written.notes:
        warn(note)
    return written
