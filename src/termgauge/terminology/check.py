"""An audit of reading: what a reader passed over, and what is odd in the tables that it made."""

from __future__ import annotations

from collections import deque
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import polars as pl

from termgauge.display import Showing
from termgauge.options import takes
from termgauge.plurals import numbered
from termgauge.terminology.model import FSN, HIERARCHY, Skipped, Tally, counts
from termgauge.terminology.options import ReadingOptions
from termgauge.terminology.read import read_terminology

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Iterator, Mapping

    from termgauge.terminology.model import Terminology

_CONTROL = r"[\x00-\x1f\x7f-\x{9f}]"
_LONGEST_PATH = 8


@dataclass(frozen=True, repr=False)
class CheckedTerminology(Showing):
    """What was found when a terminology was read: nothing of it is wrong by itself, all of it is worth a look."""

    terminology: str
    skipped: tuple[Skipped, ...]
    """What its reader passed over, and why."""
    found: tuple[Skipped, ...]
    """What is odd in what was read."""
    languages: dict[str, int]
    """How many terms there are in each language."""

    def _brief(self) -> str:
        passed = sum(entry.count for entry in self.skipped)
        odd = f"{numbered(len(self.found), 'kind')} of oddities"
        return f"check of {self.terminology}: {numbered(passed, 'thing')} passed over, {odd}"

    def to_frame(self) -> pl.DataFrame:
        """Return a row for each kind of thing: ``part`` (skipped or found), ``what``, ``count``, ``examples``."""
        rows = [
            {"part": part, "what": entry.what, "count": entry.count, "examples": "; ".join(entry.examples)}
            for part in ("skipped", "found")
            for entry in getattr(self, part)
        ]
        schema = {"part": pl.String, "what": pl.String, "count": pl.Int64, "examples": pl.String}
        return pl.DataFrame(rows, schema=schema)

    def summary(self) -> dict[str, Any]:
        """Return all of it, in the form that ``termgauge terminology --check --json`` prints."""
        return {
            "terminology": self.terminology,
            "skipped": [asdict(entry) for entry in self.skipped],
            "found": [asdict(entry) for entry in self.found],
            "languages": self.languages,
        }


@takes(ReadingOptions)
def check_terminology(
    source: Terminology | str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
    **options: Any,  # noqa: ANN401
) -> CheckedTerminology:
    """Read a terminology, and say what was passed over and what is odd in it.

    Parameters
    ----------
    source
        What :func:`~termgauge.terminology.read.read_terminology` reads, or a terminology that is read already.

    Returns
    -------
    CheckedTerminology
        What was passed over and what was found, counted, with examples.

    Raises
    ------
    TermgaugeError
        If it cannot be read; the message says why and what to do.
    """
    terminology = read_terminology(source, **options)
    tally = Tally()
    for what, rows, example in _oddities(terminology):
        tally.add_rows(what, rows, example)
    languages = counts(terminology.terms, "language")
    return CheckedTerminology(terminology.identity.slug, terminology.skipped, tally.skipped(), languages)


_Oddity = tuple[str, pl.DataFrame, pl.Expr]
"""What is odd, in words; the rows that are; and how one of them is shown."""


