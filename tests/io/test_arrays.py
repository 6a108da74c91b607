"""Arrays come back from JSON as they were."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis.extra import numpy as hnp
from pydantic import TypeAdapter, ValidationError

from termgauge.io.arrays import Array

ADAPTER = TypeAdapter(Array)
KINDS = hnp.boolean_dtypes() | hnp.integer_dtypes() | hnp.floating_dtypes(sizes=(32, 64)) | hnp.unicode_string_dtypes()


@given(hnp.arrays(KINDS, hnp.array_shapes(min_dims=1, max_dims=3, min_side=0, max_side=4)))
def test_any_array_comes_back(array):
    for again in (
        ADAPTER.validate_json(ADAPTER.dump_json(array)),
        ADAPTER.validate_python(ADAPTER.dump_python(array, mode="json")),
    ):
        assert again.dtype == array.dtype
        np.testing.assert_array_equal(again, array)
        assert again.flags.writeable


def test_parts_of_an_array_too():
    array = np.arange(24).reshape(4, 6)[::2, 1::2]
    np.testing.assert_array_equal(ADAPTER.validate_json(ADAPTER.dump_json(array)), array)
    assert ADAPTER.validate_python(array) is array


@pytest.mark.parametrize(
    "wrong",
    [
        [1, 2],
        "text",
        {"dtype": "|O", "shape": [1], "data": ""},  # objects would be unpickled
        {"dtype": "<f8", "shape": [1]},
        {"dtype": "<f8", "shape": [3], "data": ADAPTER.dump_python(np.zeros(2))["data"]},
        {"dtype": "nonsense", "shape": [1], "data": ""},
        {"dtype": "<f8", "shape": [1], "data": "cut"},
    ],
)
def test_what_is_no_array_is_refused(wrong):
    with pytest.raises(ValidationError):
        ADAPTER.validate_python(wrong)
