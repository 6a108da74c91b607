from __future__ import annotations

import numpy as np
import pytest

from termgauge.statistics.compare import compare
from termgauge.tasks.categories.members import Category
from termgauge.tasks.categories.result import (
    CategoryResult,
    CategorySummary,
    Separation,
    cosine_separation,
    outcomes_of,
)
from termgauge.tasks.categories.sections import category_sections
from termgauge.tasks.contract import About
from tests.tasks.pairs.sections.drawn import cells_of


@pytest.fixture
def result():
    generator = np.random.default_rng(0)
    terms = {name: tuple(f"{name}{at}" for at in range(9)) for name in "abc"}
    categories = {
        name.upper(): CategorySummary.from_category(Category(f"<{name}>", some, (), some, 20))
        for name, some in terms.items()
    }
    counted = {}
    for place, model in enumerate(("good", "poor")):
        parts = [generator.normal(size=(9, 6)) + (0 if letter == 2 else 3 * (1 - place)) for letter in range(3)]
        counted[model] = cosine_separation(*parts)
    owners = np.arange(27)
    models = {model: {"cos": Separation.of(each, owners, 0.05)} for model, each in counted.items()}
    joint = compare([outcomes_of(counted, owners)]).main
    return CategoryResult(categories=categories, shared_terms=3, models=models, joint=joint)


def blocks_of(section):
    return {getattr(block, "id", "prose" if at else "verdict"): block for at, block in enumerate(section.blocks)}


def test_the_table_says_what_was_found(result):
    blocks = blocks_of(*category_sections(result, About("procedures", {"poor": "random"})))
    rows = {row["Model"].text: row for row in cells_of(blocks["category-values-procedures"])}
    for model, by_measure in result.models.items():
        assert rows[model]["Overlap"].value == by_measure["cos"].overlap
        assert rows[model]["Mean similarity AC"].value == by_measure["cos"].means["AC"]
        assert rows[model]["Terms encoded A"].value == by_measure["cos"].sizes[0]
    assert rows["good"]["Overlap"].best
    assert not rows["poor"]["Overlap"].best
    assert blocks["verdict"].paragraphs[0].startswith("good is best: separation (1 − overlap)")
    assert [row[0].text for row in blocks["ranking-categories-procedures"].rows] == ["good", "poor"]
    assert len(blocks["differences-categories-procedures"].rows) == 1
    assert "<c> (9 of 20 terms)" in blocks["prose"].paragraphs[0]
    assert "3 of all their terms are in more than one category" in blocks["prose"].paragraphs[0]


def test_undefined_values_are_dashes(result):
    good = result.models["good"]["cos"]
    nothing = {"overlap": None, "low": None, "high": None, "means": dict.fromkeys(good.means)}
    blank = result.model_copy(update={"models": {"good": {"cos": good.model_copy(update=nothing)}}})
    blocks = blocks_of(*category_sections(blank, About("x")))
    (row,) = cells_of(blocks["category-values-x"])
    assert row["Overlap"].text == "–"
    assert blocks["prose"].paragraphs[1] == "No model has a value."


def test_models_that_encode_other_terms_are_compared_on_those_that_all_encode(result):
    good, poor = (result.models[name]["cos"] for name in ("good", "poor"))
    few = poor.model_copy(update={"overlap": 0.01, "low": None, "high": None})
    shared = {"good": {"cos": poor}, "poor": {"cos": good}}
    models = result.models | {"few": {"cos": few}}
    blocks = blocks_of(
        *category_sections(
            result.model_copy(update={"models": models, "on_shared": shared, "too_few": ["few"]}), About("x")
        )
    )
    rows = cells_of(blocks["category-values-x"])
    assert [row["Model"].text for row in rows] == ["poor", "good", "few"]
    assert [row["On shared terms"].value for row in rows] == [good.overlap, poor.overlap, None]
    assert [row["Overlap"].value for row in rows] == [poor.overlap, good.overlap, 0.01]
    assert [row["On shared terms"].best for row in rows] == [True, False, False]
    text = " ".join(blocks["prose"].paragraphs)
    assert "compared on those that all of them encode: 9, 9, 9 of A, B and C" in text
    assert "**few** encodes less than half of a category" in text


def test_best_and_worst_measure(result):
    good, poor = (result.models[name]["cos"] for name in ("good", "poor"))
    several = result.model_copy(update={"models": {"one": {"pearson": poor, "cos": good}, "other": {"cos": good}}})
    (row,) = cells_of(blocks_of(*category_sections(several, About("x")))["category-measures-x"])
    assert row["Model"].text == "one"
    assert row["Measure, best / worst"].text == "cos / pearson"
    assert row["Overlap, best / worst"].text == f"{good.overlap:.3f} / {poor.overlap:.3f}"
    assert "category-measures-x" not in blocks_of(*category_sections(result, About("x")))
