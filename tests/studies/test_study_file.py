"""Study files: what a new one says is read back, and whatever is wrong is said with the key and its line."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from termgauge.exceptions import TermgaugeError
from termgauge.studies.study_file import (
    FIXED,
    StudyFile,
    commented,
    new_study_file,
    parse_study_file,
    read_study_file,
)

DESIGN = {"seed": 42, "groups": 2, "pages": 5, "consistency": 50, "duplicates": 50}
TEXT = commented(new_study_file("similarity", **DESIGN))
QUALITY = commented(new_study_file("quality", seed=1, groups=1, pages=2, consistency=0, duplicates=0, per_label=30))


def changed(before, after, text=TEXT):
    assert before in text
    return text.replace(before, after, 1)


def test_the_scale_of_a_new_study():
    study = parse_study_file(TEXT)
    assert study.scale == (0.0, 6.0)
    assert study.values == (0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0)
    assert study.qualification == []
    assert study.warn_after == 10
    assert parse_study_file(QUALITY).values == (0.0, 1.0)


@pytest.mark.parametrize("kind", [TEXT, QUALITY])
def test_there_are_two_worked_examples_of_each_kind(kind):
    study = parse_study_file(kind)
    high = [each for each in study.examples if each.rating == study.scale[1]]
    assert (len(study.examples), len(high)) == (8, 2)
    assert ("drug", "pharmacy") in {(each.word1, each.word2) for each in study.examples}
    assert all(each.rating <= 1 for each in study.examples if each not in high)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "a study lacks the key 'kind'"),
        ("a = [", "is not valid TOML"),
        (changed("question =", "qestion ="), r"line \d+: a study has no key 'qestion'; .* Did you mean 'question'\?"),
        (changed("\nlabel =", "\nlable ="), r"\[\[answers\]\] has no key 'lable'; it has value, label\. Did you mean"),
        (changed("begin =", "beginn ="), r"\[texts\] has no key 'beginn'; .* Did you mean 'begin'\?"),
        (changed('widget = "slider"', 'widget = "silder"'), r"'widget' of a study must be .* Did you mean 'slider'\?"),
        (changed("warn_after = 10", 'warn_after = "ten"'), "'warn_after' of a study must be a whole number, not 'ten'"),
        (changed("warn_after = 10", "warn_after = -1"), "'warn_after' of a study must be at least 0, not -1"),
        (changed('language = "en"', 'language = "English language"'), "must be a language tag such as 'en'"),
        (changed('direction = "ltr"', 'direction = "up"'), "'direction' of a study must be 'ltr' or 'rtl'"),
        (changed("value = 1\n", "value = nan\n"), "must be a finite number"),
        (changed("value = 1\n", "value = 0\n"), "two answers have the same value"),
        (changed("value = 1\n", "value = 9\n"), "from the lowest to the highest value"),
        (changed('"hardly similar"', '"Not similar at all"'), "two answers have the same label"),
        (changed('"hardly similar"', '"  "'), "must be some text"),
        (changed('"hardly similar"', '"bell \\u0007"'), "must be text without control characters"),
        (changed("rating = 6", "rating = 7"), "'heart attack' / 'myocardial infarction' has the rating 7"),
        (
            changed("part {page}", "part {pgae}"),
            r"'break_text' of \[texts\] must have no words in braces but \{page\}, ",
        ),
        (changed("answer {count}", "answer {"), "must have no words in braces but {count}"),
        (changed("value = 1", "value = 2", QUALITY), "needs two answers, with the values 1"),
        (changed("groups = 1", "groups = 2", QUALITY), "a quality study has 1 group"),
        (TEXT + '\n[[qualification]]\nword1 = "a"\nword2 = "b"\nlow = 6.5\nhigh = 9\n', "no answer to 'a' / 'b'"),
        (changed("[texts]", "[[texts]]"), "'texts' is written as a table"),
        (re.sub(r"\[\[answers\]\]\n.*\n.*\n", "", TEXT), r"the tables \[\[answers\]\] are missing"),
        (re.sub(r"\[\[answers\]\]\n.*\n.*\n", "", TEXT, count=6), r"a study needs 2 to 101 tables \[\[answers\]\]"),
    ],
)
def test_what_is_wrong_is_said_in_a_sentence(text, said):
    with pytest.raises(TermgaugeError, match=said) as error:
        parse_study_file(text)
    assert all(each.startswith("study.toml") for each in error.value.args)
    assert len(error.value.args) <= 3


def test_the_line_of_what_is_wrong():
    text = changed('label = "slightly similar"', "label = 3")
    line = 1 + text[: text.index("\nlabel = 3") + 1].count("\n")
    with pytest.raises(TermgaugeError, match=f"study.toml, line {line}: 'label' of"):
        parse_study_file(text)


def test_texts_are_shown_in_one_line():
    text = changed('title = "How similar are these terms?"', 'title = """\nTwo\n  lines """')
    assert parse_study_file(text).title == "Two lines"


def test_buttons_need_not_be_named():
    assert parse_study_file(TEXT.partition("[texts]")[0]) == parse_study_file(TEXT)


@given(st.binary(max_size=60))
def test_any_bytes_are_a_study_file_or_bad_input(tmp_path, content):
    path = tmp_path / "study.toml"
    path.write_bytes(content)
    with pytest.raises(TermgaugeError):
        read_study_file(path)


@given(st.sampled_from(sorted(StudyFile.model_fields)), st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3), max_leaves=5,
))  # fmt: skip
def test_any_value_of_a_key_is_fine_or_bad_input(key, value):
    said = refusal({**new_study_file("similarity", **DESIGN).model_dump(), key: value})
    assert said is None or key in said


def refusal(given_values):
    """Return why keys are refused; None if they are not."""
    try:
        StudyFile.of(**given_values)
    except TermgaugeError as error:
        return str(error)
    return None


def test_files_that_cannot_be_read(tmp_path):
    with pytest.raises(TermgaugeError, match="there is no such file; `termgauge study new`"):
        read_study_file(tmp_path / "study.toml")
    (tmp_path / "latin.toml").write_bytes("title = 'Ödem'".encode("latin-1"))
    with pytest.raises(TermgaugeError, match="is not UTF-8 text"):
        read_study_file(tmp_path / "latin.toml")
    with pytest.raises(TermgaugeError, match="cannot be read"):
        read_study_file(tmp_path)


def test_what_is_fixed_is_said_in_its_description():
    for name, field in StudyFile.model_fields.items():
        assert field.description.endswith("Fixed.") == (name in FIXED)
