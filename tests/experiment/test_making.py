from __future__ import annotations

import re

from termgauge.experiment.making import facts, failure_section, making_section
from tests.tasks.pairs.sections.drawn import cells_of
from tests.tasks.pairs.sections.made import EASY, HUMAN, found_of

VALUES = {"good": 0.9, "fair": 0.8, "edit": 0.6}
RUN = {
    "termgauge": "1.2.3",
    "libraries": {"numpy": "2.0"},
    "seed": 42,
    "alpha": 0.05,
    "correction": "holm",
    "command": "termgauge run `x`.toml",
    "sets": {EASY: {"sha256": "ab" * 32, "pairs": 1000, "graded": False}, HUMAN: {"sha256": "cd" * 32, "pairs": 566}},
    "models": {
        "good": {
            "key": "ef" * 32,
            "kind": "terms",
            "scheme": "onnx",
            "source": "12" * 32,
            "from": "/home/me/bge.onnx",
            "options": {"pooling": "mean", "prompt": ""},
            "libraries": {"onnxruntime": "1.2"},
        }
    },
    "terminologies": {"hp": {"format": "obo", "edition": "hp", "version": "2025", "sha256": "34" * 32}},
    "benchmarks": {
        "hp": {
            "seed": 42,
            "options": {"split_distance": 5},
            "terminology": {"sha256": "34" * 32},
            "notes": ["Short."],
        }
    },
    "timings": {"Score": 12.34},
}


def found():
    return found_of({EASY: (VALUES, []), HUMAN: (VALUES, [])})


def text_of(section):
    parts = [" ".join(block.paragraphs) if hasattr(block, "paragraphs") else block.caption for block in section.blocks]
    tables = [block for block in section.blocks if hasattr(block, "rows")]
    return " ".join(parts + [cell.text for table in tables for row in table.rows for cell in row])


def test_all_that_is_known_is_there():
    text = text_of(making_section(found(), RUN, "[[model]]\n  name = 'x'\n", domains=True))
    for part in ("1.2.3", "numpy 2.0", "42", "holm", "bge.onnx", "pooling=mean", "onnxruntime 1.2", "abababababab",
                 "1,000", "split_distance=5", "Short.", "12.3", "McNemar", "Efron", "Holm S.", "Giancani",
                 "Schulz C, Juric D", "UMNSRS-Sim", "CC0", "[[model]]", "\u00a0\u00a0name"):  # fmt: skip
        assert part in text, part
    assert "/home/me" not in text
    assert "To repeat it: `termgauge run ′x′.toml`." in text


def test_a_plain_run_says_less():
    text = text_of(making_section(found(), {"sets": {}, "models": {}}))
    assert "was not recorded" in text
    assert "Giancani" not in text
    assert "Holm" not in text


def test_failures():
    section = failure_section({"lost": ("score", "no such file")}, ["categories x cannot be shown."])
    (row,) = cells_of(section.blocks[1])
    assert [cell.text for cell in row.values()] == ["lost", "score", "no such file"]
    assert failure_section({}) is None


def test_facts():
    found_facts = {fact.name: fact.value for fact in facts(found(), RUN)}
    assert found_facts["Sets"] == "2, 1,566 pairs"
    assert found_facts["Models"] == "3, one of them a baseline"
    assert found_facts["Terminology"] == "hp"
    assert re.fullmatch(r"termgauge 1\.2\.3", found_facts["Version"])
