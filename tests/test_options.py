"""Options that are declared once: what is taken, what is refused, and in which words."""

# ruff: noqa: RUF012 - pydantic copies defaults

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path, PurePosixPath
from typing import Annotated, Literal

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from pydantic import Field, ValidationError, model_validator

from termgauge.exceptions import TermgaugeError, one_line
from termgauge.options import Flag, Options, Place, choices_of, metadata_of, split


class Neighbours(Options):
    """Options of every sort that declarations have."""

    former_names = {"neighbours": "k"}

    k: Annotated[int, Field(ge=1, description="How many neighbours are looked at.")] = 10
    share: float = 0.5
    labels: Literal["first", "all"] = "first"
    sets: Annotated[Literal["all"] | list[str], Field(description="Which sets.")] = "all"
    names: list[str] = []
    join: Annotated[str | None, Field(min_length=1), Flag(("--join", "-j"), metavar="TEXT")] = None
    texts: Annotated[list[str], Place()] = []
    domain: Annotated[str | None, Place()] = None
    far: Annotated[str, Place(prefix="@")] = "HP:1"
    close: Annotated[list[str], Place(prefix="@")] = []
    lowercase: bool = False

    @model_validator(mode="after")
    def _one_of_them(self) -> Neighbours:
        if self.domain and self.names:
            raise ValueError("Name a domain or concepts, not both.")
        return self


class Needed(Options):
    concept: Annotated[str, Field(description="The concept.")]
    other: str


class Significance(Options):
    former_names = {"level": "alpha"}

    alpha: float = 0.05
    labels: str = "of the second declaration"


def refusal(kind=Neighbours, **said):
    """Return the sentence with which options are refused."""
    with pytest.raises(TermgaugeError) as caught:
        kind.of(**said)
    return str(caught.value)


def test_what_is_not_said_has_its_default():
    assert Neighbours.of() == Neighbours()
    assert Neighbours.of(**dict.fromkeys(Neighbours.model_fields)) == Neighbours()
    assert Neighbours.of(k=3, join=None).changed() == {"k": 3}
    assert Neighbours.of().changed() == {}


VALUES = {
    "k": st.integers(1),
    "share": st.floats(allow_nan=False, allow_infinity=False) | st.integers(-9, 9),
    "labels": st.sampled_from(["first", "all"]),
    "sets": st.just("all") | st.lists(st.text()),
    "names": st.lists(st.text()),
    "join": st.text(min_size=1),
    "lowercase": st.booleans(),
}


@given(st.fixed_dictionaries({}, optional=VALUES))
def test_what_changed_makes_the_same_options_again(said):
    made = Neighbours.of(**said)
    assert {name: getattr(made, name) for name in said} == said
    changed = made.changed()
    assert changed.keys() <= said.keys()
    assert Neighbours.of(**changed) == made


@given(st.text())
def test_any_unknown_name_is_refused(name):
    assume(name not in Neighbours.model_fields and name not in Neighbours.former_names)
    sentence = refusal(**{name: 1})
    assert sentence.startswith(f"There is no option '{one_line(name)}'; there are k, share, labels, ")


def test_an_unknown_name_is_met_with_the_nearest():
    assert refusal(lowercas=True).endswith(" Did you mean 'lowercase'?")
    assert "Did you mean" not in refusal(entirely_different=True)


def test_an_unknown_name_is_refused_even_if_nothing_is_said_under_it():
    # None says nothing about an option; a name that is no option must not pass on that account.
    assert "no option 'hop'" in refusal(hop=2)
    assert "no option 'hop'" in refusal(hop=None)


@pytest.mark.parametrize(
    ("said", "sentence"),
    [
        ({"k": "5"}, "The option 'k' must be a whole number, not '5'. It means: How many neighbours are looked at."),
        ({"k": 2.5}, "The option 'k' must be a whole number, not 2.5. It means: How many neighbours are looked at."),
        ({"k": True}, "The option 'k' must be a whole number, not True. It means: How many neighbours are looked at."),
        ({"k": 0}, "The option 'k' must be at least 1, not 0. It means: How many neighbours are looked at."),
        ({"share": "half"}, "The option 'share' must be a number, not 'half'."),
        ({"names": "asthma"}, "The option 'names' must be a list, not 'asthma'."),
        ({"names": ["asthma", 3]}, "The option 'names' must be text, not 3."),
        ({"join": ""}, "The option 'join' must be some text, not ''."),
        ({"lowercase": "yes"}, "The option 'lowercase' must be true or false, not 'yes'."),
        ({"labels": "firt"}, "The option 'labels' must be 'first' or 'all', not 'firt'. Did you mean 'first'?"),
        ({"labels": 1}, "The option 'labels' must be 'first' or 'all', not 1."),
        ({"sets": 1}, "The option 'sets' must be 'all' or be a list, not 1. It means: Which sets."),
        ({"domain": "d.json", "names": ["a"]}, "Name a domain or concepts, not both."),
    ],
)
def test_a_wrong_value_is_told_in_one_sentence(said, sentence):
    assert refusal(**said) == sentence


@given(st.sampled_from(sorted(VALUES)), st.binary() | st.dictionaries(st.text(), st.text(), min_size=1))
def test_values_of_no_use_are_refused_and_shown_in_brief(name, value):
    sentence = refusal(**{name: value})
    assert sentence.startswith(f"The option '{name}' must be ")
    shown = sentence.partition(", not ")[2]
    assert len(shown) < 120


