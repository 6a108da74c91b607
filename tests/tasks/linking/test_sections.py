"""What is said about linking: which models are best, on which queries, and what was left out."""

from __future__ import annotations

import termgauge as tg
from termgauge.reporting.blocks import Document
from termgauge.reporting.writers.markdown import markdown
from termgauge.tasks.contract import About
from termgauge.tasks.linking.sections import linking_sections
from tests.tasks.linking.samples import model, terminology


def shown(result, name=""):
    return markdown(Document("", (), (), tuple(linking_sections(result, About(name)))))


def test_sections_say_what_was_asked_and_who_is_best():
    result = tg.linking(terminology(), [model("a"), model("b")], device="cpu")
    text = shown(result, "toy")
    for part in (
        "Queries: 7 synonyms. Index: 5 preferred names, of 5 concepts",
        "Queries with several right concepts: 1",
        "a, b, edit distance, character n-grams and 2 more cannot be told apart.",
        "Ranking by accuracy at 1",
        "Baselines stand beside the models",
        "Accuracy at 1 by edit distance",
        "Accuracy at 1 by branch",
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
    assert "Queries: 9 terms, drawn from 12. Index: 13 names and synonyms, without the query itself" in text
    assert "Baselines stand beside" not in text
    assert result.joint.verdict.startswith("words alone was measured: accuracy at 1 ")
    (tmp_path / "mentions.tsv").write_text("pyrexia\tc1\n")
    own = tg.linking(terminology(), model(), queries=tmp_path / "mentions.tsv", device="cpu")
    assert "Queries: 1 mention. Index: 5 preferred names, of 5 concepts" in shown(own)
