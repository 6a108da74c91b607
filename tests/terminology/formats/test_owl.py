"""OWL: the same ontology in four forms gives the same tables and the same benchmark; others count the same."""

from __future__ import annotations

import gzip
import io
import json
import re
from dataclasses import replace
from pathlib import Path

import fastobo
import polars as pl
import pyhornedowl
import pytest
from polars.testing import assert_frame_equal
from rdflib import Graph

from termgauge import build
from termgauge.exceptions import TermgaugeError
from termgauge.io.source import files_of
from termgauge.terminology import read_terminology
from termgauge.terminology.formats.owl import FORMAT
from termgauge.terminology.model import SCHEMAS
from tests.common.readers import FUNCTIONAL
from tests.samples import OBO, OBO_GRAPH, OWL, write_obo

pytestmark = pytest.mark.filterwarnings("ignore::termgauge.exceptions.TermgaugeWarning")

NUCLEUS = Path(__file__).parents[2] / "data" / "go-nucleus"
FORMS = ("owl", "ofn", "json")
PREFIXES = "@prefix skos: <http://www.w3.org/2004/02/skos/core#> .\n@prefix owl: <http://www.w3.org/2002/07/owl#> .\n"
OBO_IRI, SKOS = "http://purl.obolibrary.org/obo/", "http://www.w3.org/2004/02/skos/core#"
IN_OWL = "http://www.geneontology.org/formats/oboInOwl#"
MERGED = {
    "deprecated": True,
    "basicPropertyValues": [
        {"pred": f"{OBO_IRI}IAO_0100001", "val": f"{OBO_IRI}T_1"},
        {"pred": f"{OBO_IRI}IAO_0000231", "val": f"{OBO_IRI}IAO_0000227"},
    ],
}
SUBCLASS = "http://www.w3.org/2000/01/rdf-schema#subClassOf"


def nucleus(suffix):
    return gzip.decompress((NUCLEUS / f"nucleus.{suffix}.gz").read_bytes()).decode()


def read(folder, text, suffix="owl", **options):
    path = folder / f"nucleus.{suffix}"
    path.write_text(text, encoding="utf-8")
    return read_terminology(path, cache=False, **options)


def file_of(folder, text):
    (folder / "x.rdf").write_text(text, encoding="utf-8")
    return files_of(folder / "x.rdf")


def in_order(text):
    """Return an OBO file with its stanzas sorted by id, as OBO is written; a hand has edited this one."""
    header, *stanzas = re.split(r"\n(?=\[Te?)", text)
    return "\n".join(
        [header, *sorted(stanzas, key=lambda each: (each[:4], each.partition("id: ")[2].partition("\n")[0]))]
    )


def assert_same(one, other, but=()):
    for table in SCHEMAS:
        frames = [getattr(each, table) for each in (one, other)]
        assert_frame_equal(*(frame.drop(each for each in but if each in frame.columns) for frame in frames))


@pytest.fixture
def obo(tmp_path):
    return read(tmp_path, in_order(nucleus("obo")), "obo")


@pytest.mark.parametrize("suffix", FORMS)
def test_a_real_ontology_is_the_same_in_every_form(tmp_path, obo, suffix):
    found = read(tmp_path, nucleus(suffix), suffix)
    assert_frame_equal(found.concepts, obo.concepts)
    assert_frame_equal(found.terms, obo.terms)
    assert sorted(found.relations.rows()) == sorted(obo.relations.rows())
    assert_frame_equal(found.replacements, obo.replacements)
    assert found.identity.edition == obo.identity.edition


def test_the_same_ontology_gives_the_same_benchmark(tmp_path, obo):
    sets = {}
    for suffix in ("obo", *FORMS):
        terminology = obo if suffix == "obo" else read(tmp_path, nucleus(suffix), suffix)
        build(terminology, out=tmp_path / suffix)
        sets[suffix] = {path.name: path.read_bytes() for path in (tmp_path / suffix).glob("*.tsv")}
    assert len(sets["obo"]) > 3
    assert sets["owl"] == sets["ofn"] == sets["json"] == sets["obo"]


