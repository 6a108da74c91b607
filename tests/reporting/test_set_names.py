from __future__ import annotations

import re

from termgauge.benchmark.human.catalogue import CATALOGUE
from termgauge.benchmark.sets import ALL_SETS, Origin
from termgauge.reporting.blocks import block_id
from termgauge.reporting.set_names import groups_of, titled, with_terminology


def built(source="hp"):
    return [titled(f"{source}/{name.kind}/{name.difficulty}/{name.strategy}", graded=False) for name in ALL_SETS]


def test_every_set_has_a_name_of_its_own():
    sets = built() + [titled(entry.id, graded=True) for entry in CATALOGUE]
    assert len({each.title for each in sets}) == len(sets)
    assert all("levenshtein" not in each.title and "fsn" not in each.title for each in sets)


def test_groups_hold_every_set_once_in_the_order_of_the_paper():
    human = [titled(entry.id, graded=True) for entry in CATALOGUE]
    other = [titled("my set/1", graded=False), titled("mine", graded=True)]
    groups = groups_of([*human, *other, *reversed(built())])
    assert sorted(each.id for group in groups for each in group.sets) == sorted(
        each.id for each in [*human, *other, *built()]
    )
    assert [group.title for group in groups][:5] == [
        "Names vs synonyms",
        "Synonyms vs synonyms",
        "Possibly equivalent concepts",
        "Replaced concepts",
        "Duplicate concepts",
    ]
    assert [(each.origin.strategy, each.origin.difficulty) for each in groups[0].sets] == [
        ("random", "easy"),
        ("random", "hard"),
        ("levenshtein", "easy"),
        ("levenshtein", "hard"),
    ]
    assert all(len({each.graded for each in group.sets}) == 1 for group in groups)
    assert len({group.id for group in groups}) == len(groups)


def test_a_large_group_is_divided():
    groups = groups_of([titled(f"set-{place}", graded=True) for place in range(23)])
    assert [len(group.sets) for group in groups] == [8, 8, 7]
    assert len({group.id for group in groups}) == 3


def test_terminologies_are_named_where_there_are_several():
    sets = built() + built("snomed")
    assert len(groups_of(sets)) == 10
    assert groups_of(sets)[0].title == "Names vs synonyms (hp)"
    assert with_terminology(sets[0], sets).endswith("(hp)")
    assert with_terminology(sets[0], built()) == sets[0].title


def test_ids_are_letters_digits_and_dashes():
    for name in ("", "../../etc", "Ä<b>\x00", "a" * 500, "--"):
        assert re.fullmatch(r"[A-Za-z0-9-]+", block_id(name))
        assert len(block_id(name, name)) < 130


def test_sets_of_other_origin_keep_their_names():
    assert titled("hp/other-kind/hard/random", graded=False).title == "hp/other-kind/hard/random"
    assert titled("human/unknown", graded=True).title == "unknown"


def test_what_a_set_is_wins_over_its_id():
    origin = Origin("mine", "syn-syn", "easy", "levenshtein")
    each = titled("hp/fsn-syn/hard/random", graded=False, origin=origin)
    assert each.title == "Synonyms vs synonyms, easy, edit-distance negatives"
    assert (each.origin, each.over, each.brief) == (origin, "Edit-distance negatives", "Easy")
    assert titled("hp/fsn-syn/hard/random", graded=False, origin=Origin(human=True)).title == "hp/fsn-syn/hard/random"
