from __future__ import annotations

import pytest

from termgauge.exceptions import TermgaugeError
from termgauge.tasks.prediction.task import PredictionOptions


def test_holm_corrects_and_one_name_may_stand_alone():
    assert PredictionOptions().correction == "holm"
    assert PredictionOptions.of(extrinsic="f").extrinsic == ["f"]
    assert PredictionOptions().pairs == "shared"


def test_empty_names_and_other_corrections_are_refused():
    with pytest.raises(TermgaugeError, match="'extrinsic' must be names, none of them empty"):
        PredictionOptions.of(extrinsic=["f", " "])
    with pytest.raises(TermgaugeError, match="'correction' must be"):
        PredictionOptions.of(correction="some")
