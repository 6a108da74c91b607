"""The options that make a domain: what contradicts is said, and a domain is made, read or taken as it is."""

from __future__ import annotations

import json

import pytest

from termgauge.domain.domain import DomainOptions, make_domain, read_domain
from termgauge.exceptions import TermgaugeError, TermgaugeWarning
from tests.domain.terminologies import terminology_of


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
