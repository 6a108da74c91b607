"""The concepts that a text mentions: from MetaMap's output, or by looking for the terminology's own labels.

Labels are sought all at once by an Aho-Corasick automaton, over words rather than letters: text and labels are both
written with one space between any two words, so that a match with a space at both ends never begins or ends within a
word. Only labels all of whose words are in the text go into the automaton, which keeps it small for any terminology.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import polars as pl

from termgauge.domain.concept_seeds import domain_from_seeds, warn_of_unknown_seeds
from termgauge.domain.domain import read_text
from termgauge.exceptions import TermgaugeError, did_you_mean, warn
from termgauge.io.decoding import decoded
from termgauge.io.source import only_file
from termgauge.plurals import numbered
from termgauge.progress import track

if TYPE_CHECKING:
    import os
    from collections.abc import Sequence
    from typing import Any

    from termgauge.domain.domain import Domain
    from termgauge.io.source import SourceFile
    from termgauge.terminology import Terminology

SHORTEST_LABEL = 3
"""Shorter labels are common words and abbreviations more often than what they name."""

_LINE = re.compile(rb"^[^|\n]*\|(?:MMI\|-?[\d.]+|AA|UA)\|", re.MULTILINE)
_CUI = re.compile(r"C\d{7}")
_WORD = r"\w+|[^\w\s]"


class _Mention(NamedTuple):
    score: float
    name: str
    types: tuple[str, ...]


def is_mmi(place: str | os.PathLike[str]) -> bool:
    """Say whether a file looks like MetaMap's fielded output: one of its first lines is such a record.

    Not only the very first: unless told to be silent, MetaMap begins with lines about itself and its options.
    """
    return _LINE.search(only_file(place).head()) is not None


def from_mmi(
    terminology: Terminology, file: str | os.PathLike[str], best: int | None = None, semantic_types: Sequence[str] = ()
) -> Domain:
    """Return the concepts of MetaMap's fielded output, ``id|MMI|score|name|CUI|[types]|…``, the best-scored first.

    Lines of other kinds are passed over and counted. Concepts that the terminology does not have are seeds all the
    same (warned of). At most `best` concepts are taken, of equal scores the first, and only those of the semantic
    types, abbreviated as in the file.
    """
    _check_best(best)
    opened = only_file(file)
    chosen = _of_types(_mentions(opened), semantic_types, opened.label)
    ranked = sorted(chosen, key=lambda concept: -chosen[concept].score)[:best]
    known = warn_of_unknown_seeds(terminology, opened.label, ranked)
    if not known and terminology.identity.format != "rrf":
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
    _check_best(best)
    label, text = read_text(file)
    words = _words(text)
    labels = _labels_in(terminology, set(words), semantic_types)
    counts: Counter[str] = Counter()
    for concepts in _mentions_in(words, labels):
        counts.update(concepts)
    if not counts:
        raise TermgaugeError(
            f"{label}: mentions no concept of {terminology.identity.slug} by one of its labels; is it a text in "
            "the same language?"
        )
    ranked = [concept for concept, _count in counts.most_common(best)]
    part = {"kind": "text", "file": only_file(file).base, "best": best, "semantic_types": list(semantic_types)}
    return domain_from_seeds(terminology, ranked, part, analogies=False)


def _check_best(best: int | None) -> None:
    if best is not None and best < 1:
        raise TermgaugeError(f"The number of concepts to take from a text is at least 1, not {best}.")


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
    try:
        score, name, concept, types = float(fields[2]), fields[3], fields[4], fields[5]
    except (IndexError, ValueError):
        score, name, concept, types = math.nan, "", "", ""
    if not math.isfinite(score):
        raise TermgaugeError(
            f"{file.label}, line {number:,}: is no whole MMI line (id|MMI|score|name|CUI|[types]|…); remove it or run "
            "MetaMap again."
        )
    if not _CUI.fullmatch(concept):
        raise TermgaugeError(
            f"{file.label}, line {number:,}: '{concept[:40]}' is no CUI (C and seven digits); remove the line or run "
            "MetaMap again."
        )
    return concept, _Mention(score, name, tuple(part.strip() for part in types.strip("[]").split(",")))


def _of_types(mentions: dict[str, _Mention], types: Sequence[str], label: str) -> dict[str, _Mention]:
    if not types:
        return mentions
    known = {each for mention in mentions.values() for each in mention.types}
    for each in types:
        if each not in known:
            hint = did_you_mean(each, known) or f" It has {', '.join(sorted(known)[:20])}."
            raise TermgaugeError(f"{label}: no concept has the semantic type '{each}'.{hint}")
    wanted = set(types)
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
    import ahocorasick

    if not labels:
        return []
    automaton: Any = ahocorasick.Automaton()
    for label in labels:
        automaton.add_word(f" {label} ", label)
    automaton.make_automaton()
    longest: dict[int, str] = {}
    for end, label in automaton.iter(f" {' '.join(words)} "):
        start = end - len(label)  # of the label's first letter: `end` is the space behind it
        if len(label) > len(longest.get(start, "")):
            longest[start] = label
    mentioned, free = [], 0
    for start in sorted(longest):
        if start >= free:
            mentioned.append(labels[longest[start]])
            free = start + len(longest[start])
    return mentioned
