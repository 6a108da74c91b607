from __future__ import annotations

import json
import math
import os
import threading
import traceback
import tracemalloc
import zlib
from contextlib import nullcontext
from email.utils import formatdate
from time import time
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from termgauge import exceptions
from termgauge.embeddings.encoders import openai as openai_endpoint
from termgauge.embeddings.encoders.openai import EndpointEncoder
from termgauge.embeddings.load import load_model
from termgauge.embeddings.spec import ModelSpec
from termgauge.exceptions import ModelGivenUpError, TermgaugeError, TermgaugeWarning
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


@pytest.fixture(autouse=True)
def _no_secrets(monkeypatch):
    """Hide nothing of the keys of other tests."""
    monkeypatch.setattr(exceptions, "_secrets", {})


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
    monkeypatch.setenv("MY_KEY", "the-key-of-mine")
    model = load_model("openai:m?key_variable=MY_KEY")
    with pytest.warns(TermgaugeWarning, match="the key in MY_KEY goes to"):
        model.encode(TERMS[:2])
    assert server.headers[0]["Authorization"] == "Bearer the-key-of-mine"
    assert "the-key-of-mine" not in json.dumps(model.identity.as_dict()) + model.source
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
        TermgaugeError,
        match=r"answered 500 .* \(out of cheese\), 6 times, and is given up; the vectors so far",
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
        (302, "", "answered 302 .* points elsewhere"),
        (429, "insufficient_quota", "answered 429"),
    ],
)
def test_what_will_not_pass_is_said_at_once(server, pauses, status, code, said):
    server.troubles = [(status, {"Location": server.base_url}, _error(code))]
    with pytest.raises(TermgaugeError, match=said) as raised:
        _model(server).encode(TERMS)
    assert len(server.requests) == 1
    assert not pauses
    assert raised.type is (TermgaugeError if status == 400 else ModelGivenUpError)


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
    with pytest.raises(TermgaugeError, match="no lists of equally many numbers"):
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
        ({}, "another API"),
        ("text", "another API"),
        ([], "0 vectors for 20"),
        ([{"index": 0, "embedding": [1.0]}], "1 vectors for 20"),
        ([{"index": at, "embedding": "AAAA"} for at in range(20)], "no lists of equally many numbers"),
        ([{"index": at, "embedding": 3} for at in range(20)], "no lists of equally many numbers"),
        ([{"index": at, "embedding": []} for at in range(20)], "no lists of equally many numbers"),
        ([{"index": 0, "embedding": [1.0]}] * 20, "does not number its 20 vectors from 0 to 19"),
        ([{"index": at + 1, "embedding": [1.0]} for at in range(20)], "does not number its 20 vectors"),
        ([{"index": math.inf, "embedding": [1.0]}] * 20, "another API"),
        ([{"index": 0.5, "embedding": [1.0]}] * 20, "another API"),
        ([{"index": at, "embedding": [10**400]} for at in range(20)], "too large for a vector"),
        ([{"index": at, "embedding": [1e300]} for at in range(20)], "NaN or infinity"),
    ],
)
def test_answers_that_make_no_sense(server, data, said):
    server.spoil = lambda *_: data
    with pytest.raises(TermgaugeError, match=said):
        _model(server).encode(TERMS)


def test_no_json_at_all(server, pauses):
    del pauses
    server.troubles = [(200, {}, b"hello")] * openai_endpoint.ATTEMPTS
    with pytest.raises(TermgaugeError, match="no JSON, 6 times, and is given up"):
        _model(server).encode(TERMS)


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b" <html>hello</html>", "a page, which is no JSON; look whether"),
        (b"[" * 200_000, "nested too deep"),
        (b'{"a":' * 200_000, "nested too deep"),
        (b"[" + b"1," * 500_000 + b"1]", "more numbers than 20 vectors have"),
    ],
)
def test_what_can_be_no_vectors_is_said_at_once(server, pauses, body, said):
    server.troubles = [(200, {}, body)]
    with pytest.raises(ModelGivenUpError, match=said):
        _model(server).encode(TERMS)
    assert not pauses
    server.troubles = [(401, {}, body)]  # nor do its words on an error
    with pytest.raises(ModelGivenUpError, match="answered 401 Unauthorized; put a good key"):
        _model(server).encode(TERMS)


@pytest.mark.parametrize("packed", [False, True])
def test_an_answer_without_end_is_not_read_to_its_end(server, monkeypatch, packed):
    monkeypatch.setattr(openai_endpoint, "MOST_BYTES", 1 << 20)
    block = b" " * (1 << 16)
    read = []

    def pour(write):
        press = zlib.compressobj(wbits=31)
        for number in range(1 << 12):  # 256 MB
            write(press.compress(block) if packed else block)
            read.append(number)
        write(press.flush())

    server.troubles = [(200, {"Content-Encoding": "gzip"} if packed else {}, pour)]
    tracemalloc.start()
    try:
        with pytest.raises(ModelGivenUpError, match="more than 1 MB"):
            _model(server, batch=20).encode(TERMS)
        assert tracemalloc.get_traced_memory()[1] < 16 << 20
    finally:
        tracemalloc.stop()
    assert packed or len(read) < 1 << 11


def test_an_answer_that_is_packed(server):
    server.packed = True
    np.testing.assert_array_equal(_model(server).encode(TERMS), EXPECTED)
    server.troubles = [(200, {"Content-Encoding": "br"}, b"x")]
    with pytest.raises(ModelGivenUpError, match="encoding 'br', which was not asked for"):
        _model(server, prompt="x").encode(TERMS)


