"""What a run would do, as a section: the steps with what each works on, and about how long they take."""

from __future__ import annotations

from typing import TYPE_CHECKING

from termgauge.engine.plan import WORKERS
from termgauge.plurals import numbered
from termgauge.reporting.blocks import Cell, Column, Prose, Section, Table
from termgauge.reporting.numbers import duration
from termgauge.reporting.words import plain

if TYPE_CHECKING:
    from termgauge.engine.plan import Item, Plan


def plan_section(plan: Plan) -> Section:
    """Return a plan for people."""
    rows = []
    for step in plan.steps:
        first = Cell(step.name), Cell(duration(step.seconds), step.seconds)
        for item in step.items:
            rows.append((first[0], Cell(item.name), Cell(_amount(item)), first[1]))
            first = Cell(""), Cell("")
        if not step.items:
            rows.append((first[0], Cell(""), Cell(""), first[1]))
    columns = (Column("Step"), Column("What"), Column("How much"), Column("About", numeric=True))
    sentences = [
        f"Into {plain(plan.out)}, in about {duration(plan.seconds) or 'a moment'}; times are rough. Nothing was made."
    ]
    if plan.units:
        sentences.append(_on_workers(plan))
    problems = sum(bool(item.problem) for step in plan.steps for item in step.items)
    if problems:
        sentences.append(f"**{problems} of these cannot be used as they are.**")
    title = f"What would be done: {plan.title}" if plan.title else "What would be done"
    return Section("plan", title, (Table("plan", "", columns, tuple(rows), sortable=False), Prose(tuple(sentences))))


def _on_workers(plan: Plan) -> str:
    """Say how long it takes on a cluster."""
    units = f"{numbered(plan.units, 'unit')} can be shared out"
    if plan.workers:
        called = f"the {plan.workers} workers" if plan.workers != 1 else "the one worker"
        return f"{units}: on {called} of the cluster it takes about {duration(plan.seconds_on(plan.workers))}."
    times = ", ".join(f"{duration(plan.seconds_on(number))} on {number}" for number in WORKERS)
    return f"{units} with --cluster: about {times} workers of one core each."


def _amount(item: Item) -> str:
    there = "there already" if item.there else ""
    return f"Problem: {item.problem}" if item.problem else ", ".join(filter(None, (item.what, there)))
