"""Ids of IRIs: as OBO writes them, never two IRIs with one id."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from termgauge.terminology.formats.owl_entities import OBO, Names, edition_of


@pytest.mark.parametrize(
    ("iri", "id_"),
    {
        f"{OBO}HP_0000118": "HP:0000118",
        f"{OBO}NCBITaxon_Union_0000002": "NCBITaxon_Union:0000002",
        f"{OBO}CL_1a1": "CL:1a1",
        f"{OBO}go#systematic_synonym": "systematic_synonym",
        f"{OBO}TEMP#_x1": "TEMP:x1",
        f"{OBO}go.owl": f"{OBO}go.owl",
        "http://www.orpha.net/ORDO/Orphanet_123": "Orphanet:123",
        "http://my.org/onto#C12345": "C12345",
        "http://snomed.info/id/73211009": "sct:73211009",
        "http://snomed.info/": "http://snomed.info/",
        "http://snomed.info/other": "info:other",
        "urn:uuid:1": "urn:uuid:1",
        "": "",
    }.items(),
)
def test_ids(iri, id_):
    names = Names()
    names.ontology = "http://my.org/onto"
    names.prefixes |= {"sct": "http://snomed.info/id/", "info": "http://snomed.info/", "": "http://snomed.info/id"}
    assert names.id_of(iri) == id_


def test_two_iris_never_share_an_id():
    names = Names()
    assert names.id_of(f"{OBO}EFO_1") == "EFO:1"
    assert names.id_of("http://www.ebi.ac.uk/efo/EFO_1") == "http://www.ebi.ac.uk/efo/EFO_1"
    assert names.id_of(f"{OBO}EFO_1") == "EFO:1"


@given(st.lists(st.sampled_from([f"{OBO}A_1", "http://a.org/A_1", "http://b.org/#A_1", f"{OBO}x#A", f"{OBO}y#A"])))
def test_an_id_stays_what_it_is(iris):
    names = Names()
    ids = [names.id_of(iri) for iri in iris]
    assert len(set(ids)) == len(set(iris))
    assert ids == [names.id_of(iri) for iri in iris]


def test_an_ontology_that_says_late_what_it_is():
    names = Names()
    before = names.id_of("http://my.org/onto#C1"), names.id_of("http://my.org/other#C2")
    names.ontology = "http://my.org/onto"
    assert [names.final(id_) for id_ in before] == ["C1", before[1]]


@pytest.mark.parametrize(
    ("iri", "edition"),
    {
        f"{OBO}hp.owl": "hp",
        f"{OBO}hp.obo.owl": "hp",
        f"{OBO}caro/caro-simple.owl": "caro/caro-simple",
        "http://www.ebi.ac.uk/efo/efo.owl": "efo",
        "http://ncicb.nci.nih.gov/xml/owl/EVS/Thesaurus.owl#": "Thesaurus",
        "": "file",
    }.items(),
)
def test_editions(iri, edition):
    assert edition_of(iri, "file.owx") == edition
