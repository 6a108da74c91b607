from __future__ import annotations

import zipfile
from typing import ClassVar

import pytest
from release.environments import Environment, StepError
from release.try_wheel import MISSING, contents, try_alone, try_recipes


def wheel(path, **files):
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return path


def test_contents_are_those_of_all_files_but_the_list_of_them(tmp_path):
    one = wheel(tmp_path / "a.whl", **{"a.py": "1", "x.dist-info/RECORD": "1"})
    two = wheel(tmp_path / "b.whl", **{"x.dist-info/RECORD": "2", "a.py": "1"})
    assert contents(one) == contents(two)
    assert contents(wheel(tmp_path / "c.whl", **{"a.py": "2"})) != contents(one)
    assert list(contents(one)) == ["a.py"]


class Answering(Environment):
    """An environment in which nothing is run, and each command has an answer that was set beforehand."""

    said: ClassVar[list[str]] = []
    answers: ClassVar[dict[str, str]] = {}

    def run(self, command, status=0):  # noqa: ARG002
        text = command if isinstance(command, str) else " ".join(command)
        self.said.append(text)
        return self.answers.get(text, "").replace(" ", "\n  ", 1)


def test_advice_must_be_given(tmp_path, monkeypatch):
    monkeypatch.setattr(Answering, "answers", {name: f"Error: {advice}." for name, advice in MISSING.items()})
    try_alone(Answering(tmp_path, tmp_path))
    monkeypatch.setattr(Answering, "answers", dict.fromkeys(MISSING, "Traceback: no module"))
    with pytest.raises(StepError, match=r"'termgauge run' does not say 'pip install"):
        try_alone(Answering(tmp_path, tmp_path))


def test_all_recipes_are_run(tmp_path, monkeypatch):
    monkeypatch.setattr(Answering, "said", [])
    try_recipes(Answering(tmp_path, tmp_path))
    assert Answering.said[0] == "termgauge run"
    assert any(text.startswith("python -c import termgauge as tg") for text in Answering.said)
