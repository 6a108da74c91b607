"""What the commands about words, pairs of words, word vectors and taggers show."""

from __future__ import annotations

from typing import TYPE_CHECKING

from termgauge.corpus.counting import STEPS
from termgauge.corpus.pools import DOMAINS
from termgauge.plurals import numbered
from termgauge.reporting.blocks import Cell, Column, Document, Fact, Prose, Section, Table
from termgauge.reporting.words import number

if TYPE_CHECKING:
    from collections.abc import Mapping

    import polars as pl

    from termgauge.corpus.counting import ClassCounts
    from termgauge.corpus.tagger import Tagger
    from termgauge.corpus.tagger_training import Accuracy, Hits
    from termgauge.corpus.training import Training
    from termgauge.corpus.word_pairs import WordPairs
    from termgauge.corpus.words import Words

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


def word_pairs_section(made: WordPairs) -> Section:
    """Return how many pairs there are of each kind, as the paper that the procedure comes from prints it."""
    classes = made.classes
    resources = dict.fromkeys(name for counts in classes.values() for name in counts.candidates)
    quarters = dict.fromkeys(name for counts in classes.values() for name in counts.quarters)
    rows = [
        *((f"{domain} words", [counts.pools[domain] for counts in classes.values()]) for domain in DOMAINS),
        *(
            (f"candidates from {name}", [each.candidates.get(name, 0) for each in classes.values()])
            for name in resources
        ),
        ("biomedical candidates together", [counts.together for counts in classes.values()]),
        ("biomedical candidates accepted", [counts.accepted for counts in classes.values()]),
        *((name.replace("-", ", "), [each.quarters.get(name, 0) for each in classes.values()]) for name in quarters),
        ("pairs in the table", [sum(each.quarters.values()) for each in classes.values()]),
    ]
    columns = (Column("What"), *(Column(f"{name}s", numeric=True) for name in classes))
    cells = tuple((Cell(what), *map(Cell.count, counts)) for what, counts in rows)
    options = made.manifest["options"]
    notes = []
    if options["domain_source"] == "log-ratio":
        notes.append(
            "No expert sorted these words: the log-ratio of their frequencies stands in "
            f"(threshold {options['threshold']:g}). Take the pairs as proposals."
        )
    if options["experts"] == 0 and "quarter" in made.pairs.columns:
        notes.append("No expert looked at the biomedical pairs: all candidates could be drawn.")
    return Section("pairs", "Pairs of words", (Table("pairs", "", columns, cells, tuple(notes)),))


def training_section(made: Training) -> Section:
    """Return which vectors there are now."""
    rows = tuple(
        (
            Cell.count(each.window),
            Cell.count(each.words),
            Cell("trained" if each.fresh else "was there"),
            Cell(each.spec),
        )
        for each in made.vectors
    )
    columns = Column("Window", numeric=True), Column("Words", numeric=True), Column("State"), Column("Model")
    note = f"The corpus has {numbered(made.corpus.tokens, 'word')} in {numbered(made.corpus.sentences, 'sentence')}."
    return Section("training", "Word vectors", (Table("training", "", columns, rows, (note,)),))


_CALLED = {"noun": "Nouns", "verb": "Verbs", "other": "All others"}
_RARE = 20
"""Tags that are rarer in the test file are not shown."""


def tagger_section(tagger: Tagger) -> Section:
    """Return what a tagger was trained on and how."""
    training = tagger.training
    sentence = (
        f"The tagger learned {len(tagger.tags)} tags from {number(training['tokens'])} tokens in "
        f"{number(training['sentences'])} sentences, in {training['epochs']} epochs with the seed {training['seed']}."
    )
    return Section("training", "Training", (Prose((sentence,)),))


def accuracy_section(accuracy: Accuracy) -> Section:
    """Return how often a tagger is right: on all tags, on nouns, verbs and others, and on each frequent tag."""
    rows: list[tuple[Cell, ...]]
    rows = [(Cell("All tags"), Cell.count(accuracy.tokens), Cell(""), Cell(""), Cell.number(accuracy.accuracy, 4))]
    if accuracy.classes is not None:
        what = Cell("Noun, verb or other")
        rows.append((what, Cell.count(accuracy.tokens), Cell(""), Cell(""), Cell.number(accuracy.class_accuracy, 4)))
        rows += [_row(_CALLED[kind], hits) for kind, hits in accuracy.classes.items()]
    columns = _columns("What is told apart", "Accuracy")
    overall = Table("accuracy", "", columns, tuple(rows))
    frequent = {tag: hits for tag, hits in accuracy.tags.items() if hits.tokens >= _RARE}
    order = sorted(frequent, key=lambda tag: -frequent[tag].tokens)
    note = f"Tags with fewer than {_RARE} tokens are not shown; --json has all of them."
    notes = (note,) if len(frequent) < len(accuracy.tags) else ()
    by_tag = tuple(_row(tag, frequent[tag])[:4] for tag in order)
    tags = (Table("tags", "", _columns("Tag", "")[:4], by_tag, notes),) if by_tag else ()
    title = f"Accuracy on {number(accuracy.tokens)} tokens in {number(accuracy.sentences)} sentences"
    return Section("accuracy", title, (overall, *tags))


def tagging_section(counted: Mapping[str, int], tags: Mapping[str, int]) -> Section:
    """Return how much text was tagged, and how often each tag was given."""
    rows = [(Cell(name.capitalize()), Cell.count(count)) for name, count in counted.items()]
    totals = Table("totals", "", (Column("What"), Column("Number", numeric=True)), tuple(rows))
    order = sorted(tags, key=lambda tag: (-tags[tag], tag))
    given = tuple((Cell(tag), Cell.count(tags[tag])) for tag in order)
    return Section("tagged", "", (totals, Table("given", "", (Column("Tag"), Column("Tokens", numeric=True)), given)))


def _columns(first: str, last: str) -> tuple[Column, ...]:
    return Column(first), *(Column(name, numeric=True) for name in ("Tokens", "Precision", "Recall", last))


def _row(name: str, hits: Hits) -> tuple[Cell, ...]:
    precision, recall = (Cell.number(value, 4) for value in (hits.precision, hits.recall))
    return Cell(name), Cell.count(hits.tokens), precision, recall, Cell("")
