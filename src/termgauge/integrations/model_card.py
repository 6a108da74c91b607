"""The results of a run for a model card: the ``model-index`` block that Hugging Face shows beside a model.

A file holds the block of one model and can be pasted into the front matter of its card as it is. The content hash of a
set is its revision; intervals stand in the arguments of a metric, which is where the format has room for them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from termgauge.benchmark.huggingface import SPLIT, yaml_block
from termgauge.benchmark.sets import Origin
from termgauge.exceptions import TermgaugeError
from termgauge.integrations.order import Exported
from termgauge.integrations.run_values import RunValues
from termgauge.io.atomic import write_text
from termgauge.io.identity import file_name, version
from termgauge.reporting.set_names import STATISTICS, titled

if TYPE_CHECKING:
    from pathlib import Path

    from termgauge.integrations.order import Order
    from termgauge.integrations.run_values import Estimate, ModelValues, SetValues

_SUFFIXES = (".yaml", ".yml")


def write(order: Order) -> Exported:
    """Write a file for each model: the one that is named, or one in a folder for each."""
    run = RunValues.of(order.sources, order.options.model)
    files = _files(order.out, [model.name for model in run.models])
    for path in files.values():
        if path.exists() and not order.force:
            raise TermgaugeError(f"{path}: is there already; name another place, or replace it with --force.")
    for model in run.models:
        write_text(files[model.name], yaml_block({"model-index": model_index(model, run.record.alpha)}))
    contents = {model.name: sum(len(each.values) for each in model.sets) for model in run.models}
    return Exported("model-card", order.out, contents, "values")


def _files(out: Path, models: list[str]) -> dict[str, Path]:
    if out.suffix.lower() not in _SUFFIXES:
        return {name: out / f"{file_name(name)}.yaml" for name in models}
    if len(models) > 1:
        raise TermgaugeError(
            f"{out}: is one file, and the run has {len(models)} models ({', '.join(models[:5])}); name one with "
            "--model, or a folder with --out."
        )
    return {models[0]: out}


def model_index(model: ModelValues, alpha: float) -> list[dict[str, Any]]:
    """Return the block of a model."""
    return [{"name": model.name, "results": [_result(each, alpha) for each in model.sets if each.values]}]


def _result(own: SetValues, alpha: float) -> dict[str, Any]:
    origin = own.about.origin or Origin.of_id(own.id)
    parts = own.id.split("/")
    title = titled(own.id, graded=own.about.graded, origin=origin).title
    return {
        "task": {"type": "sentence-similarity", "name": "Medical term similarity"},
        "dataset": {
            "name": f"{title} ({origin.terminology})" if origin.built else title,
            "type": origin.terminology or parts[0],
            "config": ".".join(parts[-3:] if origin.built else parts[1:] or parts),
            "split": SPLIT,
            "revision": own.about.sha256,
        },
        "metrics": [_metric(name, each, own, alpha) for name, each in own.values.items()],
    }


def _metric(statistic: str, value: Estimate, own: SetValues, alpha: float) -> dict[str, Any]:
    about: dict[str, Any] = {"measure": own.measure, "pairs": value.n}
    about |= {"coverage": own.coverage} if own.coverage < 1 else {}
    if value.low is not None and value.high is not None:
        about["interval"] = {"level": 1 - alpha, "low": value.low, "high": value.high}
    about["termgauge"] = version()
    return {"type": statistic, "name": STATISTICS.get(statistic, statistic), "value": value.value, "args": about}
