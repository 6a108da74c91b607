"""What ontologies of all formats share: where obsolete terms lead to, and dates."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from termgauge.terminology.formats import ontology
from termgauge.terminology.formats.ontology import Term, dated, day


@given(
    st.lists(
        st.tuples(st.booleans(), st.lists(st.integers(0, 9), max_size=2), st.lists(st.integers(0, 9), max_size=2)),
        max_size=9,
    )
)
def test_single_replacements_lead_where_the_whole_search_leads(drawn):
    terms = [
        Term(str(at), obsolete=dead, replaced_by=[str(each) for each in sure], consider=[str(each) for each in may])
        for at, (dead, sure, may) in enumerate(drawn)
    ]
    by_id = {term.id: term for term in terms}
    plain = {term.id: ontology._live_terms(term, by_id) for term in terms if term.obsolete}
    expected = [(old, new, reason) for old, targets in plain.items() for new, reason in targets.items()]
    assert ontology._replacements(terms)[0] == expected


@pytest.mark.parametrize(
    ("text", "read"),
    [("2011-02-03T10:00:00Z", date(2011, 2, 3)), ("2011-02-30", None), ("3 May 2011", None), ("", None)],
)
def test_days(text, read):
    assert day(text) == read


@pytest.mark.parametrize(("text", "read"), [("releases/2024-05-01/x", "2024-05-01"), ("v1.2", "v1.2"), ("", "")])
def test_a_version_is_its_date_if_it_holds_one(text, read):
    assert dated(text) == read
