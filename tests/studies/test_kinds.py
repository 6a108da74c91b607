"""What raters read in a new study of each kind: instructions, examples and scale speak of one thing."""

from __future__ import annotations

import re

import pytest

import termgauge as tg
from termgauge.exceptions import TermgaugeError
from termgauge.studies.study_file import KINDS, read_study_file
from tests.studies.small_study import pair_table, quality

ABOUT = {"similarity": "similar", "relatedness": "related", "quality": "same"}
"""The word that each kind of study is about."""
SAYS_ONE = re.compile(r"\b(synonym|the same (event|thing|condition)|its name)")
SAYS_TIED = re.compile(r"\b(belong together|(?<!un)related|opposite|same field|treat|sold|sells|both are about)")
SAYS_NOTHING = re.compile(r"\b(unrelated|nothing to do with each other)")


@pytest.fixture(params=KINDS)
def file(request, tmp_path):
    if request.param == "quality":
        return quality(tmp_path / "study").file
    study = tg.new_study(tmp_path / "study", pair_table(tmp_path), kind=request.param)
    return read_study_file(study.folder / "study.toml")


def label(file, value):
    return next(each.label for each in file.answers if each.value == value)


def test_the_scale_is_about_what_is_asked(file):
    others = {word for kind, word in ABOUT.items() if kind not in (file.kind, "quality")}
    low, high = (label(file, end) for end in file.scale)
    assert ABOUT[file.kind] in low
    assert ABOUT[file.kind] in high or "same" in high
    for text in (file.title, file.question, *(each.label for each in file.answers)):
        assert not any(word in text for word in others), text
    assert any(ABOUT[file.kind] in text for text in (file.title, file.question))


def test_the_instructions_name_the_ends_as_the_scale_does(file):
    first = file.instructions[0]
    if file.widget == "slider":
        low, high = file.scale
        assert re.search(rf"from {low:g} \({label(file, low)}\) to {high:g} \([^)]*same[^)]*\)", first)
    else:
        assert all(f'"{each.label}"' in " ".join(file.instructions) for each in file.answers)
    assert any(file.unknown in text or "the button that says so" in text for text in file.instructions)


def test_no_example_contradicts_the_scale(file):
    low, high = file.scale
    assert {low, high} <= {each.rating for each in file.examples} <= set(file.values)
    for each in file.examples:
        pair = f"{each.word1} / {each.word2}: {each.rating:g}, {label(file, each.rating)}. {each.why}"
        if each.rating == high or SAYS_ONE.search(each.why):
            assert each.rating == high, pair
        if SAYS_NOTHING.search(each.why):
            assert each.rating == low, pair
        if SAYS_TIED.search(each.why.replace("unrelated", "")):
            assert "unrelated" not in label(file, each.rating), pair


def test_scalpel_and_surgeon_are_related_and_not_similar(tmp_path):
    said = {}
    for kind in ("similarity", "relatedness"):
        found = tg.new_study(tmp_path / kind, pair_table(tmp_path), kind=kind).file
        said[kind] = label(found, next(each.rating for each in found.examples if each.word1 == "scalpel"))
    assert said == {"similarity": "not similar at all", "relatedness": "closely related"}


@pytest.mark.filterwarnings("ignore::termgauge.exceptions.TermgaugeWarning")
def test_a_study_of_relatedness_gives_scores(tmp_path, run):
    status, _out, _err = run("study", "new", tmp_path / "s", "--pairs", pair_table(tmp_path), "--kind", "relatedness")
    assert status == 0
    study = tg.open_study(tmp_path / "s")
    rows = [(page, position, pair % 7, 2.0) for group, page, position, pair, _kind in study.layout.rows() if group == 1]
    with study.store() as store:
        for at in range(2):
            rater, _token = store.invite(1, f"rater {at}")
            store.import_answers(rater.id, rows, "test")
    scores = {round(6 * each["score"] / 10, 9) for each in study.results(rule="none").similarity.scored}
    assert scores == set(range(7))
    with pytest.raises(TermgaugeError, match="Only quality studies draw"):
        tg.new_study(tmp_path / "t", pair_table(tmp_path), kind="relatedness", per_label=3)
