"""Every reader of files from outside, with a small sample: what tests of all readers and `benchmarks.fuzz` go through.

What is public is read by its public verb; the other readers are what the options of commands lead to.
"""

from __future__ import annotations

import json
import shutil
import tarfile
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

import termgauge as tg
from termgauge.terminology.formats.registry import formats
from termgauge.terminology.mappings import MAPPING_FORMS
from tests.common.model_samples import IN_CORE
from tests.corpus.medline_files import ARTICLE, citation, medline
from tests.made_formats import write_texts
from tests.samples import RRF, SAMPLES, write_obo, write_rrf
from tests.studies.small_study import similarity
from tests.tasks.ner.corpora import TEST, TRAIN

if TYPE_CHECKING:
    from collections.abc import Callable


@dataclass(frozen=True)
class Reader:
    """A reader, and a sample of what it reads."""

    name: str
    write: Callable[[Path], Path]
    """Writes the sample into an empty folder and returns what a user would name."""
    read: Callable[[Path], object]
    lines: str = ""
    """For files of lines, none of which may be longer than 1 MB: a part of the name of one."""
    archives: bool = False
    """Whether the file may be compressed, or the folder in an archive."""
    share: float = 1.0
    """How many inputs it gets for each one of the others: fewer if it is slow."""


def _file(name: str, content: str | bytes) -> Callable[[Path], Path]:
    """Write one file."""

    def write(folder: Path) -> Path:
        (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())
        return folder / name

    return write


def _files(texts: dict[str, str]) -> Callable[[Path], Path]:
    return lambda folder: write_texts(folder, texts)


def _terminology(kind: str) -> Callable[[Path], object]:
    return lambda place: tg.read_terminology(place, format=kind, cache=False)


FUNCTIONAL = """Prefix(obo:=<http://purl.obolibrary.org/obo/>)
Ontology(<http://purl.obolibrary.org/obo/toy.owl> <http://purl.obolibrary.org/obo/toy/2020-02-03/toy.owl>
Declaration(Class(obo:T_1)) Declaration(Class( obo:T_2 ))  # said in one line
AnnotationAssertion(rdfs:label obo:T_1 "a \\"quoted\\" (heart) \\\\ more"@en-US)
AnnotationAssertion(rdfs:label obo:T_2 "Herz"^^xsd:string)
SubClassOf(obo:T_1 ObjectSomeValuesFrom(obo:BFO_0000050 obo:T_2))
)
"""
OWL_XML = """<Ontology xmlns="http://www.w3.org/2002/07/owl#" xml:base="http://x.org/o" ontologyIRI="http://x.org/o">
<Declaration><Class IRI='#A'/></Declaration><Declaration><Class IRI='#B'/></Declaration>
<AnnotationAssertion><AnnotationProperty abbreviatedIRI='rdfs:label'/><IRI>#A</IRI>
<Literal xml:lang='en'>heart</Literal></AnnotationAssertion>
<SubClassOf><Class IRI='#A'/><Class IRI='#B'/></SubClassOf></Ontology>
"""
OWL_TURTLE = """@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix obo: <http://purl.obolibrary.org/obo/> .
<http://purl.obolibrary.org/obo/toy.owl> a owl:Ontology ; owl:versionInfo "2020-02-03" .
obo:T_1 a owl:Class ; rdfs:label "heart \\u00e9 \\"x\\""@en-US, '''a
long one'''@de .
obo:T_2 a owl:Class ; rdfs:label 'Herz'@de ; rdfs:subClassOf obo:T_1,
  [ a owl:Restriction ; owl:onProperty obo:BFO_0000050 ; owl:someValuesFrom obo:T_1 ] .
[] a owl:AllDisjointClasses ; owl:members ( obo:T_1 obo:T_2 ) .
"""
FHIR_XML = """<CodeSystem xmlns="http://hl7.org/fhir"><id value="x"/><text><div>Words.</div></text>
<url value="http://x"/><concept><code value="a"/><display value="heart &amp; more"/>
<designation><language value="de"/><value value="Herz"/></designation>
<concept><code value="b"/><display value="valve"/></concept></concept></CodeSystem>
"""
VALUES = {"contains": [{"system": "http://x", "code": "a", "display": "A"}, {"contains": [{"code": "b"}]}]}
FHIR_PACKAGE = {
    "package.json": json.dumps({"name": "x", "version": "1"}),
    "CodeSystem-a.json": json.dumps({"resourceType": "CodeSystem", "url": "a", "concept": [{"code": "1"}]}),
    "CodeSystem-b.json": json.dumps({"resourceType": "CodeSystem", "url": "b", "concept": [{"code": "1"}]}),
    "ValueSet-c.json": json.dumps({"resourceType": "ValueSet", "expansion": VALUES}),
}


