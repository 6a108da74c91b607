"""Terminologies in memory, made from the labels or the relations that a test gives."""

from __future__ import annotations

import polars as pl

from termgauge.terminology.model import Terminology, TerminologyIdentity, conform


def terminology_of(labels, edges=()):
    """Return a terminology whose concepts have these labels, the best first; the first is the name."""
    terms = [
        (concept, text, "fsn" if rank == 0 else "synonym", rank)
        for concept, texts in labels.items()
        for rank, text in enumerate(texts)
    ]
    names = {"concept": list(labels), "name": [texts[0] if texts else None for texts in labels.values()]}
    columns = ["concept", "text", "kind", "rank"]
    return Terminology(
        conform(pl.DataFrame(names).with_columns(active=True), "concepts"),
        conform(
            pl.DataFrame(terms, schema=columns, orient="row", infer_schema_length=None).with_columns(active=True),
            "terms",
        ),
        conform(pl.DataFrame(list(edges), schema=["source", "type", "target"], orient="row"), "relations"),
        conform(pl.DataFrame(), "replacements"),
        TerminologyIdentity("table", "made", "", "hash"),
    )


def related_concepts(edges, concepts=()):
    """Return a terminology of the concepts that stand at the ends of relations, and of others; ids are their names."""
    ends = (end for source, _type, target in edges for end in (source, target))
    return terminology_of({each: [each] for each in (*concepts, *ends)}, edges)
