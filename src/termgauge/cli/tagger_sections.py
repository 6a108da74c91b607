"""What the commands about the tagger show: how it was trained, how often it is right, and what it tagged."""

from __future__ import annotations

from typing import TYPE_CHECKING

from termgauge.reporting.blocks import Cell, Column, Prose, Section, Table
from termgauge.reporting.numbers import number

if TYPE_CHECKING:
    from collections.abc import Mapping

    from termgauge.corpus.tagger import Tagger
    from termgauge.corpus.tagger_accuracy import Accuracy, Hits

_CALLED = {"noun": "Nouns", "verb": "Verbs", "other": "All others"}
_RARE = 20
"""Tags that are rarer in the test file are not shown."""


def training_section(tagger: Tagger) -> Section:
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