def _packed(folder: Path) -> Path:
    write_texts(folder / "package", FHIR_PACKAGE)
    with tarfile.open(folder / "x.tgz", "w:gz") as archive:
        archive.add(folder / "package", "package")
    shutil.rmtree(folder / "package")
    return folder / "x.tgz"


ICD_LIST = "I519    Heart disease\nI52     Other heart disorders\n"
SSSOM = """#mapping_set_id: x
subject_id	subject_label	predicate_id	object_id
HP:1	"a ""b"\"	skos:exactMatch	MP:1
HP:2	two	skos:broadMatch	MP:2
"""
SAME = {"element": [{"code": "A", "target": [{"code": "B", "equivalence": "equal"}]}]}
CONCEPT_MAP = json.dumps({"resourceType": "ConceptMap", "group": [SAME]}, indent=1)
RF2_MAP = """id	effectiveTime	active	moduleId	refsetId	referencedComponentId	mapTarget
a	20190131	1	m	r	100	X1
b	20190131	1	m	r	200	X2
"""
MAPPINGS = {
    "sssom": ("map.sssom.tsv", SSSOM),
    "concept_map": ("map.json", CONCEPT_MAP),
    "rf2_map": ("der2_sRefset_SimpleMapSnapshot_INT_20190131.txt", RF2_MAP),
    "mrconso": ("MRCONSO.RRF", RRF["MRCONSO.RRF"]),
}


def _mapping(name: str) -> Callable[[Path], object]:
    from termgauge.io.source import files_of

    none = pl.Series([], dtype=pl.String)
    return lambda place: MAPPING_FORMS[name].read(files_of(place)[0], none, none)


TAGGED = "The\tDT\ncell\tNN\tcell\ngrows\tVBZ\tgrow\n.\t.\n\nCells\tNNS\tcell\ngrow\tVBP\tgrow\n"
CONLLU = (
    "# text = Cells grow\n1\tCells\tcell\tNOUN\tNNS\t_\t2\tnsubj\t_\t_\n2\tgrow\tgrow\tVERB\tVBP\t_\t0\troot\t_\t_\n\n"
)
PROSE = "The heart pumps blood.\nBlood flows\nthrough vessels, e.g. the aorta (see Fig. 1).\n\nÄrzte wissen das.\n"
CITATIONS = medline(citation("17", "Of hearts.", "<AbstractText>The heart &lt; 5 % beats.</AbstractText>"), deleted="3")
LEXICON = """{base=treat
spelling_variant=treet
entry=E1
	cat=verb
	variants=irreg|treat|treats|
	nominalization=treatment|noun|E2
}
"""
RESOURCES = {
    "lexicon": ("LEXICON", LEXICON),
    "norms": ("norms.txt", "CUE, TARGET, NORMED?, #G, #P, FSG, BSG\nRIVER, BANK, YES, 152, 30, .197, .100\n"),
    "classes": ("v.tsv", "verb\tfrequency\tverbnet_classes\nRun\t3\t51; 47\nwalk\t2\t51\nbe\t9\tN/A\n"),
    "table": ("table.tsv", "word1\tword2\trelation\nheart\tcardiac\tsynonym\nlung\tpulmonary\tassociated\n"),
}


def _resource(place: Path) -> object:
    from termgauge.corpus.options import PairOptions
    from termgauge.corpus.resources import read_resources

    return read_resources([place], lambda words: words, PairOptions.of())


def _words_of_text(place: Path) -> object:
    from termgauge.io.documents import documents

    return list(documents([place]))


def _property(place: Path) -> object:
    from termgauge.tasks.subsets.properties import read_property

    return read_property(place)


def _words(place: Path) -> object:
    from termgauge.corpus.tables import read_words

    return read_words(place)


def _counted(place: Path) -> object:
    from termgauge.tasks.subsets.properties import count_words

    return count_words([place])


