"""Scoring named entities beside seqeval.

The file is made up: sentences of some thirty tokens of which every twentieth begins an entity, with errors.
"""

from __future__ import annotations

import math
import tempfile
from pathlib import Path

import numpy as np

from benchmarks.measure import Row, below, faster, measured, noted, print_table, quick

HERE = "benchmarks.entities"
KERNELS = ["termgauge.tasks.ner.score_file", "termgauge.tasks.ner.corpus"]
FILES = 20
"""How often the file is scored, as whoever tunes a program does; loading compiled kernels takes a second, once."""
_LONG = 30
_TYPES = ("DNA", "RNA", "protein")


def main() -> None:
    """Print what scoring costs."""
    sentences = 500 if quick() else 5_000
    with tempfile.TemporaryDirectory() as place:
        path = str(Path(place, "found.tsv"))
        write_file(path, sentences)
        print_table(f"Scoring {sentences * _LONG:,} tokens from a file", score_rows(path), theirs="seqeval")


def score_rows(path: str) -> list[Row]:
    """Measure scoring, and reading alone."""
    measured(f"{HERE}:count_ours", path, 1)  # compiles the kernels, which are then kept on disk
    ours = measured(f"{HERE}:count_ours", path, FILES, imports=KERNELS)
    theirs = measured(f"{HERE}:count_with_seqeval", path, FILES, imports=["seqeval.metrics"])
    if not math.isclose(ours.result, theirs.result, rel_tol=1e-9):
        raise RuntimeError(f"The values of F differ: {ours.result}, {theirs.result}.")
    whole = measured(f"{HERE}:score_ours", path, imports=KERNELS)
    return [
        faster(f"reading and F, {FILES} times", ours, theirs, at_least=3),
        below("once, with an interval", whole.seconds, 5, "s"),
        noted("peak memory", f"{whole.peak_mb:,.0f} MB", f"{theirs.peak_mb:,.0f} MB"),
    ]


def write_file(path: str, sentences: int) -> None:
    """Write made-up tokens with gold and predicted tags."""
    generator = np.random.default_rng(1)
    with Path(path).open("w", encoding="utf-8") as file:
        for _ in range(sentences):
            gold = ["O"] * _LONG
            for begin in np.flatnonzero(generator.random(_LONG) < 1 / 20).tolist():
                kind = _TYPES[int(generator.integers(len(_TYPES)))]
                length = 1 + int(generator.geometric(0.6))
                gold[begin : begin + length] = [f"B-{kind}", *[f"I-{kind}"] * (length - 1)][: _LONG - begin]
            wrong = generator.random(_LONG) < 1 / 30
            found = [("O" if tag != "O" else "B-DNA") if each else tag for tag, each in zip(gold, wrong, strict=True)]
            words = generator.integers(0, 20_000, _LONG).tolist()
            lines = (f"w{word}\t{tag}\t{other}\n" for word, tag, other in zip(words, gold, found, strict=True))
            file.write("".join(lines) + "\n")


def count_ours(path: str, times: int) -> float:
    """Return F, without its interval."""
    from termgauge.io.source import files_of
    from termgauge.tasks.ner.corpus import read_columns
    from termgauge.tasks.ner.tags import codes_of, count_entities

    f = math.nan
    for _ in range(times):
        numbers: dict[str, int] = {}
        columns = read_columns(files_of(path)[0], ("a token", "gold", "predicted"), numbers)
        gold, found = columns.tags
        f = count_entities(gold, found, columns.starts, codes_of(numbers)).scores().overall.f
    return f


def count_with_seqeval(path: str, times: int) -> float:
    """Return F."""
    from seqeval.metrics import f1_score

    f = math.nan
    for _ in range(times):
        blocks = Path(path).read_text(encoding="utf-8").strip().split("\n\n")
        rows = [[line.split() for line in block.split("\n")] for block in blocks]
        gold, found = ([[row[column] for row in block] for block in rows] for column in (1, 2))
        f = float(f1_score(gold, found))
    return f


def score_ours(path: str) -> float:
    """Do what termgauge ner --score does."""
    from termgauge.tasks.ner.score_file import score_entities

    return score_entities(path).f
