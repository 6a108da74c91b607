"""The task that the docs add, in a copy of the tree: a folder and a line are all, and every common test accepts it."""

from __future__ import annotations

import re

import pytest

from tests.copied_tree import add_lines, blocks, copy_tree, run_python, run_tests

FILES = blocks("adding-a-task.md", "python")
(LINE,) = blocks("adding-a-task.md", "text")


@pytest.fixture(scope="module")
def tree(tmp_path_factory):
    """Return a copy of the tree with the task of the page."""
    copy = copy_tree(tmp_path_factory.mktemp("copy"), "tasks")
    folder = copy / "src" / "termgauge" / "tasks"
    (folder / "splits").mkdir()
    for code in FILES:
        name = re.match(r"# acme_splits/(\w+\.py)\n", code)[1]
        (folder / "splits" / name).write_text(code, encoding="utf-8")
    add_lines(folder / "registry.py", "_OWN = (", LINE)
    run_python(copy, "docs/make_reference.py")
    return copy


def test_it_is_found_and_documented(tree):
    code = "import termgauge as tg; from termgauge.tasks.registry import all_tasks; print(*all_tasks(), tg.splits)"
    said = run_python(tree, "-c", code)
    assert "prediction" in said
    assert said.index("ner") < said.index("splits") < said.index("prediction")
    assert "A name of more pieces than this counts as split." in (tree / "docs" / "experiments.md").read_text("utf-8")
    run_python(tree, "-m", "ruff", "check", "--no-cache", "src/termgauge/tasks/splits")


@pytest.mark.integration
def test_common_tests_of_the_task_pass(tree):
    passed = run_tests(
        tree, "tests/common/test_every_task.py", "tests/common/test_commands.py", "tests/common/test_option_names.py",
        "-k", "splits",
    )  # fmt: skip
    assert passed >= 16


@pytest.mark.long
def test_all_that_knows_tasks_still_passes(tree):
    passed = run_tests(
        tree, "tests/common/test_every_task.py", "tests/common/test_commands.py", "tests/common/test_option_names.py",
        "tests/common/test_results.py", "tests/tasks/test_registry.py", "tests/tasks/test_results_io.py",
        "tests/engine/test_plan.py", "tests/engine/test_tables.py", "tests/engine/test_verbs.py",
        "tests/cli/test_tasks.py", "tests/cli/test_application.py", "tests/cli/test_completion.py",
        "tests/test_docs.py", "tests/test_docstrings.py", "tests/test_import_time.py", "tests/test_layout.py",
        # This one looks through the source, of which the copy has links.
        "--deselect", "tests/test_docs.py::test_the_report_has_the_sections_that_are_explained",
    )  # fmt: skip
    assert passed > 500