def _counts(place: Path) -> object:
    from termgauge.corpus.words import table_counts

    return pl.Series(table_counts(["heart"], place)[0])


def _lemmas(place: Path) -> object:
    from termgauge.corpus.counting import read_lemmas

    return read_lemmas(place)


def _tags(place: Path) -> object:
    from termgauge.corpus.tagsets import read_tag_table

    return read_tag_table(place)


def _spelling(place: Path) -> object:
    from termgauge.corpus.counting import american_list

    return american_list(place)


def _branches(place: Path) -> object:
    from termgauge.corpus.tally import read_branches

    return read_branches(place)


def _subjects(place: Path) -> object:
    from termgauge.corpus.tally import read_subjects

    return read_subjects(place)


def _queries(place: Path) -> object:
    from termgauge.tasks.linking.questions import _own_queries

    return _own_queries(str(place), pl.DataFrame({"concept": ["C1"], "number": [0]}))


def _tagged_sentences(place: Path) -> object:
    from termgauge.corpus.sentences import read_tagged_sentences

    return read_tagged_sentences([place])


def _entities(place: Path) -> object:
    from termgauge.tasks.ner.corpus import read_corpus

    return read_corpus(place)


def _tagger(folder: Path) -> Path:
    from importlib.resources import files

    data = (files("termgauge.corpus") / "genia-tagger.npz").read_bytes()
    return _file("tagger.npz", data)(folder)


def _read_tagger(place: Path) -> object:
    from termgauge.corpus.tagger import read_tagger

    return read_tagger(place)


def _rated(place: Path) -> object:
    from termgauge.benchmark.human.catalogue import Layout
    from termgauge.benchmark.human.sets import read_rated_table

    layout = Layout(("Term1", "Term2"), ("r1", "r2"), {"umls": ("CUI1", "CUI2")})
    return read_rated_table(place.read_bytes(), layout, name=str(place), id="demo")


def _tsv(place: Path) -> object:
    from termgauge.benchmark.pairset import read_tsv

    return read_tsv(place)


def _scores(place: Path) -> object:
    from termgauge.tasks.prediction.scores import read_scores
    from termgauge.tasks.prediction.task import PredictionOptions

    return read_scores(place, PredictionOptions.of(extrinsic=["f"]))


def _audited(place: Path) -> object:
    from termgauge.benchmark.exclusions import read_exclusions

    return read_exclusions(place)


def _category(place: Path) -> object:
    from termgauge.tasks.categories.members import _from_file

    return _from_file(f"@{place}")


def _mentions(place: Path) -> object:
    from termgauge.domain.seeds import _mentions
    from termgauge.io.source import files_of

    return _mentions(files_of(place)[0])


def _experiment(place: Path) -> object:
    from termgauge.engine.file import load_experiment

    return load_experiment(place)


def _study_file(place: Path) -> object:
    from termgauge.studies.study_file import read_study_file

    return read_study_file(place)


def _study(folder: Path) -> Path:
    study = similarity(folder, n=6)
    with study.store() as store:
        rater, _secret = store.invite(1, "Ann")
        store.begin(rater.id)
        store.answer(rater.id, 1, 1, 3.0, seconds=1.5, client_id="c", revision=0)
        store.set_state(rater.id, "paused", "a holiday")
    return study.folder


def _open_study(place: Path) -> object:
    study = tg.open_study(place)
    with study.store() as store:
        store.history()
    return study.export(history=True), study.status(), study.ratings(include_left_out=True)


def _sheet(place: Path) -> object:
    from termgauge.studies.pairs import read_pair_table

    return read_pair_table(place)


def _benchmark(folder: Path) -> Path:
    terminology = tg.read_terminology(write_obo(folder), cache=False)
    tg.build(terminology, folder / "benchmark")
    return folder / "benchmark"


def _run(folder: Path) -> Path:
    return tg.evaluate(_file("pairs.tsv", PAIRS)(folder), ["baseline:levenshtein"], folder / "run").path


def _open_run(place: Path) -> object:
    from termgauge.engine.run_folder import open_run

    return open_run(place).results()


def _model(scheme: str) -> Callable[[Path], object]:
    def read(place: Path) -> object:
        model: Any = tg.load_model(f"{scheme}:{place}")
        if model.kind == "terms":
            return model.encode(["heart attack", ""])
        return model.gather(np.arange(len(model.vocabulary)))

    return read


