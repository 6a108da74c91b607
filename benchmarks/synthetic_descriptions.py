"""Names, synonyms and definitions of a synthetic RF2 release and their language refset, all versions, as frames."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from benchmarks.sctid import DESCRIPTION, new_items, sctids, uuids
from benchmarks.synthetic_content import DEFINITION, FSN, GB_ENGLISH, SYNONYM, US_ENGLISH, Concepts, version_columns
from benchmarks.synthetic_history import RELEASES, histories, late_births

if TYPE_CHECKING:
    from numpy.typing import NDArray

CASE_INSENSITIVE, INITIAL_INSENSITIVE, CASE_SENSITIVE = 900000000000448009, 900000000000020002, 900000000000017005
PREFERRED, ACCEPTABLE = 900000000000548007, 900000000000549004
NEVER = -1


def make_descriptions(rng: np.random.Generator, concepts: Concepts) -> pl.DataFrame:
    """Make the names, synonyms and definitions of all concepts.

    Returns
    -------
    DataFrame
        One row a description: `id`, `concept` (index), `kind`, `text`, `active` (in the end), `first` (whether it is
        the FSN, or the first synonym, of its concept), `born`, `bound` (whether its history is given), `retires`.
    """
    components = pl.concat([*_fsns(rng, concepts), _synonyms(rng, concepts), _definitions(rng, concepts)])
    return components.with_columns(id=pl.Series(sctids(new_items(rng, len(components)), DESCRIPTION)))


def make_description_rows(rng: np.random.Generator, components: pl.DataFrame, concepts: Concepts) -> pl.DataFrame:
    """Return all versions of the descriptions, in RF2's columns."""
    history = _history(rng, components)
    index = history["component"].to_numpy()
    versions = components.select("id", "concept", "kind", "text")[history["component"]]
    earlier = ~history["last"].to_numpy()
    misspelt = earlier & (rng.random(len(components)) < 0.6)[index]
    cases = rng.choice([CASE_INSENSITIVE, INITIAL_INSENSITIVE, CASE_SENSITIVE], len(components), p=[0.7, 0.2, 0.1])
    concept = versions["concept"].to_numpy()
    return pl.DataFrame(
        {
            "id": versions["id"],
            **version_columns(history),
            "moduleId": concepts.modules[concept],
            "conceptId": concepts.ids[concept],
            "languageCode": pl.repeat("en", len(versions), eager=True),
            "typeId": versions["kind"],
            "term": _misspelt(rng, versions["text"], misspelt),
            "caseSignificanceId": np.where(earlier, CASE_INSENSITIVE, cases[index]),
        }
    )


def _part(concept: NDArray[np.int64], kind: int, texts: list[str], born: NDArray[np.int64]) -> pl.DataFrame:
    return pl.DataFrame({"concept": concept, "text": pl.Series(texts, dtype=pl.String), "born": born}).with_columns(
        kind=pl.lit(kind, pl.Int64),
        active=pl.lit(value=True),
        first=pl.lit(value=True),
        bound=pl.lit(value=False),
        retires=pl.lit(NEVER, pl.Int64),
    )


