from __future__ import annotations

import json
from itertools import combinations, product

import numpy as np
import polars as pl
import pytest
from benchmarks.synthetic_rf2 import write_release
from termgauge.experiment.categories import categories

import termgauge as tg
from termgauge.exceptions import TermgaugeError, TermgaugeWarning
from termgauge.experiment import categories as module
from termgauge.similarity import reference
from termgauge.terminology import read_terminology
from termgauge.terminology.model import MODEL_COMPONENT_MODULE
from tests.experiment.toy_models import ToyConcepts, ToyPairs, ToyTerms, ToyWords

TABLE = """concept\tterm\tkind\ttag
1\theart\tfsn\torgan
2\theart attack\tfsn\tdisorder
2\tcardiac infarct\tsynonym\t
3\theart failure\tfsn\tdisorder
4\tlung infection\tfsn\tinfection
4\tpneumonia\tsynonym\t
5\tacute pneumonia\tfsn\tinfection
6\tskin\tfsn\tsurface
7\tskin rash\tfsn\tsurface
7\trash\tsynonym\t
7\theart\tsynonym\t
8\tunheard of\tfsn\tsurface
"""
RELATIONS = "source\ttype\ttarget\n2\tis_a\t1\n3\tis_a\t2\n5\tis_a\t4\n7\tis_a\t6\n8\tis_a\t7\n"
TERMS = {
    "A": ["heart", "heart attack", "heart failure", "cardiac infarct"],
    "B": ["lung infection", "acute pneumonia", "pneumonia"],
    "C": ["skin", "skin rash", "unheard of", "rash", "heart"],
}


@pytest.fixture
def source(tmp_path):
    (tmp_path / "terms.tsv").write_text(TABLE)
    (tmp_path / "relations.tsv").write_text(RELATIONS)
    return read_terminology(tmp_path / "terms.tsv", relations=tmp_path / "relations.tsv")


def by_triples(similarity, terms):
    """Return overlap and means as they are defined."""
    triples = list(product(*(terms[letter] for letter in "ABC")))
    overlap = np.mean([similarity(a, b) <= similarity(a, c) for a, b, c in triples])
    means = {
        "AB": np.mean([similarity(a, b) for a, b in product(terms["A"], terms["B"])]),
        "AC": np.mean([similarity(a, c) for a, c in product(terms["A"], terms["C"])]),
    }
    for letter in "ABC":
        means[2 * letter] = np.mean([similarity(one, two) for one, two in combinations(terms[letter], 2)])
    return overlap, means


def test_categories_are_names_and_synonyms_below_a_root(source):
    found = categories(source, ("1", "4"), "6", [ToyPairs()])
    assert [sorted(category.terms) for category in found.categories] == [sorted(TERMS[letter]) for letter in "ABC"]
    assert [category.concepts for category in found.categories] == [("1", "2", "3"), ("4", "5"), ("6", "7", "8")]
    assert found.shared == 1
    names = categories(source, ("1", "4"), "6", [ToyPairs()], names_only=True)
    assert set(names.categories[0].terms) == {"heart", "heart attack", "heart failure"}
    assert names.shared == 0
    tags = categories(source, ("disorder", "infection"), "surface", [ToyPairs()])
    assert set(tags.categories[0].terms) == {"heart attack", "heart failure", "cardiac infarct"}
    dropped = categories(source, ("1", "4"), "6", [ToyPairs()], drop_shared=True)
    assert "heart" not in dropped.categories[0].terms + dropped.categories[2].terms