LINES = {
    "rf2": "sct2_Description",
    "rrf": "MRCONSO",
    "rxnorm": "RXNCONSO",
    "loinc": "Loinc.csv",
    "obo": "toy.obo",
    "table": "words.tsv",
}
PAIRS = "heart attack\tmyocardial infarction\t3.5\nheart\tkidney\t0.5\nlung\tpulmo\t2\n"
TABLE = 'term1,term2,score\n"heart, left",kidney,0.5\nlung,pulmo,2\n'
EXPERIMENT = """title = "A test"
[human]
sets = ["human/umnsrs-sim"]
[[model]]
spec = "baseline:levenshtein"
name = "edit"
[significance]
alpha = 0.05
"""
DOMAIN = {
    "layout": 1,
    "title": "Heart",
    "terminology": {"sha256": "ab", "edition": "toy"},
    "parts": [{"kind": "below", "concept": "T:1"}],
    "seeds": [{"concept": "T:2", "name": "heart attack", "related": True}],
}
MATRIX = "word1\tword2\tann\tbob\nheart\tcardiac\t3\t4\nlung\tkidney\t0\tNA\n"
RATINGS = "pair\trater\trating\tpage\tposition\n1\tann\t3\t1\t1\n1\tbob\t4\t1\t1\n2\tann\t\t1\t2\n"
SCORED = "No\tO\tO\nfever\tB-Sign\tB-Sign\n\nAsthma\tB-Disease\tO\nattack\tI-Disease\tB-Disease\n"
MMI = "a|AA|MI|x|1|3|7|27|211:3\na|MMI|3.2|Muscle|C0000003|[tisu]|x|TX|1/2|A|\n"

