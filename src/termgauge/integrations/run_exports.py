"""The results of a run for other places: model cards on Hugging Face, and the files in which mteb keeps results.

The values of a model are those of its default measure. A model card gets the ``model-index`` block of one model, to be
pasted into the front matter; the content hash of a set is its revision, and intervals stand in the arguments of a
metric, which is where the format has room for them. mteb's files are ``results/MODEL/REVISION/TASK.json``: tasks are
called as in the export of the same sets, and a model's revision is the key of its identity. Nothing of mteb is needed.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from termgauge.benchmark.huggingface import SPLIT, yaml_block
from termgauge.benchmark.sets import Origin
from termgauge.engine.run_folder import open_run
from termgauge.exceptions import TermgaugeError, did_you_mean
from termgauge.integrations.export import Exported
from termgauge.integrations.mteb_tasks import MAIN_SCORES, language_codes, task_name, task_type
from termgauge.io.atomic import inside, write_text
from termgauge.io.identity import file_name, version
from termgauge.reporting.set_names import STATISTICS, titled
from termgauge.similarity.measures import default_measure, same_measure
from termgauge.tasks.pairs.results import OWN

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator

    from termgauge.engine.run_folder import RunFolder, RunRecord
    from termgauge.integrations.export import Order
    from termgauge.tasks.records import ModelRecord, SetRecord

COVERAGE = "coverage"


@dataclass(frozen=True)
class Estimate:
    """A value with its interval, where it has one."""

    value: float
    low: float | None
    high: float | None
    n: int


@dataclass(frozen=True)
class SetValues:
    """What a model reaches on a set, on the pairs that it can score."""

    id: str
    about: SetRecord
    measure: str
    values: dict[str, Estimate]
    """By statistic."""
    coverage: float
    """The share of pairs that it can score."""

    @property
    def cosine(self) -> bool:
        """Whether the measure is the cosine of two vectors."""
        return same_measure(self.measure, "cos")


@dataclass(frozen=True)
class ModelValues:
    """A model of a run, and its values on each set."""

    name: str
    record: ModelRecord
    sets: list[SetValues]


@dataclass(frozen=True)
class RunValues:
    """All models of a run, or one."""

    record: RunRecord
    models: list[ModelValues]

    @classmethod
    def of(cls, run: str | os.PathLike[str] | RunFolder, model: str | None = None) -> RunValues:
        """Read them; the model that is named must be there."""
        opened = open_run(run)
        record, results = opened.record(), opened.results()
        if model is not None and model not in record.models:
            raise TermgaugeError(f"{opened.path}: has no model '{model}'.{did_you_mean(model, record.models)}")
        names = [model] if model is not None else list(record.models)
        models = [ModelValues(name, record.models[name], _sets(results, record, name)) for name in names]
        if not any(each.sets for each in models):
            raise TermgaugeError(f"{opened.path}: has no values of pairs; make some with termgauge evaluate.")
        return cls(record, [each for each in models if each.sets])


def _sets(results: pl.DataFrame, record: RunRecord, model: str) -> list[SetValues]:
    own = results.filter((pl.col("model") == model) & (pl.col("subset") == OWN) & pl.col("value").is_not_null())
    found = []
    for set_id, about in record.sets.items():
        here = own.filter(pl.col("set") == set_id)
        measured = here.filter(pl.col("statistic") != COVERAGE)
        measure = default_measure(measured["measure"].unique(maintain_order=True), record.models[model].kind)
        if measure is None:
            continue
        rows = here.filter(pl.col("measure") == measure).select("statistic", "value", "low", "high", "n")
        values = {statistic: Estimate(value, low, high, n) for statistic, value, low, high, n in rows.iter_rows()}
        covered = values.pop(COVERAGE, Estimate(1.0, None, None, about.pairs)).value
        found.append(SetValues(set_id, about, measure, values, covered))
    return found


_SUFFIXES = (".yaml", ".yml")


def write_model_card(order: Order) -> Exported:
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


RESULTS, META = "results", "model_meta.json"
_OWN = "termgauge"
_LONGEST_REVISION = 40
_UNKNOWN = (
    "loader", "release_date", "n_parameters", "n_active_parameters_override", "n_embedding_parameters",
    "memory_usage_mb", "max_tokens", "embed_dim", "license", "open_weights", "public_training_code",
    "public_training_data", "reference", "use_instructions", "training_datasets", "adapted_from", "superseded_by",
    "citation", "contacts", "experiment_kwargs", "output_dtypes", "extra_requirements_groups",
)  # fmt: skip
"""What mteb knows of models and a run does not."""


def write_mteb_results(order: Order) -> Exported:
    """Write the files; those of other models and tasks in the folder stay."""
    run = RunValues.of(order.sources, order.options.model)
    files = {path: document for model in run.models for path, document in _documents(model, run)}
    there = next((path for path in files if path.name != META and (order.out / path).exists()), None)
    if there is not None and not order.force:
        raise TermgaugeError(f"{order.out / there}: is there already; name another folder, or replace it with --force.")
    if not any(path.name != META for path in files):
        raise TermgaugeError("The run lacks the scores that mteb ranks by; make them with termgauge evaluate.")
    for path, document in files.items():
        write_text(inside(order.out, path), json.dumps(document, indent=2) + "\n")
    contents = {model.name: len(model.sets) for model in run.models}
    partly = [
        f"'{model.name}' scores {each.coverage:.1%} of {each.id}; its result is on those pairs alone."
        for model in run.models
        for each in model.sets
        if each.coverage < 1
    ]
    return Exported("mteb-results", order.out, contents, "results", tuple(partly))


def _documents(model: ModelValues, run: RunValues) -> Iterator[tuple[Path, dict[str, Any]]]:
    name, revision = mteb_name(model.name), model.record.key[:_LONGEST_REVISION] or "no_revision_available"
    folder = Path(RESULTS, name.replace("/", "__"), revision)
    known = {"name": name, "revision": revision, "languages": None, "framework": [], "modalities": ["text"]}
    more = {"similarity_fn_name": "cosine", "loader_kwargs": {}, "model_type": ["dense"]}
    yield folder / META, {**dict.fromkeys(_UNKNOWN), **known, **more}
    for each in model.sets:
        if (document := task_result(each, run)) is not None:
            yield folder / f"{task_name(each.id)}.json", document


def mteb_name(name: str) -> str:
    """Return what a model is called in mteb, whose names have an organisation.

    >>> mteb_name("minilm"), mteb_name("sentence-transformers/all-MiniLM-L6-v2")
    ('termgauge/minilm', 'sentence-transformers/all-MiniLM-L6-v2')
    """
    organisation, slash, model = name.partition("/")
    return "/".join(map(file_name, (organisation, model.replace("/", "-")) if slash and model else (_OWN, name)))


def task_result(own: SetValues, run: RunValues) -> dict[str, Any] | None:
    """Return the result of a set as mteb writes it; None if the run lacks the main score, as older runs do."""
    scores = _scores(own)
    main = MAIN_SCORES[task_type(graded=own.about.graded)]
    other = main.replace("cosine_", "" if own.about.graded else "similarity_")
    if (value := scores.get(main, scores.get(other))) is None:
        return None
    return {
        "dataset_revision": own.about.sha256,
        "task_name": task_name(own.id),
        "mteb_version": None,
        "scores": {SPLIT: [{**scores, "main_score": value, "hf_subset": "default", "languages": _languages(own, run)}]},
        "evaluation_time": None,
        "kg_co2_emissions": None,
    }


def _scores(own: SetValues) -> dict[str, float]:
    """Return the values under the names of mteb: by the model's own similarity, and by cosine where that is it."""
    prefixes = ["" if own.about.graded else "similarity_", *(["cosine_"] if own.cosine else [])]
    named = {f"{prefix}{name}": each.value for prefix in prefixes for name, each in own.values.items()}
    intervals = {
        f"{name}_{end}": value
        for name, each in own.values.items()
        for end, value in (("low", each.low), ("high", each.high))
        if value is not None
    }
    return {**named, **intervals, "coverage": own.coverage}


def _languages(own: SetValues, run: RunValues) -> list[str]:
    """Return the languages of a set, from what the run says of the benchmark that it is of."""
    built = own.about.origin.terminology if own.about.origin else ""
    for each in run.record.benchmarks.values():
        if each.terminology is not None and each.terminology.slug == built:
            return language_codes(str(each.options.get("language", "en")))
    return language_codes("en")
