"""Tests of the way of a rater, held against plain lists."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from termgauge.studies.design import Course, Showing, showings_of
from tests.studies.server.served import small_study

PAGES = st.lists(st.integers(1, 5), min_size=1, max_size=4)


def course_of(sizes):
    return Course(tuple(
        Showing(page, position, "a", "b")
        for page, size in enumerate(sizes, 1) for position in range(1, size + 1)
    ))  # fmt: skip


@given(PAGES, st.data())
def test_after_and_before_are_each_others_opposites(sizes, data):
    course = course_of(sizes)
    assert len(course.by_page) == len(sizes)
    assert [len(course.by_page[page]) for page in course.by_page] == sizes
    at = data.draw(st.integers(0, len(course.showings) - 1))
    showing = course.showings[at]
    assert course[showing.slot] == showing
    after, before = course.neighbour(showing.slot, 1), course.neighbour(showing.slot, -1)
    assert after == (course.showings[at + 1] if at + 1 < len(course.showings) else None)
    assert before == (course.showings[at - 1] if at else None)
    assert (len(sizes) + 1, 1) not in course
    assert (1, 0) not in course


@given(PAGES, st.data())
def test_the_first_without_an_answer(sizes, data):
    course = course_of(sizes)
    answered = data.draw(st.sets(st.sampled_from([showing.slot for showing in course.showings])))
    found = course.first_open(answered)
    open_places = sorted({showing.slot for showing in course.showings} - answered)
    assert (found and found.slot) == (open_places[0] if open_places else None)


@given(PAGES, st.data())
def test_a_row_of_equal_ratings(sizes, data):
    course = course_of(sizes)
    places = [showing.slot for showing in course.showings]
    ratings = data.draw(st.lists(st.sampled_from([None, 1.0, 2.0]), min_size=len(places), max_size=len(places)))
    known = dict(zip(places, ratings, strict=True))
    at = data.draw(st.integers(0, len(places) - 1))
    row = 0
    while row <= at and ratings[at] is not None and ratings[at - row] == ratings[at]:
        row += 1
    assert course.equal_run(places[at], known.get) == row


def test_each_group_has_what_the_layout_says(tmp_path):
    study = small_study(tmp_path)
    words = dict(study.pairs.select("pair", "word1").iter_rows())
    for group in (1, 2):
        rows = study.layout.filter(study.layout["group"] == group).sort("page", "position")
        assert [(each.page, each.position, each.word1) for each in showings_of(study, group)] == [
            (page, position, words[pair])
            for page, position, pair in rows.select("page", "position", "pair").iter_rows()
        ]
