"""The pairs of concepts that analogies are made of."""

from __future__ import annotations

import pytest

from termgauge.domain.domain import Domain
from termgauge.domain.relations import HIERARCHY_RELATIONS, PRESETS, chosen_relations
from termgauge.exceptions import TermgaugeError
from termgauge.terminology import read_terminology
from tests.domain.terminologies import related_concepts

EDGES = [
    ("aspirin", "treats", "pain"),
    ("pain", "treated_by", "aspirin"),
    ("opium", "treats", "pain"),
    ("pain", "treated_by", "opium"),
    ("aspirin", "treats", "pain"),
    ("salt", "treats", "goitre"),
    ("goitre", "treated_by", "salt"),
    ("head", "part_of", "body"),
    ("pain", "site", "head"),
    ("pain", "site", "body"),
    ("pain", "is_a", "symptom"),
    ("ache", "is_a", "pain"),
    ("ache", "next_to", "pain"),
    ("pain", "next_to", "ache"),
    ("pain", "same_as", "dolor"),
    ("pain", "same_as", "ouch"),
]


def domain_of(*related, seeds=()):
    return Domain((*related, *seeds), related)


def names(found):
    return [relation.name for relation in found.relations]


def test_pairs_that_touch_the_domain():
    found = chosen_relations(related_concepts(EDGES), domain_of("pain"), ["treats", "part_of"])
    assert names(found) == ["treats", "part_of"]
    assert found.relations[0].pairs == (("aspirin", "pain"), ("opium", "pain"))
    assert found.relations[1].pairs == ()
    found = chosen_relations(related_concepts(EDGES), domain_of("salt", "opium"), ["treats"])
    assert found.relations[0].pairs == (("opium", "pain"), ("salt", "goitre"))


def test_default_relations_with_their_inverses():
    found = chosen_relations(related_concepts(EDGES), domain_of("pain"))
    # next_to is its own inverse; treats has one of its own; site has none; the hierarchy and mappings are not asked.
    assert sorted(names(found)) == ["inverse of site", "next_to", "site", "treated_by", "treats"]
    turned = {relation.name: relation.pairs for relation in found.relations}
    assert turned["inverse of site"] == (("head", "pain"), ("body", "pain"))
    assert names(chosen_relations(related_concepts(EDGES), domain_of("pain"), inverse=False)).count("site") == 1


def test_named_relations_have_their_inverse_only_if_asked():
    terminology, domain = related_concepts(EDGES), domain_of("pain")
    assert names(chosen_relations(terminology, domain, ["site"], inverse=True)) == ["site", "inverse of site"]
    assert names(chosen_relations(terminology, domain, ["inverse of site"])) == ["inverse of site"]
    assert names(chosen_relations(terminology, domain, ["inverse of site"], inverse=True)) == [
        "inverse of site",
        "site",
    ]
    assert names(chosen_relations(terminology, domain, ["treats"], inverse=True)) == ["treats", "treated_by"]


def test_a_hierarchy_alone_is_asked_and_said():
    edges = [("a", "CHD", "b"), ("b", "PAR", "a"), ("c", "CHD", "b"), ("b", "PAR", "c")]
    found = chosen_relations(related_concepts(edges), domain_of("b"))
    assert names(found) == ["CHD", "PAR"]
    assert "Only the hierarchy" in found.notes[0]


def test_single_pairs_are_left_out_by_default_and_said():
    found = chosen_relations(related_concepts([*EDGES, ("pain", "rare", "head")]), domain_of("pain"))
    assert "rare" not in names(found)
    assert found.notes == ("Left out, for one pair makes no analogy: rare.",)


def test_the_relations_of_the_paper():
    assert len(set(PRESETS["giancani2023"])) == 22
    edges = [("drug", "may_treat", "pain"), ("pain", "may_be_treated_by", "drug")]
    found = chosen_relations(related_concepts(edges), domain_of("pain"), ["giancani2023"])
    assert names(found) == ["may_treat", "may_be_treated_by"]
    assert "does not have associated_finding_of, " in found.notes[0]
    with pytest.raises(TermgaugeError, match="none of the relations of 'giancani2023'"):
        chosen_relations(related_concepts(EDGES), domain_of("pain"), ["giancani2023"])


def test_relations_that_are_concepts_go_by_their_name_too():
    edges = [("pain", "3636", "head"), ("pain", "3636", "body")]
    terminology = related_concepts(edges, concepts=["3636"])
    import polars as pl

    named = terminology.concepts.with_columns(
        name=pl.when(pl.col("concept") == "3636").then(pl.lit("Finding site")).otherwise("name")
    )
    terminology = type(terminology)(
        named,
        *(getattr(terminology, each) for each in ("terms", "relations")),
        terminology.replacements,
        terminology.identity,
    )
    (found,) = chosen_relations(terminology, domain_of("pain"), ["finding site"]).relations
    assert (found.name, found.label, len(found.pairs)) == ("3636", "Finding site", 2)
    assert found.turned.label == "inverse of Finding site"


def test_bad_input():
    terminology = related_concepts(EDGES)
    with pytest.raises(TermgaugeError, match=r"has no relation 'treat'\. Did you mean 'treats'"):
        chosen_relations(terminology, domain_of("pain"), ["treat"])
    with pytest.raises(TermgaugeError, match=r"has no relation 'zzzz'\. It has is_a, next_to"):
        chosen_relations(terminology, domain_of("pain"), ["inverse of zzzz"])
    with pytest.raises(TermgaugeError, match="texts alone"):
        chosen_relations(terminology, domain_of(seeds=("pain",)))
    with pytest.raises(TermgaugeError, match="has no relations"):
        chosen_relations(related_concepts([], ["pain"]), domain_of("pain"))
    with pytest.raises(TermgaugeError, match="touches the domain"):
        chosen_relations(terminology, domain_of("unheard of"))
    with pytest.raises(TermgaugeError, match="two pairs"):
        chosen_relations(related_concepts([("a", "treats", "b")]), domain_of("a"))


@pytest.mark.filterwarnings("ignore:No MR:termgauge.exceptions.TermgaugeWarning")
def test_umls_pairs_read_from_second_to_first(tmp_path):
    """MRREL reads CUI2 RELA CUI1: x is CUI2, y is CUI1."""
    row = "C0000001|ENG|P|L1|PF|S1|Y|A1||||SRC|PT|1|{}|0|N||\n"
    (tmp_path / "MRCONSO.RRF").write_text(row.format("Lung") + row.format("Asthma").replace("C0000001", "C0000002"))
    (tmp_path / "MRREL.RRF").write_text("C0000002|A2|AUI|RO|C0000001|A1|AUI|finding_site_of|R1||SRC|SRC|||N||\n")
    terminology = read_terminology(tmp_path, format="rrf")
    (found,) = chosen_relations(terminology, domain_of("C0000002"), ["finding_site_of"]).relations
    assert found.pairs == (("C0000001", "C0000002"),)  # lung is finding_site_of asthma


@pytest.mark.filterwarnings("ignore:No MR:termgauge.exceptions.TermgaugeWarning")
def test_the_air_sample_uses_rel(shared):
    if shared is None:
        pytest.skip("the real data are not here")
    terminology = read_terminology(shared / "data" / "rrf" / "sample-air")
    some = terminology.relations["source"].mode().sort()[0]
    found = chosen_relations(terminology, domain_of(some))
    assert set(names(found)) <= set(HIERARCHY_RELATIONS)
    assert found.notes
