"""What a notebook shows of results: each says it itself, but for those below this package, which stand here."""

from __future__ import annotations

from functools import singledispatch
from typing import TYPE_CHECKING

from termgauge.benchmark.human.catalogue import HumanSet
from termgauge.benchmark.human.sets import HumanSets
from termgauge.benchmark.load import Benchmark
from termgauge.benchmark.pairset import PairSet
from termgauge.domain.domain import Domain
from termgauge.embeddings.model import ShowingModel
from termgauge.embeddings.neighbours import Neighbours
from termgauge.reporting import about_data
from termgauge.reporting.blocks import Document, Section
from termgauge.reporting.writers.html import fragment
from termgauge.statistics.comparison import Comparison
from termgauge.terminology.check import CheckedTerminology
from termgauge.terminology.model import Terminology

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any


@singledispatch
def shown(result: Any) -> Document | Section | Iterable[Section]:  # noqa: ANN401
    """Return a document of a result, a section, or several."""
    made: Document | Section | Iterable[Section] = result._shown()  # noqa: SLF001
    return made


shown.register(Benchmark, about_data.benchmark_section)
shown.register(CheckedTerminology, about_data.check_section)
shown.register(Comparison, about_data.comparison_section)
shown.register(Domain, about_data.domain_section)
shown.register(HumanSet, about_data.listed_set)
shown.register(HumanSets, about_data.listed_sets)
shown.register(Neighbours, about_data.neighbour_section)
shown.register(PairSet, about_data.pairs_section)
shown.register(ShowingModel, about_data.model_section)
shown.register(Terminology, about_data.terminology_document)


def to_html(result: object) -> str:
    """Return what a notebook shows of a result."""
    made = shown(result)
    if not isinstance(made, Document):
        made = Document("", (), (), (made,) if isinstance(made, Section) else tuple(made))
    return fragment(made)