def test_as_few_classes_and_relations_as_horned_owl_counts(tmp_path):
    text = nucleus("owl")
    found = read(tmp_path, text)
    ontology = pyhornedowl.open_ontology_from_string(text, "rdf")
    merged = text.count("IAO_0000227")
    labels = {iri for iri in ontology.get_classes() if ontology.get_annotation(iri, f"{SUBCLASS[:-10]}label")}
    assert found.terms.filter(kind="fsn").height == len(labels)
    assert found.concepts.height == len(ontology.get_classes()) - merged
    plain = len(re.findall(r"^SubClassOf\(obo:\w+ obo:\w+\)$", nucleus("ofn"), re.MULTILINE))
    some = len(
        re.findall(r"^SubClassOf\(.*obo:\w+ ObjectSomeValuesFrom\(obo:\w+ obo:\w+\)\)$", nucleus("ofn"), re.MULTILINE)
    )
    tags = len(re.findall(r"^AnnotationAssertion\(obo:RO_\d+ obo:\w+ obo:\w+\)$", nucleus("ofn"), re.MULTILINE))
    assert found.relations.filter(type="is_a").height == plain
    assert found.relations.height == plain + some + tags


@pytest.mark.parametrize("syntax", ["rdf", "owx", "ofn"])
@pytest.mark.parametrize("name", ["toy.obo", "symp.obo", "xao-2015-02-19.obo"])
def test_what_another_library_makes_of_obo_is_read_as_the_obo(tmp_path, shared, syntax, name):
    if name == "toy.obo":
        path = write_obo(tmp_path / "given")
        text = re.sub(r" ! a comment| \{.*?\}", "", OBO)
        path.write_text(text)
    elif shared:
        path = shared / "data" / "ontologies" / name
    else:
        pytest.skip("the ontologies beside the repository are not there")
    made = io.BytesIO()
    fastobo.dump_owl(fastobo.load(str(path)), made, format=syntax)
    found = read(tmp_path, made.getvalue().decode(), "owl")
    plain = read_terminology(path, cache=False)
    if name == "toy.obo":  # its synonyms are in an order of their own
        plain = replace(plain, terms=plain.terms.sort("concept", "rank", pl.col("text").str.to_lowercase()))
        found = replace(found, terms=found.terms.sort("concept", "rank", pl.col("text").str.to_lowercase()))
    assert_same(found, plain, but=["since"])  # that library writes dates as another property


@pytest.mark.parametrize(("suffix", "text"), [("owl", OWL), ("json", OBO_GRAPH)])
def test_samples_are_the_same(tmp_path, suffix, text):
    plain = read(tmp_path, OBO, "obo")
    found = read(tmp_path, text, suffix)
    assert_frame_equal(found.terms.sort("concept", "text"), plain.terms.sort("concept", "text"))
    assert_frame_equal(found.concepts, plain.concepts)
    assert_frame_equal(found.relations, plain.relations)
    assert_frame_equal(found.replacements, plain.replacements)
    assert found.identity.slug == plain.identity.slug == "toy-2024-05-01"


@pytest.mark.parametrize("syntax", ["turtle", "nt"])
@pytest.mark.parametrize("text", [OWL, nucleus("owl")], ids=["toy", "nucleus"])
def test_turtle_is_the_same_as_rdf_xml(tmp_path, text, syntax):
    graph = Graph().parse(data=text, format="xml")
    found = read(tmp_path, graph.serialize(format=syntax), "ttl")
    plain = read(tmp_path, text)
    assert found.identity.format == "owl"
    assert found.identity.slug == plain.identity.slug
    assert_same(found, plain)


@pytest.mark.parametrize(
    ("suffix", "text"),
    {
        "ofn": FUNCTIONAL.replace("Ontology(", "Prefix(skos:=<http://www.w3.org/2004/02/skos/core#>)\nOntology(", 1),
        "owl": OWL.replace(
            "<owl:Class",
            '<owl:Ontology/><owl:AnnotationProperty rdf:about="&obo;X_1"><skos:prefLabel '
            'xmlns:skos="http://www.w3.org/2004/02/skos/core#">x</skos:prefLabel></owl:AnnotationProperty>'
            + "<!-- a long list of properties -->" * 2_000
            + "<owl:Class",
            1,
        ),
        "ttl": PREFIXES + '<http://x/o> a owl:Ontology .\n<http://x/o#A> skos:prefLabel "a" ; a owl:Class .\n',
    }.items(),
)
def test_what_declares_classes_is_owl_though_it_uses_labels_of_skos(tmp_path, suffix, text):
    assert read(tmp_path, text, suffix).identity.format == "owl"


