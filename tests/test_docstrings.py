"""Examples in docstrings run and say the truth."""

from __future__ import annotations

import doctest
import importlib
import pkgutil

import pytest

import termgauge

MODULES = sorted(module.name for module in pkgutil.walk_packages(termgauge.__path__, "termgauge."))


@pytest.mark.parametrize("name", MODULES)
def test_examples(name):
    module = importlib.import_module(name)
    assert module.__doc__, "a module says what it is for"
    assert doctest.testmod(module).failed == 0


def test_there_are_examples():
    assert doctest.testmod(importlib.import_module("termgauge.terminology.model")).attempted >= 3
