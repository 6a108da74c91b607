"""Pairs from words: ask the resources about the words, propose what they relate to experts, and draw the quarters.

What is written is a table that ``termgauge study new`` takes as it is, and beside it a manifest that says what it was
made from, with counts like those of the paper that the procedure comes from. Each expert has a copy of the proposals,
with yes or no in the column ``accept``; a pair is accepted if enough experts have an opinion and all of these are yes.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from termgauge.corpus.options import PairOptions
from termgauge.corpus.pools import (
    BIOMEDICAL,
    BIOMEDICAL_ASSOCIATED,
    DOMAINS,
    GENERAL,
    GENERAL_ASSOCIATED,
    QUARTERS,
    Asked,
    contains,
    draw,
    sorted_words,
)
from termgauge.corpus.relations.registry import american_speller, read_resources, related_pairs, warn_of_unused
from termgauge.corpus.tables import CLASSES
from termgauge.display import Showing
from termgauge.exceptions import TermgaugeError, warn
from termgauge.io.atomic import write_text
from termgauge.io.identity import sha256_of_bytes, version
from termgauge.io.paths import expanded
from termgauge.io.source import content_hashes, files_of
from termgauge.io.tables import open_table
from termgauge.options import also_called, several, takes

if TYPE_CHECKING:
    import os
    from collections.abc import Collection, Mapping, Sequence

    from termgauge.corpus.pools import Codes, Pool, SortedWords
    from termgauge.corpus.relations.registry import RelatedPairs, Resource

COLUMNS = ("word1", "word2", "class", "quarter", "source", "relation")
PROPOSAL_COLUMNS = ("word1", "word2", "class", "source", "relation", "accept")
UNRELATED = "none"
BETWEEN_SOURCES = "; "
_ADVICE = "name more resources or a larger table of words, or lower --per-quarter"


@dataclass(frozen=True)
class ClassCounts:
    """How many pairs of one class of words there are of each kind."""

    pools: Mapping[str, int]
    """Words of each domain."""
    candidates: Mapping[str, int]
    """Associated pairs that each resource gave, of all domains that it was asked about."""
    together: int
    """Biomedical pairs that any resource gave, before experts."""
    accepted: int
    """Those of them that may be drawn."""
    quarters: Mapping[str, int]
    shortfall: Mapping[str, int]
    """Pairs that are missing, of the quarters that are not full."""


@dataclass(frozen=True, eq=False, repr=False)
class WordPairs(Showing):
    """Pairs that were made from words, or proposals of such."""

    shown_by = "termgauge.corpus.sections:word_pairs_section"

    pairs: pl.DataFrame
    classes: Mapping[str, ClassCounts]
    manifest: Mapping[str, Any]
    path: Path | None = None
    """Where they were written."""

    def _brief(self) -> str:
        what = "proposed pairs" if "accept" in self.pairs.columns else "pairs"
        return f"{self.pairs.height:,} {what} of words ({' and '.join(self.classes)})"

    def to_frame(self) -> pl.DataFrame:
        """Return the pairs as a table."""
        return self.pairs

    def summary(self) -> dict[str, Any]:
        """Return the counts, in the form that ``termgauge pairs --json`` prints."""
        return {
            name: {
                "candidates": dict(counts.candidates),
                "quarters": dict(counts.quarters),
                "shortfall": dict(counts.shortfall),
            }
            for name, counts in self.classes.items()
        }


@also_called(resource="resources")
@takes(PairOptions)
def word_pairs(
    words: str | os.PathLike[str],
    resources: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    out: str | os.PathLike[str] | None = None,
    *,
    propose: bool = False,
    accepted: str | os.PathLike[str] | Sequence[str | os.PathLike[str]] = (),
    **options: Any,  # noqa: ANN401
) -> WordPairs:
    """Make pairs of words: associated and unassociated ones, biomedical and general.

    Parameters
    ----------
    words
        A table with the columns word, class and domain, as ``termgauge words`` writes it.
    resources
        Files that say which words belong together, each as ``[KIND[:DOMAIN]=]FILE``: ontologies and other
        terminologies, the SPECIALIST LEXICON, norms of association, classes of verbs, tables.
    out
        Where the pairs are written, and a manifest beside them; nowhere if not given.
    propose
        Return the biomedical candidates for experts to look at, instead of drawing.
    accepted
        The proposals as each expert filled them in.

    Returns
    -------
    The pairs and how many there are of each kind; a quarter that is not full was warned of.
    """
    chosen = PairOptions.of(**options)
    if chosen.experts is None:
        chosen = chosen.model_copy(update={"experts": 2 if several(accepted) else 0})
    table = sorted_words(words, chosen)
    read = read_resources(several(resources), american_speller(table.known), chosen)
    asked = {
        (word_class, domain): Asked(pool, related_pairs(pool, read))
        for word_class in _classes(table, chosen)
        for domain in DOMAINS
        for pool in (table.pool(word_class, domain),)
    }
    classes = list(dict.fromkeys(name for name, _domain in asked))
    chances = _drawable({name: asked[name, BIOMEDICAL] for name in classes}, several(accepted), chosen.experts or 0)
    drawn = {
        name: _proposals(asked[name, BIOMEDICAL])
        if propose
        else _draw_pairs(asked[name, BIOMEDICAL], asked[name, GENERAL], chances[name], chosen)
        for name in classes
    }
    wanted = 0 if propose else chosen.per_quarter
    counts = {
        name: _counts([asked[name, domain] for domain in DOMAINS], len(chances[name]), drawn[name], wanted)
        for name in classes
    }
    _warn(counts, read, [each.pool for each in asked.values()], wanted)
    manifest = _manifest(table, read, several(accepted), chosen, counts)
    pairs = pl.concat(list(drawn.values())).select(PROPOSAL_COLUMNS if propose else COLUMNS)
    made = WordPairs(pairs, counts, manifest)
    return made if out is None else _write(made, expanded(out))


def _classes(table: SortedWords, options: PairOptions) -> list[str]:
    classes = table.classes(options.word_class)
    if not classes:
        raise TermgaugeError(f"{table.place}: holds no word of the class {options.word_class}; leave --class out.")
    if table.rows["domain"].is_null().all():
        raise TermgaugeError(
            f"{table.place}: no word has a domain, so there are no pairs to make; let experts decide (termgauge "
            "words --decisions), or give --domain-source log-ratio to go by frequency alone, with a low --threshold."
        )
    return classes


def _drawable(asked: Mapping[str, Asked], files: Sequence[str | os.PathLike[str]], experts: int) -> dict[str, Codes]:
    """Return the biomedical pairs of each class that may be drawn: those that experts accepted, or all candidates."""
    keys: dict[Key, int] = {
        (name, *pool.pair(code)): code for name, (pool, found) in asked.items() for code in found.candidates.tolist()
    } if files else {}  # fmt: skip
    opinions = read_opinions(files, keys.keys(), list(asked))
    if experts == 0:
        return {name: found.candidates for name, (_pool, found) in asked.items()}
    codes: dict[str, list[int]] = {name: [] for name in asked}
    for key in accepted_pairs(opinions, experts):
        codes[key[0]].append(keys[key])
    return {name: np.array(sorted(own), np.int64) for name, own in codes.items()}


def _draw_pairs(biomedical: Asked, general: Asked, accepted: Codes, options: PairOptions) -> pl.DataFrame:
    pairs = draw(biomedical, general, accepted, options.per_quarter, options.seed)
    of_domain = {BIOMEDICAL: biomedical, GENERAL: general}
    rows = []
    for quarter, code in pairs:
        pool, found = of_domain[quarter.partition("-")[0]]
        rows.append((*_pair_as_written(pool, code), pool.word_class, quarter, *_provenance(found, code)))
    return pl.DataFrame(rows, schema=dict.fromkeys(COLUMNS, pl.String), orient="row")


def _proposals(asked: Asked) -> pl.DataFrame:
    """Return all candidates of a pool, sorted, with an empty column for an expert's answer."""
    pool, found = asked
    rows = [
        (*_pair_as_written(pool, code), pool.word_class, *_provenance(found, code), "", BIOMEDICAL_ASSOCIATED)
        for code in found.candidates.tolist()
    ]
    return pl.DataFrame(rows, schema=dict.fromkeys((*PROPOSAL_COLUMNS, "quarter"), pl.String), orient="row")


