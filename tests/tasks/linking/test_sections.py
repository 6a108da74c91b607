"""What is said about linking: which models are best, on which queries, and what was left out."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import termgauge as tg
from termgauge.reporting.blocks import Document, Figure
from termgauge.reporting.plots.canvas import ACCENT, MUTED
from termgauge.reporting.plots.drawing import svg
from termgauge.reporting.writers.markdown import markdown
from termgauge.tasks.contract import About
from termgauge.tasks.linking.sections import linking_sections
from tests.tasks.linking.samples import model, terminology

SVG = "{http://www.w3.org/2000/svg}"


def shown(result, name=""):
    return markdown(Document("", (), (), tuple(linking_sections(result, About(name)))))


def test_sections_say_what_was_asked_and_who_is_best():
    result = tg.linking(terminology(), [model("a"), model("b")], device="cpu")
    text = shown(result, "toy")
    for part in (
        "7 synonyms that are no preferred names are looked for among 5 preferred names of 5 concepts",
        "One query means several concepts",
        "a, b, edit distance, character n-grams and 2 more cannot be told apart.",
        "Ranking by accuracy at 1",
        "Baselines beside the models",
        "by the edit distance of the query",
        "by the branch of the hierarchy",
        "Nearest wrong answers",
    ):
        assert part in text, part


def test_a_baseline_that_is_named_as_a_model_is_one():
    result = tg.linking(terminology(), [model("a"), "baseline:levenshtein"], baselines=False, device="cpu")
    assert result.joint.baselines == ("levenshtein",)
    assert "levenshtein" in result.joint.verdict


def test_sections_of_all_terms_of_a_file_and_of_one_model(tmp_path):
    result = tg.linking(terminology(), model(), index="all", sample=9, baselines=False, device="cpu")
    text = shown(result)
    assert "9 terms, drawn from 12, are looked for, each with its own text left out" in text
    assert "Baselines beside" not in text
    assert result.joint.verdict.startswith("words alone was measured: accuracy at 1 ")
    (tmp_path / "mentions.tsv").write_text("pyrexia\tc1\n")
    own = tg.linking(terminology(), model(), queries=tmp_path / "mentions.tsv", device="cpu")
    assert "1 mention from a file is looked for among 5 preferred names of 5 concepts" in shown(own)


def test_every_baseline_is_drawn_as_one_whether_beside_the_models_or_among_them():
    result = tg.linking(terminology(), [model("a"), "baseline:levenshtein"], k=[1], device="cpu")
    blocks = [block for section in linking_sections(result, About()) for block in section.blocks]
    figures = [block for block in blocks if isinstance(block, Figure)]
    assert len(figures) > 2
    for figure in figures:
        looks = {}
        for group in ET.fromstring(svg(figure)).iter(f"{SVG}g"):
            for mark in group:
                if (tip := mark.findtext(f"{SVG}title")) is not None:
                    name = tip.partition(":")[0].partition(",")[0]
                    looks.setdefault(name, set()).add((mark.tag.removeprefix(SVG), group.get("fill")))
        assert looks == {name: {("path", MUTED)} for name in result.everyone} | {"a": {("circle", ACCENT)}}, figure.id
