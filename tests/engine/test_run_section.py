"""A run in brief."""

from __future__ import annotations

import polars as pl
import pytest

import termgauge as tg
from termgauge.engine.run_folder import RunFolder, run_in_brief, values_of_run

PAIRS = pl.DataFrame({
    "term_1": [f"fever{at}" for at in range(80)],
    "term_2": [f"fevers{at}" if at % 2 else f"toe{at}" for at in range(80)],
    "label": [at % 2 for at in range(80)],
})  # fmt: skip


@pytest.fixture
def run(tmp_path):
    return tg.evaluate(tg.PairSet("demo", PAIRS), ["baseline:levenshtein", "baseline:random"], tmp_path / "run")


def test_a_run_says_what_it_holds_and_compares_nothing_to_be_shown(run):
    document = run_in_brief(run)
    facts = {fact.name: fact.value for fact in document.facts}
    assert facts == {"Folder": str(run.path), "Models": "2", "Sets": "1"}
    (values,) = document.sections
    assert {row[0].text for row in values.blocks[1].rows} == {"levenshtein", "random"}
    assert not (run.path / "comparisons").exists()


def test_differences_are_told_if_asked_for(run):
    def marks(section):
        return [str(cell.against) for row in section.blocks[1].rows for cell in row if cell.against]

    assert marks(values_of_run(run)) == []
    assert marks(values_of_run(run, compared=True)) == ["+1", "-1"]


def test_a_run_without_scores_is_shown_as_well(tmp_path):
    empty = RunFolder(tmp_path / "nothing")
    assert run_in_brief(empty).sections == ()
    assert repr(empty).endswith("nothing': 0 models, 0 sets>")
    assert "Models" in empty._repr_html_()
