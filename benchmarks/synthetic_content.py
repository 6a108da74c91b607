"""Concepts, relationships and associations of a synthetic RF2 release, all versions, as frames in RF2's columns.

Everything is decided for whole columns at once: first how each component ends, which gives the counts that tests
rely on, then the history that led there.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from benchmarks.sctid import CONCEPT, EXTENSION_CONCEPT, RELATIONSHIP, new_items, sctids, uuids
from benchmarks.synthetic_history import RELEASES, histories, late_births
from benchmarks.synthetic_text import synthetic_names, synthetic_synonyms

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

CORE_MODULE, MODEL_MODULE = 900000000000207008, 900000000000012004
PRIMITIVE, DEFINED = 900000000000074008, 900000000000073002
FSN, SYNONYM, DEFINITION = 900000000000003001, 900000000000013009, 900000000000550004
US_ENGLISH, GB_ENGLISH = 900000000000509007, 900000000000508004
IS_A = 116680003
INFERRED, STATED, ADDITIONAL = 900000000000011006, 900000000000010007, 900000000000227009
SOME_MODIFIER = 900000000000451002
SAME_AS, REPLACED_BY, POSSIBLY_EQUIVALENT_TO = 900000000000527005, 900000000000526001, 900000000000523009
MOVED_TO, WAS_A = 900000000000524003, 900000000000528000
REASONS = {SAME_AS: "same-as", REPLACED_BY: "replaced-by", POSSIBLY_EQUIVALENT_TO: "possibly-equivalent-to"}

ROOT = 138875005
ATTRIBUTES = {
    363698007: "Finding site (attribute)",
    116676008: "Associated morphology (attribute)",
    246075003: "Causative agent (attribute)",
    260686004: "Method (attribute)",
    127489000: "Has active ingredient (attribute)",
}
MODEL_COMPONENTS = {
    900000000000441003: "SNOMED CT Model Component (metadata)",
    IS_A: "Is a (attribute)",
    FSN: "Fully specified name (core metadata concept)",
    SYNONYM: "Synonym (core metadata concept)",
    SAME_AS: "SAME AS association reference set (foundation metadata concept)",
    REPLACED_BY: "REPLACED BY association reference set (foundation metadata concept)",
    US_ENGLISH: "United States of America English language reference set (foundation metadata concept)",
}
NAMESPACES = 3
TAGS = {
    "disorder": 0.25, "procedure": 0.17, "finding": 0.11, "body structure": 0.1, "organism": 0.1, "substance": 0.1,
    "product": 0.07, "observable entity": 0.04, "qualifier value": 0.03, "morphologic abnormality": 0.03,
}  # fmt: skip


@dataclass(frozen=True)
class Concepts:
    """The concepts of a release, as parallel arrays; what holds the release together comes first."""

    ids: NDArray[np.int64]
    modules: NDArray[np.int64]
    active: NDArray[np.bool_]
    born: NDArray[np.int64]
    tags: NDArray[np.int64]
    names: list[str]
    fsns: list[str]
    synonyms: list[list[str]]
    scaffold: int
    """How many of them, at the start, are no content: root, attributes, namespaces, model components."""
    rows: pl.DataFrame
    last_change: NDArray[np.int64]

    def content(self, *, active: bool) -> NDArray[np.int64]:
        """Return the indices of the content concepts that end so."""
        return self.scaffold + np.flatnonzero(self.active[self.scaffold :] == active)

    @property
    def namespaces(self) -> NDArray[np.int64]:
        """The indices of the concepts that stand for extensions' namespaces."""
        return np.arange(self.scaffold - NAMESPACES, self.scaffold)


