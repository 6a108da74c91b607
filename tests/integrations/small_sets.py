"""Small sets with concept ids, and a benchmark of them, for the tests of exports."""

from __future__ import annotations

from itertools import combinations

import polars as pl

import termgauge as tg
from termgauge.benchmark.pairset import PairSet

ID = "toy-2024-05-01/syn-syn/hard/random"

ONLY = ["fsn-syn.hard.random", "syn-syn.hard.random"]


def labelled(concepts: dict[str, list[str]], replaced: list[tuple[str, str]] = (), name: str = ID) -> PairSet:
    """Return all synonym pairs of some concepts, and names of replaced ones, with a negative for each concept."""
    rows = [(one, two, 1, each, each) for each, texts in concepts.items() for one, two in combinations(texts, 2)]
    rows += [(concepts[old][0], concepts[new][0], 1, old, new) for old, new in replaced]
    ids = list(concepts)
    rows += [
        (texts[0], concepts[ids[(place + 1) % len(ids)]][-1], 0, each, ids[(place + 1) % len(ids)])
        for place, (each, texts) in enumerate(concepts.items())
    ]
    columns = ("term_1", "term_2", "label", "concept_1", "concept_2")
    return PairSet(name, pl.DataFrame(rows, schema=list(columns), orient="row"))


def many(count: int = 40) -> dict[str, list[str]]:
    """Return concepts with three terms each."""
    return {f"c{at}": [f"disease {at}", f"{at} illness", f"the sickness no {at}"] for at in range(count)}


def terms_file(folder):
    """Write the same concepts as a terminology, each below the one of half its number."""
    (folder / "terms").mkdir()
    rows = "".join(f"{concept}\t{text}\n" for concept, texts in many().items() for text in texts)
    (folder / "terms" / "terms.tsv").write_text(f"concept\tterm\n{rows}")
    below = "".join(f"c{at}\tis_a\tc{at // 2}\n" for at in range(1, 40))
    (folder / "terms" / "links.tsv").write_text(f"source\ttype\ttarget\n{below}")
    return folder / "terms"


def benchmark(folder, **options):
    """Build a benchmark of them."""
    return tg.build(terms_file(folder), folder / "benchmark", only=ONLY, **options)


def run(folder):
    """Score a model that knows all words and one that lacks some, on a labelled and a rated set."""
    words = sorted({word for texts in many().values() for text in texts for word in text.split()})
    for name, known in (("all", words), ("some", words[5:])):
        lines = "".join(f"{word} {len(word)} {place % 7} {place % 3}\n" for place, word in enumerate(known))
        (folder / f"{name}.txt").write_text(f"{len(known)} 3\n{lines}")
    rated = {"term_1": WORDS, "term_2": WORDS[::-1], "score": [at * 7 % 11 for at in range(len(WORDS))]}
    sets = [labelled(many()), PairSet("human/mayosrs", pl.DataFrame(rated))]
    specs = [f"{name}=word2vec:{folder / name}.txt" for name in ("all", "some")]
    return tg.evaluate(sets, [*specs, "baseline:levenshtein"], folder / "run", min_coverage=0)


WORDS = [texts[0] for texts in many().values()]
