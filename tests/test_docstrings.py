"""Examples in docstrings run and say the truth."""

from __future__ import annotations

import doctest
import importlib
import pkgutil

import termgauge

MODULES = sorted(module.name for module in pkgutil.walk_packages(termgauge.__path__, "termgauge."))


def test_examples():
    attempted = 0
    for name in MODULES:
        module = importlib.import_module(name)
        assert module.__doc__, f"{name}: a module says what it is for"
        done = doctest.testmod(module)
        assert done.failed == 0, name
        attempted += done.attempted
    assert attempted >= 100
