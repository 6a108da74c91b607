"""What a reader is told: what is significant, and never more than so few models can show."""

from __future__ import annotations

from termgauge.reporting.blocks import Document, Figure, Prose, Table
from termgauge.reporting.writers.markdown import markdown
from termgauge.tasks.contract import About
from termgauge.tasks.prediction.correlate import predict
from termgauge.tasks.prediction.sections import prediction_sections
from tests.tasks.prediction.made_scores import EXTRINSIC, INTRINSIC, MODELS, result, scores


def shown(found, name=""):
    (section,) = prediction_sections(found, About(name))
    text = " ".join(paragraph for block in section.blocks if isinstance(block, Prose) for paragraph in block.paragraphs)
    return section, text


def table_of(section):
    (table,) = [block for block in section.blocks if isinstance(block, Table) and block.caption.startswith("Every")]
    return table


STRONG = {"f": [1, 2, 3, 4, 5, 6, 8]}
CLEAR = {"rho": [1, 2, 3, 4, 5, 6, 7], "flat": [3, 1, 4, 1, 5, 9, 2]}


def test_nothing_significant_is_not_called_no_correlation():
    section, text = shown(result())
    assert section.title == "Prediction"
    assert "None of four correlations over seven models is significant at 0.05, without correction." in text
    assert "does not mean that benchmarks and tasks are unrelated" in text
    assert "no correlation" not in text


def test_what_seven_models_can_show_stands_beside_it():
    _section, text = shown(result())
    assert "**What seven models can show:** a single correlation is significant only beyond ±0.754." in text
    assert "If the true correlation is 0.5, 21 % of such studies find it" in text
    assert "Only one of 0.86 or more would be found in four of five." in text


def test_what_is_significant_is_named_and_likely_too_large():
    section, text = shown(result(intrinsic=CLEAR, extrinsic=STRONG), "windows")
    assert section.title == "Prediction: windows"
    assert "One of two correlations over seven models is significant at 0.05, without correction: **rho**" in text
    assert "tend to be larger than the true ones" in text
    table = table_of(section)
    assert [row[3].best for row in table.rows] == [True, False]
    assert table.rows[1][3].interval is not None


def test_many_that_are_significant_are_counted():
    tasks = {f"t{at}": STRONG["f"] for at in range(8)}
    text = shown(result(intrinsic={"rho": CLEAR["rho"]}, extrinsic=tasks))[1]
    assert "Eight of eight correlations" in text
    assert "and two others." in text


def test_variants_of_one_model_are_pointed_out():
    text = shown(result(models=[f"window {at}" for at in range(7)]))[1]
    assert "Seven models have names that differ in numbers alone (**window 0**, **window 1**" in text
    assert "names that differ" not in shown(result())[1]
    told = shown(result(families=dict.fromkeys(MODELS[:3], "skip-gram")))[1]
    assert "Models of one family are not independent: **Attention**, **SSG** and **SG**." in told


def test_the_attenuation_of_a_benchmark_is_beside_its_correlations():
    (section,) = prediction_sections(
        predict(scores(), alpha=0.05, correction="holm", attenuations={"umnsrs": 0.8}), About()
    )
    table = table_of(section)
    at = [column.heading for column in table.columns].index("Attenuation")
    assert [row[at].text for row in table.rows] == ["0.80", "0.80", "–", "–"]
    assert "Attenuation" not in " ".join(column.heading for column in table_of(shown(result())[0]).columns)


def test_models_that_are_left_out_and_other_numbers_of_models():
    intrinsic = {**INTRINSIC, "short": [0.1, 0.2, 0.3, 0.5, None, None, None], "same": [1] * 7}
    section, text = shown(result(intrinsic=intrinsic))
    assert "Left out: Dependency: has no score on short;" in text
    every = table_of(section)
    assert [every.rows[at][2].text for at in (4, 6)] == ["4", "7"]
    assert every.rows[6][3].text == "–"
    assert every.columns[-1].heading == "Left out"
    assert every.rows[4][-1].text == "Dependency, PubMed-w2v, BioASQ"
    assert "What seven models can show" in text


def test_two_models_have_a_sentence_and_no_picture():
    section, text = shown(result(models=MODELS[:2]))
    assert "Nothing can be said over two models: a correlation takes three models with both scores" in text
    assert not any(isinstance(block, Figure) for block in section.blocks)


def test_names_from_outside_do_not_mark_text():
    found = result(intrinsic={"**b** `x`": INTRINSIC["umnsrs"]}, extrinsic={"<t>": EXTRINSIC["anatem"]})
    section, _text = shown(found, "a <name>")
    assert "<t>" not in markdown(Document("x", (), (), (section,)), {}).replace("\\<t", "")
