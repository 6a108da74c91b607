"""Small terminologies of every format, written by the tests themselves, and ways to wrap them."""

from __future__ import annotations

import gzip
import json
import zipfile
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tests.made_formats import (
    mesh_descriptor,
    write_claml,
    write_fhir,
    write_icd10cm,
    write_loinc,
    write_mesh,
    write_rxnorm,
    write_skos,
)
from tests.terminology.rf2_factory import Release

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

OBO = """format-version: 1.2
data-version: releases/2024-05-01
ontology: toy
synonymtypedef: layperson "layperson term" EXACT
default-namespace: toy_namespace

[Term]
id: T:1
name: root of all
def: "A def with [brackets] and \\"quotes\\"." [x:1]

[Term]
id: T:2
name: heart attack ! a comment
alt_id: T:20
synonym: "myocardial infarction" EXACT []
synonym: "MI" RELATED [x:2] {source="y"}
synonym: "broken heart" EXACT layperson []
is_a: T:1 ! root of all
relationship: part_of T:3 {gci="x"} ! heart
creation_date: 2011-02-03T10:00:00Z

[Term]
id: T:3
name: heart
is_a: T:1

[Term]
id: T:4
name: obsolete cardiac attack
is_obsolete: true
replaced_by: T:5

[Term]
id: T:5
name: obsolete infarct
is_obsolete: true
replaced_by: T:2
consider: T:3

[Typedef]
id: part_of
name: part of
"""

OWL = """<?xml version="1.0"?>
<!DOCTYPE rdf:RDF [
    <!ENTITY obo "http://purl.obolibrary.org/obo/">
]>
<rdf:RDF xmlns="http://purl.obolibrary.org/obo/toy.owl#"
     xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"
     xmlns:owl="http://www.w3.org/2002/07/owl#"
     xmlns:rdfs="http://www.w3.org/2000/01/rdf-schema#"
     xmlns:obo="http://purl.obolibrary.org/obo/"
     xmlns:in="http://www.geneontology.org/formats/oboInOwl#">
<owl:Class rdf:about="&obo;T_2"><rdfs:label>heart attack</rdfs:label>
  <in:hasExactSynonym>myocardial infarction</in:hasExactSynonym>
  <in:hasRelatedSynonym>MI</in:hasRelatedSynonym>
  <in:hasExactSynonym>broken heart</in:hasExactSynonym>
  <in:hasAlternativeId>T:20</in:hasAlternativeId>
  <in:creation_date>2011-02-03T10:00:00Z</in:creation_date>
  <rdfs:subClassOf rdf:resource="&obo;T_1"/>
  <rdfs:subClassOf><owl:Restriction>
    <owl:onProperty rdf:resource="&obo;BFO_0000050"/><owl:someValuesFrom rdf:resource="&obo;T_3"/>
  </owl:Restriction></rdfs:subClassOf>
</owl:Class>
<owl:Axiom>
  <owl:annotatedSource rdf:resource="&obo;T_2"/>
  <owl:annotatedProperty rdf:resource="http://www.geneontology.org/formats/oboInOwl#hasExactSynonym"/>
  <owl:annotatedTarget>broken heart</owl:annotatedTarget>
  <in:hasSynonymType rdf:resource="&obo;toy#layperson"/>
</owl:Axiom>
<owl:Ontology rdf:about="&obo;toy.owl">
  <owl:versionIRI rdf:resource="&obo;toy/releases/2024-05-01/toy.owl"/>
  <in:default-namespace>toy_namespace</in:default-namespace>
</owl:Ontology>
<owl:ObjectProperty rdf:about="&obo;BFO_0000050"><in:shorthand>part_of</in:shorthand></owl:ObjectProperty>
<owl:Class rdf:about="&obo;T_1"><rdfs:label>root of all</rdfs:label></owl:Class>
<owl:Class rdf:about="&obo;T_3">
  <rdfs:label>heart</rdfs:label>
  <rdfs:subClassOf rdf:resource="&obo;T_1"/>
</owl:Class>
<owl:Class rdf:about="&obo;T_4">
  <rdfs:label>obsolete cardiac attack</rdfs:label>
  <owl:deprecated>true</owl:deprecated>
  <obo:IAO_0100001 rdf:resource="&obo;T_5"/>
</owl:Class>
<owl:Class rdf:about="&obo;T_5">
  <rdfs:label>obsolete infarct</rdfs:label>
  <owl:deprecated>true</owl:deprecated>
  <obo:IAO_0100001 rdf:resource="&obo;T_2"/>
  <in:consider>T:3</in:consider>
</owl:Class>
<owl:Class rdf:about="&obo;T_20">
  <owl:deprecated>true</owl:deprecated>
  <obo:IAO_0000231 rdf:resource="&obo;IAO_0000227"/>
  <obo:IAO_0100001 rdf:resource="&obo;T_2"/>
</owl:Class>
</rdf:RDF>
"""
"""The same ontology as in ``OBO``."""


