"""Rows, block by block: any block size gives the same rows and names the same line."""

# ruff: noqa: PT017 - for arbitrary bytes both outcomes are right, and the sentence is looked at
from __future__ import annotations

import bz2
import gzip
import lzma
import zlib
from itertools import product

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from termgauge.exceptions import TermgaugeError
from termgauge.io.source import SourceFile
from termgauge.terminology import delimited, read_terminology
from termgauge.terminology.delimited import Layout, header_of, read_rows

TABS = Layout("\t", ("a", "b", "c"), header=True)
PIPES = Layout("|", ("a", "b", "c"), header=False, closed=True)
FIELDS = st.text(st.characters(exclude_characters="\0\t|\r\n\ufeff", codec="utf-8"), max_size=6)
ROWS = st.lists(st.tuples(FIELDS.map("x".__add__), FIELDS, FIELDS), max_size=12)


def file_of(folder, data):
    path = folder / "rows.txt"
    path.write_bytes(data if isinstance(data, bytes) else data.encode("utf-8"))
    return SourceFile("rows.txt", path, None, path.stat().st_size, path)


@pytest.fixture(params=[3, 4, 16, 33, 32 << 20])
def block_bytes(request, monkeypatch):
    monkeypatch.setattr(delimited, "BLOCK_BYTES", request.param)
    return request.param


@pytest.mark.usefixtures("block_bytes")
@given(rows=ROWS, newline=st.sampled_from(["\n", "\r\n"]), final=st.booleans(), blanks=st.sets(st.integers(0, 12)))
def test_rows_come_back(tmp_path_factory, rows, newline, final, blanks):
    for layout in (TABS, PIPES):
        lines = [layout.separator.join(row) + (layout.separator if layout.closed else "") for row in rows]
        for at in sorted(blanks, reverse=True):
            lines.insert(at, "")
        text = newline.join([*(["a\tb\tc"] if layout.header else []), *lines]) + (newline if final else "")
        file = file_of(tmp_path_factory.mktemp("rows"), text)
        found = read_rows(file, layout, ["a", "c"])
        assert found.rows() == [(row[0], row[2]) for row in rows]
        assert dict(found.schema) == {"a": pl.String, "c": pl.String}


@pytest.mark.usefixtures("block_bytes")
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_byte_order_mark_and_quotes(tmp_path, mark):
    file = file_of(tmp_path, mark + b'a\tb\tc\n"1\t2"\t""\n')
    assert header_of(file, "\t", {}, ("a",), "x") == ("a", "b", "c")
    assert read_rows(file, TABS, ["a", "b", "c"]).rows() == [('"1', '2"', '""')]


@pytest.mark.usefixtures("block_bytes")
@pytest.mark.parametrize(
    ("line", "wrong"),
    [
        (b"1\t2", "has 2 columns separated by tab where 3 were expected"),
        (b"1\t2\t3\t4", "has 4 columns"),
        (b"1", "has 1 columns"),
        (b"1\t\xff\t3", r"is not UTF-8 \(byte 3 of the line\)"),
        (b"\t" * 20, "has 21 columns"),
    ],
)
def test_bad_line_is_named(tmp_path, line, wrong):
    for before, blank in product((0, 1, 5), (b"", b"\n", b"\r\n\r\n")):
        rows = [b"1\t2\t3\n"] * before
        file = file_of(tmp_path, b"a\tb\tc\n" + blank + b"".join(rows) + line + b"\n1\t2\t3\n")
        number = 2 + before + blank.count(b"\n")
        with pytest.raises(TermgaugeError, match=rf"rows\.txt, line {number}: {wrong}"):
            read_rows(file, TABS, ["a", "b", "c"])


@pytest.mark.usefixtures("block_bytes")
def test_check_names_the_line(tmp_path):
    def check(rows):
        bad = rows.with_row_index().filter(pl.col("a") == "bad")
        return (bad["index"][0], "is bad") if bad.height else None

    file = file_of(tmp_path, "a\tb\tc\n1\t\t\n\n\n2\t\t\n\nbad\t\t\n")
    with pytest.raises(TermgaugeError, match="line 7: is bad"):
        read_rows(file, TABS, ["a"], check=check)


