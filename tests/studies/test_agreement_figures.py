from __future__ import annotations

from termgauge.studies.agreement.compute import agreement
from termgauge.studies.agreement.sections import MOST_RATERS, rater_figure, ratings_table
from termgauge.studies.ratings import parse_ratings
from tests.studies.raters import drawn, matrix_text


def drawn_as(figure, width=720):
    return figure.draw(width).svg("plot", figure.caption, figure.description)


def test_a_dot_for_each_rater():
    found = agreement(parse_ratings(matrix_text(drawn(30, 5)), "f", scale=(0, 6)), resamples=20)
    figure = rater_figure(found)
    assert figure.data.height == 5
    for width in (320, 720):
        assert all(f">{rater}<" in drawn_as(figure, width) for rater in ("r1", "r5"))
    values = figure.data["iaa1"].to_list()
    assert values == sorted(values, reverse=True)


def test_of_many_raters_the_extremes():
    found = agreement(
        parse_ratings(matrix_text(drawn(10, MOST_RATERS + 3)), "f", scale=(0, 6)), resamples=0, rule="none"
    )
    figure = rater_figure(found)
    assert figure.data.height == MOST_RATERS
    assert "the 20 highest and the 20 lowest" in figure.caption


def test_how_often_each_rating_was_given():
    found = agreement(parse_ratings(matrix_text(drawn(30, 5)), "f", scale=(0, 6)), resamples=0)
    table = ratings_table(found.counts)
    assert sum(row[1].value for row in table.rows) == 150
    assert sum(row[2].value for row in table.rows) == 1
