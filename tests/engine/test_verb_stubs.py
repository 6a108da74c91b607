"""Signatures of verbs for editors and type checkers: what the tasks declare, under the names of flags, too."""

from __future__ import annotations

import shutil

from docs.make_reference import STUB
from mypy import api

CALLS = """
import verbs as tg
tg.coverage("hp.obo", "glove:", branches=["HP:1"], k=[5, 10], alpha=0.1)
tg.coverage(terminology="hp.obo", model=["glove:"], branch=["HP:1"], concept=("HP:2",))
tg.categories(None, close=["@a.txt", "@b.txt"], far="@c.txt", model="glove:", measure=["avg_cos"])
tg.vocabulary(["glove:"], benchmark=["human/mayosrs"], data_dir="sets")
tg.linking("hp.obo", models={"a": "glove:"}, seed=3, shared=True)
tg.subsets("run", by="words")
tg.coverage("hp.obo", "glove:", hop=2)
tg.categories(None, close=["@a.txt"], far="@c.txt", models="glove:", alpha="much")
tg.vocabulary(["glove:"], measures=["avg_cos"])
tg.subsets("run", by="letters")
"""


def test_right_keywords_are_taken_and_wrong_ones_are_not(tmp_path, monkeypatch):
    shutil.copy(STUB, tmp_path / "verbs.pyi")
    (tmp_path / "calls.py").write_text(CALLS)
    monkeypatch.chdir(tmp_path)
    settings = ["--config-file=", "--follow-imports=skip", "--cache-dir=cache", "--no-error-summary"]
    problems, errors, _status = api.run(["calls.py", *settings])
    assert errors == ""
    lines = [int(problem.split(":")[1]) for problem in problems.splitlines() if ": error:" in problem]
    assert lines == [9, 10, 11, 12], problems
