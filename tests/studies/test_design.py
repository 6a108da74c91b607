"""What is fixed in a study: texts may change, the order of pairs may not, the scale only before the first answer."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from termgauge.exceptions import TermgaugeError
from termgauge.studies.design import DESIGN_FILE, read_design
from termgauge.studies.folder import open_study
from tests.studies.small_study import quality, similarity


def edit(study, before, after):
    path = study.folder / "study.toml"
    text = path.read_text(encoding="utf-8")
    assert before in text
    path.write_text(text.replace(before, after, 1), encoding="utf-8")


def answered(study):
    with study.store() as store:
        rater, _token = store.invite(1)
        store.answer(rater.id, 1, 1, 3.0, seconds=1.0, client_id="x", revision=0)


def test_texts_may_change_at_any_time(tmp_path):
    study = similarity(tmp_path)
    answered(study)
    edit(study, 'begin = "Begin"', 'begin = "Los"')
    edit(study, '"hardly similar"', '"kaum"')
    edit(study, "warn_after = 10", "warn_after = 0")
    changed = open_study(study.folder).file
    assert (changed.texts.begin, changed.answers[1].label, changed.warn_after) == ("Los", "kaum", 0)


@pytest.mark.parametrize("key", ["seed = 42", "groups = 2", "pages = 2", "consistency = 2", "duplicates = 2"])
def test_the_layout_is_fixed_from_the_start(tmp_path, key):
    study = similarity(tmp_path)
    name, _, value = key.partition(" = ")
    edit(study, f"\n{key}", f"\n{name} = 7")
    with pytest.raises(
        TermgaugeError, match=f"study.toml: '{name}' is 7, but the order of pairs was drawn with {value};"
    ):
        open_study(study.folder)
    edit(study, f"\n{name} = 7", f"\n{key}")
    assert open_study(study.folder).layout.equals(study.layout)


def test_the_scale_is_fixed_by_the_first_answer(tmp_path):
    study = similarity(tmp_path)
    edit(study, "value = 6", "value = 10")
    edit(study, "rating = 6", "rating = 10")
    edit(study, "rating = 6", "rating = 10")
    assert open_study(study.folder).file.scale == (0.0, 10.0)
    answered(study)
    assert open_study(study.folder).file.scale == (0.0, 10.0)
    edit(study, "value = 5", "value = 7")
    with pytest.raises(TermgaugeError, match=r"changed after raters had answered; write 0, 1, 2, 3, 4, 5, 10 again"):
        open_study(study.folder)


@pytest.mark.parametrize("name", ["pairs.tsv", "layout.tsv", "key.tsv"])
def test_tables_stay_as_they_are(tmp_path, name):
    study = quality(tmp_path)
    path = study.folder / name
    content = path.read_bytes()
    path.write_bytes(content + b"\n")
    with pytest.raises(TermgaugeError, match=f"{name}: was changed after the study was begun"):
        open_study(study.folder)
    path.unlink()
    with pytest.raises(TermgaugeError, match=f"{name}: is missing"):
        open_study(study.folder)
    path.write_bytes(content)
    assert open_study(study.folder).pairs.equals(study.pairs)


def test_the_record_says_where_pairs_come_from(tmp_path):
    design = read_design(similarity(tmp_path).folder)
    assert design.source == "pairs.tsv"
    assert set(design.sha256) == {"pairs.tsv", "layout.tsv"}
    assert str(tmp_path) not in design.model_dump_json()


@given(st.binary(max_size=40) | st.sampled_from([b"{}", b"[]", b'{"study": 1}']))
def test_damaged_records(tmp_path, content):
    (tmp_path / DESIGN_FILE).write_bytes(content)
    with pytest.raises(TermgaugeError, match=r"design.json: is damaged"):
        read_design(tmp_path)


def test_records_without_tables(tmp_path):
    study = similarity(tmp_path)
    path = study.folder / DESIGN_FILE
    path.write_text(json.dumps({**json.loads(path.read_text()), "sha256": {}}))
    with pytest.raises(TermgaugeError, match="is damaged"):
        open_study(study.folder)
    path.unlink()
    with pytest.raises(TermgaugeError, match=r"holds no study \(design.json is missing\)"):
        open_study(study.folder)
