from __future__ import annotations

from types import SimpleNamespace

from termgauge.tasks.shown import by_neighbourhood, style_of, superscript_note, zeros_note


def test_models_are_grouped_and_those_with_a_vocabulary_come_first():
    places = {"a": "terminology", "b": "vocabulary", "c": "terminology"}
    groups = by_neighbourhood({name: SimpleNamespace(neighbourhood=place) for name, place in places.items()})
    assert list(groups.items()) == [("vocabulary", ["b"]), ("terminology", ["a", "c"])]


def test_twenty_models_can_be_told_apart():
    assert len({style_of(place) for place in range(20)}) == 20


def test_superscripts_are_explained_where_there_are_any():
    assert superscript_note(["a"], "holm") == ()
    (note,) = superscript_note(["a", "b"], "holm")
    assert note.endswith("loses to (−), corrected by Holm.")


def test_models_that_know_nothing_are_named():
    assert zeros_note(["a"]) == "**a**: all its figures are 0."
    assert zeros_note(["a", "b"]) == "**a** and **b**: all their figures are 0."
