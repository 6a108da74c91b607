"""Who is how far: counted from the answers, shown as a table and as JSON."""

from __future__ import annotations

import json

from tests.studies.small_study import similarity


def test_who_is_how_far(tmp_path):
    study = similarity(tmp_path)
    with study.store() as store:
        store.invite(1, "Ann")
        store.invite(2)
        own = study.layout.filter((study.layout["group"] == 1) & (study.layout["page"] == 1))
        for position in own["position"]:
            rating = None if position == 1 else 2.0
            store.answer("r1", 1, position, rating, seconds=1, client_id=f"c{position}", revision=0)
        store.answer("r1", 2, 1, 3.0, seconds=1, client_id="more", revision=0)
        store.set_state("r2", "paused", "on holiday")
    found = study.status()
    ann, other = found.raters
    assert (ann.answered, ann.unknown, ann.pages) == (own.height + 1, 1, 1)
    assert ann.showings == study.layout.filter(study.layout["group"] == 1).height
    assert (other.answered, other.state, other.reason, other.name) == (0, "paused", "on holiday", None)
    document = json.loads(json.dumps(found.to_json()))
    assert document["answers"] == own.height + 1
    assert [each["rater"] for each in document["raters"]] == ["r1", "r2"]
    assert document["history"][-1]["reason"] == "on holiday"
    table = found.sections()[0].blocks[0]
    assert [cell.text for cell in table.rows[1]][:4] == ["r2", "", "2", "paused: on holiday"]


def test_a_study_without_raters(tmp_path):
    found = similarity(tmp_path).status()
    assert found.to_json()["raters"] == []
    assert "Nobody has been invited yet" in found.sections()[0].blocks[0].paragraphs[0]


def test_answers_that_deserve_a_look(tmp_path):
    study = similarity(tmp_path)
    with study.store() as store:
        for same in (True, False):
            rater, _token = store.invite(1)
            rows = [(page, at, 2.0 if same else float((page * 5 + at) % 7), None)
                    for group, page, at, _pair, _kind in study.layout.rows() if group == 1]  # fmt: skip
            store.import_answers(rater.id, rows, "test")
    found = study.status()
    assert found.raters[0].flags == ("15 equal ratings in a row",)
    assert "15 equal ratings in a row" not in found.raters[1].flags
    table = found.sections()[0].blocks[0]
    assert table.columns[-1].heading == "Worth a look"
    assert table.rows[0][-1].text == "15 equal ratings in a row"
