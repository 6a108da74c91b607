from __future__ import annotations

import pytest

from termgauge.benchmark.build import build
from termgauge.io.store import Entry
from termgauge.reporting.about_data import (
    benchmark_section,
    cache_section,
    human_set_section,
    human_sets_section,
    terminology_document,
)
from termgauge.reporting.blocks import Prose
from termgauge.terminology import read_terminology
from tests.samples import write_obo
from tests.tasks.pairs.sections.drawn import cells_of


def test_a_terminology(tmp_path):
    terminology = read_terminology(write_obo(tmp_path))
    summary = terminology.summary()
    made = terminology_document(terminology)
    tables = {table.id: table for table in made.tables()}
    totals = {row["What"].text: (row["All"].value, row["Active"].value) for row in cells_of(tables["totals"])}
    assert totals["Concepts"] == (summary["concepts"], summary["active_concepts"])
    assert totals["Terms"] == (summary["terms"], summary["active_terms"])
    assert {row["Kind of term"].text: row["Count"].value for row in cells_of(tables["kind-of-term"])} == summary[
        "kinds"
    ]
    assert terminology.identity.version in made.title
    named = {row["Concept"].text: row["Name"].text for row in cells_of(tables["examples"])}
    assert named
    assert set(named.items()) <= set(terminology.concepts.select("concept", "name").iter_rows())
    assert all(table.rows for table in made.tables())


@pytest.mark.filterwarnings("ignore::termgauge.exceptions.TermgaugeWarning")
def test_a_benchmark_has_a_row_for_each_kind_and_difficulty(tmp_path):
    made = build(write_obo(tmp_path), tmp_path / "out", force=True)
    (table,) = benchmark_section(made).blocks
    records = list(made.manifest.files.values())
    wanted = dict.fromkeys((record.kind, record.difficulty) for record in records)
    assert [(row["Set"].text, row["Difficulty"].text) for row in cells_of(table)] == list(wanted)
    for row in cells_of(table):
        own = [each for each in records if (each.kind, each.difficulty) == (row["Set"].text, row["Difficulty"].text)]
        assert row["Pairs"].value in {each.pairs for each in own}
        assert row["Mean edit distance positive"].value == own[0].statistics.mean_distance_positives


def test_human_sets():
    row = {
        "id": "human/x",
        "pairs": 1234,
        "scale": "0-1",
        "status": "here",
        "title": "X",
        "concepts": ["a", "b"],
        "path": None,
    }
    (table,) = human_sets_section([row]).blocks
    assert [cell.text for cell in table.rows[0]] == ["human/x", "1,234", "0-1", "here", "X"]
    (table,) = human_set_section(row).blocks
    values = {name.text: value.text for name, value in table.rows}
    assert list(values) == list(row)
    assert (values["concepts"], values["path"], values["pairs"]) == ("a, b", "–", "1234")


def test_the_cache(tmp_path):
    entries = [Entry("vectors", "a", tmp_path, 1500, 0.0), Entry("vectors", "b", tmp_path, 500, 86400.0)]
    section = cache_section(entries, "/cache")
    assert section.title == "Cache in /cache"
    (table,) = section.blocks
    (row,) = table.rows
    assert [cell.text for cell in row[:3]] == ["vectors", "2", "2 kB"]
    assert row[3].text.startswith("1970-01-0")
    assert isinstance(cache_section([], "/cache").blocks[0], Prose)
