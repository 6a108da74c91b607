"""Seeds from a terminology itself: what is related to a concept, what is below one, what a list names.

Relations are followed by joins, a hop at a time, so that three million of them take no more than a moment.
"""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from termgauge.domain.domain import Domain, concept_names, read_text
from termgauge.exceptions import TermgaugeError, did_you_mean, warn
from termgauge.plurals import plural
from termgauge.terminology.model import HIERARCHY

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from termgauge.terminology import Terminology

_MOST_OFFERED = 3
_LOOKED_AT = 64
_LEAST_LIKENESS = 60


def related_to(
    terminology: Terminology,
    concept: str,
    hops: int = 1,
    *,
    include: Sequence[str] = (),
    exclude: Sequence[str] = (),
) -> Domain:
    """Return every concept that is so many relations away from a concept, or fewer, in either direction.

    The concept, named as for :func:`find_concept`, is itself no seed, unless it is related to itself. Only relations of
    the types in `include` count, all if none is named; none of the types in `exclude` do.
    """
    if hops < 1:
        raise TermgaugeError(f"Seeds are at least 1 relation away from a concept, not {hops}.")
    start = find_concept(terminology, concept)
    _require_relations(terminology)
    for kind in (*include, *exclude):
        _check_relation(terminology, kind)
    wanted = pl.col("type").is_in(list(include)) if include else pl.lit(value=True)
    edges = terminology.relations.filter(wanted & ~pl.col("type").is_in(list(exclude))).select("source", "target")
    seeds: dict[str, None] = {}
    frontier, seen = [start], {start}
    for hop in range(hops):
        reached = _one_away(edges, frontier)
        seeds |= dict.fromkeys(each for each in reached if each != start or hop == 0)  # at first: related to itself
        frontier = [each for each in reached if each not in seen]
        seen |= set(frontier)
        if not frontier:
            break
    if not seeds:
        types = f" of the types {', '.join(include)}" if include else ""
        raise TermgaugeError(
            f"'{start}' has no relations{types} in {terminology.identity.slug}, so that nothing is in its domain; "
            "choose another concept, or a branch."
        )
    part = {"kind": "related", "concept": start, "hops": hops, "include": list(include), "exclude": list(exclude)}
    return domain_from_seeds(terminology, seeds, part, analogies=True)


def descendants_of(terminology: Terminology, concept: str) -> Domain:
    """Return a concept and everything below it in the hierarchy, in the order of the terminology."""
    root = find_concept(terminology, concept)
    _require_relations(terminology)
    if not terminology.relations["type"].is_in(list(HIERARCHY)).any():
        raise TermgaugeError(
            f"{terminology.identity.slug} has no hierarchy (none of its relations is {' or '.join(HIERARCHY)}), so "
            "that nothing is below a concept; name concepts for their relations instead."
        )
    ids = terminology.descendants(root)
    ordered = terminology.concepts["concept"].filter(terminology.concepts["concept"].is_in(ids.implode())).to_list()
    outside = sorted(set(ids.to_list()) - set(ordered))  # named by relations only
    return domain_from_seeds(terminology, [*ordered, *outside], {"kind": "below", "concept": root}, analogies=True)


def listed_concepts(terminology: Terminology, concepts: Iterable[str] | Path) -> Domain:
    """Return concepts as listed: ids, or a file with an id on each line, behind which a tab and anything may stand.

    Lines that are empty or begin with ``#`` do not count. An id that the terminology does not have is a seed all the
    same, for vectors of concepts may know it; the number of such ids is warned of.
    """
    part: dict[str, Any] = {"kind": "listed"}
    label = "The list of concepts"
    if isinstance(concepts, Path):
        label, text = read_text(concepts)
        part["file"] = concepts.name
        lines = (line.split("\t", 1)[0].strip() for line in text.split("\n"))
        concepts = [line for line in lines if line and not line.startswith("#")]
    ids = list(dict.fromkeys(concepts))
    if not ids:
        raise TermgaugeError(f"{label}: holds no concepts; put an id on each line.")
    if not _known(terminology, ids):
        raise TermgaugeError(f"{label}: none of its ids is known: {_unknown(terminology, ids[0])}")
    warn_of_unknown_seeds(terminology, label, ids)
    return domain_from_seeds(terminology, ids, part, analogies=True)


def domain_from_seeds(
    terminology: Terminology, seeds: Iterable[str], part: Mapping[str, Any], *, analogies: bool
) -> Domain:
    """Return a domain of one part with the names that the terminology has; `analogies`: whether it is for those."""
    ids = tuple(seeds)
    told = dict(part) | {"seeds": len(ids)}
    if "concept" in told:
        told["name"] = concept_names(terminology, [told["concept"]]).get(told["concept"])
    names, related = concept_names(terminology, ids), ids if analogies else ()
    return Domain(ids, related, names, (told,), asdict(terminology.identity))


