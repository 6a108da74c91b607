"""What the commands about pairs of words and word vectors show."""

from __future__ import annotations

from typing import TYPE_CHECKING

from termgauge.corpus.pools import DOMAINS
from termgauge.plurals import numbered
from termgauge.reporting.blocks import Cell, Column, Section, Table

if TYPE_CHECKING:
    from termgauge.corpus.pair_making import WordPairs
    from termgauge.corpus.training import Training


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
