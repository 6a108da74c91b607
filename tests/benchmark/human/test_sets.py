from __future__ import annotations

import dataclasses
import hashlib
import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from termgauge.benchmark.human import sets as human
from termgauge.benchmark.human.sets import find_human, human_sets, load_human
from termgauge.exceptions import TermgaugeError, TermgaugeWarning
from termgauge.io import download
from tests.common.local_server import Server, serving
from tests.conftest import REPOSITORY

if TYPE_CHECKING:
    from collections.abc import Iterator

    from termgauge.benchmark.human.catalogue import HumanSet

ENTRIES = {entry.id: entry for entry in human_sets()}
SHARED = Path(os.environ.get("TERMGAUGE_SHARED", REPOSITORY.parent / "shared"))
REAL = SHARED / "data" / "similarity"
needs_real_files = pytest.mark.skipif(not REAL.is_dir(), reason="the public files are not here")

# Row number and row of a few pairs of each public file, read with other eyes.
SAMPLES = {
    "human/hliaoutakis": [(0, "Anemia", "Appendicitis", 0.031), (35, "Down Syndrome", "Trisomy 21", 0.875)],
    "human/minimayo-physicians": [
        (0, "Renal failure", "Kidney failure", 4.0),
        (7, "Congestive heart failure", "Pulmonary edema", 3.0),
    ],
    "human/minimayo-coders": [(7, "Congestive heart failure", "Pulmonary edema", 1.4)],
    "human/minimayo-mean": [(7, "Congestive heart failure", "Pulmonary edema", 2.2)],
    "human/mayosrs": [
        (0, "difficulty walking", "antalgic gait", 6.69),
        (100, "erythema nodosum", "osteoporosis", 1.54),
    ],
    "human/umnsrs-sim": [(0, "Glaucoma", "Fibrillation", 279.0), (565, "Epilepsy", "Actonel", 329.25)],
    "human/umnsrs-rel": [(0, "Carbatrol", "Dilantin", 797.5), (586, "Epilepsy", "Actonel", 818.5)],
    "human/umnsrs-sim-mod": [(0, "tylenol", "motrin", 1067.0), (448, "regurgitation", "heartburn", 1106.5)],
    "human/umnsrs-rel-mod": [(0, "acetylcysteine", "tylenol", 1109.0), (457, "regurgitation", "heartburn", 1298.25)],
    "human/bio-simlex": [(0, "therapy", "treatment", 9.32), (987, "curve", "excretion", 0.0)],
    "human/bio-simverb": [(0, "depolymerize", "reduce", 1.98), (999, "explain", "write", 4.3)],
    "human/ehr-rel-a": [
        (1, "Abdominal pain", "Dysuria", 1.6),
        (110, "Hyaline body", "Wishes to postpone menstruation", 0.0),
    ],
    "human/ehr-rel-b": [
        (0, "Chronic obstructive lung disease", "Chronic cor pulmonale", 2.0),
        (328, 'C/O - "tired all the time"', "Breast lump symptom", 1.0),
        (3629, "Productive cough", "Medical Research Council Dyspnoea scale grade 4", 4 / 3),
    ],
    "human/pedersen": [(1, "Heart", "Myocardium", 3.15), (29, "Hyperlipidemia", "Metastasis", 1.0)],
}


def made_file(entry: HumanSet) -> bytes:
    """A file of two pairs in the layout of an entry's own."""
    layout = entry.layout
    systems = [column for pair in layout.concepts.values() for column in pair]
    titles = list(layout.columns) or [*systems, "another column", *layout.ratings, *layout.terms]
    top, rows = entry.scale[1], []
    for one, two, rating in (("flu", "influenza", top), ("heart attack", "toe", top / 2)):
        cells = dict.fromkeys(titles, "") | dict.fromkeys(systems, "X1") | dict.fromkeys(layout.ratings, f"{rating:g}")
        cells |= dict(zip(layout.terms, (one, two), strict=True))
        rows.append("\t".join(cells[title] for title in titles))
    header = [] if layout.columns else ["\t".join(titles)]
    return "\n".join([*header, *rows]).encode()


