"""A visit without a browser: it goes the way of the page, and says so where the server does not."""

from __future__ import annotations

import pytest

from termgauge.exceptions import TermgaugeError
from termgauge.studies.demo import Visitor, demo_study, serving


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    study = demo_study(tmp_path_factory.mktemp("visit") / "study")
    with serving(study) as address:
        yield study, address


def link_of(study, address, group=1):
    with study.store() as store:
        rater, token = store.invite(group, None)
    return rater.id, f"{address}/r/{token}"


def test_a_visitor_answers_every_pair_once(served):
    study, address = served
    rater, link = link_of(study, address)
    met = []

    def says(one, other):
        met.append((one, other))
        return (None, 2.5) if len(met) == 1 else (float(len(met) % 7), 1.5)

    with Visitor(link) as visitor:
        assert visitor.rate_all(says) == len(met) == study.layout.filter(study.layout["group"] == 1).height
    with study.store() as store:
        answers = store.answers(rater)
        assert store.rater(rater).state == "finished"
    assert [each.rating for each in answers][:3] == [None, 2.0, 3.0]
    assert answers[0].seconds == 2.5
    # The same pairs in the same order, as the layout says.
    words = {number: (one, other) for number, one, other in study.pairs.rows()}
    rows = study.layout.filter(study.layout["group"] == 1).sort("page", "position")
    assert met == [words[pair] for pair in rows["pair"]]


def test_a_wrong_link_is_told(served):
    _study, address = served
    with Visitor(f"{address}/r/wrong") as visitor, pytest.raises(TermgaugeError, match="status 40"):
        visitor.rate_all(lambda _one, _other: (1.0, 1.0))


def test_a_refused_answer_is_told(served):
    study, address = served
    _rater, link = link_of(study, address, 2)
    with Visitor(link) as visitor, pytest.raises(TermgaugeError, match="refused an answer"):
        visitor.rate_all(lambda _one, _other: (99.0, 1.0))


def test_a_server_that_is_gone_is_told():
    with Visitor("http://127.0.0.1:9/r/x") as visitor, pytest.raises(TermgaugeError, match="cannot be reached"):
        visitor.rate_all(lambda _one, _other: (1.0, 1.0))
