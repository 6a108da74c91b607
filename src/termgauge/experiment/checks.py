"""What the tables of an experiment cannot see each by itself: names that mean nothing, and tables that contradict."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from termgauge.exceptions import TermgaugeError, did_you_mean
from termgauge.experiment.tables import BenchmarkTable, Experiment, ModelTable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from termgauge.experiment.tables import CategoriesTable, CoverageTable, TerminologyTable

Where = tuple[str | int, ...]
"""Where something stands in the file: table, number, key."""


def shown(where: Where) -> str:
    """Return what a table is called for people."""
    if not where:
        return "an experiment"
    if len(where) == 1:
        return f"[{where[0]}]"
    return f"[[{where[0]}]] number {int(where[1]) + 1}"


def contradictions(experiment: Experiment) -> Iterator[tuple[Where, str]]:
    """Find what is wrong with an experiment, and where."""
    if not (experiment.benchmark or experiment.human or experiment.categories or experiment.coverage):
        yield (), "names nothing to measure; add a table [[benchmark]], [human], [[categories]] or [[coverage]]"
    yield from _doubled(experiment)
    known = [each.name for each in experiment.terminology]
    for at, benchmark in enumerate(experiment.benchmark):
        yield from _benchmark(benchmark, ("benchmark", at), known)
    for table in ("categories", "coverage"):
        for at, section in enumerate(getattr(experiment, table)):
            files = table == "categories" and all(each.startswith("@") for each in (*section.close, section.far))
            if not files:
                yield from _reference(section.terminology, (table, at), known, needed=len(known) != 1)
    yield from _meaningless(experiment)


def _doubled(experiment: Experiment) -> Iterator[tuple[Where, str]]:
    for table in ("terminology", "benchmark", "model", "categories", "coverage"):
        seen: dict[str, int] = {}
        for at, each in enumerate(getattr(experiment, table)):
            name = _name_of(each)
            # Some file systems do not tell capitals from small letters.
            if name.lower() in seen:
                same = f"{shown((table, at))} is called '{name}' like number {seen[name.lower()] + 1}"
                yield (table, at, "name"), f"{same}; give it a 'name' of its own"
            seen.setdefault(name.lower(), at)


def _name_of(table: TerminologyTable | BenchmarkTable | ModelTable | CategoriesTable | CoverageTable) -> str:
    if isinstance(table, BenchmarkTable):
        return benchmark_name(table)
    return model_name(table) if isinstance(table, ModelTable) else table.name


def benchmark_name(table: BenchmarkTable) -> str:
    """Return what a benchmark is called."""
    return table.name or table.terminology or Path(table.folder or "").name


def model_name(table: ModelTable) -> str:
    """Return what a model is called: as it was named, else as made from its file."""
    from termgauge.embeddings.spec import ModelSpec

    if table.name:
        return table.name
    try:
        return ModelSpec.parse(table.spec).name
    except TermgaugeError:  # said elsewhere
        return table.spec


def _benchmark(table: BenchmarkTable, where: Where, known: Sequence[str]) -> Iterator[tuple[Where, str]]:
    from termgauge.benchmark.options import options_of

    if (table.terminology is None) == (table.folder is None):
        yield where, f"{shown(where)} has either a 'terminology' to build from or the 'folder' of one built before"
        return
    if table.folder is not None:
        more = sorted(table.model_fields_set - {"name", "folder"})
        if more:
            yield (
                (*where, more[0]),
                f"'{more[0]}' of {shown(where)} is for building, but its 'folder' was built before",
            )
        return
    yield from _reference(table.terminology, where, known, needed=True)
    try:
        options_of(build_options(table, 0, None))
    except TermgaugeError as error:
        yield where, f"{shown(where)}: {error}"


def build_options(table: BenchmarkTable, seed: int, language: str | None) -> dict[str, Any]:
    """Return the options that a benchmark is built with."""
    given = table.model_dump(exclude={"name", "terminology", "folder"})
    return given | {
        "seed": seed if table.seed is None else table.seed,
        "language": table.language or language or "en",
    }


def _reference(name: str | None, where: Where, known: Sequence[str], *, needed: bool) -> Iterator[tuple[Where, str]]:
    if name is None:
        if needed:
            yield where, f"{shown(where)} names no 'terminology'; there are {', '.join(known) or 'none'}"
    elif name not in known:
        guess = did_you_mean(name, known)
        there = f"there are {', '.join(known)}" if known else "add a table [[terminology]]"
        yield (
            (*where, "terminology"),
            f"{shown(where)} names the terminology '{name}', which is not in the file; {there}.{guess}",
        )


def _meaningless(experiment: Experiment) -> Iterator[tuple[Where, str]]:
    """Find values that are of the right form and yet mean nothing."""
    from termgauge.benchmark.human.sets import find_human
    from termgauge.embeddings.spec import ModelSpec
    from termgauge.similarity.measures import USUAL, checked_measure, chosen_measures

    def complaint(check: Callable[[], object], where: Where) -> Iterator[tuple[Where, str]]:
        try:
            check()
        except TermgaugeError as error:
            yield where, f"{shown(where[:-1])}: {error}"

    for at, model in enumerate(experiment.model):
        yield from complaint(lambda model=model: ModelSpec.parse(model.spec), ("model", at, "spec"))  # type: ignore[misc]
    for name in experiment.human.sets if experiment.human and experiment.human.sets != "all" else []:
        yield from complaint(lambda name=name: find_human(name), ("human", "sets"))  # type: ignore[misc]
    yield from complaint(lambda: chosen_measures("words", experiment.scoring.measures), ("scoring", "measures"))
    standing = experiment.significance.measure
    yield from complaint(lambda: checked_measure(standing, USUAL, "best"), ("significance", "measure"))
    for at, section in enumerate(experiment.categories):
        where = ("categories", at, "measures")
        yield from complaint(lambda section=section: chosen_measures("words", section.measures), where)  # type: ignore[misc]
    for at, domain in enumerate(experiment.coverage):
        made = domain.concepts or domain.branches or domain.texts or domain.lists
        if not made and not domain.domain:
            yield ("coverage", at), f"{shown(('coverage', at))} names no concepts, branches, texts or lists to take"
        if made and domain.domain:
            yield ("coverage", at, "domain"), f"{shown(('coverage', at))} has a 'domain' and also how to make one"
        if not domain.k or min(domain.k) < 1:
            yield ("coverage", at, "k"), f"'k' of {shown(('coverage', at))} has numbers of at least 1"
