"""Whatever people call a set, it is found, or they are told what there is."""

from __future__ import annotations

import pytest

import termgauge as tg
from termgauge.exceptions import TermgaugeError
from termgauge.tasks.pairs.compare import set_named
from tests.samples import write_obo

SETS = ["hp-2025/fsn-syn/hard/random", "hp-2025/fsn-syn/easy/random", "human/umnsrs-sim", "human/umnsrs-rel", "my.own"]


@pytest.mark.parametrize(
    ("name", "found"),
    [
        *((each, each) for each in SETS),
        ("fsn-syn.hard.random", SETS[0]),
        ("benchmarks/hp/fsn-syn.hard.random.tsv", SETS[0]),
        ("fsn-syn/easy/random", SETS[1]),
        ("umnsrs-sim", SETS[2]),
        ("REL", SETS[3]),
        ("easy", SETS[1]),
        ("data/my.own.csv.gz", SETS[4]),
    ],
)
def test_one_set_is_meant(name, found):
    assert set_named(name, SETS, "run") == found


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("umnsrs", "several sets fit 'umnsrs'; name one of them: human/umnsrs-sim, human/umnsrs-rel."),
        ("random", "several sets fit"),
        ("nothing", f"has no set 'nothing'; there are: {', '.join(SETS)}."),
        ("", "there are"),
    ],
)
def test_else_what_there_is_is_listed(name, words):
    with pytest.raises(TermgaugeError) as caught:
        set_named(name, SETS, "run")
    assert str(caught.value).startswith("run: ")
    assert words in str(caught.value)


@pytest.mark.filterwarnings("ignore::termgauge.exceptions.TermgaugeWarning")  # so few terms
def test_the_folder_of_a_benchmark(tmp_path):
    benchmark = tg.build(tg.read_terminology(write_obo(tmp_path)), tmp_path / "built")
    ids = [pairs.id for pairs in benchmark]
    assert set_named(str(tmp_path / "built"), [ids[0], "other"], "run") == ids[0]
    with pytest.raises(TermgaugeError, match="several sets fit"):
        set_named(str(tmp_path / "built"), ids, "run")
