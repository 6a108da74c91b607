"""RxNorm: the Metathesaurus's reader, with RxNorm's own names first."""

from __future__ import annotations

import pytest

from termgauge.exceptions import TermgaugeError
from termgauge.terminology import read_terminology
from tests.made_formats import RXNORM, write_rxnorm, write_texts


def test_counts_are_those_of_the_rows(tmp_path):
    found = read_terminology(write_rxnorm(tmp_path))
    atoms = [line.split("|") for line in RXNORM["RXNCONSO.RRF"].splitlines()]
    assert found.terms["text"].to_list()[: len(atoms)] == [atom[14] for atom in atoms]
    assert found.terms["active"].to_list()[: len(atoms)] == [atom[16] == "N" for atom in atoms]
    retired = {"999", "998"}
    assert set(found.concepts["concept"]) == {atom[0] for atom in atoms} | retired
    assert found.identity.slug == "rxnorm-20aa-250106f"


def test_the_normalised_name_is_the_name(tmp_path):
    found = read_terminology(write_rxnorm(tmp_path))
    names = dict(found.concepts.select("concept", "name").rows())
    assert names["161"] == "acetaminophen"
    assert names["313782"] == "acetaminophen 325 MG Oral Tablet"
    kinds = found.terms.filter(found.terms["concept"] == "161")["kind"].to_list()
    assert kinds == ["synonym", "fsn", "synonym", "synonym"]
    tags = dict(found.concepts.select("concept", "tag").rows())
    assert tags["161"] == "Organic Chemical; Pharmacologic Substance"


def test_relations_read_from_the_second_to_the_first(tmp_path):
    assert read_terminology(write_rxnorm(tmp_path)).relations.rows() == [("313782", "has_ingredient", "161")]


def test_what_was_merged(tmp_path):
    found = read_terminology(write_rxnorm(tmp_path))
    assert found.replacements.rows() == [
        ("999", "161", "replaced-by"),
        ("998", "161", "possibly-equivalent-to"),
        ("998", "313782", "possibly-equivalent-to"),
    ]
    old = found.concepts.filter(~found.concepts["active"])
    assert old.select("concept", "name").rows() == [("999", "APAP"), ("998", "Split drug")]


def test_filters(tmp_path):
    source = write_rxnorm(tmp_path)
    assert set(read_terminology(source, vocabularies=["MSH"]).terms["text"]) >= {"Acetaminophen"}
    assert read_terminology(source, suppressed=False).terms["active"].all()


def test_the_prescribable_subset_does_not_count_twice(tmp_path):
    texts = {f"rrf/{name}": text for name, text in RXNORM.items()}
    subset = {f"prescribe/rrf/{name}": text.splitlines()[0] + "\n" for name, text in RXNORM.items()}
    found = read_terminology(write_texts(tmp_path / "all", texts | subset))
    assert found.identity == read_terminology(write_rxnorm(tmp_path / "whole")).identity
    assert read_terminology(write_texts(tmp_path / "subset", subset)).terms["text"].to_list()[0].startswith("parac")
    with pytest.raises(TermgaugeError, match="holds several releases"):
        read_terminology(write_texts(tmp_path / "all", {f"older/{name}": text for name, text in RXNORM.items()}))


@pytest.mark.filterwarnings("ignore::termgauge.exceptions.TermgaugeWarning")
def test_the_table_of_atoms_alone(tmp_path):
    path = write_rxnorm(tmp_path) / "rrf" / "RXNCONSO.RRF"
    found = read_terminology(path)
    assert found.relations.is_empty()
    assert len(found.notes) == 3
    with pytest.raises(TermgaugeError, match=r"no RXNCONSO\.RRF found"):
        read_terminology(tmp_path / "rrf" / "RXNREL.RRF", format="rxnorm")
