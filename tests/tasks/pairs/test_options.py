"""How pairs are scored, as options."""

from __future__ import annotations

import pytest

from termgauge.exceptions import TermgaugeError
from termgauge.options import fields_for
from termgauge.tasks.pairs.task import PairOptions


def test_all_measures_by_default():
    assert PairOptions.of().measures == []
    assert PairOptions.of(measures=("avg_cos", "cos")).measures == ["avg_cos", "cos"]


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"measures": ["avg_coz"]}, "'avg_coz' is no measure of similarity. Did you mean 'avg_cos'"),
        ({"overwrite": "alway"}, "Did you mean 'always'"),
        ({"mesures": []}, "Did you mean 'measures'"),
    ],
)
def test_what_means_nothing(given, sentence):
    with pytest.raises(TermgaugeError, match=sentence):
        PairOptions.of(**given)


def test_a_file_says_nothing_of_overwriting():
    assert list(fields_for(PairOptions, "file")) == ["measures", "missing"]
    assert set(fields_for(PairOptions, "command")) == {"measures", "missing", "overwrite"}
