"""What a report shows of bands: lines, values with what was tested, and tables 10 and 11 of Chiu et al. (2018)."""

from __future__ import annotations

import pytest

import termgauge as tg
from termgauge.reporting.blocks import Figure, Table
from termgauge.tasks.contract import About
from termgauge.tasks.subsets.sections import subset_sections
from tests.engine.toy_models import ToyPairs
from tests.tasks.subsets.banded_run import PAIRS, counts, labelled_pairs, model_of, rated_pairs, run_of


def blocks(result, kind, name=""):
    (section,) = subset_sections(result, About(name))
    return [block for block in section.blocks if isinstance(block, kind)]


@pytest.fixture
def result(tmp_path):
    pairs = rated_pairs()
    run = run_of(tmp_path, pairs, model_of(pairs, missing=range(40)), model_of(pairs, "other", seed=3))
    return tg.subsets(run, property=counts(tmp_path), bands=[1, 10, 100])


def test_the_table_shows_values_trends_and_what_is_lacking(result):
    values, bands = blocks(result, Table)
    assert [column.heading for column in values.columns] == ["Model", "1–10", "10–100", "≥ 100", "Change", "p"]
    assert [row[0].text for row in values.rows] == ["knows", "other"]
    found = result.sets["rated"]
    assert values.rows[1][1].value == found.bands[0].models["other"].value
    assert values.rows[0][4].value == found.trends["knows"].change
    assert values.rows[0][1].note == "on 10 of 50 pairs"
    assert values.data.height == 6
    last = [row[-1].value for row in bands.rows]
    assert last == [*(band.spread for band in found.bands), found.spread, None]
    assert [row[1].text for row in bands.rows][-2:] == ["mean of the bands", "in no band"]


def test_lines_are_drawn_over_bands(result):
    (figure,) = blocks(result, Figure)
    drawn = figure.draw(720).svg("a", "b", "c")
    assert "10–100" in drawn
    assert drawn.count("other, ") == 3
    assert "Rated" not in figure.caption
    assert figure.data["shared_n"].to_list() == [10, 10, 50, 50, 50, 50]


def test_wins_are_superscripts(tmp_path):
    pairs = labelled_pairs()
    chance = ToyPairs("chance", tuple(float(at % 3) for at in range(PAIRS)))
    found = tg.subsets(run_of(tmp_path, pairs, model_of(pairs), chance), property=counts(tmp_path))
    table = blocks(found, Table)[0]
    assert [str(cell.against) for cell in table.rows[0][2:3]] == ["+1"]
    assert [str(cell.against) for cell in table.rows[1][2:3]] == ["-1"]
    assert "Positives" in [column.heading for column in blocks(found, Table)[1].columns]


def test_many_sets_are_summed_up(tmp_path):
    sets = [rated_pairs(f"rated {at}") for at in range(4)]
    run = tg.evaluate(sets, [model_of(sets[0])], tmp_path / "run")
    found = tg.subsets(run, property=counts(tmp_path), bands=[1, 10, 100])
    (section,) = subset_sections(found, About("counts"))
    assert section.title == "Subsets by count: counts"
    prose = " ".join(section.blocks[0].paragraphs)
    assert "Values of **knows** rise from the first band to the last (on four sets)." in prose
    tables = blocks(found, Table)
    assert [table.folded for table in tables] == [False, False, False, True, True]


def test_kinds_are_points_without_lines(tmp_path):
    rows = "".join(f"a{at}\tB{at}\t{'near' if at < 140 else 'far'}\n" for at in range(PAIRS))
    (tmp_path / "pairs.tsv").write_text(f"word1\tword2\trelation\n{rows}")
    run = run_of(tmp_path, rated_pairs())
    found = tg.subsets(run, by="relation", property=tmp_path / "pairs.tsv")
    (figure,), table = blocks(found, Figure), blocks(found, Table)[0]
    assert "stroke-linejoin" not in figure.draw(320).svg("a", "b", "c")
    assert [column.heading for column in table.columns] == ["Model", "far", "near", "p"]
