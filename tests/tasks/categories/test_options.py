from __future__ import annotations

import pytest

from termgauge.exceptions import TermgaugeError
from termgauge.tasks.categories.task import CategoryOptions


def test_files_are_marked_and_move_with_the_experiment():
    options = CategoryOptions.of(close=("1", "@near.txt"), far="@far.txt")
    assert options.files == ["near.txt", "far.txt"]
    moved = options.located(lambda place: f"study/{place}")
    assert (moved.close, moved.far) == (["1", "@study/near.txt"], "@study/far.txt")


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"far": "6"}, "The option 'close' is needed: Two categories that are close"),
        ({"close": ["1"], "far": "6"}, "'close' must have at least 2 items"),
        ({"close": ["1", "4", "5"], "far": "6"}, "'close' must have at most 2 items"),
        ({"close": ["1", "4"], "far": "6", "measures": ["avg_coz"]}, "must be names of measures .'avg_coz' is no"),
        ({"close": ["1", "4"], "far": "6", "max_terms": 0}, "at least 1"),
    ],
)
def test_bad_options(given, sentence):
    with pytest.raises(TermgaugeError, match=sentence):
        CategoryOptions.of(**given)
