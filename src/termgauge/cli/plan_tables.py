"""What a run would do, as a table for people."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich.console import Group
from rich.table import Table
from rich.text import Text

if TYPE_CHECKING:
    from collections.abc import Mapping


def plan_tables(plan: Mapping[str, Any]) -> Group:
    """Return the steps of a plan with what each works on, and about how long they take."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), title_justify="left", title_style="bold")
    table.title = f"What would be done: {plan['title']}" if plan["title"] else "What would be done"
    for heading in ("Step", "What", "How much", "About"):
        table.add_column(heading, justify="right" if heading == "About" else "left", overflow="fold")
    for step in plan["steps"]:
        took = duration(step["seconds"])
        for at, item in enumerate(step["items"] or [{"name": "", "what": "", "there": False, "problem": ""}]):
            first = (step["name"], took) if at == 0 else ("", "")
            table.add_row(first[0], Text(item["name"]), _amount(item), first[1])
    problems = sum(bool(item["problem"]) for step in plan["steps"] for item in step["items"])
    end = f"Into {plan['out']}, in about {duration(plan['seconds']) or 'a moment'}; times are rough. Nothing was made."
    lines: list[Table | Text] = [table, Text(end)]
    if problems:
        lines.append(Text(f"{problems} of these cannot be used as they are.", style="yellow"))
    return Group(*lines)


def duration(seconds: float) -> str:
    """Return a time in words, as exactly as a guess deserves; nothing for a moment.

    Examples
    --------
    >>> duration(0.2), duration(12), duration(100), duration(9000)
    ('', '10 s', '2 min', '3 h')
    """
    if seconds < 1:
        return ""
    if seconds < 10:
        return f"{seconds:.0f} s"
    if seconds < 90:
        return f"{round(seconds, -1):.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{-(-seconds // 3600):.0f} h"


def _amount(item: Mapping[str, Any]) -> Text:
    if item["problem"]:
        return Text(item["problem"], style="yellow")
    shown = Text(item["what"])
    if item["there"]:
        shown.append(", there already" if item["what"] else "there already", style="dim")
    return shown
