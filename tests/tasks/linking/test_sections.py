"""What is said about linking: which models are best, on which queries, and what was left out."""

from __future__ import annotations

import termgauge as tg
from termgauge.document.blocks import Document
from termgauge.document.writers.markdown import markdown
from termgauge.tasks.linking.sections import best_sentence, linking_sections
from tests.tasks.linking.samples import model, terminology


def shown(result, name=""):
    return markdown(Document("", (), (), linking_sections(name, result)))


def test_sections_say_what_was_asked_and_who_is_best():
    result = tg.linking(terminology(), [model("a"), model("b")], device="cpu")
    text = shown(result, "toy")
    for part in (
        "7 synonyms that are no preferred names are looked for among 5 preferred names of 5 concepts",
        "One query means several concepts",
        "**a** has the highest accuracy at 1, 57.1 %",
        "Baselines beside the models",
        "by the edit distance of the query",
        "by the branch of the hierarchy",
        "Nearest wrong answers",
    ):
        assert part in text, part


def test_a_baseline_that_is_named_as_a_model_is_one():
    result = tg.linking(terminology(), [model("a"), "baseline:levenshtein"], baselines=False, device="cpu")
    assert "; the best baseline beside it, levenshtein, reaches " in best_sentence(result)


def test_sections_of_all_terms_of_a_file_and_of_one_model(tmp_path):
    result = tg.linking(terminology(), model(), index="all", sample=9, baselines=False, device="cpu")
    text = shown(result)
    assert "9 terms, drawn from 12, are looked for, each with its own text left out" in text
    assert "Baselines beside" not in text
    assert "has an accuracy at 1" in best_sentence(result, "")
    (tmp_path / "mentions.tsv").write_text("pyrexia\tc1\n")
    own = tg.linking(terminology(), model(), queries=tmp_path / "mentions.tsv", device="cpu")
    assert "1 mentions from a file" in shown(own)