def test_a_thesaurus_in_turtle_that_is_an_ontology_too_is_no_owl(tmp_path):
    text = (
        PREFIXES
        + '<http://x/> a owl:Ontology, skos:ConceptScheme .\n<http://x/a> a skos:Concept ; skos:prefLabel "a" .\n'
    )
    assert read(tmp_path, text, "ttl").identity.format == "skos"


def test_an_ontology_in_turtle_is_found_in_its_folder(tmp_path):
    text = f'{PREFIXES}<a> a owl:Class ; skos:prefLabel "a" .'
    (tmp_path / "x.ttl").write_text(text, encoding="utf-8")
    (tmp_path / "README.txt").write_text("An ontology.", encoding="utf-8")
    found = read_terminology(tmp_path, cache=False)
    assert (found.identity.format, found.concepts["name"].to_list()) == ("owl", ["a"])


SAME_RULES = {
    "obo": """format-version: 1.2
ontology: toy
data-version: 2024-05-01

[Term]
id: T:1
name: deficiency
alt_id: T:2
alt_id: T:3
alt_id: T:4

[Term]
id: T:2
name: favism
is_a: T:1
relationship: skos:related T:1

[Term]
id: T:3
name: obsolete lack
is_obsolete: true
replaced_by: T:1

[Term]
id: T:5

[Term]
id: T:6
is_a: T:1
""",
    "json": json.dumps(
        {
            "graphs": [
                {
                    "id": "http://purl.obolibrary.org/obo/toy.owl",
                    "meta": {"version": "http://purl.obolibrary.org/obo/toy/2024-05-01/toy.owl"},
                    "nodes": [
                        {"id": f"{OBO_IRI}T_1", "lbl": "deficiency", "type": "CLASS", "meta": {"basicPropertyValues": [
                            {"pred": f"{IN_OWL}hasAlternativeId", "val": f"T:{n}"} for n in (2, 3, 4)]}},
                        {"id": f"{OBO_IRI}T_2", "lbl": "favism", "type": "CLASS", "meta": MERGED},
                        {"id": f"{OBO_IRI}T_3", "lbl": "obsolete lack", "type": "CLASS", "meta": MERGED},
                        {"id": f"{OBO_IRI}T_4", "type": "CLASS", "meta": MERGED},
                        {"id": f"{OBO_IRI}T_5", "type": "CLASS", "meta": {"basicPropertyValues": [
                            {"pred": f"{IN_OWL}id", "val": "T:5"}]}},
                        {"id": f"{OBO_IRI}T_6", "type": "CLASS"},
                    ],
                    "edges": [
                        {"sub": f"{OBO_IRI}T_2", "pred": "is_a", "obj": f"{OBO_IRI}T_1"},
                        {"sub": f"{OBO_IRI}T_2", "pred": f"{SKOS}related", "obj": f"{OBO_IRI}T_1"},
                        {"sub": f"{OBO_IRI}T_6", "pred": "is_a", "obj": f"{OBO_IRI}T_1"},
                    ],
                }
            ]
        }
    ),
}  # fmt: skip


def test_classes_without_a_label_relations_of_skos_and_alternative_ids_of_terms_are_the_same_everywhere(tmp_path):
    plain, found = (read(tmp_path, text, suffix) for suffix, text in SAME_RULES.items())
    assert_same(found, plain)
    assert plain.concepts.select("concept", "name", "active").rows() == [
        ("T:1", "deficiency", True),
        ("T:2", "favism", True),
        ("T:3", "lack", False),
        ("T:6", None, True),
    ]
    assert ("T:2", "skos:related", "T:1") in plain.relations.rows()
    assert plain.replacements.rows() == [("T:3", "T:1", "replaced-by")]
    for each in (plain, found):
        assert [(skip.count, skip.examples) for skip in each.skipped if "nothing is said" in skip.what] == [
            (1, ("T:5",))
        ]


def test_a_paragraph_is_no_version(tmp_path):
    said = "<owl:versionInfo>{}</owl:versionInfo></owl:Ontology>"
    text = OWL.replace('<owl:versionIRI rdf:resource="&obo;toy/releases/2024-05-01/toy.owl"/>', "")
    for version, slug in {"Version 3, beta": "toy-version-3-beta", "It was made on 2020-02-03 " * 9: "toy"}.items():
        found = read(tmp_path, text.replace("</owl:Ontology>", said.format(version)))
        assert found.identity.slug == slug


def test_a_private_language_stays_whole(tmp_path):
    text = OWL.replace("<rdfs:label>heart</rdfs:label>", '<rdfs:label xml:lang="x-other">heart</rdfs:label>')
    assert read(tmp_path, text).terms.filter(text="heart")["language"].to_list() == ["x-other"]


