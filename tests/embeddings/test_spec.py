from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from termgauge.embeddings.schemes import Option, all_schemes
from termgauge.embeddings.spec import ModelSpec
from termgauge.exceptions import TermgaugeError

names = st.from_regex(r"[A-Za-z][A-Za-z0-9 +.-]{0,10}[A-Za-z0-9]", fullmatch=True)
locations = st.text(st.characters(codec="utf-8", exclude_categories=["C", "Z"]), min_size=1, max_size=30)


def values(option: Option):
    if option.kind == "flag":
        return st.sampled_from(["true", "false"])
    if option.kind == "integer":
        return st.integers(option.least, 10**9).map(str)
    return st.sampled_from(option.choices) if option.choices else st.text("a%&=?_ é/", max_size=8)


@st.composite
def specs(draw):
    name = draw(st.sampled_from(sorted(all_schemes())))
    scheme, _, own_location = name.partition(":")
    location = own_location or draw(locations)
    known = all_schemes()[name].options
    chosen = draw(st.lists(st.sampled_from(sorted(known)), unique=True))
    options = tuple((name, draw(values(known[name]))) for name in chosen)
    return ModelSpec(scheme, location, options, draw(st.just("") | names))


@given(specs())
def test_a_spec_reads_back_from_its_text(spec):
    assert ModelSpec.parse(str(spec)) == spec


@given(st.text(max_size=60))
def test_any_text_is_a_spec_or_an_error_and_round_trips(text):
    try:
        spec = ModelSpec.parse(text)
    except TermgaugeError:
        return
    assert ModelSpec.parse(str(spec)) == spec


@pytest.mark.parametrize(
    ("text", "scheme", "location", "name"),
    [
        ("vectors/PubMed-w2v.bin", "", "vectors/PubMed-w2v.bin", "PubMed-w2v"),
        ("PM=vectors/PubMed.bin", "", "vectors/PubMed.bin", "PM"),
        ("a/b=c.bin", "", "a/b=c.bin", "b=c"),
        (r"C:\vectors\a.txt", "", r"C:\vectors\a.txt", None),
        ("glove:glove.6B.50d.txt", "glove", "glove.6B.50d.txt", "glove"),
        ("wordllama:", "wordllama", "", "wordllama"),
        ("baseline:random?seed=7", "baseline", "random", "random"),
        ("100%.bin", "", "100%.bin", "100%"),
    ],
)
def test_parts(text, scheme, location, name):
    spec = ModelSpec.parse(text)
    assert (spec.scheme, spec.location) == (scheme, location)
    if name is not None:
        assert spec.name == name


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("word2vce:a.bin", ["'word2vce:'", "Did you mean 'word2vec'?"]),
        ("word2vec:a.bin?lowercas=true", ["'lowercas'", "Did you mean 'lowercase'?"]),
        ("word2vec:a.bin?lowercase=maybe", ["'lowercase'", "'maybe'"]),
        ("word2vec:a.bin?missing=stricct", ["strict, available", "Did you mean 'strict'?"]),
        ("word2vec:a.bin?lowercase", ["'lowercase'", "name=value"]),
        ("word2vec:a.bin?split=space&split=words", ["'split'", "twice"]),
        ("baseline:lavenshtein", ["Did you mean 'levenshtein'?"]),
        ("baseline:random?dim=0", ["'dim'", "at least 1"]),
        ("word2vec:", ["word2vec:PATH"]),
        ("", ["names no model"]),
    ],
)
def test_a_wrong_spec_says_what_is_wrong(text, words):
    with pytest.raises(TermgaugeError) as error:
        ModelSpec.parse(text)
    assert all(word in str(error.value) for word in words)


def test_options_given_as_arguments_win():
    spec = ModelSpec.parse("word2vec:a.bin?lowercase=true&missing=strict").with_options(
        {"lowercase": False, "missing": "available"}
    )
    assert not spec.flag("lowercase")
    assert spec.text("missing") == "available"
