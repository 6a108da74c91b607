"""How a run was made, so that it can be repeated and cited: identities, versions, seeds, options, times, failures."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from termgauge.benchmark.human.catalogue import CATALOGUE
from termgauge.document.blocks import Cell, Column, Fact, Prose, Section, Table
from termgauge.document.names import with_terminology
from termgauge.document.pieces import corrected, number
from termgauge.document.words import count, listed, plain
from termgauge.experiment.citations import METHODS
from termgauge.similarity.measures import MEASURES

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from termgauge.document.blocks import Block
    from termgauge.tasks.pairs.sections.standings import Standings

_SHORT = 12
_KINDS = {"words": "word vectors", "terms": "encoder of terms", "concepts": "concept vectors", "pairs": "scores pairs"}


def facts(found: Standings, run: Mapping[str, Any]) -> tuple[Fact, ...]:
    """Return what is to be known first."""
    pairs = _pairs(run)
    total = sum(pairs.get(each.id, 0) for each in found.sets)
    lines = []
    sources = dict.fromkeys(each.terminology for each in found.sets if each.built)
    if sources:
        lines.append(Fact("Terminology" if len(sources) == 1 else "Terminologies", ", ".join(sources)))
    lines.append(Fact("Models", _models_fact(found) if found.sets else number(len(run["models"]))))
    if found.sets:
        lines.append(Fact("Sets", number(len(found.sets)) + (f", {number(total)} pairs" if total else "")))
    some = next(iter(found.comparisons.values()), None)
    if some is not None and some.comparison.comparisons:
        test = some.comparison
        lines.append(Fact("Significance", f"alpha {test.alpha:g}, {corrected(test.correction)}"))
    if run.get("termgauge"):
        lines.append(Fact("Version", f"termgauge {run['termgauge']}"))
    return tuple(lines)


def _models_fact(found: Standings) -> str:
    weak = len(found.baselines)
    named = number(len(found.models))
    return f"{named}, {count(weak)} of them {'a baseline' if weak == 1 else 'baselines'}" if weak else named


def failure_section(failures: Mapping[str, tuple[str, str]], missing: Iterable[str] = ()) -> Section | None:
    """Return what is not in the report and why; None if nothing is missing.

    Parameters
    ----------
    failures
        For each model that was left out or did not finish, the step and the reason.
    missing
        Sentences about other parts that are not there.
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


def making_section(
    found: Standings, run: Mapping[str, Any], experiment: str | None = None, *, domains: bool = False
) -> Section:
    """Return how the run was made.

    Parameters
    ----------
    found
        Where each model stands.
    run
        What ``run.json`` says.
    experiment
        The experiment file as it was given, if there was one.
    domains
        Whether coverage or analogies were measured.
    """
    command = run.get("command")
    repeat = f"To repeat it: `{plain(str(command))}`." if command else "The command that made it was not recorded."
    blocks: list[Block] = [
        Prose((f"{repeat} Equal hashes mean equal contents; with them and the same seeds the same values come out.",))
    ]
    blocks += [_settings_table(run), _models_table(found, run), _sets_table(found, run)]
    for table in (
        _sources_table(run),
        _timings_table(run),
        _citations_table(found, run, domains=domains),
        _licence_table(found),
    ):
        if table is not None:
            blocks.append(table)
    if experiment:
        blocks.append(_experiment_table(experiment))
    return Section("making", "How it was made", tuple(blocks))


def _settings_table(run: Mapping[str, Any]) -> Table:
    libraries = run.get("libraries") or {}
    tests = run.get("significance") or {}
    values = {
        "termgauge": run.get("termgauge"),
        "Libraries": ", ".join(f"{name} {version}" for name, version in libraries.items()),
        "Seed": run.get("seed"),
        "Alpha": run.get("alpha"),
        "Correction": run.get("correction"),
        "Measures": ", ".join(map(str, run.get("measures") or [])) or "all that fit a model",
        "What stands for a model": tests.get("measure"),
        "Compared by": tests.get("statistic"),
    }
    rows = tuple((Cell(name), Cell(str(value))) for name, value in values.items() if value not in (None, ""))
    return Table("settings", "Versions and settings.", (Column("What"), Column("Value")), rows, sortable=False)


def _models_table(found: Standings, run: Mapping[str, Any]) -> Table:
    rows = []
    for model in found.models:
        entry = (run.get("models") or {}).get(model, {})
        options = entry.get("options") or {}
        said = [f"{name}={value}" for name, value in options.items() if value != ""]
        said += [f"{name} {version}" for name, version in (entry.get("libraries") or {}).items()]
        rows.append(
            (
                Cell(model),
                Cell(_KINDS.get(str(entry.get("kind")), str(entry.get("kind", "")))),
                Cell(str(entry.get("scheme", ""))),
                Cell(_file_of(str(entry.get("from", ""))), note=str(entry.get("words") or "")),
                Cell(", ".join(said)),
                Cell(_short(entry.get("source")), note=str(entry.get("source", ""))),
                Cell(_short(entry.get("key")), note=str(entry.get("key", ""))),
            )
        )
    columns = (
        Column("Model"), Column("Kind"), Column("Scheme"), Column("From"), Column("Options and libraries"),
        Column("Contents", note="Hash of the files it was read from, or a revision"),
        Column("Identity", note="Hash of all that changes its vectors"),
    )  # fmt: skip
    return Table("identities", "Models.", columns, tuple(rows), folded=len(rows) > 8)


