"""Ontologies: published counts of synonyms and siblings, and what is a name of a live term."""

from __future__ import annotations

import re

import polars as pl
import pytest

from termgauge.corpus.pools import Pool
from termgauge.corpus.relations import relations_of_ontology, text_frame
from termgauge.terminology import read_terminology
from tests.corpus.plain_pairs import by_relation

pytestmark = pytest.mark.filterwarnings("ignore::termgauge.exceptions.TermgaugeWarning")
ORACLE = {
    "symp.obo": (78, 2_016, 6, 3),
    "doid-2016-07-29.obo": (213, 5_213, 5, 0),
    "pato.obo": (200, 10_053, 1, 5),
    "caro-simple.obo": (1, 6, 0, 0),
}
"""Pairs of synonyms and of siblings, and how many of them are in Bio-SimLex."""
_STRAY = re.compile(rb'^synonym: "(?:[A-Za-z]+ +| +[A-Za-z]+)" EXACT.*\n', re.MULTILINE)
"""Names with a space at an end: one word for termgauge, more than one for the oracle."""


NO_VARIANTS = text_frame(("word", "variant"))


def pairs_of(ontology, words=None, variants=NO_VARIANTS):
    pool = Pool("noun", "biomedical", tuple(sorted(words or set(ontology.words))))
    return by_relation(pool, ontology.related(pool, variants))


@pytest.mark.parametrize("name", ORACLE)
def test_the_oracle(shared, tmp_path, name):
    if shared is None:
        pytest.skip("the real ontologies are not at hand")
    (tmp_path / name).write_bytes(_STRAY.sub(b"", (shared / "data" / "ontologies" / name).read_bytes()))
    ontology = relations_of_ontology(read_terminology(tmp_path / name), lambda words: words)
    found = pairs_of(ontology, {word for word in ontology.words if re.fullmatch("[a-z]+", word)})
    rows = (line.lower().split("\t") for line in (shared / "data/similarity/Bio-SimLex.txt").read_text().splitlines())
    rated = {tuple(sorted(row[:2])) for row in rows}
    counts = [len(found[relation]) for relation in ("synonym", "sibling")]
    assert (*counts, *(len(found[relation] & rated) for relation in ("synonym", "sibling"))) == ORACLE[name]


def obo(folder, *stanzas):
    text = "format-version: 1.2\nontology: toy\n" + "".join(f"\n[Term]\n{stanza}\n" for stanza in stanzas)
    (folder / "toy.obo").write_text(text)
    return read_terminology(folder / "toy.obo")


def test_names_relations_and_live_terms(tmp_path):
    terminology = obo(
        tmp_path,
        "id: T:0\nname: root",
        "id: T:1\nname: Alpha\nsynonym: \"beta\" EXACT []\nsynonym: \"gamma\" RELATED []\nis_a: T:0",
        "id: T:2\nname: delta\nsynonym: \"two words\" EXACT []\nis_a: T:0\nis_a: T:9",
        "id: T:3\nname: old\nis_a: T:0\nis_obsolete: true",
        "id: T:4\nname: part\nrelationship: part_of T:0",
        "id: T:5\nname: orphan\nis_a: T:9",
        "id: T:9\nname: gone\nis_obsolete: true",
        "id: T:6\nname: beta\nis_a: T:0",
    )  # fmt: skip
    found = pairs_of(relations_of_ontology(terminology, lambda words: words))
    assert found["synonym"] == {("alpha", "beta")}
    assert found["sibling"] == {("alpha", "delta"), ("beta", "delta")}, "a pair that is both is a synonym"
    wide = pairs_of(relations_of_ontology(terminology, lambda words: words, ["related"]))
    assert ("beta", "gamma") in wide["synonym"]
    variants = pl.DataFrame({"word": ["delta"], "variant": ["orphan"]})
    assert ("alpha", "orphan") in pairs_of(relations_of_ontology(terminology, lambda words: words), variants=variants)[
        "sibling"
    ]


def test_spelling_of_the_corpus(tmp_path):
    terminology = obo(tmp_path, 'id: T:0\nname: tumour\nsynonym: "growth" EXACT []')
    spelled = relations_of_ontology(terminology, lambda words: words.replace({"tumour": "tumor"}))
    assert pairs_of(spelled, {"tumor", "growth"})["synonym"] == {("growth", "tumor")}
    assert spelled.listed.is_empty()


def test_any_terminology_will_do(tmp_path):
    (tmp_path / "terms.tsv").write_text("concept\tterm\n1\tfever\n1\tpyrexia\n2\tcough\n3\tsymptom\n")
    (tmp_path / "links.tsv").write_text("source\ttype\ttarget\n1\tis_a\t3\n2\tis_a\t3\n")
    terminology = read_terminology(tmp_path / "terms.tsv", relation_table=tmp_path / "links.tsv")
    found = pairs_of(relations_of_ontology(terminology, lambda words: words))
    assert found == {"synonym": {("fever", "pyrexia")}, "sibling": {("cough", "fever"), ("cough", "pyrexia")}}
