from __future__ import annotations

import pytest

from termgauge.benchmark.sets import ALL_SETS, PARTS, Origin, SetName, knows, needed_for, select_sets


def test_there_are_twenty_sets():
    assert len(ALL_SETS) == len(set(map(str, ALL_SETS))) == 20


@pytest.mark.parametrize(
    ("words", "count"),
    [
        ([], 20),
        (["fsn-syn"], 4),
        (["fsn-syn", "syn-syn"], 8),
        (["fsn-syn", "hard"], 2),
        (["hard", "random"], 5),
        (["fsn-syn,syn-syn hard"], 4),
        (["same-as.easy.random"], 1),
        (["same-as.easy.random", "fsn-syn"], 5),
    ],
)
def test_words_choose_sets(words, count):
    assert len(select_sets(words)) == count


@pytest.mark.parametrize("choice", ["fsn-sin", "hard,rando", "fsn-syn.hard", "easy same-as.easy.randm"])
def test_unknown_words(choice):
    assert not knows(choice)


def test_known_words():
    assert all(knows(choice) for choice in (*PARTS, *map(str, ALL_SETS), "", "fsn-syn,syn-syn hard"))


def test_a_set_needs_those_that_hand_their_negatives_to_it():
    hard = needed_for([SetName("fsn-syn", "hard", "random")])
    assert SetName("fsn-syn", "easy", "random") in hard
    assert SetName("replaced-by", "easy", "random") in hard
    assert SetName("syn-syn", "easy", "random") not in hard
    assert all(name.strategy == "random" for name in hard)
    first = SetName("possibly-equivalent-to", "easy", "levenshtein")
    assert needed_for([first]) == (first,)
    # The negatives of syn-syn hard depend on those of syn-syn easy, and these on those of fsn-syn.
    assert SetName("fsn-syn", "easy", "random") in needed_for([SetName("syn-syn", "hard", "random")])


def test_what_a_set_is_by_its_id():
    for name in ALL_SETS:
        assert Origin.from_id(f"hp/2025/{'/'.join(name)}") == Origin("hp/2025", *name)
        assert Origin.from_id("/".join(name)) == Origin(), "it names no terminology"
    assert Origin.from_id("human/mayosrs") == Origin(human=True)
    assert not Origin.from_id("human/mayosrs").built
    for other in ("mine", "humans/x", "hp/fsn-syn/hard/odd", "hp/fsn-syn/random/hard"):
        assert Origin.from_id(other) == Origin()
