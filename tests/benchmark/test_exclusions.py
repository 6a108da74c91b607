"""Negatives that an audit found to be synonyms are left out; all else is drawn as before."""

from __future__ import annotations

import hashlib
import json

import pytest

import termgauge as tg
from termgauge.benchmark.exclusions import read_exclusions
from termgauge.exceptions import TermgaugeError
from tests.domain.terminologies import terminology_of

ORGANS = ("kidney", "liver", "heart", "lung", "spleen", "brain", "skin", "hand")
LABELS = {f"c{at}": [f"Tumor of {organ}", f"{organ} tumor"] for at, organ in enumerate(ORGANS)}
LABELS |= {f"d{at}": [f"Tumors of {organ}", f"{organ} tumors"] for at, organ in enumerate(ORGANS)}
pytestmark = pytest.mark.filterwarnings("ignore::termgauge.exceptions.TermgaugeWarning")
HEADER = "list,rank,kind,concept1,term1,concept2,term2,relation,verdict"


def table(tmp_path, *rows, header=HEADER):
    path = tmp_path / "audit.csv"
    path.write_text("\n".join([header, *rows, ""]))
    return path


def row(at, verdict="", relation="", kind="plural", which="missed"):
    organ = ORGANS[at]
    return f"{which},1,{kind},c{at},TUMOR of {organ},d{at},tumors OF {organ},{relation},{verdict}"


def negatives(folder):
    found = set()
    for file in folder.glob("*.tsv"):
        for line in file.read_text().splitlines():
            one, other, label = line.split("\t")
            if label == "0":
                found.add(frozenset((one.lower(), other.lower())))
    return found


def test_refused_pairs_are_no_negatives_and_the_manifest_says_so(tmp_path):
    plain, less = tmp_path / "plain", tmp_path / "less"
    path = table(tmp_path, *(row(at) for at in range(len(ORGANS))))
    tg.build(terminology_of(LABELS), plain)
    made = tg.build(terminology_of(LABELS), less, without=str(path))
    refused = {
        frozenset((one.lower(), other.lower()))
        for at in range(len(ORGANS))
        for one in LABELS[f"c{at}"]
        for other in LABELS[f"d{at}"]
    }
    assert negatives(plain) & refused
    assert not negatives(less) & refused
    assert negatives(less)
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    assert made.manifest.options["without"] == {"sha256": digest, "rows": len(ORGANS)}
    assert f"{4 * len(ORGANS)} pairs of terms that an audit found" in made.manifest.notes[0]


def test_a_table_that_refuses_nothing_changes_no_set(tmp_path):
    plain, same = tmp_path / "plain", tmp_path / "same"
    tg.build(terminology_of(LABELS), plain)
    tg.build(terminology_of(LABELS), same, without=str(table(tmp_path)))
    files = sorted(file.name for file in plain.glob("*.tsv"))
    assert files
    assert all((plain / name).read_bytes() == (same / name).read_bytes() for name in files)
    assert "without" not in json.loads((plain / "benchmark.json").read_text())["options"]


def test_another_table_is_another_benchmark(tmp_path):
    out = tmp_path / "out"
    for _again in range(2):
        tg.build(terminology_of(LABELS), out, without=str(table(tmp_path, row(0))))
    with pytest.raises(TermgaugeError, match="holds another benchmark"):
        tg.build(terminology_of(LABELS), out, without=str(table(tmp_path, row(1))))


def test_which_rows_count(tmp_path):
    path = table(
        tmp_path,
        row(0),
        row(1, verdict="wrong"),
        row(2, verdict="Right", relation="siblings", kind="models find them alike"),
        row(3, relation="siblings"),
        row(4, kind="models find them alike"),
        row(5, which="unlike"),
        row(6, verdict="seen"),
    )
    without = read_exclusions(path)
    assert {one for one, _other in without.concepts} == {"c0", "c2", "c6"}
    assert ("tumor of kidney", "tumors of kidney") in without.terms


def test_a_table_saved_by_a_spreadsheet_is_read(tmp_path):
    path = tmp_path / "audit.csv"
    path.write_bytes(b"\xef\xbb\xbf" + f"{HEADER}\r\nmissed,1,plural,a,'=fever,b,\"'=fevers, high\",,\r\n".encode())
    assert read_exclusions(path).terms == {("=fever", "=fevers, high")}


def test_what_an_audit_writes_is_read(tmp_path):
    labels = {"a": ["Hypoplastic metacarpal"], "b": ["Hypoplastic metacarpals"]}
    written, _page = tg.audit(terminology_of(labels)).write(tmp_path)
    assert read_exclusions(written).concepts == {("a", "b")}


@pytest.mark.parametrize(
    ("content", "why"),
    [
        ("list,term1\n", "lacks the columns concept1, concept2, term2; name the audit.csv"),
        ("", "is empty"),
        (f"{HEADER}\n{row(0, verdict='maybe')}\n", "line 2: 'maybe' is no verdict"),
        (f"{HEADER}\nmissed,1,plural,a\n", "line 2: has 4 columns instead of 9"),
        (f'{HEADER}\nmissed,"1\n', "cannot be read as a table"),
    ],
)
def test_what_is_no_table_of_an_audit_is_refused(tmp_path, content, why):
    path = tmp_path / "audit.csv"
    path.write_text(content)
    with pytest.raises(TermgaugeError, match=why):
        read_exclusions(path)
    with pytest.raises(TermgaugeError, match="there is no such file"):
        read_exclusions(tmp_path / "none.csv")
