"""What readers pass over is counted, with a few examples of each."""

from __future__ import annotations

import pytest

from termgauge.terminology import read_terminology
from termgauge.terminology.model import MOST_EXAMPLES, Skipped, Tally
from tests.samples import WRITERS
from tests.terminology.rf2_factory import STATED, Release

pytestmark = pytest.mark.filterwarnings("ignore::termgauge.exceptions.TermgaugeWarning")


def skipped(source, **options):
    return {each.what: each for each in read_terminology(source, cache=False, **options).skipped}


def test_few_examples_of_many_things():
    tally = Tally()
    for number in range(20):
        tally.add("things", f"thing {number}")
    tally.add("others", count=0)
    tally.add("more", count=3)
    things, more = tally.skipped()
    assert (things.count, things.examples) == (20, tuple(f"thing {number}" for number in range(MOST_EXAMPLES)))
    assert more == Skipped("more", 3)


def test_an_example_is_one_short_line():
    tally = Tally()
    tally.add("odd things", f"thing\n1 {'x' * 500}")
    (one,) = tally.skipped()[0].examples
    assert one.startswith("thing 1 x")
    assert len(one) == 120


def test_obo(tmp_path):
    path = WRITERS["obo"](tmp_path)
    path.write_text(
        path.read_text() + '\n[Term]\nid: T:9\nsynonym: "" EXACT []\nnonsense\nxref: X:1\n\n[Term]\nname: x\n'
    )
    found = skipped(path)
    lines = path.read_text().splitlines()
    at = lines.index("nonsense") + 1
    assert found["lines that make no sense in OBO"].examples == (f"line {at}: nonsense",)
    assert found["synonyms without text"].examples == (f'line {at - 1}: synonym: "" EXACT []',)
    assert found["clauses that are not used: xref"].count == 1
    assert found["clauses that are not used: def"].count == sum(line.startswith("def:") for line in lines)
    assert found["terms without an id"].count == 1


def test_rf2(tmp_path):
    release = Release()
    release.concept("1", "20180131")
    release.name("1", "11", "Fever (finding)", "20180131")
    release.description("1", "12", "of another type", "20180131", type_="77")
    release.relationship("1", "116680003", "1", "20180131", characteristic=STATED, id_="r1")
    release.association("1", "1", "20180131", refset="88", id_="m1")
    release.write(tmp_path)
    found = skipped(tmp_path)
    assert found["descriptions of unknown types"].examples == ("id 12, typeId 77",)
    assert found["active relationships that are not inferred"].count == 1
    assert found["associations that are no replacements"].examples == ("id m1, refsetId 88",)


def test_rrf(tmp_path):
    path = WRITERS["rrf"](tmp_path)
    conso = path / "META" / "MRCONSO.RRF"
    conso.write_text(conso.read_text() + "C0000003|ENG|S|L7|PF|S7|Y|A7||||MSH|EN|D3||0|N||\n")
    found = skipped(path)
    assert found["atoms without text"].count == 1
    assert found["relations that are suppressed or lack a concept"].count == 1
    assert (
        found["retired concepts without a concept that stands for them"].examples[0].startswith("MRCUI.RRF: C0000007|")
    )


def test_table(tmp_path):
    path = WRITERS["table"](tmp_path)
    (path / "words.tsv").write_text((path / "words.tsv").read_text() + "C9\t\t\t\t\n")
    (path / "links.tsv").write_text((path / "links.tsv").read_text() + "C1\t\tC2\n")
    found = skipped(path)
    assert found["rows without concept or term"].examples == ("words.tsv, row 7",)
    assert found["relations without source, type or target"].count == 1


@pytest.mark.parametrize("kind", WRITERS)
def test_the_cache_keeps_it(kind, tmp_path):
    source = WRITERS[kind](tmp_path)
    fresh = read_terminology(source, cache=False).skipped
    assert read_terminology(source).skipped == read_terminology(source).skipped == fresh
