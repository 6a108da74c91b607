"""Seeds from relations, branches and lists."""

from __future__ import annotations

from collections import defaultdict

import pytest
from hypothesis import given
from hypothesis import strategies as st

from termgauge.domain.seeds import descendants_of, listed_concepts, related_to
from termgauge.exceptions import TermgaugeError, TermgaugeWarning
from termgauge.terminology import read_terminology
from tests.domain.terminologies import related_concepts
from tests.samples import WRITERS


def test_one_relation_away_in_either_direction(terminology):
    found = related_to(terminology, "1")
    assert found.seeds == found.related == ("2", "4")
    assert found.names == {"2": "Lung", "4": "Cold"}
    assert found.title == "one relation away from Asthma"


def test_a_concept_is_a_seed_of_its_own_if_it_is_related_to_itself(terminology):
    assert related_to(terminology, "5").seeds == ("5", "6")
    assert related_to(terminology, "6").seeds == ("2", "5")


def test_more_hops(terminology):
    assert related_to(terminology, "4", 2).seeds == ("1", "2")
    assert related_to(terminology, "4", 3).seeds == ("1", "2", "3", "6")
    assert related_to(terminology, "4", 99).seeds == ("1", "2", "3", "6", "5")


def test_relations_in_and_out(terminology):
    assert related_to(terminology, "2", include=["site", "is_a"]).seeds == ("1", "6")
    assert related_to(terminology, "2", exclude=["site", "is_a"]).seeds == ("3",)


EDGES = st.lists(st.tuples(st.sampled_from("abcdef"), st.sampled_from("rs"), st.sampled_from("abcdef")), min_size=1)


@given(EDGES, st.integers(1, 4))
def test_hops_are_a_breadth_first_search(edges, hops):
    linked = defaultdict(set)
    for source, _kind, target in edges:
        linked[source].add(target)
        linked[target].add(source)
    start = edges[0][0]
    distance = {start: 0}
    queue = [start]
    for each in queue:
        for other in linked[each] - set(distance):
            distance[other] = distance[each] + 1
            queue.append(other)
    expected = {each for each, far in distance.items() if 1 <= far <= hops}
    expected |= {start} & linked[start]
    found = related_to(related_concepts(edges), start, hops).seeds
    assert set(found) == expected
    assert len(found) == len(expected)
    others = [distance[each] for each in found if each != start]
    assert others == sorted(others)


def test_below(terminology):
    assert descendants_of(terminology, "Lung").seeds == ("2", "6")
    assert descendants_of(terminology, "7").seeds == ("7",)


def test_below_is_in_the_order_of_the_terminology():
    edges = [(f"{child}", "is_a", f"{child // 2}") for child in range(1, 200)]
    many = related_concepts(edges)
    assert descendants_of(many, "0").seeds == tuple(many.concepts["concept"])


@pytest.mark.parametrize(
    ("format_", "concept", "seeds", "branch"),
    [
        ("rf2", "100", ("200",), ("100", "200")),
        ("rrf", "C0000002", ("C0000001", "C0000003"), ("C0000002",)),
        ("obo", "T:2", ("T:1", "T:3"), ("T:2",)),
    ],
)
def test_every_format(format_, concept, seeds, branch, tmp_path):
    terminology = read_terminology(WRITERS[format_](tmp_path))
    assert related_to(terminology, concept).seeds == seeds
    assert descendants_of(terminology, concept).seeds == branch


def test_a_list(terminology, tmp_path):
    (tmp_path / "ids.txt").write_text("\ufeff# mine\n3\tAir\r\n\n 1 \n3\n")
    assert listed_concepts(terminology, tmp_path / "ids.txt").seeds == ("3", "1")
    with pytest.warns(TermgaugeWarning, match="1 of its concepts, such as 99, is not in terms; it counts as a seed"):
        found = listed_concepts(terminology, ["1", "99"])
    assert found.seeds == found.related == ("1", "99")
    assert found.name("99") == "99"
    with pytest.raises(TermgaugeError, match="none of its ids is known"):
        listed_concepts(terminology, ["99"])
    (tmp_path / "ids.txt").write_text("\n")
    with pytest.raises(TermgaugeError, match="holds no concepts"):
        listed_concepts(terminology, tmp_path / "ids.txt")


def test_a_name_will_do_if_one_concept_has_it(terminology):
    assert related_to(terminology, "asthma").seeds == related_to(terminology, "Asthma bronchiale").seeds == ("2", "4")
    with pytest.raises(TermgaugeError, match=r"2 concepts are called 'Cold': 4 \(Cold\), 5 \(Cold\); name one"):
        related_to(terminology, "Cold")


def test_an_unknown_concept_is_met_with_what_is_near(hpo):
    terminology = read_terminology(hpo)
    with pytest.raises(TermgaugeError) as caught:
        descendants_of(terminology, "HP:002795")
    assert "The nearest ids are HP:000" in str(caught.value)
    with pytest.raises(TermgaugeError) as caught:
        related_to(terminology, "Abnormal respiratory system phisiology")
    assert "HP:0002795 (Abnormal respiratory system physiology)" in str(caught.value)


def test_something_is_offered_for_any_id_and_for_slips_in_synonyms(terminology):
    with pytest.raises(TermgaugeError, match=r"no concept 'C9999999'. The nearest ids are 1 \(Asthma\), "):
        related_to(terminology, "C9999999")
    with pytest.raises(TermgaugeError, match=r"The nearest names are 1 \(Asthma bronchiale\)"):
        related_to(terminology, "Asthma bronhciale")


def test_what_cannot_be_done_is_said(terminology, tmp_path):
    with pytest.raises(TermgaugeError, match="at least 1 relation away"):
        related_to(terminology, "1", 0)
    with pytest.raises(TermgaugeError, match=r"no relations of the type 'sitte'. Did you mean 'site'"):
        related_to(terminology, "1", include=["sitte"])
    with pytest.raises(TermgaugeError, match="'7' has no relations in"):
        related_to(terminology, "7")
    with pytest.raises(TermgaugeError, match="'3' has no relations of the types site in"):
        related_to(terminology, "3", include=["site"])
    flat = read_terminology(tmp_path / "terms.tsv")
    for make in (related_to, descendants_of):
        with pytest.raises(TermgaugeError, match=r"has no relations, so that nothing is related .* --relations"):
            make(flat, "1")
    with pytest.raises(TermgaugeError, match="has no hierarchy"):
        descendants_of(related_concepts([("a", "r", "b")]), "a")


@pytest.mark.filterwarnings("ignore::termgauge.exceptions.TermgaugeWarning")
def test_air(shared):
    if shared is None:
        pytest.skip("needs the AIR sample")
    terminology = read_terminology(shared / "data" / "rrf" / "sample-air")
    lines = (shared / "data" / "rrf" / "sample-air" / "MRREL.RRF").read_text().splitlines()
    pairs = [(fields[0], fields[4]) for fields in (line.split("|") for line in lines)]
    concept = "C0150840"
    expected = {two for one, two in pairs if one == concept} | {one for one, two in pairs if two == concept}
    assert set(related_to(terminology, concept).seeds) == expected
