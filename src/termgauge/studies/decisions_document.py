"""The decisions of experts as a document: how many words enter each domain, how far experts agree, what is left out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from termgauge.plurals import numbered
from termgauge.reporting.blocks import Cell, Column, Document, Fact, Prose, Section, Table

if TYPE_CHECKING:
    from termgauge.studies.decisions import Decisions

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
    left = tuple(
        (
            Cell(each.word),
            Cell(each.kind),
            Cell(_WHY[each.why]),
            Cell(", ".join(word or "–" for word in each.decisions)),
        )
        for each in found.left_out[:_LISTED]
    )
    more = len(found.left_out) - len(left)
    notes = (f"{numbered(more, 'more is', 'more are')} in `left_out`.",) if more else ()
    listed = Table(
        "left-out", "Words left out", (Column("Word"), Column("Class"), Column("Why"), Column("Decisions")), left, notes
    )
    prose = Prose((agreement, f"{numbered(found.undecided, 'word was', 'words were')} not decided by any expert."))
    split = Section("domains", "Words by domain", (Table("domains", "", columns, rows), prose, check))
    sections = (split, Section("left-out", "", (listed,))) if left else (split,)
    return Document("Decisions of experts", (), (Fact("Experts", ", ".join(found.experts)),), sections)
