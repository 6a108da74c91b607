"""The audit of reading."""

from __future__ import annotations

import json
from dataclasses import replace

import polars as pl
import pytest

import termgauge as tg
from termgauge.terminology.check import check_terminology
from termgauge.terminology.model import Skipped, conform
from tests.domain.terminologies import terminology_of
from tests.samples import WRITERS

pytestmark = pytest.mark.filterwarnings("ignore::termgauge.exceptions.TermgaugeWarning")


def odd():
    """Return a terminology with one of each thing that is looked for."""
    made = terminology_of(
        {
            "A": ["fever", "Fever", "pyrexia"],
            "B": ["pyrexia", "bell\x07", "e\u0301tat"],
            "C": [],
            "D": ["old"],
            "E": ["end"],
        },
        [("A", "is_a", "B"), ("B", "is_a", "A"), ("A", "is_a", "nowhere"), ("nobody", "treats", "E")],
    )
    more = pl.DataFrame({"concept": ["E", "Z"], "text": ["the end", "lost"], "kind": ["fsn", "synonym"]})
    rows = more.with_columns(rank=0, active=True)
    replacements = pl.DataFrame(
        {"old": ["D", "D", "Q"], "new": ["gone", "D", "A"], "reason": ["same-as", "replaced-by", "same-as"]}
    )
    return replace(
        made,
        concepts=made.concepts.with_columns(active=made.concepts["concept"] != "D"),
        terms=pl.concat([made.terms, conform(rows, "terms")]),
        replacements=conform(replacements, "replacements"),
        skipped=(Skipped("lines", 2, ("line 3",)),),
    )


EXPECTED = {
    "relations whose source is not there": "nobody treats E",
    "relations whose target is not there": "A is_a nowhere",
    "replacements whose replaced concept is not there": "Q by A",
    "replacements whose replacing concept is not there": "D by gone",
    "replacements by a concept that is itself retired": "D by D",
    "terms of concepts that are not there": "Z: lost",
    "cycles in the hierarchy": "A > B > A",
    "active concepts without a name": "C",
    "concepts with several preferred names in one language": "E: end | the end",
    "texts that are a term of several active concepts": "pyrexia: A, B",
    "terms of one concept that differ in case only": "A: fever | Fever",
    "terms with control characters": "B: bell\ufffd",
    "terms that are not in Unicode's normal form C": "B: e\u0301tat",
}


def test_one_of_each_is_found():
    checked = check_terminology(odd())
    assert {each.what: each.examples for each in checked.found} == {what: (shown,) for what, shown in EXPECTED.items()}
    assert all(each.count == 1 for each in checked.found)
    assert checked.skipped == (Skipped("lines", 2, ("line 3",)),)


def test_forms_of_the_result():
    checked = tg.check_terminology(odd())
    frame = checked.to_frame()
    assert frame.height == 1 + len(EXPECTED)
    assert frame.row(0) == ("skipped", "lines", 2, "line 3")
    assert "<table" in checked._repr_html_()
    assert repr(checked) == "<check of made: 2 things passed over, 13 kinds of oddities>"
    assert json.loads(json.dumps(checked.summary()))["found"][0]["count"] == 1


def test_a_clean_terminology_has_nothing_to_tell():
    checked = check_terminology(terminology_of({"A": ["fever", "pyrexia"], "B": ["cough"]}, [("A", "is_a", "B")]))
    assert (checked.skipped, checked.found) == ((), ())


def test_the_command(tmp_path, run):
    source = WRITERS["obo"](tmp_path)
    source.write_text(source.read_text() + "\n[Term]\nid: T:9\nname: loop\nis_a: T:9\nis_a: T:77\nnonsense\n")
    status, out, _err = run("terminology", source, "--check", "--json")
    document = json.loads(out)
    assert status == 0
    assert set(document) == {"terminology", "skipped", "found", "languages"}
    found = {each["what"]: each for each in document["found"]}
    assert found["cycles in the hierarchy"] == {
        "what": "cycles in the hierarchy",
        "count": 1,
        "examples": ["T:9 > T:9"],
    }
    assert found["relations whose target is not there"]["examples"] == ["T:9 is_a T:77"]
    assert "lines that make no sense in OBO" in {each["what"] for each in document["skipped"]}
    status, out, _err = run("terminology", source, "--check")
    assert status == 0
    assert "T:9 is_a T:77" in out
