"""What data look like, and what a notebook shows of any result: of those below this package it is said here."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import singledispatch
from typing import TYPE_CHECKING, Any

import polars as pl

from termgauge.benchmark.load import Benchmark
from termgauge.embeddings.model import ShowingModel
from termgauge.embeddings.neighbours import Neighbours
from termgauge.reporting.blocks import Cell, Column, Document, Fact, Prose, Section, Table, block_id
from termgauge.reporting.standard import joint_blocks
from termgauge.reporting.words import number, plain, size
from termgauge.reporting.writers.html import fragment
from termgauge.statistics.comparison import Comparison
from termgauge.terminology.check import CheckedTerminology
from termgauge.terminology.languages import ENGLISH
from termgauge.terminology.model import FSN, Terminology, counts

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from termgauge.embeddings.neighbours import Neighbour
    from termgauge.io.store import Entry


def scheme_section(catalogue: Mapping[str, Sequence[Mapping[str, Any]]]) -> Section:
    """Return which models can be opened: schemes, their options, and what must be installed."""
    schemes, options = [], []
    for scheme in catalogue["schemes"]:
        name = scheme["name"] if ":" in scheme["name"] else f"{scheme['name']}:"
        needs = scheme["extra"] if scheme["installed"] else f"{scheme['extra']} (missing)"
        alone = f" (alone: {scheme['default_location']})" if scheme["default_location"] else ""
        schemes.append((name, scheme["kinds"], needs, scheme["about"] + alone))
        values = "  ".join(f"{option}={value.replace(' | ', '|')}" for option, value in scheme["options"].items())
        options.append((name, values))
    note = "The default of an option stands first; in brackets: none, or as the model's files say."
    tables = [
        Table.from_rows("schemes", "", ("Scheme", "Gives", "Needs", "Reads"), schemes),
        Table.from_rows("scheme-options", "", ("Scheme", "Options"), options, (note,)),
    ]
    return Section("schemes", "Models that can be opened", (*tables, *_extras(catalogue["extras"])))


def model_section(model: ShowingModel) -> Section:
    """Return what a model is, before it makes any vector."""
    rows = ((name.capitalize(), str(value)) for name, value in model.about().items())
    return Section("model", "", (Table.from_rows("model", "", ("What", "Value"), rows),))


def neighbour_section(neighbours: Sequence[Neighbour]) -> Section:
    """Return the nearest of each query."""
    columns = "Query", Column.count("Rank"), Column.number("Cosine"), "Neighbour"
    rows = ((near.query if near.rank == 1 else "", near.rank, near.similarity, near.text) for near in neighbours)
    return Section("neighbours", "", (Table.from_rows("neighbours", "", columns, rows),))


def _extras(extras: Sequence[Mapping[str, Any]]) -> list[Table]:
    rows = []
    for extra in extras:
        packages = ", ".join(f"{name} {version or '(missing)'}" for name, version in extra["packages"].items())
        install = "" if extra["installed"] else f"pip install 'termgauge[{extra['name']}]'"
        rows.append((extra["name"], Cell(f"{extra['megabytes']:,} MB", extra["megabytes"]), packages, install))
    columns = "Extra", Column.number("On disk"), "Packages", "To install"
    return [Table.from_rows("extras", "", columns, rows)] if rows else []


_MOST_ROWS = 12
_MOST_EXAMPLES = 10


def terminology_document(terminology: Terminology) -> Document:
    """Return what a terminology is, what is in it, and ten concepts to look at."""
    identity, summary = terminology.identity, terminology.summary()
    totals = (
        ("Concepts", summary["concepts"], summary["active_concepts"]),
        ("Terms", summary["terms"], summary["active_terms"]),
        ("Relations", summary["relations"], None),
        *((f"Replacements, {reason}", count, None) for reason, count in summary["replacements"].items()),
    )
    tallies = {
        "Kind of term": summary["kinds"],
        "Language": counts(terminology.terms, "language"),
        "Tag (active concepts)": counts(terminology.concepts.filter("active"), "tag"),
    }
    tables = (
        Table.from_rows("totals", "", ("What", Column.count("All"), Column.count("Active")), totals),
        *(_tally(heading, tally) for heading, tally in tallies.items() if tally),
        _examples(terminology),
    )
    facts = (Fact("Format", identity.format), Fact("Content hash", f"{identity.sha256[:16]}…"))
    title = f"{identity.edition or identity.format} {identity.version}"
    return Document(title, (), facts, (Section("contents", "", tables),))


def check_section(checked: CheckedTerminology) -> Section:
    """Return what was passed over when a terminology was read, and what is odd in it."""
    parts = (("skipped", "What was passed over", checked.skipped), ("found", "What is odd in the rest", checked.found))
    tables = [
        Table.from_rows(
            part,
            title,
            ("What", Column.count("Count"), "Such as"),
            ((note.what, note.count, "; ".join(note.examples)) for note in notes),
        )
        for part, title, notes in parts
        if notes
    ]
    nothing = Prose(("Nothing was passed over, and nothing is odd.",))
    return Section("check", f"Check of {checked.terminology}", tuple(tables) or (nothing,))


def formats_section(rows: Sequence[Mapping[str, str]]) -> Section:
    """Return a table of the formats of terminologies."""
    columns = "Format", "What it is", "Where to get it", "Licence"
    values = ((row[key] for key in ("name", "title", "origin", "licence")) for row in rows)
    hint = "The format is recognised; if it is not, or if there are several, name it with `--source-format`."
    return Section("formats", "Formats of terminologies", (Table.from_rows("formats", "", columns, values, (hint,)),))


def benchmark_section(benchmark: Benchmark) -> Section:
    """Return a table like Table 2 of the paper: sizes, mean edit distances, share of multi-word terms."""
    rows = []
    records = benchmark.manifest.files.values()
    for kind, difficulty in dict.fromkeys((record.kind, record.difficulty) for record in records):
        by_strategy = {
            record.strategy: record for record in records if (record.kind, record.difficulty) == (kind, difficulty)
        }
        some = next(iter(by_strategy.values()))
        pairs = " / ".join(dict.fromkeys(number(record.pairs) for record in by_strategy.values()))
        negatives = (
            Cell.number(by_strategy[strategy].statistics.mean_distance_negatives, 1, top=None)
            if strategy in by_strategy
            else Cell("")
            for strategy in ("random", "levenshtein")
        )
        positives = Cell.number(some.statistics.mean_distance_positives, 1, top=None)
        rows.append((kind, difficulty, Cell(pairs, some.pairs), positives, *negatives, some.statistics.multi_word))
    distances = (Column.number(heading, group="Mean edit distance") for heading in ("positive", "random", "edit"))
    columns = ("Set", "Difficulty", Column.number("Pairs"), *distances, Column.share("Multi-word"))
    identity = benchmark.manifest.terminology
    note = "Mean edit distance of positive pairs, of random negatives and of edit-distance negatives."
    languages = benchmark.manifest.languages
    spoken = "" if languages == [ENGLISH] else f" in {' and '.join(languages)}"
    title = f"Benchmark from {identity['edition']} {identity['version']}{spoken}"
    return Section("benchmark", title, (Table.from_rows("benchmark", "", columns, rows, (note,)),))


def comparison_section(comparison: Comparison) -> Section:
    """Return the verdict of a comparison, the ranking of its models and their differences."""
    blocks = joint_blocks(comparison.main) if comparison.main else [Prose((comparison.verdict,))]
    return Section("comparison", "", tuple(blocks))


def human_sets_section(rows: Sequence[Mapping[str, Any]]) -> Section:
    """Return a table of the human-rated sets."""
    values = ((row["id"], row["pairs"], *(str(row[key]) for key in ("scale", "status", "title"))) for row in rows)
    columns = "Set", Column.count("Pairs"), "Scale", "At hand", "What it is"
    hint = (
        "Sets “to download” are fetched when they are used; or put their files into a folder and name it as the "
        "option `data_dir` or in TERMGAUGE_DATA_DIR. All about one set, its citation and licence: `termgauge sets ID`."
    )
    return Section("sets", "Sets rated by people", (Table.from_rows("sets", "", columns, values, (hint,)),))


def human_set_section(row: Mapping[str, Any]) -> Section:
    """Return all that is known about one human-rated set."""
    rows = (
        (key, ", ".join(map(str, value)) if isinstance(value, list | tuple) else "–" if value is None else str(value))
        for key, value in row.items()
    )
    return Section("set", "", (Table.from_rows("set", "", ("What", "Value"), rows),))


def cache_section(entries: Sequence[Entry], folder: str) -> Section:
    """Return what is in the cache."""
    rows = []
    for namespace in dict.fromkeys(entry.namespace for entry in entries):
        namespace_entries = [entry for entry in entries if entry.namespace == namespace]
        used = datetime.fromtimestamp(max(entry.used for entry in namespace_entries), tz=UTC).astimezone()
        held = sum(entry.size for entry in namespace_entries)
        rows.append((namespace, len(namespace_entries), Cell(size(held), held), f"{used:%Y-%m-%d %H:%M}"))
    table = Table.from_rows("cache", "", ("What", Column.count("Entries"), Column.number("Size"), "Last used"), rows)
    return Section("cache", f"Cache in {folder}", (table if rows else Prose(("There is nothing in it.",)),))


def _examples(terminology: Terminology) -> Table:
    """Pick concepts evenly from those that have a synonym, so that the same terminology shows the same ten."""
    active = terminology.terms.filter(pl.col("active") & (pl.col("kind") != "definition"))
    with_synonyms = (
        terminology.concepts.lazy()
        .filter(pl.col("active") & pl.col("name").is_not_null())
        .join(active.lazy().filter(pl.col("kind") != FSN), on="concept", how="semi", maintain_order="left")
        .collect()
    )
    chosen = with_synonyms if with_synonyms.height else terminology.concepts.filter(pl.col("name").is_not_null())
    chosen = chosen.gather_every(max(chosen.height // _MOST_EXAMPLES, 1)).head(_MOST_EXAMPLES)
    synonyms = (
        active.join(chosen, on="concept", how="semi", maintain_order="left")
        .filter(pl.col("kind") != FSN)
        .group_by("concept")
        .agg(pl.col("text").head(3))
    )
    of_concept = dict(synonyms.iter_rows())
    rows = (
        (concept, name, tag or "", "; ".join(of_concept.get(concept, [])))
        for concept, name, tag in chosen.select("concept", "name", "tag").iter_rows()
    )
    return Table.from_rows("examples", "", ("Concept", "Name", "Tag", "Some synonyms"), rows)


def _tally(heading: str, tally: Mapping[str, int]) -> Table:
    rows = list(tally.items())[:_MOST_ROWS]
    if rest := list(tally.values())[_MOST_ROWS:]:
        rows.append((f"({len(rest)} more)", sum(rest)))
    return Table.from_rows(block_id(heading), "", (heading, Column.count("Count")), rows)


@singledispatch
def shown(result: Any) -> Document | Section | Iterable[Section]:  # noqa: ANN401
    """Return a document of a result, a section, or several; its first rows if it says nothing better."""
    if not hasattr(result, "_shown"):
        return _first_rows(result)
    made: Document | Section | Iterable[Section] = result._shown()  # noqa: SLF001
    return made


def _first_rows(result: Any) -> Section:  # noqa: ANN401
    frame = result.to_frame()
    columns = [
        Column.count(name) if kind.is_integer() else Column.number(name) if kind.is_float() else Column(name)
        for name, kind in frame.schema.items()
    ]
    rows = ([value if value is None or isinstance(value, int | float) else str(value) for value in row]
            for row in frame.head(_MOST_EXAMPLES).iter_rows())  # fmt: skip
    return Section("rows", "", (Prose((plain(repr(result)[1:-1]),)), Table.from_rows("rows", "", columns, rows)))


shown.register(Benchmark, benchmark_section)
shown.register(CheckedTerminology, check_section)
shown.register(Comparison, comparison_section)
shown.register(Neighbours, neighbour_section)
shown.register(ShowingModel, model_section)
shown.register(Terminology, terminology_document)


def to_html(result: object) -> str:
    """Return what a notebook shows of a result."""
    made = shown(result)
    if not isinstance(made, Document):
        made = Document("", (), (), (made,) if isinstance(made, Section) else tuple(made))
    return fragment(made)
