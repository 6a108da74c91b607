"""The command line: one thin command per verb, and one for each task.

>>> from termgauge.cli import main
>>> main(["--version"])  # doctest: +SKIP
"""

from __future__ import annotations

# Commands register when their module is imported.
from termgauge.cli import data, models, report, run, scores  # noqa: F401
from termgauge.cli.application import app, main
from termgauge.cli.tasks import add_commands

__all__ = ["app", "main"]

add_commands()
