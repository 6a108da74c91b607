"""How a run was made, so that it can be repeated and cited: identities, versions, seeds, options, times, failures."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from termgauge.benchmark.human.catalogue import CATALOGUE
from termgauge.reporting.blocks import Cell, Column, Prose, Section, Table
from termgauge.reporting.set_names import groups_of, titled, with_terminology
from termgauge.reporting.words import listed, plain

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from termgauge.engine.run_folder import RunRecord
    from termgauge.reporting.blocks import Block
    from termgauge.tasks.contract import Citation

_SHORT = 12
_KINDS = {"words": "word vectors", "terms": "encoder of terms", "concepts": "concept vectors", "pairs": "scores pairs"}


def failure_section(failures: Mapping[str, tuple[str, str]], missing: Iterable[str] = ()) -> Section | None:
    """Return what is not in the report and why; None if nothing is missing.

    `failures` has the step and the reason for each model, `missing` sentences about other parts.
    """
    blocks: list[Block] = []
    sentences = tuple(missing)
    if failures:
        rows = tuple((Cell(model), Cell(step), Cell(reason)) for model, (step, reason) in failures.items())
        columns = (Column("Model"), Column("Step"), Column("Reason"))
        blocks.append(Table("failures", "Models that were left out, or did not finish.", columns, rows))
    if sentences:
        blocks.insert(0, Prose(tuple(plain(sentence) for sentence in sentences)))
    return Section("failures", "What is missing", tuple(blocks)) if blocks else None


def provenance_section(record: RunRecord, cited: Iterable[Citation], experiment: str | None = None) -> Section:
    """Return how the run was made, what to cite for its methods, and the experiment file as it was given."""
    repeat = (
        f"To repeat it: `{plain(record.command)}`." if record.command else "The command that made it was not recorded."
    )
    about = Prose(
        (f"{repeat} Equal hashes mean equal contents; with them and the same seeds the same values come out.",)
    )
    tables = (
        _settings_table(record),
        _models_table(record),
        _sets_table(record),
        _sources_table(record),
        _timings_table(record),
        _workers_table(record),
        _citations_table(cited),
        _licence_table(record),
        _experiment_table(experiment) if experiment else None,
    )
    return Section("making", "How it was made", (about, *(table for table in tables if table is not None)))


def _settings_table(record: RunRecord) -> Table:
    testing = record.testing
    values = {
        "termgauge": record.termgauge,
        "Libraries": ", ".join(f"{name} {version}" for name, version in record.libraries.items()),
        "Seed": record.seed,
        "Alpha": testing.alpha,
        "Correction": testing.correction,
        "Measures": ", ".join(record.measures) or "all that fit a model",
        "Measure used in the tables": "the model's default" if testing.measure == "usual" else testing.measure,
        "Compared by": testing.statistic,
        "Tests": testing.tests,
    }
    rows = tuple((Cell(name), Cell(str(value))) for name, value in values.items() if value != "")
    return Table("settings", "Versions and settings.", (Column("What"), Column("Value")), rows, sortable=False)


def _models_table(record: RunRecord) -> Table:
    rows = []
    for name, model in record.models.items():
        said = [f"{option}={value}" for option, value in model.options.items() if value != ""]
        said += [f"{library} {version}" for library, version in model.libraries.items()]
        rows.append(
            (
                Cell(name),
                Cell(_KINDS[model.kind]),
                Cell(model.scheme),
                Cell(_file_of(model.origin), note=model.words),
                Cell(", ".join(said)),
                Cell(_short(model.source), note=model.source),
                Cell(_short(model.key), note=model.key),
            )
        )
    columns = (
        Column("Model"), Column("Kind"), Column("Scheme"), Column("From"), Column("Options and libraries"),
        Column("Contents", note="Hash of the files it was read from, or a revision"),
        Column("Identity", note="Hash of all that changes its vectors"),
    )  # fmt: skip
    return Table("identities", "Models.", columns, tuple(rows), folded=len(rows) > 8)


def _sets_table(record: RunRecord) -> Table | None:
    if not record.sets:
        return None
    sets = {name: titled(name, graded=each.graded, origin=each.origin) for name, each in record.sets.items()}
    rows = [
        (
            Cell(with_terminology(each, list(sets.values()))),
            Cell(each.id),
            Cell.count(record.sets[each.id].pairs),
            Cell("ratings" if each.graded else "labels"),
            Cell(_short(record.sets[each.id].sha256), note=record.sets[each.id].sha256),
        )
        for group in groups_of(sets.values())
        for each in group.sets
    ]
    columns = (Column("Set"), Column("Id"), Column("Pairs", numeric=True), Column("With"), Column("SHA-256"))
    return Table("sets", "Sets.", columns, tuple(rows), folded=True)


def _sources_table(record: RunRecord) -> Table | None:
    rows = []
    for name, identity in record.terminologies.items():
        shown = filter(None, (identity.format, identity.edition, identity.version))
        rows.append((Cell("Terminology"), Cell(name), Cell(", ".join(shown)), Cell(_short(identity.sha256))))
    for name, benchmark in record.benchmarks.items():
        options = {**benchmark.options, "seed": benchmark.seed}
        said = [f"{key}={value}" for key, value in options.items() if value not in (None, "", [], False)]
        said += benchmark.notes
        source = benchmark.terminology.sha256 if benchmark.terminology else ""
        rows.append((Cell("Benchmark"), Cell(name), Cell("; ".join(said)), Cell(_short(source))))
    if not rows:
        return None
    columns = (Column("What"), Column("Name"), Column("Options"), Column("Terminology", note="Hash of its contents"))
    return Table("sources", "Terminologies, and benchmarks built from them.", columns, tuple(rows), sortable=False)


def _timings_table(record: RunRecord) -> Table | None:
    if not record.timings:
        return None
    rows = tuple((Cell(step), Cell.number(seconds, 1, top=None)) for step, seconds in record.timings.items())
    columns = (Column("Step"), Column("Seconds", numeric=True))
    notes = ("What was there already took no time; the longest time of each step is kept.",)
    return Table("timings", "How long the steps took.", columns, rows, notes=notes, sortable=False, folded=True)


def _workers_table(record: RunRecord) -> Table | None:
    if not any(unit.worker for unit in record.units):
        return None
    rows = tuple(
        (
            Cell(" ".join(filter(None, (unit.task, unit.table if unit.table != unit.task else "", unit.part)))),
            Cell(unit.model),
            Cell(unit.worker),
            Cell.number(unit.seconds, 1, top=None),
            Cell.number(unit.tries, 0, top=None),
        )
        for unit in record.units
    )
    columns = (
        Column("Unit"),
        Column("Model"),
        Column("Worker"),
        Column("Seconds", numeric=True),
        Column("Begun", note="How often; more than once if workers were lost", numeric=True),
    )
    return Table("workers", "Which worker of the cluster did what.", columns, rows, folded=True)


def _citations_table(cited: Iterable[Citation]) -> Table | None:
    uses: dict[str, list[str]] = {}
    for each in cited:
        if each.use not in uses.setdefault(each.citation, []):
            uses[each.citation].append(each.use)
    if not uses:
        return None
    rows = tuple((Cell(listed(names)), Cell(citation)) for citation, names in uses.items())
    columns = (Column("For"), Column("Cite"))
    return Table("methods", "What to cite for the methods.", columns, rows, sortable=False, folded=True)


def _licence_table(record: RunRecord) -> Table | None:
    rows = tuple(
        (Cell(entry.title), Cell(entry.citation), Cell(entry.licence)) for entry in CATALOGUE if entry.id in record.sets
    )
    if not rows:
        return None
    columns = (Column("Set"), Column("Cite"), Column("Licence"))
    return Table(
        "set-licences",
        "What to cite for the sets rated by people, and their licences.",
        columns,
        rows,
        sortable=False,
        folded=True,
    )


def _experiment_table(text: str) -> Table:
    rows = tuple(
        (Cell.count(at), Cell(re.sub(r"^ +", lambda spaces: "\u00a0" * len(spaces[0]), line)))
        for at, line in enumerate(text.expandtabs(4).splitlines(), 1)
    )
    columns = (Column("Line", numeric=True), Column("experiment.toml"))
    return Table("experiment", "The experiment file, as it was given.", columns, rows, sortable=False, folded=True)


def _short(text: str) -> str:
    """Return the start of a hash; anything else as it is, if it is not long."""
    return text[:_SHORT] if re.fullmatch(r"[0-9a-f]{40,}", text) else text if len(text) <= 60 else f"{text[:57]}…"


def _file_of(place: str) -> str:
    """Return the last part of a path: where a file is on someone's machine is of no use to others."""
    return re.split(r"[/\\]", place.rstrip("/\\"))[-1] if "://" not in place else place
