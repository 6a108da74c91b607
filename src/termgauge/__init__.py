"""How well does an embedding know medical terminology?

The same verbs as on the command line, as functions. Nothing heavy is imported until it is used.

>>> import termgauge as tg
>>> hpo = tg.read_terminology("hp.obo")  # doctest: +SKIP
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from termgauge.display import Showing

_HOMES = {
    "benchmark.build": ("build",),
    "benchmark.human.sets": ("human_sets", "load_human"),
    "benchmark.pair_table": ("read_pairs",),
    "benchmark.pairset": ("PairSet",),
    "benchmark.load": ("Benchmark", "load_benchmark"),
    "corpus.word_pairs": ("WordPairs", "word_pairs"),
    "corpus.words": ("words",),
    "cluster.connect": ("on_cluster",),
    "domain.domain": ("Domain", "make_domain", "read_domain"),
    "embeddings.load": ("load_model",),
    "embeddings.objects": ("as_model",),
    "embeddings.neighbours": ("neighbours",),
    "corpus.training": ("Training", "train_vectors"),
    "exceptions": ("TermgaugeError", "TermgaugeWarning"),
    "engine.file": ("init",),
    "engine.diff": ("diff",),
    "engine.evaluate": ("compare", "errors", "evaluate"),
    "engine.leaderboard": ("leaderboard",),
    "engine.runner": ("run",),
    "engine.report": ("report",),
    "integrations.export": ("export",),
    "studies.agreement.compute": ("agreement",),
    "studies.folder": ("Study", "new_study", "open_study"),
    "studies.decisions": ("decisions",),
    "studies.ratings": ("Ratings", "read_ratings"),
    "progress": ("show_progress",),
    "statistics.compare": ("compare_outcomes",),
    "io.tables": ("read_table",),
    "tasks.ner.score_file": ("score_entities",),
    "terminology": ("Terminology", "read_terminology"),
    "terminology.check": ("check_terminology",),
}
"""Modules, and what of them stands here; ``__init__.pyi`` has the signatures, made by ``docs/make_reference.py``."""
_TASKS = ("analogies", "audit", "categories", "coverage", "linking", "ner", "prediction", "subsets", "vocabulary")
__all__ = sorted([*_TASKS, *(name for names in _HOMES.values() for name in names)])  # noqa: PLE0605


def __getattr__(name: str) -> Any:  # noqa: ANN401
    if name == "__version__":
        from termgauge.io.identity import version

        return version()
    for home, names in _HOMES.items():
        if name in names:
            return getattr(import_module(f"termgauge.{home}"), name)
    if name == "integrations":
        return import_module("termgauge.integrations")
    if not name.startswith("_"):  # the verb of a task, ours or of another package
        from termgauge.tasks.registry import all_tasks

        if (task := all_tasks().get(name)) is not None and task.command:
            from termgauge.engine.verbs import verb

            return verb(name)
    raise AttributeError(f"module 'termgauge' has no attribute '{name}'")


def _to_html(result: Showing) -> str:
    """Return what a notebook shows of a result: this module may import what makes documents, the result may not."""
    from termgauge.reporting.about_data import to_html

    return to_html(result)


Showing.html_writer = _to_html


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
