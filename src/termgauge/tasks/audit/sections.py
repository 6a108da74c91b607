"""What an audit found, for reports: the first rows of each list, and how well each model reads this terminology."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from termgauge.io.identity import sha256_of_value, version
from termgauge.plurals import plural
from termgauge.reporting.blocks import Column, Prose, Section, Table, block_id
from termgauge.reporting.words import counted, headed, number, plain
from termgauge.reporting.writers.html import DARK, LIGHT, packed, page_environment, page_resource, script_json
from termgauge.tasks.audit.result import LISTS, UNLIKE, AuditRow
from termgauge.tasks.shown import left_out_note

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from termgauge.reporting.blocks import Block
    from termgauge.tasks.audit.result import AuditResult
    from termgauge.tasks.contract import About


def audit_sections(result: AuditResult, about: About) -> Iterator[Section]:
    """Yield what was found in a terminology."""
    name = about.name
    blocks: list[Block] = [Prose(_about(result))]
    if result.models:
        blocks.append(_models(name, result))
    yield Section(block_id("audit", name), headed("Audit of a terminology", name), tuple(blocks))
    for list_name, title in LISTS.items():
        rows = result.lists[list_name]
        without = list_name == UNLIKE and not result.models
        nothing = "Without a model there is no such list." if without else "Nothing was found."
        shown = (_table(name, list_name, result, rows),) if rows else (Prose((nothing,)),)
        yield Section(block_id("audit", list_name, name), title, shown, level=3)


def _about(result: AuditResult) -> tuple[str, ...]:
    edition = plain(" ".join(filter(None, result.terminology.values())))
    read = f"{counted(result.terms, 'term')} of {counted(result.concepts, 'concept')}"
    readers = f"by rules and by {counted(len(result.models), 'model')}" if result.models else "by rules"
    of = "terminology's own synonyms" if result.population == "synonyms" else "random pairs of terms"
    about = (
        f"{edition or 'The terminology'} was read a second time, {readers}: {read}. The lists say where to look; "
        f"people decide. A percentile is the share of the {of} that a model finds less alike."
    )
    return (about, *result.notes, *left_out_note(result.left_out))


def _models(name: str, result: AuditResult) -> Table:
    return Table.from_rows(
        block_id("audit-models", name),
        "The models that read the terminology.",
        (
            "Model",
            Column.number(
                "Synonyms told from random pairs",
                note="how often a synonym is more like its concept than a random pair; 0.5 is chance",
            ),
            Column.count("Unknown terms", "terms that it has no vector for"),
        ),
        ((name, model.auc, model.unknown) for name, model in result.models.items()),
    )


def _table(name: str, which: str, result: AuditResult, rows: Sequence[AuditRow]) -> Table:
    shown = rows[: result.first]
    total = result.counts[which]
    two = any(row.concept2 for row in shown)
    related = any(row.relation for row in shown)
    kept = f" {number(len(rows))} of them {plural(len(rows), 'is', 'are')} kept." if len(rows) < total else ""
    notes = [f"The first {number(len(shown))} of {counted(total, 'row')}.{kept}"] if len(shown) < total else []
    return Table.from_rows(
        block_id("audit-list", which, name),
        f"{LISTS[which]}.",
        (
            *("Term", "Its concept", "Kind"),
            *(("Other term", "Its concept") if two else ()),
            *((Column("Hierarchy", note="how the two concepts stand to each other"),) if related else ()),
            *(Column.number(model, 2, group="Percentile") for model in result.models),
            "Evidence",
        ),
        (
            (
                *(row.term1, _concept(row.concept1, row.name1, row.term1), row.kind),
                *((row.term2 or "–", _concept(row.concept2, row.name2, row.term2)) if two else ()),
                *((row.relation or "–",) if related else ()),
                *row.percentiles,
                row.evidence or "–",
            )
            for row in shown
        ),
        notes,
        data=result.rows().filter(pl.col("list") == which).drop("verdict", "note"),
    )


def _concept(concept: str, name: str, term: str) -> str:
    return concept if not name or name == term else f"{name} ({concept})"


_PACKAGE = "termgauge.tasks.audit"
_FIELDS = tuple(AuditRow.model_fields)


def audit_page(result: AuditResult) -> str:
    """Return the page: one HTML file that needs nothing else, and keeps marks where the browser lets it."""
    from markupsafe import Markup

    rows = [
        [name, rank, *(getattr(row, field) for field in _FIELDS)]
        for name, listing in result.lists.items()
        for rank, row in enumerate(listing, 1)
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
    return (
        page_environment(_PACKAGE)
        .get_template("audit.html.jinja")
        .render(
            title=f"Audit of {edition}" if edition else "Audit of a terminology",
            result=result,
            lists=LISTS,
            made=f"Made by termgauge {version()}.",
            data=Markup(script_json(data)),  # noqa: S704 - JSON without any angle bracket
            light=LIGHT,
            dark=DARK,
            style=page_resource(_PACKAGE, "audit.css"),
            script=page_resource(_PACKAGE, "audit.js"),
        )
    )