@pytest.mark.parametrize("headers", [{"Content-Length": "100000"}, None])
def test_a_server_that_sends_a_byte_now_and_then_is_given_up(server, headers):
    went_on = threading.Event()

    def drip(write):
        while not went_on.wait(0.05):
            write(b" ")

    server.troubles = [(200, headers, drip)]  # without any header the status itself drips
    began = time()
    try:
        with pytest.raises(ModelGivenUpError, match="did not finish its answer in 1 seconds"):
            _model(server, timeout=1).encode(TERMS)
        assert time() - began < 5
    finally:
        went_on.set()
    np.testing.assert_array_equal(_model(server).encode(TERMS), EXPECTED)


ANY_NUMBER = st.one_of(st.integers(), st.floats(), st.sampled_from([10**400, -(10**400), 1e300, 0, 1, "1", "1e5"]))
ANY_JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), ANY_NUMBER, st.text(max_size=5)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(st.text(max_size=5), inner, max_size=3),
        st.fixed_dictionaries({"index": inner, "embedding": inner}),
        st.fixed_dictionaries({"data": st.lists(inner, max_size=3)}),
        st.fixed_dictionaries({"error": inner}),
        st.fixed_dictionaries({"message": inner, "code": inner}),
    ),
    max_leaves=12,
)


@given(
    answer=st.one_of(ANY_JSON.map(lambda value: json.dumps(value).encode()), st.binary(max_size=40)),
    status=st.sampled_from([200, 200, 200, 204, 301, 400, 401, 403, 404, 429, 500, 999]),
    reason=st.text(max_size=8),
    pause=st.text(max_size=8),
)
def test_whatever_comes_back_there_are_vectors_or_a_sentence(answer, status, reason, pause):
    encoder = EndpointEncoder(ModelSpec.parse("openai:m?base_url=http://127.0.0.1:9/v1&key_variable="))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(openai_endpoint.time, "sleep", lambda _seconds: None)
        raw = SimpleNamespace(stream=lambda *_arguments, **_options: iter([answer]))
        response = SimpleNamespace(status_code=status, reason=reason, headers={"Retry-After": pause}, raw=raw)
        encoder.__dict__["_session"] = SimpleNamespace(post=lambda *_arguments, **_options: nullcontext(response))
        try:
            made, said = encoder.encode_batch(["a", "b"]), ""
        except TermgaugeError as error:
            made, said = None, str(error)
    if made is None:
        assert said.startswith("http://127.0.0.1:9/v1/embeddings: ")
        assert said.endswith(".")
        assert len(said.splitlines()) == 1
    else:
        assert len(made) == 2


def test_vectors_of_another_length_than_asked_for(server):
    server.spoil = lambda data, _: [{**entry, "embedding": [1.0, 2.0]} for entry in data]
    with pytest.raises(ModelGivenUpError, match=r"vectors of 2 numbers, not of the \?dimensions=3"):
        _model(server, dimensions=3).encode(TERMS)


KEY = "sk-proj-0123456789abcdefghijKLMNOP"


@pytest.mark.parametrize("status", [400, 401, 403, 500, 302])
def test_a_key_that_the_server_quotes_is_not_shown(server, pauses, monkeypatch, status):
    del pauses
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    for said in (f"Incorrect API key provided: Bearer {KEY}\u2028\x1b[31m.", "x" * 185 + KEY, KEY[:12], KEY[-9:]):
        server.troubles = [(status, {}, _error(message=said, code=KEY))] * openai_endpoint.ATTEMPTS
        with (
            pytest.warns(TermgaugeWarning, match="OPENAI_API_KEY goes to 127"),
            pytest.raises(TermgaugeError) as raised,
        ):
            _model(server).encode(TERMS)
        shown = "".join(traceback.format_exception(raised.value))
        assert not any(KEY[at : at + 8] in str(raised.value) for at in range(len(KEY) - 7))
        assert str(raised.value).isprintable()
        assert KEY not in shown
    assert {headers["Authorization"] for headers in server.headers} == {f"Bearer {KEY}"}


@pytest.mark.parametrize(
    "key", ["sk-abc\nSecret: 1", "sk-abc\rdef", "sk-\u043a\u043b\u044e\u0447", "sk-\x00abc", "sk-\xe9abcdef"]
)
def test_a_key_that_can_be_none_is_refused_and_not_shown(server, monkeypatch, key):
    if "\x00" in key:
        monkeypatch.setattr(openai_endpoint.os, "environ", {**os.environ, "OPENAI_API_KEY": key})
    else:
        monkeypatch.setenv("OPENAI_API_KEY", key)
    with pytest.raises(
        TermgaugeError, match="key in the environment variable OPENAI_API_KEY holds a line break"
    ) as said:
        _model(server)
    assert key not in str(said.value)
    assert "abc" not in str(said.value)
    assert not server.requests


def test_a_key_that_was_named_must_be_there(server, monkeypatch):
    monkeypatch.setenv("MY_KEY", "  ")
    for variable in ("MY_KEY", "NO_SUCH_KEY"):
        with pytest.raises(TermgaugeError, match=f"{variable}, which should hold the key, is not set or is empty"):
            _model(server, key_variable=variable)


def test_people_are_told_once_where_a_key_goes(server, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    host = server.base_url.removeprefix("http://").removesuffix("/v1")
    model = _model(server, batch=5)
    with pytest.warns(TermgaugeWarning) as told:
        model.encode(TERMS)
    assert [str(each.message) for each in told] == [
        f"tiny-embedder: the key in OPENAI_API_KEY goes to {host}, unencrypted."
    ]
    model.encode([*TERMS, "one more"])


def test_long_terms_are_cut_and_told_of(server):
    with pytest.warns(TermgaugeWarning, match="1 of 2 terms is longer than the 5 tokens"):
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
        ({"base_url": "http://host\n/v1"}, "is no address"),
        ({"base_url": "http://h/v1", "timeout": "0"}, "at least 1"),
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
