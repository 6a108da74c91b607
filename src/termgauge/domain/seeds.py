"""Seeds of a domain: what is related to a concept, below one, listed, or mentioned in a text.

Relations are followed by joins, a hop at a time, so that three million of them take no more than a moment. What a text
mentions comes from MetaMap's output, or by looking for the terminology's own labels, of which only those count all of
whose words are in the text: at each word, labels that begin with it are tried, the longest first.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections import Counter
from contextlib import suppress
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import polars as pl

from termgauge.domain.domain import Domain, concept_names
from termgauge.exceptions import TermgaugeError, did_you_mean, warn
from termgauge.io.decoding import decoded
from termgauge.io.source import only_file
from termgauge.plurals import numbered
from termgauge.progress import track
from termgauge.terminology.model import HIERARCHY

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Mapping, Sequence

    from termgauge.io.source import SourceFile
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
    there = terminology.relations["type"].unique().sort().to_list()
    if unknown := [kind for kind in (*include, *exclude) if kind not in there]:
        more = ", …" if len(there) > 12 else ""
        hint = did_you_mean(unknown[0], there) or f" It has {', '.join(there[:12])}{more}."
        raise TermgaugeError(f"{terminology.identity.slug} has no relations of the type '{unknown[0]}'.{hint}")
    wanted = pl.col("type").is_in(list(include)) if include else pl.lit(value=True)
    edges = terminology.relations.filter(wanted & ~pl.col("type").is_in(list(exclude))).select("source", "target")
    seeds: dict[str, None] = {}
    frontier, seen = [start], {start}
    for hop in range(hops):
        reached = _one_away(edges, frontier)
        seeds |= dict.fromkeys(node for node in reached if node != start or hop == 0)  # at first: related to itself
        frontier = [node for node in reached if node not in seen]
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
    part, label = {"kind": "listed"}, "The list of concepts"
    if isinstance(concepts, Path):
        file = only_file(concepts)
        label, part["file"] = file.label, concepts.name
        lines = (line.split("\t", 1)[0].strip() for line in file.text().split("\n"))
        concepts = [line for line in lines if line and not line.startswith("#")]
    ids = list(dict.fromkeys(concepts))
    if not ids:
        raise TermgaugeError(f"{label}: holds no concepts; put an id on each line.")
    if not terminology.concepts["concept"].is_in(ids).any():
        raise TermgaugeError(f"{label}: none of its ids is known: {_unknown(terminology, ids[0])}")
    warn_of_unknown_seeds(terminology, label, ids)
    return domain_from_seeds(terminology, ids, part, analogies=True)


def domain_from_seeds(
    terminology: Terminology, seeds: Iterable[str], part: Mapping[str, Any], *, analogies: bool
) -> Domain:
    """Return a domain of one part with the names that the terminology has; `analogies`: whether it is for those."""
    ids = tuple(seeds)
    record = dict(part) | {"seeds": len(ids)}
    if "concept" in record:
        record["name"] = concept_names(terminology, [record["concept"]]).get(record["concept"])
    names, related = concept_names(terminology, ids), ids if analogies else ()
    return Domain(ids, related, names, (record,), asdict(terminology.identity))


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
    concepts = set(terminology.concepts.filter(pl.col("concept").is_in(list(ids)))["concept"])
    if lost := len(ids) - len(concepts):
        first = next(seed for seed in ids if seed not in concepts)
        are, count, them = ("is", "it counts as a seed", "it") if lost == 1 else ("are", "they count as seeds", "them")
        warn(
            f"{label}: {lost:,} of its concepts, such as {first}, {are} not in {terminology.identity.slug}; {count} "
            f"without labels there, so that only vectors of concepts can know {them}."
        )
    return len(concepts)


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
    close.sort(key=lambda match: (-match[1], -Prefix.similarity(word.lower(), match[0].lower())))
    nearest: dict[str, str] = {}
    for text, _likeness, index in close:
        nearest.setdefault(concepts[index], text)
    return dict(list(nearest.items())[:_MOST_OFFERED])


def _shown(terminology: Terminology, ids: Sequence[str]) -> list[str]:
    names = concept_names(terminology, ids)
    return [f"{concept} ({names.get(concept) or 'without a name'})" for concept in ids]


def _require_relations(terminology: Terminology) -> None:
    if terminology.relations.is_empty():
        way = {"rrf": "name a META folder with MRREL.RRF", "table": "name a table of them with --relations"}
        advice = way.get(terminology.identity.format, "read a release that has them")
        raise TermgaugeError(
            f"{terminology.identity.slug} has no relations, so that nothing is related to a concept or below it; "
            f"{advice}, or make the domain from a list or a text."
        )


def _one_away(edges: pl.DataFrame, frontier: Sequence[str]) -> list[str]:
    """Return what is one relation away from some concepts, in the order of the relations."""
    here = pl.LazyFrame({"here": list(frontier)}, schema={"here": pl.String})
    numbered = edges.lazy().with_row_index("row")
    forward = numbered.join(here, left_on="source", right_on="here", how="semi").select("row", there="target")
    backward = numbered.join(here, left_on="target", right_on="here", how="semi").select("row", there="source")
    both = pl.concat([forward, backward]).sort("row", maintain_order=True)
    return both.select("there").unique(maintain_order=True).collect()["there"].to_list()


SHORTEST_LABEL = 3
"""Shorter labels are common words and abbreviations more often than what they name."""

_LINE = re.compile(rb"^[^|\n]*\|(?:MMI\|-?[\d.]+|AA|UA)\|", re.MULTILINE)
_CUI = re.compile(r"C\d{7}")
_WORD = r"\w+|[^\w\s]"


class _Mention(NamedTuple):
    score: float
    name: str
    types: tuple[str, ...]


def is_mmi(path: str | os.PathLike[str]) -> bool:
    """Say whether a file looks like MetaMap's fielded output: one of its first lines is such a record.

    Not only the very first: unless told to be silent, MetaMap begins with lines about itself and its options.
    """
    return _LINE.search(only_file(path).head()) is not None


def from_mmi(
    terminology: Terminology, file: str | os.PathLike[str], best: int | None = None, semantic_types: Sequence[str] = ()
) -> Domain:
    """Return the concepts of MetaMap's fielded output, ``id|MMI|score|name|CUI|[types]|…``, the best-scored first.

    Lines of other kinds are passed over and counted. Concepts that the terminology does not have are seeds all the
    same (warned of). At most `best` concepts are taken, of equal scores the first, and only those of the semantic
    types, abbreviated as in the file.
    """
    opened = only_file(file)
    chosen = _of_types(_mentions(opened), semantic_types, opened.label)
    ranked = sorted(chosen, key=lambda concept: -chosen[concept].score)[:best]
    count = warn_of_unknown_seeds(terminology, opened.label, ranked)
    if not count and terminology.identity.format != "rrf":
        raise TermgaugeError(
            f"{opened.label}: its concepts are CUIs of UMLS, and {terminology.identity.slug} has none of them; read a "
            "UMLS META folder, or give the text itself instead of MetaMap's output."
        )
    part = {"kind": "mmi", "file": opened.base, "best": best, "semantic_types": list(semantic_types)}
    domain = domain_from_seeds(terminology, ranked, part, analogies=False)
    return replace(domain, names={concept: chosen[concept].name for concept in ranked} | dict(domain.names))


def from_text(
    terminology: Terminology, file: str | os.PathLike[str], best: int | None = None, semantic_types: Sequence[str] = ()
) -> Domain:
    """Return the concepts whose labels a text mentions, the most frequent first, then those mentioned earlier.

    Of mentions that overlap the one that begins first counts, of these the longest. Upper and lower case are not told
    apart; only whole words count. A label that several concepts have is a mention of all of them, for nothing in the
    text is asked which one is meant (MetaMap, too, lists all that score alike). Labels are the active terms of active
    concepts, definitions left out, of at least `SHORTEST_LABEL` letters and digits. At most `best` concepts are taken,
    and only those that have one of the semantic types as their tag.
    """
    opened = only_file(file)
    words = _words(decoded(opened.read(), opened.label, lines=False))
    labels = _labels_in(terminology, set(words), semantic_types)
    counts: Counter[str] = Counter()
    for concepts in _mentions_in(words, labels):
        counts.update(concepts)
    if not counts:
        raise TermgaugeError(
            f"{opened.label}: mentions no concept of {terminology.identity.slug} by one of its labels; is it a text in "
            "the same language?"
        )
    ranked = [concept for concept, _count in counts.most_common(best)]
    part = {"kind": "text", "file": opened.base, "best": best, "semantic_types": list(semantic_types)}
    return domain_from_seeds(terminology, ranked, part, analogies=False)


def _mentions(file: SourceFile) -> dict[str, _Mention]:
    """Return the best mention of each concept, in the order of the file."""
    mentions: dict[str, _Mention] = {}
    others: Counter[str] = Counter()
    # Only LF ends a line: names may hold the other characters that str.splitlines splits at.
    for number, line in enumerate(decoded(file.read(), file.label, otherwise="utf-8").split("\n"), 1):
        if not line.strip():
            continue
        fields = line.rstrip("\r").split("|")
        kind = fields[1] if len(fields) > 1 else "no kind"
        if kind != "MMI":
            others[kind] += 1
            continue
        concept, mention = _mention(fields, file, number)
        if concept not in mentions or mention.score > mentions[concept].score:
            mentions[concept] = mention
    if not mentions:
        raise TermgaugeError(
            f"{file.label}: holds no MMI lines; run MetaMap with -N for fielded output, or give the plain text."
        )
    if others:
        kinds = ", ".join(f"{kind[:20]} {count:,}" for kind, count in others.most_common(5))
        warn(
            f"{file.label}: {numbered(others.total(), 'line that is not MMI was', 'lines that are not MMI were')} "
            f"passed over ({kinds})."
        )
    return mentions


def _mention(fields: Sequence[str], file: SourceFile, number: int) -> tuple[str, _Mention]:
    with suppress(IndexError, ValueError):
        score, name, concept, types = float(fields[2]), *fields[3:6]
        if math.isfinite(score) and _CUI.fullmatch(concept):
            return concept, _Mention(score, name, tuple(part.strip() for part in types.strip("[]").split(",")))
    raise TermgaugeError(
        f"{file.label}, line {number:,}: is no whole MMI line (id|MMI|score|name|CUI|[types]|…, where a CUI is C and "
        "seven digits); remove it or run MetaMap again."
    )


def _of_types(mentions: dict[str, _Mention], types: Sequence[str], label: str) -> dict[str, _Mention]:
    names = {name for mention in mentions.values() for name in mention.types}
    for name in types:
        if name not in names:
            hint = did_you_mean(name, names) or f" It has {', '.join(sorted(names)[:20])}."
            raise TermgaugeError(f"{label}: no concept has the semantic type '{name}'.{hint}")
    wanted = set(types or names)
    return {concept: mention for concept, mention in mentions.items() if wanted & set(mention.types)}


def _labels_in(terminology: Terminology, words: set[str], semantic_types: Sequence[str]) -> dict[str, list[str]]:
    """Return the concepts of each label all of whose words are among some; labels in words with spaces between."""
    concepts = terminology.concepts.lazy().filter("active")
    if semantic_types:
        ids = [concept for tag in semantic_types for concept in terminology.tagged(tag).to_list()]
        concepts = concepts.filter(pl.col("concept").is_in(ids))
    lengths = pl.col("text").str.replace_all(r"[\W_]", "").str.len_chars()
    # Most labels are out by their first word. Which letters make words beyond ASCII, polars sees otherwise than Python.
    first = pl.col("text").str.to_lowercase().str.extract(f"({_WORD})").is_in(list(words))
    beyond_ascii = pl.col("text").str.len_bytes() != pl.col("text").str.len_chars()
    terms = (
        terminology.terms.lazy()
        .filter(pl.col("active") & (pl.col("kind") != "definition") & (first | beyond_ascii))
        .filter(lengths >= SHORTEST_LABEL)
        .join(concepts, on="concept", how="semi", maintain_order="left")
        .sort("rank", maintain_order=True)
        .select("concept", "text")
        .collect()
    )
    concepts_of: dict[str, list[str]] = {}
    with track("Looking for labels", total=terms.height, unit="labels") as advance:
        for some in terms.iter_slices(1 << 16):
            for concept, text in some.iter_rows():
                parts = _words(text)
                if all(part in words for part in parts):
                    owners = concepts_of.setdefault(" ".join(parts), [])
                    if concept not in owners:
                        owners.append(concept)
            advance(some.height)
    concepts_of.pop("", None)
    return concepts_of


def _words(text: str) -> list[str]:
    """Return words and punctuation marks in lower case; a letter with an accent is one, however it was typed."""
    return re.findall(_WORD, unicodedata.normalize("NFC", text).lower())


def _mentions_in(words: Sequence[str], labels: dict[str, list[str]]) -> list[list[str]]:
    """Return the concepts of each mention in turn: the leftmost, and of these the longest, that do not overlap."""
    lengths: dict[str, list[int]] = {}
    for length, first in sorted({(1 + label.count(" "), label.split(" ")[0]) for label in labels}, reverse=True):
        lengths.setdefault(first, []).append(length)
    mentioned, at = [], 0
    while at < len(words):
        starts = (" ".join(words[at : at + length]) for length in lengths.get(words[at], ()))
        mention = next((start for start in starts if start in labels), "")
        mentioned += [labels[mention]] if mention else []
        at += 1 + mention.count(" ")
    return mentioned
