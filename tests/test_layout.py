"""The layout of the tests and of the package: tests mirror the source, and a name means one thing."""

from __future__ import annotations

import re
from pathlib import Path

import termgauge
from tests.conftest import REPOSITORY

SOURCE, TESTS = REPOSITORY / "src" / "termgauge", REPOSITORY / "tests"
TESTED_ELSEWHERE = {
    # Run on torch, or on flair: in an environment of their own.
    "embeddings/encoders/elmo": "torch/test_elmo",
    "embeddings/encoders/elmo_network": "torch/test_elmo",
    "embeddings/encoders/flair": "torch/test_flair_encoder",
    "embeddings/encoders/sentence_transformers": "torch/test_sentence_encoder",
    "embeddings/encoders/transformers": "torch/test_transformers_encoder",
    "integrations/mteb": "torch/test_mteb",
    "integrations/sentence_transformers": "torch/test_sentence_evaluator",
    "tasks/ner/steps": "torch/test_ner_training",
    "tasks/ner/training": "torch/test_ner_training",
    "similarity/torch_search": "torch/test_torch_search",
}
"""Modules whose tests stand under another name, and where."""
OPEN: set[str] = set()
"""Modules that have no tests of their name yet; a module that gets some must leave this list."""


def mirrored(module: str) -> Path:
    """Return where the tests of a module stand: ``a/b`` in ``tests/a/test_b.py``."""
    place = Path(module)
    return TESTS / place.parent / f"test_{place.name}.py"


def modules() -> list[str]:
    """Return every module of the package as a path without its suffix."""
    paths = (path.relative_to(SOURCE).with_suffix("") for path in SOURCE.rglob("*.py"))
    return sorted(path.as_posix() for path in paths if path.name not in ("__init__", "__main__"))


def test_every_module_has_tests_of_its_name():
    missing = {each for each in modules() if each not in TESTED_ELSEWHERE and not mirrored(each).is_file()}
    assert sorted(missing - OPEN) == []
    assert sorted(OPEN - missing) == []
    for place in TESTED_ELSEWHERE.values():
        assert (TESTS / f"{place}.py").is_file()
    assert set(TESTED_ELSEWHERE) <= set(modules())


def test_test_modules_hold_tests():
    for path in TESTS.rglob("test_*.py"):
        text = path.read_text(encoding="utf-8")
        assert re.search(r"^ *def test_", text, re.MULTILINE), f"{path} has no test"


def test_no_test_module_imports_from_another():
    of_tests = re.compile(r"^ *(?:from|import) +tests\.(?:\w+\.)*test_.*", re.MULTILINE)
    assert of_tests.search("x = 1\n    from tests.cli.test_help import flags\n")
    assert not of_tests.search("from tests.cli import flags\nfrom testing.test_help import flags\n")
    wrong = [(path, of_tests.findall(path.read_text(encoding="utf-8"))) for path in TESTS.rglob("*.py")]
    assert [(path, found) for path, found in wrong if found] == []


def test_no_name_of_the_package_is_also_a_module_of_it():
    submodules = {path.stem for path in SOURCE.iterdir() if path.suffix == ".py" or (path / "__init__.py").is_file()}
    assert {"cli", "cache"} <= submodules
    assert submodules.isdisjoint(termgauge.__all__)


def test_locks_are_of_the_versions_in_the_constraints():
    pins = re.findall(r"^(\S+==\S+)", (REPOSITORY / "constraints.txt").read_text(), re.MULTILINE)
    for name, of in (("locked.txt", set(pins)), ("locked-run.txt", None)):
        entries = (REPOSITORY / name).read_text().replace(" \\\n", " ").splitlines()[1:]
        locked = {entry.split()[0] for entry in entries}
        assert locked == (of or locked)
        assert locked <= set(pins)
        assert all(re.search(r"--hash=sha256:[0-9a-f]{64}", entry) for entry in entries)
