from __future__ import annotations

import numpy as np
import pytest

from termgauge.tasks.categories.members import Category, Members
from termgauge.tasks.categories.overlap import cosine_separation
from termgauge.tasks.categories.result import CategoryResult, Separation
from termgauge.tasks.categories.sections import category_section
from tests.tasks.pairs.sections.drawn import cells_of, check_drawing


@pytest.fixture
def result():
    generator = np.random.default_rng(0)
    categories = tuple(Category(f"<{name}>", tuple(f"{name}{at}" for at in range(9)), ()) for name in "abc")
    models = {}
    for place, model in enumerate(("good", "poor")):
        parts = [generator.normal(size=(9, 6)) + (0 if letter == 2 else 3 * (1 - place)) for letter in range(3)]
        models[model] = {"cos": Separation.of(cosine_separation(*parts))}
    return CategoryResult.of(Members(categories, 3), models)


def blocks_of(section):
    return {getattr(block, "id", "prose"): block for block in section.blocks}


def test_the_table_and_the_pictures_say_what_was_found(result):
    blocks = blocks_of(category_section("procedures", result, {"poor": "random"}))
    rows = {row["Model"].text: row for row in cells_of(blocks["category-values-procedures"])}
    for model, by_measure in result.models.items():
        assert rows[model]["Overlap"].value == by_measure["cos"].overlap
        assert rows[model]["Mean similarity AC"].value == by_measure["cos"].means["AC"]
        assert rows[model]["Terms encoded A"].value == by_measure["cos"].sizes[0]
    assert rows["good"]["Overlap"].best
    assert not rows["poor"]["Overlap"].best
    assert "**good** has the lowest overlap" in blocks["prose"].paragraphs[1]
    assert "3 terms are in more than one category" in blocks["prose"].paragraphs[0]
    figures = [block for block in blocks.values() if hasattr(block, "draw")]
    assert len(figures) == 2
    for figure in figures:
        check_drawing(figure)
    assert blocks["category-means-procedures"].data.height == 10


def test_undefined_values_are_dashes(result):
    good = result.models["good"]["cos"]
    nothing = {"overlap": None, "low": None, "high": None, "means": dict.fromkeys(good.means)}
    blank = result.model_copy(update={"models": {"good": {"cos": good.model_copy(update=nothing)}}})
    blocks = blocks_of(category_section("x", blank))
    (row,) = cells_of(blocks["category-values-x"])
    assert row["Overlap"].text == "–"
    assert not any(hasattr(block, "draw") for block in blocks.values())
    assert blocks["prose"].paragraphs[1] == "No model has a value."
