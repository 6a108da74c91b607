"""The parts of a run beside scores (categories, domains, vocabulary): JSON files that know what they were made from.

A file whose inputs and models are still the same is not made again. Categories are measured model by model and written
after each, so that a run that was killed measures only the models that are missing.
"""

from __future__ import annotations

import json
from contextlib import contextmanager
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from termgauge.atomic import write_text
from termgauge.exceptions import CannotWriteError, TermgaugeError, sentence_of
from termgauge.experiment.run_folder import file_name
from termgauge.experiment.scoring_task import Failure
from termgauge.identity import sha256_of_value, version
from termgauge.progress import track

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from termgauge.benchmark.pairset import PairSet
    from termgauge.domain.domain import Domain
    from termgauge.embeddings.model import Model
    from termgauge.experiment.tables import CategoriesTable, CoverageTable
    from termgauge.tasks.coverage.measure import ModelCoverage
    from termgauge.terminology.model import Terminology

VOCABULARY, CATEGORIES, DOMAINS, COVERAGE, ANALOGIES = "vocabulary", "categories", "domains", "coverage", "analogies"
_LAYOUT = 1
_Found = TypeVar("_Found")

Openers: TypeAlias = "Mapping[str, tuple[str, Callable[[], Model]]]"
"""By name: the key of a model's identity, and how to open it."""
Failures = dict[str, Failure]


def section_file(folder: Path, part: str, name: str) -> Path:
    """Return where a section of a run is."""
    return folder / part / f"{file_name(name)}.json"


def stored(path: Path) -> dict[str, Any]:
    """Return what a file holds; nothing if it is not there or damaged, for then it is made again."""
    try:
        found = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def write_categories(
    folder: Path,
    table: CategoriesTable,
    terminology: Terminology | None,
    models: Openers,
    *,
    alpha: float,
    seed: int,
) -> Failures:
    """Measure how far models keep the categories of a table apart; return which models failed.

    Raises
    ------
    TermgaugeError
        If there are no such categories.
    """
    from termgauge.experiment.categories import categories

    path = section_file(folder, CATEGORIES, table.name)
    options = {"alpha": alpha, "seed": seed, **table.model_dump(exclude={"name", "terminology", "close", "far"})}
    files = [_content(name) for name in (*table.close, table.far)]
    inputs = _key(terminology, table.close, table.far, files, options)
    former = stored(path)
    there = _of_models(former, inputs)
    failures: Failures = {}
    document: dict[str, Any] = {}
    found: dict[str, Any] = {}
    with track(f"Categories {table.name}", total=len(models), unit="models") as advance:
        for name, (key, opened) in models.items():
            if there.get(name, {}).get("key") == key:
                found[name] = there[name]["result"]
                document = document or {part: former[part] for part in ("categories", "shared_terms")}
            else:
                with _alone(failures, name, f"categories {table.name}"):
                    one = categories(terminology, (table.close[0], table.close[1]), table.far, [opened()], **options)
                    made = one.as_dict()
                    found[name] = made.pop("models")[name]
                    document = made
                    _write_models(path, table.name, document, found, inputs, models)
            advance(1)
    if found and (list(former.get("models", ())) != list(found) or former.get("name") != table.name):
        _write_models(path, table.name, document, found, inputs, models)
    if not found:
        raise TermgaugeError(next(iter(failures.values())).reason)
    return failures


def _write_models(
    path: Path, name: str, document: dict[str, Any], found: dict[str, Any], inputs: str, models: Openers
) -> None:
    identity = {"inputs": inputs, "models": {each: models[each][0] for each in found}}
    _write(path, {"name": name, **document, "models": found, "identity": identity})


def _of_models(former: dict[str, Any], inputs: str) -> dict[str, dict[str, Any]]:
    """Return the models of an earlier file that was made from the same inputs."""
    identity = former.get("identity")
    if not isinstance(identity, dict) or identity.get("inputs") != inputs:
        return {}
    return {name: {"key": identity["models"].get(name), "result": one} for name, one in former["models"].items()}


def write_vocabulary(folder: Path, sets: Sequence[PairSet], models: Openers) -> Failures:
    """Describe what models know; return which of them failed."""
    from termgauge.tasks.vocabulary.measure import describe_vocabularies

    path = folder / f"{VOCABULARY}.json"
    identity = _key(None, [pairs.sha256 for pairs in sets], {name: key for name, (key, _open) in models.items()})
    if stored(path).get("identity") == identity:
        return {}
    opened, failures = _opened(models, VOCABULARY)
    _write(path, {**describe_vocabularies(opened, sets).as_dict(), "identity": identity})
    return failures


def _opened(models: Openers, step: str) -> tuple[list[Model], Failures]:
    """Open models; return those that open, and why the others do not."""
    found: list[Model] = []
    failures: Failures = {}
    for name, (_key_of_it, opened) in models.items():
        with _alone(failures, name, step):
            found.append(opened())
    if not found:
        raise TermgaugeError(next(iter(failures.values())).reason)
    return found, failures


