"""Experts' decisions about words: which domain each word enters, how far the experts agree, and a check of the split.

Each expert fills in the column `decision` of a copy of the table of words. Nobody is outvoted: a word enters a domain
only if at least two experts decided it and all of them gave that domain.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import polars as pl

from termgauge.corpus.tables import DECISIONS, read_words
from termgauge.display import Showing
from termgauge.exceptions import TermgaugeError
from termgauge.io.paths import expanded
from termgauge.options import several
from termgauge.plurals import numbered
from termgauge.reporting.blocks import Cell, Column, Document, Fact, Prose, Section, Table

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping, Sequence

    from termgauge.statistics.krippendorff import Alpha

DOMAINS = DECISIONS[:2]
_LEAST_WORDS = 3
_EXPERTS = 2


@dataclass(frozen=True)
class LeftOut:
    """A word that experts decided and that enters no domain."""

    word: str
    kind: str
    """Noun or verb."""
    why: str
    """All experts said both, they disagree, or there is a single opinion."""
    decisions: tuple[str, ...]
    """What each expert said; empty if nothing."""


@dataclass(frozen=True, eq=False, repr=False)
class Decisions(Showing):
    """Words by domain, as experts decided."""

    shown_by = "termgauge.studies.decisions:decisions_document"

    experts: tuple[str, ...]
    """The files of those who decided something."""
    table: pl.DataFrame
    """The words that enter a domain, with the domain in the column `decision`."""
    left_out: tuple[LeftOut, ...]
    undecided: int
    """How many words no expert decided."""
    alpha: Alpha
    """Krippendorff's alpha of the decisions, as names."""
    check: Mapping[str, float | None]
    """Spearman's rho of counts in the corpus and in general language over the words of both domains `together`, and of
    each; None if it is undefined."""

    def _brief(self) -> str:
        counts = ", ".join(f"{self.table.filter(decision=domain).height:,} {domain}" for domain in DOMAINS)
        return f"decisions of {numbered(len(self.experts), 'expert')}: {counts}, {len(self.left_out):,} left out"

    def to_frame(self) -> pl.DataFrame:
        """Return the words that enter a domain."""
        return self.table

    def domains(self) -> dict[str, dict[str, int]]:
        """Return how many words of each class enter each domain."""
        found = dict.fromkeys(self.table.select("class", "decision").iter_rows(), 0)
        for row in self.table.select("class", "decision").iter_rows():
            found[row] += 1
        return {kind: {domain: found.get((kind, domain), 0) for domain in DOMAINS} for kind in ("noun", "verb")}

    def summary(self) -> dict[str, Any]:
        """Return all but the words that enter a domain, as JSON has it."""
        listed = [
            {"word": each.word, "class": each.kind, "why": each.why, "decisions": list(each.decisions)}
            for each in self.left_out
        ]
        value = None if math.isnan(self.alpha.value) else self.alpha.value
        return {
            "experts": list(self.experts),
            "domains": self.domains(),
            "left_out": listed,
            "undecided": self.undecided,
            "alpha": {"value": value, "why": self.alpha.why, "units": self.alpha.units, "values": self.alpha.values},
            "check": dict(self.check),
        }


def decisions(files: Sequence[str | os.PathLike[str]], out: str | os.PathLike[str] | None = None) -> Decisions:
    """Combine the decisions of experts about the same table of words.

    Parameters
    ----------
    files
        A copy of the table for each expert, with `biomedical`, `general` or `both` in the column `decision`, or
        nothing for a word that was not looked at.
    out
        Where the words that enter a domain are written, with the domain in the column `decision`.

    Returns
    -------
    Decisions
        The words of each domain, what was left out and why, the agreement, and a check by frequency.
    """
    from termgauge.corpus.tables import write_words
    from termgauge.io.identity import version
    from termgauge.io.source import content_hashes, files_of
    from termgauge.statistics.krippendorff import krippendorff_alpha

    paths = several(files)
    if len(paths) < _EXPERTS:
        raise TermgaugeError(f"There is one file of decisions ({paths[0]}); name those of at least two experts.")
    first = read_words(paths[0])
    said = [_said(path, read_words(path), first, paths[0]) for path in paths]
    keys = list(first.select("class", "word").iter_rows())
    units = [place for place, key in enumerate(keys) for each in said if each[key]]
    values = [each[key] for key in keys for each in said if each[key]]
    verdicts = [_verdict([each[key] for each in said]) for key in keys]
    split = first.with_columns(decision=pl.Series([v if v in DOMAINS else None for v in verdicts], dtype=pl.String))
    left = tuple(
        LeftOut(word, kind, verdict, tuple(each[kind, word] for each in said))
        for (kind, word), verdict in zip(keys, verdicts, strict=True)
        if verdict and verdict not in DOMAINS
    )
    kept = split.filter(pl.col("decision").is_not_null())
    names = tuple(str(path) for path, each in zip(paths, said, strict=True) if any(each.values()))
    alpha = krippendorff_alpha(units, values)
    found = Decisions(names, kept, left, verdicts.count(""), alpha, _check(kept))
    if out is not None:
        held = [file for path in paths for file in files_of(path)]
        hashes = dict(zip((file.label for file in held), content_hashes(held), strict=True))
        write_words(kept, expanded(out), {"termgauge": version(), "files": hashes, **found.summary()})
    return found


