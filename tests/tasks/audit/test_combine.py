"""What rules and models say together, and what could not be looked for."""

from __future__ import annotations

from tests.tasks.audit.made_up import LABELS, Letters, audited, models, terminology


def test_counts_are_of_all_rows_and_lists_are_cut():
    whole, cut = audited(), audited(most=1, first=1)
    assert whole.counts == cut.counts == {name: len(rows) for name, rows in whole.lists.items()}
    assert all(rows == whole.lists[name][:1] for name, rows in cut.lists.items())
    assert {name: sum(kinds.values()) for name, kinds in whole.kinds.items()} == whole.counts
    assert whole.terms == sum(map(len, LABELS.values()))
    assert whole.concepts == len(LABELS)


def test_models_are_told_by_how_well_they_read():
    result = audited()
    assert list(result.models) == list(models())
    assert result.models["one"].auc > 0.8
    assert (result.models["one"].kind, result.models["letters"].kind) == ("vectors", "pairs")


def test_it_does_not_depend_on_the_order_of_the_models():
    one = audited()
    other = audited(dict(reversed(models().items())))
    for name, rows in one.lists.items():
        assert [(row.term1, row.term2, row.score) for row in rows] == [
            (row.term1, row.term2, row.score) for row in other.lists[name]
        ]


def test_what_could_not_be_looked_for_is_said():
    assert audited().notes == []
    assert "No model was named" in audited({}).notes[0]
    assert "No model has vectors" in audited({"letters": Letters()}).notes[0]
    bare = audited({}, terminology({"a": ["Fever"], "b": ["Cough"]}, (), {}, ())).notes
    assert len(bare) == 4
    for said in ("no synonyms", "no hierarchy", "no retired concepts"):
        assert any(said in note for note in bare)


def test_few_synonyms_are_no_population():
    small = terminology({"a": ["Fever", "Pyrexia"], "b": ["Cough"]}, (), {}, ())
    assert audited(source=small).population == "random pairs"
    assert audited().population == "synonyms"
