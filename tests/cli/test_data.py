"""Commands about data."""

from __future__ import annotations

import json

import pytest

from termgauge.io.store import entries
from tests.samples import WRITERS, write_obo, write_rrf, zipped


@pytest.mark.parametrize("kind", WRITERS)
def test_json_is_one_document_and_nothing_else(run, tmp_path, kind):
    source = WRITERS[kind](tmp_path / "made")
    status, out, err = run("terminology", source, "--json")
    assert status == 0
    document = json.loads(out)
    assert document["format"] == kind
    assert document["concepts"] > 0
    assert err == ""
    assert run("terminology", zipped(source, tmp_path / "z.zip"), "--json")[1] == out


def test_options_reach_the_reader(run, tmp_path):
    source = write_rrf(tmp_path)
    _, out, _ = run(
        *("terminology", source, "--json", "--language", "en", "--vocabulary", "MSH", "--vocabulary", "SCTSPA"),
        *("--no-suppressed", "--no-cache"),
    )
    document = json.loads(out)
    assert document["languages"] == ["en"]
    assert document["active_terms"] == document["terms"] == 4
    assert json.loads(run("cache", "--json")[1])["entries"] == []


def test_cache_command(run, tmp_path, cache_folder):
    status, out, err = run("cache")
    assert (status, err) == (0, "")
    assert "nothing in it" in out
    run("terminology", write_obo(tmp_path), "--json")
    document = json.loads(run("cache", "--json")[1])
    assert document["folder"] == str(cache_folder)
    assert [entry["what"] for entry in document["entries"]] == ["terminology"]
    assert document["entries"][0]["bytes"] > 0
    assert "terminology" in run("cache")[1]
    status, out, err = run("cache", "terminolgy")
    assert status == 2
    assert "Did you mean 'terminology'?" in err
    assert json.loads(run("cache", "--clear", "--unused", "1", "--json")[1]) == {"deleted": 0, "bytes": 0}
    assert json.loads(run("cache", "terminology", "--clear", "--json")[1])["deleted"] == 1
    status, _, err = run("cache", "--clear")
    assert status == 0
    assert "Deleted 0 entries" in err


def test_the_cache_is_verified(run, tmp_path):
    (tmp_path / "t.tsv").write_text("concept\tterm\n1\theart\n")
    run("terminology", tmp_path / "t.tsv")
    status, _, err = run("cache", "--verify")
    assert (status, "Nothing is damaged" in err) == (0, True)
    (entry,) = (each for each in entries() if each.namespace == "terminology")
    data = bytearray((entry.path / "terms.parquet").read_bytes())
    data[20] ^= 1
    (entry.path / "terms.parquet").write_bytes(data)
    status, out, err = run("cache", "--verify", "--json")
    assert status == 4
    assert [row["damaged"] for row in json.loads(out)["entries"] if row["what"] == "terminology"] == [["terms.parquet"]]
    assert "damaged (terms.parquet); it is made again when it is next used" in err
    status, out, err = run("terminology", tmp_path / "t.tsv", "--json")
    assert status == 0
    assert json.loads(out)["terms"] == 1
    assert "was damaged, so the terminology is read again" in err
    assert run("cache", "--verify")[0] == 0
