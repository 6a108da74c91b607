from __future__ import annotations

import pytest

from termgauge.reporting.blocks import Figure, Prose, Table
from termgauge.reporting.plots.drawing import svg
from termgauge.tasks.contract import About
from termgauge.tasks.coverage.sections import coverage_sections
from tests.domain.tables import Words
from tests.tasks.coverage.made_up import result_of, three_models
from tests.tasks.pairs.sections.drawn import check_drawing


@pytest.fixture(scope="module")
def result():
    return three_models()


def sections_of(result):
    return tuple(coverage_sections(result, About("lungs")))


def blocks(sections, kind):
    return [block for section in sections for block in section.blocks if isinstance(block, kind)]


def test_all_that_the_paper_shows_is_there(result):
    sections = sections_of(result)
    assert [section.title for section in sections] == [
        "Coverage of a domain: lungs",
        "More or fewer neighbours",
        "Seeds that models lack",
        "Maps of the domain",
    ]
    assert [section.level for section in sections] == [2, 3, 3, 3]
    ids = [section.id for section in sections] + [block.id for block in blocks(sections, Table | Figure)]
    assert len(set(ids)) == len(ids)


def test_tables_say_what_was_found(result):
    ranking, differences, alone, main, over_k, missing = blocks(sections_of(result), Table)
    assert [row[0].text for row in ranking.rows] == [each.model for each in result.joint.ranking]
    assert len(differences.rows) == 1
    assert [row[0].text for row in alone.rows] == ["encoder"]
    full = result.models["full"]
    row = next(row for row in main.rows if row[0].text == "full")
    assert [cell.text for cell in row[2:6]] == ["0", "0.0", "30", "100.0"]
    assert str(row[5].against) == "+1"
    assert row[5].best
    assert row[6].text == f"{100 * full.at(10).cg:.1f}"
    assert row[6].interval[:2] == tuple(100 * end for end in full.at(10).cg_interval)
    assert [each[7].value for each in main.rows] == [result.models[each[0].text].at(10).posdcg for each in main.rows]
    assert len(over_k.columns) == 1 + 4
    assert len(over_k.rows) == 3
    assert [row[0].text for row in missing.rows] == [f"c{place}" for place in range(15, 30)]
    assert [column.heading for column in missing.columns[2:]] == [row[0].text for row in main.rows]
    ticks = dict(zip([column.heading for column in missing.columns], missing.rows[0], strict=True))
    assert {name: ticks[name].text for name in ("half", "full", "encoder")} == {"half": "", "full": "✓", "encoder": "✓"}


def test_encoders_are_apart(result):
    sections = sections_of(result)
    text = " ".join(part for block in blocks(sections, Prose) for part in block.paragraphs)
    assert "Without a vocabulary of words: **encoder**." in text
    assert result.joint.verdict in text
    assert "encoder alone was measured: posDCG at 10" in text
    dots = [figure for figure in blocks(sections, Figure) if figure.id.startswith("coverage-dots")]
    assert [figure.data["model"].to_list() for figure in dots][1] == ["encoder"]
    main = next(table for table in blocks(sections, Table) if table.id == "coverage-values-lungs")
    assert main.rows[-1][0].text == "encoder"


def test_figures_are_drawn(result):
    figures = blocks(sections_of(result), Figure)
    assert len(figures) == 2 + 2 + 3
    for figure in figures:
        check_drawing(figure)
        assert figure.data.height


def test_maps_have_tips(result):
    figure = next(each for each in blocks(sections_of(result), Figure) if each.id.endswith("map-lungs-full"))
    text = svg(figure)
    assert "w3: w3 (c3)" in text
    assert "w40: no seed" in text


@pytest.mark.filterwarnings("ignore::termgauge.exceptions.TermgaugeWarning")
def test_little_is_shown_too():
    unknown = Words(["x", "y"], name="nothing")
    sections = sections_of(result_of([unknown], k=(3,)))
    text = " ".join(part for block in blocks(sections, Prose) for part in block.paragraphs)
    assert "None of the seeds is in the vocabulary of **nothing**" in text
    for figure in blocks(sections, Figure):
        check_drawing(figure)
    assert [section.id for section in sections] == ["coverage-lungs", "coverage-missing-lungs"]