def test_languages(tmp_path):
    labels = '<rdfs:label xml:lang="en-GB">oedema</rdfs:label><rdfs:label xml:lang="de">Ödem</rdfs:label>'
    text = OWL.replace("<rdfs:label>heart</rdfs:label>", f"{labels}<in:hasExactSynonym>dropsy</in:hasExactSynonym>")

    def names(**options):
        found = read(tmp_path, text, **options)
        return found.terms.filter(concept="T:3").select("text", "kind", "language", "rank").rows()

    assert names() == [("oedema", "fsn", "en", 0), ("dropsy", "synonym", "en", 1), ("Ödem", "fsn", "de", 0)]
    assert names(language="en") == [("oedema", "fsn", "en", 0), ("dropsy", "synonym", "en", 1)]
    assert names(language="de") == [("Ödem", "fsn", "de", 0)]
    assert read(tmp_path, OWL, language="fr").summary()["languages"] == ["fr"]


def test_what_is_passed_over_is_counted(tmp_path):
    more = (
        '<owl:NamedIndividual rdf:about="&obo;T_77"/><owl:Class rdf:about="&obo;T_78"/>'
        '<owl:Class rdf:about="&obo;T_79"><owl:equivalentClass rdf:resource="&obo;T_1"/>'
        '<rdfs:subClassOf><owl:Class><owl:complementOf rdf:resource="&obo;T_1"/></owl:Class></rdfs:subClassOf>'
        "<rdfs:label> </rdfs:label><obo:colour>red</obo:colour></owl:Class></rdf:RDF>"
    )
    found = read(tmp_path, OWL.replace("</rdf:RDF>", more))
    skipped = {each.what: (each.count, each.examples) for each in found.skipped}
    assert skipped["individuals"] == (1, ("T:77",))
    assert skipped["classes of which nothing is said"] == (2, ("T:78", "T:79"))
    assert skipped["axioms of other kinds"] == (1, ("equivalentClass",))
    assert skipped["names and synonyms without text"][0] == 1
    assert skipped["superclasses that are neither a named class nor a relation to one"][0] == 1
    assert skipped["annotations that have no place in a terminology"] == (1, ("http://purl.obolibrary.org/obo/colour",))


def test_imports_are_named(tmp_path):
    text = OWL.replace("</owl:Ontology>", '<owl:imports rdf:resource="http://x.org/more.owl"/></owl:Ontology>')
    assert "imports 1 other ontologies, which are not read (http://x.org/more.owl)" in read(tmp_path, text).notes[0]


@pytest.mark.parametrize(
    ("text", "said"),
    {
        "Prefix: owl: <http://www.w3.org/2002/07/owl#>\nOntology: <http://x>\n": "Manchester syntax",
        "@prefix owl: <http://www.w3.org/2002/07/owl#> .": "has no classes",
        "Hello": "is no OWL in a syntax that termgauge reads",
        "Ontology(<http://x>)": "has no classes",
    }.items(),
)
def test_other_syntaxes_are_refused_by_name(tmp_path, text, said):
    with pytest.raises(TermgaugeError, match=said):
        read(tmp_path, text)


@pytest.mark.parametrize(("suffix", "form"), [("rdf", "owl"), ("xml", "owl"), ("txt", "ofn")])
def test_recognised_by_contents(tmp_path, suffix, form):
    assert read(tmp_path, nucleus(form), suffix).identity.format == "owl"


def test_a_thesaurus_that_declares_owl_is_not_recognised():
    text = (
        '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:owl="http://www.w3.org/2002/07/owl#" '
        'xmlns:skos="http://www.w3.org/2004/02/skos/core#"><owl:Ontology/><skos:ConceptScheme rdf:about="http://x.org/"/>'
        "</rdf:RDF>"
    )
    assert not FORMAT.sniff_head(text.encode())
    assert not FORMAT.sniff_head(text.replace("ConceptScheme", "Concept").encode())
    assert FORMAT.sniff_head(text.replace("skos:ConceptScheme", "owl:Class").encode())


def test_utf_16(tmp_path):
    path = tmp_path / "x.owl"
    path.write_bytes(OWL.replace('version="1.0"', 'version="1.0" encoding="utf-16"').encode("utf-16"))
    assert_same(read_terminology(path), read(tmp_path, OWL))
