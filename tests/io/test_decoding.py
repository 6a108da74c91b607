"""From bytes to text, rows and JSON: what is odd is named with its line, and nothing else is lost."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from termgauge.exceptions import TermgaugeError
from termgauge.io.decoding import LONGEST_LINE, decoded, long_line, parsed_json

TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0\r"))
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4),
)


@given(TEXT)
def test_text_stays_as_it_is_with_and_without_a_mark(text):
    text = text.removeprefix("\ufeff")
    assert decoded(text.encode(), "f") == text
    assert decoded(text.encode("utf-8-sig"), "f") == text


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"\xef\xbb\xbfa\n\n\xff", "f, line 3: is not UTF-8"),
        ("a\n".encode("utf-16"), "f, line 1: is not UTF-8"),
        ("a\nb".encode("utf-16-le"), "f, line 1: holds a zero byte"),
        (b"a\nb\0", "f, line 2: holds a zero byte"),
        (b"a\n" + b"x" * (LONGEST_LINE + 1), "f, line 2: is longer than 1 MB"),
        (b"a\r" + b"x" * (LONGEST_LINE + 1) + b"\rb", "f, line 2: is longer than 1 MB"),
    ],
)
def test_what_is_no_text_is_refused_with_its_line(data, why):
    with pytest.raises(TermgaugeError, match=why):
        decoded(data, "f")


def test_lines_that_end_in_cr_alone_and_text_in_another_encoding():
    assert decoded(b"a\rb\r", "f") == "a\nb\n"
    assert decoded(b"a\rb\n", "f") == "a\rb\n", "a CR among other line ends is a character"
    assert decoded(b"a\rb", "f", lines=False) == "a\rb"
    assert decoded(b"caf\xe9", "f", otherwise="latin-1") == "café"
    assert decoded(b"x" * (LONGEST_LINE + 1), "f", lines=False)


@given(st.lists(st.integers(0, 5), max_size=30), st.integers(1, 4))
def test_the_first_long_line_is_found(monkeypatch, lengths, most):
    monkeypatch.setattr("termgauge.io.decoding.LONGEST_LINE", most)
    text = b"\n".join(b"x" * length for length in lengths)
    expected = next((at for at, length in enumerate(lengths) if length > most), None)
    assert long_line(text) == expected


@given(VALUES, st.booleans())
def test_json_is_what_the_standard_library_reads(value, ascii_only):
    text = json.dumps(value, ensure_ascii=ascii_only)
    assert parsed_json(text.encode(), "f") == value


@pytest.mark.parametrize("half", [r"\ud800", r"\uDFFF", r"\\\ud83d", r"\udc00\ud800", r"\ud800\u0041"])
def test_half_of_a_character_is_refused_and_a_backslash_is_none(half):
    with pytest.raises(TermgaugeError, match=r"f, line 2: is no JSON \(half of a character, a lone surrogate\)"):
        parsed_json(f'["a",\n"x{half}y"]', "f")
    assert parsed_json(r'["\\ud800", "\ud83d\ude00", "\\\\udfff"]', "f") == ["\\ud800", "😀", "\\\\udfff"]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("[1,\n}", "line 2: is no JSON"),
        ("[" * 200_000, "too many levels"),
        ("1" * 5_000, "too many digits"),
        ("", "line 1"),
    ],
)
def test_what_is_no_json(text, why):
    with pytest.raises(TermgaugeError, match=why):
        parsed_json(text, "f")
