"""The compiled part of reading tagged text: lines of bytes to the numbers of distinct tokens, without the GIL.

A corpus repeats itself: of a hundred million tokens some million are distinct. Each distinct token (form, tag, lemma)
is kept once, as a line of an arena; a hash table leads from a line to its number, and whatever is asked about tokens is
asked later about these few. Bytes are looked at eight at a time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Self

import numpy as np

from termgauge.compiled import njit

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Bytes = NDArray[np.uint8]
    Eights = NDArray[np.uint64]
    Numbers = NDArray[np.int32]
    Longs = NDArray[np.int64]

PLAIN, CONLLU, CONLLU_UPOS = range(3)
"""Layouts: form TAB tag TAB lemma; CoNLL-U by XPOS, else UPOS; CoNLL-U the other way round."""
DONE, MORE_ROOM, NO_TAG, FEW_COLUMNS, MANY_COLUMNS, NO_NUMBER, SKIPPED = range(7)
"""How a call ends; the last is of a line that is no token."""
AT, LINE, DOCUMENT, DISTINCT, FILLED, SPOOLED, COMMENTS, TOKENS, IN_DOCUMENT, HAS_TOKENS = range(10)
"""What the state holds: where the reading stands, and what it has counted."""
STATES = 10
HASH, START, COUNT, LATEST = range(4)
"""What is kept for each distinct token: where its line begins in the arena, and the last document that has it."""
NEW_DOCUMENT = -1
"""What stands in the spool where a document begins."""
FROM_UPOS = ord("u")
"""What follows a token of CoNLL-U whose tag is of the column UPOS."""
PADDING = 8
"""So many bytes must follow those that are read."""
_TAB, _NEWLINE, _RETURN, _SPACE, _HASH, _MINUS, _DOT, _ZERO, _NINE, _UNDERSCORE = 9, 10, 13, 32, 35, 45, 46, 48, 57, 95
_COLUMNS = 5
_BATCH = 64
"""So many lines are looked at ahead."""
_ONE, _EIGHT, _MOST = np.uint64(1), np.uint64(8), np.uint64(56)
_LOW, _HIGH = np.uint64(0x0101010101010101), np.uint64(0x8080808080808080)
_NEWLINES = np.uint64(0x0A0A0A0A0A0A0A0A)
_FACTOR, _HALF = np.uint64(0x9E3779B97F4A7C15), np.uint64(32)


class Distinct(NamedTuple):
    """Distinct tokens: a hash table of their numbers, what is kept of each, and where its line is."""

    table: Numbers
    entries: Longs
    lines: Longs
    """The number of the first line that each has in the corpus."""
    arena: Bytes
    arena_eights: Eights

    @classmethod
    def empty(cls, entries: int, size: int) -> Self:
        """Return room for so many tokens with so many bytes."""
        arena, table = np.empty(size, dtype=np.uint8), np.full(2 * entries, -1, dtype=np.int32)
        return cls(table, np.zeros((entries, 4), np.int64), np.empty(entries, np.int64), arena, eights(arena))

    def grown(self, entries: int, size: int) -> Self:
        """Return the same tokens with room for more."""
        larger = self.empty(entries, size)
        larger.entries[: len(self.entries)] = self.entries
        larger.lines[: len(self.lines)] = self.lines
        larger.arena[: len(self.arena)] = self.arena
        return larger


def eights(data: Bytes) -> Eights:
    """Return eight bytes from each place on as one number; the last ones must not be read."""
    return np.ndarray(len(data) - PADDING + 1, dtype="<u8", buffer=data, strides=(1,))


@njit()
def scan(  # noqa: C901, PLR0912, PLR0915 - one loop over lines, with all that it knows in registers
    data: Bytes,
    data_eights: Eights,
    layout: int,
    state: Longs,
    tokens: Distinct,
    spool: Numbers,
    comments: Longs,
    scratch: Bytes,
    scratch_eights: Eights,
) -> int:
    """Count the tokens of whole lines; stop early, before a line, if there is no room or the line is bad."""
    size, entries = len(data) - PADDING, tokens.entries
    at, line, document, distinct, filled = state[AT], state[LINE], state[DOCUMENT], state[DISTINCT], state[FILLED]
    spooled, noted, count = state[SPOOLED], state[COMMENTS], state[TOKENS]
    in_document, has_tokens = state[IN_DOCUMENT], state[HAS_TOKENS]
    stops, keys = np.empty(_BATCH, dtype=np.int64), np.empty(_BATCH, dtype=np.int64)
    ended = DONE
    batch = batched = 0
    while at < size:
        if batch == batched:
            batch, batched = 0, _look_ahead(data_eights, at, size, stops, keys, tokens)
        stop, key = stops[batch], keys[batch]
        batch += 1
        first = data[at]
        if first <= _SPACE and _blank(data, at, stop):
            pass  # the end of a sentence
        elif first == _HASH and (layout != PLAIN or not _has_tab(data, at, stop)):
            if _begins_document(data, at, stop):
                document += 1
                in_document, has_tokens = 1, 0
                spool[spooled] = NEW_DOCUMENT
                spooled += 1
            elif not has_tokens:
                comments[noted, 0], comments[noted, 1], comments[noted, 3] = at, stop, line
                comments[noted, 2] = document if in_document else document + 1
                noted += 1
        else:
            if layout == PLAIN:
                length = stop + 1 - at
                entry, slot = _find(data_eights, at, length, key, tokens)
            else:
                length, wrong = _columns(data, at, stop, layout, scratch)
                if wrong == SKIPPED:
                    at = stop + 1
                    line += 1
                    continue
                if wrong != DONE:
                    ended = wrong
                    break
                _, key = _end_of_line(scratch_eights, 0)
                entry, slot = _find(scratch_eights, 0, length, key, tokens)
            if entry < 0:
                if layout == PLAIN:
                    ended = _wrong(data, at, stop)
                    if ended != DONE:
                        break
                if distinct == len(entries) or filled + length > len(tokens.arena) - PADDING:
                    ended = MORE_ROOM
                    break
                entry = distinct
                entries[entry, HASH], entries[entry, START] = key, filled
                entries[entry, COUNT], entries[entry, LATEST] = 0, -1
                tokens.lines[entry] = line
                if layout == PLAIN:
                    filled = _copied(data, at, stop + 1, tokens.arena, filled)
                else:
                    filled = _copied(scratch, 0, length, tokens.arena, filled)
                tokens.table[slot] = entry
                distinct += 1
            if not in_document:
                in_document = 1
                document += 1
                spool[spooled] = NEW_DOCUMENT
                spooled += 1
            has_tokens = 1
            count += 1
            entries[entry, COUNT] += 1
            if entries[entry, LATEST] != document:
                entries[entry, LATEST] = document
                spool[spooled] = entry
                spooled += 1
        at = stop + 1
        line += 1
    state[AT], state[LINE], state[DOCUMENT], state[DISTINCT], state[FILLED] = at, line, document, distinct, filled
    state[SPOOLED], state[COMMENTS], state[TOKENS] = spooled, noted, count
    state[IN_DOCUMENT], state[HAS_TOKENS] = in_document, has_tokens
    return ended


@njit()
def rehash(tokens: Distinct, count: int) -> None:
    """Fill the empty hash table with the numbers of the first tokens by their hashes."""
    table, mask = tokens.table, np.int64(len(tokens.table) - 1)
    for entry in range(count):
        slot = tokens.entries[entry, HASH] & mask
        while table[slot] >= 0:
            slot = (slot + 1) & mask
        table[slot] = entry


@njit()
def occurrences(
    spool: Numbers, document: int, word_of: Numbers, latest: Numbers, words: Numbers, documents: Numbers
) -> tuple[int, int]:
    """Write each word once for each document that has it; return the last document's number and how many there are.

    The spool has the distinct tokens of each document; several may be forms of one word.
    """
    count = 0
    for index in range(len(spool)):
        if spool[index] == NEW_DOCUMENT:
            document += 1
            continue
        word = word_of[spool[index]]
        if word >= 0 and latest[word] != document:
            latest[word] = document
            words[count], documents[count] = word, document
            count += 1
    return document, count


@njit()
def _look_ahead(eights_of: Eights, at: int, size: int, stops: Longs, keys: Longs, tokens: Distinct) -> int:
    """Find the ends and the hashes of the next lines, and have memory at hand that will be wanted for them.

    Most of the time goes into waiting for memory; looking at many places in turn makes it one wait.
    """
    table, entries, arena = tokens.table, tokens.entries, tokens.arena
    mask = np.int64(len(table) - 1)
    count = 0
    while count < len(stops) and at < size:
        stops[count], keys[count] = _end_of_line(eights_of, at)
        at = stops[count] + 1
        count += 1
    touched = np.int64(0)
    places = np.empty(len(stops), dtype=np.int64)
    for line in range(count):
        entry = table[keys[line] & mask]
        places[line] = max(entry, 0)
    for line in range(count):
        places[line] = entries[places[line], START]
    for line in range(count):
        touched += arena[places[line]]
    places[0] = touched
    return count


@njit()
def _end_of_line(eights_of: Eights, at: int) -> tuple[int, np.int64]:
    """Return where the newline after a place stands, and a hash of what is before it.

    Of a byte that is zero, and of no byte below it, the highest bit is set in (x - 1) & ~x.
    """
    key = np.uint64(0)
    while True:
        eight = eights_of[at]
        zeroed = eight ^ _NEWLINES
        marks = (zeroed - _LOW) & ~zeroed & _HIGH
        if marks == 0:
            key = (key ^ eight) * _FACTOR
            key ^= key >> _HALF
            at += 8
            continue
        lowest = marks & (~marks + _ONE)
        before = ((((lowest - _ONE) & _LOW) * _LOW) >> _MOST) - _ONE
        key = (key ^ (eight & ((_ONE << (before * _EIGHT)) - _ONE))) * _FACTOR
        key ^= key >> _HALF
        return at + int(before), np.int64(key)


@njit()
def _find(eights_of: Eights, at: int, length: int, key: np.int64, tokens: Distinct) -> tuple[np.int64, np.int64]:
    """Return the number of a line, which ends in its newline, or -1, and its place in the hash table."""
    table, entries, arena = tokens.table, tokens.entries, tokens.arena_eights
    mask = np.int64(len(table) - 1)
    slot = key & mask
    while True:
        entry = np.int64(table[slot])
        if entry < 0 or (entries[entry, HASH] == key and _same(eights_of, at, length, arena, entries[entry, START])):
            return entry, slot
        slot = (slot + 1) & mask


@njit()
def _same(eights_of: Eights, at: int, length: int, arena: Eights, other: int) -> bool:
    done = 0
    while done + 8 <= length:
        if eights_of[at + done] != arena[other + done]:
            return False
        done += 8
    rest = np.uint64(length - done) * _EIGHT
    return bool(((eights_of[at + done] ^ arena[other + done]) & ((_ONE << rest) - _ONE)) == 0)


@njit()
def _columns(data: Bytes, at: int, stop: int, layout: int, scratch: Bytes) -> tuple[int, int]:
    """Write the form, tag and lemma of a line of CoNLL-U as a line; return its length and what is wrong."""
    tabs = np.empty(_COLUMNS, dtype=np.int64)
    count = 0
    while stop > at and data[stop - 1] == _RETURN:
        stop -= 1
    for index in range(at, stop):
        if data[index] == _TAB:
            tabs[count] = index
            count += 1
            if count == _COLUMNS:
                break
    if count < _COLUMNS - 1:
        return 0, FEW_COLUMNS
    if count < _COLUMNS:
        tabs[count] = stop
    number = _number(data, at, tabs[0])
    if number != DONE:
        return 0, number
    upos, upos_end, tag, tag_end = tabs[2] + 1, tabs[3], tabs[3] + 1, tabs[4]
    by_upos = _absent(data, tag, tag_end) or (layout == CONLLU_UPOS and not _absent(data, upos, upos_end))
    if by_upos:
        tag, tag_end = upos, upos_end
    if _absent(data, tag, tag_end):
        return 0, NO_TAG
    lemma, lemma_end = tabs[1] + 1, tabs[2]
    to = _copied(data, tabs[0] + 1, tabs[1] + 1, scratch, 0)
    to = _copied(data, tag, tag_end, scratch, to)
    scratch[to] = _TAB
    to = _copied(data, lemma, lemma if _absent(data, lemma, lemma_end) else lemma_end, scratch, to + 1)
    if by_upos:
        scratch[to], scratch[to + 1] = _TAB, FROM_UPOS
        to += 2
    scratch[to] = _NEWLINE
    return to + 1, DONE


@njit()
def _wrong(data: Bytes, at: int, stop: int) -> int:
    """Return what is wrong with a line of the plain layout."""
    while stop > at and data[stop - 1] == _RETURN:
        stop -= 1
    count, tag, tag_end = 0, stop, stop
    for index in range(at, stop):
        if data[index] == _TAB:
            count += 1
            if count == 1:
                tag = index + 1
            elif count == 2:
                tag_end = index
    if count > 2:
        return MANY_COLUMNS
    return NO_TAG if _absent(data, tag, tag_end) else DONE


@njit()
def _blank(data: Bytes, at: int, stop: int) -> bool:
    for index in range(at, stop):
        if data[index] != _SPACE and data[index] != _TAB and data[index] != _RETURN:
            return False
    return True


@njit()
def _has_tab(data: Bytes, at: int, stop: int) -> bool:
    for index in range(at, stop):  # noqa: SIM110 - Numba compiles no any()
        if data[index] == _TAB:
            return True
    return False


@njit()
def _begins_document(data: Bytes, at: int, stop: int) -> bool:
    """Say whether a comment is `# newdoc`, with or without an id."""
    at += 1
    while at < stop and data[at] == _SPACE:
        at += 1
    for letter in (110, 101, 119, 100, 111, 99):  # newdoc
        if at == stop or data[at] != letter:
            return False
        at += 1
    return bool(at == stop or data[at] <= _SPACE)


@njit()
def _number(data: Bytes, at: int, stop: int) -> int:
    """Return what is wrong with the number of a word; ranges of words and empty nodes are skipped."""
    kind = DONE
    if at == stop or not _ZERO <= data[at] <= _NINE:
        return NO_NUMBER
    for index in range(at, stop):
        if data[index] == _MINUS or data[index] == _DOT:
            kind = SKIPPED
        elif not _ZERO <= data[index] <= _NINE:
            return NO_NUMBER
    return kind


@njit()
def _absent(data: Bytes, at: int, stop: int) -> bool:
    return bool(at >= stop or (stop == at + 1 and data[at] == _UNDERSCORE))


@njit()
def _copied(data: Bytes, at: int, stop: int, arena: Bytes, to: int) -> int:
    """Copy bytes; return where the next ones go."""
    for index in range(at, stop):
        arena[to] = data[index]
        to += 1
    return to
