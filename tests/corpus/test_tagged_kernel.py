"""The kernel: ends of lines eight bytes at a time, and numbers of distinct lines."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from termgauge.corpus import tagged_kernel as kernel


@given(st.lists(st.binary(max_size=30).map(lambda line: line.replace(b"\n", b"\x0b")), min_size=1))
def test_lines_end_at_newlines_and_equal_lines_have_equal_hashes(lines):
    data = np.frombuffer(b"".join(line + b"\n" for line in lines) + bytes(kernel.PADDING), dtype=np.uint8)
    eights = kernel.eights(data)
    at, hashes = 0, {}
    for line in lines:
        stop, key = kernel._end_of_line(eights, at)
        assert stop - at == len(line)
        assert hashes.setdefault(line, key) == key
        at = stop + 1


@given(st.binary(min_size=1, max_size=20), st.binary(min_size=1, max_size=20))
def test_bytes_are_the_same_or_not(one, other):
    left = np.frombuffer(one + b"\n" + b"x" * kernel.PADDING, dtype=np.uint8)
    right = np.frombuffer(b"??" + other + b"\n" + b"y" * kernel.PADDING, dtype=np.uint8)
    length = min(len(one), len(other)) + 1
    same = kernel._same(kernel.eights(left), 0, length, kernel.eights(right), 2)
    assert same == ((one + b"\n")[:length] == (other + b"\n")[:length])


def test_words_are_told_once_for_each_document():
    spool = np.array([-1, 0, 1, -1, 2, 0, -1, 3], dtype=np.int32)
    word_of = np.array([0, 0, 1, -1], dtype=np.int32)
    words, documents = np.empty(8, dtype=np.int32), np.empty(8, dtype=np.int32)
    last, found = kernel.occurrences(spool, -1, word_of, np.full(2, -1, np.int32), words, documents)
    assert (last, found) == (2, 3)
    assert list(zip(words[:3].tolist(), documents[:3].tolist(), strict=True)) == [(0, 0), (1, 1), (0, 1)]
