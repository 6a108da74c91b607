"""Entities that any program found, scored by the same rules: a file with a token, its gold tag and its predicted tag.

Nothing is converted: the rules of conlleval read IOB and IOBES, and whatever forbidden sequences a program wrote. Gold
and predicted tags may be of different schemes.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from pydantic import Field

from termgauge.display import Showing, shortened
from termgauge.exceptions import TermgaugeError
from termgauge.io.paths import expanded
from termgauge.io.source import only_file
from termgauge.progress import track
from termgauge.reporting.blocks import Column, Document, Prose, Section, Table
from termgauge.statistics.compare import estimated
from termgauge.tasks.ner.corpus import documents_in_words, read_columns
from termgauge.tasks.ner.measure import outcomes_of
from termgauge.tasks.ner.tags import EntityScore, codes_of, count_entities
from termgauge.tasks.results import Ends, Value, frame_of
from termgauge.tasks.shown import percent_cell

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator

    import polars as pl

_FIELDS = ("a token", "its gold tag", "its predicted tag")
_STATISTICS = ("precision", "recall", "f")


class EntityFileScores(Showing, EntityScore):
    """The scores of a file of predictions: of all types together, and of each type."""

    per_type: dict[str, EntityScore] = Field(default_factory=dict)
    interval: Ends = (None, None)
    """Of F over documents, at 95 %; over sentences where it is not known where documents begin."""
    accuracy: float
    """The share of tokens with the right tag; most of them are outside of entities, so that it is high for anybody."""
    tokens: int
    sentences: int
    documents: int | None = None
    """None where it is not known where they begin, and each sentence is taken as one."""
    name: str = ""
    """Of the file."""

    def values(self) -> Iterator[Value]:
        """Yield every number that was found; all types together are the item without a name."""
        for item, score in (("", self), *self.per_type.items()):
            ends = self.interval if not item else (None, None)
            for statistic in _STATISTICS:
                low, high = ends if statistic == "f" else (None, None)
                n = score.predicted if statistic == "precision" else score.gold
                yield Value(self.name, statistic, getattr(score, statistic), low, high, n, item)
        yield Value(self.name, "accuracy", self.accuracy, n=self.tokens)

    def to_frame(self) -> pl.DataFrame:
        """Return every number that was found as a tidy table."""
        return frame_of(self.values())

    def as_dict(self) -> dict[str, Any]:
        """Return it as JSON has it."""
        return self.model_dump(mode="json")

    def document(self) -> Document:
        """Return it for the terminal, pages and papers: a row for all types together, and one for each."""
        cell = partial(percent_cell, digits=2)
        columns = (
            "Type",
            *(Column(name, numeric=True, cell=cell) for name in ("Precision", "Recall", "F")),
            *map(Column.count, ("Correct", "Predicted", "Gold")),
        )
        rows = (
            (
                item or "all types",
                score.precision,
                score.recall,
                cell(score.f, ends=(None, None) if item else self.interval),
                *(score.correct, score.predicted, score.gold),
            )
            for item, score in (("", self), *self.per_type.items())
        )
        text = (
            f"{self.sentences:,} sentences with {self.tokens:,} tokens, of which {100 * self.accuracy:.2f} % have the "
            "right tag. An entity is correct if its type, its first and its last token are those of the gold standard. "
            f"{documents_in_words(self.documents)}"
        )
        caption = "Precision, recall and F of entities, by the rules of conlleval."
        table = Table.from_rows("entities", caption, columns, rows, data=self.to_frame())
        section = Section("entities", "Entities", (Prose((text,)), table))
        return Document(f"Entities: {self.name}" if self.name else "Entities", (), (), (section,))

    def _brief(self) -> str:
        return (
            f"entities{f' of {shortened(self.name)!r}' if self.name else ''}: precision {self.precision:.4f}, recall "
            f"{self.recall:.4f}, F {self.f:.4f}; {self.gold:,} in {self.sentences:,} sentences"
        )

    def _shown(self) -> Document:
        return self.document()


def score_entities(path: str | os.PathLike[str]) -> EntityFileScores:
    """Score the entities that any program found, by the rules of conlleval.

    Each line of the file is a token, its gold tag and its predicted tag, between white space, and an empty line ends a
    sentence. Tags are of IOB, IOBES or BILOU. Scores are shares from 0 to 1: an entity is correct if its type, its
    first and its last token are right, and all types together count each entity once.
    """
    file = only_file(expanded(path))
    numbers: dict[str, int] = {}
    with track("Reading", total=file.size, unit="bytes") as advance:
        sentences = read_columns(file, _FIELDS, numbers, advance=advance)
    if not sentences.tokens:
        raise TermgaugeError(f"{file.label}: holds no tokens; each line holds {', '.join(_FIELDS)}.")
    gold, predicted = sentences.tags
    counts = count_entities(gold, predicted, sentences.starts, codes_of(numbers))
    scores = counts.scores()
    estimate = estimated(outcomes_of("", {file.base: [counts.of_sentences()]}, sentences.documents))[file.base]
    return EntityFileScores(
        **dict(scores.overall),
        per_type=dict(sorted(scores.per_type.items())),
        interval=(estimate.low, estimate.high),
        accuracy=float((gold == predicted).mean()),
        tokens=len(sentences.tokens),
        sentences=sentences.count,
        documents=sentences.document_count,
        name=file.base,
    )
