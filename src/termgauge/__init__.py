"""How well does an embedding know medical terminology?

The same verbs as on the command line, as functions. Nothing heavy is imported until it is used.

>>> import termgauge as tg
>>> hpo = tg.read_terminology("hp.obo")  # doctest: +SKIP
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from termgauge.benchmark.build import build
    from termgauge.benchmark.human.sets import human_sets, load_human
    from termgauge.benchmark.load import Benchmark, load_benchmark
    from termgauge.benchmark.pair_table import read_pairs
    from termgauge.benchmark.pairset import PairSet
    from termgauge.cluster.connect import on_cluster
    from termgauge.corpus.training import Training, train_vectors
    from termgauge.corpus.word_pairs import WordPairs, word_pairs
    from termgauge.corpus.words import words
    from termgauge.domain.domain import Domain, make_domain, read_domain
    from termgauge.embeddings.load import load_model
    from termgauge.embeddings.neighbours import neighbours
    from termgauge.embeddings.objects import as_model
    from termgauge.engine.diff import diff
    from termgauge.engine.evaluate import compare, errors, evaluate
    from termgauge.engine.file import init
    from termgauge.engine.leaderboard import leaderboard
    from termgauge.engine.report import report
    from termgauge.engine.runner import run
    from termgauge.exceptions import TermgaugeError, TermgaugeWarning
    from termgauge.integrations.export import export
    from termgauge.io.tables import read_table
    from termgauge.progress import show_progress
    from termgauge.studies.agreement.compute import agreement
    from termgauge.studies.decisions import decisions
    from termgauge.studies.folder import Study, new_study, open_study
    from termgauge.studies.ratings import Ratings, read_ratings
    from termgauge.tasks.analogies.result import AnalogyResult
    from termgauge.tasks.audit.result import AuditResult
    from termgauge.tasks.categories.result import CategoryResult
    from termgauge.tasks.coverage.result import CoverageResult
    from termgauge.tasks.linking.result import LinkingResult
    from termgauge.tasks.ner.result import NerResult
    from termgauge.tasks.ner.score_file import score_entities
    from termgauge.tasks.prediction.correlate import PredictionResult
    from termgauge.tasks.subsets.result import SubsetsResult
    from termgauge.tasks.vocabulary.measure import VocabularyResult
    from termgauge.terminology import Terminology, read_terminology
    from termgauge.terminology.check import check_terminology

    analogies: Callable[..., AnalogyResult]
    audit: Callable[..., AuditResult]
    categories: Callable[..., CategoryResult]
    coverage: Callable[..., CoverageResult]
    ner: Callable[..., NerResult]
    prediction: Callable[..., PredictionResult]
    linking: Callable[..., LinkingResult]
    subsets: Callable[..., SubsetsResult]
    vocabulary: Callable[..., VocabularyResult]

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
    "io.tables": ("read_table",),
    "tasks.ner.score_file": ("score_entities",),
    "terminology": ("Terminology", "read_terminology"),
    "terminology.check": ("check_terminology",),
}
"""Modules, and what of them stands here."""

__all__ = [
    "Benchmark",
    "Domain",
    "PairSet",
    "Ratings",
    "Study",
    "TermgaugeError",
    "TermgaugeWarning",
    "Terminology",
    "Training",
    "WordPairs",
    "agreement",
    "analogies",
    "as_model",
    "audit",
    "build",
    "categories",
    "check_terminology",
    "compare",
    "coverage",
    "decisions",
    "diff",
    "errors",
    "evaluate",
    "export",
    "human_sets",
    "init",
    "leaderboard",
    "linking",
    "load_benchmark",
    "load_human",
    "load_model",
    "make_domain",
    "neighbours",
    "ner",
    "new_study",
    "on_cluster",
    "open_study",
    "prediction",
    "read_domain",
    "read_pairs",
    "read_ratings",
    "read_table",
    "read_terminology",
    "report",
    "run",
    "score_entities",
    "show_progress",
    "subsets",
    "train_vectors",
    "vocabulary",
    "word_pairs",
    "words",
]


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


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
