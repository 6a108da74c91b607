from __future__ import annotations

import json

from termgauge.engine.provenance import failure_section, provenance_section
from termgauge.engine.run_folder import RunRecord
from termgauge.tasks.contract import Citation
from tests.tasks.pairs.sections.drawn import cells_of
from tests.tasks.pairs.sections.made import EASY, HUMAN

RUN = {
    "layout": 1,
    "termgauge": "1.2.3",
    "libraries": {"numpy": "2.0"},
    "seed": 42,
    "alpha": 0.05,
    "correction": "holm",
    "command": "termgauge run `x`.toml",
    "sets": {
        EASY: {"sha256": "ab" * 32, "pairs": 1000, "graded": False},
        HUMAN: {"sha256": "cd" * 32, "pairs": 566, "graded": True},
        "own": {
            "sha256": "ef" * 32,
            "pairs": 12,
            "origin": {"terminology": "mine", "kind": "syn-syn", "difficulty": "hard", "strategy": "random"},
        },
    },
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
            "terminology": {"format": "obo", "edition": "hp", "version": "2025", "sha256": "34" * 32},
            "notes": ["Short."],
        }
    },
    "timings": {"Score": 12.34},
}


def record_of(document):
    return RunRecord.read(json.dumps(document).encode(), "run.json")


def text_of(section):
    parts = [" ".join(block.paragraphs) if hasattr(block, "paragraphs") else block.caption for block in section.blocks]
    tables = [block for block in section.blocks if hasattr(block, "rows")]
    return " ".join(parts + [cell.text for table in tables for row in table.rows for cell in row])


def test_all_that_is_known_is_there():
    cited = [Citation("Coverage", "Giancani S."), Citation("Tests", "Holm S."), Citation("Sets", "Holm S.")]
    text = text_of(provenance_section(record_of(RUN), cited, "[[model]]\n  name = 'x'\n"))
    for part in ("1.2.3", "numpy 2.0", "42", "holm", "bge.onnx", "pooling=mean", "onnxruntime 1.2", "abababababab",
                 "1,000", "split_distance=5", "Short.", "Holm S.", "Giancani", "Tests and Sets",
                 "obo, hp, 2025", "Synonyms vs synonyms, hard, random negatives (mine)",
                 "UMNSRS-Sim", "CC0", "[[model]]", "\u00a0\u00a0name"):  # fmt: skip
        assert part in text, part
    assert "/home/me" not in text
    assert "To repeat it: `termgauge run ′x′.toml`." in text


def test_a_plain_run_says_less():
    section = provenance_section(RunRecord(), [])
    assert "was not recorded" in text_of(section)
    assert [block.id for block in section.blocks[1:]] == ["settings", "identities"]


def test_failures():
    section = failure_section({"lost": ("score", "no such file")}, ["categories x cannot be shown."])
    (row,) = cells_of(section.blocks[1])
    assert [cell.text for cell in row.values()] == ["lost", "score", "no such file"]
    assert failure_section({}) is None
