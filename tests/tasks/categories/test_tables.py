from __future__ import annotations

import io

from rich.console import Console

from termgauge.tasks.categories.overlap import CategorySeparation
from termgauge.tasks.categories.result import Category, CategoryReport
from termgauge.tasks.categories.tables import category_tables

NAN = float("nan")


def test_what_is_found_stands_there():
    means = {"AB": 0.5, "AC": 0.25, "AA": NAN, "BB": 0.75, "CC": 0.125}
    values = CategorySeparation(0.125, 0.1, 0.2, (1, 2345, 3), means, 10, 0)
    chosen = tuple(Category(f"[x]{letter}", (letter,) * 5, ()) for letter in "ABC")
    report = CategoryReport(chosen, 12, {"[m]one": {"avg_cos": values}})
    console = Console(file=io.StringIO(), width=80)
    console.print(category_tables(report))
    text = console.file.getvalue()
    for word in ("[x]A", "[m]one", "avg_cos", "0.125", "[0.10, 0.20]", "0.50", "–", "2,345", "12 terms are in more"):
        assert word in text
    assert report.as_dict()["models"]["[m]one"]["avg_cos"]["means"]["AA"] is None
