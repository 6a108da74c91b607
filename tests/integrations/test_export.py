"""The verb that writes exports, its options, and what it says."""

from __future__ import annotations

import shutil
from pathlib import Path
from pkgutil import resolve_name

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import termgauge as tg
from termgauge.benchmark.pairset import PairSet
from termgauge.exceptions import TermgaugeError
from termgauge.integrations.export import TARGETS, Exported, ExportOptions, export_section, shares
from tests.integrations.small_sets import labelled, many


def test_what_there_is_not_is_said(tmp_path):
    with pytest.raises(tg.TermgaugeError, match=r"no export to 'mtb'; known are hf, mteb, .* Did you mean 'mteb'\?"):
        tg.export(labelled(many()), "mtb", tmp_path / "out")
    with pytest.raises(tg.TermgaugeError, match="The option 'split' is for exports to triplets, not to hf"):
        tg.export(labelled(many()), "hf", tmp_path / "out", split="1,1,1")
    with pytest.raises(tg.TermgaugeError, match=r"There is no option 'licens'.*Did you mean 'licence'"):
        tg.export(labelled(many()), "hf", tmp_path / "out", licens="mit")
    with pytest.raises(tg.TermgaugeError, match="neither a benchmark nor the id"):
        tg.export(str(tmp_path / "none"), "hf", tmp_path / "out")
    with pytest.raises(tg.TermgaugeError, match="is no run folder"):
        tg.export(str(tmp_path), "model-card", tmp_path / "out")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("to", ["hf", "mteb", "triplets"])
def test_nothing_else_is_written_over(tmp_path, to):
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(tg.TermgaugeError, match=r"holds other things, such as 'notes\.txt'"):
        tg.export(labelled(many()), to, tmp_path, force=True)
    tg.export(labelled(many()), to, tmp_path / "out")
    with pytest.raises(tg.TermgaugeError, match="holds an export already"):
        tg.export(labelled(many()), to, tmp_path / "out")
    before = {path.name: path.read_bytes() for path in (tmp_path / "out").rglob("*") if path.is_file()}
    tg.export(labelled(many()), to, tmp_path / "out", force=True)
    assert before == {path.name: path.read_bytes() for path in (tmp_path / "out").rglob("*") if path.is_file()}


def test_integrations_are_found_by_their_names():
    assert "from_mteb" in dir(tg.integrations)
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        _ = tg.integrations.nothing


@pytest.mark.parametrize("to", ["hf", "mteb", "triplets"])
def test_what_replaced_an_export_is_what_the_library_loads(tmp_path, monkeypatch, to):
    datasets = pytest.importorskip("datasets")
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")

    def loaded(folder):
        return datasets.load_dataset(str(folder), split="test", cache_dir=str(tmp_path / "cache")).to_dict()

    def written(folder):
        (file,) = (folder / "data").glob("test.parquet" if to == "triplets" else "*.parquet")
        return pl.read_parquet(file).to_dict(as_series=False)

    first, more = labelled(many(30)), labelled(many(60))
    other_ids = first.frame.with_columns(pl.col("concept_1", "concept_2").str.to_uppercase())
    tg.export(first, to, tmp_path / "out")
    seen = [loaded(tmp_path / "out")]
    for pairs in (more, PairSet(first.id, other_ids), first):
        tg.export(pairs, to, tmp_path / "out", force=True)
        assert loaded(tmp_path / "out") == written(tmp_path / "out")
        seen.append(loaded(tmp_path / "out"))
    assert seen[0] == seen[3] != seen[1]
    assert (seen[0] != seen[2]) is (to != "triplets")  # which have no concept ids
    (tmp_path / "elsewhere").mkdir()
    shutil.move(tmp_path / "out", tmp_path / "elsewhere")
    tg.export(more, to, tmp_path / "out")  # a folder of the same name in another place
    assert loaded(tmp_path / "out") == seen[1]
    assert loaded(tmp_path / "elsewhere" / "out") == seen[0]


@given(st.lists(st.integers(1, 1000), min_size=3, max_size=3))
def test_shares_add_up_to_one(parts):
    found = shares(",".join(map(str, parts)))
    assert sum(found) == pytest.approx(1)
    assert found == pytest.approx([part / sum(parts) for part in parts])


@pytest.mark.parametrize("text", ["", "0.8", "0.8,0.2", "a,b,c", "-1,1,1", "0,0,1", "nan,1,1", "inf,1,1", "1,1,1,1"])
def test_what_is_no_split_is_said(text):
    with pytest.raises(TermgaugeError, match="must be the shares of train, validation and test"):
        ExportOptions.of(split=text)
    with pytest.raises(TermgaugeError, match="'levenshtein', 'random' or 'mined'"):
        ExportOptions.of(negatives="nearest")


def test_what_was_written_is_said():
    made = Exported("hf", Path("out"), {"a": 2, "b": 1_000}, notes=("A note.",))
    assert repr(made) == "<export 'out' (hf): 1,002 pairs in 2 parts>"
    assert made.as_dict()["contents"] == {"a": 2, "b": 1000}
    assert made.to_frame().rows() == [("a", 2), ("b", 1000)]


def test_every_form_has_a_module_and_every_option_a_form():
    assert all(callable(resolve_name(f"termgauge.integrations.{target.writer}")) for target in TARGETS.values())
    assert set().union(*(target.options for target in TARGETS.values())) == set(ExportOptions.model_fields)


def test_every_part_is_counted():
    (table,) = export_section(Exported("triplets", Path("out"), {"train": 1200, "test": 3}, of="triplets")).blocks
    assert [column.heading for column in table.columns] == ["Part", "Triplets"]
    assert [[cell.text for cell in row] for row in table.rows] == [["train", "1,200"], ["test", "3"]]
