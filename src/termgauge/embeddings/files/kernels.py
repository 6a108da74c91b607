"""Compiled kernels that cut files of vectors into words and numbers, and fastText words into n-grams."""

# ruff: noqa: C901, PLR0912, PLR0915, PLR1714, SIM109, SIM110

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from termgauge.compiled import njit

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Bytes = NDArray[np.uint8]
    Floats = NDArray[np.float32]
    Numbers = NDArray[np.int64]

_POWERS = np.array([10.0**exponent for exponent in range(23)])
"""The powers of ten that a double holds exactly."""
_EXACT = np.uint64(1 << 53)
_SPACE, _TAB, _RETURN, _LINE = 32, 9, 13, 10
_DONE, _HARD, _WRONG = 0, 1, 2


@njit()
def parse_number(buffer: Bytes, start: int, end: int, separator: int) -> tuple[int, float, int]:
    """Parse the number that begins at `start`.

    Return whether it is done (0), must be left to Python (1) or is no number (2); its value; and where it ends.
    """
    position = start
    negative = False
    if position < end and (buffer[position] == 45 or buffer[position] == 43):
        negative = buffer[position] == 45
        position += 1
    mantissa = np.uint64(0)
    significant = 0
    digits = 0
    exponent = 0
    point = False
    while position < end:
        char = buffer[position]
        if 48 <= char <= 57:
            digits += 1
            if significant < 19:
                mantissa = mantissa * np.uint64(10) + np.uint64(char - 48)
                if mantissa != 0:
                    significant += 1
                if point:
                    exponent -= 1
            else:
                significant = 20
        elif char == 46 and not point:
            point = True
        else:
            break
        position += 1
    hard = significant == 20
    if digits > 0 and position < end and (buffer[position] == 101 or buffer[position] == 69):
        position += 1
        down = False
        if position < end and (buffer[position] == 45 or buffer[position] == 43):
            down = buffer[position] == 45
            position += 1
        power = 0
        power_digits = 0
        while position < end and 48 <= buffer[position] <= 57:
            if power < 10000:
                power = power * 10 + (buffer[position] - 48)
            power_digits += 1
            position += 1
        if power_digits == 0:
            digits = 0
        exponent += -power if down else power
    if position < end and buffer[position] != separator and buffer[position] != _SPACE:
        # Not the end of the field: nan and inf have letters, everything else is no number.
        letters = True
        while position < end and buffer[position] != separator and buffer[position] != _SPACE:
            char = buffer[position] | 32
            letters = letters and 97 <= char <= 122
            position += 1
        return (_HARD if letters and digits == 0 and position - start <= 9 else _WRONG), 0.0, position
    if digits == 0:
        return _WRONG, 0.0, position
    if hard or exponent < -44 or exponent > 22:
        return _HARD, 0.0, position
    value = float(mantissa)
    exact = bool(mantissa <= _EXACT)
    if exponent < -22:
        exact = False
        value /= _POWERS[22]
        exponent += 22
    value = value / _POWERS[-exponent] if exponent < 0 else value * _POWERS[exponent]
    if not exact and np.float32(value * (1 - 1e-15)) != np.float32(value * (1 + 1e-15)):
        # Rounded more than once so far, and a float32 boundary is near.
        return _HARD, 0.0, position
    return _DONE, -value if negative else value, position


@njit()
def _parse_fields(
    buffer: Bytes, start: int, end: int, separator: int, row: int, vectors: Floats, hard: Numbers, hard_count: int
) -> tuple[bool, int]:
    """Parse exactly as many numbers as a vector has; say whether that worked and how many are left to Python."""
    position = start
    for column in range(vectors.shape[1]):
        if position < end and buffer[position] == separator:
            position += 1
        while position < end and buffer[position] == _SPACE:
            position += 1
        status, value, after = parse_number(buffer, position, end, separator)
        if status == _WRONG:
            return False, hard_count
        if status == _HARD:
            hard[hard_count, 0] = row
            hard[hard_count, 1] = column
            hard[hard_count, 2] = position
            hard[hard_count, 3] = after
            hard_count += 1
        vectors[row, column] = value
        position = after
        while position < end and buffer[position] == _SPACE and separator != _SPACE:
            position += 1
    return position == end, hard_count


@njit()
def _fields_from_end(buffer: Bytes, start: int, end: int, separator: int, fields: int) -> int:
    """Return where the last so many fields of a line begin (at the separator before them), or -1."""
    position = end
    for _ in range(fields):
        while position > start and buffer[position - 1] == separator:
            position -= 1
            if separator != _SPACE:
                break
        while position > start and buffer[position - 1] != separator:
            position -= 1
        if position == start:
            return -1
    return position - 1


@njit()
def _ends_in_decimal(buffer: Bytes, start: int, end: int, separator: int) -> bool:
    """Say whether a word has a separator in it and a decimal number after: a vector too long rather than a word."""
    last = end
    while last > start and buffer[last - 1] != separator:
        last -= 1
    if last == start or last == end:
        return False
    status, _, after = parse_number(buffer, last, end, separator)
    if status == _WRONG or after != end:
        return False
    for index in range(last, end):
        if buffer[index] == 46:
            return True
    return False


@njit()
def parse_lines(
    buffer: Bytes,
    place: int,
    separator: int,
    row: int,
    line: int,
    vectors: Floats,
    words: Bytes,
    ends: Numbers,
    numbers: Numbers,
    hard: Numbers,
) -> tuple[int, int, int, int, bool]:
    """Parse lines into the next free rows, from a place in the buffer on.

    It returns the next free row, place and line, how many numbers were left to Python (row, column, start, end in
    `hard`), and whether something is wrong with the line at the place. It stops early when `hard` is full; call it
    again with what it returns.
    """
    hard_count = 0
    size = buffer.shape[0]
    dimension = vectors.shape[1]
    while place < size:
        if hard_count + dimension > hard.shape[0]:
            break
        stop = place
        while stop < size and buffer[stop] != _LINE:
            stop += 1
        end = stop
        while end > place and (buffer[end - 1] == _SPACE or buffer[end - 1] == _TAB or buffer[end - 1] == _RETURN):
            end -= 1
        if end == place:
            place, line = stop + 1, line + 1
            continue
        word_end = place
        while word_end < end and buffer[word_end] != separator:
            word_end += 1
        whole, count = _parse_fields(buffer, word_end, end, separator, row, vectors, hard, hard_count)
        if not whole:
            word_end = _fields_from_end(buffer, place, end, separator, dimension)
            if word_end < 0:
                return row, place, line, hard_count, True
            while separator == _SPACE and word_end > place and buffer[word_end - 1] == _SPACE:
                word_end -= 1
            whole, count = _parse_fields(buffer, word_end, end, separator, row, vectors, hard, hard_count)
            if not whole or _ends_in_decimal(buffer, place, word_end, separator):
                return row, place, line, hard_count, True
        hard_count = count
        at = ends[row]
        for index in range(place, word_end):
            words[at] = buffer[index]
            at += 1
        ends[row + 1] = at
        numbers[row] = line
        row += 1
        place, line = stop + 1, line + 1
    return row, place, line, hard_count, False


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
    """Hash the character n-grams of words that have their borders around them; count only if there is no room."""
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
                    if total < numbers.shape[0]:
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
