"""Resources that a user names: found out by their contents, read once, and named for their files.

``[KIND[:DOMAIN]=]FILE`` forces the kind, and the domain whose associated pairs come from it.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import polars as pl

from termgauge.corpus.counting import american_forms, american_list
from termgauge.corpus.pools import BIOMEDICAL, DOMAINS, GENERAL, RelatedPairs
from termgauge.corpus.relations import (
    PAIR,
    is_classes,
    is_lexicon,
    is_norms,
    is_table,
    read_classes,
    read_lexicon,
    read_norms,
    read_ontology,
    read_table,
)
from termgauge.exceptions import TermgaugeError, did_you_mean, warn, warn_skipped
from termgauge.io.source import files_of, hashed
from termgauge.terminology.formats.registry import recognised

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Container, Iterable, Sequence

    from termgauge.corpus.options import PairOptions
    from termgauge.corpus.pools import Pool
    from termgauge.corpus.relations import Relations, Speller
    from termgauge.io.source import SourceFile

_FORCED = re.compile(r"([a-z]+)(?::([a-z]+))?=(.+)", re.DOTALL)
_SUFFIXES = re.compile(r"(?<=.)(?:\.(?:obo|tsv|csv|txt|parquet|zip|gz|xz|bz2))+$", re.IGNORECASE)


class Kind(NamedTuple):
    """A kind of resource."""

    signs: str
    """What it is and how it is recognised, for messages."""
    recognises: Callable[[SourceFile], bool]
    """Whether a file is of this kind, by how it begins."""
    read: Callable[[Sequence[SourceFile], Speller, PairOptions], Relations]
    domains: tuple[str, ...] = DOMAINS
    """The domains whose associated pairs come from it, unless the user says otherwise."""


ONTOLOGY = "ontology"
KINDS = {
    ONTOLOGY: Kind(
        "an ontology or another terminology that termgauge reads",
        lambda _file: False,  # what no other kind recognises is taken for one
        read_ontology,
        (BIOMEDICAL,),
    ),
    "lexicon": Kind(
        "the SPECIALIST LEXICON's unit records ({base=…) or its table of synonyms (word, class, word, class)",
        is_lexicon,
        read_lexicon,
        (BIOMEDICAL,),
    ),
    "norms": Kind(
        "norms of association with the columns CUE, TARGET, #G, #P, FSG and BSG", is_norms, read_norms, (GENERAL,)
    ),
    "classes": Kind("a table with a column verb, noun or word and a column class", is_classes, read_classes),
    "table": Kind("a table with the columns word1, word2 and relation", is_table, read_table),
}


def parse_resource(spec: str | os.PathLike[str]) -> tuple[str, str | None, str | None]:
    """Return the path, kind and domain of what a user wrote: ``doid.obo``, or ``classes:general=verbnet.tsv``."""
    forced = _FORCED.fullmatch(spec) if isinstance(spec, str) else None
    if forced is None or Path(str(spec)).exists():
        return str(spec), None, None
    kind, domain, path = forced.groups()
    for word, names in ((kind, KINDS), (domain, DOMAINS)):
        if word is not None and word not in names:
            raise TermgaugeError(
                f"'{spec}': there is no resource of the kind or domain '{word}'; there are the kinds "
                f"{', '.join(KINDS)} and the domains {', '.join(DOMAINS)}.{did_you_mean(word, names)}"
            )
    return path, kind, domain


@dataclass(frozen=True, eq=False)
class Resource:
    """A resource that was read."""

    name: str
    kind: str
    path: str
    sha256: tuple[str, ...]
    """Of its files."""
    domains: tuple[str, ...]
    """The domains whose associated pairs come from it."""
    relations: Relations

    def __repr__(self) -> str:
        return f"<resource '{self.name}' ({self.kind}): {len(self.relations.words):,} words>"


def read_resources(
    resources: Sequence[str | os.PathLike[str]], spelled: Speller, options: PairOptions
) -> list[Resource]:
    """Read some resources; two of the same name are told apart by a number."""
    if not resources:
        raise TermgaugeError("No resource was named; name one or more with --resource, such as an ontology.")
    names: Counter[str] = Counter()
    read = []
    for path, forced_kind, domain in map(parse_resource, resources):
        files = files_of(path)
        if not files:
            raise TermgaugeError(f"{path}: holds no files; name a resource such as an ontology.")
        kind = forced_kind or _kind_of(files)
        contents = hashed(files)
        relations = KINDS[kind].read(files, spelled, options)
        contents.require_unchanged()
        name = _SUFFIXES.sub("", Path(path).name)
        names[name] += 1
        name = name if names[name] == 1 else f"{name}-{names[name]}"
        domains = (domain,) if domain else KINDS[kind].domains
        read.append(Resource(name, kind, path, tuple(contents.sha256), domains, relations))
    return read


def _kind_of(files: Sequence[SourceFile]) -> str:
    """Find out the kind of a resource from how its files begin; all of them must be of one kind."""
    for name, kind in KINDS.items():
        if all(kind.recognises(file) for file in files):
            return name
    try:
        recognised([files])
    except TermgaugeError:
        signs = "; ".join(kind.signs for kind in KINDS.values())
        raise TermgaugeError(
            f"{files[0].root}: is no resource that termgauge knows. It knows {signs}. If it is one of them, say which, "
            f"as in --resource {ONTOLOGY}=FILE."
        ) from None
    return ONTOLOGY


def related_pairs(pool: Pool, resources: Sequence[Resource]) -> RelatedPairs:
    """Ask all resources about a pool of words."""
    variants = pl.concat([resource.relations.variants for resource in resources]).filter(part=pool.word_class)
    variants = variants.select("word", "variant").unique()
    never, listed = (
        pool.pairs_of(pl.concat([getattr(resource.relations, name).select(PAIR) for resource in resources]))["pair"]
        for name in ("same_base", "listed")
    )
    related = {
        resource.name: resource.relations.related(pool, variants).filter(~pl.col("pair").is_in(never.implode()))
        for resource in resources
        if pool.domain in resource.domains
    }
    none = pl.DataFrame(schema={"relation": pl.String, "pair": pl.Int64, "resource": pl.String})
    pairs = pl.concat([none, *(table.with_columns(resource=pl.lit(name)) for name, table in related.items())])
    counts = {name: table.height for name, table in related.items()}
    return RelatedPairs(pool, pairs, counts, {*pairs["pair"], *never, *listed})


def warn_of_unused(resources: Iterable[Resource], pools: Sequence[Pool], used: Container[str]) -> None:
    """Say which resources gave nothing: because they know no word of the pools, or relate no two of them."""
    words = pl.Series("word", sorted({word for pool in pools for word in pool.words}), dtype=pl.String)
    for resource in resources:
        count = words.is_in(resource.relations.words.implode()).sum()
        if count == 0:
            warn_skipped(
                f"the resource '{resource.name}'",
                f"{resource.path}: knows none of the {len(words):,} words, so it gives no pairs; check that it is "
                "of the same language and of the kind meant.",
            )
        elif resource.relations.makes_pairs and resource.name not in used:
            warn(
                f"{resource.path}: knows {count:,} of the {len(words):,} words but relates no two of one class and "
                "domain, so it gives no pairs."
            )


def american_speller(corpus_words: frozenset[str]) -> Speller:
    """Return what spells the words of resources as a corpus does: as they are if it has them, else in American."""
    try:
        american = american_list(None)
    except TermgaugeError as error:
        warn(f"British words of resources are found by patterns alone, without a list of words. {error}")
        american = {}

    def spelled(words: pl.Series) -> pl.Series:
        strange = [word for word in words.unique().drop_nulls() if word not in corpus_words]
        return words.replace(american_forms(strange, american, corpus_words.intersection))

    return spelled