@pytest.fixture(autouse=True)
def alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep the user's folders and the network out of the tests."""
    monkeypatch.setenv("TERMGAUGE_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.delenv("TERMGAUGE_DATA_DIR", raising=False)
    monkeypatch.setenv("TERMGAUGE_MIRROR", (tmp_path / "no mirror").as_uri())
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setattr("pooch.core.time.sleep", lambda _seconds: None)


@pytest.fixture
def entry(monkeypatch: pytest.MonkeyPatch) -> HumanSet:
    """An entry whose file is a made one, so that its hash is known without the public file."""
    given = ENTRIES["human/umnsrs-sim"]
    content = made_file(given)
    made = dataclasses.replace(given, sha256=hashlib.sha256(content).hexdigest(), size=len(content), pairs=2)
    monkeypatch.setattr(human, "CATALOGUE", (made,))
    return made


@pytest.fixture
def server(entry: HumanSet, monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    with serving(made_file(entry)) as running:
        monkeypatch.setenv("TERMGAUGE_MIRROR", running.address.rsplit("/", 1)[0] + "/mirror/")
        yield running


def cached(tmp_path: Path, entry: HumanSet) -> Path:
    return tmp_path / "cache" / "human" / entry.file_name


def test_every_set_has_samples() -> None:
    assert set(ENTRIES) == set(SAMPLES)


@needs_real_files
@pytest.mark.parametrize("name", ENTRIES)
def test_the_public_files_hold_what_the_catalogue_says(name: str) -> None:
    entry = ENTRIES[name]
    content = (REAL / entry.file_name).read_bytes()
    assert (len(content), hashlib.sha256(content).hexdigest()) == (entry.size, entry.sha256)
    pairs = load_human(name, data_dir=REAL, download=False)
    assert (pairs.id, len(pairs), pairs.graded) == (name, entry.pairs, True)
    for place, *row in SAMPLES[name]:
        assert list(pairs.frame.row(place)[:3]) == row
    assert pairs.frame["score"].is_between(*entry.scale).all()
    missing = []
    for system in entry.layout.concepts:
        frame = load_human(name, data_dir=REAL, download=False, concepts=system).frame
        pattern = {"umls": r"^C\d{7}$", "mesh": r"^[CD]\d+$", "snomed": r"^\d{6,18}$"}[system]
        for column in ("concept_1", "concept_2"):
            assert frame[column].drop_nulls().str.contains(pattern).all()
        missing.append(frame["concept_1"].null_count() + frame["concept_2"].null_count())
    assert missing == sorted(missing)


@needs_real_files
def test_the_means_of_ehr_rel_agree_with_the_mean_in_the_file() -> None:
    for name in ("human/ehr-rel-a", "human/ehr-rel-b"):
        lines = (REAL / ENTRIES[name].file_name).read_text(encoding="utf-8").splitlines()[1:]
        given = [float(line.split("\t")[9]) for line in lines]
        assert load_human(name, data_dir=REAL).frame["score"].to_list() == pytest.approx(given, abs=1e-12)


@pytest.mark.parametrize("name", ENTRIES)
def test_every_layout_is_read(tmp_path: Path, name: str) -> None:
    entry = ENTRIES[name]
    (tmp_path / entry.file_name).write_bytes(made_file(entry))
    with pytest.warns(TermgaugeWarning, match="another edition") as caught:
        pairs = load_human(name, data_dir=tmp_path, download=False)
    top = entry.scale[1]
    assert [row[:3] for row in pairs.frame.rows()] == [("flu", "influenza", top), ("heart attack", "toe", top / 2)]
    assert ("concept_1" in pairs.frame.columns) == bool(entry.layout.concepts)
    assert f"2 pairs instead of {entry.pairs:,}" in str(caught[0].message)


def test_a_file_of_the_users_that_does_not_parse_is_refused(tmp_path: Path, entry: HumanSet) -> None:
    (tmp_path / entry.file_name).write_bytes(b"<html>not found</html>")
    with pytest.raises(TermgaugeError, match="another file than its name says"):
        load_human(entry.id, data_dir=tmp_path)


def test_a_set_is_downloaded_once_and_then_in_the_cache(tmp_path: Path, entry: HumanSet, server: Server) -> None:
    assert entry.status() == "to download"
    assert entry.locate(None) is None
    assert len(load_human("human/umnsrs-sim")) == 2
    assert entry.status() == "in cache"
    assert entry.locate(None) == cached(tmp_path, entry)
    assert load_human("umnsrs-sim", download=False).id == entry.id
    assert server.paths == [f"/mirror/{entry.file_name}"]


def test_folders_come_before_the_cache_and_the_callers_before_the_environments(
    tmp_path: Path, entry: HumanSet, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    load_human(entry.id)
    ours, theirs, empty = tmp_path / "ours", tmp_path / "theirs", tmp_path / "empty"
    for folder in (ours, theirs, empty):
        folder.mkdir()
    for folder in (ours, theirs):
        (folder / entry.file_name).write_bytes(made_file(entry))
    assert entry.locate(empty) == cached(tmp_path, entry)
    monkeypatch.setenv("TERMGAUGE_DATA_DIR", str(theirs))
    assert entry.locate(ours) == ours / entry.file_name
    assert entry.locate(empty) == theirs / entry.file_name
    assert entry.status(empty) == "in folder"
    assert [
        (row["id"], row["status"], row["path"], row["pairs"]) for row in [entry.row(empty) for entry in human_sets()]
    ] == [(entry.id, "in folder", str(theirs / entry.file_name), 2)]
    assert len(server.asked) == 1


def test_a_damaged_file_in_the_cache_is_fetched_again(tmp_path: Path, entry: HumanSet, server: Server) -> None:
    cached(tmp_path, entry).parent.mkdir(parents=True)
    cached(tmp_path, entry).write_bytes(b"damaged")
    assert entry.status() == "to download"
    assert len(load_human(entry.id)) == 2
    assert cached(tmp_path, entry).read_bytes() == server.content


def test_a_cut_connection_is_asked_again(entry: HumanSet, server: Server) -> None:
    server.cuts = [50]
    assert len(load_human(entry.id)) == 2
    assert len(server.asked) == 2


def test_a_wrong_file_is_not_kept(tmp_path: Path, entry: HumanSet, server: Server) -> None:
    server.content = server.content[::-1]
    with pytest.raises(TermgaugeError) as caught:
        load_human(entry.id)
    assert hashlib.sha256(server.content).hexdigest() in str(caught.value)
    assert entry.sha256 in str(caught.value)
    assert list(cached(tmp_path, entry).parent.iterdir()) == []


@pytest.mark.parametrize("trouble", ["missing", "down"])
def test_without_a_server_the_user_is_told_what_to_do(entry: HumanSet, server: Server, trouble: str) -> None:
    if trouble == "missing":
        server.statuses = [404]
    else:
        server.statuses = [503] * (download.AGAIN + 1)
    with pytest.raises(TermgaugeError) as caught:
        load_human(entry.id)
    message = str(caught.value)
    assert f"get {entry.file_name} by hand from {entry.address}" in message
    assert "the option data-dir" in message
    assert "TERMGAUGE_DATA_DIR" in message
    assert "\n" not in message


def test_a_mirror_may_be_a_folder(tmp_path: Path, entry: HumanSet, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "my mirror").mkdir()
    (tmp_path / "my mirror" / entry.file_name).write_bytes(made_file(entry))
    monkeypatch.setenv("TERMGAUGE_MIRROR", (tmp_path / "my mirror").as_uri())
    assert len(load_human(entry.id)) == 2


def test_nothing_is_downloaded_against_the_users_will(entry: HumanSet, server: Server) -> None:
    with pytest.raises(TermgaugeError, match=r"is not at hand; get UMNSRS_sim_mesh\.csv by hand from https"):
        load_human(entry.id, download=False)
    assert server.asked == []


def test_unknown_ids_and_folders() -> None:
    with pytest.raises(
        TermgaugeError, match=r"no human-rated set 'human/unmsrs-sim'.*Did you mean 'human/umnsrs-sim'\?"
    ):
        find_human("human/unmsrs-sim")
    with pytest.raises(TermgaugeError) as caught:
        find_human("human/zzz")
    assert "Did you mean" not in str(caught.value)
    with pytest.raises(TermgaugeError, match="nowhere: is no folder; name in --data-dir"):
        load_human("human/mayosrs", data_dir="nowhere")


def test_a_bad_folder_in_the_environment_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERMGAUGE_DATA_DIR", "nowhere")
    with pytest.raises(TermgaugeError, match="name in TERMGAUGE_DATA_DIR"):
        [entry.row() for entry in human_sets()]


def test_rows_name_everything_a_listing_needs() -> None:
    rows = [entry.row() for entry in human_sets()]
    assert [row["id"] for row in rows] == list(ENTRIES)
    assert {row["status"] for row in rows} == {"to download"}
    assert all(row["path"] is None for row in rows)
    assert rows[0]["scale"] == "0-1"
    assert rows[-2]["concepts"] == "snomed, umls"
