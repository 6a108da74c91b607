from __future__ import annotations

from datetime import date

import polars as pl
import pytest

from termgauge.benchmark.options import BuildOptions
from termgauge.benchmark.positives import find_positives
from termgauge.exceptions import TermgaugeError
from termgauge.terminology.model import SCHEMAS, Terminology, TerminologyIdentity, conform

IDENTITY = TerminologyIdentity("table", "made", "1", "0" * 64)


def terminology(terms, *, replacements=(), concepts=None):
    """Make a terminology of (concept, text, kind[, since]) rows."""
    rows = pl.DataFrame(
        [(row[0], row[1], row[2], "en", 0, True, row[3] if len(row) > 3 else None) for row in terms],
        schema=SCHEMAS["terms"],
        orient="row",
    )
    names = {row[0]: row[1] for row in reversed(terms) if row[2] == "fsn"}
    order = list(dict.fromkeys(row[0] for row in terms))
    concepts = concepts or [(concept, names.get(concept), None, None, True, None) for concept in order]
    return Terminology(
        pl.DataFrame(
            concepts,
            schema=SCHEMAS["concepts"],
            orient="row",
        ),
        rows,
        conform(pl.DataFrame(), "relations"),
        pl.DataFrame(list(replacements), schema=SCHEMAS["replacements"], orient="row"),
        IDENTITY,
    )


def texts(found, kind, difficulty=None):
    parts = [found.sets[kind, each] for each in ([difficulty] if difficulty else ["easy", "hard"])]
    return [
        (found.lexicon.texts[a], found.lexicon.texts[b])
        for rows in parts
        for a, b in zip(rows.first.tolist(), rows.second.tolist(), strict=True)
    ]


def positives(source, **options):
    return find_positives(source, BuildOptions.of(**options))


def test_names_and_synonyms_are_paired_in_order():
    found = positives(
        terminology([("1", "Malaria", "fsn"), ("1", "Paludism", "synonym"), ("1", "Malarial fever", "synonym")]),
        split_distance=0,
    )
    assert texts(found, "fsn-syn", "hard") == [("Malaria", "Paludism"), ("Malaria", "Malarial fever")]
    assert texts(found, "syn-syn", "hard")[-1] == ("Paludism", "Malarial fever")


def test_terms_equal_but_for_case_are_not_paired():
    found = positives(terminology([("1", "Flu", "fsn"), ("1", "flu", "synonym"), ("1", "FLU", "synonym")]))
    assert texts(found, "fsn-syn") == texts(found, "syn-syn") == []


def test_a_pair_counts_once_in_either_order():
    rows = [("1", "a b c", "fsn"), ("1", "x y z", "synonym"), ("2", "x y z", "fsn"), ("2", "a b c", "synonym")]
    assert texts(positives(terminology(rows)), "fsn-syn") == [("a b c", "x y z")]


def test_a_concept_without_a_name_gives_only_synonym_pairs_and_is_mentioned():
    found = positives(terminology([("1", "chest pain", "synonym"), ("1", "thoracalgia", "synonym")]))
    assert texts(found, "fsn-syn") == []
    assert texts(found, "syn-syn") == [("chest pain", "thoracalgia")]
    assert any("no name" in note for note in found.notes)


def test_of_two_names_the_first_counts_and_it_is_mentioned():
    found = positives(terminology([("1", "first", "fsn"), ("1", "second", "fsn"), ("1", "something", "synonym")]))
    assert texts(found, "fsn-syn") == [("first", "something")]
    assert any("more than one" in note for note in found.notes)


def test_tabs_and_line_breaks_become_spaces_and_are_counted():
    found = positives(terminology([("1", "one", "fsn"), ("1", "two\twords\r\nhere", "synonym")]))
    assert texts(found, "fsn-syn") == [("one", "two words here")]
    assert any(note.startswith("1 term held tabs") for note in found.notes)


def test_only_the_kinds_asked_for_count_as_synonyms():
    rows = [("1", "name", "fsn"), ("1", "near enough", "related"), ("1", "for lay people", "layperson")]
    assert texts(positives(terminology(rows)), "fsn-syn") == []
    wide = positives(terminology(rows), scope="related")
    assert texts(wide, "fsn-syn") == [("name", "near enough")]


@pytest.mark.parametrize("distance", [0, 5, 100])
def test_the_split_is_by_edit_distance_in_lower_case(distance):
    found = positives(
        terminology([("1", "Sacrum sprain", "fsn"), ("1", "SACRAL sprain", "synonym")]), split_distance=distance
    )
    assert texts(found, "fsn-syn", "easy" if distance >= 2 else "hard") == [("Sacrum sprain", "SACRAL sprain")]


def test_replacements_lose_their_mark_and_skip_foreign_namespaces_and_known_synonyms():
    rows = [
        ("1", "[D]Chest pain", "fsn"),
        ("2", "Thoracic pain", "fsn"),
        ("3", "Extension namespace (namespace concept)", "fsn"),
        ("4", "kidney stone", "fsn"),
        ("5", "renal calculus", "fsn"),
        ("5", "kidney stone", "synonym"),
    ]
    links = [("1", "2", "same-as"), ("1", "3", "same-as"), ("4", "5", "same-as"), ("9", "1", "same-as")]
    found = positives(terminology(rows, replacements=links))
    assert texts(found, "same-as") == [("Chest pain", "Thoracic pain")]
    assert any(note.startswith("1 replacements (same-as)") for note in found.notes)


def test_since_keeps_pairs_whose_younger_term_is_new_enough():
    old, new = date(2002, 1, 31), date(2019, 1, 31)
    rows = [("1", "name", "fsn", old), ("1", "old synonym", "synonym", old), ("1", "new synonym", "synonym", new)]
    found = positives(terminology(rows), since=new)
    assert texts(found, "fsn-syn") == [("name", "new synonym")]
    assert ("old synonym", "new synonym") in texts(found, "syn-syn")
    assert len(found.known) == 3, "pairs that are too old stay known, so that they never become negatives"


def test_since_without_history_says_so():
    with pytest.raises(TermgaugeError, match="no history"):
        positives(terminology([("1", "a", "fsn")]), since=date(2019, 1, 1))


def test_concepts_of_the_model_component_and_retired_ones_do_not_count():
    rows = [
        (concept, f"{word} {concept}", kind)
        for concept in "123"
        for word, kind in (("name", "fsn"), ("other", "synonym"))
    ]
    concepts = [
        ("1", "name 1", None, None, True, None),
        ("2", "name 2", None, "900000000000012004", True, None),
        ("3", "name 3", None, None, False, None),
    ]
    assert texts(positives(terminology(rows, concepts=concepts)), "fsn-syn") == [("name 1", "other 1")]


def test_terms_without_end_are_left_out_and_counted():
    found = positives(terminology([("1", "a", "fsn"), ("1", "b" * 5001, "synonym"), ("1", "c" * 5000, "synonym")]))
    assert texts(found, "fsn-syn") == [("a", "c" * 5000)]
    assert "1 term has more than 5,000 characters and was left out." in found.notes


def test_a_concept_without_end_is_left_out_and_named():
    many = [("1", f"term {number}", "synonym") for number in range(1501)]
    found = positives(terminology([*many, ("2", "a", "fsn"), ("2", "b", "synonym")]))
    assert texts(found, "syn-syn") == [("a", "b")]
    assert "1 concept has more than 1,500 terms, such as 1, and was left out." in found.notes
