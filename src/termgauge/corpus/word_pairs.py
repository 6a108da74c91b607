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

import polars as pl

from termgauge.corpus.options import PairOptions
from termgauge.corpus.pools import DOMAINS, QUARTERS, draw, pool_of, sorted_words
from termgauge.corpus.relations import CLOSEST_FIRST
from termgauge.corpus.resources import american_speller, read_resources, related_pairs, warn_of_unused
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

    from termgauge.corpus.pools import Pool, RelatedPairs
    from termgauge.corpus.resources import Resource
    from termgauge.reporting.blocks import Section

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

    pairs: pl.DataFrame
    classes: Mapping[str, ClassCounts]
    manifest: Mapping[str, Any]
    path: Path | None = None
    """Where they were written."""

    def _shown(self) -> Section:
        from termgauge.corpus.sections import word_pairs_section

        return word_pairs_section(self)

    def _brief(self) -> str:
        what = "proposed pairs" if "accept" in self.pairs.columns else "pairs"
        return f"{self.pairs.height:,} {what} of words ({' and '.join(self.classes)})"

    def to_frame(self) -> pl.DataFrame:
        """Return the pairs as a table."""
        return self.pairs

    def summary(self) -> dict[str, Any]:
        """Return the counts, in the form that ``termgauge pairs --json`` prints."""
        columns = ("candidates", "quarters", "shortfall")
        return {name: {key: getattr(counts, key) for key in columns} for name, counts in self.classes.items()}


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
    opinions = several(accepted)
    if chosen.experts is None:
        chosen = chosen.model_copy(update={"experts": 2 if opinions else 0})
    table = sorted_words(words, chosen)
    read = read_resources(several(resources), american_speller(frozenset(table["word"])), chosen)
    related = {
        name: [related_pairs(pool_of(table, name, domain), read) for domain in DOMAINS]
        for name in _classes(table, words, chosen)
    }
    drawable = _drawable({name: biomedical for name, (biomedical, _general) in related.items()}, opinions, chosen)
    wanted = 0 if propose else chosen.per_quarter
    drawn, counts = {}, {}
    for name, (biomedical, general) in related.items():
        if propose:
            pairs = [(QUARTERS[0], code) for code in biomedical.candidates]
        else:
            pairs = draw(biomedical, general, drawable[name], chosen.per_quarter, chosen.seed)
        drawn[name] = _table(pairs, related[name])
        counts[name] = _counts(related[name], len(drawable[name]), drawn[name], wanted)
    _warn(counts, read, [domain_pairs.pool for both in related.values() for domain_pairs in both], wanted)
    manifest = _manifest(words, read, opinions, chosen, counts)
    made = WordPairs(pl.concat(drawn.values()).select(PROPOSAL_COLUMNS if propose else COLUMNS), counts, manifest)
    return made if out is None else _write(made, expanded(out))


def _classes(table: pl.DataFrame, path: str | os.PathLike[str], options: PairOptions) -> list[str]:
    """Return the classes of words that there are and that are wanted, nouns first."""
    classes = [kind for kind in CLASSES if options.word_class in (None, kind) and (table["class"] == kind).any()]
    if not classes:
        raise TermgaugeError(f"{path}: holds no word of the class {options.word_class}; leave --class out.")
    if table["domain"].is_null().all():
        raise TermgaugeError(
            f"{path}: no word has a domain, so there are no pairs to make; let experts decide (termgauge "
            "words --decisions), or give --domain-source log-ratio to go by frequency alone, with a low --threshold."
        )
    return classes


def _drawable(
    related: Mapping[str, RelatedPairs], files: Sequence[str | os.PathLike[str]], options: PairOptions
) -> dict[str, list[int]]:
    """Return the biomedical pairs of each class that may be drawn: all candidates, or those that experts accepted.

    A pair is accepted if at least so many experts as the options say have an opinion on it, all of them yes.
    """
    keys: dict[Key, int] = {
        (name, *pairs.pool.pair(code)): code for name, pairs in related.items() for code in pairs.candidates
    } if files else {}  # fmt: skip
    opinions = read_opinions(files, keys.keys(), list(related))
    if not options.experts:
        return {name: pairs.candidates for name, pairs in related.items()}
    codes: dict[str, list[int]] = {name: [] for name in related}
    for key, answers in opinions.items():
        if len(answers) >= options.experts and all(answers):
            codes[key[0]].append(keys[key])
    return {name: sorted(accepted) for name, accepted in codes.items()}


