"""The pairs of concepts that analogies are made of: for each relation, those of which an end is in the domain.

Which relations a terminology has, and whether it lists a relation's inverse under a name of its own as UMLS does, is
seen from the pairs themselves; only what is no statement about medicine (hierarchy, mappings, versions) is known by
name.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from importlib.resources import files
from typing import TYPE_CHECKING

import polars as pl

from termgauge.domain.domain import concept_names
from termgauge.exceptions import TermgaugeError, did_you_mean

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from termgauge.domain.domain import Domain
    from termgauge.terminology import Terminology

_KNOWN = tomllib.loads((files("termgauge.domain") / "relations.toml").read_text("utf-8"))
HIERARCHY_RELATIONS, MAPPING_RELATIONS, VERSIONING_RELATIONS = (
    tuple(_KNOWN[kind].split()) for kind in ("hierarchy", "mapping", "versioning")
)
"""Which concept is more general, which stand for each other, and what became of them; not asked by default."""
PRESETS = {name: tuple(relations.split()) for name, relations in _KNOWN["presets"].items()}
"""Relations that a paper asks for."""

INVERSE = "inverse of "
_ALIKE = 0.9
_MOST_NAMED = 12


@dataclass(frozen=True)
class Relation:
    """A relation with its pairs: W in the formulas."""

    name: str
    """As the terminology has it, or ``inverse of`` such a name."""
    label: str
    """For people: where the terminology names relations by concepts, the name of the concept."""
    pairs: tuple[tuple[str, str], ...]
    """The distinct (x, y) with x R y, of which an end is in the domain, in the order of the terminology."""

    @property
    def turned(self) -> Relation:
        """The inverse relation."""
        names = (self.name, self.label)
        name, label = (text.removeprefix(INVERSE) if text.startswith(INVERSE) else f"{INVERSE}{text}" for text in names)
        return Relation(name, label, tuple((y, x) for x, y in self.pairs))


@dataclass(frozen=True)
class ChosenRelations:
    """What is asked, and what there is to say about the choice."""

    relations: tuple[Relation, ...]
    notes: tuple[str, ...] = ()


def chosen_relations(
    terminology: Terminology, domain: Domain, wanted: Sequence[str] = (), *, inverse: bool | None = None
) -> ChosenRelations:
    """Return relations with the pairs that touch the ``related`` concepts of a domain.

    Relations are named as the terminology has them, or by concepts that stand for relations (SNOMED CT), with
    ``inverse of`` before it if wished; or by ``giancani2023`` for the 22 of that paper. If none is named: all that have
    two pairs or more, without those of the hierarchy, of mappings and of versions (:data:`HIERARCHY_RELATIONS`,
    :data:`MAPPING_RELATIONS`, :data:`VERSIONING_RELATIONS`); where only such touch the domain, those of the hierarchy.

    Each relation is followed by its inverse, unless relations were named or `inverse` says otherwise: the terminology's
    own, where one has nine tenths of the turned pairs, else ``inverse of`` it. A relation that is its own inverse
    stands once.
    """
    if terminology.relations.is_empty():
        raise TermgaugeError(
            f"{terminology.identity.slug} has no relations, so that there are no analogies; read a release that has "
            "them, or name a table of them with --relations."
        )
    if not domain.related:
        raise TermgaugeError(
            "The domain comes from texts alone, which give no pairs for analogies; name a concept, a branch or a list "
            "as well."
        )
    touching = _touching(terminology, domain)
    notes: list[str] = []
    names = _names_of_wanted(terminology, wanted, notes) if wanted else _default_names(terminology, touching, notes)
    named = [_relation(terminology, name.removeprefix(INVERSE), touching) for name in names]
    relations = [
        relation.turned if name.startswith(INVERSE) else relation for name, relation in zip(names, named, strict=True)
    ]
    if inverse if inverse is not None else not wanted:
        relations = _with_inverses(terminology, relations, touching)
    return ChosenRelations(tuple(relations), tuple(notes))


def _touching(terminology: Terminology, domain: Domain) -> dict[str, tuple[tuple[str, str], ...]]:
    """Return the pairs of each relation that touches the domain, the relation with the most pairs first."""
    seeds = pl.DataFrame({"seed": domain.related}, schema={"seed": pl.String})
    edges = terminology.relations.lazy().with_row_index("row")
    parts = [
        edges.join(seeds.lazy(), left_on=end, right_on="seed", how="semi", maintain_order="left")
        for end in ("source", "target")
    ]
    pairs = pl.concat(parts).sort("row").unique(["source", "type", "target"], keep="first", maintain_order=True)
    kinds = pairs.group_by("type", maintain_order=True).agg("source", "target").collect()
    by_kind = {kind: tuple(zip(sources, targets, strict=True)) for kind, sources, targets in kinds.iter_rows()}
    return {kind: by_kind[kind] for kind in sorted(by_kind, key=lambda kind: (-len(by_kind[kind]), kind))}


def _names_of_wanted(terminology: Terminology, wanted: Sequence[str], notes: list[str]) -> list[str]:
    types, slug = terminology.relations["type"].unique().to_list(), terminology.identity.slug
    names: dict[str, None] = {}
    for word in wanted:
        preset = PRESETS.get(word, ()) if word not in types else ()
        there = [name for name in preset if name in types]
        if preset and not there:
            raise TermgaugeError(
                f"{slug} has none of the relations of '{word}', such as {preset[0]}; they are UMLS's: name relations "
                "that it has."
            )
        if missing := [name for name in preset if name not in types]:
            notes.append(f"Of the {len(preset)} relations of '{word}', {slug} does not have {', '.join(missing)}.")
        names |= dict.fromkeys(there or [_find_relation(terminology, word, types)])
    return list(names)


def _find_relation(terminology: Terminology, word: str, types: Sequence[str]) -> str:
    """Return the name that a terminology has for a relation, by that name or by the name of its concept."""
    before, plain = (INVERSE, word.removeprefix(INVERSE)) if word.startswith(INVERSE) else ("", word)
    if plain in types:
        return before + plain
    titles = concept_names(terminology, types)
    for kind, title in titles.items():
        if title.lower() == plain.lower():
            return before + kind
    hint = did_you_mean(plain, [*types, *titles.values(), *PRESETS])
    if not hint:
        more = ", …" if len(types) > _MOST_NAMED else ""
        hint = f" It has {', '.join(sorted(types)[:_MOST_NAMED])}{more}."
    raise TermgaugeError(f"{terminology.identity.slug} has no relation '{plain}'.{hint}")


def _relation(terminology: Terminology, kind: str, touching: Mapping[str, tuple[tuple[str, str], ...]]) -> Relation:
    """Return a relation of the terminology; for people, one that is a concept itself has the name of that."""
    return Relation(kind, concept_names(terminology, [kind]).get(kind, kind), touching.get(kind, ()))


def _default_names(
    terminology: Terminology, touching: dict[str, tuple[tuple[str, str], ...]], notes: list[str]
) -> list[str]:
    if not touching:
        raise TermgaugeError(f"No relation of {terminology.identity.slug} touches the domain; choose another.")
    not_asked = {*HIERARCHY_RELATIONS, *MAPPING_RELATIONS, *VERSIONING_RELATIONS}
    medical = [name for name in touching if name not in not_asked]
    several = [name for name in medical if len(touching[name]) > 1]
    if several:
        if single := [name for name in medical if name not in several]:
            more = f" and {len(single) - _MOST_NAMED:,} more" if len(single) > _MOST_NAMED else ""
            notes.append(f"Left out, for one pair makes no analogy: {', '.join(single[:_MOST_NAMED])}{more}.")
        return several
    several = [name for name in touching if name in HIERARCHY_RELATIONS and len(touching[name]) > 1]
    if not several:
        raise TermgaugeError(
            f"No relation of {terminology.identity.slug} has two pairs that touch the domain; choose a larger domain, "
            "or name relations."
        )
    notes.append(
        f"Only the hierarchy of {terminology.identity.slug} touches the domain: analogies are asked of "
        f"{', '.join(several)}."
    )
    return several


def _with_inverses(
    terminology: Terminology, relations: Sequence[Relation], touching: dict[str, tuple[tuple[str, str], ...]]
) -> list[Relation]:
    """Return the relations, each followed by its inverse."""
    both: dict[str, Relation] = {}
    for relation in relations:
        if relation.name in both:
            continue
        both[relation.name] = relation
        inverse = _inverse_in_terminology(relation, touching)
        turned = relation.turned if inverse is None else _relation(terminology, inverse, touching)
        if turned.pairs:
            both.setdefault(turned.name, turned)
    return list(both.values())


def _inverse_in_terminology(relation: Relation, touching: dict[str, tuple[tuple[str, str], ...]]) -> str | None:
    """Return the terminology's own name of a relation's inverse, by its pairs; it may be the relation itself."""
    turned = set(relation.turned.pairs)
    shares = {name: len(turned.intersection(pairs)) / max(1, len(turned)) for name, pairs in touching.items()}
    # The relation itself first, then whichever is of about the same size: a broader one is no inverse.
    sizes = {name: len(pairs) for name, pairs in touching.items()}
    likely = [name for name, share in shares.items() if share >= _ALIKE and share * len(turned) >= _ALIKE * sizes[name]]
    return relation.name if relation.name in likely else max(likely, key=lambda name: shares[name], default=None)
