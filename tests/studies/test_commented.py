"""New study files: every key stands there with what it means, and the file says what it was made from."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from termgauge.studies.study_file import (
    TABLES,
    QualificationPair,
    StudyFile,
    commented,
    new_study_file,
    parse_study_file,
)

DESIGNS = {
    "similarity": {"seed": 42, "groups": 2, "pages": 5, "consistency": 50, "duplicates": 50},
    "relatedness": {"seed": 42, "groups": 2, "pages": 5, "consistency": 50, "duplicates": 50},
    "quality": {"seed": 42, "groups": 1, "pages": 20, "consistency": 0, "duplicates": 0, "per_label": 30},
}


@pytest.mark.parametrize("kind", DESIGNS)
def test_every_key_stands_in_the_file_below_what_it_means(kind):
    text = commented(new_study_file(kind, **DESIGNS[kind]))
    joined = re.sub(r"\n# ", " ", text)
    for model in (StudyFile, *TABLES.values()):
        for name, field in model.model_fields.items():
            assert name in TABLES or re.search(rf"^(#: )?{name} = ", text, re.MULTILINE), name
            assert name in TABLES or field.description in joined, name
    assert all(len(line) <= 120 for line in text.splitlines() if line.startswith("#"))


@pytest.mark.parametrize("kind", DESIGNS)
def test_the_qualification_is_off_and_works_if_it_is_on(kind):
    text = commented(new_study_file(kind, **DESIGNS[kind]))
    assert parse_study_file(text).qualification == []
    study = parse_study_file(re.sub(r"^#: (?!per_label)", "", text, flags=re.MULTILINE))
    assert len(study.qualification) == 3
    low, high = study.scale
    assert {(low in (each.low, each.high), high in (each.low, each.high)) for each in study.qualification} == {
        (True, False), (False, True),
    }  # fmt: skip


@given(
    st.text(st.characters(exclude_categories=["Cs"]), min_size=1).filter(
        lambda text: text.strip() and all(letter.isprintable() for letter in text)
    ),
    st.sampled_from(["ltr", "rtl"]),
    st.integers(-(2**60), 2**60),
    st.floats(0, 6),
)
def test_what_is_written_is_read_back(title, direction, seed, low):
    pair = QualificationPair(word1=title, word2="\\ \"'", low=low, high=6)
    study = new_study_file("similarity", title=title, **{**DESIGNS["similarity"], "seed": seed})
    study = study.model_copy(update={"direction": direction, "qualification": [pair]})
    assert parse_study_file(commented(study)) == study