def _sets_table(found: Standings, run: Mapping[str, Any]) -> Table:
    entries = run.get("sets") or {}
    rows = []
    for group in found.groups:
        for each in group.sets:
            entry = entries.get(each.id, {})
            pairs = entry.get("pairs")
            rows.append(
                (
                    Cell(with_terminology(each, found.sets)),
                    Cell(each.id),
                    Cell("" if pairs is None else number(pairs), pairs),
                    Cell("ratings" if each.graded else "labels"),
                    Cell(_short(entry.get("sha256")), note=str(entry.get("sha256", ""))),
                )
            )
    columns = (Column("Set"), Column("Id"), Column("Pairs", numeric=True), Column("With"), Column("SHA-256"))
    return Table("sets", "Sets.", columns, tuple(rows), folded=True)


def _sources_table(run: Mapping[str, Any]) -> Table | None:
    rows = []
    for name, identity in (run.get("terminologies") or {}).items():
        shown = [str(identity.get(part)) for part in ("format", "edition", "version") if identity.get(part)]
        rows.append((Cell("Terminology"), Cell(name), Cell(", ".join(shown)), Cell(_short(identity.get("sha256")))))
    for name, entry in (run.get("benchmarks") or {}).items():
        options = {**(entry.get("options") or {}), "seed": entry.get("seed")}
        said = [f"{key}={value}" for key, value in options.items() if value not in (None, "", [], False)]
        said += [str(note) for note in entry.get("notes") or []]
        source = (entry.get("terminology") or {}).get("sha256")
        rows.append((Cell("Benchmark"), Cell(name), Cell("; ".join(said)), Cell(_short(source))))
    if not rows:
        return None
    columns = (Column("What"), Column("Name"), Column("Options"), Column("Terminology", note="Hash of its contents"))
    return Table("sources", "Terminologies, and benchmarks built from them.", columns, tuple(rows), sortable=False)


def _timings_table(run: Mapping[str, Any]) -> Table | None:
    timings = {
        str(step): seconds for step, seconds in (run.get("timings") or {}).items() if isinstance(seconds, int | float)
    }
    if not timings:
        return None
    rows = tuple((Cell(step), Cell(f"{seconds:.1f}", float(seconds))) for step, seconds in timings.items())
    columns = (Column("Step"), Column("Seconds", numeric=True))
    notes = ("What was there already took no time; the longest time of each step is kept.",)
    return Table("timings", "How long the steps took.", columns, rows, notes=notes, sortable=False, folded=True)


def _citations_table(found: Standings, run: Mapping[str, Any], *, domains: bool) -> Table:
    wanted = [
        *(["benchmark"] if any(each.built for each in found.sets) else []),
        *(["accuracy", "wilson", "auc"] if any(not each.graded for each in found.sets) else ["wilson"]),
        *(["spearman"] if any(each.graded for each in found.sets) else []),
        *(["holm"] if run.get("correction") == "holm" else []),
        *(["coverage"] if domains else []),
    ]
    rows = [(Cell(METHODS[name].use), Cell(METHODS[name].citation)) for name in wanted]
    cited: dict[str, list[str]] = {}
    for measure in found.results["measure"].unique(maintain_order=True).to_list():
        if (known := MEASURES.get(measure)) and known.citation:
            cited.setdefault(known.citation, []).append(measure)
    rows += [(Cell(f"Measures {listed(names)}"), Cell(citation)) for citation, names in cited.items()]
    return Table(
        "methods",
        "What to cite for the methods.",
        (Column("For"), Column("Cite")),
        tuple(rows),
        sortable=False,
        folded=True,
    )


def _licence_table(found: Standings) -> Table | None:
    known = {entry.id: entry for entry in CATALOGUE}
    rows = tuple(
        (Cell(known[each.id].title), Cell(known[each.id].citation), Cell(known[each.id].licence))
        for each in found.sets
        if each.id in known
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
        (Cell(str(at), at), Cell(re.sub(r"^ +", lambda found: "\u00a0" * len(found[0]), line)))
        for at, line in enumerate(text.expandtabs(4).splitlines(), 1)
    )
    columns = (Column("Line", numeric=True), Column("experiment.toml"))
    return Table("experiment", "The experiment file, as it was given.", columns, rows, sortable=False, folded=True)


def _pairs(run: Mapping[str, Any]) -> dict[str, int]:
    return {name: int(entry.get("pairs", 0)) for name, entry in (run.get("sets") or {}).items()}


def _short(value: object) -> str:
    """Return the start of a hash; anything else as it is, if it is not long."""
    text = str(value or "")
    return text[:_SHORT] if re.fullmatch(r"[0-9a-f]{40,}", text) else text if len(text) <= 60 else f"{text[:57]}…"


def _file_of(place: str) -> str:
    """Return the last part of a path: where a file is on someone's machine is of no use to others."""
    return re.split(r"[/\\]", place.rstrip("/\\"))[-1] if "://" not in place else place
