"""Pairs to measure a trained model on: what an export for training has of the concepts that were not trained on."""

from __future__ import annotations

import random
from collections import defaultdict
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from termgauge.benchmark.manifest import statistics_of
from termgauge.benchmark.negatives import levenshtein_negatives, random_negatives
from termgauge.benchmark.pairset import PairSet
from termgauge.benchmark.positives import Lexicon, Rows, as_numbers, unordered_pair
from termgauge.exceptions import TermgaugeError
from termgauge.integrations.dataset_folder import Sources
from termgauge.integrations.leaks import trained_concepts

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from collections.abc import Set as AbstractSet

    from termgauge.integrations.options import ExportOptions

_PAIRS = ["term_1", "term_2", "label", "concept_1", "concept_2"]


def labelled_pairs(split: str, triplets: pl.DataFrame, terms: pl.DataFrame, sources: Sources) -> PairSet:
    """Return the triplets of a split as pairs to measure a model on: each pair of terms once, with their concepts."""
    concept = dict(terms.filter(split=split).select("text", "concept").iter_rows())
    rows = {(anchor, positive): 1 for anchor, positive, _negative in triplets.iter_rows()}
    rows |= {(anchor, negative): 0 for anchor, _positive, negative in triplets.iter_rows()}
    table = [(one, two, label, concept[one], concept[two]) for (one, two), label in rows.items()]
    subject = next(iter(sources.sets.values())).origin.terminology
    return PairSet("/".join(filter(None, (subject, "pairs", split))), pl.DataFrame(table, _PAIRS, orient="row"))


def held_out_sets(
    sources: Sources, concepts: AbstractSet[str], group_of: Mapping[str, int], options: ExportOptions
) -> Sources:
    """Return the benchmark of some concepts: the positive pairs that each set has of them, with negatives drawn anew.

    The negatives of a set are drawn among its positive pairs, as when the benchmark was built: those that it has would
    leave few pairs of these concepts alone. A set that has no pair of either kind is left out.
    """
    wanted = pl.Series(list(concepts), dtype=pl.String).implode()
    manifest, sets, files = sources.manifest, {}, {}
    across = manifest is not None and not {"across", "languages"}.isdisjoint(manifest.options)
    for name, pairs in sources.sets.items():
        positives = pairs.frame.filter(pl.col("concept_1").is_in(wanted) & (pl.col("label") == 1))
        negatives = _drawn(positives, pairs.origin.strategy, group_of, options.seed, across=across)
        if not negatives:
            continue
        rows = [*positives.iter_rows(), *negatives]
        random.Random(options.seed).shuffle(rows)  # noqa: S311 - reproducible, not secret
        subject = pairs.origin.terminology or pairs.id
        sets[name] = own = PairSet(
            f"{subject}-test{pairs.id.removeprefix(subject)}", pl.DataFrame(rows, _PAIRS, orient="row")
        )
        if manifest is not None:
            now = {
                "id": own.id,
                "pairs": len(own),
                "positives": positives.height,
                "negatives": len(negatives),
                "shortfall": positives.height - len(negatives),
                "subsampled_from": None,
                "sha256": own.sha256,
                "statistics": statistics_of(own),
            }
            files[f"{name}.parquet"] = manifest.files[f"{name}.parquet"].model_copy(update=now)
    if manifest is not None:
        how = {**manifest.options, "held_out": f"test of {options.split}, seed {options.seed}"}
        manifest = manifest.model_copy(update={"files": files, "options": how, "notes": []})
    return Sources(sets, manifest, sources.licence)


def _drawn(
    positives: pl.DataFrame, strategy: str, group_of: Mapping[str, int], seed: int, *, across: bool
) -> list[tuple[str, str, int, str, str]]:
    """Return negatives for positive pairs, each of two terms of theirs whose concepts are of different groups."""
    lexicon, concepts = Lexicon(), list(dict.fromkeys([*positives["concept_1"], *positives["concept_2"]]))
    place = {concept: at for at, concept in enumerate(concepts)}
    terms, owners, alike = [], [], defaultdict(set)
    for one, side in (("1", 0), ("2", int(across))):
        terms.append(as_numbers([lexicon.number(text, side) for text in positives[f"term_{one}"]]))
        owners.append(as_numbers([place[concept] for concept in positives[f"concept_{one}"]]))
        for number, concept in zip(terms[-1].tolist(), positives[f"concept_{one}"], strict=True):
            alike[group_of[concept]].add(number)
    known = {unordered_pair(*two) for numbers in alike.values() for two in combinations(numbers, 2)}
    rows = Rows(terms[0], terms[1], owners[0], owners[1], np.full(positives.height, -1))
    draw = levenshtein_negatives if strategy == "levenshtein" else random_negatives
    made = draw(rows, lexicon, known, random.Random(seed), across=across)  # noqa: S311 - reproducible, not secret
    columns = (made.first, made.second, made.first_concept, made.second_concept)
    return [
        (lexicon.texts[one], lexicon.texts[two], 0, concepts[concept], concepts[other])
        for one, two, concept, other in zip(*(each.tolist() for each in columns), strict=True)
    ]


def refuse_trained(sets: Iterable[PairSet], trained: pl.DataFrame) -> None:
    """Refuse pairs to measure models on that have a concept or text of the training."""
    for pairs in sets:
        if found := trained_concepts(pairs, trained):
            raise TermgaugeError(
                f"Nothing was written, since '{pairs.id}' has concepts of the training, such as {found[0]}. This is a "
                "defect of termgauge; please report it."
            )
