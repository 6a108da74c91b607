"""Near terms looked up ahead: the same pairs, to the byte, here and at an executor, whatever the size of batches."""

from __future__ import annotations

import random

import numpy as np
import pytest
from benchmarks.synthetic_rf2 import write_release
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import termgauge as tg
from termgauge.benchmark import nearest_neighbours, negatives
from termgauge.benchmark.positives import Lexicon, Rows, unordered_pair
from termgauge.executor import use_executor
from tests.benchmark import plain_builder
from tests.common.executors import SmallExecutor

pytestmark = pytest.mark.filterwarnings("ignore::termgauge.exceptions.TermgaugeWarning")

words = st.text("abB", min_size=1, max_size=4) | st.text("aéÉ\u4e00😀", min_size=1, max_size=3)
row_lists = st.lists(
    st.tuples(words, words).filter(lambda row: row[0].lower() != row[1].lower()), min_size=1, max_size=16, unique=True
)


def made(rows, *, across=False):
    lexicon = Lexicon()
    first = np.array([lexicon.number(a) for a, _b in rows], dtype=np.int64)
    second = np.array([lexicon.number(b, int(across)) for _a, b in rows], dtype=np.int64)
    own = Rows(first, second, first, second, np.zeros(len(rows), dtype=np.int64))
    known = {unordered_pair(*pair) for pair in zip(first.tolist(), second.tolist(), strict=True)}
    found = negatives.levenshtein_negatives(own, lexicon, known, random.Random(42), across=across)
    return [(lexicon.texts[a], lexicon.texts[b]) for a, b in zip(found.first, found.second, strict=True)]


@pytest.mark.parametrize("size", [1, 3, 4096])
@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(rows=row_lists)
def test_an_executor_gives_what_the_plain_program_gives(size, rows, tmp_path_factory):
    place = SmallExecutor(tmp_path_factory.mktemp("place"))
    random.seed(42)
    expected = plain_builder.levenshtein_negatives(rows, plain_builder.either_way(rows))
    with pytest.MonkeyPatch.context() as patch, use_executor(place):
        patch.setattr(nearest_neighbours, "_IN_A_BLOCK", size)
        assert made(rows) == expected
    assert set(place.called) == {"search"}


@settings(deadline=None)
@given(rows=row_lists)
def test_across_two_languages(rows, tmp_path_factory):
    here = made(rows, across=True)
    with use_executor(SmallExecutor(tmp_path_factory.mktemp("place"))):
        assert made(rows, across=True) == here


def test_one_worker_searches_too(tmp_path):
    place = SmallExecutor(tmp_path, slots=1)
    with use_executor(place):
        made([("flu", "influenza"), ("cold", "rhinitis")])
    assert place.called == ["search"]


def test_a_whole_build_is_the_same_to_the_byte(tmp_path):
    write_release(tmp_path / "in", concepts=120, seed=5, retired=0.3, terms=plain_builder.concepts_of_hpo(90))
    tg.build(tmp_path / "in", tmp_path / "here")
    place = SmallExecutor(tmp_path / "place")
    with use_executor(place), pytest.MonkeyPatch.context() as patch:
        patch.setattr(nearest_neighbours, "_IN_A_BLOCK", 20)
        tg.build(tmp_path / "in", tmp_path / "there")
    one, two = ({path.name: path.read_bytes() for path in (tmp_path / name).iterdir()} for name in ("here", "there"))
    assert one == two
    assert len(place.called) > 10


def test_an_error_of_the_search_is_raised_and_leaves_no_thread(monkeypatch):
    monkeypatch.setattr(nearest_neighbours, "search_index", lambda *_arguments, **_options: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        made([("flu", "influenza"), ("cold", "rhinitis")])
