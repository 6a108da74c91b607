"""Words of tagged text: counting a corpus, with the documents of each word, beside a plain loop with a Counter.

The corpus is made up: forms with frequencies by Zipf's law, in documents of some two hundred tokens. The loop counts
forms and tags and nothing else, on a fifth of the corpus; both must give the same counts there. The whole command, with
lemmas and spelling, is measured too.
"""

from __future__ import annotations

import tempfile
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from benchmarks.measure import Row, below, duration, measured, noted, print_table, quick

if TYPE_CHECKING:
    from benchmarks.measure import Measurement

TOKENS, QUICK_TOKENS = 100_000_000, 500_000
BESIDE, QUICK_BESIDE = 20_000_000, 500_000
FORMS = 200_000
SENTENCE, DOCUMENT = 25, 200
JOURNALS = 5_000
AT_LEAST = 10
MOST_SECONDS, MOST_MB = 180, 2_000
HERE = "benchmarks.words"
OURS = ["termgauge.corpus.words", "termgauge.corpus.tally", "polars"]
_TAGS = ("NN", "NNS", "VBD", "VBZ", "VB", "JJ", "IN", "DT", "RB", "NNP")
_LETTERS = "etaoinshrdlcumwfgypbvk"
_BLOCK = 1_000_000


def main() -> None:
    """Print what counting costs."""
    beside, tokens = (QUICK_BESIDE, QUICK_TOKENS) if quick() else (BESIDE, TOKENS)
    with tempfile.TemporaryDirectory(prefix="termgauge-bench-") as place:
        small, large = Path(place, "small.tsv"), Path(place, "large.tsv")
        write_corpus(small, beside)
        measured(f"{HERE}:count", str(small), imports=OURS)  # compiles the kernels
        check = measured(f"{HERE}:count", str(small), imports=OURS)
        theirs = measured(f"{HERE}:plain_loop", str(small), repeat=1 if quick() else 2)
        if check.result != theirs.result:
            raise RuntimeError(f"The counts differ: {check.result} and {theirs.result}.")
        small.unlink()
        write_corpus(large, tokens)
        ours = measured(f"{HERE}:count", str(large), imports=OURS)
        whole = measured(f"{HERE}:whole", str(large), imports=OURS)
    ratio = (theirs.seconds / beside) / (ours.seconds / tokens)
    rows = [
        Row(
            f"counting {tokens:,} tokens",
            _speed(ours, tokens),
            f"{theirs.seconds * tokens / beside:,.0f} s ({beside:,} timed), {beside / theirs.seconds:,.0f} tokens/s",
            ratio,
            f"≥ {AT_LEAST} ×",
            ratio >= AT_LEAST,
        ),
        noted("memory", f"{ours.peak_mb:,.0f} MB", f"{theirs.peak_mb:,.0f} MB"),
        noted(f"all steps on {tokens:,} tokens", _speed(whole, tokens)),
        below("time of all steps", whole.seconds, MOST_SECONDS, "s"),
        below("memory of all steps", whole.peak_mb, MOST_MB, "MB"),
    ]
    print_table("Words of tagged text", rows, theirs="Counter loop")


def _speed(run: Measurement, tokens: int) -> str:
    return f"{duration(run.seconds)}, {tokens / run.seconds:,.0f} tokens/s"


def write_corpus(path: Path, tokens: int) -> None:
    """Write tagged text whose forms follow Zipf's law."""
    rng = np.random.default_rng(1)
    lengths = rng.integers(3, 13, FORMS)
    letters = np.array(list(_LETTERS))
    forms = ["".join(rng.choice(letters, length)) for length in lengths]
    tags = rng.integers(0, len(_TAGS), FORMS)
    lines = np.array([f"{form}\t{_TAGS[tag]}\n".encode() for form, tag in zip(forms, tags, strict=True)], dtype=object)
    shares = np.cumsum(1 / np.arange(1, FORMS + 1))
    shares /= shares[-1]
    number = 0
    with path.open("wb") as file:
        for start in range(0, tokens, _BLOCK):
            drawn = lines[np.searchsorted(shares, rng.random(min(_BLOCK, tokens - start)))]
            for first in range(0, len(drawn), DOCUMENT):
                number += 1
                file.write(f"# newdoc id = {number}\n# journal = J{number % JOURNALS}\n".encode())
                for at in range(first, min(first + DOCUMENT, len(drawn)), SENTENCE):
                    file.write(b"".join(drawn[at : at + SENTENCE]) + b"\n")


def count(path: str) -> list[int]:
    """Count forms and tags, and keep which documents have them."""
    from termgauge.corpus.options import WordOptions
    from termgauge.corpus.sentences import layout_of
    from termgauge.corpus.tagsets import TagSetDetector
    from termgauge.corpus.tally import Tally
    from termgauge.io.source import files_of, line_blocks

    (file,) = files_of(path)
    layout = layout_of(file) or 0
    with Tally(TagSetDetector(WordOptions()).wanted) as tally:
        tally.begin_file(path)
        for lines in line_blocks(file):
            tally.add(lines, layout)
        distinct = tally.distinct()
        return [tally.tokens, distinct.height, int(distinct["count"].max())]  # type: ignore[arg-type]


def plain_loop(path: str) -> list[int]:
    """Count forms and tags as one would without termgauge."""
    counts: Counter[tuple[str, str]] = Counter()
    with Path(path).open(encoding="utf-8") as file:
        for line in file:
            text = line.rstrip("\n")
            if not text or (text[0] == "#" and "\t" not in text):
                continue
            form, tag = text.split("\t")[:2]
            counts[form, tag] += 1
    return [counts.total(), len(counts), max(counts.values())]


def whole(path: str) -> list[int]:
    """Count words with all steps: filters, lemmas, American spelling, documents, journals, general counts."""
    from termgauge.corpus.words import words

    found = words(path, f"{path}.words.tsv")
    return [found.tokens, found.table.height]
