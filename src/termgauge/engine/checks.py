"""What the tables of an experiment cannot see each by itself: names that mean nothing, and tables that contradict."""

from __future__ import annotations

from typing import TYPE_CHECKING

from termgauge.engine.tables import options_of
from termgauge.engine.trust import address_of
from termgauge.exceptions import TermgaugeError, did_you_mean
from termgauge.reporting.words import listed
from termgauge.tasks.registry import all_tasks

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from termgauge.engine.tables import BenchmarkTable, Experiment

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
    repeated = [task for task in all_tasks().values() if task.repeated]
    measuring = [task.table_name for task in repeated if not task.reads_run]
    if not (experiment.benchmark or experiment.human or any(getattr(experiment, name) for name in measuring)):
        tables = ["[[benchmark]]", "[human]", *(f"[[{name}]]" for name in measuring)]
        yield (), f"names nothing to measure; add a table {listed(tables, last='or')}"
    for table in ("terminology", "benchmark", "model", *(task.table_name for task in repeated)):
        yield from _doubled(table, [each.title for each in getattr(experiment, table)])
    known = [each.name for each in experiment.terminology]
    for at, benchmark in enumerate(experiment.benchmark):
        yield from _benchmark(benchmark, ("benchmark", at), known)
    for task in repeated:
        for at, table in enumerate(getattr(experiment, task.table_name)):
            where, options = (task.table_name, at), options_of(task, table)
            if task.needs_terminology(options):
                yield from _reference(table.terminology, where, known, needed=len(known) != 1)
            yield from (((*where, key), f"{shown(where)}: {problem}") for key, problem in options.problems())
    yield from _meaningless(experiment)


def _doubled(table: str, names: Sequence[str]) -> Iterator[tuple[Where, str]]:
    seen: dict[str, int] = {}
    for at, name in enumerate(names):
        # Some file systems do not tell capitals from small letters.
        if name and name.lower() in seen:
            same = f"{shown((table, at))} is called '{name}' like number {seen[name.lower()] + 1}"
            yield (table, at, "name"), f"{same}; give it a 'name' of its own"
        seen.setdefault(name.lower(), at)


def _benchmark(table: BenchmarkTable, where: Where, known: Sequence[str]) -> Iterator[tuple[Where, str]]:
    given = [name for name in ("terminology", "folder", "file") if getattr(table, name) is not None]
    if len(given) != 1:
        yield (
            where,
            f"{shown(where)} has either a 'terminology' to build from, the 'folder' of one built before, or a 'file'",
        )
    elif table.terminology is not None:
        yield from _reference(table.terminology, where, known, needed=True)
    elif more := sorted(table.model_fields_set - {"name", *given, *(["columns"] if table.file else [])}):
        what = "its 'folder' was built before" if table.folder else "its 'file' is read as it is"
        yield (*where, more[0]), f"'{more[0]}' of {shown(where)} is for building, but {what}"


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
    from termgauge.similarity.measures import USUAL, check_default_measure

    def complaint(check: Callable[[], object], where: Where) -> Iterator[tuple[Where, str]]:
        try:
            check()
        except TermgaugeError as error:
            yield where, f"{shown(where[:-1])}: {error}"

    for at, model in enumerate(experiment.model):
        yield from complaint(lambda model=model: address_of(ModelSpec.parse(model.spec)), ("model", at, "spec"))  # type: ignore[misc]
    for name in experiment.human.sets if experiment.human and experiment.human.sets != "all" else []:
        yield from complaint(lambda name=name: find_human(name), ("human", "sets"))  # type: ignore[misc]
    standing = experiment.significance.measure
    yield from complaint(lambda: check_default_measure(standing, USUAL, "best"), ("significance", "measure"))
