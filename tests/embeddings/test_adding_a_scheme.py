"""The scheme that the docs add, in a copy of the tree; test_schemes.py has it as a package of somebody else."""

from __future__ import annotations

import pytest

from tests.copied_tree import add_lines, blocks, copy_tree, run_python, run_tests

PAGE = "adding-a-scheme.md"
MODULE, END = blocks(PAGE, "python")
LINE, SAMPLES = blocks(PAGE, "text")
(ROW,) = blocks(PAGE, "markdown")


@pytest.fixture(scope="module")
def tree(tmp_path_factory):
    """Return a copy of the tree with the scheme of the page."""
    copy = copy_tree(tmp_path_factory.mktemp("copy"), "embeddings")
    folder = copy / "src" / "termgauge" / "embeddings"
    (folder / "json_vectors.py").write_text(MODULE + END, encoding="utf-8")
    add_lines(folder / "schemes.py", "MODULES = (", LINE)
    add_lines(copy / "docs" / "models.md", "| `delimited:` |", ROW, "\n\n")
    add_lines(copy / "tests" / "common" / "model_samples.py", "IN_CORE = [", SAMPLES, "\n]")
    return copy


def test_it_opens_its_files_and_passes_the_checks(tree):
    (tree / "vectors.json").write_text(blocks(PAGE, "json")[0], encoding="utf-8")
    said = run_python(tree, "-m", "termgauge", "neighbours", "json:vectors.json", "heart", "--json")
    assert '"text": "lung"' in said
    run_python(tree, "-m", "ruff", "check", "--no-cache", "src/termgauge/embeddings/json_vectors.py")


@pytest.mark.integration
def test_common_tests_of_the_scheme_pass(tree):
    assert run_tests(tree, "tests/common/test_every_model.py", "-k", "json") > 10
    listed = "tests/embeddings/test_schemes.py::test_our_own_are_in_the_docs"
    every = "tests/common/test_every_model.py::test_every_scheme_has_a_sample_of_each_of_its_kinds"
    assert run_tests(tree, listed, every) == 2
