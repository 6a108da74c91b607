"""The results of a run as files that mteb keeps its own results in: ``results/MODEL/REVISION/TASK.json``.

Tasks are called as in the export of the same sets, and the revision of a dataset is the content hash of the set. A
model's revision is the key of its identity. Nothing of mteb is needed to write them.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from termgauge.benchmark.huggingface import SPLIT
from termgauge.exceptions import TermgaugeError
from termgauge.integrations.mteb_tasks import MAIN_SCORES, language_codes, task_name, task_type
from termgauge.integrations.order import Exported
from termgauge.integrations.run_values import RunValues
from termgauge.io.atomic import inside, write_text
from termgauge.io.identity import file_name

if TYPE_CHECKING:
    from collections.abc import Iterator

    from termgauge.integrations.order import Order
    from termgauge.integrations.run_values import ModelValues, SetValues

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


def write(order: Order) -> Exported:
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
