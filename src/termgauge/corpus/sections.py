"""What the commands about words, pairs of words, word vectors and taggers show."""

from __future__ import annotations

from typing import TYPE_CHECKING

from termgauge.corpus.counting import STEPS
from termgauge.corpus.pools import DOMAINS
from termgauge.plurals import numbered
from termgauge.reporting.blocks import Cell, Column, Document, Fact, Prose, Section, Table
from termgauge.reporting.words import number

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    import polars as pl

    from termgauge.corpus.counting import ClassCounts
    from termgauge.corpus.tagger import Accuracy, Tagger
    from termgauge.corpus.training import Training
    from termgauge.corpus.word_pairs import WordPairs
    from termgauge.corpus.words import Words

_MOST_WORDS = 10
_COUNTED = ("forms", "tokens")
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


def words_document(words: Words) -> Document:
    """Return how forms became words, step by step, and the most frequent words."""
    facts = tuple(Fact(name.capitalize(), f"{getattr(words, name):,}") for name in ("tokens", "documents", "journals"))
    columns = [Column.count(what, group=f"{kind}s".capitalize()) for kind in words.classes for what in _COUNTED]
    classes = words.classes.values()
    rows = [
        [
            "Forms by tag",
            *(n for counts in classes for n in (counts.forms, sum(counts.tokens.values()) + counts.counted)),
        ],
        *([_STEPS[step], *(cell for counts in classes for cell in _removed(counts, step))] for step in STEPS),
        ["Words", *(n for counts in classes for n in (counts.words, counts.counted))],
    ]
    note = (
        f"{words.left_out['class']:,} tokens are neither nouns nor verbs by their tag; "
        f"{words.left_out['auxiliary_tag']:,} have the tag of an auxiliary verb."
    )
    table = Table.from_rows("steps", "", ("Step", *columns), rows, (note,))
    steps = Section("steps", "From forms to words", (table,))
    frequent = Section("frequent", "Most frequent words", tuple(_frequent(words.table, kind) for kind in words.classes))
    return Document("Words of the corpus", (), (*facts, Fact("Tag set", words.tag_set)), (steps, frequent))


def _removed(counts: ClassCounts, step: str) -> Iterator[Cell]:
    """Yield how many forms and tokens a step took away; merging takes no tokens away."""
    for removed in (counts.steps[step], counts.tokens.get(step)):
        yield Cell("") if removed is None else Cell(f"−{removed:,}" if removed else "0", -removed)


def _frequent(table: pl.DataFrame, kind: str) -> Table:
    words = table.filter(table["class"] == kind).head(_MOST_WORDS)
    shown = [name for name in _HEADINGS if name in words.columns and words[name].null_count() < words.height]
    ratio = Column("Log ratio", numeric=True, cell=_ratio)
    columns = (kind.capitalize(), *(Column.count(_HEADINGS[name]) for name in shown), ratio)
    return Table.from_rows(f"frequent-{kind}", "", columns, words.select("word", *shown, "log_ratio").iter_rows())


def _ratio(value: float | None) -> Cell:
    return Cell("") if value is None else Cell.number(value, 2, top=None)


def word_pairs_section(made: WordPairs) -> Section:
    """Return how many pairs there are of each kind, as the paper that the procedure comes from prints it."""
    classes = made.classes.values()
    resources = dict.fromkeys(name for counts in classes for name in counts.candidates)
    quarters = dict.fromkeys(name for counts in classes for name in counts.quarters)
    rows = [
        *([f"{domain} words", *(counts.pools[domain] for counts in classes)] for domain in DOMAINS),
        *([f"candidates from {name}", *(counts.candidates.get(name, 0) for counts in classes)] for name in resources),
        ["biomedical candidates together", *(counts.together for counts in classes)],
        ["biomedical candidates accepted", *(counts.accepted for counts in classes)],
        *([name.replace("-", ", "), *(counts.quarters.get(name, 0) for counts in classes)] for name in quarters),
        ["pairs in the table", *(sum(counts.quarters.values()) for counts in classes)],
    ]
    options = made.manifest["options"]
    notes = []
    if options["domain_source"] == "log-ratio":
        notes.append(
            "No expert sorted these words: the log-ratio of their frequencies stands in "
            f"(threshold {options['threshold']:g}). Take the pairs as proposals."
        )
    if options["experts"] == 0 and "quarter" in made.pairs.columns:
        notes.append("No expert looked at the biomedical pairs: all candidates could be drawn.")
    columns = ("What", *(Column.count(f"{name}s") for name in made.classes))
    return Section("pairs", "Pairs of words", (Table.from_rows("pairs", "", columns, rows, notes),))


def training_section(made: Training) -> Section:
    """Return which vectors there are now."""
    rows = (
        (vectors.window, vectors.words, "trained" if vectors.fresh else "was there", vectors.spec)
        for vectors in made.vectors
    )
    columns = Column.count("Window"), Column.count("Words"), "State", "Model"
    note = f"The corpus has {numbered(made.corpus.tokens, 'word')} in {numbered(made.corpus.sentences, 'sentence')}."
    return Section("training", "Word vectors", (Table.from_rows("training", "", columns, rows, (note,)),))


_CALLED = {"noun": "Nouns", "verb": "Verbs", "other": "All others"}
_RARE = 20
"""Tags that are rarer in the test file are not shown."""
_NOTHING = Cell("")


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
    columns = (Column.count("Tokens"), *(Column.number(name, 4) for name in ("Precision", "Recall", "Accuracy")))
    rows: list[tuple[object, ...]] = [("All tags", accuracy.tokens, _NOTHING, _NOTHING, accuracy.accuracy)]
    if accuracy.classes is not None:
        rows.append(("Noun, verb or other", accuracy.tokens, _NOTHING, _NOTHING, accuracy.class_accuracy))
        rows += [(_CALLED[kind], *rates.values(), _NOTHING) for kind, rates in accuracy.classes.items()]
    overall = Table.from_rows("accuracy", "", ("What is told apart", *columns), rows)
    frequent = {tag: rates for tag, rates in accuracy.tags.items() if rates["tokens"] >= _RARE}
    note = f"Tags with fewer than {_RARE} tokens are not shown; --json has all of them."
    notes = (note,) if len(frequent) < len(accuracy.tags) else ()
    by_tag = [(tag, *rates.values()) for tag, rates in sorted(frequent.items(), key=lambda item: -item[1]["tokens"])]
    tags = (Table.from_rows("tags", "", ("Tag", *columns[:3]), by_tag, notes),) if by_tag else ()
    title = f"Accuracy on {number(accuracy.tokens)} tokens in {number(accuracy.sentences)} sentences"
    return Section("accuracy", title, (overall, *tags))


def tagging_section(counted: Mapping[str, int], tags: Mapping[str, int]) -> Section:
    """Return how much text was tagged, and how often each tag was given."""
    rows = ((name.capitalize(), count) for name, count in counted.items())
    totals = Table.from_rows("totals", "", ("What", Column.count("Number")), rows)
    order = sorted(tags.items(), key=lambda item: (-item[1], item[0]))
    return Section("tagged", "", (totals, Table.from_rows("given", "", ("Tag", Column.count("Tokens")), order)))
