"""Domains: what they are made of, how they are united, written and read."""

from __future__ import annotations

import json

import pytest

from termgauge.domain.domain import Domain, DomainOptions, make_domain, read_domain
from termgauge.domain.seeds import descendants_of, listed_concepts
from termgauge.exceptions import TermgaugeError, TermgaugeWarning
from tests.domain.terminologies import terminology_of


def test_a_union_has_each_seed_once(terminology, tmp_path):
    (tmp_path / "a.txt").write_text("Air in the lung")
    both = make_domain(terminology, concepts=["1"], texts=[tmp_path / "a.txt"])
    assert both.seeds == ("2", "4", "3")
    assert both.related == ("2", "4")
    assert both.names == {"2": "Lung", "4": "Cold", "3": "Air"}
    assert both.title == "one relation away from Asthma + the text a.txt"


def test_written_and_read(terminology, tmp_path):
    made = make_domain(terminology, concepts=["1"], branches=["6"])
    path = tmp_path / "domain.json"
    made.write(path)
    again = read_domain(path)
    assert again == made
    assert again.key == made.key == json.loads(path.read_text())["key"]
    assert json.loads(path.read_text())["seeds"][0] == {"concept": "2", "name": "Lung", "related": True}


def test_the_key_is_what_it_is_not_how_it_was_made(terminology):
    one, other = descendants_of(terminology, "2"), listed_concepts(terminology, ["2", "6"])
    assert one.key == other.key
    assert one.key != listed_concepts(terminology, ["6", "2"]).key
    assert one.key != Domain(one.seeds, (), one.names, one.parts, one.terminology).key


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "is no JSON"),
        ("[]", "is no domain of layout 1"),
        ('{"layout": 2, "seeds": []}', "is no domain of layout 1"),
        ('{"layout": 1, "seeds": [{"concept": "a"}, {"name": "b"}]}', "seeds, 2, concept: Field required"),
        ('{"layout": 1, "seeds": [{"concept": "a", "name": 3}]}', "seeds, 1, name: Input should be a valid string"),
        ('{"layout": 1, "seeds": [], "parts": 3}', "parts: Input should be a valid list"),
        (
            '{"layout": 1, "seeds": [], "terminology": {"sha256": 3}}',
            "terminology, sha256: Input should be a valid string",
        ),
        ("\xff", "is not UTF-8"),
    ],
)
def test_a_file_that_is_no_domain(text, message, tmp_path):
    path = tmp_path / "domain.json"
    path.write_bytes(text.encode("latin-1"))
    with pytest.raises(TermgaugeError, match=message):
        read_domain(path)
    with pytest.raises(TermgaugeError, match="no such file"):
        read_domain(tmp_path / "none.json")


def test_the_verb_unites_what_is_asked_for(terminology, tmp_path):
    (tmp_path / "ids.txt").write_text("7\n")
    (tmp_path / "text.txt").write_text("The air in the lungs, or a cold.")
    found = make_domain(
        terminology, concepts=["1"], branches=["6"], lists=[tmp_path / "ids.txt"], texts=[tmp_path / "text.txt"]
    )
    assert found.seeds == ("2", "4", "6", "7", "3", "5")
    assert found.related == ("2", "4", "6", "7")
    assert [part["kind"] for part in found.parts] == ["related", "below", "listed", "text"]


def test_a_domain_of_nothing_is_refused(terminology):
    with pytest.raises(TermgaugeError, match="A domain needs a concept"):
        make_domain(terminology)


def test_a_domain_is_made_as_the_options_say(terminology):
    made = DomainOptions.of(concepts=["1"], hops=2).chosen_domain(terminology)
    assert made == make_domain(terminology, concepts=["1"], hops=2)
    assert made != DomainOptions.of(concepts=["1"]).chosen_domain(terminology)


def test_it_is_written_where_that_was_asked_for(terminology, tmp_path):
    chosen = DomainOptions.of(concepts=["1"], save_domain=tmp_path / "mine.json")
    made = chosen.chosen_domain(terminology, tmp_path / "run.json")
    assert read_domain(tmp_path / "mine.json") == read_domain(tmp_path / "run.json") == made


def test_a_domain_may_be_given_itself_or_as_a_file(terminology, tmp_path):
    made = make_domain(terminology, branches=["2"])
    made.write(tmp_path / "domain.json")
    assert DomainOptions.of(domain=made).chosen_domain(terminology) is made
    assert DomainOptions.of(domain=tmp_path / "domain.json").chosen_domain(terminology) == made
    other = terminology_of({"1": ["asthma"]})
    with pytest.warns(TermgaugeWarning, match=r"was made from terms as it was read then, not from made"):
        DomainOptions.of(domain=made).chosen_domain(other)


@pytest.mark.parametrize(
    ("given", "option", "sentence"),
    [
        ({}, "concepts", "No domain was named; name a concept with --concept"),
        ({"domain": "a.json", "texts": ["b.txt"]}, "domain", "also how to make one (texts)"),
    ],
)
def test_none_and_two_domains_are_refused(terminology, given, option, sentence):
    ((about, problem),) = DomainOptions.of(**given).problems()
    assert about == option
    assert sentence in problem
    with pytest.raises(TermgaugeError, match="domain"):
        DomainOptions.of(**given).chosen_domain(terminology)


def test_they_round_trip_through_json_even_with_a_domain_in_them(terminology):
    for options in (
        DomainOptions.of(concepts=["1"], best=3, join="_", labels="all", lowercase=True),
        DomainOptions.of(domain=make_domain(terminology, concepts=["1"])),
        DomainOptions.of(domain="domain.json"),
    ):
        text = options.model_dump_json()
        assert json.loads(text)["labels"] == options.labels
        assert DomainOptions.model_validate_json(text) == options


def test_names_in_use_before_are_understood():
    assert DomainOptions.of(mmi=["a.mmi"]).texts == ["a.mmi"]
    with pytest.raises(TermgaugeError, match="Did you mean 'hops'"):
        DomainOptions.of(hop=2)
    with pytest.raises(TermgaugeError, match=r"'hops' must be at least 1, not 0"):
        DomainOptions.of(hops=0)
