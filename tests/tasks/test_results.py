"""Records hold what JSON can say, and results show themselves."""

from __future__ import annotations

import json
import math

from hypothesis import given
from hypothesis import strategies as st

from termgauge.tasks.results import DifferenceRecord, Ends, Finite, Record, Result, Value, finite
from tests.tasks.small_task import LettersResult


def test_what_is_no_number_is_none():
    class Numbers(Record):
        value: Finite
        ends: Ends

    made = Numbers(value=math.nan, ends=(math.inf, 1))
    assert made.model_dump_json() == '{"value":null,"ends":[null,1.0]}'
    assert Numbers.model_validate_json(made.model_dump_json()) == made
    assert Numbers.model_validate({"value": 1, "ends": [0, 2], "later": "passed over"}).value == 1
    difference = DifferenceRecord(
        one="a", other="b", difference=0.5, low=math.nan, high=1, p_value=0.1, adjusted_p=0.2, significant=False
    )
    assert difference.low is None


def test_a_result_shows_itself():
    result = LettersResult(models={"a": 3, "b": 4})
    assert repr(result) == "<LettersResult: a, b>"
    assert repr(result.model_copy(update={"name": "short"})) == "<LettersResult 'short': a, b>"
    assert repr(LettersResult(models={})) == "<LettersResult>"
    assert repr(LettersResult(models=dict.fromkeys(map(str, range(50)), 1))) == "<LettersResult: 50 models>"
    frame = result.to_frame()
    assert frame.columns == list(Value._fields)
    assert frame.rows() == [("a", "letters", 3, None, None, 7, "", ""), ("b", "letters", 4, None, None, 7, "", "")]
    assert LettersResult(models={}).to_frame().schema == frame.schema
    assert result.as_dict() == {"left_out": [], "models": {"a": 3, "b": 4}}
    assert list(Result().values()) == []


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text() | st.floats(),
        lambda inner: st.lists(inner, max_size=4).map(tuple),
    )
)
def test_json_holds_what_is_finite_and_null_for_the_rest(value):
    def by_definition(value):
        if isinstance(value, tuple):
            return [by_definition(each) for each in value]
        return None if isinstance(value, float) and not math.isfinite(value) else value

    written = json.dumps(finite(value), allow_nan=False)
    assert json.loads(written) == finite(value) == by_definition(value)