def _said(
    path: str | os.PathLike[str], table: pl.DataFrame, first: pl.DataFrame, first_path: object
) -> dict[tuple[str, str], str]:
    """Return what an expert decided about each word; the words must be those of the first expert."""
    for ours, theirs, whose in ((table, first, first_path), (first, table, path)):
        other = ours.join(theirs, on=["class", "word"], how="anti", maintain_order="left")
        if other.height:
            kind, word = other.select("class", "word").row(0)
            more = f" and {other.height - 1:,} more words" if other.height > 1 else ""
            raise TermgaugeError(
                f"{whose}: does not have the {kind} '{word}'{more} that {path if whose is first_path else first_path} "
                "has; give all experts copies of the same table of words."
            )
    if "decision" not in table.columns:
        raise TermgaugeError(f"{path}, line 1: has no column 'decision'; have the expert fill it in.")
    rows = table.select("class", "word", "decision").iter_rows()
    return {(kind, word): (decision or "").strip().lower() for kind, word, decision in rows}


def _verdict(said: Sequence[str]) -> str:
    """Return the domain that a word enters, or why it enters none; nothing if nobody decided it."""
    given = [each for each in said if each]
    if len(given) < _EXPERTS:
        return "single" if given else ""
    return given[0] if len(set(given)) == 1 else "disagreement"


def _check(kept: pl.DataFrame) -> dict[str, float | None]:
    """Return Spearman's rho of both counts; a word without a general count has 0."""
    parts = {"together": kept} | {domain: kept.filter(decision=domain) for domain in DOMAINS}
    return {name: _rho(part) for name, part in parts.items()}


def _rho(part: pl.DataFrame) -> float | None:
    from termgauge.statistics.correlation import spearman

    if part.height < _LEAST_WORDS or not {"count", "general_count"} <= set(part.columns):
        return None
    rho = spearman(part["count"].fill_null(0).to_numpy(), part["general_count"].fill_null(0).to_numpy())
    return None if math.isnan(rho) else rho


_LISTED = 20
_WHY = {"both": "Both domains", "disagreement": "Experts disagree", "single": "One opinion only"}


def decisions_document(found: Decisions) -> Document:
    """Return how many words enter each domain, the agreement of the experts, and what was left out."""
    domains = found.domains()
    columns = Column("Class"), Column("Biomedical", numeric=True), Column("General", numeric=True)
    rows = tuple((Cell(kind), *(Cell.count(count) for count in of.values())) for kind, of in domains.items())
    alpha = found.alpha
    agreement = (
        f"Krippendorff's alpha (nominal) is undefined: {alpha.why}."
        if alpha.why
        else f"Krippendorff's alpha (nominal) is {alpha.value:.3f} over {numbered(alpha.units, 'word')} that two "
        "experts decided."
    )
    check = Table(
        "check",
        "Spearman's rho of counts in the corpus and in general language",
        (Column("Words"), Column("rho", numeric=True)),
        tuple((Cell(name), Cell("–") if rho is None else Cell.number(rho, 2)) for name, rho in found.check.items()),
    )
    left = found.left_out[:_LISTED]
    more = len(found.left_out) - len(left)
    listed = Table.from_records(
        "left-out",
        "Words left out",
        left,
        {
            Column("Word"): lambda word: Cell(word.word),
            Column("Class"): lambda word: Cell(word.kind),
            Column("Why"): lambda word: Cell(_WHY[word.why]),
            Column("Decisions"): lambda word: Cell(", ".join(decision or "–" for decision in word.decisions)),
        },
        notes=(f"{numbered(more, 'more is', 'more are')} in `left_out`.",) if more else (),
    )
    prose = Prose((agreement, f"{numbered(found.undecided, 'word was', 'words were')} not decided by any expert."))
    split = Section("domains", "Words by domain", (Table("domains", "", columns, rows), prose, check))
    sections = (split, Section("left-out", "", (listed,))) if left else (split,)
    return Document("Decisions of experts", (), (Fact("Experts", ", ".join(found.experts)),), sections)
