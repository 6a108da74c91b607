"""What a terminology says about terms: how many concepts a text names, and how deep a concept lies."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from termgauge.terminology.model import HIERARCHY

if TYPE_CHECKING:
    from termgauge.terminology.model import Terminology


def senses(terminology: Terminology) -> dict[str, float]:
    """Return how many active concepts each text names, in lower case."""
    active = terminology.concepts.filter("active").select("concept")
    terms = terminology.terms.filter("active", pl.col("kind") != "definition").join(active, on="concept", how="semi")
    counts = terms.select(pl.col("text").str.to_lowercase(), "concept").unique().group_by("text").len()
    return {text: float(count) for text, count in counts.iter_rows()}


def depths(terminology: Terminology) -> dict[str, float]:
    """Return the length of the shortest way from each concept up to a root; 0 for the roots themselves.

    A root has concepts below it and none above; a concept that has neither is in no hierarchy and has no depth.
    """
    edges = (
        terminology.relations.filter(pl.col("type").is_in(HIERARCHY), pl.col("source") != pl.col("target"))
        .select("source", "target")
        .unique()
    )
    frontier = edges.select(concept="target").unique().join(edges, left_on="concept", right_on="source", how="anti")
    reached, depth = frontier.with_columns(depth=pl.lit(0.0)), 0
    while frontier.height:
        depth += 1
        below = edges.join(frontier, left_on="target", right_on="concept", how="semi").select(concept="source").unique()
        frontier = below.join(reached, on="concept", how="anti")
        reached = pl.concat([reached, frontier.with_columns(depth=pl.lit(float(depth)))])
    return dict(reached.iter_rows())


def depths_of_texts(terminology: Terminology, known: dict[str, float]) -> dict[str, float]:
    """Return the depth of each text, in lower case: that of the highest concept that it names."""
    frame = pl.DataFrame(
        {"concept": list(known), "depth": list(known.values())}, schema={"concept": pl.String, "depth": pl.Float64}
    )
    terms = terminology.terms.filter("active").select("concept", text=pl.col("text").str.to_lowercase())
    return dict(terms.join(frame, on="concept").group_by("text").agg(pl.col("depth").min()).iter_rows())
