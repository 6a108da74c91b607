"""Benchmarks are found by themselves, and one that fails does not stop the others."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from benchmarks import __main__ as program
from termgauge.exceptions import TermgaugeError


def test_every_module_with_a_main_is_a_benchmark():
    names = program.names_of_benchmarks()
    assert "terminology" in names
    assert not {"measure", "real_terms", "synthetic_rf2", "synthetic_rrf", "__main__"} & set(names)


def test_unknown_names_are_refused(capsys):
    assert program.run(["terminolgy"]) == 2
    assert "Did you mean 'terminology'?" in capsys.readouterr().out


@pytest.mark.parametrize("error", [TermgaugeError("no wheel"), ValueError("a defect")])
def test_one_that_fails_does_not_stop_the_others(monkeypatch, capsys, error):
    ran = []

    def fail():
        raise error

    modules = {"benchmarks.a": SimpleNamespace(main=fail), "benchmarks.b": SimpleNamespace(main=lambda: ran.append(1))}
    monkeypatch.setattr(program, "names_of_benchmarks", lambda: ["a", "b"])
    monkeypatch.setattr(program.importlib, "import_module", modules.__getitem__)
    monkeypatch.setenv(program.QUICK_VARIABLE, "")
    assert program.run(["--quick"]) == 1
    assert ran == [1]
    printed = capsys.readouterr().err
    assert str(error) in printed
    assert "Failed: a." in printed
    assert program.run(["b"]) == 0
