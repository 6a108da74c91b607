from __future__ import annotations

import polars as pl
import pytest
from benchmarks.synthetic_rf2 import write_release

from termgauge.exceptions import TermgaugeError, TermgaugeWarning
from termgauge.tasks.categories.members import members_of
from termgauge.tasks.categories.task import CategoryOptions
from termgauge.terminology import read_terminology
from termgauge.terminology.model import MODEL_COMPONENT_MODULE
from tests.tasks.categories.chosen import TERMS, read_source


@pytest.fixture
def source(tmp_path):
    return read_source(tmp_path)


def members(source, close=("1", "4"), far="6", seed=42, **options):
    return members_of(source, CategoryOptions.of(close=close, far=far, **options), seed)


def test_categories_are_names_and_synonyms_below_a_root(source):
    found = members(source)
    assert [sorted(category.terms) for category in found.categories] == [sorted(TERMS[letter]) for letter in "ABC"]
    assert [category.concepts for category in found.categories] == [("1", "2", "3"), ("4", "5"), ("6", "7", "8")]
    assert found.shared == 1
    names = members(source, names_only=True)
    assert set(names.categories[0].terms) == {"heart", "heart attack", "heart failure"}
    assert names.shared == 0
    tags = members(source, ("disorder", "infection"), "surface")
    assert set(tags.categories[0].terms) == {"heart attack", "heart failure", "cardiac infarct"}
    dropped = members(source, drop_shared=True)
    assert "heart" not in dropped.categories[0].terms + dropped.categories[2].terms
    with pytest.raises(TermgaugeError, match="All terms of '1' are in another category too"):
        members(source, ("1", "1"), "6", drop_shared=True)


def test_files_of_terms(source, tmp_path):
    (tmp_path / "mine.txt").write_text("\ufeffskin rash\r\nrash\n\n rash \nskin", encoding="utf-8")
    far = f"@{tmp_path / 'mine.txt'}"
    assert members(source, far=far).categories[2].terms == ("skin rash", "rash", "skin")
    assert [category.terms for category in members(None, (far, far), far).categories] == [
        ("skin rash", "rash", "skin")
    ] * 3
    (tmp_path / "empty.txt").write_text("\n")
    (tmp_path / "latin.txt").write_bytes("Übelkeit".encode("latin-1"))
    for name, sentence in (
        ("empty.txt", "holds no terms"),
        ("latin.txt", "is not UTF-8"),
        ("nothing.txt", "nothing.txt"),
    ):
        with pytest.raises(TermgaugeError, match=sentence):
            members(source, far=f"@{tmp_path / name}")


def test_a_subsample_is_seeded_and_said(source):
    def drawn(seed):
        with pytest.warns(TermgaugeWarning, match=r"^2 terms were drawn from the 4 of '1', from the 3"):
            return members(source, max_terms=2, seed=seed).categories

    assert drawn(1) == drawn(1)
    assert len({drawn(seed)[0].terms for seed in range(8)}) > 1
    for category, letter in zip(drawn(0), "ABC", strict=True):
        assert len(category.terms) == 2
        assert [term for term in members(source).categories["ABC".index(letter)].terms if term in category.terms] == [
            *category.terms
        ]


def test_the_key_says_what_the_terms_are(source, tmp_path):
    assert members(source).key == members(source).key
    assert members(source).key != members(source, names_only=True).key
    place = tmp_path / "mine.txt"
    place.write_text("rash\n")
    before = members(source, far=f"@{place}").key
    place.write_text("rash\nskin\n")
    assert members(source, far=f"@{place}").key != before


@pytest.mark.parametrize(
    ("far", "sentence"), [("999", "neither a concept nor a tag '999'"), ("surfaces", "Did you mean 'surface'")]
)
def test_what_is_not_there(source, far, sentence):
    with pytest.raises(TermgaugeError, match=sentence):
        members(source, far=far)


def test_a_branch_of_the_phenotype_ontology(hpo):
    terminology = read_terminology(hpo)
    category = members(terminology, ("HP:0001637", "HP:0011025"), "HP:0000479").categories[0]
    below = {"HP:0001637"}
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
    assert set(category.terms) == wanted
    assert set(category.concepts) == below & active


def test_a_release_of_snomed_layout(tmp_path):
    terms = [(f"name {place}", [f"synonym {place}"]) for place in range(600)]
    write_release(tmp_path, concepts=600, seed=0, terms=terms)
    terminology = read_terminology(tmp_path)
    sizes = terminology.concepts.filter("active").group_by("tag").len().sort("len", "tag", descending=True)
    tags = [tag for tag in sizes["tag"].to_list() if tag][:3]
    found = members(terminology, tags[:2], tags[2])
    names = members(terminology, tags[:2], tags[2], names_only=True)
    for tag, category, named in zip(tags, found.categories, names.categories, strict=True):
        counted = terminology.concepts.filter(pl.col("active") & (pl.col("module") != MODEL_COMPONENT_MODULE))
        ids = set(terminology.tagged(tag).to_list()) & set(counted["concept"])
        assert set(category.concepts) == ids
        assert set(named.terms) < set(category.terms)
        assert not any(term.endswith(f"({tag})") for term in named.terms)
