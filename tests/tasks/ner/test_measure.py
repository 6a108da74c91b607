from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import termgauge as tg
from termgauge.embeddings import libraries
from termgauge.exceptions import TermgaugeError
from termgauge.tasks.ner import measure
from termgauge.tasks.ner.corpus import read_corpus
from termgauge.tasks.ner.measure import made_from, packed, trials_of, unpacked
from termgauge.tasks.ner.tags import DECODINGS, allowed_in, count_entities, decode
from termgauge.tasks.ner.task import NerOptions


@given(st.lists(st.integers(0, 400), max_size=60))
def test_tags_come_back_from_a_short_text(numbers):
    assert unpacked(packed(np.array(numbers, np.int32))).tolist() == numbers


def test_a_trial_keeps_what_each_decoding_gives(trained, corpus_folder, vector_files, monkeypatch):
    corpus, model = read_corpus(corpus_folder), tg.load_model(str(vector_files[0]))
    kept = []
    plain = measure.train
    monkeypatch.setattr(measure, "train", lambda *given: kept.extend(plain(*given)) or kept[-len(given[3]) :])
    options = NerOptions.of(corpus="made", epochs=2)
    first, second = trials_of(model, {"made": corpus}, [("made", 5), ("made", 6)], options)
    assert trained == [("knows", "made", 5), ("knows", "made", 6)]
    assert (first.seed, second.seed) == (5, 6)
    assert (first.corpus, first.vocabulary, first.note, first.device) == (corpus.sha256, 1.0, "", "cpu")
    assert [each.devel_f for each in first.curve] == [0.5, 0.51]
    allowed = allowed_in(corpus.train.tags, corpus.train.starts, len(corpus.tags))
    for decoding in DECODINGS:
        tags = decode(kept[0].log_probabilities, corpus.test.starts, decoding, allowed)
        counts = count_entities(corpus.test.tags, tags, corpus.test.starts, corpus.codes)
        np.testing.assert_array_equal(first.counts(corpus, decoding).table, counts.table)
    assert first.counts(corpus, "viterbi").scores().overall.f > 0.5


@pytest.mark.usefixtures("trained")
def test_on_a_gpu_the_trials_of_a_corpus_are_trained_together(corpus_folder, vector_files, monkeypatch):
    corpus, model, calls = read_corpus(corpus_folder), tg.load_model(str(vector_files[0])), []

    def train(corpus, vectors, settings, seeds, device):
        calls.append((list(seeds), device))
        return plain(corpus, vectors, settings, seeds, "cpu")

    plain = measure.train
    monkeypatch.setattr(measure, "train", train)
    parts = [(name, seed) for name in ("a", "b") for seed in (1, 2)]
    options = NerOptions.of(corpus="a", epochs=1)
    alone = list(trials_of(model, {"a": corpus, "b": corpus}, parts, options))
    assert calls == [([seed], "cpu") for seed in (1, 2, 1, 2)]
    calls.clear()
    monkeypatch.setattr(measure, "_device", lambda _device: "cuda")
    together = list(trials_of(model, {"a": corpus, "b": corpus}, parts, options))
    assert calls == [([1, 2], "cuda")] * 2
    assert [each.tags for each in together] == [each.tags for each in alone]
    assert {each.device for each in together} == {"cuda"}


def test_what_a_trial_is_made_from(corpus_folder):
    corpus = read_corpus(corpus_folder)

    def made(seed=1, **options):
        return made_from(corpus, seed, NerOptions.of(corpus="made", **options))

    assert made() == made(trials=7, decoding="viterbi", device="cpu"), "these train nothing again"
    others = [made(seed=2), made(profile="paper"), made(epochs=3), made(frozen=True), made(max_words=10)]
    assert all(other != made() for other in others)


def test_without_torch_a_sentence_says_how_to_get_it(corpus_folder, vector_files, monkeypatch):
    def missing(_name):
        raise ImportError("no torch")

    monkeypatch.setattr(libraries, "import_module", missing)
    with pytest.raises(TermgaugeError, match=r"needs torch; install it with: pip install 'termgauge\[ner\]'\."):
        tg.ner(corpus_folder, str(vector_files[0]))
