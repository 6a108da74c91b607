"""Pairs that must not become negatives, because an audit found that they mean the same.

An audit's table names two terms of different concepts in each row of its list ``missed``. A row that a person marked
``right`` counts, one marked ``wrong`` does not. Of the others those count that rules found, unless the two concepts are
related in the hierarchy and so alike by right; what models alone found is too often a good negative. The two terms, in
any case of letters, and all terms of the two concepts are then refused as negatives of each other, as synonyms are.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING

from termgauge.benchmark.positives import by_spelling, unordered_pair
from termgauge.exceptions import TermgaugeError
from termgauge.formulas import as_meant
from termgauge.io.identity import sha256_of_bytes
from termgauge.io.source import only_file
from termgauge.io.tables import parse_table, table_text

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable

    from termgauge.benchmark.positives import Lexicon, Rows

COLUMNS = ("list", "concept1", "term1", "concept2", "term2")
_MISSED = "missed"
_RIGHT, _WRONG = "right", "wrong"
UNSURE = ("models find them alike", "differ by a contrast")
"""Kinds of rows that count only if a person marked them."""
_VERDICTS = ("", "seen", _RIGHT, _WRONG)


@dataclass(frozen=True)
class Exclusions:
    """Terms, and concepts, that mean the same."""

    sha256: str
    """Of the file."""
    terms: frozenset[tuple[str, str]]
    """In lower case."""
    concepts: frozenset[tuple[str, str]]

    @property
    def identity(self) -> dict[str, object]:
        """What the manifest of a benchmark says of it: what the file holds counts, not where it lies."""
        return {"sha256": self.sha256, "rows": len(self.terms)}

    def pairs(self, lexicon: Lexicon, ids: list[str], sets: Iterable[Rows]) -> set[int]:
        """Return the pairs of terms of a benchmark that are refused, as numbers; `ids` are those of its concepts."""
        spelt = by_spelling(lexicon, range(len(lexicon)))
        wanted = {concept for pair in self.concepts for concept in pair}
        places = {at: concept for at, concept in enumerate(ids) if concept in wanted}
        terms: dict[str, set[int]] = {}
        for rows in sets:
            for numbers, owners in ((rows.first, rows.first_concept), (rows.second, rows.second_concept)):
                for number, owner in zip(numbers.tolist(), owners.tolist(), strict=True):
                    if owner in places:
                        terms.setdefault(places[owner], set()).add(number)
        return {
            unordered_pair(*pair)
            for numbers, alike in ((spelt, self.terms), (terms, self.concepts))
            for one, other in alike
            for pair in product(numbers.get(one, ()), numbers.get(other, ()))
        }


def read_exclusions(path: str | os.PathLike[str]) -> Exclusions:
    """Read what an audit found, with or without people's marks."""
    file = only_file(path, "table that termgauge audit wrote")
    name, content = file.label, file.read()
    table = parse_table(table_text(content, name), name, COLUMNS)
    if lacking := [column for column in COLUMNS if column not in table.first]:
        raise TermgaugeError(
            f"{name}: lacks the column{'s' if len(lacking) > 1 else ''} {', '.join(lacking)}; name the audit.csv "
            "that termgauge audit wrote, or what its page downloads."
        )
    terms, concepts = set[tuple[str, str]](), set[tuple[str, str]]()
    for at, row in enumerate(table.select(COLUMNS, ("verdict", "relation", "kind")).iter_rows(named=True)):
        verdict = row.get("verdict", "").lower()
        if verdict not in _VERDICTS:
            where = table.rows(header=True).where(at)
            raise TermgaugeError(f"{where}: '{verdict}' is no verdict; it is right, wrong, seen or empty.")
        unsure = row.get("relation") or row.get("kind") in UNSURE
        if row["list"] == _MISSED and verdict != _WRONG and (verdict == _RIGHT or not unsure):
            terms.add((as_meant(row["term1"]).lower(), as_meant(row["term2"]).lower()))
            concepts.add((as_meant(row["concept1"]), as_meant(row["concept2"])))
    return Exclusions(sha256_of_bytes(content), frozenset(terms), frozenset(concepts))
