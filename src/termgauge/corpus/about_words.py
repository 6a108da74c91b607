"""What words from a corpus look like: how forms became words, and frequent words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from termgauge.corpus.count import STEPS
from termgauge.reporting.blocks import Cell, Column, Document, Fact, Section, Table

if TYPE_CHECKING:
    import polars as pl

    from termgauge.corpus.count import ClassCounts
    from termgauge.corpus.extract import Words

_MOST_WORDS = 10
_STEPS = {
    "multi_word": "Multi-word strings",
    "auxiliaries": "Auxiliary verbs (be, have, do)",
    "noise": "Symbols, numbers, short strings",
    "lemmas": "Merged into their lemma",
    "spelling": "Merged into American spelling",
    "min_count": "Too rare",
}
_HEADINGS = {
    "count": "Count",
    "documents": "Documents",
    "journals": "Journals",
    "subjects": "Broad Subject Terms",
    "mesh_branches": "MeSH branches",
    "general_count": "General count",
}


def words_document(found: Words) -> Document:
    """Return how forms became words, step by step, and the most frequent words."""
    facts = (
        Fact("Tokens", f"{found.tokens:,}"),
        Fact("Documents", f"{found.documents:,}"),
        Fact("Journals", f"{found.journals:,}"),
        Fact("Tag set", found.tag_set),
    )
    columns = (
        Column("Step"),
        *(
            Column(what, numeric=True, group=f"{kind}s".capitalize())
            for kind in found.classes
            for what in ("forms", "tokens")
        ),
    )
    classes = found.classes.values()
    removed = [
        (Cell(_STEPS[step]), *(cell for each in classes for cell in _removed(each.steps[step], each.tokens.get(step))))
        for step in STEPS
    ]
    begun = [cell for each in classes for cell in (Cell.count(each.forms), Cell.count(_tokens(each)))]
    ended = [cell for each in classes for cell in (Cell.count(each.words), Cell.count(each.counted))]
    rows = ((Cell("Forms by tag"), *begun), *removed, (Cell("Words"), *ended))
    note = (
        f"{found.left_out['class']:,} tokens are neither nouns nor verbs by their tag; "
        f"{found.left_out['auxiliary_tag']:,} have the tag of an auxiliary verb."
    )
    steps = Section("steps", "From forms to words", (Table("steps", "", columns, rows, (note,)),))
    frequent = Section("frequent", "Most frequent words", tuple(_frequent(found.table, kind) for kind in found.classes))
    return Document("Words of the corpus", (), facts, (steps, frequent))


def _tokens(each: ClassCounts) -> int:
    return sum(each.tokens.values()) + each.counted


def _removed(forms: int, tokens: int | None) -> tuple[Cell, Cell]:
    """Return what a step took away; merging takes no tokens away."""
    return _less(forms), Cell("") if tokens is None else _less(tokens)


def _less(number: int) -> Cell:
    return Cell(f"−{number:,}" if number else "0", -number)


def _frequent(table: pl.DataFrame, kind: str) -> Table:
    own = table.filter(table["class"] == kind).head(_MOST_WORDS)
    shown = [name for name in _HEADINGS if name in own.columns and own[name].null_count() < own.height]
    columns = (
        Column(kind.capitalize()),
        *(Column(_HEADINGS[name], numeric=True) for name in shown),
        Column("Log ratio", numeric=True),
    )
    rows = tuple(
        (
            Cell(row["word"]),
            *(Cell.count(row[name]) for name in shown),
            Cell("") if row["log_ratio"] is None else Cell.number(row["log_ratio"], 2, top=None),
        )
        for row in own.iter_rows(named=True)
    )
    return Table(f"frequent-{kind}", "", columns, rows)
