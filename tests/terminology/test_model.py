"""The model: its summary, its hierarchy, its tags, its identity."""

from __future__ import annotations

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

from termgauge.exceptions import TermgaugeError
from termgauge.terminology import Terminology, TerminologyIdentity, read_terminology
from termgauge.terminology.model import SCHEMAS, conform, counts
from tests.samples import WRITERS

pytestmark = pytest.mark.filterwarnings("ignore::termgauge.exceptions.TermgaugeWarning")

DOCUMENTED = {
    "format",
    "version",
    "concepts",
    "active_concepts",
    "terms",
    "active_terms",
    "relations",
    "replacements",
    "languages",
    "kinds",
}


def terminology(edges=(), tags=(), concepts="abcdefgh"):
    of_concept = dict(tags)
    rows = [(each, each.upper(), of_concept.get(each), None, True, None) for each in concepts]
    return Terminology(
        concepts=pl.DataFrame(rows, schema=SCHEMAS["concepts"], orient="row"),
        terms=pl.DataFrame(schema=SCHEMAS["terms"]),
        relations=pl.DataFrame(list(edges), schema=SCHEMAS["relations"], orient="row"),
        replacements=pl.DataFrame(schema=SCHEMAS["replacements"]),
        identity=TerminologyIdentity("table", "toy", "1", "0" * 64),
    )


@pytest.mark.parametrize("kind", WRITERS)
def test_summary(kind, tmp_path):
    found = read_terminology(WRITERS[kind](tmp_path))
    summary = found.summary()
    assert set(summary) >= DOCUMENTED
    assert set(summary) - DOCUMENTED == {"edition", "sha256", "notes", "terms_by_language"}
    assert list(summary["replacements"]) == ["same-as", "replaced-by", "possibly-equivalent-to"]
    assert sum(summary["replacements"].values()) == found.replacements.height
    assert summary["concepts"] == found.concepts.height >= summary["active_concepts"] > 0
    assert summary["terms"] == found.terms.height == sum(summary["kinds"].values())
    assert summary["active_terms"] == found.terms["active"].sum()
    assert summary["relations"] == found.relations.height
    assert set(summary["languages"]) == set(found.terms["language"].drop_nulls())


def test_descendants():
    found = terminology(
        [("b", "is_a", "a"), ("c", "isa", "b"), ("d", "CHD", "b"), ("e", "part_of", "b"), ("c", "is_a", "d")]
    )
    assert sorted(found.descendants("a")) == ["a", "b", "c", "d"]
    assert found.descendants("e").to_list() == ["e"]
    assert found.descendants("a").name == "concept"


def test_descendants_of_what_is_not_there():
    with pytest.raises(TermgaugeError, match="toy-1 has no concept 'zz'"):
        terminology().descendants("zz")


NODES = st.sampled_from("abcdefgh")


@given(edges=st.lists(st.tuples(NODES, st.sampled_from(["is_a", "isa", "CHD", "part_of"]), NODES)), root=NODES)
def test_descendants_equal_a_plain_search(edges, root):
    """Cycles included: each concept comes once, and the search ends."""
    below, ahead = {root}, [root]
    while ahead:
        target = ahead.pop()
        for source, kind, at in edges:
            if at == target and kind != "part_of" and source not in below:
                below.add(source)
                ahead.append(source)
    found = terminology(edges).descendants(root).to_list()
    assert sorted(found) == sorted(below)


def test_tagged():
    found = terminology(tags=[("a", "organ"), ("b", "organ; disease"), ("c", "disease")])
    assert found.tagged("organ").to_list() == ["a", "b"]
    assert found.tagged("disease").to_list() == ["b", "c"]
    with pytest.raises(TermgaugeError, match="Did you mean 'organ'"):
        found.tagged("organs")
    with pytest.raises(TermgaugeError, match="Its tags: disease, organ"):
        found.tagged("xyz")
    with pytest.raises(TermgaugeError, match="Its tags: none"):
        terminology().tagged("xyz")


@pytest.mark.parametrize(
    ("edition", "version", "slug"),
    [
        ("hp", "2025-01-16", "hp-2025-01-16"),
        ("INT", "20190131", "int-20190131"),
        ("INT+US1000124", "20190131+20190301", "int-us1000124-20190131-20190301"),
        ("uberon/musculoskeletal", "", "uberon-musculoskeletal"),
        ("../../x", "", "x"),
        ("..", "", "obo"),
        ("ÄÖ", "", "obo"),
        ("", "", "obo"),
    ],
)
def test_slug(edition, version, slug):
    found = TerminologyIdentity("obo", edition, version, "").slug
    assert found == slug
    assert "/" not in found


def test_wrong_columns_are_a_defect():
    with pytest.raises(TypeError, match="terms must have the columns"):
        Terminology(
            **{name: pl.DataFrame(schema=schema) for name, schema in SCHEMAS.items() if name != "terms"},
            terms=pl.DataFrame({"a": [1]}),
            identity=TerminologyIdentity("obo", "", "", ""),
        )


def test_save_and_load(tmp_path):
    found = terminology([("b", "is_a", "a")], [("a", "x")])
    found.save(tmp_path)
    again = Terminology.load(tmp_path)
    for name in SCHEMAS:
        assert_frame_equal(getattr(found, name), getattr(again, name))
    assert again.identity == found.identity
    assert "toy-1: 8 concepts" in repr(again)


def test_counts_and_conform():
    frame = pl.DataFrame({"x": ["b", "a", None, "b", "c", "a"]})
    assert list(counts(frame, "x").items()) == [("a", 2), ("b", 2), ("c", 1)]
    assert conform(pl.DataFrame(), "terms").schema == SCHEMAS["terms"]
    assert conform(pl.DataFrame({"concept": [1], "more": [2]}), "concepts").row(0) == (
        "1",
        None,
        None,
        None,
        None,
        None,
    )
