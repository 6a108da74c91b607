"""What an audit found, for reports: the first rows of each list, and how well each model reads this terminology."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from termgauge.plurals import plural
from termgauge.reporting.blocks import Cell, Column, Figure, Prose, Section, Table, block_id
from termgauge.reporting.plots.dots import Dot, DotPanel, DotPlot
from termgauge.reporting.words import counted, decimal, headed, number, plain
from termgauge.tasks.audit.result import LISTS, UNLIKE
from termgauge.tasks.shown import style_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from termgauge.reporting.blocks import Block
    from termgauge.tasks.audit.result import AuditResult, AuditRow

_CHANCE = 0.5


def audit_sections(name: str, result: AuditResult) -> tuple[Section, ...]:
    """Return what was found in a terminology."""
    blocks: list[Block] = [Prose(_about(result))]
    if result.models:
        blocks += [_figure(name, result), _models(name, result)]
    parts = [Section(block_id("audit", name), headed("Audit of a terminology", name), tuple(blocks))]
    for each, title in LISTS.items():
        rows = result.lists[each]
        shown = (_table(name, each, result, rows),) if rows else (Prose((_nothing(each, result),)),)
        parts.append(Section(block_id("audit", each, name), title, shown, level=3))
    return tuple(parts)


def _about(result: AuditResult) -> tuple[str, ...]:
    edition = plain(" ".join(filter(None, result.terminology.values())))
    read = f"{counted(result.terms, 'term')} of {counted(result.concepts, 'concept')}"
    readers = f"by rules and by {counted(len(result.models), 'model')}" if result.models else "by rules"
    of = "terminology's own synonyms" if result.population == "synonyms" else "random pairs of terms"
    about = (
        f"{edition or 'The terminology'} was read a second time, {readers}: {read}. The lists say where to look; "
        f"people decide. A percentile is the share of the {of} that a model finds less alike."
    )
    sentences = [about, *result.notes]
    if result.left_out:
        sentences.append(f"Left out: {'; '.join(plain(reason.rstrip('.')) for reason in result.left_out)}.")
    return tuple(sentences)


def _nothing(name: str, result: AuditResult) -> str:
    if name == UNLIKE and not result.models:
        return "Without a model there is no such list."
    return "Nothing was found."


def _figure(name: str, result: AuditResult) -> Figure:
    known = {model: each.auc for model, each in result.models.items() if each.auc is not None}
    dots = {
        model: [Dot(auc, None, None, *style_of(at), tip=f"{model}: {decimal(auc, 3)}")]
        for at, (model, auc) in enumerate(known.items())
    }
    plot = DotPlot([DotPanel((), dots, reference=_CHANCE)], list(dots), "area under the curve", most=1.0, least=0.0)
    return Figure(
        id=block_id("audit-auc", name),
        caption="How well each model tells the terminology's own synonyms from random pairs of terms: how often a "
        "synonym is more like its concept than two random terms are like each other; the line is chance.",
        description="; ".join(f"{model}: {decimal(auc, 3)}" for model, auc in known.items()) + ".",
        draw=plot.draw,
        data=pl.DataFrame(list(known.items()), ["model", "auc"], orient="row"),
    )


def _models(name: str, result: AuditResult) -> Table:
    return Table(
        id=block_id("audit-models", name),
        caption="The models that read the terminology.",
        columns=(
            Column("Model"),
            Column("Synonyms told from random pairs", numeric=True, note="area under the curve; 0.5 is chance"),
            Column("Unknown terms", numeric=True, note="terms that it has no vector for"),
        ),
        rows=tuple(
            (Cell(model), Cell.number(each.auc), Cell.count(each.unknown)) for model, each in result.models.items()
        ),
    )


def _table(name: str, which: str, result: AuditResult, rows: Sequence[AuditRow]) -> Table:
    shown = rows[: result.first]
    total = result.counts[which]
    two = any(row.concept2 for row in shown)
    related = any(row.relation for row in shown)
    models = list(result.models)
    kept = f" {number(len(rows))} of them {plural(len(rows), 'is', 'are')} kept." if len(rows) < total else ""
    notes = [f"The first {number(len(shown))} of {counted(total, 'row')}.{kept}"] if len(shown) < total else []
    return Table(
        id=block_id("audit-list", which, name),
        caption=f"{LISTS[which]}.",
        columns=(
            Column("Term"),
            Column("Its concept"),
            Column("Kind"),
            *((Column("Other term"), Column("Its concept")) if two else ()),
            *((Column("Hierarchy", note="how the two concepts stand to each other"),) if related else ()),
            *(Column(model, numeric=True, group="Percentile") for model in models),
            Column("Evidence"),
        ),
        rows=tuple(
            (
                Cell(row.term1),
                Cell(_concept(row.concept1, row.name1, row.term1)),
                Cell(row.kind),
                *((Cell(row.term2 or "–"), Cell(_concept(row.concept2, row.name2, row.term2))) if two else ()),
                *((Cell(row.relation or "–"),) if related else ()),
                *(Cell.number(value, 2) for value in row.percentiles),
                Cell(row.evidence or "–"),
            )
            for row in shown
        ),
        notes=tuple(notes),
        data=result.rows().filter(pl.col("list") == which).drop("verdict", "note"),
    )


def _concept(concept: str, name: str, term: str) -> str:
    return concept if not name or name == term else f"{name} ({concept})"
