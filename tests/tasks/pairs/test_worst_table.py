from __future__ import annotations

import io

import numpy as np
from rich.console import Console

from termgauge.tasks.pairs.worst import worst_pairs
from termgauge.tasks.pairs.worst_table import worst_table
from tests.experiment.toy_models import binary_set, graded_set


def test_the_worst_pairs_are_shown_in_order():
    scores = np.random.default_rng(0).normal(size=40)
    for pairs, words in ((graded_set(), ("rating", "of ranks")), (binary_set(), ("label", "at the threshold"))):
        found = worst_pairs(pairs, scores, model="[i]m", measure="cos", n=5)
        console = Console(file=io.StringIO(), width=140)
        console.print(worst_table(found))
        text = console.file.getvalue()
        assert all(word in text for word in (*words, "[i]m on", pairs.id))
        rows = [line for line in text.splitlines() if line.startswith(("false", "too"))]
        assert len(rows) == 5
        for row, pair in zip(rows, found.pairs, strict=True):
            assert pair.error in row
            assert pair.term_1 in row
            assert f"{pair.score:.3f}" in row