def _pair_as_written(pool: Pool, code: int) -> tuple[str, str]:
    first, second = sorted(pool.written.get(word, word) for word in pool.pair(code))
    return first, second


def _provenance(found: RelatedPairs, code: int) -> tuple[str, str]:
    """Return the resources that relate a pair, and the closest relation that any of them names."""
    sources = BETWEEN_SOURCES.join(name for name, pairs in found.by_resource.items() if contains(code, pairs))
    relation = next((name for name, pairs in found.by_relation.items() if contains(code, pairs)), UNRELATED)
    return sources, relation


def _counts(asked: Sequence[Asked], accepted: int, drawn: pl.DataFrame, wanted: int) -> ClassCounts:
    candidates: Counter[str] = Counter()
    for each in asked:
        candidates.update({name: len(pairs) for name, pairs in each.found.by_resource.items()})
    of_quarter = dict(drawn["quarter"].value_counts().iter_rows())
    quarters = {name: of_quarter.get(name, 0) for name in QUARTERS if wanted or name in of_quarter}
    return ClassCounts(
        {each.pool.domain: len(each.pool.words) for each in asked},
        dict(candidates),
        len(asked[0].found.candidates),
        accepted,
        quarters,
        {name: wanted - count for name, count in quarters.items() if count < wanted},
    )