@pytest.mark.usefixtures("block_bytes")
def test_long_and_short_rows_that_add_up(tmp_path):
    with pytest.raises(TermgaugeError, match="line 1: has 2 columns"):
        read_rows(file_of(tmp_path, "1|2|\n1|2|3|4|\n"), PIPES, ["a"])


@pytest.mark.usefixtures("block_bytes")
@pytest.mark.parametrize("data", [b"", b"a\tb\tc", b"a\tb\tc\n", b"a\tb\tc\r\n\r\n"])
def test_no_rows(tmp_path, data):
    found = read_rows(file_of(tmp_path, data), TABS, ["b", "a"], lambda rows: rows.with_columns(d=pl.lit(1)))
    assert found.columns == ["b", "a", "d"]
    assert found.is_empty()


@pytest.mark.usefixtures("block_bytes")
def test_reduce_sees_every_block(tmp_path):
    file = file_of(tmp_path, "".join(f"{n}|x|y|\n" for n in range(50)))
    seen = []
    found = read_rows(
        file, PIPES, ["a"], lambda rows: rows.filter(pl.col("a").cast(pl.Int32) % 2 == 0), advance=seen.append
    )
    assert found["a"].to_list() == [str(n) for n in range(0, 50, 2)]
    assert sum(seen) == file.size


@pytest.mark.parametrize("block", [1 << 16, 1 << 20, 8 << 20])
@pytest.mark.parametrize(("before", "line"), [(b"", 1), (b"1|2|3|\n" * 200_000, 200_001)])
@pytest.mark.parametrize("after", [b"", b"\n1|2|3|\n"])
def test_a_line_of_more_than_a_megabyte(tmp_path, monkeypatch, block, before, line, after):
    monkeypatch.setattr(delimited, "BLOCK_BYTES", block)
    with pytest.raises(TermgaugeError, match=rf"rows.txt, line {line}: is longer than 1 MB"):
        read_rows(file_of(tmp_path, before + b"x" * (5 << 20) + after), PIPES, ["a"])


@pytest.mark.parametrize("data", [b"", b"\n\n", b"\xef\xbb\xbf\r\n", b" \t\n"])
def test_header_of_nothing(tmp_path, data):
    with pytest.raises(TermgaugeError, match="is empty; a header line"):
        header_of(file_of(tmp_path, data), "\t", {}, (), "x")


def test_header_that_is_no_text(tmp_path):
    with pytest.raises(TermgaugeError, match=r"rows.txt, line 1: is not UTF-8"):
        header_of(file_of(tmp_path, b"\xff\n"), "\t", {}, (), "x")


@pytest.mark.usefixtures("block_bytes")
@given(data=st.binary(max_size=120))
def test_any_bytes(tmp_path_factory, data):
    for layout in (TABS, PIPES):
        try:
            read_rows(file_of(tmp_path_factory.mktemp("rows"), data), layout, ["a", "b", "c"])
        except TermgaugeError as error:
            assert ", line " in str(error)


@pytest.mark.parametrize("start", ["x^", "x\x01", "\ufeff", "PAR1", "#"])
def test_rows_that_begin_like_something_else(tmp_path, start):
    file = file_of(tmp_path, f"a\tb\tc\n{start}\t1\t2\n")
    assert read_rows(file, TABS, ["a", "b"]).rows() == [(start, "1")]


@pytest.mark.parametrize("compress", [zlib.compress, gzip.compress, bz2.compress, lzma.compress])
def test_nothing_is_decompressed_unasked(tmp_path, compress):
    with pytest.raises(TermgaugeError, match=r"line 1: (has|holds)"):
        read_rows(file_of(tmp_path, compress(b"1|2|3|\n" * 100)), PIPES, ["a"])


def test_text_with_zero_bytes_is_no_utf_8(tmp_path):
    (tmp_path / "MRCONSO.RRF").write_bytes("C1|ENG|P|L1|PF|S1|Y|A1||||MSH|MH|D1|Heart|0|N||\n".encode("utf-16-le"))
    with pytest.raises(TermgaugeError, match=r"MRCONSO\.RRF, line 1: holds a zero byte, as UTF-16 text does"):
        read_terminology(tmp_path)
