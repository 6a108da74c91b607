"""Run the notebooks and store their outputs: ``python docs/make_notebooks.py``, or some of them by name.

Each runs in an empty folder with an empty cache, so that it shows what a reader gets.
"""

from __future__ import annotations

import os
import sys
import sysconfig
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import nbformat
from nbclient import NotebookClient

if TYPE_CHECKING:
    from nbformat import NotebookNode

NOTEBOOKS = Path(__file__).parent / "notebooks"
SOURCE = Path(__file__).parent.parent / "src"
SECONDS = 600
"""After which a cell is given up."""


def main(names: list[str]) -> None:
    """Run notebooks and write them back with their outputs."""
    for path in sorted(NOTEBOOKS.glob("*.ipynb")):
        if not names or path.stem in names:
            with tempfile.TemporaryDirectory() as folder:
                notebook = executed(path, Path(folder))
            path.write_text(nbformat.writes(notebook) + "\n", encoding="utf-8")
            print(f"{path}: {sum(len(cell.get('outputs', ())) for cell in notebook.cells)} outputs")


def executed(path: Path, folder: Path) -> NotebookNode:
    """Return a notebook with the outputs of its cells, run in a folder; nothing in it tells when or where that was."""
    notebook = nbformat.read(path, as_version=4)
    for number, cell in enumerate(notebook.cells):
        cell.id = f"cell-{number}"
    place = {"metadata": {"path": str(folder)}}
    client = NotebookClient(notebook, timeout=SECONDS, kernel_name="python3", resources=place, record_timing=False)
    client.execute(env=environment(folder))
    notebook = nbformat.reads(_nowhere(nbformat.writes(notebook), folder), as_version=4)
    notebook.metadata = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    for cell in notebook.cells:
        cell.metadata = {}
        if cell.cell_type == "code":  # what a bar of progress leaves
            cell.outputs = [each for each in cell.outputs if any(each.get("data", {"text": each.get("text")}).values())]
    return notebook


def _nowhere(text: str, folder: Path) -> str:
    """Return a text without the places of this machine."""
    for place in (f"{folder}/", f"{sysconfig.get_path('purelib')}/", f"{SOURCE}/"):
        text = text.replace(place, "")
    return text


def environment(folder: Path) -> dict[str, str]:
    """Return what a kernel is told: this source, and no file outside of a folder."""
    places = ("JUPYTER_RUNTIME_DIR", "JUPYTER_DATA_DIR", "JUPYTER_CONFIG_DIR", "IPYTHONDIR", "TERMGAUGE_CACHE_DIR")
    told = {name: str(folder / ".kernel" / name.lower()) for name in places}
    for place in told.values():
        Path(place).mkdir(parents=True, exist_ok=True)
    return {**os.environ, **told, "PYTHONPATH": str(SOURCE), "PYDEVD_DISABLE_FILE_VALIDATION": "1"}


if __name__ == "__main__":
    main(sys.argv[1:])
