"""The network of named entities: its written-out steps against a plain PyTorch loop with automatic differentiation."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
from benchmarks.ner import corpus_of, plain_loop, vectors_of

from termgauge.embeddings.load import load_model
from termgauge.exceptions import TermgaugeError
from termgauge.tasks.ner.corpus import Corpus, read_corpus
from termgauge.tasks.ner.network import Draws, Networks, NetworkSettings, initial_weights, inputs_of
from termgauge.tasks.ner.tags import allowed_in, count_entities, decode
from termgauge.tasks.ner.training import train
from termgauge.tasks.ner.vectors import token_vectors

torch = pytest.importorskip("torch")

DIMENSION = 8
ELSEWHERE = f"""
import sys
from dataclasses import replace
from benchmarks.ner import corpus_of, vectors_of
from termgauge.tasks.ner.network import NetworkSettings
from termgauge.tasks.ner.training import train
settings = replace(NetworkSettings.of("paper", epochs=1), hidden=16)
trial = train(corpus_of("AnatEM", 0.0101), vectors_of({DIMENSION}), settings, [3], "cpu")[0]
sys.stdout.buffer.write(trial.log_probabilities.tobytes())
"""


@pytest.fixture(scope="module")
def corpus():
    """Some 1,500 tokens, a number that batches of 50 do not divide."""
    return corpus_of("AnatEM", 0.0101)


@pytest.fixture(scope="module")
def vectors():
    return vectors_of(DIMENSION)


@pytest.mark.parametrize("frozen", [False, True])
@pytest.mark.parametrize("profile", ["code", "paper"])
def test_equals_a_plain_loop(corpus, vectors, profile, frozen):
    assert len(corpus.train.tokens) % 50
    settings = replace(NetworkSettings.of(profile, epochs=3, frozen=frozen), hidden=40)
    trial = train(corpus, vectors, settings, [7], "cpu")[0]
    losses, _, found = plain_loop(corpus, vectors, settings, 7, Draws(7))
    np.testing.assert_allclose([epoch.loss for epoch in trial.curve], losses, rtol=1e-5)
    np.testing.assert_allclose(trial.log_probabilities, found, rtol=1e-3, atol=1e-4)
    assert losses[-1] < losses[0]


def test_frozen_vectors_stay_and_others_do_not(corpus, vectors):
    for frozen in (True, False):
        settings = replace(NetworkSettings.of("code", frozen=frozen), hidden=10)
        begin = initial_weights(vectors, 5, settings, 1)
        networks = Networks(torch, [begin], settings, "cpu")
        seen = inputs_of(corpus.train.tokens, corpus.train.starts, vectors, settings)
        wanted, kept, found = torch.eye(5)[corpus.train.tags[:50]], torch.ones(50, 10), torch.empty(50, 5)
        rows = (torch.as_tensor(part[:50]).ravel() for part in (seen.words, seen.capitals))
        networks.step(*rows, wanted[None], kept[None], found[None])
        changed = np.flatnonzero((networks.words.numpy() != begin.words).any(axis=1))
        assert changed.tolist() == ([] if frozen else sorted(set(seen.words[:50].ravel().tolist())))
        assert (networks.capitals.numpy() != begin.capitals).any()


def test_several_networks_at_once_are_what_they_are_alone(corpus, vectors):
    """What a GPU does, in single steps on the CPU."""
    settings = replace(NetworkSettings.of("code"), hidden=20)
    begin = [initial_weights(vectors, 5, settings, seed) for seed in (1, 2, 3)]
    seen = inputs_of(corpus.train.tokens, corpus.train.starts, vectors, settings)
    order = np.random.default_rng(1).permutation(len(seen.words))[:150].reshape(3, 50)
    kept = (torch.rand(3, 50, 20, generator=torch.Generator().manual_seed(1)) > 0.2) / 0.8
    tags = torch.eye(5)[corpus.train.tags[order].astype(np.int64)]
    together = Networks(torch, begin, settings, "cpu")
    rows = [
        together.rows(torch.as_tensor(part[order]), table).ravel()
        for part, table in ((seen.words, together.words), (seen.capitals, together.capitals))
    ]
    for _ in range(3):
        together.step(*rows, tags, kept, torch.empty(3, 50, 5))
    evaluated = together.log_probabilities(seen)
    for number, weights in enumerate(begin):
        alone = Networks(torch, [weights], settings, "cpu")
        own = order[number]
        for _ in range(3):
            rows_alone = (torch.as_tensor(part[own]).ravel() for part in (seen.words, seen.capitals))
            alone.step(*rows_alone, tags[number : number + 1], kept[number : number + 1], torch.empty(1, 50, 5))
        np.testing.assert_allclose(evaluated[number], alone.log_probabilities(seen)[0], rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("profile", ["code", "paper"])
def test_trials_that_learn_together_learn_what_they_learn_alone(corpus, vectors, profile):
    """As on a GPU, but without its graphs and its dropout."""
    from termgauge.tasks.ner.training import _trained

    settings = replace(NetworkSettings.of(profile, epochs=2), hidden=20, dropout=0.0)
    with torch.no_grad():
        together = _trained(torch, corpus, vectors, settings, [1, 2, 3], "cpu", lambda _: None)
    for trial, alone in zip(together, train(corpus, vectors, settings, [1, 2, 3], "cpu"), strict=True):
        assert trial.seed == alone.seed
        assert [epoch.loss for epoch in trial.curve] == pytest.approx([epoch.loss for epoch in alone.curve], rel=1e-4)
        np.testing.assert_allclose(trial.log_probabilities, alone.log_probabilities, rtol=1e-3, atol=1e-4)


def test_a_trial_gives_the_same_bytes_whatever_stands_beside_it(corpus, vectors):
    settings = replace(NetworkSettings.of("code", epochs=2), hidden=64)
    before = torch.get_num_threads()
    together = train(corpus, vectors, settings, [4, 5], "cpu")
    torch.set_num_threads(2 if before == 1 else 1)
    alone = train(corpus, vectors, settings, [5], "cpu")[0]
    torch.set_num_threads(before)
    assert [trial.seed for trial in together] == [4, 5]
    assert alone.log_probabilities.tobytes() == together[1].log_probabilities.tobytes()
    assert [epoch.loss for epoch in alone.curve] == [epoch.loss for epoch in together[1].curve]
    assert together[0].log_probabilities.tobytes() != alone.log_probabilities.tobytes()
    assert torch.get_num_threads() == before
    assert train(corpus, vectors, settings, [], "cpu") == []


def test_the_same_bytes_in_another_process(corpus, vectors):
    settings = replace(NetworkSettings.of("paper", epochs=1), hidden=16)
    here = train(corpus, vectors, settings, [3], "cpu")[0].log_probabilities
    environment = {"PYTHONPATH": os.pathsep.join(sys.path), "OMP_NUM_THREADS": "2"}
    command = [sys.executable, "-c", ELSEWHERE]
    there = subprocess.run(command, check=True, capture_output=True, env=os.environ | environment).stdout
    assert there == here.tobytes()


def test_what_is_learnt_is_found_and_the_curve_says_so(corpus, vectors):
    trial = train(corpus, vectors, NetworkSettings.of("code", epochs=8), [1], "cpu")[0]
    assert trial.log_probabilities.shape == (len(corpus.test.tokens), 5)
    np.testing.assert_allclose(np.exp(trial.log_probabilities).sum(axis=1), 1, rtol=1e-5)
    allowed = allowed_in(corpus.train.tags, corpus.train.starts, 5)
    tags = decode(trial.log_probabilities, corpus.test.starts, "argmax", allowed)
    assert count_entities(corpus.test.tags, tags, corpus.test.starts, corpus.codes).scores().overall.f > 0.5
    assert len(trial.curve) == 8
    assert trial.curve[-1].devel_f > trial.curve[0].devel_f
    assert all(epoch.seconds > 0 for epoch in trial.curve)


def test_a_corpus_without_devel_of_one_batch(vectors):
    few = Corpus(**{**vars(corpus_of("AnatEM", 0.0001)), "devel": None})
    assert len(few.train.tokens) == 50
    trial = train(few, vectors, NetworkSettings.of("code", epochs=2), [1], "cpu")[0]
    assert [epoch.devel_f for epoch in trial.curve] == [None, None]
    assert np.isfinite(trial.log_probabilities).all()


def test_dropout_is_a_fifth_and_can_be_left_out(corpus, vectors):
    from termgauge.tasks.ner.training import _Learner

    settings = NetworkSettings.of("code")
    networks = Networks(torch, [initial_weights(vectors, 5, settings, 1)], settings, "cpu")
    seen = inputs_of(corpus.train.tokens, corpus.train.starts, vectors, settings)
    learner = _Learner(networks, seen, corpus.train.tags, [1])
    kept = torch.empty(4, 50, 300)
    learner._keep(kept)
    assert set(kept.unique().tolist()) == {0.0, 1.25}
    assert (kept == 0).float().mean().item() == pytest.approx(0.2, abs=0.005)
    without = train(corpus, vectors, replace(settings, dropout=0.0, epochs=1, hidden=20), [1], "cpu")[0]
    losses, _, _ = plain_loop(corpus, vectors, replace(settings, dropout=0.0, epochs=1, hidden=20), 1, Draws(1))
    assert without.curve[0].loss == pytest.approx(losses[0], rel=1e-5)


@pytest.mark.parametrize(("device", "reason"), [("cuda:77", "torch sees"), ("tpu", "is cpu, cuda, .*, not 'tpu'")])
def test_devices_that_are_not_there(corpus, vectors, device, reason):
    with pytest.raises(TermgaugeError, match=reason):
        train(corpus, vectors, NetworkSettings.of("code"), [1], device)


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
def test_on_a_gpu_trials_learn_what_they_learn_on_the_cpu(corpus, vectors):
    settings = replace(NetworkSettings.of("code", epochs=3), dropout=0.0)
    wider = corpus_of("AnatEM", 0.05)  # several blocks, so that the recorded graph is replayed
    for each in (corpus, wider):
        here = train(each, vectors, settings, [1, 2], "cpu")
        there = train(each, vectors, settings, [1, 2], "auto")
        for one, other in zip(here, there, strict=True):
            np.testing.assert_allclose(
                [epoch.loss for epoch in one.curve], [epoch.loss for epoch in other.curve], rtol=1e-3
            )
            np.testing.assert_allclose(one.log_probabilities, other.log_probabilities, atol=0.02)


@pytest.mark.long
def test_the_figures_of_a_prototype_on_a_real_corpus(shared):
    """Loss after the first epoch, and F after three; twenty epochs take minutes."""
    if shared is None:
        pytest.skip("needs real data")
    corpus = read_corpus(shared / "data" / "ner" / "AnatEM-IOB")
    model = load_model(shared / "data" / "vectors" / "w2v_medline_100d.bin")
    vectors = token_vectors(model, [token for part in corpus.parts.values() for token in part.tokens])
    assert vectors.share_known(corpus.test.tokens) == pytest.approx(0.805, abs=0.001)
    for profile, loss in (("code", 0.144), ("paper", 0.219)):
        trial = train(corpus, vectors, NetworkSettings.of(profile, epochs=1), [1], "cpu")[0]
        assert trial.curve[0].loss == pytest.approx(loss, abs=0.003)
