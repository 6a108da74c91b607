from __future__ import annotations

import pytest

import termgauge as tg
from termgauge.reporting.blocks import Figure, Table
from termgauge.tasks.contract import About
from termgauge.tasks.records import ModelDescription
from termgauge.tasks.vocabulary.measure import vocabulary_sections
from tests.domain.tables import Words
from tests.engine.toy_models import WORDS, ToyPairs, graded_set
from tests.tasks.pairs.sections.drawn import cells_of, check_drawing


def words(name, known):
    return Words(WORDS[:known], name=name)


def section_of(result, **about):
    (section,) = vocabulary_sections(result, About(**about))
    return section


@pytest.fixture(scope="module")
def result():
    return tg.vocabulary([words("most", 10), words("some", 1), ToyPairs()], [graded_set()], missing=3)


def test_tables_say_what_was_found(result):
    section = section_of(result)
    tables = {block.id: block for block in section.blocks if isinstance(block, Table)}
    assert len({block.id for block in section.blocks}) == len(section.blocks)
    overlap = {row[0].text: row for row in tables["vocabulary-overlaps"].rows}
    assert overlap["most"][2].value == 1
    assert overlap["some"][1].value == 0.1
    assert "own" not in overlap
    sizes = [row["Words"].value for row in cells_of(next(iter(tables.values())))]
    assert sizes[:2] == [10, 1]
    coverage = cells_of(tables["vocabulary-coverage"])[0]
    assert coverage["most"].value == result.models[0].coverage["toy/graded"] > coverage["some"].value
    text = str(section)
    for each in result.models[1].unknown:
        assert f"{each.word} ({each.terms})" in text


def test_what_an_experiment_says_about_models_and_averages_over_medical_ones():
    models = [words("most", 10), words("some", 1), words("few", 4)]
    result = tg.vocabulary(models, [graded_set()])
    plain = {block.id: block for block in section_of(result).blocks}
    assert "Corpus" not in [column.heading for column in plain["vocabularies"].columns]
    described = {
        "most": ModelDescription(date="2013", corpus="PubMed", tokens="2.9B", method="skip-gram", medical=True),
        "few": ModelDescription(medical=True),
    }
    tables = {block.id: block for block in section_of(result, described=described).blocks}
    first, second, _ = cells_of(tables["vocabularies"])
    said = [first[name].text for name in ("Date", "Corpus", "Tokens", "Method")]
    assert said == ["2013", "PubMed", "2.9B", "skip-gram"]
    assert second["Corpus"].text == ""
    overlap = {
        row["Share of the column's words that it has"].text: row for row in cells_of(tables["vocabulary-overlaps"])
    }
    averages = dict(zip(("most", "some", "few"), result.average_overlap, strict=True))
    assert {name: row["Average All"].value for name, row in overlap.items()} == pytest.approx(averages)
    assert overlap["some"]["Average Medical"].value == pytest.approx((1 / 10 + 1 / 4) / 2)
    assert overlap["most"]["Average Medical"].value == 1  # of the other medical one alone
    (coverage,) = cells_of(tables["vocabulary-coverage"])
    assert coverage["Average Medical"].value == pytest.approx((coverage["most"].value + coverage["few"].value) / 2)
    assert "Average Medical" not in cells_of(plain["vocabulary-overlaps"])[0]


def test_the_overlap_is_drawn(result):
    (figure,) = [block for block in section_of(result).blocks if isinstance(block, Figure)]
    check_drawing(figure)
    assert "most has 100% of the words of some" in figure.description
    assert figure.data.height == 2


def test_one_model_has_no_overlap():
    section = section_of(tg.vocabulary([words("most", 10)]))
    assert not [block for block in section.blocks if isinstance(block, Figure)]
    (table,) = section.blocks
    assert table.rows[0][0].text == "most"
