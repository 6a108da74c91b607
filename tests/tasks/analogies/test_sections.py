"""Tables and figures of analogies say what was counted."""

from __future__ import annotations

import numpy as np
import pytest

import termgauge as tg
from termgauge.domain.domain import Domain
from termgauge.reporting.blocks import Figure, Prose, Table
from termgauge.reporting.plots.drawing import svg
from termgauge.tasks.analogies.sections import analogy_sections
from termgauge.tasks.contract import About
from tests.domain.tables import Concepts
from tests.domain.terminologies import terminology_of
from tests.engine.toy_models import ToyTerms
from tests.tasks.pairs.sections.drawn import check_drawing

PAIRS = [(str(number), str(number + 10)) for number in range(8)]


@pytest.fixture(scope="module")
def result():
    generator = np.random.default_rng(1)
    names = [str(number) for number in range(40)]
    edges = [(x, "treats", y) for x, y in PAIRS] + [("30", "rare", "31"), ("32", "rare", "99")]
    models = []
    for place, noise in enumerate((0.01, 0.5, 1, 2, 4)):
        matrix = generator.standard_normal((40, 6))
        matrix[:10] = matrix[10:20] + np.arange(6) + noise * generator.standard_normal((10, 6))
        models.append(Concepts(names, matrix, name=f"model {place}"))
    terminology = terminology_of({str(number): [f"term {number}"] for number in range(40)}, edges)
    domain = Domain(tuple(names), tuple(names))
    return tg.analogies(terminology, [*models, ToyTerms()], domain=domain, k=(3, 1), inverse=False)


def test_sections(result):
    (section,) = analogy_sections(result, About("Toys"))
    kinds = [type(block) for block in section.blocks]
    standard = [Prose, Table, Table, Prose, Table]  # verdict, ranking and differences; of the encoder alone
    assert kinds[:13] == [*standard, Prose, *[Figure] * 7]  # three for each sort of models, and |W|
    tables = [block for block in section.blocks if getattr(block, "id", "") in ("analogies-toys-1", "analogies-toys-2")]
    assert len(tables) == 2
    shown = {}
    for table in tables:
        for row in table.rows:
            assert len(row) == len(table.columns)
            shown |= {
                (row[0].text, column.group, column.heading): cell.value
                for column, cell in zip(table.columns[2:], row[2:], strict=True)
            }
    for model, about in result.models.items():
        for relation, figures in about.relations.items():
            assert shown[relation, model, "M"] == figures.coverage
            assert shown[relation, model, "AR"] == figures.successes
            assert shown[relation, model, "|IV|"] == figures.in_vocabulary
    ids = [block.id for block in section.blocks if not isinstance(block, Prose)]
    assert len(set(ids)) == len(ids)
    for block in section.blocks:
        if isinstance(block, Figure):
            check_drawing(block)
    verdict, encoders, about = (" ".join(each.paragraphs) for each in section.blocks if isinstance(each, Prose))
    assert verdict == result.joint.verdict
    assert encoders == result.encoders.verdict
    assert "Without a vocabulary of words: **encoder**." in about
    ranking = next(block for block in section.blocks if getattr(block, "id", "") == "ranking-analogies-toys")
    assert [row[0].text for row in ranking.rows] == [each.model for each in result.joint.ranking]


def test_nothing_holds():
    names = ["1", "2", "3", "4", "5"]
    terminology = terminology_of({}, [("1", "treats", "2"), ("1", "treats", "3")])
    model = Concepts(names, np.eye(5))
    result = tg.analogies(terminology, [model], domain=Domain(("1",), ("1",)), k=(1,), inverse=False)
    (section,) = analogy_sections(result, About("Toys"))
    assert "No analogy holds in any model." in section.blocks[2].paragraphs


@pytest.mark.filterwarnings("ignore::termgauge.exceptions.TermgaugeWarning")
def test_zeros_are_shown_where_no_model_knows_anything():
    terminology = terminology_of({}, [("1", "treats", "2"), ("1", "treats", "3")])
    models = [Concepts(["8", "9"], np.eye(2))]
    result = tg.analogies(terminology, models, domain=Domain(("1",), ("1",)), inverse=False)
    (section,) = analogy_sections(result, About())
    assert section.title == "Relations as analogies"
    assert "No two pairs of any relation are in the vocabulary of **table**" in " ".join(section.blocks[2].paragraphs)
    _ranking, table = [block for block in section.blocks if isinstance(block, Table)]
    assert [cell.text for cell in table.rows[0]] == ["treats", "2", "0", "0", "0"]


def test_inverses_and_many_models_can_be_told_apart_in_pictures():
    names = [str(number) for number in range(12)]
    terminology = terminology_of({}, [(str(each), "treats", str(each + 6)) for each in range(6)])
    generator = np.random.default_rng(3)
    models = [Concepts(names, generator.standard_normal((12, 4)), name=f"model {place}") for place in range(20)]
    result = tg.analogies(terminology, models, domain=Domain(tuple(names), tuple(names)), k=(3,))
    (section,) = analogy_sections(result, About("Toys"))
    figure = next(block for block in section.blocks if isinstance(block, Figure))
    assert figure.caption.endswith("←: the inverse of a relation.")
    assert "← treats" in svg(figure)
