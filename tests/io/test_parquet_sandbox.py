"""Parquet: tables, or one sentence, whatever becomes of the process that reads them."""

from __future__ import annotations

import io
from concurrent.futures import ThreadPoolExecutor

import polars as pl
import pytest

from termgauge.exceptions import TermgaugeError
from termgauge.io import parquet_sandbox as contained
from termgauge.io.parquet_sandbox import SUM_KEY, read_contained, read_table, write_table

FRAME = pl.DataFrame({"n": [1, 2], "term": ["a", None], "list": [[1.0], []]})


def written(frame=FRAME, **options):
    buffer = io.BytesIO()
    frame.write_parquet(buffer, **options)
    return buffer.getvalue()


def test_a_table_comes_back_with_its_types_and_what_it_says_of_itself():
    table = read_contained(written(metadata={"id": "ä"}), "t", most_bytes=1 << 20)
    assert table.frame.equals(FRAME)
    assert table.frame.schema == FRAME.schema
    assert table.columns == ("n", "term", "list")
    assert table.metadata["id"] == "ä"


def test_only_what_is_asked_for():
    names = read_contained(written(), "t", most_bytes=1 << 20, rows=False)
    assert (names.columns, names.frame.height) == (("n", "term", "list"), 0)
    some = read_contained(written(), "t", most_bytes=1 << 20, columns=["n"], text=True)
    assert some.frame.rows() == [("1",), ("2",)]


def test_a_bomb_is_refused():
    data = written(pl.DataFrame({"a": ["x" * 1000] * 1000}), compression="zstd")
    with pytest.raises(TermgaugeError, match="like a decompression bomb"):
        read_contained(data, "t", most_bytes=500_000)


@pytest.mark.parametrize("data", [b"", b"PAR1", b"PAR1" + bytes(100) + b"PAR1", written()[:-20]])
def test_what_is_no_parquet_is_said_in_one_sentence(data, capfd):
    with pytest.raises(TermgaugeError, match=r"^t: is no readable Parquet file \(.*\); write it again, or use TSV\.$"):
        read_contained(data, "t", most_bytes=1 << 20)
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("end", ["import os; os.abort()", "import sys; sys.stderr.write('panicked'); sys.exit(7)"])
def test_a_reader_that_breaks_off_takes_nobody_with_it(monkeypatch, capfd, end):
    with monkeypatch.context() as patched:
        patched.setattr(contained, "_PROGRAM", end)
        contained._READER.end()
        broke_off = r"t: is no readable Parquet file \(the reader .* broke off, with status"
        with pytest.raises(TermgaugeError, match=broke_off):
            read_contained(written(), "t")
        assert capfd.readouterr() == ("", "")
    assert read_contained(written(), "t").frame.equals(FRAME), "another one is started"


def test_one_process_reads_many_tables_for_many_threads():
    tables = [written(pl.DataFrame({"n": [number]})) for number in range(20)]
    with ThreadPoolExecutor(4) as pool:
        frames = pool.map(lambda data: read_contained(data, "t").frame, tables)
    assert [frame["n"].to_list() for frame in frames] == [[number] for number in range(20)]


def test_what_says_its_checksum_has_it(tmp_path):
    frame = pl.DataFrame({"term": ["heart", "liver"], "score": [0.5, None]})
    write_table(frame, tmp_path / "t.parquet", {"id": "x"})
    assert read_table(tmp_path / "t.parquet", "make it again").frame.equals(frame)
    other = written(frame.reverse(), metadata=pl.read_parquet_metadata(tmp_path / "t.parquet"))
    dates = pl.DataFrame({"day": pl.Series([10**9], dtype=pl.Int32).cast(pl.Date)})  # no date that Python knows
    for data in (other, written(dates, metadata={SUM_KEY: "1"})):
        with pytest.raises(TermgaugeError, match=r"^t: is damaged, since it is not what was written; write it again"):
            read_contained(data, "t")


def test_a_module_in_the_folder_of_the_user_is_not_run(tmp_path, monkeypatch):
    (tmp_path / "polars.py").write_text("raise SystemExit('not this one')")
    monkeypatch.chdir(tmp_path)
    assert read_contained(written(), "t", most_bytes=1 << 20).frame.equals(FRAME)