@pytest.mark.parametrize("measure", ["avg_cos", "avg_kendall", "pair_spearman", "fuzzy_jaccard", "max_jaccard"])
@pytest.mark.parametrize("block", [1, 5, 1 << 21])
def test_words_by_triples(source, measure, block, monkeypatch):
    monkeypatch.setattr(module, "_PAIRS_AT_ONCE", block)
    model = ToyWords()
    known = {letter: [term for term in terms if term != "unheard of"] for letter, terms in TERMS.items()}

    def similarity(one, two):
        vectors = (model.vectors(term.split()).astype(np.float64) for term in (one, two))
        return round(reference.similarity(measure, *vectors), 10)

    overlap, means = by_triples(similarity, known)
    found = categories(source, ("1", "4"), "6", [model], measures=[measure]).models["words"][measure]
    assert found.overlap == pytest.approx(overlap, abs=1e-12)
    assert found.sizes == (4, 3, 4)
    assert found.triples == 48
    for pair, mean in means.items():
        assert found.means[pair] == pytest.approx(mean, abs=1e-9), pair
    assert found.low <= found.overlap <= found.high


@pytest.mark.parametrize("measure", ["cos", "kendall"])
def test_terms_by_triples(source, measure):
    model = ToyTerms(without=("rash",))
    known = {letter: [term for term in terms if term != "rash"] for letter, terms in TERMS.items()}

    def similarity(one, two):
        return round(reference.similarity(measure, *(model.encode([term]).astype(float)[0] for term in (one, two))), 10)

    overlap, means = by_triples(similarity, known)
    found = categories(source, ("1", "4"), "6", [model], measures=[measure]).models["encoder"][measure]
    assert (found.overlap, found.sizes) == (pytest.approx(overlap), (4, 3, 4))
    assert found.means == pytest.approx(means, abs=1e-9)


def test_concepts_and_scorers_of_pairs(source):
    found = categories(source, ("1", "4"), "6", [ToyConcepts(("1", "2", "4", "6", "7")), ToyPairs()])
    assert found.models["concepts"]["cos"].sizes == (2, 1, 2)
    overlap, means = by_triples(lambda one, two: -abs(len(one) - len(two)), TERMS)
    own = found.models["own"]["similarity"]
    assert own.overlap == pytest.approx(overlap)
    assert own.means == pytest.approx(means)


def test_the_document(source):
    found = categories(source, ("1", "4"), "6", [ToyWords(), ToyPairs()], measures=["avg_cos", "max_jaccard"])
    document = json.loads(json.dumps(found.as_dict(), allow_nan=False))
    assert list(document["models"]) == ["words", "own"]
    assert list(document["models"]["words"]) == ["avg_cos", "max_jaccard"]
    each = document["models"]["words"]["avg_cos"]
    assert {"overlap", "sizes", "means"} <= set(each)
    assert set(each["means"]) == {"AB", "AC", "AA", "BB", "CC"}
    assert each["sizes"] == [4, 3, 4]


def test_files_of_terms(source, tmp_path):
    (tmp_path / "mine.txt").write_text("\ufeffskin rash\r\nrash\n\n rash \nskin", encoding="utf-8")
    found = categories(source, ("1", "4"), f"@{tmp_path / 'mine.txt'}", [ToyWords()])
    assert found.categories[2].terms == ("skin rash", "rash", "skin")
    far = f"@{tmp_path / 'mine.txt'}"
    assert categories(None, (far, far), far, [ToyWords()]).models["words"]["avg_cos"].triples == 27
    (tmp_path / "empty.txt").write_text("\n")
    (tmp_path / "latin.txt").write_bytes("Übelkeit".encode("latin-1"))
    for name, sentence in (
        ("empty.txt", "holds no terms"),
        ("latin.txt", "is not UTF-8"),
        ("nothing.txt", "nothing.txt"),
    ):
        with pytest.raises(TermgaugeError, match=sentence):
            categories(source, ("1", "4"), f"@{tmp_path / name}", [ToyWords()])


