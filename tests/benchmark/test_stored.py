"""A benchmark on disk, opened again."""

from __future__ import annotations

import pytest

import termgauge as tg
from termgauge.benchmark.sets import Origin
from termgauge.benchmark.stored import load_benchmark
from termgauge.exceptions import TermgaugeError

pytestmark = pytest.mark.filterwarnings("ignore::termgauge.exceptions.TermgaugeWarning")
TERMS = "".join(
    f"{number}\t{term}\n"
    for number, terms in enumerate([("heart attack", "infarction"), ("lung", "pulmo"), ("kidney stone", "calculus")])
    for term in terms
)


@pytest.fixture(params=["tsv", "parquet"])
def built(request, tmp_path):
    (tmp_path / "terms.tsv").write_text(f"concept\tterm\n{TERMS}")
    return tg.build(tmp_path / "terms.tsv", tmp_path / "built", format=request.param)


def test_it_is_what_was_built(built):
    again = load_benchmark(built.folder)
    assert again == built
    assert [(each.id, each.sha256) for each in again] == [(each.id, each.sha256) for each in built]
    assert len(list(again)) == sum(record.pairs > 0 for record in again.manifest.files.values()) > 0


def test_sets_know_what_they_are(built):
    for each, record in zip(built, (each for each in built.manifest.files.values() if each.pairs), strict=True):
        assert each.origin == Origin("terms", record.kind, record.difficulty, record.strategy)
        assert each.origin == Origin.of_id(each.id)


def test_a_set_by_its_name_or_id(built):
    named = built["fsn-syn.hard.random"]
    assert named.id == "terms/fsn-syn/hard/random"
    assert built[named.id].sha256 == named.sha256
    with pytest.raises(TermgaugeError, match=r"has no set 'fsn-syn.hard.randm'. Did you mean 'fsn-syn.hard.random'?"):
        built["fsn-syn.hard.randm"]
    with pytest.raises(TermgaugeError, match=r"has no set 'same-as\.easy\.random'"):
        built["same-as.easy.random"]  # it stands in the manifest, with 0 pairs


@pytest.mark.parametrize("place", ["nothing", ".", "file"])
def test_no_benchmark(tmp_path, place):
    (tmp_path / "file").write_text("")
    with pytest.raises(TermgaugeError, match=r"holds no benchmark \(benchmark.json\); make one with: termgauge build"):
        load_benchmark(tmp_path / place)
