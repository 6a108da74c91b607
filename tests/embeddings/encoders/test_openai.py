from __future__ import annotations

import json
from email.utils import formatdate
from time import time

import numpy as np
import pytest

from termgauge.embeddings.encoders import openai as openai_endpoint
from termgauge.embeddings.load import load_model
from termgauge.exceptions import TermgaugeError, TermgaugeWarning
from tests.common.embedding_server import serving_embeddings
from tests.embeddings.toy_encoders import vector_of

TERMS = [f"term number {number}" for number in range(20)]
EXPECTED = np.vstack([vector_of(term) for term in TERMS])


@pytest.fixture
def server(monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    with serving_embeddings() as running:
        yield running


@pytest.fixture
def pauses(monkeypatch):
    """Let time pass at once, and note how much."""
    slept = []
    monkeypatch.setattr(openai_endpoint.time, "sleep", slept.append)
    return slept


def _model(server, **options):
    return load_model("openai:tiny-embedder", base_url=server.base_url, **options)


def _error(code="", message="no"):
    return json.dumps({"error": {"message": message, "code": code}}).encode()


def test_vectors_come_in_batches_and_in_order(server):
    server.spoil = lambda data, _: data[::-1]  # the order of the answer is no matter
    model = _model(server, batch=8)
    np.testing.assert_array_equal(model.encode(TERMS), EXPECTED)
    assert [len(request["input"]) for request in server.requests] == [8, 8, 4]
    assert {request["model"] for request in server.requests} == {"tiny-embedder"}
    assert model.dimension == 6
    np.testing.assert_array_equal(_model(server).encode(TERMS), EXPECTED)
    assert len(server.requests) == 3


def test_key_and_address_come_from_the_environment(server, monkeypatch):
    monkeypatch.setenv("OPENAI_BASE_URL", server.base_url + "/")
    monkeypatch.setenv("MY_KEY", "abc")
    model = load_model("openai:m?key_variable=MY_KEY")
    model.encode(TERMS[:2])
    assert server.headers[0]["Authorization"] == "Bearer abc"
    assert "abc" not in json.dumps(model.identity.as_dict()) + model.source
    load_model("openai:m").encode(TERMS)
    assert "Authorization" not in server.headers[-1]


def test_the_paid_endpoint_needs_a_key(monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    with pytest.raises(TermgaugeError, match="environment variable OPENAI_API_KEY"):
        load_model("openai:text-embedding-3-small")


def test_dimensions_and_prompt_are_sent_and_are_part_of_the_identity(server):
    plain, other, prompted = _model(server), _model(server, dimensions=3), _model(server, prompt="term: ")
    assert len({model.identity.key for model in (plain, other, prompted)}) == 3
    assert other.encode(TERMS).shape == (20, 3)
    np.testing.assert_array_equal(prompted.encode(["fever"])[0], vector_of("term: fever"))
    assert server.requests[-1]["input"] == ["term: fever"]


@pytest.mark.parametrize("status", [429, 500, 503])
def test_what_may_pass_is_tried_again(server, pauses, status):
    server.troubles = [(status, {}, _error()), (status, {}, b"<html>"), "cut"]
    np.testing.assert_array_equal(_model(server).encode(TERMS), EXPECTED)
    assert len(server.requests) == 4
    assert len(pauses) == 3
    assert pauses[0] < pauses[1] < pauses[2]


def test_the_server_says_how_long_to_wait(server, pauses):
    date = formatdate(time() + 50, usegmt=True)
    server.troubles = [(429, {"Retry-After": "7"}, b""), (503, {"Retry-After": date}, b"")]
    _model(server).encode(TERMS)
    assert pauses[0] == 7
    assert 45 < pauses[1] <= 50


def test_it_gives_up_at_last_and_goes_on_later_from_there(server, pauses):
    server.troubles = ["", "", *[(500, {}, _error(message="out of\ncheese."))] * openai_endpoint.ATTEMPTS]
    with pytest.raises(
        TermgaugeError, match=r"answered 500 .* \(out of cheese\), 6 times; the vectors so far are kept"
    ):
        _model(server, batch=5).encode(TERMS)
    assert len(pauses) == openai_endpoint.ATTEMPTS - 1
    done = len(server.requests)
    np.testing.assert_array_equal(_model(server, batch=5).encode(TERMS), EXPECTED)
    assert len(server.requests) == done + 2


@pytest.mark.parametrize(
    ("status", "code", "said"),
    [
        (401, "", "good key into the environment variable OPENAI_API_KEY"),
        (403, "", "may not use this model"),
        (404, "", "has the model 'tiny-embedder'"),
        (400, "", "answered 400"),
        (302, "", "answered 302"),
        (429, "insufficient_quota", "answered 429"),
    ],
)
def test_what_will_not_pass_is_said_at_once(server, pauses, status, code, said):
    server.troubles = [(status, {"Location": server.base_url}, _error(code))]
    with pytest.raises(TermgaugeError, match=said):
        _model(server).encode(TERMS)
    assert len(server.requests) == 1
    assert not pauses


@pytest.mark.usefixtures("server", "pauses")
def test_a_server_that_is_down():
    with serving_embeddings() as gone:
        model = _model(gone)
    with pytest.raises(TermgaugeError, match="no connection"):
        model.encode(TERMS)


def test_another_dimension_half_way(server):
    def spoil(data, answer):
        return [{**entry, "embedding": entry["embedding"][:4]} for entry in data] if answer == 3 else data

    server.spoil = spoil
    with pytest.raises(TermgaugeError, match=r"4 numbers .* after vectors of 6"):
        _model(server, batch=5).encode(TERMS)
    server.spoil = None
    _model(server, batch=5).encode(TERMS)
    assert server.answers == 5  # the two good answers were kept


def test_another_dimension_within_an_answer(server):
    server.spoil = lambda data, _: [{**data[0], "embedding": [1.0]}, *data[1:]]
    with pytest.raises(TermgaugeError, match="several lengths"):
        _model(server).encode(TERMS)


@pytest.mark.parametrize("bad", [None, float("nan"), float("inf")])
def test_numbers_that_are_none(server, bad):
    server.spoil = lambda data, _: [{**data[0], "embedding": [bad] * 6}, *data[1:]]
    with pytest.raises(TermgaugeError, match="NaN or infinity"):
        _model(server).encode(TERMS)


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (None, "another API"),
        ({}, "0 vectors for 20"),
        ("text", "another API"),
        ([], "0 vectors for 20"),
        ([{"index": 0, "embedding": [1.0]}], "1 vectors for 20"),
        ([{"index": at, "embedding": "AAAA"} for at in range(20)], "no lists of numbers"),
        ([{"index": at, "embedding": 3} for at in range(20)], "no lists of numbers"),
        ([{"index": at, "embedding": []} for at in range(20)], "several lengths"),
        ([{"index": 0, "embedding": [1.0]}] * 20, "20 vectors for 20|gave"),
    ],
)
def test_answers_that_make_no_sense(server, data, said):
    server.spoil = lambda *_: data
    with pytest.raises(TermgaugeError, match=said):
        _model(server).encode(TERMS)