def test_an_option_that_is_needed():
    assert refusal(Needed, other="x") == "The option 'concept' is needed: The concept."
    assert refusal(Needed, concept="x") == "The option 'other' is needed."
    assert refusal(Needed, concept=None, other="x") == "The option 'concept' is needed: The concept."


@pytest.mark.parametrize("many", [("b", "a"), ["b", "a"]])
def test_sequences_become_lists_in_their_order(many):
    assert Neighbours.of(names=many).names == ["b", "a"]


def test_paths_become_text_wherever_they_stand():
    made = Neighbours.of(domain=Path("a/b.json"), texts=(Path("c.txt"), "d.txt"))
    assert (made.domain, made.texts) == (str(Path("a/b.json")), ["c.txt", "d.txt"])
    assert made.changed() == {"domain": str(Path("a/b.json")), "texts": ["c.txt", "d.txt"]}


def test_sets_have_one_order_in_every_process():
    code = (
        "from termgauge.options import Options\nclass O(Options):\n    names: list[str] = []\n"
        "print(O.of(names={'one', 'two', 'three', 'four'}).names, O.of(names=frozenset('abc')).names)"
    )
    path = os.pathsep.join(sys.path)
    printed = {
        subprocess.run(
            [sys.executable, "-c", code],
            capture_output=True,
            text=True,
            check=True,
            env={**os.environ, "PYTHONPATH": path, "PYTHONHASHSEED": seed},
        ).stdout
        for seed in ("0", "1")
    }
    assert printed == {"['four', 'one', 'three', 'two'] ['a', 'b', 'c']\n"}


def test_options_do_not_change_once_made():
    made = Neighbours.of(k=2)
    with pytest.raises(ValidationError):
        made.k = 3


def test_former_names_are_taken():
    assert Neighbours.of(neighbours=4) == Neighbours(k=4)
    assert refusal(neighbours=0).startswith("The option 'k' must be at least 1")


def test_an_option_under_both_names_is_refused():
    assert refusal(neighbours=4, k=5) == "The option 'k' was given twice, under this name and another one."
    assert refusal(k=5, neighbours=5) == "The option 'k' was given twice, under this name and another one."
    assert Neighbours.of(k=5, neighbours=None).k == 5


def beside(place):
    return str(PurePosixPath("/folder") / place)


def test_places_are_moved_and_nothing_else():
    made = Neighbours.of(
        texts=["a.txt", "/b.txt"], domain="d.json", far="@far.txt", close=["HP:2", "@near.txt"], join="_", k=3
    )
    moved = made.located(beside)
    assert (moved.texts, moved.domain) == (["/folder/a.txt", "/b.txt"], "/folder/d.json")
    assert (moved.far, moved.close) == ("@/folder/far.txt", ["HP:2", "@/folder/near.txt"])
    rest = {"texts", "domain", "far", "close"}
    assert moved.model_dump(exclude=rest) == made.model_dump(exclude=rest)
    assert made.domain == "d.json"


def test_options_that_name_no_place_stay_as_they_are():
    assert Neighbours.of(k=3).located(beside) == Neighbours.of(k=3)
    made = Significance.of(alpha=0.1)
    assert made.located(beside) is made


@given(st.lists(st.text("@ab/", max_size=4)))
def test_a_prefix_marks_places_and_stays(close):
    moved = Neighbours.of(close=close).located(lambda place: f"<{place}>").close
    assert moved == [f"@<{each[1:]}>" if each.startswith("@") else each for each in close]


def test_what_an_annotation_says():
    fields = Neighbours.model_fields
    assert metadata_of(fields["join"], Flag) == Flag(("--join", "-j"), metavar="TEXT")
    assert metadata_of(fields["join"], Place) is None
    assert metadata_of(fields["far"], Place) == Place("@")
    assert metadata_of(fields["lowercase"], Flag) is None


def test_keywords_are_shared_out():
    said = {"alpha": 0.1, "k": 3, "neighbours": 4, "level": 0.2, "join": None}
    assert split(said, Neighbours, Significance) == [
        {"k": 3, "neighbours": 4, "join": None},
        {"alpha": 0.1, "level": 0.2},
    ]
    assert split({"labels": "all"}, Neighbours, Significance) == [{"labels": "all"}, {}]
    assert split({"labels": "all"}, Significance, Neighbours) == [{"labels": "all"}, {}]
    assert split({}, Neighbours, Significance) == [{}, {}]


@given(st.dictionaries(st.sampled_from([*Neighbours.model_fields, *Significance.model_fields]), st.integers()))
def test_each_keyword_goes_to_exactly_one(said):
    shares = split(said, Neighbours, Significance)
    assert {name: value for share in shares for name, value in share.items()} == said
    assert sum(map(len, shares)) == len(said)
    assert all(name in Significance.model_fields and name not in Neighbours.model_fields for name in shares[1])


def test_a_keyword_of_none_of_them_is_refused():
    with pytest.raises(TermgaugeError, match=r"no option 'alhpa'; there are k, .*, alpha.* Did you mean 'alpha'\?"):
        split({"k": 3, "alhpa": 0.1}, Neighbours, Significance)


@pytest.mark.parametrize(
    ("annotation", "choices"),
    [
        (Literal["first", "all"], ["first", "all"]),
        (Literal["all"] | list[str], ["all"]),
        (list[Literal["tsv", "hf"]] | None, ["tsv", "hf"]),
        (int | None, []),
        (list[str], []),
    ],
)
def test_choices(annotation, choices):
    assert choices_of(annotation) == choices
