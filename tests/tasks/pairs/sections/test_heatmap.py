from __future__ import annotations

import re
from dataclasses import replace

import polars as pl

from termgauge.tasks.pairs.sections.sets import heatmap, heatmap_section, row_label
from tests.tasks.pairs.sections.drawn import check_drawing
from tests.tasks.pairs.sections.made import EASY, HARD, HUMAN, found_of

VALUES = {"good": 0.9, "fair": 0.8, "edit": 0.6}
LOW = {"good": 0.3, "fair": None, "edit": 0.1}


def test_labelled_and_rated_sets_apart():
    found = found_of({EASY: (VALUES, []), HARD: (LOW, []), HUMAN: (VALUES, [])})
    section = heatmap_section(found)
    assert [figure.id for figure in section.blocks] == ["heatmap-accuracy", "heatmap-spearman"]
    for figure in section.blocks:
        check_drawing(figure)
    data = section.blocks[0].data
    assert {(row["set"], row["model"]): row["value"] for row in data.iter_rows(named=True)} == {
        **{(EASY, model): value for model, value in VALUES.items()},
        **{(HARD, model): value for model, value in LOW.items() if value is not None},
    }
    highest, lowest = section.blocks[0].description.split(" to ")[-2:]
    assert highest.endswith("0.900 (good on Names vs synonyms, easy, edit-distance negatives)")
    assert lowest == "0.100 (edit on Names vs synonyms, hard, edit-distance negatives)."


def test_sets_of_a_few_pairs_stay_pale():
    found = found_of({EASY: (VALUES, []), HARD: (VALUES, [])})
    wide = found.values.with_columns(low=pl.when(set=EASY).then(0.2).otherwise("low"))
    drawn = heatmap(replace(found, values=wide), graded=False).draw(720).svg("a", "b", "c")
    fills = re.findall(r'<rect [^>]*fill="(#[0-9a-f]{6})"><title>([^<]*)', drawn)
    shades = {tip: sum(int(fill[at : at + 2], 16) for at in (1, 3, 5)) for fill, tip in fills}
    pale, dark = ([shade for tip, shade in shades.items() if f", {level}, " in tip] for level in ("easy", "hard"))
    assert len(pale) == len(dark) == len(VALUES)
    assert min(pale) >= max(dark)


def test_nothing_to_show():
    found = found_of({HUMAN: ({"good": None}, [])})
    assert heatmap_section(found) is None
    assert heatmap(found, graded=False) is None


def test_rows_are_named_within_their_group():
    labels = [row_label(each) for each in found_of({EASY: (VALUES, []), HUMAN: (VALUES, [])}).sets]
    assert labels == ["edit distance, easy", "UMNSRS-Sim"]
