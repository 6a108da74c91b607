"""What the commands about pairs of words and word vectors show."""

from __future__ import annotations

from typing import TYPE_CHECKING

from termgauge.benchmark.words.pools import DOMAINS
from termgauge.document.blocks import Cell, Column, Section, Table

if TYPE_CHECKING:
    from termgauge.benchmark.words.pair_making import WordPairs


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
        *((name.replace("-", ", "), [each.quarters[name] for each in classes.values()]) for name in quarters),
        ("pairs in the table", [sum(each.quarters.values()) for each in classes.values()]),
    ]
    columns = (Column("What"), *(Column(f"{name}s", numeric=True) for name in classes))
    cells = tuple((Cell(what), *map(Cell.count, counts)) for what, counts in rows)
    options = made.manifest["options"]
    notes = []
    if options["domains"] == "log-ratio":
        notes.append(
            "No expert sorted these words: the log-ratio of their frequencies stands in "
            f"(threshold {options['threshold']:g}). Take the pairs as proposals."
        )
    if options["experts"] == 0 and "quarter" in made.pairs.columns:
        notes.append("No expert looked at the biomedical pairs: all candidates could be drawn (--propose, --accepted).")
    return Section("pairs", "Pairs of words", (Table("pairs", "", columns, cells, tuple(notes)),))