def _oddities(terminology: Terminology) -> Iterator[_Oddity]:
    """Look for ids that lead nowhere, for cycles, for missing and ambiguous names, and at how terms are written."""
    concepts, relations, replacements = terminology.concepts, terminology.relations, terminology.replacements
    active = concepts.filter("active")

    def dangling(rows: pl.DataFrame, column: str) -> pl.DataFrame:
        return rows.join(concepts, left_on=column, right_on="concept", how="anti", maintain_order="left")

    for end in ("source", "target"):
        related = pl.concat_str("source", "type", "target", separator=" ")
        yield f"relations whose {end} is not there", dangling(relations, end), related
    replaced = pl.concat_str("old", "new", separator=" by ")
    for end, which in (("old", "replaced"), ("new", "replacing")):
        yield f"replacements whose {which} concept is not there", dangling(replacements, end), replaced
    retired = concepts.filter(~pl.col("active"))
    outdated = replacements.join(retired, left_on="new", right_on="concept", how="semi", maintain_order="left")
    yield "replacements by a concept that is itself retired", outdated, replaced
    term = pl.concat_str("concept", "text", separator=": ")
    yield "terms of concepts that are not there", dangling(terminology.terms, "concept"), term
    hierarchy = relations.filter(pl.col("type").is_in(HIERARCHY)).select("source", "target").unique()
    cycles = pl.DataFrame({"cycle": map(_path, cycles_of(hierarchy.iter_rows()))}, schema={"cycle": pl.String})
    yield "cycles in the hierarchy", cycles, pl.col("cycle")
    nameless = active.filter(pl.col("name").is_null() | (pl.col("name") == ""))
    yield "active concepts without a name", nameless, pl.col("concept")
    names = terminology.terms.filter(pl.col("active") & (pl.col("kind") == FSN))
    ambiguous = _several(
        names.unique(["concept", "language", "text"], maintain_order=True), "text", "concept", "language"
    )
    texts = pl.concat_str("concept", pl.col("text").list.head(3).list.join(" | "), separator=": ")
    yield "concepts with several preferred names in one language", ambiguous, texts
    terms = (
        terminology.terms.filter(pl.col("active") & (pl.col("kind") != "definition"))
        .join(active, on="concept", how="semi", maintain_order="left")
        .select("concept", "text")
        .unique(maintain_order=True)
    )
    owners = pl.concat_str("text", pl.col("concept").list.head(3).list.join(", "), separator=": ")
    yield "texts that are a term of several active concepts", _several(terms, "concept", "text"), owners
    cased = _several(terms, "text", "concept", pl.col("text").str.to_lowercase().alias("lower"))
    yield "terms of one concept that differ in case only", cased, texts
    whole = terminology.terms.select("concept", "text").unique(maintain_order=True)
    control = whole.filter(pl.col("text").str.contains(_CONTROL))
    yield "terms with control characters", control, term.str.replace_all(_CONTROL, "\ufffd")
    foreign = whole.filter(pl.col("text").str.len_bytes() != pl.col("text").str.len_chars())
    decomposed = foreign.filter(pl.col("text") != pl.col("text").str.normalize("NFC"))
    yield "terms that are not in Unicode's normal form C", decomposed, term


def _several(rows: pl.DataFrame, column: str, *by: str | pl.Expr) -> pl.DataFrame:
    """Return the groups of rows with several values in a column, all of which differ."""
    return rows.group_by(*by, maintain_order=True).agg(column).filter(pl.col(column).list.len() > 1)


def _path(cycle: list[str]) -> str:
    if len(cycle) > _LONGEST_PATH:
        cycle = [*cycle[: _LONGEST_PATH - 2], f"… ({len(cycle) - 1} steps)", cycle[-1]]
    return " > ".join(cycle)


def cycles_of(edges: Iterable[tuple[str, str]]) -> list[list[str]]:
    """Return one shortest cycle of each part of a hierarchy that goes in circles; its first concept ends it, too.

    >>> cycles_of([("a", "b"), ("b", "c"), ("c", "a"), ("d", "a"), ("e", "e")])
    [['a', 'b', 'c', 'a'], ['e', 'e']]
    """
    above: dict[str, list[str]] = {}
    below: dict[str, list[str]] = {}
    for source, target in edges:
        above.setdefault(source, []).append(target)
        below.setdefault(target, []).append(source)
    # Kosaraju's algorithm finds the parts in which all concepts lead to each other.
    order = [concept for tree in _trees(above, above) for concept in tree]
    parts = [
        part for part in _trees(order[::-1], below) if len(part) > 1 or (part and part[0] in above.get(part[0], ()))
    ]
    return sorted(_cycle(min(part), set(part), above) for part in parts)


def _trees(roots: Iterable[str], edges: Mapping[str, list[str]]) -> Iterator[list[str]]:
    """Yield what each root leads to and none before it did; each concept after those that it leads to."""
    seen: set[str] = set()
    for root in roots:
        tree: list[str] = []
        path = [] if root in seen else [(root, iter(edges.get(root, ())))]
        seen.add(root)
        while path:
            target = next((target for target in path[-1][1] if target not in seen), None)
            if target is None:
                tree.append(path.pop()[0])
            else:
                seen.add(target)
                path.append((target, iter(edges.get(target, ()))))
        yield tree


def _cycle(start: str, part: set[str], above: Mapping[str, list[str]]) -> list[str]:
    """Return a shortest way from a concept back to itself."""
    came_from: dict[str, str] = {}
    reached = deque([start])
    while reached:
        concept = reached.popleft()
        for target in above[concept]:
            if target == start:
                way = [concept]
                while way[-1] != start:
                    way.append(came_from[way[-1]])
                return [*reversed(way), start]
            if target in part and target not in came_from:
                came_from[target] = concept
                reached.append(target)
    raise AssertionError("a concept of such a part leads back to itself")
