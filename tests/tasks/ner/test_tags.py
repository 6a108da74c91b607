import itertools

import numpy as np
import pytest
from hypothesis import given

from termgauge.tasks.ner.tags import (
    IOBES,
    OUTSIDE,
    as_iobes,
    beginnings,
    codes_of,
    problem_of,
    scheme_of,
)
from tests.tasks.ner.sequences import entities, iobes_of_iob, sentences_of


def converted(sentences):
    """Return sentences as the package turns them into IOBES."""
    flat = [tag for sentence in sentences for tag in sentence]
    starts = np.cumsum([0, *map(len, sentences)])
    codes = codes_of(flat)
    kinds = as_iobes(codes.kinds, codes.types, starts)
    names = [
        "O" if kind == OUTSIDE else f"{IOBES[kind]}-{codes.names[number]}"
        for kind, number in zip(kinds, codes.types, strict=True)
    ]
    return [names[begin:end] for begin, end in itertools.pairwise(starts)]


@given(sentences_of("BI"))
def test_iob_becomes_iobes_by_the_rule(sentences):
    assert converted(sentences) == [iobes_of_iob(sentence) for sentence in sentences]


@given(sentences_of("BIES"))
def test_any_sequence_keeps_its_entities(sentences):
    found = converted(sentences)
    assert [entities(sentence) for sentence in found] == [entities(sentence) for sentence in sentences]
    assert converted(found) == found


@pytest.mark.parametrize(
    ("letters", "written"),
    [
        ("BILU", "O U-x B-x L-x B-x I-x L-x U-y"),
        ("BMEW", "O W-x B-x E-x B-x M-x E-x W-y"),
        ("BMES", "O S-x B-x E-x B-x M-x E-x S-y"),
        ("BI", "O B-x B-x I-x B-x I-x I-x B-y"),
        ("BI", "O I-x B-x I-x B-x I-x I-x I-y"),
    ],
)
def test_schemes_are_converted(letters, written):
    assert converted([written.split()]) == [["O", "S-x", "B-x", "E-x", "B-x", "I-x", "E-x", "S-y"]]
    assert codes_of(written.split()).letters == set(letters)


def test_schemes_are_known_by_their_letters():
    assert [scheme_of(letters) for letters in ("", "I", "BI", "BIES", "S", "BILU", "U", "BMES", "BEMW")] == [
        "IOB2", "IOB2", "IOB2", "IOBES", "IOBES", "BILOU", "BILOU", "BMES", "BMEWO",
    ]  # fmt: skip
    assert scheme_of("BEILSU") == scheme_of("SU") == ""


def test_iob1_and_iob2_are_told_apart():
    def counted(written):
        codes = codes_of(tags := written.split())
        return beginnings(codes.kinds, codes.types, np.array([0, 2, len(tags)]))

    # The second sentence begins at the third tag.
    assert counted("B-x I-x I-x O B-x") == (1, 2)
    assert counted("I-x I-x I-x B-x I-x") == (2, 0)
    assert counted("B-x I-x B-x B-x I-y") == (1, 2)


def test_a_type_may_have_a_dash():
    codes = codes_of(["O", "B-cell-line", "I-cell-line", "S-cell"])
    assert codes.names == ("cell-line", "cell")
    assert codes.types.tolist() == [-1, 0, 0, 1]


@pytest.mark.parametrize(("tag", "what"), [("B", "no type"), ("I-", "no type"), ("NN", "no tag"), ("X-Y", "no tag")])
def test_what_is_no_tag(tag, what):
    assert what in problem_of(tag)
    assert f"'{tag}'" in problem_of(tag)
    assert problem_of(tag).endswith(".")


@pytest.mark.parametrize("tag", ["O", "B-Disease", "U-x", "I--", "S-a-b"])
def test_what_is_a_tag(tag):
    assert problem_of(tag) == ""


@pytest.mark.parametrize("tag", ["", "o", "O-x", "b-Disease", "-x"])
def test_what_looks_like_a_tag(tag):
    assert problem_of(tag)