def write_domain(folder: Path, table: CoverageTable, terminology: Terminology) -> Domain:
    """Make or read the domain of a table and keep it.

    Raises
    ------
    TermgaugeError
        If something of it cannot be had.
    """
    from termgauge.experiment.coverage import terminology_and_domain

    ways = ("concepts", "branches", "lists", "texts", "hops", "include_relations", "exclude_relations", "best")
    options = {name: getattr(table, name) for name in (*ways, "semantic_types")}
    _terminology, found = terminology_and_domain(terminology, table.domain, options)
    path = section_file(folder, DOMAINS, table.name)
    if stored(path) != json.loads(json.dumps(found.as_dict())):
        found.write(path)
    return found


def write_coverage(
    folder: Path,
    table: CoverageTable,
    terminology: Terminology,
    domain: Domain,
    models: Openers,
    **testing: Any,  # noqa: ANN401
) -> Failures:
    """Measure how well models cover a domain; return which of them failed.

    Parameters
    ----------
    folder
        The run folder.
    table, terminology, domain
        What is to be covered.
    models
        By whom.
    **testing
        Options of tests: ``alpha``, ``correction``, ``seed``.
    """
    from termgauge.tasks.coverage.measure import checked_ks, cover, coverage_statistics
    from termgauge.tasks.coverage.result import CoverageReport

    ks, lookup = checked_ks(table.k), _lookup(table)

    def measured(model: Model) -> ModelCoverage:
        return cover(model, terminology, domain, ks, **lookup)

    def reported(found: dict[str, ModelCoverage]) -> dict[str, Any]:
        statistics = coverage_statistics(list(found.values()), ks, **testing)
        return CoverageReport(domain, ks, table.labels, found, statistics).as_dict()

    inputs = _key(terminology, domain.key, ks, lookup, testing)
    return _write_together(folder, COVERAGE, table.name, inputs, models, measured, reported)


def write_analogies(
    folder: Path,
    table: CoverageTable,
    terminology: Terminology,
    domain: Domain,
    models: Openers,
    **testing: Any,  # noqa: ANN401
) -> Failures:
    """Measure how far a domain's relations hold as analogies; parameters as of :func:`write_coverage`."""
    from termgauge.domain.relations import chosen_relations
    from termgauge.tasks.analogies.measure import K, ModelAnalogies, analogies_of
    from termgauge.tasks.analogies.result import AnalogyReport

    chosen = chosen_relations(terminology, domain, table.relations)
    options, lookup = {"labels": table.labels, "method": table.method, **testing}, _lookup(table)

    def measured(model: Model) -> ModelAnalogies:
        return analogies_of(model, terminology, chosen.relations, (K,), method=table.method, **lookup)

    def reported(found: dict[str, ModelAnalogies]) -> dict[str, Any]:
        report = AnalogyReport.of(
            domain, terminology.identity, chosen.relations, (K,), found, notes=chosen.notes, **options
        )
        return report.as_dict()

    inputs = _key(terminology, domain.key, table.relations, lookup, options)
    return _write_together(folder, ANALOGIES, table.name, inputs, models, measured, reported)


def _lookup(table: CoverageTable) -> dict[str, Any]:
    """Return how labels are looked up."""
    return {"labels": table.labels, "join": table.join, "lowercase": table.lowercase}


def _write_together(
    folder: Path,
    part: str,
    name: str,
    inputs: str,
    models: Openers,
    measured: Callable[[Model], _Found],
    reported: Callable[[dict[str, _Found]], dict[str, Any]],
) -> Failures:
    """Measure models one by one, and write what is said of all of them together."""
    path = section_file(folder, part, name)
    keys = {model: key for model, (key, _open) in models.items()}
    if stored(path).get("identity") == {"inputs": inputs, "models": keys}:
        return {}
    found: dict[str, _Found] = {}
    failures: Failures = {}
    with track(f"{part.capitalize()} of {name}", total=len(models), unit="models") as advance:
        for model, (_key_of_it, opened) in models.items():
            with _alone(failures, model, f"{part} {name}"):
                found[model] = measured(opened())
            advance(1)
    if not found:
        first = next(iter(failures.values()), None)
        raise TermgaugeError(first.reason if first else "No model has vectors of its own.")
    identity = {"inputs": inputs, "models": {model: keys[model] for model in found}}
    _write(path, {"name": name, **reported(found), "identity": identity})
    return failures


@contextmanager
def _alone(failures: Failures, model: str, step: str) -> Iterator[None]:
    """Let a model that fails, for whatever reason, cost itself alone; only a folder that cannot be written ends all."""
    try:
        yield
    except CannotWriteError:
        raise
    except Exception as error:  # noqa: BLE001 - a defect, too, which the sentence then says
        failures[model] = Failure(step, sentence_of(error))


def _key(terminology: Terminology | None, *inputs: object) -> str:
    of = asdict(terminology.identity) if terminology else None
    return sha256_of_value([_LAYOUT, version(), of, *inputs])


def _content(name: str) -> str | None:
    """Return a hash of the terms in a file, if a category is one."""
    if not name.startswith("@"):
        return None
    from pathlib import Path

    from termgauge.source import content_hashes, files_of

    return sha256_of_value(content_hashes(files_of(Path(name[1:]))))


def _write(path: Path, document: dict[str, Any]) -> None:
    write_text(path, json.dumps(document, ensure_ascii=False, indent=2) + "\n")
