"""The layout of the tests and of the package: a name means one thing."""

from __future__ import annotations

import ast
import re
import tomllib

import termgauge
from tests.conftest import REPOSITORY
from tests.kernels import CALLING

SOURCE, TESTS = REPOSITORY / "src" / "termgauge", REPOSITORY / "tests"


def test_test_modules_hold_tests():
    for path in TESTS.rglob("test_*.py"):
        text = path.read_text(encoding="utf-8")
        assert re.search(r"^ *def test_", text, re.MULTILINE), f"{path} has no test"


def test_tests_that_compile_kernels_for_all_are_there():
    assert all((REPOSITORY / test).exists() for tests in CALLING for test in tests)


def test_no_test_module_imports_from_another():
    of_tests = re.compile(r"^ *(?:from|import) +tests\.(?:\w+\.)*test_.*", re.MULTILINE)
    assert of_tests.search("x = 1\n    from tests.cli.test_help import flags\n")
    assert not of_tests.search("from tests.cli import flags\nfrom testing.test_help import flags\n")
    wrong = [(path, of_tests.findall(path.read_text(encoding="utf-8"))) for path in TESTS.rglob("*.py")]
    assert [(path, found) for path, found in wrong if found] == []


def test_no_name_of_the_package_is_also_a_module_of_it():
    submodules = {path.stem for path in SOURCE.iterdir() if path.suffix == ".py" or (path / "__init__.py").is_file()}
    assert {"cli", "io"} <= submodules
    assert submodules.isdisjoint(termgauge.__all__)


def test_strings_that_name_modules_reach_no_higher_than_imports_may():
    contracts = tomllib.loads((REPOSITORY / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    order = [part.strip() for layer in contracts[0]["layers"] for part in layer.split("|")]
    height = {name.removeprefix("termgauge."): -at for at, name in enumerate(order)}
    wrong, seen = [], 0
    for path in SOURCE.rglob("*.py"):
        here = path.relative_to(SOURCE).with_suffix("").parts[0]
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and here in height:
                named = re.fullmatch(r"termgauge\.(\w+)(?:\.\w+)*(?::\w+)?", node.value)
                if named and named[1] in height:
                    seen += 1
                    wrong += [(path, node.value)] if height[named[1]] > height[here] else []
    assert seen
    assert wrong == []


def test_locks_are_of_the_versions_in_the_constraints():
    pins = re.findall(r"^(\S+==\S+)", (REPOSITORY / "constraints.txt").read_text(), re.MULTILINE)
    for name, of in (("locked.txt", set(pins)), ("locked-run.txt", None)):
        entries = (REPOSITORY / name).read_text().replace(" \\\n", " ").splitlines()[1:]
        locked = {entry.split()[0] for entry in entries}
        assert locked == (of or locked)
        assert locked <= set(pins)
        assert all(re.search(r"--hash=sha256:[0-9a-f]{64}", entry) for entry in entries)
