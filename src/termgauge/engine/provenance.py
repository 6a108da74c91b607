"""How a run was made, so that it can be repeated and cited: identities, versions, seeds, options, failures."""

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
    sentences = tuple(map(plain, missing))
    blocks: list[Block] = [Prose(sentences)] if sentences else []
    if failures:
        rows = ((model, *failure) for model, failure in failures.items())
        caption = "Models that were left out, or did not finish."
        blocks.append(Table.from_rows("failures", caption, ("Model", "Step", "Reason"), rows))
    return Section("failures", "What is missing", tuple(blocks)) if blocks else None


def provenance_section(record: RunRecord, cited: Iterable[Citation], experiment: str | None = None) -> Section:
    """Return how the run was made, what to cite for its methods, and the experiment file as it was given."""
    repeat = (
        f"To repeat it: `{plain(record.command)}`." if record.command else "The command that made it was not recorded."
    )
    about = Prose(
        (f"{repeat} Equal hashes mean equal contents; with them and the same seeds the same values come out.",)
    )
    others = (
        _sets_table(record),
        _sources_table(record),
        _citations_table(cited),
        _licence_table(record),
        _experiment_table(experiment or ""),
    )
    tables = (_settings_table(record), _models_table(record), *(table for table in others if table.rows))
    return Section("making", "How it was made", (about, *tables))


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
    rows = ((name, str(value)) for name, value in values.items() if value != "")
    return Table.from_rows("settings", "Versions and settings.", ("What", "Value"), rows, sortable=False)


def _models_table(record: RunRecord) -> Table:
    rows = []
    for name, model in record.models.items():
        details = [f"{option}={value}" for option, value in model.options.items() if value != ""]
        details += [f"{library} {version}" for library, version in model.libraries.items()]
        origin = Cell(_file_of(model.origin), note=model.words)
        rows.append(
            (name, _KINDS[model.kind], model.scheme, origin, ", ".join(details), _hash(model.source), _hash(model.key))
        )
    columns = (
        "Model", "Kind", "Scheme", "From", "Options and libraries",
        Column("Contents", note="Hash of the files it was read from, or a revision"),
        Column("Identity", note="Hash of all that changes its vectors"),
    )  # fmt: skip
    return Table.from_rows("identities", "Models.", columns, rows, folded=len(rows) > 8)


def _sets_table(record: RunRecord) -> Table:
    sets = {name: titled(name, graded=about.graded, origin=about.origin) for name, about in record.sets.items()}
    rows = (
        (
            with_terminology(titled_set, list(sets.values())),
            titled_set.id,
            record.sets[titled_set.id].pairs,
            "ratings" if titled_set.graded else "labels",
            _hash(record.sets[titled_set.id].sha256),
        )
        for group in groups_of(sets.values())
        for titled_set in group.sets
    )
    columns = ("Set", "Id", Column.count("Pairs"), "With", "SHA-256")
    return Table.from_rows("sets", "Sets.", columns, rows, folded=True)


def _sources_table(record: RunRecord) -> Table:
    rows = []
    for name, identity in record.terminologies.items():
        words = filter(None, (identity.format, identity.edition, identity.version))
        rows.append(("Terminology", name, ", ".join(words), _short(identity.sha256)))
    for name, benchmark in record.benchmarks.items():
        options = {**benchmark.options, "seed": benchmark.seed}
        details = [f"{key}={value}" for key, value in options.items() if value not in (None, "", [], False)]
        source = benchmark.terminology.sha256 if benchmark.terminology else ""
        rows.append(("Benchmark", name, "; ".join([*details, *benchmark.notes]), _short(source)))
    columns = ("What", "Name", "Options", Column("Terminology", note="Hash of its contents"))
    caption = "Terminologies, and benchmarks built from them."
    return Table.from_rows("sources", caption, columns, rows, sortable=False)


def _citations_table(cited: Iterable[Citation]) -> Table:
    uses: dict[str, dict[str, None]] = {}
    for use, citation in cited:
        uses.setdefault(citation, {})[use] = None
    rows = ((listed(names), citation) for citation, names in uses.items())
    caption = "What to cite for the methods."
    return Table.from_rows("methods", caption, ("For", "Cite"), rows, sortable=False, folded=True)


def _licence_table(record: RunRecord) -> Table:
    rows = ((entry.title, entry.citation, entry.licence) for entry in CATALOGUE if entry.id in record.sets)
    caption = "What to cite for the sets rated by people, and their licences."
    return Table.from_rows("set-licences", caption, ("Set", "Cite", "Licence"), rows, sortable=False, folded=True)


def _experiment_table(text: str) -> Table:
    rows = (
        (at, re.sub(r"^ +", lambda spaces: "\u00a0" * len(spaces[0]), line))
        for at, line in enumerate(text.expandtabs(4).splitlines(), 1)
    )
    columns, caption = (Column.count("Line"), "experiment.toml"), "The experiment file, as it was given."
    return Table.from_rows("experiment", caption, columns, rows, sortable=False, folded=True)


def _hash(text: str) -> Cell:
    return Cell(_short(text), note=text)


def _short(text: str) -> str:
    """Return the start of a hash; anything else as it is, if it is not long."""
    return text[:_SHORT] if re.fullmatch(r"[0-9a-f]{40,}", text) else text if len(text) <= 60 else f"{text[:57]}…"


def _file_of(path: str) -> str:
    """Return the last part of a path: where a file is on someone's machine is of no use to others."""
    return re.split(r"[/\\]", path.rstrip("/\\"))[-1] if "://" not in path else path
