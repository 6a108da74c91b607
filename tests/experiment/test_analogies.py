"""Models asked for the analogies of a domain, from a terminology to a report."""

from __future__ import annotations

import json

import numpy as np
import polars as pl
import pytest
from termgauge.experiment.analogies import analogies

import termgauge as tg
from termgauge.domain.domain import Domain
from termgauge.exceptions import TermgaugeError, TermgaugeWarning
from tests.domain.tables import Concepts
from tests.domain.terminologies import terminology_of
from tests.experiment.toy_models import ToyPairs
from tests.tasks.analogies.hand_worked import EDGES, HAND_WORKED, PAIRS, WORDS, model_of_words


@pytest.fixture
def terminology():
    return terminology_of({end: [end] for pair in PAIRS for end in pair}, EDGES)


@pytest.fixture
def domain():
    return Domain(("a", "b", "c"), ("a", "b", "c"))


def test_the_agreed_layout(terminology, domain):
    found = tg.analogies(terminology, [model_of_words()], domain=domain, relation=["treats"], ks=(1,))
    document = json.loads(json.dumps(found.as_dict()))
    values = document["models"]["table"]["relations"]["treats"]
    assert {name: values[name] for name in ("pairs", "in_vocabulary", "successes", "coverage")} == {
        "pairs": 4,
        "in_vocabulary": 3,
        "successes": 3,
        "coverage": 0.25,
    }
    assert list(document["relations"]) == ["treats"]


def test_inverses_by_default_and_several_k(terminology, domain):
    found = analogies(terminology, [model_of_words()], domain=domain, ks=(2, 3)).as_dict()
    assert list(found["relations"]) == ["treats", "inverse of treats"]
    values = found["models"]["table"]["relations"]["treats"]
    assert (values["successes"], values["k"]["2"]["successes"], values["k"]["3"]["successes"]) == (5, 5, 6)


def test_outcomes_of_every_analogy(terminology, domain, tmp_path):
    place = tmp_path / "outcomes.parquet"
    models = [model_of_words(), Concepts(list(WORDS), np.array(list(WORDS.values())), name="again")]
    analogies(terminology, models, domain=domain, relation=["treats"], ks=(2,), outcomes=place)
    frame = pl.read_parquet(place)
    assert frame["model"].unique().sort().to_list() == ["again", "table"]
    own = frame.filter(model="table")
    assert {(h, j): success for h, j, success in own.select("h", "j", "success").iter_rows()} == {
        pair: rank <= 2 for pair, rank in HAND_WORKED.items()
    }
    ranks = {(h, j): rank for h, j, rank in own.select("h", "j", "rank").iter_rows()}
    assert ranks == {pair: rank if rank <= 2 else None for pair, rank in HAND_WORKED.items()}
    for row in own.iter_rows(named=True):
        assert (row["x_h"], row["y_h"]) == PAIRS[row["h"]]
        assert (row["x_j"], row["y_j"]) == PAIRS[row["j"]]
    assert [path.name for path in tmp_path.iterdir()] == ["outcomes.parquet"]


def test_a_model_that_cannot_be_used_does_not_stop_the_others(terminology, domain, tmp_path):
    with pytest.warns(TermgaugeWarning, match="left out: own: The model 'own' has no vectors"):
        found = analogies(terminology, [ToyPairs(), model_of_words()], domain=domain, ks=(1,))
    assert list(found.models) == ["table"]
    assert found.left_out[0].startswith("own: ")
    place = tmp_path / "outcomes.parquet"
    with pytest.raises(TermgaugeError, match="no vectors"):
        analogies(terminology, [ToyPairs()], domain=domain, outcomes=place)
    assert not place.exists()


def test_bad_input(terminology, domain):
    with pytest.raises(TermgaugeError, match="No domain was named"):
        analogies(terminology, [model_of_words()])
    with pytest.raises(TermgaugeError, match="has no relation 'treat'"):
        analogies(terminology, [model_of_words()], domain=domain, relation=["treat"])
    with pytest.raises(TermgaugeError, match="no method 'multiply'"):
        analogies(terminology, [model_of_words()], domain=domain, method="multiply")
    with pytest.raises(TermgaugeError, match="Labels are 'first' or 'all'"):
        analogies(terminology, [model_of_words()], domain=domain, labels="some")
    with pytest.raises(TermgaugeError, match="k is at least 1"):
        analogies(terminology, [model_of_words()], domain=domain, ks=(0,))


@pytest.mark.filterwarnings("ignore::termgauge.exceptions.TermgaugeWarning")
def test_real_files(shared):
    """The AIR sample has no RELA: its hierarchy is asked, in both directions."""
    if shared is None:
        pytest.skip("the real data are not here")
    vectors = str(shared / "data" / "vectors" / "w2v_medline_100d.bin")
    found = analogies(shared / "data" / "rrf" / "sample-air", [vectors], concepts=["C0001206"], hops=2, lowercase=True)
    document = found.as_dict()
    assert list(document["relations"]) == ["CHD", "PAR"]
    values = document["models"]["w2v_medline_100d"]["relations"]["CHD"]
    assert values["pairs"] > values["in_vocabulary"] > 1
