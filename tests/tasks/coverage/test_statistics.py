"""What models are compared by: seeds, and the neighbours that they share."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from termgauge.domain.domain import Domain
from termgauge.statistics.compare import compare_set
from termgauge.statistics.covariance import NO_UNIT, Covariance
from termgauge.tasks.coverage.result import (
    DISCOUNTED,
    GAIN,
    IN_VOCABULARY,
    Measure,
    ModelCoverage,
    cover,
    discounts,
    main_k,
    outcomes_of,
)
from tests.domain.tables import Words
from tests.domain.terminologies import terminology_of
from tests.tasks.coverage.made_up import covered


def model_of(nearest, same=None):
    nearest = np.asarray(nearest)
    known = nearest[:, 0] != -1
    same = np.arange(len(nearest)) if same is None else np.asarray(same)
    return ModelCoverage("", "words", "vocabulary", 99, known, nearest, same, (), ())


@st.composite
def two_models(draw):
    seeds, k = draw(st.integers(4, 7)), draw(st.integers(1, 3))
    models = []
    for _ in range(2):
        lists = []
        for seed in range(seeds):
            others = [each for each in [*range(seeds), -20, -30, -40] if each != seed]
            own = draw(st.lists(st.sampled_from(others), max_size=k, unique=True))
            lists.append(own + [-1] * (k - len(own)))
        models.append(model_of(lists))
    return dict(zip(("one", "other"), models, strict=True)), k


@given(two_models())
def test_a_unit_moves_a_value_as_far_as_the_value_without_it_says(made):
    models, k = made
    outcomes = outcomes_of(models, [k])[Measure(DISCOUNTED, k)]
    weights = discounts(k)
    moves, couples = {}, {}
    for name, model in models.items():
        seeds = len(model.nearest)
        entries = [
            (seed, word, weights[at], weights[at] * (word >= 0))
            for seed in range(seeds)
            for at, word in enumerate(model.nearest[seed].tolist())
        ]

        def without(entries, chosen):
            left = [each for each in entries if not chosen(each)]
            below = sum(each[2] for each in left)
            return sum(each[3] for each in left) / below if below > 1e-9 else math.nan

        value = without(entries, lambda _each: False)
        words = sorted({*range(seeds), -20, -30, -40})
        moves[name] = [value - without(entries, lambda each, word=word: word in each[:2]) for word in words]
        couples[name] = {
            (one, other): value - without(entries, lambda each, both={one, other}: {*each[:2]} == both)
            for one in words
            for other in words
            if one > other
        }
    listed = [{seed for m in models.values() for seed in np.flatnonzero((m.nearest == word).any(axis=1))}
              for word in (-20, -30, -40)]  # fmt: skip
    units = seeds + sum(len(each) > 1 for each in listed)
    one, other = (np.array([*moves[name], *(1j * np.array([*couples[name].values()]))]) for name in models)
    covariance = Covariance([(outcomes.estimate(list(models), np.ones(seeds * k, bool)),
                              outcomes.units_of(list(models), np.ones(seeds * k, bool)))])  # fmt: skip
    assert covariance.units == units
    if not covariance.whole:
        assert covariance.matrix[0, 1] == pytest.approx((one * other).sum().real * (units - 1) / units, abs=1e-12)


def test_values_are_those_of_the_models():
    models = {"m1": covered(1, share=1.0), "m2": covered(2, share=0.2)}
    for measure, outcomes in outcomes_of(models, [5, 10]).items():
        found = compare_set(outcomes)
        for name, model in models.items():
            assert found.by_model[name].value == pytest.approx(model.value(measure))
            assert 0 < found.by_model[name].low <= found.by_model[name].value <= found.by_model[name].high <= 1
        (difference,) = found.differences
        assert difference.significant == (difference.adjusted_p < 0.05)
    assert main_k([5, 10, 20]) == 10
    assert main_k([3, 5]) == 3


def test_a_word_in_a_single_list_is_no_unit():
    models = {"one": model_of([[1, -7], [0, -8], [-8, -9]]), "other": model_of([[1, -7], [-7, 0], [0, -1]])}
    units = outcomes_of(models, [2])[Measure(GAIN, 2)].units
    assert units["one"].second.tolist() == [1, -7, 0, -8, -8, NO_UNIT]
    assert units["other"].second.tolist() == [1, -7, -7, 0, 0, NO_UNIT]


def test_twelve_seeds_that_are_perfectly_apart_are_marked():
    good = [[(seed + step) % 12 for step in (1, 2, 3)] for seed in range(12)]
    models = {"good": model_of(good), "bad": model_of([[-30 - 3 * seed - at for at in range(3)] for seed in range(12)])}
    for measure, outcomes in outcomes_of(models, [3]).items():
        (difference,) = compare_set(outcomes).differences
        assert difference.significant == (measure.statistic != IN_VOCABULARY)


@pytest.mark.filterwarnings("ignore::termgauge.exceptions.TermgaugeWarning")
@pytest.mark.parametrize("seeds", [1, 2, 3])
def test_few_seeds_give_no_certainty(seeds):
    terminology = terminology_of({f"c{place}": [f"w{place}"] for place in range(10)})
    domain = Domain(tuple(f"c{place}" for place in range(seeds)))
    one = cover(Words([f"w{place}" for place in range(10)], np.eye(10), name="knows"), terminology, domain, ks=[2])
    none = cover(Words(["other"], np.eye(1), name="knows nothing"), terminology, domain, ks=[2])
    for measure, outcomes in outcomes_of({"knows": one, "knows nothing": none}, [2]).items():
        found = compare_set(outcomes)
        (difference,) = found.differences
        assert not difference.significant
        if measure.statistic == IN_VOCABULARY and seeds > 1:  # each seed is a coin, and all fell on one side
            assert difference.p_value == 2 / 2**seeds
        for each in found.estimates:
            assert each.low != each.high
            assert seeds > 1 or math.isnan(each.low)
