from __future__ import annotations

from termgauge.engine.graph import Item, Plan, PlannedStep, plan_section
from termgauge.reporting.blocks import Prose
from tests.tasks.pairs.sections.drawn import cells_of


def test_steps_items_problems_and_times():
    steps = (
        PlannedStep("Read", (Item("a", "3 terms"), Item("b", "", problem="b: is gone.")), 12.0),
        PlannedStep("Score", (Item("c", "2 sets", there=True), Item("d", "", there=True)), 0.0),
        PlannedStep("Report", (), 3.0),
    )
    section = plan_section(Plan("My study", "runs/*", steps))
    table, prose = section.blocks
    assert section.title == "What would be done: My study"
    assert [[cell.text for cell in row.values()] for row in cells_of(table)] == [
        ["Read", "a", "3 terms", "10 s"],
        ["", "b", "Problem: b: is gone.", ""],
        ["Score", "c", "2 sets, there already", ""],
        ["", "d", "there already", ""],
        ["Report", "", "", "3 s"],
    ]
    assert isinstance(prose, Prose)
    assert "Into runs/∗, in about 20 s" in prose.paragraphs[0]
    assert prose.paragraphs[1] == "**1 of these cannot be used as they are.**"


def test_how_long_workers_take():
    steps = (
        PlannedStep("Read", (Item("a", "x"),), 100.0),
        PlannedStep("Score", (Item("b", "x"),), 900.0, (300.0, 300.0, 300.0)),
    )
    told = plan_section(Plan("", "run", steps)).blocks[1].paragraphs[1]
    assert told == (
        "3 units can be shared out with --cluster: about 32 min on 1, 12 min on 4, 12 min on 16, 12 min on 64 workers "
        "of one core each."
    )
    told = plan_section(Plan("", "run", steps, workers=2)).blocks[1].paragraphs[1]
    assert told == "3 units can be shared out: on the 2 workers of the cluster it takes about 22 min."


def test_a_plan_without_a_title_or_problems():
    section = plan_section(Plan("", "run", (PlannedStep("Read", (Item("a", "x"),), 0.0),)))
    assert section.title == "What would be done"
    assert section.blocks[1].paragraphs == ("Into run, in about a moment; times are rough. Nothing was made.",)
