"""A benchmark as a folder for `datasets`: the same as one that was built so, and a benchmark still."""

from __future__ import annotations

import shutil

import pytest

import termgauge as tg
from termgauge.benchmark.load import load_sets
from tests.integrations.small_sets import ONLY, benchmark, labelled, many


def files(folder):
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("form", ["tsv", "parquet"])
def test_it_is_what_build_writes(tmp_path, form):
    made = benchmark(tmp_path, format=form)
    tg.export(made.folder, "hf", tmp_path / "exported", licence="cc-by-4.0")
    tg.build(tmp_path / "terms", tmp_path / "built", only=ONLY, format="hf", licence="cc-by-4.0")
    assert files(tmp_path / "exported") == files(tmp_path / "built")
    tg.build(tmp_path / "terms", tmp_path / "built", only=ONLY, format="hf", licence="cc-by-4.0")  # again


def test_it_can_be_opened_again(tmp_path):
    made = benchmark(tmp_path)
    tg.export(made, "hf", tmp_path / "exported")
    expected = {pairs.id: pairs for pairs in load_sets(made.folder)}
    assert {pairs.id: pairs for pairs in load_sets(tmp_path / "exported")} == expected
    (tmp_path / "exported" / "benchmark.json").unlink()  # as it comes back from the hub
    without = {pairs.id: pairs for pairs in load_sets(tmp_path / "exported")}
    assert without == expected
    assert {name: pairs.origin for name, pairs in without.items()} == {each.id: each.origin for each in made}
    again = tg.export(tmp_path / "exported", "hf", tmp_path / "again")
    assert sorted(again.contents.values()) == sorted(map(len, expected.values()))


def test_a_file_that_was_changed_is_noticed(tmp_path):
    tg.export(benchmark(tmp_path), "hf", tmp_path / "exported")
    one, other = sorted((tmp_path / "exported" / "data").iterdir())[:2]
    shutil.copy(one, other)
    with pytest.raises(tg.TermgaugeError, match=r"was changed after benchmark.json was written"):
        load_sets(tmp_path / "exported")


def test_sets_of_any_origin(tmp_path):
    (tmp_path / "rated.tsv").write_text("heart\tlung\t0.5\nflu\tinfluenza\t4\n")
    written = tg.export([tmp_path / "rated.tsv", labelled(many())], "hf", tmp_path / "out", licence="my own")
    assert written.contents == {"rated": 2, "toy-2024-05-01.syn-syn.hard.random": 160}
    assert "my own" in (tmp_path / "out" / "README.md").read_text("utf-8")
    assert [pairs.graded for pairs in load_sets(tmp_path / "out")] == [True, False]


def test_licences_of_rated_sets_are_said(tmp_path, shared):
    folder = shared and next((path.parent for path in shared.rglob("MayoSRS_mesh.csv")), None)
    if folder is None:
        pytest.skip("the human-rated sets are not at hand")
    with pytest.warns(tg.TermgaugeWarning, match="human/mayosrs: look at its licence before you share the folder"):
        tg.export("human/mayosrs", "hf", tmp_path / "out", data_dir=folder, download=False)
    assert load_sets(tmp_path / "out")[0].id == "human/mayosrs"
    assert "Pakhomov" in (tmp_path / "out" / "README.md").read_text("utf-8")