def _fsns(rng: np.random.Generator, concepts: Concepts) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return the FSNs of today, and those that some of them replaced on the day they appeared."""
    everyone = np.arange(len(concepts.ids))
    renamed = (concepts.born < len(RELEASES) - 1) & (rng.random(len(everyone)) < 0.06)
    changed = rng.integers(np.minimum(concepts.born + 1, len(RELEASES) - 1), len(RELEASES))
    now = _part(everyone, FSN, concepts.fsns, np.where(renamed, changed, concepts.born))
    who = np.flatnonzero(renamed)
    old = [f"{concepts.names[i]}, so called (finding)" for i in who.tolist()]
    before = _part(who, FSN, old, concepts.born[who])
    return (
        now.with_columns(bound=pl.Series(renamed)),
        before.with_columns(
            active=pl.lit(value=False),
            first=pl.lit(value=False),
            bound=pl.lit(value=True),
            retires=pl.Series(changed[who]),
        ),
    )


def _synonyms(rng: np.random.Generator, concepts: Concepts) -> pl.DataFrame:
    counts = np.array([len(texts) for texts in concepts.synonyms])
    owner = np.repeat(np.arange(len(counts)), counts)
    first = np.zeros(len(owner), dtype=bool)
    first[np.cumsum(counts) - counts] = True
    born = concepts.born[owner]
    part = _part(
        owner,
        SYNONYM,
        [text for texts in concepts.synonyms for text in texts],
        np.where(first, born, late_births(rng, born, 0.3)),
    )
    return part.with_columns(first=pl.Series(first), active=pl.Series(first | (rng.random(len(owner)) < 0.9)))


def _definitions(rng: np.random.Generator, concepts: Concepts) -> pl.DataFrame:
    who = np.flatnonzero(rng.random(len(concepts.ids)) < 0.005)
    texts = [f"What is known as {concepts.names[i]}, seen on its own." for i in who.tolist()]
    part = _part(who, DEFINITION, texts, concepts.born[who])
    return part.with_columns(active=pl.Series(rng.random(len(who)) < 0.9))


def _history(rng: np.random.Generator, components: pl.DataFrame) -> pl.DataFrame:
    """Let an FSN that is replaced retire on the very day on which the new one appears; the others live freely."""
    indexed = components.with_columns(component=pl.int_range(pl.len(), dtype=pl.Int64))
    free, bound = indexed.filter(~pl.col("bound")), indexed.filter("bound")
    lived = histories(rng, free["active"].to_numpy(), free["born"].to_numpy())
    lived = lived.with_columns(component=free["component"].gather(lived["component"]))
    retiring = bound.filter(pl.col("retires") != NEVER)
    return pl.concat(
        [
            lived,
            bound.select(
                "component",
                release="born",
                active=pl.lit(1, pl.Int64),
                last=pl.col("retires") == NEVER,
            ),
            retiring.select("component", release="retires", active=pl.lit(0, pl.Int64), last=pl.lit(value=True)),
        ]
    )


def _misspelt(rng: np.random.Generator, texts: pl.Series, chosen: NDArray[np.bool_]) -> pl.Series:
    """Drop a letter inside the chosen texts, as it was before somebody corrected it."""
    length = texts.str.len_chars().cast(pl.Int64)
    at = pl.Series(rng.integers(0, 1 << 30, len(texts))) % (length - 2).clip(lower_bound=1) + 1
    wrong = texts.str.slice(0, at) + texts.str.slice(at + 1)
    return wrong.zip_with(pl.Series(chosen) & (length > 3), texts)


def make_language_refset(rng: np.random.Generator, descriptions: pl.DataFrame, concepts: Concepts) -> pl.DataFrame:
    """Say which descriptions are preferred or acceptable in American and in British English."""
    components = descriptions.select("id", "concept", "kind", "active", "first", "born")
    draw = pl.Series(rng.random(len(components)))
    members = pl.concat(
        [
            components.filter(components["first"] | kept).with_columns(dialect=pl.lit(dialect, pl.Int64))
            for dialect, kept in ((US_ENGLISH, draw > 0.12), (GB_ENGLISH, draw < 0.88))
        ]
    )
    alive = members["active"] & (members["first"] | pl.Series(rng.random(len(members)) < 0.98))
    history = histories(rng, alive.to_numpy(), members["born"].to_numpy())
    preferred = pl.col("first") | (pl.col("kind") != SYNONYM)
    members = members.select(
        "id", "dialect", "concept", acceptability=pl.when(preferred).then(PREFERRED).otherwise(ACCEPTABLE)
    ).with_columns(uuid=pl.Series(uuids(rng, len(members)), dtype=pl.String))[history["component"]]
    return pl.DataFrame(
        {
            "id": members["uuid"],
            **version_columns(history),
            "moduleId": concepts.modules[members["concept"].to_numpy()],
            "refsetId": members["dialect"],
            "referencedComponentId": members["id"],
            "acceptabilityId": members["acceptability"],
        }
    )
