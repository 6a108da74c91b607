from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from termgauge.embeddings.files.kernels import parse_number
from termgauge.embeddings.files.readers import NUMBER

digits = st.from_regex(r"[+-]?(\d{1,25}(\.\d{0,25})?|\.\d{1,25})([eE][+-]?\d{1,3})?", fullmatch=True).filter(
    str.isascii
)
printed = st.floats(allow_nan=False, allow_infinity=False, width=32).flatmap(
    lambda value: st.sampled_from([repr(value), f"{value:.6f}", f"{value:.9g}", f"{value:.17g}", f"{value:e}"])
)


def near_boundary(value: float) -> str:
    """Return a number half-way between two float32 numbers, to 17 digits."""
    low = np.float32(value)
    high = np.nextafter(low, np.float32(np.inf))
    return f"{(float(low) + float(high)) / 2:.17g}"


boundaries = st.floats(2.0**-60, 2.0**60, width=32).map(near_boundary)


def parse(text: str):
    data = np.frombuffer(f"{text} 1".encode(), np.uint8)
    return parse_number(data, 0, len(data), 32)


def test_many_numbers_of_every_length_are_what_python_makes_of_them():
    draw = np.random.default_rng(8)
    values = draw.normal(size=20_000) * 10.0 ** draw.integers(-12, 12, 20_000)
    texts = [f"{value:.{1 + place % 18}g}" for place, value in enumerate(values.tolist())]
    parsed = [(text, *parse(text)[:2]) for text in texts]
    done = [(np.float32(value), np.float32(float(text))) for text, status, value in parsed if status == 0]
    assert len(done) > 0.99 * len(texts)
    assert all(ours.tobytes() == python.tobytes() for ours, python in done)


@given(digits | printed | boundaries)
@example("0.1")
@example("-0")
@example("9007199254740993")
@example("18446744073709551615")
@example("0.30000001192092896")
@example("1e22")
@example("123456789012345678e-22")
def test_a_number_is_what_python_makes_of_it(text):
    status, value, end = parse(text)
    assert end == len(text)
    assert status in (0, 1)
    if status == 0:
        with np.errstate(over="ignore"):
            expected = np.float32(float(text))
            assert np.float32(value).tobytes() == expected.tobytes()


@pytest.mark.parametrize("text", ["0.1", "-12.5", "1e-7", "3", "-0.123456789", "0.12345678901234567"])
def test_ordinary_numbers_are_not_left_to_python(text):
    assert parse(text)[0] == 0


@pytest.mark.parametrize("text", ["nan", "-inf", "Infinity", "1e400", "12345678901234567890"])
def test_hard_numbers_are_left_to_python(text):
    assert parse(text)[0] == 1


@given(st.text("0123456789+-.eEnaif_x,", min_size=1, max_size=12))
def test_what_is_taken_for_a_number_is_one(text):
    status, _, end = parse(text)
    if status == 0:
        assert end == len(text)
        assert NUMBER.fullmatch(text.encode())
    elif NUMBER.fullmatch(text.encode()):
        assert status == 1