def _graph() -> dict[str, object]:
    """Make the same ontology as an OBO Graph."""
    obo, in_owl = "http://purl.obolibrary.org/obo/", "http://www.geneontology.org/formats/oboInOwl#"

    def values(**said: str) -> list[dict[str, str]]:
        iris = {"replaced_by": f"{obo}IAO_0100001"}
        return [{"pred": iris.get(name, f"{in_owl}{name}"), "val": value} for name, value in said.items()]

    def node(number: int, label: str, **meta: object) -> dict[str, object]:
        return {"id": f"{obo}T_{number}", "lbl": label, "type": "CLASS", "meta": meta}

    synonyms = [
        {"pred": "hasExactSynonym", "val": "myocardial infarction"},
        {"pred": "hasRelatedSynonym", "val": "MI", "xrefs": ["x:2"]},
        {"pred": "hasExactSynonym", "val": "broken heart", "synonymType": f"{obo}toy#layperson"},
    ]
    dates = values(hasAlternativeId="T:20", creation_date="2011-02-03T10:00:00Z")
    nodes = [
        node(1, "root of all", definition={"val": "A def."}),
        node(3, "heart"),
        node(2, "heart attack", synonyms=synonyms, basicPropertyValues=dates),
        node(4, "obsolete cardiac attack", deprecated=True, basicPropertyValues=values(replaced_by=f"{obo}T_5")),
        node(
            5, "obsolete infarct", deprecated=True, basicPropertyValues=values(replaced_by=f"{obo}T_2", consider="T:3")
        ),
        {"id": f"{obo}BFO_0000050", "type": "PROPERTY", "meta": {"basicPropertyValues": values(shorthand="part_of")}},
    ]
    links = ((2, "is_a", 1), (2, f"{obo}BFO_0000050", 3), (3, "is_a", 1))
    edges = [{"sub": f"{obo}T_{sub}", "pred": predicate, "obj": f"{obo}T_{target}"} for sub, predicate, target in links]
    namespace = [{"pred": f"{in_owl}default-namespace", "val": "toy_namespace"}]
    meta = {"version": f"{obo}toy/releases/2024-05-01/toy.owl", "basicPropertyValues": namespace}
    return {"graphs": [{"nodes": nodes, "edges": edges, "id": f"{obo}toy.owl", "meta": meta}]}


OBO_GRAPH = json.dumps(_graph(), indent=1)

TABLE = (
    "concept\tterm\tkind\tlanguage\ttag\n"
    "C1\tHeart attack\tfsn\ten\tdisorder\n"
    'C1\tMI, "acute"\tsynonym\ten\t\n'
    "C2\tHerz\tfsn\tde\torgan\n"
    "C2\tCœur\tsynonym\tfr\t\n"
    "C3\tOld heart\tfsn\ten\t\n"
)
RELATIONS = "source\ttype\ttarget\nC1\tfinding_site\tC2\nC3\treplaced-by\tC2\n"

