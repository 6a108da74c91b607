"""Compiled kernels that cut binary files into words: word2vec records and fastText dictionaries."""

# Kernels: many arguments and branches are what compiles to a tight loop.

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from termgauge.compiled import njit

if TYPE_CHECKING:
    from numpy.typing import NDArray

_SPACE, _LINE = 32, 10


@njit()
def cut_records(
    buffer: NDArray[np.uint8], vectors: NDArray[np.uint8], words: NDArray[np.uint8], ends: NDArray[np.int64]
) -> tuple[int, int]:
    """Cut word2vec records out of a buffer; return how many are whole and where the next one begins."""
    size = buffer.shape[0]
    most, width = vectors.shape
    place = 0
    row = 0
    while row < most:
        start = place
        while start < size and buffer[start] == _LINE:
            start += 1
        space = start
        while space < size and buffer[space] != _SPACE:
            space += 1
        if space + 1 + width > size:
            break
        at = ends[row]
        for index in range(start, space):
            words[at] = buffer[index]
            at += 1
        ends[row + 1] = at
        vectors[row] = buffer[space + 1 : space + 1 + width]
        place = space + 1 + width
        row += 1
    return row, place


@njit()
def cut_dictionary(
    buffer: NDArray[np.uint8], words: NDArray[np.uint8], ends: NDArray[np.int64], kinds: NDArray[np.int8]
) -> tuple[int, int]:
    """Cut fastText dictionary entries (word, zero, count, kind); return how many and where the last one ends."""
    size = buffer.shape[0]
    place = 0
    row = 0
    while row < kinds.shape[0]:
        stop = place
        while stop < size and buffer[stop] != 0:
            stop += 1
        if stop + 10 > size:
            break
        at = ends[row]
        for index in range(place, stop):
            words[at] = buffer[index]
            at += 1
        ends[row + 1] = at
        kinds[row] = buffer[stop + 9]
        place = stop + 10
        row += 1
    return row, place


@njit()
def _subword_buckets(
    data: NDArray[np.uint8],
    offsets: NDArray[np.int64],
    least: int,
    most: int,
    buckets: int,
    found: NDArray[np.int64],
    ends: NDArray[np.int64],
) -> int:
    """Hash the character n-grams of words that have their borders around them; count only if there is no room."""
    total = 0
    for word in range(offsets.shape[0] - 1):
        stop = offsets[word + 1]
        for start in range(offsets[word], stop):
            if data[start] & 0xC0 == 0x80:
                continue
            value = np.uint32(2166136261)
            place = start
            length = 1
            while place < stop and length <= most:
                while True:
                    # fastText widens a signed char: bytes from 0x80 on set the upper bits too.
                    byte = np.uint32(data[place])
                    if data[place] >= 128:
                        byte |= np.uint32(0xFFFFFF00)
                    value = np.uint32((value ^ byte) * np.uint32(16777619))
                    place += 1
                    if place >= stop or data[place] & 0xC0 != 0x80:
                        break
                border = length == 1 and (start == offsets[word] or place == stop)
                if length >= least and not border:
                    if total < found.shape[0]:
                        found[total] = value % np.uint32(buckets)
                    total += 1
                length += 1
        ends[word + 1] = total
    return total


def subword_buckets(
    data: NDArray[np.uint8], offsets: NDArray[np.int64], least: int, most: int, buckets: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the buckets of the n-grams of packed words, each with ``<`` before it and ``>`` behind it.

    N-grams have from `least` to `most` characters. The buckets of all words stand in one array; a second one, with one
    more entry than there are words, says where those of each word begin.
    """
    ends = np.zeros(len(offsets), np.int64)
    found = np.empty(len(data) * max(0, most - least + 1), np.int64)
    total: int = _subword_buckets(data, offsets, least, most, buckets, found, ends)
    return found[:total], ends
