"""The UMLS as a mapping."""

from __future__ import annotations

import polars as pl

from termgauge.io.source import files_of
from termgauge.terminology.mappings import MAPPING_FORMS

FORM = MAPPING_FORMS["mrconso"]

ATOMS = [
    ("C1", "SNOMEDCT_US", "22298006", "N"),
    ("C1", "ICD10CM", "I21.9", "N"),
    ("C1", "MSH", "D009203", "N"),
    ("C2", "SNOMEDCT_US", "38341003", "N"),
    ("C2", "ICD10CM", "I10", "N"),
    ("C2", "ICD10CM", "I10.OLD", "O"),
    ("C3", "SNOMEDCT_US", "230690007", "N"),
    ("C3", "MSH", "D020521", "N"),
    ("C4", "LNC", "I10", "N"),
    ("C4", "SNOMEDCT_US", "999", "N"),
]


def read(tmp_path, first, second):
    lines = (f"{cui}|ENG|P|L|PF|S|Y|A||||{sab}|PT|{code}|text|0|{state}||\n" for cui, sab, code, state in ATOMS)
    (tmp_path / "MRCONSO.RRF").write_text("".join(lines))
    (file,) = files_of(tmp_path / "MRCONSO.RRF")
    assert FORM.sniff(file)
    return sorted(FORM.read(file, pl.Series(first), pl.Series(second))[0].rows())


def test_codes_of_one_cui_are_the_same(tmp_path):
    snomed, icd = ["22298006", "38341003", "230690007", "999"], ["I21.9", "I10", "I10.OLD"]
    assert read(tmp_path, snomed, icd) == [("22298006", "I21.9", "exact"), ("38341003", "I10", "exact")]
    assert read(tmp_path, icd, snomed) == [("I10", "38341003", "exact"), ("I21.9", "22298006", "exact")]


def test_prefixes_and_cuis(tmp_path):
    assert read(tmp_path, ["ICD10CM:I10"], ["MESH:D009203", "22298006", "38341003"]) == [
        ("ICD10CM:I10", "38341003", "exact")
    ]
    assert read(tmp_path, ["C1", "C3"], ["D009203", "D020521"]) == [
        ("C1", "D009203", "exact"),
        ("C3", "D020521", "exact"),
    ]
    assert read(tmp_path, ["nothing"], ["D009203"]) == []