def test_a_subsample_is_seeded_and_said(source):
    def drawn(seed):
        with pytest.warns(TermgaugeWarning, match=r"^2 terms were drawn from the 4 of '1', from the 3"):
            found = categories(source, ("1", "4"), "6", [ToyPairs()], max_terms=2, seed=seed)
        return found.categories[0].terms, found.models["own"]["similarity"].sizes

    assert drawn(1) == drawn(1)
    assert len({drawn(seed) for seed in range(8)}) > 1
    assert drawn(0)[1] == (2, 2, 2)


def test_a_model_that_knows_nothing_is_left_out(source):
    lost = ToyWords("lost", words=["heart"])
    with pytest.warns(TermgaugeWarning, match="left out: lost: Category B has no term that the model can encode"):
        found = categories(source, ("1", "4"), "6", [lost, ToyPairs()])
    assert list(found.models) == ["own"]
    with pytest.raises(TermgaugeError, match="lost: Category B has no term"):
        categories(source, ("1", "4"), "6", [lost])


@pytest.mark.parametrize(
    ("far", "options", "sentence"),
    [
        ("999", {}, "neither a concept nor a tag '999'"),
        ("surfaces", {}, "Did you mean 'surface'"),
        ("6", {"measures": ["avg_coz"]}, "'avg_coz' is no measure"),
        ("6", {"max_terms": 0}, "at least 1"),
        ("6", {"alpha": 2}, "between 0 and 1"),
    ],
)
def test_bad_input(source, far, options, sentence):
    with pytest.raises(TermgaugeError, match=sentence):
        categories(source, ("1", "4"), far, [ToyPairs()], **options)


def test_no_terminology():
    with pytest.raises(TermgaugeError, match="No terminology was named"):
        categories(None, ("1", "4"), "6", [ToyPairs()])


def test_a_branch_of_the_phenotype_ontology(hpo):
    branches = {"A": "HP:0001637", "B": "HP:0011025", "C": "HP:0000479"}
    found = tg.categories(
        hpo, (branches["A"], branches["B"]), branches["C"], ["baseline:random", "baseline:levenshtein"], max_terms=None
    )
    terminology = read_terminology(hpo)
    below = {branches["A"]}
    pairs = terminology.relations.filter(type="is_a").select("source", "target").rows()
    while more := {child for child, parent in pairs if parent in below} - below:
        below |= more
    active = set(terminology.concepts.filter("active")["concept"])
    wanted = {row["name"] for row in terminology.concepts.iter_rows(named=True) if row["concept"] in below & active}
    wanted |= {
        row["text"]
        for row in terminology.terms.iter_rows(named=True)
        if row["concept"] in below & active and row["kind"] == "synonym" and row["active"]
    }
    assert set(found.categories[0].terms) == wanted
    assert 0 < found.models["random"]["avg_cos"].overlap < 1
    sizes = tuple(len(category.terms) for category in found.categories)
    assert found.models["levenshtein"]["similarity"].sizes == sizes


def test_a_release_of_snomed_layout(tmp_path):
    terms = [(f"name {place}", [f"synonym {place}"]) for place in range(600)]
    write_release(tmp_path, concepts=600, seed=0, terms=terms)
    terminology = read_terminology(tmp_path)
    sizes = terminology.concepts.filter("active").group_by("tag").len().sort("len", "tag", descending=True)
    tags = [tag for tag in sizes["tag"].to_list() if tag][:3]
    found = categories(terminology, (tags[0], tags[1]), tags[2], ["baseline:random"])
    names = categories(terminology, (tags[0], tags[1]), tags[2], ["baseline:random"], names_only=True)
    for tag, category, named in zip(tags, found.categories, names.categories, strict=True):
        counted = terminology.concepts.filter(pl.col("active") & (pl.col("module") != MODEL_COMPONENT_MODULE))
        ids = set(terminology.tagged(tag).to_list()) & set(counted["concept"])
        assert set(category.concepts) == ids
        assert set(named.terms) < set(category.terms)
        assert not any(term.endswith(f"({tag})") for term in named.terms)
    assert found.models["random"]["avg_cos"].triples > 0
