"""What the commands about words from a corpus show: how forms became words, frequent words, and experts' decisions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from termgauge.benchmark.words.count import STEPS
from termgauge.document.blocks import Cell, Column, Document, Fact, Prose, Section, Table

if TYPE_CHECKING:
    import polars as pl

    from termgauge.benchmark.words.count import ClassCounts
    from termgauge.benchmark.words.extract import Words
    from termgauge.studies.decisions import Decisions

_MOST_WORDS = 10
_LISTED = 20
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
_WHY = {"both": "Both domains", "disagreement": "Experts disagree", "single": "One opinion only"}


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


def decisions_document(found: Decisions) -> Document:
    """Return how many words enter each domain, the agreement of the experts, and what was left out."""
    domains = found.domains()
    columns = Column("Class"), Column("Biomedical", numeric=True), Column("General", numeric=True)
    rows = tuple((Cell(kind), *(Cell.count(count) for count in of.values())) for kind, of in domains.items())
    alpha = found.alpha
    agreement = (
        f"Krippendorff's alpha (nominal) is undefined: {alpha.why}."
        if alpha.why
        else f"Krippendorff's alpha (nominal) is {alpha.value:.3f} over {alpha.units:,} words that two experts decided."
    )
    check = Table(
        "check",
        "Spearman's rho of counts in the corpus and in general language",
        (Column("Words"), Column("rho", numeric=True)),
        tuple((Cell(name), Cell("–") if rho is None else Cell.number(rho, 2)) for name, rho in found.check.items()),
    )
    left = tuple(
        (
            Cell(each.word),
            Cell(each.kind),
            Cell(_WHY[each.why]),
            Cell(", ".join(word or "–" for word in each.decisions)),
        )
        for each in found.left_out[:_LISTED]
    )
    more = len(found.left_out) - len(left)
    notes = (f"{more:,} more are in the answer with --json.",) if more else ()
    listed = Table(
        "left-out", "Words left out", (Column("Word"), Column("Class"), Column("Why"), Column("Decisions")), left, notes
    )
    prose = Prose((agreement, f"{found.undecided:,} words were not decided by any expert."))
    split = Section("domains", "Words by domain", (Table("domains", "", columns, rows), prose, check))
    sections = (split, Section("left-out", "", (listed,))) if left else (split,)
    return Document("Decisions of experts", (), (Fact("Experts", ", ".join(found.experts)),), sections)
