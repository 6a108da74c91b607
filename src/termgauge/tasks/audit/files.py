"""An audit on disk: ``audit.csv`` with all rows, and a page on which a curator goes through them."""

from __future__ import annotations

from functools import cache
from importlib import resources
from typing import TYPE_CHECKING

from termgauge.io.atomic import write_text
from termgauge.io.identity import sha256_of_value, version
from termgauge.reporting.writers.html import DARK, LIGHT, packed, script_json
from termgauge.reporting.writers.write import write_table
from termgauge.tasks.audit.result import LISTS

if TYPE_CHECKING:
    from pathlib import Path

    from markupsafe import Markup

    from termgauge.tasks.audit.result import AuditResult

TABLE, PAGE = "audit.csv", "audit.html"
_FIELDS = (
    "kind",
    "concept1",
    "term1",
    "name1",
    "concept2",
    "term2",
    "name2",
    "relation",
    "score",
    "percentiles",
    "evidence",
)


def write_audit(result: AuditResult, folder: Path) -> tuple[Path, Path]:
    """Write the table and the page, each whole or not at all, and return where they are."""
    table, page = folder / TABLE, folder / PAGE
    write_table(result.rows(), table)
    write_text(page, audit_page(result))
    return table, page


def audit_page(result: AuditResult) -> str:
    """Return the page: one HTML file that needs nothing else, and keeps marks where the browser lets it."""
    import jinja2
    from markupsafe import Markup

    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("termgauge.tasks.audit", "page"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    rows = [
        [name, rank, *(getattr(row, field) for field in _FIELDS)]
        for name, own in result.lists.items()
        for rank, row in enumerate(own, 1)
    ]
    edition = " ".join(filter(None, result.terminology.values()))
    data = {
        "fields": ["list", "rank", *_FIELDS],
        "lists": LISTS,
        "models": list(result.models),
        # By which marks are found again: what was found, not where the file lies.
        "key": sha256_of_value([result.terminology, rows])[:16],
        "rows": packed(script_json(rows)),
    }
    return environment.get_template("audit.html.jinja").render(
        title=f"Audit of {edition}" if edition else "Audit of a terminology",
        result=result,
        lists=LISTS,
        made=f"Made by termgauge {version()}.",
        data=Markup(script_json(data)),  # noqa: S704 - JSON without any angle bracket
        light=LIGHT,
        dark=DARK,
        style=_resource("audit.css"),
        script=_resource("audit.js"),
    )


@cache
def _resource(name: str) -> Markup:
    from markupsafe import Markup

    text = (resources.files("termgauge.tasks.audit") / "page" / name).read_text(encoding="utf-8")
    return Markup(text)  # noqa: S704 - a file of the package
