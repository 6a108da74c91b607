"""The notebooks of the documentation: what is stored, and that they still run."""

from __future__ import annotations

import re
import sysconfig

import nbformat
import pytest
from docs.make_notebooks import NOTEBOOKS

from tests.conftest import REPOSITORY
from tests.kernel import run_notebook

PATHS = sorted(NOTEBOOKS.glob("*.ipynb"))


def read(path):
    return nbformat.read(path, as_version=4)


def shown(notebook):
    """Return all outputs."""
    return [output for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs]


def test_there_are_notebooks():
    assert [path.stem for path in PATHS] == ["a-look-inside", "choose-an-embedding"]


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_what_is_stored_was_made_by_a_run_without_errors_and_tells_nothing_of_the_machine(path):
    notebook = read(path)
    nbformat.validate(notebook)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert [cell.execution_count for cell in code] == list(range(1, len(code) + 1)), "run: make notebooks"
    assert all(cell.outputs for cell in code), "run: make notebooks"
    assert {output.output_type for output in shown(notebook)} <= {"execute_result", "display_data", "stream"}
    assert not [output for output in shown(notebook) if output.get("name") == "stderr"]
    text = path.read_text(encoding="utf-8")
    assert str(REPOSITORY) not in text
    assert sysconfig.get_path("purelib") not in text
    assert not re.search(r"/(?:tmp|home|root|Users)/", text)
    assert max(len(line) for cell in code for line in cell.source.splitlines()) <= 120


@pytest.mark.integration
@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_a_notebook_runs_without_errors_and_warnings_and_shows_what_is_stored(path, tmp_path):
    stored = [output.data["text/plain"] for output in shown(read(path)) if output.output_type == "execute_result"]
    client = run_notebook(read(path), tmp_path)
    assert client.stderr() == ""
    made = [output.data["text/plain"] for output in shown(client.nb) if output.output_type == "execute_result"]
    lines = [each for each in stored if each.startswith("<")]
    assert [each for each in made if each.startswith("<")] == lines
    assert len(made) == len(stored)