def _warn(counts: Mapping[str, ClassCounts], resources: Sequence[Resource], pools: Sequence[Pool], wanted: int) -> None:
    """Say which resources gave nothing, and which quarters are not full."""
    found: Counter[str] = Counter()
    for each in counts.values():
        found.update(each.candidates)
    warn_of_unused(resources, pools, found)
    for word_class, each in counts.items():
        for quarter, missing in each.shortfall.items():
            advice = "add norms, or a table for this domain" if quarter == GENERAL_ASSOCIATED else _ADVICE
            warn(f"{word_class}s, {quarter}: only {wanted - missing} of {wanted} pairs were found; {advice}.")


def _manifest(
    table: SortedWords,
    resources: Sequence[Resource],
    opinions: Sequence[str | os.PathLike[str]],
    options: PairOptions,
    counts: Mapping[str, ClassCounts],
) -> dict[str, Any]:
    return {
        "termgauge": version(),
        "options": options.model_dump(mode="json"),
        "words": {"file": Path(table.place).name, "sha256": table.sha256},
        "resources": {
            each.name: {
                "kind": each.kind,
                "file": Path(each.place).name,
                "sha256": list(each.sha256),
                "domains": list(each.domains),
            }
            for each in resources
        },
        "experts": [
            {"file": Path(place).name, "sha256": content_hashes(files_of(place))[0]}
            for place in map(expanded, opinions)
        ],
        "classes": {name: asdict(each) for name, each in counts.items()},
    }


def _write(made: WordPairs, place: Path) -> WordPairs:
    """Write the pairs as a table, and beside it the manifest."""
    lines = ["\t".join(made.pairs.columns), *("\t".join(row) for row in made.pairs.iter_rows())]
    text = "".join(f"{line}\n" for line in lines)
    manifest = {**made.manifest, "pairs": {"file": place.name, "sha256": sha256_of_bytes(text.encode())}}
    write_text(place, text)
    write_text(manifest_beside(place), json.dumps(manifest, ensure_ascii=False, indent=2) + "\n")
    return replace(made, manifest=manifest, path=place)


def manifest_beside(place: Path) -> Path:
    """Return where the manifest of a table of pairs is.

    >>> manifest_beside(Path("study/pairs.tsv")).as_posix()
    'study/pairs.tsv.json'
    """
    return place.with_name(f"{place.name}.json")


YES, NO = "yes", "no"

Key = tuple[str, str, str]
"""The class of a pair, and its words in lower case, the smaller first."""


def read_opinions(
    places: Sequence[str | os.PathLike[str]], proposed: Collection[Key], classes: Sequence[str] = CLASSES
) -> dict[Key, list[bool]]:
    """Return all opinions on each proposed pair; nothing but proposals may stand in the files for these classes."""
    opinions: dict[Key, list[bool]] = defaultdict(list)
    for place in places:
        for key, opinion in _of_expert(place, proposed, set(CLASSES).difference(classes)).items():
            opinions[key].append(opinion)
    return dict(opinions)


def accepted_pairs(opinions: Mapping[Key, Sequence[bool]], experts: int) -> set[Key]:
    """Return the pairs on which at least so many experts have an opinion, all of them yes.

    >>> accepted_pairs({("noun", "a", "b"): [True, True], ("noun", "a", "c"): [True]}, 2)
    {('noun', 'a', 'b')}
    """
    return {key for key, given in opinions.items() if len(given) >= experts and all(given)}


def _of_expert(place: str | os.PathLike[str], proposed: Collection[Key], others: Collection[str]) -> dict[Key, bool]:
    columns = ("word1", "word2", "class", "accept")
    table = open_table(place, columns)
    rows = table.select(columns)
    opinions: dict[Key, bool] = {}
    for at, (word1, word2, word_class, answer) in enumerate(rows.iter_rows(), 2):
        where = f"{table.label}, row {at} (the header is row 1)"
        low, high = sorted((word1.lower(), word2.lower()))
        key = word_class.lower(), low, high
        if key[0] in others:
            continue
        if key not in proposed:
            raise TermgaugeError(
                f"{where}: '{word1}' and '{word2}' ({word_class}) are not among the proposals; the file belongs to "
                "other words or resources."
            )
        if answer.lower() not in (YES, NO, ""):
            raise TermgaugeError(f"{where}: '{answer[:40]}' is no answer; write yes or no, or leave it empty.")
        if answer and opinions.setdefault(key, answer.lower() == YES) != (answer.lower() == YES):
            raise TermgaugeError(f"{where}: says the opposite of an earlier row on '{word1}' and '{word2}'; leave one.")
    if not opinions:
        raise TermgaugeError(f"{table.label}: holds no opinion; write yes or no in the column accept.")
    return opinions
