import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from termgauge.statistics import bootstrap as resampled
from termgauge.statistics.bootstrap import draws
from termgauge.tasks.ner.differences import resample_f
from termgauge.tasks.ner.tags import EntityScore
from tests.tasks.ner.counts import with_gold


def networks(sentences, count, seed):
    generator = np.random.default_rng(seed)
    gold = generator.poisson(0.5, sentences)
    return np.stack([with_gold(gold, 0.2 + 0.1 * each, generator) for each in range(count)])


@given(st.integers(1, 12), st.integers(1, 4), st.integers(0, 1000))
def test_f_is_that_of_the_sentences_drawn(sentences, count, seed):
    counts = networks(sentences, count, seed)
    found = resample_f(counts, 7, seed)

    def f(network, chosen):
        return EntityScore.from_counts(*counts[network][chosen].sum(axis=0).tolist()).f

    drawn = np.concatenate(list(draws(sentences, 7, seed)))
    everything = np.arange(sentences)
    for network in range(count):
        assert found.estimates[network] == f(network, everything)
        assert found.replicates[network].tolist() == [f(network, each) for each in drawn]
        assert found.left_out[network].tolist() == [f(network, everything != at) for at in everything]


def test_resamples_depend_on_the_seed_alone(monkeypatch):
    counts = networks(50, 3, 1)
    first = resample_f(counts, 500, 3)
    monkeypatch.setattr(resampled, "DRAWS_AT_ONCE", 50)
    monkeypatch.setattr("numba.get_num_threads", lambda: 7)
    again = resample_f(counts, 500, 3)
    assert (first.replicates == again.replicates).all()
    assert (resample_f(counts[:1], 500, 3).replicates == first.replicates[:1]).all()
    assert (resample_f(counts, 500, 4).replicates != first.replicates).any()
