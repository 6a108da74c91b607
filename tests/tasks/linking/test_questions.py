"""What is asked: the index, the queries, and what is right, by hand and by definition."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import termgauge as tg
from termgauge.exceptions import TermgaugeError, TermgaugeWarning
from termgauge.tasks.linking.questions import questions_of
from termgauge.tasks.linking.task import LinkingOptions
from tests.domain.terminologies import terminology_of
from tests.tasks.linking.by_definition import asked
from tests.tasks.linking.samples import questions, read_once


def right(found):
    """Return the right concepts of each query by its text."""
    return {text: [found.concepts[number] for number in found.answers(query)] for query, text in enumerate(found.texts)}


def test_names_are_searched_for_synonyms_that_are_no_names():
    found = questions()
    assert found.concepts == ("c1", "c2", "c3", "c4", "c5")
    assert found.names == ("Fever", "Cold", "Heart attack", "Chills", "Disease")
    assert right(found) == {
        "Cardiac infarction": ["c3"],
        "MI": ["c3"],
        "raised temperature": ["c1"],
        "Pyrexia": ["c1"],
        "Common cold": ["c2"],
        "chill": ["c2", "c4"],
        "Rigor": ["c4"],
    }
    assert (found.ambiguous, found.found, len(found.hidden.values)) == (1, 7, 0)


def test_with_all_terms_the_own_text_is_left_out():
    found = questions(index="all")
    assert len(found.names) == 13
    assert len(found.texts) == 12
    query = found.texts.index("chill")
    low, high = found.hidden.offsets[query : query + 2]
    hidden = found.hidden.values[low:high]
    assert [found.names[row] for row in hidden] == ["chill", "Chill"]
    assert [found.concepts[number] for number in found.owners[hidden]] == ["c2", "c4"]


@pytest.mark.parametrize("index", ["names", "all"])
def test_what_is_asked_of_hpo_is_what_the_definition_says(hpo, index):
    terminology = read_once(hpo)
    found = questions_of(terminology, LinkingOptions(index=index, sample=0), 42)
    entries, queries = asked(terminology, index)
    assert [(found.concepts[number], text) for number, text in zip(found.owners, found.names, strict=True)] == [
        (concept, text) for concept, _lower, text in entries
    ]
    assert right(found) == {text: sorted(concepts) for text, concepts, _hidden in queries}


def test_a_sample_is_drawn_by_its_seed():
    made = terminology_of({f"c{at}": [f"n{at}", f"s{at}"] for at in range(99)})
    some = [questions_of(made, LinkingOptions(sample=9), seed) for seed in (1, 1, 2)]
    assert [len(each.texts) for each in some] == [9, 9, 9]
    assert some[0].texts == some[1].texts != some[2].texts
    assert some[0].found == 99
    assert some[0].key == some[1].key != some[2].key


def test_retired_concepts_definitions_and_blank_terms_are_not_asked():
    made = terminology_of(
        {"a": ["name a", "synonym a", " "], "b": ["name b", "synonym b"], "c": ["name c", "long text"]}
    )
    kinds = pl.when(pl.col("text") == "long text").then(pl.lit("definition")).otherwise("kind")
    changed = tg.Terminology(
        made.concepts.with_columns(active=pl.col("concept") != "b"), made.terms.with_columns(kind=kinds),
        made.relations, made.replacements, made.identity,
    )  # fmt: skip
    found = questions_of(changed, LinkingOptions(), 42)
    assert (found.names, found.texts) == (("name a", "name c"), ("synonym a",))


def test_a_fully_specified_name_stands_without_its_tag():
    made = terminology_of({"a": ["Asthma", "Bronchial asthma"]})
    tagged = pl.when(pl.col("kind") == "fsn").then(pl.lit("Asthma (disorder)")).otherwise("text")
    made = tg.Terminology(
        made.concepts, made.terms.with_columns(text=tagged), made.relations, made.replacements, made.identity
    )
    assert questions_of(made, LinkingOptions(), 42).texts == ("Bronchial asthma",)


def test_own_queries_come_from_a_file(tmp_path):
    file = tmp_path / "mentions.tsv"
    file.write_text("text\tconcept\nheart attack\tc3\nHEART ATTACK\tc3\nHeart attack\tc1\nflu\tc9\n\nbad fever\tc1\r\n")
    with pytest.warns(TermgaugeWarning, match=r"1 id is no active concept .*\(c9\); 1 of 5 lines is left out"):
        found = questions(queries=str(file), index="all")
    assert right(found) == {"heart attack": ["c1", "c3"], "bad fever": ["c1"]}
    assert (found.lacking, len(found.hidden.values), found.ambiguous) == (("c9",), 0, 1)


@pytest.mark.parametrize(
    "text",
    [
        'text,concept\n"heart attack, acute",c3\nfever,c1\n',
        '"heart attack, acute",c3\r\nfever,c1\r\n',
        "\ufeffid;note;Mention\nc3;old;heart attack, acute\nc1;;fever\n",
        '"heart attack, acute";c3\n\nfever;c1',
        "heart attack, acute\tc3\nfever\tc1\textra\n",
        'term\tconcept_id\n"heart attack, acute"\tc3\nfever\tc1\n',
    ],
    ids=["csv", "no header", "other columns and semicolons", "semicolons", "tabs", "quoted tabs"],
)
def test_own_queries_come_in_any_usual_table(tmp_path, text):
    (tmp_path / "mentions.csv").write_text(text, "utf-8")
    assert right(questions(queries=str(tmp_path / "mentions.csv"))) == {"heart attack, acute": ["c3"], "fever": ["c1"]}


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ('text,concept\n"fever,c1\n', "line 2: cannot be read as a table"),
        ("id,note,mention\nc1,short\n", "line 2: needs"),
        ("fever c1\n", "line 1: needs a text and the id"),
        ("text\tconcept\nfever\t\n", "line 2: needs"),
        ("text\tconcept\n", "holds no queries"),
        ("flu\tc9\n", "names no active concept"),
    ],
)
@pytest.mark.filterwarnings("ignore::termgauge.exceptions.TermgaugeWarning")
def test_bad_files_of_queries_are_refused(tmp_path, text, sentence):
    (tmp_path / "mentions.tsv").write_text(text)
    with pytest.raises(TermgaugeError, match=sentence):
        questions(queries=str(tmp_path / "mentions.tsv"))


def test_a_terminology_without_synonyms_asks_nothing():
    with pytest.raises(TermgaugeError, match="--index all"):
        questions_of(terminology_of({"a": ["one"], "b": ["two"]}), LinkingOptions(), 42)
    assert np.array_equal(questions_of(terminology_of({"a": ["one"]}), LinkingOptions(index="all"), 42).owners, [0])
