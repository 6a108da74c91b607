"""The format that the docs add, in a copy of the tree; test_registry.py has it as a package of somebody else."""

from __future__ import annotations

import pytest

from tests.copied_tree import add_lines, blocks, copy_tree, run_python, run_tests

PAGE = "adding-a-format.md"
(MODULE,) = blocks(PAGE, "python")
WORDS, SAMPLE = blocks(PAGE, "text")
(ROW,) = blocks(PAGE, "markdown")


@pytest.fixture(scope="module")
def tree(tmp_path_factory):
    """Return a copy of the tree with the format of the page."""
    copy = copy_tree(tmp_path_factory.mktemp("copy"), "terminology/formats")
    folder = copy / "src" / "termgauge" / "terminology" / "formats"
    (folder / "names.py").write_text(MODULE, encoding="utf-8")
    add_lines(folder / "registry.py", "OWN = (", ', "names"', ")")
    add_lines(copy / "docs" / "terminologies.md", "| `table` |", ROW, "\n\n")
    add_lines(copy / "tests" / "samples.py", "\nSAMPLES = {", SAMPLE, "\n}")
    return copy


def test_it_reads_its_files_and_passes_the_checks(tree):
    (tree / "words.names").write_text(WORDS, encoding="utf-8")
    said = run_python(tree, "-m", "termgauge", "terminology", "words.names", "--json")
    assert '"format": "names"' in said
    run_python(tree, "-m", "ruff", "check", "--no-cache", "src/termgauge/terminology/formats/names.py")


@pytest.mark.integration
def test_common_tests_of_the_format_pass(tree):
    assert run_tests(tree, "tests/common/test_readers.py", "-k", "names") >= 15
    listed = "tests/terminology/formats/test_registry.py::test_our_own_come_first_and_are_in_the_docs"
    assert run_tests(tree, listed, "tests/common/test_readers.py::test_every_format_and_option_is_covered") == 2
