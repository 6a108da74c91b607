"""What every model must do, whatever its kind and wherever it comes from."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING
from unittest import mock

import numpy as np
import pytest

from termgauge.embeddings.encoders.encoding import CachedTermModel
from termgauge.embeddings.load import load_model
from termgauge.embeddings.model import ConceptModel, Model, PairScorer, TermModel, WordModel
from termgauge.embeddings.schemes import find_scheme
from termgauge.embeddings.sending import model_artifacts, relocated
from termgauge.embeddings.spec import ModelSpec
from termgauge.executor import use_executor
from tests.common.executors import FarExecutor, SmallExecutor
from tests.common.model_samples import IDS, WORDS, sample_vectors

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.common.model_samples import Sample

TERMS = ["Fever", "heart attack", "beta-blocker", "fever fever", "unheard-of rash", "", "β2 ... fever"]
ROUNDING = 1e-5
"""Encoders run several texts at once, and round otherwise then."""


def _opened(sample: Sample, folder: Path) -> Model:
    return load_model(sample.spec(folder))


def it_keeps_the_protocol_of_its_kind(sample: Sample, folder: Path) -> None:
    model = _opened(sample, folder)
    protocols = {"words": WordModel, "terms": TermModel, "concepts": ConceptModel, "pairs": PairScorer}
    assert isinstance(model, Model)
    assert model.kind == model.identity.kind == sample.kind
    assert model.kind in find_scheme(*sample.scheme.split(":")).kinds
    for kind, protocol in protocols.items():
        assert isinstance(model, protocol) == (kind == model.kind)


def its_identity_is_stable_and_json(sample: Sample, folder: Path) -> None:
    model, again = _opened(sample, folder), _opened(sample, folder)
    assert model.identity == again.identity
    assert model.identity.scheme == sample.scheme
    assert len(model.identity.key) == 64
    assert json.loads(json.dumps(model.identity.as_dict()))["key"] == model.identity.key


def its_name_can_be_given(sample: Sample, folder: Path) -> None:
    spec = sample.spec(folder)
    mine = load_model(f"Mine={spec}")
    assert mine.name == "Mine"
    assert mine.identity == load_model(spec).identity


def it_is_the_same_where_its_files_were_sent_to(sample: Sample, folder: Path) -> None:
    home = folder / "home"
    home.mkdir()
    spec = ModelSpec.parse(sample.spec(home))
    before = load_model(spec)
    artifacts = model_artifacts(spec, FarExecutor(folder / "far").artifact)
    assert bool([*artifacts]) == any(home.iterdir())
    home.rename(folder / "gone")
    arrived = relocated(spec, artifacts)
    after = load_model(arrived)
    assert after.identity == before.identity
    assert (arrived.name, arrived.scheme) == (spec.name, spec.scheme)
    assert str(home) not in str(arrived)


def a_word_has_the_same_vector_however_it_is_asked_for(sample: Sample, folder: Path) -> None:
    model = _opened(sample, folder)
    words = [word for word, known in zip(WORDS, model.known(WORDS), strict=True) if known]
    vectors = model.vectors(words)
    assert len(words) > 3
    assert vectors.dtype == np.float32
    assert vectors.shape == (len(words), model.dimension)
    assert np.isfinite(vectors).all()
    rounding = ROUNDING if sample.contextual else 0
    np.testing.assert_allclose(model.vectors(words[::-1]), vectors[::-1], rtol=0, atol=rounding)
    alone = np.vstack([model.vectors([word]) for word in words])
    np.testing.assert_allclose(alone, vectors, rtol=0, atol=rounding)
    rows = model.vocabulary.find(words)
    if (rows >= 0).all():
        np.testing.assert_array_equal(model.gather(rows), vectors)
    assert model.vectors([]).shape == (0, model.dimension)


def unknown_words_have_no_vector_and_are_said_to(sample: Sample, folder: Path) -> None:
    model = _opened(sample, folder)
    assert model.known(["zzyzx", "fever"]).tolist() == [False, True]
    with pytest.raises(KeyError, match="zzyzx"):
        model.vectors(["fever", "zzyzx"])


def words_of_terms_hang_together(sample: Sample, folder: Path) -> None:
    model = _opened(sample, folder)
    words = model.words_of(TERMS)
    assert len(words) == len(TERMS)
    assert words.vectors.shape == (len(words.words), model.dimension)
    assert words.indptr[0] == 0
    assert words.indptr[-1] == len(words.indices)
    assert (np.diff(words.indptr) >= 0).all()
    np.testing.assert_array_equal(np.isnan(words.means).any(axis=1), words.missing)
    assert words.missing[5]  # nothing in it
    lost = {term for term, _ in words.unknown}
    empty = {term for term in range(len(TERMS)) if words.indptr[term] == words.indptr[term + 1]}
    assert set(np.flatnonzero(words.missing).tolist()) == lost | empty
    assert len(model.words_of([])) == 0


def words_of_terms_have_their_own_vectors(sample: Sample, folder: Path) -> None:
    model = _opened(sample, folder)
    words = model.words_of(TERMS)
    np.testing.assert_array_equal(words.vectors, model.vectors(words.words))


def the_available_policy_only_ever_adds_terms(sample: Sample, folder: Path) -> None:
    spec = sample.spec(folder)
    strict, lenient = load_model(spec), load_model(spec, missing="available")
    assert strict.identity.key != lenient.identity.key
    one, two = strict.words_of(TERMS), lenient.words_of(TERMS)
    assert (two.missing <= one.missing).all()
    np.testing.assert_array_equal(one.indices, two.indices)


def concepts_are_found_by_id_alone(sample: Sample, folder: Path) -> None:
    model = _opened(sample, folder)
    assert model.find([*IDS, "C9999999", "c0000001"]).tolist() == [0, 1, 2, -1, -1]
    np.testing.assert_array_equal(model.gather(model.find(IDS)), sample_vectors(3))
    with pytest.raises(IndexError):
        model.gather(model.find(["C9999999"]))


def scores_are_symmetric_and_greatest_for_a_term_and_itself(sample: Sample, folder: Path) -> None:
    model = _opened(sample, folder)
    there, back = model.score(TERMS, TERMS[::-1]), model.score(TERMS[::-1], TERMS)
    np.testing.assert_allclose(there, back)
    same = model.score(TERMS, TERMS)
    assert np.isnan(same[5])
    np.testing.assert_allclose(np.delete(same, 5), 1)


def a_term_has_the_same_vector_whatever_its_company(sample: Sample, folder: Path) -> None:
    model = _opened(sample, folder)
    vectors = model.encode(TERMS)
    assert vectors.dtype == np.float32
    assert vectors.shape == (len(TERMS), model.dimension)
    assert np.isnan(vectors[5]).all()  # nothing in it
    assert (np.isnan(vectors).any(axis=1) == np.isnan(vectors).all(axis=1)).all()
    np.testing.assert_array_equal(model.encode(TERMS[::-1]), vectors[::-1])
    np.testing.assert_array_equal(np.vstack([model.encode([term]) for term in TERMS]), vectors)
    np.testing.assert_array_equal(model.encode([TERMS[1]] * 3), vectors[[1, 1, 1]])
    assert model.encode([]).shape == (0, model.dimension)
    assert model.encode(["lone \udc80 surrogate"]).shape == (1, model.dimension)


def its_vectors_are_the_same_at_a_executor(sample: Sample, folder: Path) -> None:
    spec, here = sample.spec(folder), _opened(sample, folder)
    batch = here.encoder.batch_size if isinstance(here, CachedTermModel) else 4
    terms = [f"{TERMS[at % 2]} {at}" for at in range(5 * batch // 2)]
    vectors = here.encode(terms)
    place = SmallExecutor(folder / "place")
    with mock.patch.dict(os.environ, TERMGAUGE_CACHE_DIR=str(folder / "cache")), use_executor(place):
        np.testing.assert_array_equal(load_model(spec).encode(terms), vectors)
    assert ("encoding" in place.called) == (isinstance(here, CachedTermModel) and sample.scheme != "openai")


OF_ALL = (
    it_keeps_the_protocol_of_its_kind,
    its_identity_is_stable_and_json,
    its_name_can_be_given,
    it_is_the_same_where_its_files_were_sent_to,
)
OF_KIND = {
    "words": (a_word_has_the_same_vector_however_it_is_asked_for, words_of_terms_hang_together),
    "terms": (a_term_has_the_same_vector_whatever_its_company, its_vectors_are_the_same_at_a_executor),
    "concepts": (concepts_are_found_by_id_alone,),
    "pairs": (scores_are_symmetric_and_greatest_for_a_term_and_itself,),
}
OF_STATIC_WORDS = (words_of_terms_have_their_own_vectors, the_available_policy_only_ever_adds_terms)


def invariants_of(sample: Sample) -> tuple[Callable[[Sample, Path], None], ...]:
    """Return what a sample must meet."""
    words = sample.kind == "words"
    static = OF_STATIC_WORDS if words and not sample.contextual else ()
    closed = (unknown_words_have_no_vector_and_are_said_to,) if words and sample.closed else ()
    return (*OF_ALL, *OF_KIND[sample.kind], *static, *closed)


def cases(samples: list[Sample]) -> list[object]:
    """Return each sample with each invariant that it must meet."""
    return [
        pytest.param(sample, invariant, id=f"{sample}-{invariant.__name__}")
        for sample in samples
        for invariant in invariants_of(sample)
    ]
