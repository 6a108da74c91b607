"""Resources that a user names: found out by their contents, read once, and named for their files.

``[KIND[:DOMAIN]=]FILE`` forces the kind, and the domain whose associated pairs come from it.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, NamedTuple

import polars as pl

from termgauge.corpus.pools import DOMAINS, difference, union
from termgauge.corpus.relations import lexicon, norms, ontology, tables
from termgauge.corpus.word_forms import american_list, by_list, proposals
from termgauge.exceptions import TermgaugeError, did_you_mean, warn, warn_skipped
from termgauge.io.source import files_of, hashed
from termgauge.terminology.formats.registry import recognised

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Mapping, Sequence

    from termgauge.corpus.options import PairOptions
    from termgauge.corpus.pools import Codes, Pool
    from termgauge.corpus.relations.resource import Kind, Relations, Speller
    from termgauge.io.source import SourceFile

KINDS: dict[str, Kind] = {
    kind.name: kind for kind in (ontology.KIND, lexicon.KIND, norms.KIND, tables.CLASSES, tables.TABLE)
}
_FORCED = re.compile(r"([a-z]+)(?::([a-z]+))?=(.+)", re.DOTALL)
_SUFFIX = re.compile(r"\.(?:obo|tsv|csv|txt|parquet|zip|gz|xz|bz2)$", re.IGNORECASE)


class ResourceSpec(NamedTuple):
    """A resource as a user names it."""

    place: str
    kind: str | None = None
    domain: str | None = None


def parse_resource(given: str | os.PathLike[str]) -> ResourceSpec:
    """Take apart what a user wrote.

    >>> parse_resource("doid.obo")
    ResourceSpec(place='doid.obo', kind=None, domain=None)
    >>> parse_resource("classes:general=verbnet.tsv")
    ResourceSpec(place='verbnet.tsv', kind='classes', domain='general')
    """
    forced = _FORCED.fullmatch(given) if isinstance(given, str) else None
    if forced is None or Path(str(given)).exists():
        return ResourceSpec(str(given))
    kind, domain, place = forced.groups()
    for word, known in ((kind, KINDS), (domain, DOMAINS)):
        if word is not None and word not in known:
            raise TermgaugeError(
                f"'{given}': there is no resource of the kind or domain '{word}'; there are the kinds "
                f"{', '.join(KINDS)} and the domains {', '.join(DOMAINS)}.{did_you_mean(word, known)}"
            )
    return ResourceSpec(place, kind, domain)


@dataclass(frozen=True, eq=False)
class Resource:
    """A resource that was read."""

    name: str
    kind: str
    place: str
    sha256: tuple[str, ...]
    """Of its files."""
    domains: tuple[str, ...]
    """The domains whose associated pairs come from it."""
    relations: Relations

    def __repr__(self) -> str:
        return f"<resource '{self.name}' ({self.kind}): {self.relations.words.n_unique():,} words>"


def read_resources(given: Sequence[str | os.PathLike[str]], spelled: Speller, options: PairOptions) -> list[Resource]:
    """Read some resources; two of the same name are told apart by a number."""
    if not given:
        raise TermgaugeError("No resource was named; name one or more with --resource, such as an ontology.")
    seen: Counter[str] = Counter()
    resources = []
    for each in given:
        wanted = parse_resource(each)
        files = files_of(wanted.place)
        if not files:
            raise TermgaugeError(f"{wanted.place}: holds no files; name a resource such as an ontology.")
        kind = KINDS[wanted.kind] if wanted.kind else _kind_of(files)
        contents = hashed(files)
        relations = kind.read(files, spelled, options)
        contents.require_unchanged()
        name = _stem(PurePosixPath(Path(wanted.place).name).as_posix())
        seen[name] += 1
        name = name if seen[name] == 1 else f"{name}-{seen[name]}"
        domains = (wanted.domain,) if wanted.domain else kind.domains
        resources.append(Resource(name, kind.name, wanted.place, tuple(contents.sha256), domains, relations))
    return resources


def _kind_of(files: Sequence[SourceFile]) -> Kind:
    """Find out the kind of a resource from how its files begin; all of them must be of one kind."""
    for kind in KINDS.values():
        if all(kind.recognised(file) for file in files):
            return kind
    try:
        recognised([files])
    except TermgaugeError:
        signs = "; ".join(kind.signs for kind in KINDS.values())
        raise TermgaugeError(
            f"{files[0].root}: is no resource that termgauge knows. It knows {signs}. If it is one of them, say which, "
            f"as in --resource {ontology.KIND.name}=FILE."
        ) from None
    return ontology.KIND


def _stem(name: str) -> str:
    while (shorter := _SUFFIX.sub("", name)) not in (name, ""):
        name = shorter
    return name


class RelatedPairs(NamedTuple):
    """What resources say about a pool."""

    candidates: Codes
    """The associated pairs."""
    by_resource: Mapping[str, Codes]
    """The associated pairs of each resource that is asked about the domain."""
    by_relation: Mapping[str, Codes]
    """The associated pairs by relation, the closest first; a pair may stand under several."""
    closed: Codes
    """The pairs that are no unassociated ones: candidates, all that norms list, and forms of one word."""


def related_pairs(pool: Pool, resources: Sequence[Resource]) -> RelatedPairs:
    """Ask all resources about a pool of words."""
    never = union(each.relations.same_base(pool) for each in resources)
    variants = pl.concat([each.relations.variants(pool.word_class) for each in resources]).unique()
    by_resource: dict[str, Codes] = {}
    by_relation: dict[str, list[Codes]] = {}
    for resource in resources:
        if pool.domain in resource.domains:
            related = resource.relations.related(pool, variants)
            related = {relation: difference(pairs, never) for relation, pairs in related.items()}
            by_resource[resource.name] = union(related.values())
            for relation, pairs in related.items():
                by_relation.setdefault(relation, []).append(pairs)
    candidates = union(by_resource.values())
    listed = (each.relations.listed(pool) for each in resources)
    ordered = sorted(by_relation, key=tables.closeness)
    return RelatedPairs(
        candidates,
        by_resource,
        {relation: union(by_relation[relation]) for relation in ordered},
        union([candidates, never, *listed]),
    )


def warn_of_unused(resources: Iterable[Resource], pools: Sequence[Pool], found: Mapping[str, int]) -> None:
    """Say which resources gave nothing: because they know no word of the pools, or relate no two of them."""
    words = pl.Series("word", sorted({word for pool in pools for word in pool.words}), dtype=pl.String)
    for each in resources:
        known = words.is_in(each.relations.words.unique().implode()).sum()
        if known == 0:
            warn_skipped(
                f"the resource '{each.name}'",
                f"{each.place}: knows none of the {len(words):,} words, so it gives no pairs; check that it is of the "
                "same language and of the kind meant.",
            )
        elif each.relations.makes_pairs and not found.get(each.name):
            warn(
                f"{each.place}: knows {known:,} of the {len(words):,} words but relates no two of one class and "
                "domain, so it gives no pairs."
            )


def american_speller(known: frozenset[str]) -> Speller:
    """Return what spells the words of resources as a corpus does: as they are if it has them, else in American."""
    try:
        american = american_list(None)
    except TermgaugeError as error:
        warn(f"British words of resources are found by patterns alone, without a list of words. {error}")
        american = {}

    def spelled(words: pl.Series) -> pl.Series:
        strange = [word for word in words.unique().drop_nulls() if word not in known]
        listed = {word: by_list(word, american) for word in strange}
        made = {word: new for word, new in proposals(strange, american).items() if new in known}
        changed = {word: new for word, new in (listed | made).items() if new != word}
        return words.replace(changed) if changed else words

    return spelled
