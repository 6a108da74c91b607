from __future__ import annotations

import numpy as np

from termgauge.reporting.blocks import Table
from termgauge.reporting.writers.html import fragment
from termgauge.studies.agreement.compute import agreement
from termgauge.studies.agreement.sections import agreement_document, agreement_sections
from termgauge.studies.ratings import parse_ratings
from tests.studies.raters import answers_text, drawn, long_text, matrix_text


def tables(result):
    return {
        block.id: block
        for section in agreement_sections(result)
        for block in section.blocks
        if isinstance(block, Table)
    }


def text(result):
    return fragment(agreement_document(result))


def test_all_that_was_found_is_shown():
    table = drawn(40, 6)
    table[:, 3] = np.random.default_rng(1).permutation(table[:, 3])
    found = agreement(parse_ratings(matrix_text(table), "f", scale=(0, 6)), resamples=50)
    shown = tables(found)
    assert shown.keys() == {"agreement-values", "raters", "rating-distribution", "reliability", "plan"}
    values = shown["agreement-values"]
    assert values.rows[0][1].value == found.iaa1
    assert values.rows[0][2].value == found.before.iaa1
    assert values.rows[4][1].value == found.alpha_after.interval
    assert [row[-1].text for row in shown["raters"].rows][3] == found.reasons["r4"]
    assert "One of six raters is left out" in text(found)


def test_groups_times_and_second_ratings_have_columns_where_there_are_any():
    found = agreement(
        parse_ratings(answers_text(drawn(20, 4), duplicates={(1, 1): 2}), "f", scale=(0, 6)), resamples=20
    )
    headings = [column.heading for column in tables(found)["raters"].columns]
    assert {"Same again", "Seconds"} <= set(headings)
    table = np.full((20, 4), np.nan)
    table[:10, :2], table[10:, 2:] = drawn(10, 2), drawn(10, 2)
    found = agreement(parse_ratings(long_text(table), "f", scale=(0, 6)), resamples=20)
    assert len(tables(found)["agreement-groups"].rows) == 2


def test_what_is_to_be_said():
    table = drawn(20, 4)
    nobody = agreement(parse_ratings(matrix_text(table), "f", scale=(0, 6)), rule="none", resamples=0)
    assert "as asked for" in text(nobody)
    alike = np.tile(np.arange(7.0)[:, None], (1, 4))
    assert "Nobody is left out: no rater" in text(agreement(parse_ratings(matrix_text(alike), "f"), resamples=20))
    constant = agreement(parse_ratings(matrix_text(np.ones((5, 3))), "f"), resamples=0)
    assert agreement_document(constant).summary[0].startswith("Agreement is undefined")
    assert "no variation" in text(constant)
    table[:, 3] = np.clip(table[:, 0] + 2, 0, 6)
    moved = agreement(
        parse_ratings(matrix_text(np.clip(table, 1, 6)), "f", scale=(0, 6)), rule="none", calibrate=True, resamples=0
    )
    assert ("Calibration moved" in text(moved)) == bool(moved.moved)


def test_names_are_shown_as_they_are_and_marked_nowhere():
    header, *rows = matrix_text(drawn(12, 3)).splitlines()
    table = "\n".join([header.replace("r1", "<b>**x**"), *rows])
    shown = text(agreement(parse_ratings(table, "f", scale=(0, 6)), resamples=20))
    assert "<b>**x**" not in shown
    assert "&lt;b&gt;" in shown
