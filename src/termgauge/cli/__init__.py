"""The command line: one thin command per verb.

>>> from termgauge.cli import main
>>> main(["--version"])  # doctest: +SKIP
"""

from __future__ import annotations

# Commands register when their module is imported.
from termgauge.cli import data, domains, models, relations, report, run, scores, separation  # noqa: F401
from termgauge.cli.application import app, main

__all__ = ["app", "main"]
