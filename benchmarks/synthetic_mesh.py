"""MeSH descriptors of any number, laid out as NLM publishes them.

The elements are those of NLM's document type; how many of each a record has is assumed (eight terms in two concepts,
sixteen qualifiers), so that a record has the size that the whole file suggests, about 10 kB.
"""

# ruff: noqa: E501, SIM905 - a file as it is published
from __future__ import annotations

import random
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

GENERATOR_VERSION = 1
_QUALIFIERS, _TERMS, _PERMUTED = 16, 8, 2
_WORDS = (
    "acute adrenal arterial benign cardiac cerebral chronic congenital deficiency degeneration disease disorder dysplasia "
    "fibrosis gastric hepatic hereditary infarction infection inflammation ischemia lung malignant muscular myocardial "
    "neonatal neoplasm nerve ocular pancreatic pulmonary receptor renal retinal rupture skin stenosis syndrome thrombosis"
).split()
_HEAD = (
    '<?xml version="1.0"?>\n<!DOCTYPE DescriptorRecordSet SYSTEM '
    '"https://www.nlm.nih.gov/databases/dtd/nlmdescriptorrecordset_20250101.dtd">\n'
    '<DescriptorRecordSet LanguageCode = "eng">\n'
)


@dataclass(frozen=True)
class Facts:
    """What is in a file."""

    descriptors: int
    terms: int
    """Those that are not permuted."""
    permuted: int
    tree_parents: int
    """How many descriptors are below another."""


def write_descriptors(folder: Path, descriptors: int, seed: int = 0) -> Facts:
    """Write a file of descriptors, ``desc2025.xml``."""
    rng = random.Random(seed)
    folder.mkdir(parents=True, exist_ok=True)
    parents = 0
    with (folder / "desc2025.xml").open("w", encoding="utf-8") as file:
        file.write(_HEAD)
        for number in range(1, descriptors + 1):
            tree = _tree(number)
            parents += "." in tree
            file.write(_record(number, tree, _texts(rng, number)))
        file.write("</DescriptorRecordSet>\n")
    return Facts(descriptors, descriptors * (_TERMS - _PERMUTED), descriptors * _PERMUTED, parents)


def _tree(number: int) -> str:
    """Return the place of a descriptor: ten below each, so that the parent of a place is there too."""
    places = []
    while number:
        number, last = divmod(number - 1, 10)
        places.append(f"{last:03}")
    top, *below = reversed(places)
    return ".".join((f"C{top[1:]}", *below))


def _texts(rng: random.Random, number: int) -> list[str]:
    return [" ".join((*rng.choices(_WORDS, k=3), str(number), str(place))).title() for place in range(_TERMS)]


def _date(indent: int, name: str) -> str:
    space = " " * indent
    return f"{space}<{name}>\n{space} <Year>1999</Year>\n{space} <Month>01</Month>\n{space} <Day>01</Day>\n{space}</{name}>\n"


def _term(number: int, place: int, text: str) -> str:
    permuted = "Y" if place >= _TERMS - _PERMUTED else "N"
    first = "Y" if place == 0 else "N"
    return (
        f'     <Term  ConceptPreferredTermYN="{first}"  IsPermutedTermYN="{permuted}"  LexicalTag="NON"  '
        f'RecordPreferredTermYN="{first}">\n      <TermUI>T{number:06}{place}</TermUI>\n      <String>{text}</String>\n'
        f"{_date(6, 'DateCreated')}      <ThesaurusIDlist>\n       <ThesaurusID>NLM (1994)</ThesaurusID>\n"
        "      </ThesaurusIDlist>\n     </Term>\n"
    )


def _concept(number: int, which: int, terms: Sequence[tuple[int, str]]) -> str:
    relation = (
        f'    <ConceptRelationList>\n     <ConceptRelation RelationName="NRW">\n     <Concept1UI>M{number:07}1'
        f"</Concept1UI>\n     <Concept2UI>M{number:07}2</Concept2UI>\n     </ConceptRelation>\n    </ConceptRelationList>\n"
    )
    return (
        f'   <Concept PreferredConceptYN="{"Y" if which == 1 else "N"}">\n    <ConceptUI>M{number:07}{which}</ConceptUI>\n'
        f"    <ConceptName>\n     <String>{terms[0][1]}</String>\n    </ConceptName>\n    <ScopeNote>{'A scope note. ' * 12}"
        f"\n    </ScopeNote>\n{relation}    <TermList>\n{''.join(_term(number, *each) for each in terms)}    </TermList>\n"
        "   </Concept>\n"
    )


_ALLOWABLE = "".join(
    "   <AllowableQualifier>\n    <QualifierReferredTo>\n"
    f"     <QualifierUI>Q{place:06}</QualifierUI>\n     <QualifierName>\n      <String>qualifier {place}</String>\n"
    f"     </QualifierName>\n    </QualifierReferredTo>\n    <Abbreviation>Q{place}</Abbreviation>\n   </AllowableQualifier>\n"
    for place in range(_QUALIFIERS)
)


def _record(number: int, tree: str, texts: Sequence[str]) -> str:
    terms = list(enumerate(texts))
    return (
        f'<DescriptorRecord DescriptorClass = "1">\n  <DescriptorUI>D{number:09}</DescriptorUI>\n  <DescriptorName>\n'
        f"   <String>{texts[0]}</String>\n  </DescriptorName>\n{_date(2, 'DateCreated')}{_date(2, 'DateRevised')}"
        f"{_date(2, 'DateEstablished')}  <AllowableQualifiersList>\n{_ALLOWABLE}  </AllowableQualifiersList>\n"
        f"  <HistoryNote>91(75); was see under another\n  </HistoryNote>\n  <OnlineNote>{'use it so. ' * 8}\n  </OnlineNote>\n"
        f"  <TreeNumberList>\n   <TreeNumber>{tree}</TreeNumber>\n  </TreeNumberList>\n  <ConceptList>\n"
        f"{_concept(number, 1, [*terms[:4], *terms[_TERMS - _PERMUTED :]])}"
        f"{_concept(number, 2, terms[4 : _TERMS - _PERMUTED])}  </ConceptList>\n </DescriptorRecord>\n"
    )