def _table(pairs: Sequence[tuple[str, int]], related: Sequence[RelatedPairs]) -> pl.DataFrame:
    """Return pairs as they are written, with the resources that relate them and the closest relation these name."""
    of_domain = {}
    for domain_pairs in related:
        closest = pl.col("relation").sort_by(CLOSEST_FIRST).first()
        sources = pl.col("resource").str.join(BETWEEN_SOURCES)
        table = domain_pairs.pairs.group_by("pair", maintain_order=True).agg(sources, closest)
        about = {code: (names, relation) for code, names, relation in table.iter_rows()}
        of_domain[domain_pairs.pool.domain] = domain_pairs.pool, about
    rows = []
    for quarter, code in pairs:
        pool, about = of_domain[quarter.partition("-")[0]]
        first, second = sorted(pool.written.get(word, word) for word in pool.pair(code))
        rows.append((first, second, pool.word_class, quarter, *about.get(code, ("", UNRELATED)), ""))
    return pl.DataFrame(rows, schema=dict.fromkeys((*COLUMNS, "accept"), pl.String), orient="row")


def _counts(related: Sequence[RelatedPairs], accepted: int, drawn: pl.DataFrame, wanted: int) -> ClassCounts:
    candidates = Counter[str]()
    for part in related:
        candidates.update(part.resources)
    of_quarter = dict(drawn["quarter"].value_counts().iter_rows())
    quarters = {name: of_quarter.get(name, 0) for name in QUARTERS if wanted or name in of_quarter}
    return ClassCounts(
        {domain_pairs.pool.domain: len(domain_pairs.pool.words) for domain_pairs in related},
        dict(candidates),
        len(related[0].candidates),
        accepted,
        quarters,
        {name: wanted - count for name, count in quarters.items() if count < wanted},
    )


def _warn(counts: Mapping[str, ClassCounts], resources: Sequence[Resource], pools: Sequence[Pool], wanted: int) -> None:
    """Say which resources gave nothing, and which quarters are not full."""
    warn_of_unused(
        resources, pools, {name for class_counts in counts.values() for name in +Counter(class_counts.candidates)}
    )
    for word_class, class_counts in counts.items():
        for quarter, missing in class_counts.shortfall.items():
            advice = "add norms, or a table for this domain" if quarter == QUARTERS[2] else _ADVICE
            warn(f"{word_class}s, {quarter}: only {wanted - missing} of {wanted} pairs were found; {advice}.")


def _manifest(
    words: str | os.PathLike[str],
    resources: Sequence[Resource],
    opinions: Sequence[str | os.PathLike[str]],
    options: PairOptions,
    counts: Mapping[str, ClassCounts],
) -> dict[str, Any]:
    def hashed(path: str | os.PathLike[str]) -> dict[str, str]:
        return {"file": Path(path).name, "sha256": content_hashes(files_of(path))[0]}

    return {
        "termgauge": version(),
        "options": options.model_dump(mode="json"),
        "words": hashed(words),
        "resources": {
            resource.name: {
                "kind": resource.kind,
                "file": Path(resource.path).name,
                "sha256": list(resource.sha256),
                "domains": list(resource.domains),
            }
            for resource in resources
        },
        "experts": [hashed(path) for path in map(expanded, opinions)],
        "classes": {name: asdict(class_counts) for name, class_counts in counts.items()},
    }


def _write(made: WordPairs, path: Path) -> WordPairs:
    """Write the pairs as a table, and beside it the manifest."""
    text = made.pairs.write_csv(separator="\t", quote_style="never")
    manifest = {**made.manifest, "pairs": {"file": path.name, "sha256": sha256_of_bytes(text.encode())}}
    write_text(path, text)
    write_text(path.with_name(f"{path.name}.json"), json.dumps(manifest, ensure_ascii=False, indent=2) + "\n")
    return replace(made, manifest=manifest, path=path)


Key = tuple[str, str, str]
"""The class of a pair, and its words in lower case, the smaller first."""


def read_opinions(
    paths: Sequence[str | os.PathLike[str]], proposed: Collection[Key], classes: Sequence[str] = CLASSES
) -> dict[Key, list[bool]]:
    """Return all opinions on each proposed pair; nothing but proposals may stand in the files for these classes."""
    opinions: dict[Key, list[bool]] = defaultdict(list)
    for path in paths:
        for key, opinion in _of_expert(path, proposed, set(CLASSES).difference(classes)).items():
            opinions[key].append(opinion)
    return dict(opinions)


def _of_expert(path: str | os.PathLike[str], proposed: Collection[Key], others: Collection[str]) -> dict[Key, bool]:
    columns = ("word1", "word2", "class", "accept")
    table = open_table(path, columns)
    opinions: dict[Key, bool] = {}
    for at, (word1, word2, word_class, answer) in enumerate(table.select(columns).iter_rows(), 2):
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
        if answer.lower() not in ("yes", "no", ""):
            raise TermgaugeError(f"{where}: '{answer[:40]}' is no answer; write yes or no, or leave it empty.")
        accepts = answer.lower() == "yes"
        if answer and opinions.setdefault(key, accepts) != accepts:
            raise TermgaugeError(f"{where}: says the opposite of an earlier row on '{word1}' and '{word2}'; leave one.")
    if not opinions:
        raise TermgaugeError(f"{table.label}: holds no opinion; write yes or no in the column accept.")
    return opinions
