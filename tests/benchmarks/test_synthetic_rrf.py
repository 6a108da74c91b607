"""The synthetic META folder is what it says it is: read again, line by line, without the code that wrote it."""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict

import pytest
from benchmarks.synthetic_rrf import COLUMNS, write_meta

from benchmarks import synthetic_rrf
from termgauge.exceptions import TermgaugeError

TERMS = ["Lung cancer", "COPD", 'so-called "heart failure"', "renal biopsy", "type 2 diabetes mellitus"]


def rows_of(folder, name):
    lines = (folder / name).read_bytes().decode("utf-8").split("\n")
    assert lines.pop() == ""
    header = COLUMNS[name].split(",")
    for line in lines:
        *fields, end = line.split("|")
        assert end == ""
        yield dict(zip(header, fields, strict=True))


@pytest.mark.parametrize("atoms", [1, 2, 10, 3000])
def test_facts_equal_what_the_files_hold(tmp_path, atoms):
    facts = write_meta(tmp_path / "META", atoms=atoms, relations=2 * atoms - 1, seed=atoms, terms=TERMS)

    files = {name: list(rows_of(tmp_path / "META", name)) for name in COLUMNS}
    assert facts.rows == {name: len(rows) for name, rows in files.items()}
    assert facts.rows["MRCONSO.RRF"] == atoms
    assert facts.rows["MRREL.RRF"] == 2 * atoms - 1
    conso = files["MRCONSO.RRF"]
    assert facts.concepts == len({row["CUI"] for row in conso})
    for found, column in ((facts.languages, "LAT"), (facts.sources, "SAB"), (facts.suppression, "SUPPRESS")):
        assert found == dict(Counter(row[column] for row in conso))
    assert facts.relations == dict(Counter(row["SUPPRESS"] for row in files["MRREL.RRF"]))
    assert facts.retired == dict(Counter(row["REL"] for row in files["MRCUI.RRF"]))


@pytest.fixture(params=[250_000, 700], ids=["one block", "many blocks"])
def meta(request, tmp_path, monkeypatch):
    monkeypatch.setattr(synthetic_rrf, "BLOCK", request.param)
    write_meta(tmp_path / "META", atoms=5000, relations=6001, seed=1, terms=TERMS)
    return tmp_path / "META"


def test_identifiers_hold_the_files_together(meta):
    conso = list(rows_of(meta, "MRCONSO.RRF"))
    owner = {row["AUI"]: row["CUI"] for row in conso}
    assert len(owner) == len(conso)
    assert [row["CUI"] for row in conso] == sorted(row["CUI"] for row in conso)
    for row in rows_of(meta, "MRREL.RRF"):
        assert owner[row["AUI1"]] == row["CUI1"]
        assert owner[row["AUI2"]] == row["CUI2"]
    concepts = set(owner.values())
    assert {row["CUI"] for row in rows_of(meta, "MRSTY.RRF")} == concepts
    retired = {row["CUI1"] for row in rows_of(meta, "MRCUI.RRF")}
    assert retired
    assert not retired & concepts
    assert {row["CUI2"] for row in rows_of(meta, "MRCUI.RRF")} - {""} <= concepts | retired
    for name, column in (("MRREL.RRF", "RUI"), ("MRSTY.RRF", "ATUI"), ("MRCUI.RRF", "CUI1")):
        values = [row[column] for row in rows_of(meta, name)]
        assert len(set(values)) == len(values)


def test_each_language_of_a_concept_has_one_preferred_form(meta):
    preferred = Counter()
    languages = defaultdict(set)
    for row in rows_of(meta, "MRCONSO.RRF"):
        preferred[row["CUI"], row["LAT"]] += (row["TS"], row["STT"], row["ISPREF"]) == ("P", "PF", "Y")
        languages[row["CUI"]].add(row["LAT"])
    assert set(preferred.values()) == {1}
    assert any(len(found) > 2 for found in languages.values())


def test_relations_come_in_both_directions(meta):
    rows = list(rows_of(meta, "MRREL.RRF"))
    inverse = {"isa": "inverse_isa", "has_ingredient": "ingredient_of"}
    assert {row["RELA"] for row in rows} >= {*inverse, *inverse.values(), ""}
    known = {(row["CUI1"], row["RELA"], row["CUI2"]) for row in rows}
    last = rows[-1]  # an odd number of rows leaves the last one alone
    for row in rows[:-1]:
        if row["RELA"] in inverse and row["RUI"] != last["RUI"]:
            assert (row["CUI2"], inverse[row["RELA"]], row["CUI1"]) in known
            assert (row["REL"] == "CHD") == (row["RELA"] == "isa")


def test_ranks_and_columns_describe_the_files(meta):
    ranks = {(row["SAB"], row["TTY"], row["SUPPRESS"]): int(row["RANK"]) for row in rows_of(meta, "MRRANK.RRF")}
    assert len(set(ranks.values())) == len(ranks)
    assert {(row["SAB"], row["TTY"], "N") for row in rows_of(meta, "MRCONSO.RRF")} <= set(ranks)
    described = {row["FIL"]: row for row in rows_of(meta, "MRFILES.RRF")}
    assert {name: row["FMT"] for name, row in described.items()} == COLUMNS
    for name, row in described.items():
        if name != "MRFILES.RRF":
            assert int(row["BTS"]) == (meta / name).stat().st_size
            assert int(row["RWS"]) == len(list(rows_of(meta, name)))
    columns = {(row["FIL"], row["COL"]) for row in rows_of(meta, "MRCOLS.RRF")}
    assert columns == {(name, column) for name, text in COLUMNS.items() for column in text.split(",")}


def test_strings_are_mostly_distinct_and_hard(meta):
    texts = [row["STR"] for row in rows_of(meta, "MRCONSO.RRF")]
    assert len(set(texts)) > 0.8 * len(texts)
    assert any('"' in text for text in texts)
    assert any(not text.isascii() for text in texts)
    by_concept = defaultdict(set)
    for row in rows_of(meta, "MRCONSO.RRF"):
        by_concept[row["CUI"]].add(row["STR"])
    assert any(len({text.lower() for text in found}) < len(found) for found in by_concept.values())


def test_same_seed_same_bytes(tmp_path):
    digests = []
    for name, seed in (("one", 5), ("two", 5), ("other", 6)):
        write_meta(tmp_path / name, atoms=500, relations=600, seed=seed, terms=TERMS)
        digests.append({file: hashlib.sha256((tmp_path / name / file).read_bytes()).digest() for file in COLUMNS})
    assert digests[0] == digests[1]
    same = {file for file in COLUMNS if digests[0][file] == digests[2][file]}
    assert same == {"MRRANK.RRF", "MRCOLS.RRF"}


def test_impossible_sizes_are_refused(tmp_path):
    for atoms, relations, terms in ((0, 0, TERMS), (1, -1, TERMS), (1, 0, [])):
        with pytest.raises(TermgaugeError, match="at least one atom"):
            write_meta(tmp_path / "META", atoms=atoms, relations=relations, terms=terms)
    assert not list(tmp_path.iterdir())
