"""Pairs to measure a trained model on: what an export for training has of the concepts that were not trained on."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from termgauge.benchmark.pairset import PairSet
from termgauge.benchmark.statistics import statistics_of
from termgauge.exceptions import TermgaugeError
from termgauge.integrations.dataset_folder import Sources
from termgauge.integrations.leaks import trained_concepts

if TYPE_CHECKING:
    from collections.abc import Iterable

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


def held_out_sets(sources: Sources, concepts: set[str], options: ExportOptions) -> Sources:
    """Return what the sets have of the test split: pairs of which it has both concepts; sets without either kind go."""
    wanted = pl.Series(list(concepts), dtype=pl.String).implode()
    sets, files = {}, {}
    for name, pairs in sources.sets.items():
        frame = pairs.frame.filter(pl.col("concept_1").is_in(wanted) & pl.col("concept_2").is_in(wanted))
        if frame["label"].n_unique() < 2:
            continue
        subject = pairs.origin.terminology or pairs.id
        sets[name] = own = PairSet(f"{subject}-test{pairs.id.removeprefix(subject)}", frame)
        if sources.manifest is not None:
            positives, file = own.positives or 0, f"{name}.parquet"
            now = {
                "id": own.id,
                "pairs": len(own),
                "positives": positives,
                "negatives": len(own) - positives,
                "shortfall": max(0, 2 * positives - len(own)),
                "subsampled_from": None,
                "sha256": own.sha256,
                "statistics": statistics_of(own),
            }
            files[file] = sources.manifest.files[file].model_copy(update=now)
    if sources.manifest is None:
        return Sources(sets, None, sources.licence)
    how = {**sources.manifest.options, "held_out": f"test of {options.split}, seed {options.seed}"}
    return Sources(sets, sources.manifest.model_copy(update={"files": files, "options": how}), sources.licence)


def refuse_trained(sets: Iterable[PairSet], trained: pl.DataFrame) -> None:
    """Refuse pairs to measure models on that have a concept or text of the training."""
    for pairs in sets:
        if found := trained_concepts(pairs, trained):
            raise TermgaugeError(
                f"Nothing was written, since '{pairs.id}' has concepts of the training, such as {found[0]}. This is a "
                "defect of termgauge; please report it."
            )
