"""Make the picture of the README: ``python docs/make_pictures.py``; it shows what ``termgauge run`` prints."""

from __future__ import annotations

import io
import re
import tempfile
from pathlib import Path

from rich.console import Console

from termgauge.experiment.compare import compare
from termgauge.experiment.runner import run
from termgauge.report.results import results_tables

PICTURES = Path(__file__).parent / "pictures"
WIDTH = 112


def main() -> None:
    """Run the embedded default and draw its table."""
    with tempfile.TemporaryDirectory() as folder:
        made = run(out=Path(folder) / "run", report=False)
        kinds = {name: model["kind"] for name, model in made.document()["models"].items()}
        found = compare(made, between_measures=False, power=False)
        shown = results_tables(made.results(), kinds, found, width=WIDTH)
    console = Console(record=True, width=WIDTH, file=io.StringIO())
    console.print("$ termgauge run", style="bold")
    console.print(shown)
    drawn = console.export_svg(title="termgauge")
    # No fonts from elsewhere: the picture must not ask the network for anything.
    drawn = re.sub(r"@font-face \{.*?\}\s*", "", drawn, flags=re.DOTALL).replace("Fira Code, monospace", "monospace")
    drawn = re.sub(r"<!--.*?-->\s*", "", drawn, flags=re.DOTALL)
    PICTURES.mkdir(exist_ok=True)
    (PICTURES / "run.svg").write_text(drawn, encoding="utf-8")


if __name__ == "__main__":
    main()
