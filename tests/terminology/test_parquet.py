"""Parquet of a user's: the wanted columns as text, and a sentence for whatever is damaged."""

# ruff: noqa: PT017 - for arbitrary bytes both outcomes are right, and the sentence is looked at
from __future__ import annotations

import io

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from termgauge.exceptions import TermgaugeError
from termgauge.io import parquet_sandbox as contained
from termgauge.io.source import files_of

FRAME = pl.DataFrame({"Concept": [1, 2], "term": ["a", "b"], "vector": [[1.0], [2.0]], "tag": ["x", None]})


def parquet_columns(file):
    return contained.read_contained(file.read(), file.label, rows=False).columns


def read_parquet(file, columns):
    return contained.read_contained(file.read(), file.label, columns=list(columns), text=True).frame


def written(frame, **options):
    buffer = io.BytesIO()
    frame.write_parquet(buffer, **options)
    return buffer.getvalue()


def file_of(folder, data):
    (folder / "t.parquet").write_bytes(data)
    return files_of(folder / "t.parquet")[0]


def test_columns_come_as_text_in_the_order_asked_for(tmp_path):
    file = file_of(tmp_path, written(FRAME))
    assert parquet_columns(file) == ("Concept", "term", "vector", "tag")
    rows = read_parquet(file, ["tag", "Concept"])
    assert dict(rows.schema) == {"tag": pl.String, "Concept": pl.String}
    assert rows.rows() == [("x", "1"), (None, "2")]


@settings(max_examples=6)  # each is read in a process of its own
@given(texts=st.lists(st.none() | st.text(st.characters(codec="utf-8"), max_size=9), max_size=9))
def test_texts_come_back(tmp_path_factory, texts):
    frame = pl.DataFrame({"term": texts}, schema={"term": pl.String})
    assert read_parquet(file_of(tmp_path_factory.mktemp("p"), written(frame)), ["term"])["term"].to_list() == texts


@pytest.mark.parametrize("column", ["term", "nothing"])
def test_what_is_no_text_or_not_there_is_refused(tmp_path, column):
    file = file_of(tmp_path, written(pl.DataFrame({"concept": [b"\xff"], "term": [[1]]})))
    with pytest.raises(TermgaugeError, match=r"t\.parquet: is no readable Parquet file .*use TSV"):
        read_parquet(file, ["concept", column])


@pytest.mark.parametrize("frame", [
    pl.DataFrame({"concept": ["1"] * 100_000, "term": ["a"] * 100_000}),
    pl.DataFrame({"concept": ["1"] * 100, "term": ["a" * 100_000] * 100}),
])  # fmt: skip
def test_a_bomb_is_refused(tmp_path, frame, monkeypatch):
    file = file_of(tmp_path, written(frame, compression="zstd"))
    assert read_parquet(file, ["concept", "term"]).equals(frame)
    monkeypatch.setattr(contained, "BOMB_FREE_BYTES", 1 << 20)
    with pytest.raises(TermgaugeError, match="like a decompression bomb"):
        read_parquet(file, ["concept", "term"])


@settings(max_examples=6)  # each is read in a process of its own
@given(data=st.data())
def test_damage_gets_a_sentence(tmp_path_factory, data):
    whole = bytearray(written(FRAME, compression=data.draw(st.sampled_from(["uncompressed", "snappy", "zstd"]))))
    for _ in range(data.draw(st.integers(1, 4))):
        whole[data.draw(st.integers(4, len(whole) - 1))] = data.draw(st.integers(0, 255))
    cut = data.draw(st.integers(0, len(whole)))
    file = file_of(tmp_path_factory.mktemp("fuzz"), bytes(whole[: cut or None]))
    try:
        read_parquet(file, [name for name in ("Concept", "term") if name in parquet_columns(file)])
    except TermgaugeError as error:
        assert "t.parquet" in str(error)
        assert "\n" not in str(error)


@settings(max_examples=6)  # each is read in a process of its own
@given(data=st.binary(max_size=200), tail=st.sampled_from([b"", b"PAR1"]))
def test_anything_after_the_magic_gets_a_sentence(tmp_path_factory, data, tail):
    with pytest.raises(TermgaugeError, match="Parquet"):
        read_parquet(file_of(tmp_path_factory.mktemp("fuzz"), b"PAR1" + data + tail), ["term"])