READERS = [
    *(Reader(kind, SAMPLES[kind].write, _terminology(kind), LINES.get(kind, ""), archives=True) for kind in formats()),
    Reader("owl functional", _file("toy.ofn", FUNCTIONAL), _terminology("owl"), archives=True),
    Reader("owl xml", _file("toy.owx", OWL_XML), _terminology("owl"), archives=True),
    Reader("owl turtle", _file("toy.ttl", OWL_TURTLE), _terminology("owl"), archives=True),
    Reader("fhir xml", _file("codes.xml", FHIR_XML), _terminology("fhir"), archives=True),
    Reader("fhir values", _file("v.json", FHIR_PACKAGE["ValueSet-c.json"]), _terminology("fhir"), archives=True),
    Reader("fhir package", _files(FHIR_PACKAGE), _terminology("fhir"), archives=True),
    Reader("fhir package tgz", _packed, _terminology("fhir")),
    Reader("icd10cm list", _file("codes.txt", ICD_LIST), _terminology("icd10cm"), "codes", archives=True),
    Reader("umls", write_rrf, lambda place: tg.read_terminology(place, cache=False, vocabularies=["MSH"])),
    *(Reader(f"mapping {name}", _file(*MAPPINGS[name]), _mapping(name), archives=True) for name in MAPPING_FORMS),
    Reader("pairs tsv", _file("pairs.tsv", PAIRS), _tsv, "pairs.tsv", archives=True),
    Reader("pairs csv", _file("pairs.csv", TABLE), tg.read_pairs, "pairs.csv", archives=True),
    Reader("any table", _file("t.csv", TABLE), tg.read_table, "t.csv", archives=True),
    Reader("pairs numbered", _file("p.csv", TABLE), partial(tg.read_pairs, columns="term1,term2,score"), archives=True),
    Reader(
        "rated table",
        _file("r.csv", 'Term1,Term2,r1,r2,CUI1,CUI2\n"a, b",c,1,2.5,C1,C2\nd,e,,3,None,\n'),
        _rated,
        "r.csv",
    ),
    Reader("ratings matrix", _file("m.tsv", MATRIX), tg.read_ratings, "m.tsv", archives=True),
    Reader("ratings", _file("r.tsv", RATINGS), tg.read_ratings, "r.tsv", archives=True),
    Reader(
        "study pairs", _file("p.csv", 'word1,word2\n"heart, left",kidney\nlung,pulmo\n'), _sheet, "p.csv", archives=True
    ),
    Reader("benchmark", _benchmark, lambda place: list(tg.load_benchmark(place)), share=0.5),
    Reader("run", _run, _open_run, share=0.5),
    Reader("study", _study, _open_study, share=0.5),
    Reader("study file", lambda folder: _study(folder) / "study.toml", _study_file),
    Reader("experiment", _file("experiment.toml", EXPERIMENT), _experiment),
    Reader("domain", _file("domain.json", json.dumps(DOMAIN, indent=1)), tg.read_domain, archives=True),
    Reader("mmi", _file("found.mmi", MMI), _mentions, "found.mmi", archives=True),
    Reader(
        "category", _file("heart.txt", "heart attack\nmyocardial infarction\n"), _category, "heart.txt", archives=True
    ),
    Reader("scores", _file("s.csv", "model,rho,auc,f\nA,0.5,0.9,80\nB,0.6,NA,81.5\n"), _scores, "s.csv", archives=True),
    Reader(
        "audit",
        _file(
            "audit.csv", "list,rank,kind,concept1,term1,concept2,term2,relation,verdict\nmissed,1,x,c,a,d,b,,wrong\n"
        ),
        _audited,
        archives=True,
    ),
    Reader("property", _file("p.tsv", "word\tconcreteness\theight\nheart\t4.5\t1\nlung\t4\tN/A\n"), _property, "p.tsv"),
    Reader(
        "words", _file("w.tsv", "word\tclass\tcount\tdecision\nheart\tnoun\t12\t\n"), _words, "w.tsv", archives=True
    ),
    Reader("general counts", _file("g.tsv", "word\tcount\nheart\t120\nlung\tN/A\n"), _counts, "g.tsv", archives=True),
    Reader("lemmas", _file("l.tsv", "form\tclass\tlemma\nhearts\tnoun\theart\n"), _lemmas, "l.tsv", archives=True),
    Reader("tag table", _file("t.tsv", "NN\tnoun\nVB\tverb\nXX\tother\n"), _tags, "t.tsv", archives=True),
    Reader("spelling", _file("s.tsv", "haem\them\n"), _spelling, "s.tsv", archives=True),
    Reader("mesh branches", _file("b.tsv", "D1\tHeart\tC04.1; A1.2\n"), _branches, "b.tsv", archives=True),
    Reader("subjects", _file("j.tsv", "nlm_id\tterm\n0255562\tCardiology\n"), _subjects, "j.tsv", archives=True),
    Reader("linking queries", _file("q.tsv", "text\tconcept\nheart\tC1\n"), _queries, "q.tsv", archives=True),
    Reader("counted text", _file("a.txt", PROSE), _counted, archives=True),
    *(Reader(f"resource {name}", _file(*RESOURCES[name]), _resource, archives=True) for name in RESOURCES),
    Reader("text", _file("a.txt", PROSE), _words_of_text, archives=True),
    Reader("medline xml", _file("a.xml", CITATIONS), _words_of_text, archives=True),
    Reader("jats xml", _file("a.xml", ARTICLE), _words_of_text, archives=True),
    Reader("tagged", _file("a.tsv", TAGGED), lambda place: tg.words(place, min_count=1), archives=True),
    Reader("conllu", _file("a.conllu", CONLLU), lambda place: tg.words(place, min_count=1), archives=True),
    Reader("tagged sentences", _file("a.tsv", TAGGED), _tagged_sentences, "a.tsv", archives=True),
    Reader("entities", _files({"train.tsv": TRAIN, "test.tsv": TEST}), _entities, archives=True),
    Reader("scored entities", _file("e.tsv", SCORED), tg.score_entities, archives=True),
    Reader("tagger", _tagger, _read_tagger, share=0.2),
]


def _model_readers() -> list[Reader]:
    """Return a reader for each sample of a model that lies in a file and needs no other library."""
    found = []
    for at, sample in enumerate(IN_CORE):
        if sample.needs or ":" in sample.scheme or sample.scheme in {"openai", "medline"}:
            continue
        found.append(Reader(f"{sample} {at}", partial(_written, sample.write), _model(sample.scheme), share=0.5))
    return found


def _written(write: Callable[[Path], str], folder: Path) -> Path:
    (folder / "model").mkdir()
    return folder / Path(write(folder / "model")).relative_to(folder)


READERS += _model_readers()
