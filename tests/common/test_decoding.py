"""What every reader must meet when bytes are odd: they are read, or refused in one sentence, and never a defect."""

from __future__ import annotations

import re

import pytest

from termgauge.exceptions import TermgaugeError
from tests.common.readers import READERS

pytestmark = pytest.mark.filterwarnings("ignore")
LONG = b"x" * (1 << 20)
ODD = {
    "a byte that is no UTF-8": lambda data: data.replace(b"e", b"\xff", 1),
    "a zero byte": lambda data: data.replace(b"e", b"\0", 1),
    "a lone surrogate in bytes": lambda data: data.replace(b"e", b"\xed\xa0\x80", 1),
    "UTF-16": lambda data: data.decode("utf-8", "replace").encode("utf-16"),
    "UTF-16 without a mark": lambda data: data.decode("utf-8", "replace").encode("utf-16-le"),
    "CR line ends": lambda data: data.replace(b"\r\n", b"\n").replace(b"\n", b"\r"),
    "no line ends": lambda data: data.replace(b"\r", b"").replace(b"\n", b""),
    "a first line of 200,000 characters": lambda data: data.replace(b"e", b"e" * 200_000, 1),
    "a first line of more than 1 MB": lambda data: LONG + data,
    "a quote that is not closed": lambda data: b'"' + data,
    "nothing": lambda _data: b"",
}


def texts(reader, folder):
    """Write a sample; return what to name, and its files that are text."""
    folder.mkdir()
    place = reader.write(folder)
    files = [path for path in sorted(folder.rglob("*")) if path.is_file() and b"\0" not in path.read_bytes()]
    return place, [path for path in files if path.suffix != ".parquet"]


def outcome(reader, place):
    """Return the sentence with which an input is refused, if it is; anything else escapes and fails the test."""
    try:
        reader.read(place)
    except TermgaugeError as error:
        said = str(error)
        assert all(len(line) > 20 for line in said.split("\n")), "a sentence, or some if several keys are wrong"
        return said
    return None


@pytest.mark.parametrize("reader", READERS, ids=lambda reader: reader.name)
def test_odd_bytes(reader, tmp_path):
    place, files = texts(reader, tmp_path / "sample")
    assert outcome(reader, place) is None, "the sample itself is read"
    for change in ODD.values():
        for path in files:
            before = path.read_bytes()
            path.write_bytes(change(before))
            outcome(reader, place)
            path.write_bytes(before)


def test_half_of_a_character_in_json(tmp_path):
    for number, reader in enumerate(READERS):
        place, files = texts(reader, tmp_path / str(number))
        for path in files:
            before = path.read_bytes()
            if before[:1] == b"{" and b'": "' in before:
                path.write_bytes(before.replace(b'": "', b'": "\\ud800', 1))
                said = outcome(reader, place)
                if reader.name in {"fhir", "obographs", "mapping concept_map", "domain"}:
                    assert re.search(r"line \d+: is (?:no|broken) JSON \(half of a character", said or ""), reader.name
                path.write_bytes(before)


@pytest.mark.parametrize("reader", [reader for reader in READERS if reader.lines], ids=lambda reader: reader.name)
def test_a_line_of_more_than_a_megabyte_is_refused_with_its_number(reader, tmp_path):
    place, _files = texts(reader, tmp_path / "sample")
    path = next(each for each in sorted((tmp_path / "sample").rglob("*")) if reader.lines in each.name)
    *lines, last, _end = path.read_bytes().split(b"\n")
    path.write_bytes(b"\n".join([*lines, last[:2] + LONG + last[2:], b""]))
    assert f"line {len(lines) + 1:,}: is longer than 1 MB" in (outcome(reader, place) or "")


def test_each_reader_has_a_name_of_its_own():
    names = [reader.name for reader in READERS]
    assert len(names) == len(set(names))
