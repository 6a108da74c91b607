"""What data look like: terminologies, benchmarks, sets of pairs, human-rated sets, domains, the cache."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import polars as pl

from termgauge.plurals import numbered
from termgauge.reporting.blocks import Cell, Column, Document, Fact, Prose, Section, Table, block_id
from termgauge.reporting.words import number, size
from termgauge.terminology.languages import ENGLISH
from termgauge.terminology.model import FSN, counts

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from termgauge.benchmark.human.sets import HumanSet, HumanSets
    from termgauge.benchmark.load import Benchmark
    from termgauge.benchmark.pairset import PairSet
    from termgauge.domain.domain import Domain
    from termgauge.embeddings.model import ShowingModel
    from termgauge.embeddings.neighbours import Neighbour
    from termgauge.embeddings.schemes import Catalogue, ExtraDescription
    from termgauge.io.store import Entry
    from termgauge.terminology import Terminology
    from termgauge.terminology.check import CheckedTerminology


def scheme_section(catalogue: Catalogue) -> Section:
    """Return which models can be opened: schemes, their options, and what must be installed."""
    schemes, options = [], []
    for each in catalogue.schemes:
        name = Cell(each.name if ":" in each.name else f"{each.name}:")
        needs = each.extra if each.installed or not each.extra else f"{each.extra} (missing)"
        alone = f" (alone: {each.default_location})" if each.default_location else ""
        schemes.append((name, Cell(each.kinds), Cell(needs), Cell(each.about + alone)))
        values = "  ".join(f"{option}={value.replace(' | ', '|')}" for option, value in each.options.items())
        options.append((name, Cell(values)))
    heads = Column("Scheme"), Column("Gives"), Column("Needs"), Column("Reads")
    note = "The default of an option stands first; in brackets: none, or as the model's files say."
    tables = [
        Table("schemes", "", heads, tuple(schemes)),
        Table("scheme-options", "", (Column("Scheme"), Column("Options")), tuple(options), (note,)),
    ]
    return Section("schemes", "Models that can be opened", (*tables, *_extras(catalogue.extras)))


def model_section(model: ShowingModel) -> Section:
    """Return what a model is, before it makes any vector."""
    columns = Column("What"), Column("Value")
    rows = tuple((Cell(name.capitalize()), Cell(str(value))) for name, value in model.about().items())
    return Section("model", "", (Table("model", "", columns, rows),))


def neighbour_section(neighbours: Sequence[Neighbour]) -> Section:
    """Return the nearest of each query."""
    rows = []
    for each in neighbours:
        query = Cell(each.query if each.rank == 1 else "")
        rows.append((query, Cell.count(each.rank), Cell.number(each.similarity), Cell(each.text)))
    columns = Column("Query"), Column("Rank", numeric=True), Column("Cosine", numeric=True), Column("Neighbour")
    return Section("neighbours", "", (Table("neighbours", "", columns, tuple(rows)),))


def _extras(extras: Sequence[ExtraDescription]) -> list[Table]:
    rows = []
    for each in extras:
        packages = ", ".join(f"{name} {version or '(missing)'}" for name, version in each.packages.items())
        install = "" if each.installed else f"pip install 'termgauge[{each.name}]'"
        rows.append((Cell(each.name), Cell(f"{each.megabytes:,} MB", each.megabytes), Cell(packages), Cell(install)))
    columns = Column("Extra"), Column("On disk", numeric=True), Column("Packages"), Column("To install")
    return [Table("extras", "", columns, tuple(rows))] if rows else []


_MOST_ROWS = 12
_MOST_EXAMPLES = 10


def terminology_document(terminology: Terminology) -> Document:
    """Return what a terminology is, what is in it, and ten concepts to look at."""
    identity, summary = terminology.identity, terminology.summary()
    totals = (
        (Cell("Concepts"), Cell.count(summary["concepts"]), Cell.count(summary["active_concepts"])),
        (Cell("Terms"), Cell.count(summary["terms"]), Cell.count(summary["active_terms"])),
        (Cell("Relations"), Cell.count(summary["relations"]), Cell("")),
        *(
            (Cell(f"Replacements, {reason}"), Cell.count(count), Cell(""))
            for reason, count in summary["replacements"].items()
        ),
    )
    columns = Column("What"), Column("All", numeric=True), Column("Active", numeric=True)
    tallies = {
        "Kind of term": summary["kinds"],
        "Language": counts(terminology.terms, "language"),
        "Tag (active concepts)": counts(terminology.concepts.filter("active"), "tag"),
    }
    tables = (
        Table("totals", "", columns, totals),
        *(_tally(heading, tally) for heading, tally in tallies.items() if tally),
        _examples(terminology),
    )
    facts = (Fact("Format", identity.format), Fact("Content hash", f"{identity.sha256[:16]}…"))
    title = f"{identity.edition or identity.format} {identity.version}"
    return Document(title, (), facts, (Section("contents", "", tables),))


def check_section(checked: CheckedTerminology) -> Section:
    """Return what was passed over when a terminology was read, and what is odd in it."""
    columns = Column("What"), Column("Count", numeric=True), Column("Such as")
    tables = [
        Table(
            part, title, columns, tuple((Cell(e.what), Cell.count(e.count), Cell("; ".join(e.examples))) for e in each)
        )
        for part, title, each in (
            ("skipped", "What was passed over", checked.skipped),
            ("found", "What is odd in the rest", checked.found),
        )
        if each
    ]
    nothing = Prose(("Nothing was passed over, and nothing is odd.",))
    return Section("check", f"Check of {checked.terminology}", tuple(tables) or (nothing,))


def formats_section(rows: Sequence[Mapping[str, str]]) -> Section:
    """Return a table of the formats of terminologies."""
    columns = Column("Format"), Column("What it is"), Column("Where to get it"), Column("Licence")
    cells = tuple(tuple(Cell(row[key]) for key in ("name", "title", "origin", "licence")) for row in rows)
    hint = "The format is recognised; if it is not, or if there are several, name it with `--source-format`."
    return Section("formats", "Formats of terminologies", (Table("formats", "", columns, cells, (hint,)),))


def benchmark_section(benchmark: Benchmark) -> Section:
    """Return a table like Table 2 of the paper: sizes, mean edit distances, share of multi-word terms."""
    rows = []
    records = benchmark.manifest.files.values()
    for kind, difficulty in dict.fromkeys((record.kind, record.difficulty) for record in records):
        own = {record.strategy: record for record in records if (record.kind, record.difficulty) == (kind, difficulty)}
        some = next(iter(own.values()))
        pairs = " / ".join(dict.fromkeys(number(record.pairs) for record in own.values()))
        negatives = (
            Cell.number(own[strategy].statistics.mean_distance_negatives, 1, top=None) if strategy in own else Cell("")
            for strategy in ("random", "levenshtein")
        )
        positives = Cell.number(some.statistics.mean_distance_positives, 1, top=None)
        shares = Cell.share(some.statistics.multi_word)
        rows.append((Cell(kind), Cell(difficulty), Cell(pairs, some.pairs), positives, *negatives, shares))
    distances = ("positive", "random", "edit")
    columns = (
        Column("Set"),
        Column("Difficulty"),
        Column("Pairs", numeric=True),
        *(Column(heading, numeric=True, group="Mean edit distance") for heading in distances),
        Column("Multi-word", numeric=True),
    )
    identity = benchmark.manifest.terminology
    note = "Mean edit distance of positive pairs, of random negatives and of edit-distance negatives."
    languages = benchmark.manifest.languages
    spoken = "" if languages == [ENGLISH] else f" in {' and '.join(languages)}"
    title = f"Benchmark from {identity['edition']} {identity['version']}{spoken}"
    return Section("benchmark", title, (Table("benchmark", "", columns, tuple(rows), (note,)),))


def pairs_section(pairs: PairSet) -> Section:
    """Return how many pairs a set has, and some to look at, picked evenly so that they are always the same."""
    value = "score" if pairs.graded else "label"
    some = pairs.frame.gather_every(max(len(pairs) // _MOST_EXAMPLES, 1)).head(_MOST_EXAMPLES)
    rows = tuple(
        (Cell(one), Cell(two), Cell.number(worth, 2, top=None) if pairs.graded else Cell.count(worth))
        for one, two, worth in some.select("term_1", "term_2", value).iter_rows()
    )
    columns = Column("Term 1"), Column("Term 2"), Column("Rating" if pairs.graded else "Label", numeric=True)
    judged = "a rating each" if pairs.graded else f"of which {numbered(pairs.positives or 0, 'has', 'have')} label 1"
    told = f"{numbered(len(pairs), 'pair')}, {judged}; the table shows {number(len(rows))} of them."
    return Section("pairs", pairs.id, (Prose((told,)), Table("pairs", "", columns, rows)))


def domain_section(domain: Domain) -> Section:
    """Return how a domain was made, and some of its concepts."""
    seeds = domain.seeds[:: max(len(domain) // _MOST_EXAMPLES, 1)][:_MOST_EXAMPLES]
    rows = tuple((Cell(seed), Cell(domain.name(seed))) for seed in seeds)
    told = f"{numbered(len(domain), 'concept')}, from {domain.title}; the table shows {number(len(rows))} of them."
    table = Table("domain", "", (Column("Concept"), Column("Name")), rows)
    return Section("domain", "Domain", (Prose((told,)), table))


def human_sets_section(rows: Sequence[Mapping[str, Any]]) -> Section:
    """Return a table of the human-rated sets."""
    cells = tuple(
        (Cell(row["id"]), Cell.count(row["pairs"]), *(Cell(str(row[key])) for key in ("scale", "status", "title")))
        for row in rows
    )
    columns = Column("Set"), Column("Pairs", numeric=True), Column("Scale"), Column("At hand"), Column("What it is")
    hint = (
        "Sets “to download” are fetched when they are used; or put their files into a folder and name it as the "
        "option `data_dir` or in TERMGAUGE_DATA_DIR. All about one set, its citation and licence: `termgauge sets ID`."
    )
    return Section("sets", "Sets rated by people", (Table("sets", "", columns, cells, (hint,)),))


def listed_sets(sets: HumanSets) -> Section:
    """Return the human-rated sets as a notebook shows them."""
    return human_sets_section(sets.to_frame().to_dicts())


def listed_set(human: HumanSet) -> Section:
    """Return a human-rated set as a notebook shows it."""
    return human_set_section(human.to_frame().to_dicts()[0])


def human_set_section(row: Mapping[str, Any]) -> Section:
    """Return all that is known about one human-rated set."""
    columns = Column("What"), Column("Value")
    return Section("set", "", (Table("set", "", columns, tuple((Cell(key), _value(row[key])) for key in row)),))


def _value(value: object) -> Cell:
    return Cell(", ".join(map(str, value)) if isinstance(value, list | tuple) else "–" if value is None else str(value))


def cache_section(entries: Sequence[Entry], place: str) -> Section:
    """Return what is in the cache."""
    rows = []
    for namespace in dict.fromkeys(entry.namespace for entry in entries):
        own = [entry for entry in entries if entry.namespace == namespace]
        used = datetime.fromtimestamp(max(entry.used for entry in own), tz=UTC).astimezone()
        held = sum(entry.size for entry in own)
        rows.append((Cell(namespace), Cell.count(len(own)), Cell(size(held), held), Cell(f"{used:%Y-%m-%d %H:%M}")))
    columns = Column("What"), Column("Entries", numeric=True), Column("Size", numeric=True), Column("Last used")
    table = Table("cache", "", columns, tuple(rows))
    return Section("cache", f"Cache in {place}", (table if rows else Prose(("There is nothing in it.",)),))


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
    rows = tuple(
        (Cell(concept), Cell(name), Cell(tag or ""), Cell("; ".join(of_concept.get(concept, []))))
        for concept, name, tag in chosen.select("concept", "name", "tag").iter_rows()
    )
    columns = Column("Concept"), Column("Name"), Column("Tag"), Column("Some synonyms")
    return Table("examples", "", columns, rows)


def _tally(heading: str, tally: Mapping[str, int]) -> Table:
    rows = [(Cell(value), Cell.count(count)) for value, count in list(tally.items())[:_MOST_ROWS]]
    if len(tally) > _MOST_ROWS:
        rest = list(tally.values())[_MOST_ROWS:]
        rows.append((Cell(f"({len(rest)} more)"), Cell.count(sum(rest))))
    return Table(block_id(heading), "", (Column(heading), Column("Count", numeric=True)), tuple(rows))
