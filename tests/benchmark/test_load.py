"""What names mean: folders, files, and ids of rated sets."""

from __future__ import annotations

import pytest

import termgauge as tg
from termgauge.benchmark.load import load_sets
from termgauge.exceptions import TermgaugeError, TermgaugeWarning
from tests.engine.toy_models import binary_set


def test_sets_from_files(tmp_path):
    pairs = binary_set()
    pairs.write_tsv(tmp_path / "mine.tsv")
    pairs.write_parquet(tmp_path / "mine.parquet")
    one, two = load_sets([tmp_path / "mine.tsv", tmp_path / "mine.parquet"])
    assert (one.id, two.id) == ("mine", "toy/binary")
    assert one.sha256 == two.sha256 == pairs.sha256


def test_the_same_set_twice():
    with pytest.raises(TermgaugeError, match="Two sets are called 'toy/binary'"):
        load_sets([binary_set(), binary_set()])


@pytest.fixture
def built(tmp_path):
    """Return the folder of a benchmark, and a file in it: six concepts with four terms each."""
    words = ["heart", "lung", "kidney", "skin", "liver", "brain"]
    terms = [f"{at}\t{word} {form}\n" for at, word in enumerate(words) for form in ("attack", "ill", "pain", "failing")]
    (tmp_path / "terms.tsv").write_text("concept\tterm\n" + "".join(terms))
    tg.build(tmp_path / "terms.tsv", tmp_path / "built", only=["syn-syn", "hard", "random"])
    return tmp_path / "built", tmp_path / "built" / "syn-syn.hard.random.tsv"


def values(benchmark, out):
    run = tg.evaluate(benchmark, ["baseline:levenshtein", "baseline:char-ngrams"], out)
    (compared,) = tg.compare(run).models
    return run.results().drop("set").rows(), compared.comparison.units


@pytest.mark.filterwarnings("ignore::termgauge.exceptions.TermgaugeWarning")
def test_a_file_counts_concepts_as_its_folder_does(built, tmp_path):
    folder, file = built
    of_folder, of_file = values(folder, tmp_path / "one"), values(file, tmp_path / "two")
    assert of_folder == of_file
    assert of_file[1] == 6, "concepts"
    alone = tmp_path / "elsewhere" / file.name
    alone.parent.mkdir()
    for each in (file, file.with_name(f"{file.stem}.concepts.parquet")):
        alone.with_name(each.name).write_bytes(each.read_bytes())
    assert values(alone, tmp_path / "copied") == of_file, "without the rest of the benchmark"
    alone.with_name(f"{file.stem}.concepts.parquet").unlink()
    independent, _units = values(alone, tmp_path / "three")
    assert independent != of_file[0]
    file.write_bytes(b"".join(reversed(file.read_bytes().splitlines(keepends=True))))  # other rows than the concepts'
    with pytest.warns(TermgaugeWarning, match=r"hard\.random\.concepts\.parquet: is not used, because it belongs"):
        (changed,) = load_sets([file])
    assert changed.concepts is None