def make_concepts(
    rng: np.random.Generator,
    count: int,
    terms: Sequence[tuple[str, Sequence[str]]],
    *,
    synonyms: float,
    retired: float,
) -> Concepts:
    """Make so many content concepts and the few that hold a release together."""
    fixed = {ROOT: "SNOMED CT Concept (SNOMED RT+CTV3)"} | ATTRIBUTES | MODEL_COMPONENTS
    spaces = [f"Extension Namespace {1_000_000 + i} (namespace concept)" for i in range(NAMESPACES)]
    scaffold = [*fixed.values(), *spaces]
    drawn = synthetic_names(terms, count, rng)
    total = len(scaffold) + count
    ids = np.concatenate([np.array(list(fixed)), sctids(new_items(rng, NAMESPACES + count), CONCEPT)])
    modules = np.where(rng.random(total) < 0.002, MODEL_MODULE, CORE_MODULE)
    modules[: len(scaffold)] = CORE_MODULE
    modules[: len(fixed)] = [MODEL_MODULE if id_ in MODEL_COMPONENTS else CORE_MODULE for id_ in fixed]
    active = rng.random(total) >= retired
    active[: len(scaffold)] = True
    born = late_births(rng, np.zeros(total, dtype=np.int64), 0.5)
    tags = rng.choice(len(TAGS), total, p=np.array(list(TAGS.values())))
    names = [text.rpartition(" (")[0] for text in scaffold] + [name for name, _ in drawn]
    fsns = scaffold + _fsns(rng, names[len(scaffold) :], tags[len(scaffold) :], active[len(scaffold) :])
    history = histories(rng, active, born)
    final = np.where(rng.random(total) < 0.3, DEFINED, PRIMITIVE)
    index = history["component"].to_numpy()
    rows = pl.DataFrame(
        {
            "id": ids[index],
            **version_columns(history),
            "moduleId": modules[index],
            "definitionStatusId": np.where(history["last"].to_numpy(), final[index], PRIMITIVE),
        }
    )
    return Concepts(
        ids, modules, active, born, tags, names, fsns,
        [[name] for name in names[: len(scaffold)]] + synthetic_synonyms(drawn, synonyms, rng),
        len(scaffold), rows, history.filter("last")["release"].to_numpy(),
    )  # fmt: skip


def _fsns(rng: np.random.Generator, names: list[str], tags: NDArray[np.int64], active: NDArray[np.bool_]) -> list[str]:
    """Put the semantic tag behind each name; a few have none, and some retired ones begin with [D], as of old."""
    labels = list(TAGS)
    untagged = rng.random(len(names)) < 0.003
    marked = (rng.random(len(names)) < 0.05) & ~active
    return [
        ("[D]" if marked[i] else "") + (name if untagged[i] else f"{name} ({labels[tags[i]]})")
        for i, name in enumerate(names)
    ]


def make_relationships(rng: np.random.Generator, concepts: Concepts, *, per_concept: float) -> pl.DataFrame:
    """Make an is-a hierarchy without cycles, and attributes in groups."""
    hierarchy = _hierarchy(rng, concepts)
    living, retired = concepts.content(active=True), concepts.content(active=False)
    wanted = max(int(per_concept * (len(living) + len(retired))) - len(hierarchy), 0) if len(living) else 0
    some = living if len(living) else np.zeros(1, dtype=np.int64)
    drawn = pl.DataFrame(
        {
            "source": some[rng.integers(0, len(some), wanted)],
            "target": some[rng.integers(0, len(some), wanted)],
            "type": np.array(list(ATTRIBUTES))[rng.integers(0, len(ATTRIBUTES), wanted)],
        }
    )
    # A few say the same as the one before them, mostly in another group.
    place = np.arange(wanted)
    attributes = drawn[np.where(rng.random(wanted) < 0.03, np.maximum(place - 1, 0), place)].with_columns(
        group=pl.Series(rng.integers(0, 4, wanted)), active=pl.Series(rng.random(wanted) < 0.88)
    )
    all_ = pl.concat([hierarchy, attributes])
    source, target = all_["source"].to_numpy(), all_["target"].to_numpy()
    known = np.maximum(concepts.born[source], concepts.born[target])
    history = histories(rng, all_["active"].to_numpy(), late_births(rng, known, 0.2))
    index = history["component"].to_numpy()
    character = rng.choice([INFERRED, STATED, ADDITIONAL], len(all_), p=[0.95, 0.04, 0.01])
    return pl.DataFrame(
        {
            "id": sctids(new_items(rng, len(all_)), RELATIONSHIP)[index],
            **version_columns(history),
            "moduleId": concepts.modules[source][index],
            "sourceId": concepts.ids[source][index],
            "destinationId": concepts.ids[target][index],
            "relationshipGroup": all_["group"].to_numpy()[index],
            "typeId": all_["type"].to_numpy()[index],
            "characteristicTypeId": character[index],
            "modifierId": np.full(len(index), SOME_MODIFIER),
        }
    )


