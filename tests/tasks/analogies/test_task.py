"""Models asked for the analogies of a domain, from a terminology to a result."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import termgauge as tg
from termgauge.domain.domain import Domain
from termgauge.exceptions import TermgaugeError, TermgaugeWarning
from tests.domain.tables import Concepts
from tests.domain.terminologies import terminology_of
from tests.engine.toy_models import ToyPairs
from tests.tasks.analogies.hand_worked import EDGES, HAND_WORKED, PAIRS, WORDS, model_of_words


@pytest.fixture
def terminology():
    return terminology_of({end: [end] for pair in PAIRS for end in pair}, EDGES)


@pytest.fixture
def domain():
    return Domain(("a", "b", "c"), ("a", "b", "c"))


def test_the_hand_worked_example(terminology, domain):
    result = tg.analogies(terminology, [model_of_words()], domain=domain, relations=["treats"], k=(1,))
    figures = result.models["table"].relations["treats"]
    assert (figures.pairs, figures.in_vocabulary, figures.successes, figures.coverage) == (4, 3, 3, 0.25)
    assert list(result.relations) == ["treats"]
    before = tg.analogies(terminology, [model_of_words()], domain=domain, relation=["treats"], ks=(1,))
    assert before == result


def test_inverses_by_default_and_several_k(terminology, domain):
    result = tg.analogies(terminology, [model_of_words()], domain=domain, k=(2, 3))
    assert list(result.relations) == ["treats", "inverse of treats"]
    figures = result.models["table"].relations["treats"]
    assert (figures.successes, figures.k["2"].successes, figures.k["3"].successes) == (5, 5, 6)


def test_outcomes_of_every_analogy(terminology, domain, tmp_path):
    place = tmp_path / "outcomes.parquet"
    models = [model_of_words(), Concepts(list(WORDS), np.array(list(WORDS.values())), name="again")]
    tg.analogies(terminology, models, domain=domain, relations=["treats"], k=(2,), outcomes=place)
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
    with pytest.warns(TermgaugeWarning, match="failed in analogies: The model 'own' has no vectors"):
        result = tg.analogies(terminology, [ToyPairs(), model_of_words()], domain=domain, k=(1,))
    assert list(result.models) == ["table"]
    assert result.left_out[0].startswith("own: ")
    place = tmp_path / "outcomes.parquet"
    with pytest.raises(TermgaugeError, match="no vectors"):
        tg.analogies(terminology, [ToyPairs()], domain=domain, outcomes=place)
    assert list(tmp_path.iterdir()) == []


def test_bad_input(terminology, domain):
    with pytest.raises(TermgaugeError, match="No domain was named"):
        tg.analogies(terminology, [model_of_words()])
    with pytest.raises(TermgaugeError, match="has no relation 'treat'"):
        tg.analogies(terminology, [model_of_words()], domain=domain, relations=["treat"])


@pytest.mark.filterwarnings("ignore::termgauge.exceptions.TermgaugeWarning")
def test_real_files(shared):
    """The AIR sample has no RELA: its hierarchy is asked, in both directions."""
    if shared is None:
        pytest.skip("the real data are not here")
    vectors = str(shared / "data" / "vectors" / "w2v_medline_100d.bin")
    source = shared / "data" / "rrf" / "sample-air"
    result = tg.analogies(source, [vectors], concepts=["C0001206"], hops=2, lowercase=True)
    assert list(result.relations) == ["CHD", "PAR"]
    figures = result.models["w2v_medline_100d"].relations["CHD"]
    assert figures.pairs > figures.in_vocabulary > 1
