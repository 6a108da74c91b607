"""JSON as a stream: the values that ``json`` reads, wherever a block of the file ends, and a sentence otherwise."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from termgauge.exceptions import TermgaugeError
from termgauge.io import decoding
from termgauge.io.decoding import read_values
from termgauge.io.source import SourceFile, files_of

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=4),
    lambda inside: st.lists(inside, max_size=4) | st.dictionaries(st.text(max_size=2), inside, max_size=4),
    max_leaves=25,
)


def file_of(folder, data):
    (folder / "x.json").write_bytes(data)
    (file,) = files_of(folder / "x.json")
    return file


def walked(value, levels, keys=()):
    """Say plainly what reading so many levels deep gives."""
    if levels and isinstance(value, dict):
        return [each for key, inside in value.items() for each in walked(inside, levels - 1, (*keys, key))]
    if levels and isinstance(value, list):
        return [each for inside in value for each in walked(inside, levels - 1, keys)]
    return [(keys, value)]


@given(JSON, st.integers(0, 4), st.integers(1, 9), st.sampled_from([None, 1]))
def test_the_values_of_json_whatever_the_blocks(tmp_path_factory, value, levels, size, indent):
    file = file_of(tmp_path_factory.mktemp("json"), json.dumps(value, indent=indent, ensure_ascii=False).encode())

    class Small(SourceFile):
        def text_blocks(self, _size=0):
            yield from super().text_blocks(size)

    assert list(read_values(Small(**vars(file)), levels)) == walked(value, levels)


@pytest.mark.parametrize(
    ("data", "said"),
    {
        b"": "line 1: is broken JSON",
        b"\n\n{": r"line 3: is broken JSON \(premature EOF\)",
        b'{"a": [1,\n2': r"line 2: is broken JSON \(premature EOF\)",
        b'{"a" 1}': "key and value must be separated by a colon",
        b"{1: 2}": "invalid object key",
        b"[1,\n[2 3],\n4]": r"line 2: is broken JSON \(after array element, I expect ',' or '\]'\)",
        b"[1,]": "is broken JSON",
        b"[1] 2": "trailing garbage",
        b"[1] []": "trailing garbage",
        b"[NaN]": "is broken JSON",
        b'["a\xff"]': "line 1: is not UTF-8",
        rb'["\ud800"]': "half of a character",
        rb'["\ud83d", "\udc00"]': "half of a character",
        b'\n["\n': "line 2: is broken JSON",
        "[1]".encode("utf-16"): "is not UTF-8",
        b"[" * 1_000_000: "nested too deeply",
        b'{"a":' * 1_000_000: "nested too deeply",
        b"[[[" + b"1" * 10_000 + b"]]]": "integer overflow",
        b"[1e999]": "overflow",
    }.items(),
)
def test_bad_json_is_refused_in_one_sentence(tmp_path, data, said):
    with pytest.raises(TermgaugeError, match=rf"x\.json.*{said}") as caught:
        list(read_values(file_of(tmp_path, data), 2))
    assert "\n" not in str(caught.value)


def test_a_value_without_end_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(decoding, "MOST_LETTERS", 1 << 18)
    for endless in (b'["' + b"x" * (4 << 20), b"[[" + b'"x",' * (1 << 20)):
        with pytest.raises(TermgaugeError, match="a value has no end"):
            list(read_values(file_of(tmp_path, endless), 1))


def test_a_character_that_is_written_as_two_escapes_may_be_divided(tmp_path):
    file = file_of(tmp_path, rb'["x\ud83d\ude00\\ud83d", 7]')

    class Small(SourceFile):
        def text_blocks(self, _size=0):
            yield from super().text_blocks(3)

    assert list(read_values(Small(**vars(file)), 1)) == [((), "x\U0001f600\\ud83d"), ((), 7)]


def test_of_two_equal_keys_both_are_walked_through_and_the_last_one_counts_inside_of_a_value(tmp_path):
    file = file_of(tmp_path, b'{"a": 1, "a": {"b": 2, "b": 3}}')
    assert list(read_values(file, 1)) == [(("a",), 1), (("a",), {"b": 3})]
