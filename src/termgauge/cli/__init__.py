"""The command line: one thin command per verb, and one for each task.

>>> from termgauge.cli import main
>>> main(["--version"])  # doctest: +SKIP
"""

from __future__ import annotations

from termgauge.cli.application import app, main

__all__ = ["app", "main"]
