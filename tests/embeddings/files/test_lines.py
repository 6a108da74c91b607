from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from termgauge.embeddings.files import readers
from termgauge.embeddings.load import load_model
from termgauge.exceptions import TermgaugeError, TermgaugeWarning
from termgauge.io.source import files_of
from tests.embeddings import vector_files as files


@pytest.mark.parametrize("block", [7, 64, 1 << 20])
def test_blocks_of_any_size_give_the_same(tmp_path, monkeypatch, block):
    monkeypatch.setattr(readers, "LINE_BLOCK_BYTES", block)
    words = [f"word{number}" for number in range(200)]
    vectors = np.random.default_rng(2).normal(size=(200, 7)).astype(np.float32)
    (tmp_path / "a.txt").write_bytes(files.word2vec_text(words, vectors).rstrip(b"\n"))
    model = load_model(tmp_path / "a.txt")
    assert list(model.vocabulary) == words
    np.testing.assert_array_equal(model.vectors(words), vectors)


def test_blank_lines_are_skipped_but_counted(tmp_path):
    (tmp_path / "a.txt").write_bytes(b"a 1 2\n\n  \nb 3 4\nc 5\n")
    with pytest.raises(TermgaugeError, match=r"a\.txt, line 5: has 1 numbers where the lines before have 2"):
        load_model(tmp_path / "a.txt")


@pytest.mark.parametrize(
    ("line", "what"),
    [
        (b"d 1.5 2.5 3.5", "line 4: has 3 numbers where the lines before have 2"),
        (b"d 1.5", "line 4: has 1 numbers where the lines before have 2"),
        (b"d 1.5 2,5", "line 4: '2,5' stands where a number should"),
        (b"d 1.5 0x10", "line 4: '0x10' stands where a number should"),
        (b"d 1.5 1_000", "line 4: '1_000' stands where a number should"),
        (b"d 1.5 nan", "line 4: the vector of 'd' holds nan"),
        (b"d 1.5 1e39", "line 4: the vector of 'd' holds inf"),
        (b"d -inf 1", "line 4: the vector of 'd' holds -inf"),
    ],
)
def test_a_wrong_line_is_named(tmp_path, line, what):
    (tmp_path / "a.txt").write_bytes(b"a 1 2\nb 3 4\nc 5 6\n" + line + b"\ne 7 8\n")
    with pytest.raises(TermgaugeError) as error:
        load_model(f"glove:{tmp_path / 'a.txt'}")
    assert what in str(error.value)
    assert "a.txt" in str(error.value)


def test_numbers_of_many_digits(tmp_path):
    numbers = ["0.1000000000000000055511151231257827", "1e-30", "123456789012345678901234567890", "5e-324"] * 2000
    rows = [numbers[start : start + 4] for start in range(0, len(numbers), 4)]
    (tmp_path / "a.txt").write_text("".join(f"w{i} {' '.join(row)}\n" for i, row in enumerate(rows)))
    model = load_model(tmp_path / "a.txt")
    np.testing.assert_array_equal(model.gather(np.arange(len(rows))), np.array(rows, np.float64).astype(np.float32))


@given(st.lists(st.lists(st.floats(-(2.0**100), 2.0**100, width=32), min_size=3, max_size=3), min_size=1, max_size=8))
def test_float32_text_comes_back(tmp_path, rows):
    vectors = np.array(rows, np.float32)
    path = tmp_path / "a.txt"
    path.write_bytes(files.word2vec_text([f"w{number}" for number in range(len(rows))], vectors))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TermgaugeWarning)  # vectors of zeros
        model = load_model(f"{path}?kind=words")
    found = model.gather(np.arange(len(rows)))
    assert found.tobytes() == vectors.tobytes()


def near_boundary(value: float) -> str:
    """Return a number half-way between two float32 numbers, to 17 digits."""
    low = np.float32(value)
    high = np.nextafter(low, np.float32(np.inf))
    return f"{(float(low) + float(high)) / 2:.17g}"


digits = st.from_regex(r"[+-]?([0-9]{1,25}(\.[0-9]{0,25})?|\.[0-9]{1,25})([eE][+-]?[0-9]{1,3})?", fullmatch=True)
printed = st.floats(allow_nan=False, allow_infinity=False, width=32).flatmap(
    lambda value: st.sampled_from([repr(value), f"{value:.6f}", f"{value:.9g}", f"{value:.17g}", f"{value:e}"])
)
boundaries = st.floats(2.0**-60, 2.0**60, width=32).map(near_boundary)


def parsed(tmp_path, text):
    path = tmp_path / "a.txt"
    path.write_text(text)
    return np.concatenate([block.vectors for block in readers.read_lines(files_of(path)[0], LAYOUT, b"").blocks])


LAYOUT = readers.TextLayout(" ", 2)


@given(st.lists(digits | printed | boundaries, min_size=1, max_size=5))
@example(["0.1", "-0", "9007199254740993", "18446744073709551615", "0.30000001192092896"])
@example(["1e22", "123456789012345678e-22", "1e400", "1e-400"])
def test_a_number_is_what_python_makes_of_it(tmp_path, texts):
    with np.errstate(over="ignore"):
        expected = np.array([[float(text), 1] for text in texts]).astype(np.float32)
    assert parsed(tmp_path, "".join(f"w {text} 1\n" for text in texts)).tobytes() == expected.tobytes()


@given(st.text("0123456789+-.eEnaif_x,\t", min_size=1, max_size=12))
@example("\ufeff1")
def test_what_is_taken_for_a_number_is_one(tmp_path, text):
    if readers.NUMBER.fullmatch(text.encode()):
        parsed(tmp_path, f"w {text} 1\n")
    else:
        with pytest.raises(TermgaugeError, match="line 1"):
            parsed(tmp_path, f"w {text} 1\n")


def test_a_wide_header_over_many_short_lines_takes_no_memory(tmp_path):
    (tmp_path / "a.txt").write_bytes(b"9 100000\nw " + b"1 " * 99_999 + b"\n" + b"x 1\n" * 500_000)
    with pytest.raises(TermgaugeError, match="line 2: has 99999 numbers where the lines before have 100000"):
        load_model(f"word2vec:{tmp_path / 'a.txt'}")


def test_vectors_wider_than_a_first_look(tmp_path):
    vectors = np.random.default_rng(0).normal(size=(3, 9000)).astype(np.float32)
    (tmp_path / "a.txt").write_bytes(files.glove(["a", "b", "c"], vectors))
    np.testing.assert_array_equal(load_model(tmp_path / "a.txt").vectors(["a", "b", "c"]), vectors)


def test_a_path_object_is_a_path_whatever_its_name(tmp_path):
    odd = tmp_path / "name=glove:x?y.txt"
    odd.write_bytes(b"a 1 2\n")
    assert list(load_model(odd).vocabulary) == ["a"]
    spec = str(odd).replace("?", "%3F")
    assert list(load_model(spec).vocabulary) == ["a"]
