"""Tests of answers as browsers send them: what is read comes out as it went in, all else is refused."""

from __future__ import annotations

import json
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.exceptions import HTTPException

from termgauge.studies.server.rating import MOST_SECONDS, Incoming, answer_in, answers_in

ANSWERS = st.builds(
    Incoming,
    client_id=st.text(st.characters(min_codepoint=33, max_codepoint=126), min_size=1, max_size=64),
    page=st.integers(0, 10**9), position=st.integers(0, 10**9),
    rating=st.none() | st.integers(-9, 9).map(float), seconds=st.none() | st.floats(0, MOST_SECONDS),
    revision=st.integers(0, 10**9),
)  # fmt: skip


@given(st.lists(ANSWERS, max_size=5))
def test_answers_come_out_as_they_went_in(answers):
    assert answers_in(json.dumps({"answers": [vars(each) for each in answers]}).encode()) == answers


@given(ANSWERS)
def test_a_form_gives_the_same_answer(answer):
    form = {
        "client_id": answer.client_id, "revision": str(answer.revision),
        "rating": "unknown" if answer.rating is None else f"{answer.rating:g}",
        "seconds": "" if answer.seconds is None else repr(answer.seconds),
    }  # fmt: skip
    assert answer_in(form, answer.page, answer.position) == answer


def test_a_form_without_an_answer_has_none():
    assert answer_in({"client_id": "a", "rating": ""}, 1, 1) is None
    assert answer_in({}, 1, 1) is None


@given(st.binary(max_size=60))
def test_bytes_that_are_no_answers_are_refused(body):
    with pytest.raises(HTTPException) as refused:
        answers_in(body)
    assert refused.value.status_code == 400


JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["answers", "page"]), inner, max_size=2)
    ),
)


@given(JSON, st.sampled_from(["client_id", "page", "position", "rating", "seconds", "revision"]))
def test_any_value_in_any_field_is_read_or_refused(value, field):
    given_answer = {"client_id": "a", "page": 1, "position": 1, "rating": 3, "seconds": 1, "revision": 0, field: value}
    read = None
    with suppress(HTTPException):
        read = answers_in(json.dumps({"answers": [given_answer]}).encode())[0]
    if read is not None:
        assert getattr(read, field) == value or (field == "seconds" and value > MOST_SECONDS)


@pytest.mark.parametrize("field", ["seconds", "revision", "rating"])
@pytest.mark.parametrize("text", ["nan", "inf", "-1e999", "x", "1,5", "9" * 400])
def test_numbers_of_forms_that_are_none_are_refused(field, text):
    form = {"client_id": "a", "rating": "3", "seconds": "1", "revision": "0", field: text}
    with pytest.raises(HTTPException) as refused:
        answer_in(form, 1, 1)
    assert refused.value.status_code == 400