def find_concept(terminology: Terminology, word: str) -> str:
    """Return the id of a concept that is named by its id or, if only one concept has it, by its name.

    Where there is none, the error names the nearest ids and names; where several have the name, their ids.
    """
    concepts = terminology.concepts
    if (concepts["concept"] == word).any():
        return word
    folded = word.strip().lower()
    for table, column in ((concepts, "name"), (terminology.terms, "text")):
        named = table.filter(pl.col("active") & (pl.col(column).str.to_lowercase() == folded))
        ids = named["concept"].unique(maintain_order=True).to_list()
        if len(ids) == 1:
            return str(ids[0])
        if ids:
            several = ", ".join(_shown(terminology, ids[:10]))
            raise TermgaugeError(f"{len(ids)} concepts are called '{word}': {several}; name one by its id.")
    raise TermgaugeError(_unknown(terminology, word))


def warn_of_unknown_seeds(terminology: Terminology, label: str, ids: Sequence[str]) -> int:
    """Warn of seeds that the terminology does not have, and return how many it does."""
    known = _known(terminology, ids)
    if lost := len(ids) - len(known):
        first = next(each for each in ids if each not in known)
        warn(
            f"{label}: {lost:,} of its concepts, such as {first}, {plural(lost, 'is', 'are')} not in "
            f"{terminology.identity.slug}; {plural(lost, 'it counts as a seed', 'they count as seeds')} without labels "
            f"there, so that only vectors of concepts can know {plural(lost, 'it', 'them')}."
        )
    return len(known)


def _known(terminology: Terminology, ids: Sequence[str]) -> set[str]:
    return set(terminology.concepts.filter(pl.col("concept").is_in(list(ids)))["concept"].to_list())


def _unknown(terminology: Terminology, word: str) -> str:
    """Say that there is no such concept, and which ids and labels are nearest.

    What has a digit and no space is meant as an id, and the nearest ids are named however far they are.
    """
    concepts = terminology.concepts
    hint = ""
    looks_like_id = any(map(str.isdigit, word)) and not any(map(str.isspace, word))
    if ids := _nearest(word, concepts["concept"], concepts["concept"], 0 if looks_like_id else _LEAST_LIKENESS):
        hint += f" The nearest ids are {', '.join(_shown(terminology, list(ids)))}."
    labels = terminology.terms.filter("active", pl.col("kind") != "definition")
    names = pl.concat([concepts.select("concept", text="name"), labels.select("concept", "text")])
    if close := _nearest(word, names["text"], names["concept"], _LEAST_LIKENESS):
        shown = (f"{concept} ({text})" for concept, text in close.items())
        hint += f" The nearest names are {', '.join(shown)}."
    return f"{terminology.identity.slug} has no concept '{word}'.{hint} Name a concept by its id."


def _nearest(word: str, texts: pl.Series, concepts: pl.Series, least: float) -> dict[str, str]:
    """Return the few concepts whose texts are most like a word, each with its nearest text."""
    from rapidfuzz import fuzz, process
    from rapidfuzz.distance import Prefix

    close = process.extract(
        word, texts.to_list(), scorer=fuzz.ratio, processor=str.lower, limit=_LOOKED_AT, score_cutoff=least
    )
    # Of ids that are equally like it the ones that begin like it: most slips are at the end.
    close.sort(key=lambda each: (-each[1], -Prefix.similarity(word.lower(), each[0].lower())))
    nearest: dict[str, str] = {}
    for text, _likeness, place in close:
        nearest.setdefault(concepts[place], text)
    return dict(list(nearest.items())[:_MOST_OFFERED])


def _shown(terminology: Terminology, ids: Sequence[str]) -> list[str]:
    names = concept_names(terminology, ids)
    return [f"{each} ({names.get(each) or 'without a name'})" for each in ids]


def _require_relations(terminology: Terminology) -> None:
    if terminology.relations.is_empty():
        way = {"rrf": "name a META folder with MRREL.RRF", "table": "name a table of them with --relations"}
        advice = way.get(terminology.identity.format, "read a release that has them")
        raise TermgaugeError(
            f"{terminology.identity.slug} has no relations, so that nothing is related to a concept or below it; "
            f"{advice}, or make the domain from a list or a text."
        )


def _check_relation(terminology: Terminology, kind: str) -> None:
    types = terminology.relations["type"].unique().sort().to_list()
    if kind not in types:
        more = ", …" if len(types) > 12 else ""
        known = did_you_mean(kind, types) or f" It has {', '.join(types[:12])}{more}."
        raise TermgaugeError(f"{terminology.identity.slug} has no relations of the type '{kind}'.{known}")


def _one_away(edges: pl.DataFrame, frontier: Sequence[str]) -> list[str]:
    """Return what is one relation away from some concepts, in the order of the relations."""
    here = pl.LazyFrame({"here": list(frontier)}, schema={"here": pl.String})
    numbered = edges.lazy().with_row_index("row")
    forward = numbered.join(here, left_on="source", right_on="here", how="semi").select("row", there="target")
    backward = numbered.join(here, left_on="target", right_on="here", how="semi").select("row", there="source")
    both = pl.concat([forward, backward]).sort("row", maintain_order=True)
    return both.select("there").unique(maintain_order=True).collect()["there"].to_list()