def test_no_json_at_all(server, pauses):
    del pauses
    server.troubles = [(200, {}, b"<html>hello</html>")] * openai_endpoint.ATTEMPTS
    with pytest.raises(TermgaugeError, match="no JSON"):
        _model(server).encode(TERMS)


def test_long_terms_are_cut_and_told_of(server):
    with pytest.warns(TermgaugeWarning, match="1 of 2 terms are longer than the 5 tokens"):
        _model(server, max_length=5).encode(["short", "x" * 50])
    assert sorted(map(len, server.requests[0]["input"])) == [5, 20]


def test_requests_hold_no_more_tokens_than_allowed(server):
    _model(server, request_tokens=20).encode(TERMS)
    assert max(sum(map(len, request["input"])) for request in server.requests) <= 20 * 4
    assert len(server.requests) > 3


def test_a_rate_is_kept(server, pauses):
    _model(server, batch=5, rate=60).encode(TERMS)
    assert len(pauses) == 3
    assert pauses[-1] == pytest.approx(3, abs=0.5)  # time did not pass, so the pauses add up


def test_a_large_job_is_announced_with_its_cost(server):
    tokens = sum(-(-len(term) // 4) for term in TERMS)
    with pytest.warns(TermgaugeWarning, match=rf"20 terms, about {tokens} tokens.* costs about \$80.00"):
        _model(server, large=20, price=80e6 / 20 / (tokens / 20)).encode(TERMS)
    with pytest.warns(TermgaugeWarning, match="may cost money"):
        _model(server, large=20, prompt="x").encode(TERMS)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"base_url": "localhost:80"}, "is no address"),
        ({"base_url": "http://[::1"}, "is no address"),
        ({"base_url": "http://me:secret@host/v1"}, "must not hold a password"),
        ({"base_url": "http://h/v1", "price": "cheap"}, "dollars for a million tokens"),
        ({"base_url": "http://h/v1", "price": "-1"}, "dollars for a million tokens"),
        ({"base_url": "http://h/v1", "batch": "0"}, "at least 1"),
        ({"base_ulr": "http://h/v1"}, "Did you mean 'base_url'"),
    ],
)
def test_options_that_make_no_sense(options, said):
    with pytest.raises(TermgaugeError, match=said):
        load_model("openai:m", **options)