def _hierarchy(rng: np.random.Generator, concepts: Concepts) -> pl.DataFrame:
    """Hang every active concept below earlier ones with the same tag, so that no cycle can arise."""
    living, retired = concepts.content(active=True), concepts.content(active=False)
    living = living[np.argsort(concepts.tags[living], kind="stable")]
    tags = concepts.tags[living]
    start = np.searchsorted(tags, tags)
    rank = np.arange(len(living)) - start
    sources, targets = [np.arange(1, concepts.scaffold)], [np.zeros(concepts.scaffold - 1, dtype=np.int64)]
    for share in (1.0, 0.45):
        parent = start + (rng.random(len(living)) * rank).astype(np.int64)
        chosen = rng.random(len(living)) < share
        sources.append(living[chosen])
        targets.append(np.where(rank == 0, 0, living[parent])[chosen])
    if len(living):
        sources.append(retired)
        targets.append(living[rng.integers(0, len(living), len(retired))])
    source = np.concatenate(sources)
    edges = pl.DataFrame({"source": source, "target": np.concatenate(targets)}).unique(maintain_order=True)
    return edges.with_columns(
        type=pl.lit(IS_A, pl.Int64),
        group=pl.lit(0, pl.Int64),
        active=pl.Series(concepts.active[edges["source"].to_numpy()]),
    )


def make_associations(rng: np.random.Generator, concepts: Concepts) -> pl.DataFrame:
    """Say what became of the retired concepts.

    Some associations are inactive, some point to an extension's concept that is not in the release or to a
    namespace, some belong to the model component module, and some pairs were associated anew, with the same
    reason or another.
    """
    retired, living = concepts.content(active=False), concepts.content(active=True)
    if not len(retired) or not len(living):
        retired, living = retired[:0], np.zeros(1, dtype=np.int64)
    source = np.repeat(retired, rng.choice([0, 1, 2, 3], len(retired), p=[0.1, 0.75, 0.1, 0.05]))
    count = len(source)
    refsets = [SAME_AS, REPLACED_BY, POSSIBLY_EQUIVALENT_TO, MOVED_TO, WAS_A]
    refset = rng.choice(refsets, count, p=[0.4, 0.2, 0.3, 0.06, 0.04])
    target = concepts.ids[living[rng.integers(0, len(living), count)]]
    to_namespace = (refset == MOVED_TO) | (rng.random(count) < 0.01)
    target = np.where(to_namespace, concepts.ids[rng.choice(concepts.namespaces, count)], target)
    extension = sctids(10_000_000 * rng.integers(1, 1_000_000, count) + 1_000_124, EXTENSION_CONCEPT)
    target = np.where(rng.random(count) < 0.02, extension, target)
    born = concepts.last_change[source]
    members = pl.DataFrame(
        {
            "source": concepts.ids[source],
            "target": target,
            "refset": refset,
            "module": np.where(rng.random(count) < 0.01, MODEL_MODULE, concepts.modules[source]),
            "active": rng.random(count) < 0.93,
            "born": born,
        }
    ).unique(["source", "target"], maintain_order=True)
    history = histories(rng, members["active"].to_numpy(), members["born"].to_numpy())
    again = _associated_anew(rng, members, history.filter("last")["release"].to_numpy())
    history = pl.concat([history, again.select("component", "release", "active", "last")])
    members = pl.concat([frame.select("source", "target", "refset", "module") for frame in (members, again)])
    index = history["component"].to_numpy()
    return pl.DataFrame(
        {
            "id": pl.Series(uuids(rng, len(members)), dtype=pl.String).gather(index),
            **version_columns(history),
            "moduleId": members["module"].gather(index),
            "refsetId": members["refset"].gather(index),
            "referencedComponentId": members["source"].gather(index),
            "targetComponentId": members["target"].gather(index),
        }
    )


def _associated_anew(rng: np.random.Generator, members: pl.DataFrame, ended: NDArray[np.int64]) -> pl.DataFrame:
    """Return new members, active since some later release, for pairs whose association has ended."""
    ends = members.with_row_index("of").with_columns(ended=pl.Series(ended), draw=pl.Series(rng.random(len(members))))
    over = ends.filter(
        ~pl.col("active") & (pl.col("ended") < len(RELEASES) - 1) & pl.col("refset").is_in(list(REASONS))
    ).filter(pl.col("draw") < 0.5)
    later = rng.integers(over["ended"].to_numpy() + 1, len(RELEASES))
    other = np.array(list(REASONS))[rng.integers(0, len(REASONS), len(over))]
    same = rng.random(len(over)) < 0.5
    return over.with_columns(
        refset=pl.Series(np.where(same, over["refset"].to_numpy(), other)),
        component=pl.Series(np.arange(len(members), len(members) + len(over))),
        release=pl.Series(later),
        born=pl.Series(later),
        last=pl.lit(value=True),
    ).with_columns(active=pl.lit(1, pl.Int64))


def version_columns(history: pl.DataFrame) -> dict[str, NDArray[np.int64]]:
    """Return the two columns that every RF2 file has of a history."""
    return {
        "effectiveTime": np.array(RELEASES)[history["release"].to_numpy()],
        "active": history["active"].to_numpy(),
    }
