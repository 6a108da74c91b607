"""A benchmark on disk, opened again."""

from __future__ import annotations

import json

import pytest

import termgauge as tg
from termgauge.benchmark.load import load_benchmark, load_sets
from termgauge.benchmark.sets import Origin
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
        assert each.origin == Origin.from_id(each.id)


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


def change_a_label(path):
    data = path.read_bytes()
    if path.suffix == ".parquet":
        return data[:40] + bytes([data[40] ^ 1]) + data[41:]
    return data[:-2] + (b"0" if data[-2:-1] == b"1" else b"1") + b"\n"


@pytest.mark.parametrize("change", [change_a_label, lambda path: path.read_bytes()[: path.stat().st_size // 2]])
def test_a_set_that_was_changed_is_refused(built, change):
    path = built.folder / next(file for file, record in built.manifest.files.items() if record.pairs)
    path.write_bytes(change(path))
    for read in (list, lambda each: each[path.stem], lambda each: load_sets([each.folder])):
        with pytest.raises(TermgaugeError, match=rf"{path.name}: was changed after .* remove the entry .* --benchmark"):
            read(load_benchmark(built.folder))


def test_a_changed_set_is_still_read_by_its_own_name(built):
    path = built.folder / next(file for file, record in built.manifest.files.items() if record.pairs)
    if path.suffix == ".tsv":
        path.write_bytes(change_a_label(path))
        assert len(load_sets([path])) == 1


@pytest.mark.parametrize("key", ["pairs", "positives", "sha256"])
def test_a_manifest_that_tells_of_another_set_is_refused(built, key):
    path = built.folder / "benchmark.json"
    document = json.loads(path.read_text())
    record = next(record for record in document["files"].values() if record["pairs"])
    record[key] = None if key == "sha256" else record[key] + 1
    path.write_text(json.dumps(document))
    with pytest.raises(TermgaugeError, match="was changed after"):
        list(load_benchmark(built.folder))


@pytest.mark.parametrize("name", ["../secret.tsv", "/etc/passwd", "a/../../secret.tsv", "..", "sub\\secret.tsv", "C:x"])
def test_an_entry_that_leaves_the_folder_is_refused(built, name):
    path = built.folder / "benchmark.json"
    document = json.loads(path.read_text())
    document["files"] = {name: next(iter(document["files"].values()))}
    path.write_text(json.dumps(document))
    with pytest.raises(TermgaugeError, match="which is not in the folder of the benchmark"):
        load_benchmark(built.folder)
    (built.folder.parent / "secret.tsv").write_text("x")
    tg.build(built.folder.parent / "terms.tsv", built.folder, seed=7, force=True)
    assert (built.folder.parent / "secret.tsv").exists()
