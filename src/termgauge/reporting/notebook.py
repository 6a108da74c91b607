"""What a notebook shows of results: each says it itself, but for those below this package, which stand here."""

from __future__ import annotations

from functools import singledispatch
from typing import TYPE_CHECKING

from termgauge.benchmark.load import Benchmark
from termgauge.embeddings.model import ShowingModel
from termgauge.embeddings.neighbours import Neighbours
from termgauge.reporting import about_data
from termgauge.reporting.blocks import Column, Document, Prose, Section, Table
from termgauge.reporting.words import plain
from termgauge.reporting.writers.html import fragment
from termgauge.statistics.comparison import Comparison
from termgauge.terminology.check import CheckedTerminology
from termgauge.terminology.model import Terminology

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

_ROWS = 10


@singledispatch
def shown(result: Any) -> Document | Section | Iterable[Section]:  # noqa: ANN401
    """Return a document of a result, a section, or several; its first rows if it says nothing better."""
    if not hasattr(result, "_shown"):
        return _first_rows(result)
    made: Document | Section | Iterable[Section] = result._shown()  # noqa: SLF001
    return made


def _first_rows(result: Any) -> Section:  # noqa: ANN401
    frame = result.to_frame()
    columns = [
        Column.count(name) if kind.is_integer() else Column.number(name) if kind.is_float() else Column(name)
        for name, kind in frame.schema.items()
    ]
    rows = ([value if value is None or isinstance(value, int | float) else str(value) for value in row]
            for row in frame.head(_ROWS).iter_rows())  # fmt: skip
    return Section("rows", "", (Prose((plain(repr(result)[1:-1]),)), Table.from_rows("rows", "", columns, rows)))


shown.register(Benchmark, about_data.benchmark_section)
shown.register(CheckedTerminology, about_data.check_section)
shown.register(Comparison, about_data.comparison_section)
shown.register(Neighbours, about_data.neighbour_section)
shown.register(ShowingModel, about_data.model_section)
shown.register(Terminology, about_data.terminology_document)


def to_html(result: object) -> str:
    """Return what a notebook shows of a result."""
    made = shown(result)
    if not isinstance(made, Document):
        made = Document("", (), (), (made,) if isinstance(made, Section) else tuple(made))
    return fragment(made)