RRF = {
    "MRCONSO.RRF": (
        "C0000001|ENG|P|L1|PF|S1|Y|A1||||MSH|MH|D1|Heart attack|0|N||\n"
        "C0000001|ENG|S|L2|PF|S2|Y|A2||||SNOMEDCT_US|SY|D1|Infarct, heart|0|N||\n"
        "C0000001|SPA|P|L3|PF|S3|Y|A3||||SCTSPA|PT|D1|Infarto|0|N||\n"
        "C0000001|ENG|S|L4|VO|S4|N|A4||||MSH|EN|D1|attack of the heart|0|O||\n"
        "C0000002|ENG|P|L5|PF|S5|Y|A5||||MSH|MH|D2|Heart|0|N||\n"
        "C0000003|ENG|P|L6|PF|S6|Y|A6||||MSH|MH|D3|Muscle|0|N||\n"
    ),
    "MRREL.RRF": (
        "C0000002|A5|AUI|RO|C0000001|A1|AUI|finding_site_of|R1||MSH|MSH|||N||\n"
        "C0000003|A6|AUI|CHD|C0000002|A5|AUI|isa|R2||MSH|MSH|||N||\n"
        "C0000003|A6|AUI|RB|C0000002|A5|AUI||R3||SNOMEDCT_US|SNOMEDCT_US|||N||\n"
        "C0000003|A6|AUI|RB|C0000001|A1|AUI||R4||MSH|MSH|||O||\n"
    ),
    "MRSTY.RRF": (
        "C0000001|T047|B2|Disease or Syndrome|AT1||\n"
        "C0000002|T023|A1|Body Part, Organ, or Organ Component|AT2||\n"
        "C0000002|T017|A1|Anatomical Structure|AT3||\n"
    ),
    "MRRANK.RRF": "0400|MSH|MH|N|\n0399|SNOMEDCT_US|SY|N|\n0300|MSH|EN|N|\n0299|SCTSPA|PT|N|\n",
    "MRCUI.RRF": "C0000009|2020AA|SY|||C0000001|Y|\nC0000008|2020AA|RO|||C0000002|Y|\nC0000007|2020AA|DEL||||N|\n",
    "CHANGE/DELETEDCUI.RRF": "C0000009|Cardiac infarct|\nC0000007|Nothing|\n",
    "release.dat": "umls.release.name=2020AB\n",
}


