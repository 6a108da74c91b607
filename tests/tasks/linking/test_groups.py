"""Groups of queries: tags, branches, bands of edit distance, numbers of words."""

from __future__ import annotations

import polars as pl

import termgauge as tg
from termgauge.tasks.linking.questions import groupings_of, questions_of
from termgauge.tasks.linking.task import LinkingOptions
from tests.tasks.linking.samples import questions, read_once, terminology


def titles(source, found):
    """Return the queries of each group of each way."""
    return {
        way: {title: [found.texts[at] for at in mask.nonzero()[0]] for title, mask in groups.items()}
        for way, groups in groupings_of(source, found).items()
    }


def tagged(tags):
    made = terminology()
    column = pl.col("concept").replace_strict(tags, default=None, return_dtype=pl.String)
    return tg.Terminology(
        made.concepts.with_columns(tag=column), made.terms, made.relations, made.replacements, made.identity
    )


def test_tags_come_first_and_a_concept_may_have_several():
    source = tagged({"c1": "finding", "c2": "disorder; finding", "c3": "disorder"})
    found = titles(source, questions_of(source, LinkingOptions(), 42))
    assert list(found) == ["tag", "distance", "words"]
    assert set(found["tag"]["finding"]) == {"raised temperature", "Pyrexia", "Common cold", "chill"}
    assert set(found["tag"]["disorder"]) == {"Cardiac infarction", "MI", "Common cold", "chill"}


def test_without_tags_branches_below_the_root_are_taken():
    for source in (terminology(), tagged(dict.fromkeys(("c1", "c2", "c3"), "the only one"))):
        found = titles(source, questions())
        assert list(found) == ["branch", "distance", "words"]
        assert set(found["branch"]) == {"Heart attack", "Fever", "Cold"}
        assert "Rigor" in found["branch"]["Fever"]  # which is above chills


def test_bands_and_words():
    found = titles(terminology(), questions())
    assert found["words"]["1"] == ["MI", "Pyrexia", "chill", "Rigor"]
    assert found["words"]["2"] == ["Cardiac infarction", "raised temperature", "Common cold"]
    assert found["distance"]["1 to 2"] == ["chill"]
    assert "Cardiac infarction" in found["distance"]["11 to 20"]
    alone = titles(terminology(), questions(index="all"))
    assert alone["distance"]["no name to compare with"] == ["Disease"]


def test_the_branches_of_hpo_are_its_organ_systems(hpo):
    source = read_once(hpo)
    found = groupings_of(source, questions_of(source, LinkingOptions(sample=300), 42))
    assert next(iter(found)) == "branch"
    assert "Abnormality of the nervous system" in found["branch"]
    assert "Phenotypic abnormality" not in found["branch"]
