"""Tables about data, for a terminal: terminologies, benchmarks, human-rated sets, the cache."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl
from rich.console import Group
from rich.table import Table
from rich.text import Text

from termgauge.document.numbers import decimal, number, size
from termgauge.document.pieces import table_of
from termgauge.terminology.model import FSN, counts

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rich.console import RenderableType

    from termgauge.benchmark.stored import Benchmark
    from termgauge.cache import Entry
    from termgauge.terminology import Terminology

_MOST_ROWS = 12
_MOST_EXAMPLES = 10


def terminology_summary(terminology: Terminology) -> RenderableType:
    """Return a readable summary: what it is, what is in it, and ten concepts to look at."""
    identity, summary = terminology.identity, terminology.summary()
    title = Text.assemble((identity.edition or identity.format, "bold"), f"  {identity.version}  ({identity.format})")
    totals = table_of("", "all", "active")
    totals.add_row("Concepts", number(summary["concepts"]), number(summary["active_concepts"]))
    totals.add_row("Terms", number(summary["terms"]), number(summary["active_terms"]))
    totals.add_row("Relations", number(summary["relations"]), "")
    for reason, count in summary["replacements"].items():
        totals.add_row(f"Replacements, {reason}", number(count), "")
    languages = counts(terminology.terms, "language")
    tags = counts(terminology.concepts.filter("active"), "tag")
    return Group(
        title,
        totals,
        "",
        _tally("Kind of term", summary["kinds"]),
        "",
        _tally("Language", languages),
        "",
        _tally("Tag (active concepts)", tags),
        "",
        _examples(terminology),
        "",
        Text(f"Content hash {identity.sha256[:16]}…", style="dim"),
    )


def benchmark_summary(benchmark: Benchmark) -> RenderableType:
    """Return a table like Table 2 of the paper: sizes, mean edit distances, share of multi-word terms."""
    table = table_of("Set", "", "pairs", "distance +", "– random", "– edit", "multi-word", right=2)
    records = benchmark.manifest.files.values()
    for kind, difficulty in dict.fromkeys((record.kind, record.difficulty) for record in records):
        own = {record.strategy: record for record in records if (record.kind, record.difficulty) == (kind, difficulty)}
        some = next(iter(own.values())).statistics
        pairs = " / ".join(dict.fromkeys(number(record.pairs) for record in own.values()))
        negatives = [
            decimal(own[strategy].statistics.mean_distance_negatives) if strategy in own else ""
            for strategy in ("random", "levenshtein")
        ]
        share = f"{some.multi_word:.0%}" if some.multi_word is not None else "–"
        table.add_row(kind, difficulty, pairs, decimal(some.mean_distance_positives), *negatives, share)
    identity = benchmark.manifest.terminology
    title = Text.assemble(("Benchmark", "bold"), f" from {identity['edition']} {identity['version']}")
    legend = "distance: mean edit distance of positives, of random and of edit-distance negatives"
    return Group(title, table, Text(legend, style="dim"), f"Written to {benchmark.folder}")


def human_sets(rows: list[dict[str, Any]]) -> RenderableType:
    """Return a table of the human-rated sets."""
    table = table_of("Set", "pairs", "scale", "at hand", "what it is", right=0)
    table.columns[1].justify = "right"
    for row in rows:
        table.add_row(row["id"], number(row["pairs"]), str(row["scale"]), row["status"], Text(row["title"]))
    hint = (
        "Sets 'to download' are fetched when they are used; or put their files into a folder and name it with "
        "--data-dir. All about one set, its citation and licence: termgauge sets ID."
    )
    return Group(table, "", Text(hint, style="dim"))


def human_set(row: dict[str, Any]) -> RenderableType:
    """Return all that is known about one human-rated set."""
    table = Table(box=None, pad_edge=False, show_header=False, padding=(0, 2, 0, 0))
    for key, value in row.items():
        shown = ", ".join(map(str, value)) if isinstance(value, (list, tuple)) else value
        table.add_row(Text(key, style="bold"), Text("–" if shown is None else str(shown)))
    return table


def cache_contents(entries: list[Entry], place: str) -> RenderableType:
    """Return a table of what is in the cache."""
    from datetime import UTC, datetime

    table = table_of("What", "entries", "size", "last used")
    for shelf in dict.fromkeys(entry.shelf for entry in entries):
        own = [entry for entry in entries if entry.shelf == shelf]
        used = datetime.fromtimestamp(max(entry.used for entry in own), tz=UTC).astimezone()
        table.add_row(Text(shelf), number(len(own)), size(sum(entry.size for entry in own)), f"{used:%Y-%m-%d %H:%M}")
    if not entries:
        table.add_row("(nothing)", "0", size(0), "")
    return Group(Text(f"Cache in {place}"), table)


def _examples(terminology: Terminology) -> Table:
    """Pick concepts evenly from those that have a synonym, so that the same terminology shows the same ten."""
    active = terminology.terms.filter(pl.col("active") & (pl.col("kind") != "definition"))
    rich_ones = (
        terminology.concepts.lazy()
        .filter(pl.col("active") & pl.col("name").is_not_null())
        .join(active.lazy().filter(pl.col("kind") != FSN), on="concept", how="semi", maintain_order="left")
        .collect()
    )
    chosen = rich_ones if rich_ones.height else terminology.concepts.filter(pl.col("name").is_not_null())
    chosen = chosen.gather_every(max(chosen.height // _MOST_EXAMPLES, 1)).head(_MOST_EXAMPLES)
    synonyms = (
        active.join(chosen, on="concept", how="semi", maintain_order="left")
        .filter(pl.col("kind") != FSN)
        .group_by("concept")
        .agg(pl.col("text").head(3))
    )
    of_concept = dict(synonyms.iter_rows())
    table = table_of("Concept", "Name", "Tag", "Some synonyms", right=0)
    for row in chosen.iter_rows(named=True):
        table.add_row(
            Text(row["concept"]),
            Text(row["name"]),
            Text(row["tag"] or ""),
            Text("; ".join(of_concept.get(row["concept"], []))),
        )
    return table


def _tally(heading: str, tally: Mapping[str, int]) -> Table:
    table = table_of(heading, "count")
    for value, count in list(tally.items())[:_MOST_ROWS]:
        table.add_row(Text(value), number(count))
    if len(tally) > _MOST_ROWS:
        rest = list(tally.values())[_MOST_ROWS:]
        table.add_row(f"({len(rest)} more)", number(sum(rest)))
    return table