def write_obo(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "toy.obo"
    path.write_text(OBO, encoding="utf-8")
    return path


def write_owl(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "toy.owl"
    path.write_text(OWL, encoding="utf-8")
    return path


def write_obographs(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "toy.json"
    path.write_text(OBO_GRAPH, encoding="utf-8")
    return path


def write_table(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "words.tsv").write_text(TABLE, encoding="utf-8")
    (folder / "links.tsv").write_text(RELATIONS, encoding="utf-8")
    return folder


def write_rrf(folder: Path) -> Path:
    for name, text in RRF.items():
        path = folder / "META" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder


def write_rf2(folder: Path) -> Path:
    release = Release()
    release.concept("100", "20180131")
    release.concept("200", "20180131")
    release.concept("300", "20180131")
    release.concept("300", "20190131", active=False)
    release.name("100", "1", "Heart attack (disorder)", "20180131")
    release.synonym("100", "2", "Myocardial infarction", "20180131")
    release.synonym("100", "3", 'MI "acute"', "20180731")
    release.synonym("100", "3", 'MI "acute"', "20190131", active=False)
    release.name("200", "4", "Heart (body structure)", "20180131")
    release.synonym("200", "5", "Heart", "20180131")
    release.name("300", "6", "Cardiac attack (disorder)", "20180131")
    release.relationship("100", "363698007", "200", "20180131")
    release.relationship("200", "116680003", "100", "20180131")
    release.prefer("2", "20180131")
    release.association("300", "100", "20190131")
    release.write(folder / "SnomedCT_Toy")
    return folder


@dataclass(frozen=True)
class Sample:
    """What the tests of every reader need to know of a format."""

    write: Callable[[Path], Path]
    """Writes a small terminology into a folder and returns what a user would name."""
    main_file: str
    """How the name of the file with the terms begins."""
    renamed: Callable[[Path, Path], Path]
    """Gives the source, inside another folder, a name that nothing depends on, and returns what to name then."""
    lessened: Callable[[Path], None] | None = None
    """Takes away, or adds, what makes the reader say a note; None for one that never does."""
    tolerant: bool = False
    """Whether bytes that are no UTF-8 cost a line, not the file."""
    without: frozenset[str] = frozenset()
    """The tables that the format has nothing for."""

    def main_path(self, source: Path) -> Path:
        if source.is_file():
            return source
        return next(path for path in sorted(source.rglob("*")) if path.name.startswith(self.main_file))


def _delete(source: Path, pattern: str) -> None:
    for path in source.rglob(pattern):
        path.unlink()


def _written(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")
    return path


def _append(path: Path, text: str) -> None:
    path.write_text(path.read_text("utf-8") + text, "utf-8")


def _replace(path: Path, old: str, new: str) -> None:
    assert old in path.read_text("utf-8")
    path.write_text(path.read_text("utf-8").replace(old, new, 1), "utf-8")


def _another_file(source: Path, folder: Path) -> Path:
    return source.rename(folder / f"another{source.suffix}")


NO_REPLACEMENTS = frozenset({"replacements"})


SAMPLES = {
    "rf2": Sample(
        write_rf2,
        "sct2_Description",
        lambda source, folder: source.rename(folder / "another folder"),
        lambda source: _delete(source, "*Association*"),
    ),
    "rrf": Sample(
        write_rrf,
        "MRCONSO",
        lambda source, folder: source.rename(folder / "another folder"),
        lambda source: _delete(source, "MRREL.RRF"),
    ),
    "obo": Sample(
        write_obo,
        "toy.obo",
        lambda source, folder: source.rename(folder / "another.obo"),
        lambda source: _append(source, "\n[Term]\nid: T:9\nnonsense\n"),
        tolerant=True,
    ),
    "owl": Sample(
        write_owl,
        "toy.owl",
        lambda source, folder: source.rename(folder / "another.owl"),
        lambda source: _replace(
            source, "</owl:Ontology>", '<owl:imports rdf:resource="http://x.org/"/></owl:Ontology>'
        ),
    ),
    "obographs": Sample(
        write_obographs,
        "toy.json",
        lambda source, folder: source.rename(folder / "another.json"),
        lambda source: _replace(source, '"val": "http://purl.obolibrary.org/obo/T_5', '"val": "T_9'),
    ),
    "table": Sample(
        write_table,
        "words.tsv",
        lambda source, _folder: (source / "words.tsv").rename(source / "other.tsv").parent,
        lambda source: _append(source / "words.tsv", "C9\t\t\t\t\n"),
    ),
    "rxnorm": Sample(
        write_rxnorm,
        "RXNCONSO",
        lambda source, folder: source.rename(folder / "another folder"),
        lambda source: _delete(source, "RXNREL.RRF"),
    ),
    "loinc": Sample(
        write_loinc,
        "Loinc.csv",
        lambda source, folder: source.rename(folder / "another folder"),
        lambda source: _delete(source, "MapTo.csv"),
    ),
    "mesh": Sample(
        write_mesh,
        "desc.xml",
        _another_file,
        lambda source: _replace(
            source, "</DescriptorRecordSet>", mesh_descriptor("D1", "x", [], trees=("X1.1",)) + "</DescriptorRecordSet>"
        ),
        without=NO_REPLACEMENTS,
    ),
    "icd10cm": Sample(
        write_icd10cm,
        "tabular.xml",
        _another_file,
        lambda source: source.write_text("I519    Heart disease\nI52     Other heart disorders\n", "utf-8") and None,
        without=NO_REPLACEMENTS,
    ),
    "claml": Sample(
        write_claml,
        "classification.xml",
        _another_file,
        lambda source: _replace(source, "</ClaML>", '<ModifierClass modifier="M1" code=".0"/></ClaML>'),
        without=NO_REPLACEMENTS,
    ),
    "fhir": Sample(write_fhir, "codes.json", _another_file, lambda source: _replace(source, "complete", "fragment")),
    "skos": Sample(
        write_skos,
        "thesaurus.ttl",
        _another_file,
        lambda source: _append(source, ":disease xl:altLabel :nothing .\n"),
    ),
}
"""By the name of the format; each format has one."""
WRITERS = {name: sample.write for name, sample in SAMPLES.items()}


def zipped(source: Path, archive: Path, method: int = zipfile.ZIP_DEFLATED) -> Path:
    """Put a file or the contents of a folder into a zip archive."""
    with zipfile.ZipFile(archive, "w") as opened:
        for path in [source] if source.is_file() else sorted(source.rglob("*")):
            if path.is_file():
                name = source.name if source.is_file() else path.relative_to(source).as_posix()
                opened.writestr(zipfile.ZipInfo(name), path.read_bytes(), method)  # the same bytes at any time
    return archive


def gzipped(source: Path, folder: Path) -> Path:
    """Compress each file of a source by itself into another folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for path in [source] if source.is_file() else sorted(source.rglob("*")):
        if path.is_file():
            target = folder / (path.name + ".gz")
            target.write_bytes(gzip.compress(path.read_bytes(), mtime=0))
    return folder / (source.name + ".gz") if source.is_file() else folder
