"""Experts' decisions about words: which domain each word enters, how far the experts agree, and a check of the split.

Each expert fills in the column `decision` of a copy of the table of words. Nobody is outvoted: a word enters a domain
only if at least two experts decided it and all of them gave that domain.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import polars as pl

from termgauge.corpus.tables import DECISIONS, read_words
from termgauge.display import Showing
from termgauge.exceptions import TermgaugeError
from termgauge.io.paths import expanded
from termgauge.options import several
from termgauge.plurals import numbered
from termgauge.reporting.blocks import Column, Document, Fact, Prose, Section, Table
from termgauge.tasks.results import finite

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping, Sequence

    from termgauge.statistics.krippendorff import Alpha

DOMAINS = DECISIONS[:2]
_LEAST_WORDS = 3
_EXPERTS = 2


@dataclass(frozen=True, eq=False, repr=False)
class Decisions(Showing):
    """Words by domain, as experts decided."""

    experts: tuple[str, ...]
    """The files of those who decided something."""
    table: pl.DataFrame
    """The words that enter a domain, with the domain in the column `decision`."""
    left_out: tuple[dict[str, Any], ...]
    """Words that experts decided and that enter no domain: `word`, `class`, `why` and `decisions`."""
    undecided: int
    alpha: Alpha
    check: Mapping[str, float | None]
    """Spearman's rho of counts in the corpus and in general language over the words of both domains `together`, and of
    each; None if it is undefined."""

    def _shown(self) -> Document:
        return decisions_document(self)

    def _brief(self) -> str:
        counts = ", ".join(f"{self.table.filter(decision=domain).height:,} {domain}" for domain in DOMAINS)
        return f"decisions of {numbered(len(self.experts), 'expert')}: {counts}, {len(self.left_out):,} left out"

    def to_frame(self) -> pl.DataFrame:
        """Return the words that enter a domain."""
        return self.table

    def domains(self) -> dict[str, dict[str, int]]:
        """Return how many words of each class enter each domain."""
        counts = Counter(self.table.select("class", "decision").iter_rows())
        return {kind: {domain: counts[kind, domain] for domain in DOMAINS} for kind in ("noun", "verb")}

    def summary(self) -> dict[str, Any]:
        """Return all but the words that enter a domain, as JSON has it."""
        alpha = self.alpha
        return {
            "experts": list(self.experts),
            "domains": self.domains(),
            "left_out": list(self.left_out),
            "undecided": self.undecided,
            "alpha": {"value": finite(alpha.value), "why": alpha.why, "units": alpha.units, "values": alpha.values},
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
    experts = [_decisions_of(path, read_words(path), first, paths[0]) for path in paths]
    words = list(first.select("class", "word").iter_rows())
    opinions = [tuple(expert[word] for expert in experts) for word in words]
    verdicts = [_verdict(opinion) for opinion in opinions]
    judgements = [(at, decision) for at, opinion in enumerate(opinions) for decision in opinion if decision]
    alpha = krippendorff_alpha([at for at, _decision in judgements], [decision for _at, decision in judgements])
    domains = pl.Series([verdict if verdict in DOMAINS else None for verdict in verdicts], dtype=pl.String)
    kept = first.with_columns(decision=domains).drop_nulls("decision")
    left = tuple(
        {"word": word, "class": kind, "why": verdict, "decisions": list(opinion)}
        for (kind, word), verdict, opinion in zip(words, verdicts, opinions, strict=True)
        if verdict and verdict not in DOMAINS
    )
    names = tuple(str(path) for path, expert in zip(paths, experts, strict=True) if any(expert.values()))
    parts = {"together": kept} | {domain: kept.filter(decision=domain) for domain in DOMAINS}
    check = {name: _rho(part) for name, part in parts.items()}
    result = Decisions(names, kept, left, verdicts.count(""), alpha, check)
    if out is not None:
        held = [file for path in paths for file in files_of(path)]
        hashes = dict(zip((file.label for file in held), content_hashes(held), strict=True))
        write_words(kept, expanded(out), {"termgauge": version(), "files": hashes, **result.summary()})
    return result


def _decisions_of(
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


def _verdict(opinion: Sequence[str]) -> str:
    """Return the domain that a word enters, or why it enters none; nothing if nobody decided it."""
    decisions = [decision for decision in opinion if decision]
    if len(decisions) < _EXPERTS:
        return "single" if decisions else ""
    return decisions[0] if len(set(decisions)) == 1 else "disagreement"


def _rho(part: pl.DataFrame) -> float | None:
    """Return Spearman's rho of both counts; a word without a general count has 0."""
    from termgauge.statistics.correlation import spearman

    if part.height < _LEAST_WORDS or not {"count", "general_count"} <= set(part.columns):
        return None
    rho: float | None = finite(spearman(*(part[name].fill_null(0).to_numpy() for name in ("count", "general_count"))))
    return rho


_LISTED = 20
_WHY = {"both": "Both domains", "disagreement": "Experts disagree", "single": "One opinion only"}


def decisions_document(result: Decisions) -> Document:
    """Return how many words enter each domain, the agreement of the experts, and what was left out."""
    alpha, domains = result.alpha, result.domains()
    agreement = (
        f"Krippendorff's alpha (nominal) is undefined: {alpha.why}."
        if alpha.why
        else f"Krippendorff's alpha (nominal) is {alpha.value:.3f} over {numbered(alpha.units, 'word')} that two "
        "experts decided."
    )
    columns = "Class", Column.count("Biomedical"), Column.count("General")
    counts = Table.from_rows("domains", "", columns, ((kind, *of.values()) for kind, of in domains.items()))
    caption = "Spearman's rho of counts in the corpus and in general language"
    check = Table.from_rows("check", caption, ("Words", Column.number("rho", 2)), result.check.items())
    prose = Prose((agreement, f"{numbered(result.undecided, 'word was', 'words were')} not decided by any expert."))
    sections = [Section("domains", "Words by domain", (counts, prose, check))]
    if left := result.left_out[:_LISTED]:
        more = len(result.left_out) - len(left)
        rows = (
            (row["word"], row["class"], _WHY[row["why"]], ", ".join(decision or "–" for decision in row["decisions"]))
            for row in left
        )
        notes = (f"{numbered(more, 'more is', 'more are')} in `left_out`.",) if more else ()
        listed = Table.from_rows("left-out", "Words left out", ("Word", "Class", "Why", "Decisions"), rows, notes)
        sections.append(Section("left-out", "", (listed,)))
    return Document("Decisions of experts", (), (Fact("Experts", ", ".join(result.experts)),), tuple(sections))
