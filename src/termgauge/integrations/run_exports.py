"""The results of a run for other places: model cards on Hugging Face, and the files in which mteb keeps results.

The values of a model are those of its default measure. A model card gets the ``model-index`` block of one model, to be
pasted into the front matter; the content hash of a set is its revision, and intervals stand in the arguments of a
metric, which is where the format has room for them. mteb's files are ``results/MODEL/REVISION/TASK.json``: tasks are
called as in the export of the same sets, and a model's revision is the key of its identity. Nothing of mteb is needed.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import polars as pl

from termgauge.benchmark.huggingface import SPLIT, yaml_block
from termgauge.benchmark.sets import Origin
from termgauge.engine.run_folder import open_run
from termgauge.exceptions import TermgaugeError, did_you_mean
from termgauge.integrations.dataset_folder import MAIN_SCORES, PAIRS, STS, language_codes
from termgauge.integrations.export import Exported
from termgauge.io.atomic import inside, write_text
from termgauge.io.identity import file_name, version
from termgauge.reporting.set_names import STATISTICS, titled
from termgauge.similarity.measures import default_measure, same_measure
from termgauge.tasks.pairs.results import OWN

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Iterator

    from termgauge.engine.run_folder import RunFolder, RunRecord
    from termgauge.integrations.export import ExportRequest
    from termgauge.tasks.records import SetRecord

COVERAGE = "coverage"


class SetValues(NamedTuple):
    """What a model reaches on a set, on the pairs that it can score."""

    id: str
    about: SetRecord
    measure: str
    statistics: dict[str, dict[str, Any]]
    """Of each statistic its value, low, high (null where it has no interval) and n."""
    coverage: float
    """The share of pairs that it can score."""


def run_values(
    run: str | os.PathLike[str] | RunFolder, model: str | None = None
) -> tuple[RunRecord, dict[str, list[SetValues]]]:
    """Return the record of a run, and by model its values on each set; the model that is named must be there."""
    opened = open_run(run)
    record, results = opened.record(), opened.results()
    if model is not None and model not in record.models:
        raise TermgaugeError(f"{opened.path}: has no model '{model}'.{did_you_mean(model, record.models)}")
    names = [model] if model is not None else list(record.models)
    values = {name: sets for name in names if (sets := _sets(results, record, name))}
    if not values:
        raise TermgaugeError(f"{opened.path}: has no values of pairs; make some with termgauge evaluate.")
    return record, values


def _sets(results: pl.DataFrame, record: RunRecord, model: str) -> list[SetValues]:
    results = results.filter((pl.col("model") == model) & (pl.col("subset") == OWN) & pl.col("value").is_not_null())
    sets = []
    for set_id, about in record.sets.items():
        here = results.filter(pl.col("set") == set_id)
        measured = here.filter(pl.col("statistic") != COVERAGE)
        measure = default_measure(measured["measure"].unique(maintain_order=True), record.models[model].kind)
        if measure is None:
            continue
        rows = here.filter(measure=measure).rows_by_key("statistic", named=True, unique=True)
        covered = rows.pop(COVERAGE, {"value": 1.0})["value"]
        sets.append(SetValues(set_id, about, measure, rows, covered))
    return sets


_SUFFIXES = (".yaml", ".yml")


def write_model_card(request: ExportRequest) -> Exported:
    """Write a file for each model: the one that is named, or one in a folder for each."""
    record, models = run_values(request.sources, request.options.model)
    files = _files(request.out, list(models))
    _refuse_existing(files.values(), request)
    for model, sets in models.items():
        results = [_result(values, record.alpha) for values in sets if values.statistics]
        write_text(files[model], yaml_block({"model-index": [{"name": model, "results": results}]}))
    contents = {model: sum(len(values.statistics) for values in sets) for model, sets in models.items()}
    return Exported("model-card", request.out, contents, "values")


def _refuse_existing(files: Iterable[Path], request: ExportRequest) -> None:
    for path in files:
        if path.exists() and not request.force:
            raise TermgaugeError(f"{path}: is there already; name another place, or replace it with --force.")


def _files(out: Path, models: list[str]) -> dict[str, Path]:
    if out.suffix.lower() not in _SUFFIXES:
        return {name: out / f"{file_name(name)}.yaml" for name in models}
    if len(models) > 1:
        raise TermgaugeError(
            f"{out}: is one file, and the run has {len(models)} models ({', '.join(models[:5])}); name one with "
            "--model, or a folder with --out."
        )
    return {models[0]: out}


def _result(values: SetValues, alpha: float) -> dict[str, Any]:
    origin = values.about.origin or Origin.from_id(values.id)
    parts = values.id.split("/")
    title = titled(values.id, graded=values.about.graded, origin=origin).title
    return {
        "task": {"type": "sentence-similarity", "name": "Medical term similarity"},
        "dataset": {
            "name": f"{title} ({origin.terminology})" if origin.built else title,
            "type": origin.terminology or parts[0],
            "config": ".".join(parts[-3:] if origin.built else parts[1:] or parts),
            "split": SPLIT,
            "revision": values.about.sha256,
        },
        "metrics": [_metric(name, estimate, values, alpha) for name, estimate in values.statistics.items()],
    }


def _metric(statistic: str, estimate: dict[str, Any], values: SetValues, alpha: float) -> dict[str, Any]:
    about: dict[str, Any] = {"measure": values.measure, "pairs": estimate["n"]}
    about |= {"coverage": values.coverage} if values.coverage < 1 else {}
    if estimate["low"] is not None and estimate["high"] is not None:
        about["interval"] = {"level": 1 - alpha, "low": estimate["low"], "high": estimate["high"]}
    about["termgauge"] = version()
    return {"type": statistic, "name": STATISTICS.get(statistic, statistic), "value": estimate["value"], "args": about}


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


def write_mteb_results(request: ExportRequest) -> Exported:
    """Write the files; those of other models and tasks in the folder stay."""
    record, models = run_values(request.sources, request.options.model)
    files = {path: document for model in models for path, document in _documents(model, models[model], record)}
    results = [request.out / path for path in files if path.name != META]
    _refuse_existing(results, request)
    if not results:
        raise TermgaugeError("The run lacks the scores that mteb ranks by; make them with termgauge evaluate.")
    for path, document in files.items():
        write_text(inside(request.out, path), json.dumps(document, indent=2) + "\n")
    contents = {model: len(sets) for model, sets in models.items()}
    partly = [
        f"'{model}' scores {values.coverage:.1%} of {values.id}; its result is on those pairs alone."
        for model, sets in models.items()
        for values in sets
        if values.coverage < 1
    ]
    return Exported("mteb-results", request.out, contents, "results", tuple(partly))


def _documents(model: str, sets: list[SetValues], record: RunRecord) -> Iterator[tuple[Path, dict[str, Any]]]:
    name, revision = mteb_name(model), record.models[model].key[:_LONGEST_REVISION] or "no_revision_available"
    folder = Path(RESULTS, name.replace("/", "__"), revision)
    meta = {"name": name, "revision": revision, "languages": None, "framework": [], "modalities": ["text"]}
    more = {"similarity_fn_name": "cosine", "loader_kwargs": {}, "model_type": ["dense"]}
    yield folder / META, {**dict.fromkeys(_UNKNOWN), **meta, **more}
    for values in sets:
        if (document := _task_result(values, record)) is not None:
            yield folder / f"{file_name(values.id)}.json", document


def mteb_name(name: str) -> str:
    """Return what a model is called in mteb, whose names have an organisation."""
    organisation, slash, model = name.partition("/")
    return "/".join(map(file_name, (organisation, model.replace("/", "-")) if slash and model else (_OWN, name)))


def _task_result(values: SetValues, record: RunRecord) -> dict[str, Any] | None:
    """Return the result of a set as mteb writes it; None if the run lacks the main score, as older runs do."""
    scores = _scores(values)
    main = MAIN_SCORES[STS if values.about.graded else PAIRS]
    other = main.replace("cosine_", "" if values.about.graded else "similarity_")
    if (score := scores.get(main, scores.get(other))) is None:
        return None
    return {
        "dataset_revision": values.about.sha256,
        "task_name": file_name(values.id),
        "mteb_version": None,
        "scores": {
            SPLIT: [{**scores, "main_score": score, "hf_subset": "default", "languages": _languages(values, record)}]
        },
        "evaluation_time": None,
        "kg_co2_emissions": None,
    }


def _scores(values: SetValues) -> dict[str, float]:
    """Return the values under the names of mteb: by the model's own similarity, and by cosine where that is it."""
    prefixes = ["" if values.about.graded else "similarity_"]
    prefixes += ["cosine_"] if same_measure(values.measure, "cos") else []
    statistics = values.statistics.items()
    named = {f"{prefix}{name}": estimate["value"] for prefix in prefixes for name, estimate in statistics}
    intervals = {
        f"{name}_{end}": estimate[end]
        for name, estimate in statistics
        for end in ("low", "high")
        if estimate[end] is not None
    }
    return {**named, **intervals, "coverage": values.coverage}


def _languages(values: SetValues, record: RunRecord) -> list[str]:
    """Return the languages of a set, from what the run says of the benchmark that it is of."""
    built = values.about.origin.terminology if values.about.origin else ""
    for benchmark in record.benchmarks.values():
        if benchmark.terminology is not None and benchmark.terminology.slug == built:
            return language_codes(str(benchmark.options.get("language", "en")))
    return language_codes("en")
