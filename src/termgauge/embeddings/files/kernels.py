"""Compiled kernels that cut binary files into words and numbers, and fastText words into n-grams."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from termgauge.compiled import njit

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Bytes = NDArray[np.uint8]
    Numbers = NDArray[np.int64]

_SPACE, _LINE = 32, 10


@njit()
def cut_records(buffer: Bytes, end_of_word: int, tails: Bytes, words: Bytes, ends: Numbers) -> tuple[int, int]:
    """Cut records out of a buffer: a word, the byte that ends it, and a tail of so many bytes as `tails` has columns.

    Line ends before the words of word2vec, which end in a space, are passed over. It returns how many records are whole
    and where the next one begins.
    """
    size = buffer.shape[0]
    most, width = tails.shape
    position = 0
    row = 0
    while row < most:
        start = position
        while end_of_word == _SPACE and start < size and buffer[start] == _LINE:
            start += 1
        stop = start
        while stop < size and buffer[stop] != end_of_word:
            stop += 1
        if stop + 1 + width > size:
            break
        at = ends[row]
        for index in range(start, stop):
            words[at] = buffer[index]
            at += 1
        ends[row + 1] = at
        tails[row] = buffer[stop + 1 : stop + 1 + width]
        position = stop + 1 + width
        row += 1
    return row, position


@njit()
def _subword_buckets(
    data: Bytes, offsets: Numbers, least: int, most: int, buckets: int, numbers: Numbers, ends: Numbers
) -> int:
    """Hash the character n-grams of words that have their borders around them."""
    total = 0
    for word in range(offsets.shape[0] - 1):
        stop = offsets[word + 1]
        for start in range(offsets[word], stop):
            if data[start] & 0xC0 == 0x80:
                continue
            value = np.uint32(2166136261)
            position = start
            length = 1
            while position < stop and length <= most:
                while True:
                    # fastText widens a signed char: bytes from 0x80 on set the upper bits too.
                    byte = np.uint32(data[position])
                    if data[position] >= 128:
                        byte |= np.uint32(0xFFFFFF00)
                    value = np.uint32((value ^ byte) * np.uint32(16777619))
                    position += 1
                    if position >= stop or data[position] & 0xC0 != 0x80:
                        break
                border = length == 1 and (start == offsets[word] or position == stop)
                if length >= least and not border:
                    numbers[total] = value % np.uint32(buckets)
                    total += 1
                length += 1
        ends[word + 1] = total
    return total


def subword_buckets(data: Bytes, offsets: Numbers, least: int, most: int, buckets: int) -> tuple[Numbers, Numbers]:
    """Return the buckets of the n-grams of packed words, each with ``<`` before it and ``>`` behind it.

    N-grams have from `least` to `most` characters. The buckets of all words stand in one array; a second one, with one
    more entry than there are words, says where those of each word begin.
    """
    ends = np.zeros(len(offsets), np.int64)
    numbers = np.empty(len(data) * max(0, most - least + 1), np.int64)
    total: int = _subword_buckets(data, offsets, least, most, buckets, numbers, ends)
    return numbers[:total], ends
