"""Pairs from words, beside a plain program, and what experts say to proposals."""

from __future__ import annotations

import json
from hashlib import sha256
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import termgauge as tg
from termgauge.corpus.word_pairs import read_opinions, word_pairs
from termgauge.exceptions import TermgaugeError
from tests.corpus.plain_pairs import Made, Term, plain_candidates, plain_pairs, random_made

pytestmark = pytest.mark.filterwarnings("ignore::termgauge.exceptions.TermgaugeWarning")


@settings(max_examples=12)
@given(st.integers(0, 10_000), st.integers(1, 12), st.integers(0, 5))
def test_the_same_pairs_as_by_the_plain_reading(tmp_path_factory, number, k, seed):
    made = random_made(number)
    words, resources = made.write(tmp_path_factory.mktemp("made"))
    drawn = word_pairs(words, resources, per_quarter=k, seed=seed).pairs
    for word_class in ("noun", "verb"):
        own = drawn.filter(drawn["class"] == word_class)
        assert own.select("word1", "word2", "quarter").rows() == plain_pairs(made, word_class, k, seed)
    proposed = word_pairs(words, resources, propose=True).pairs
    expected = {
        (*pair, word_class): relation
        for word_class in ("noun", "verb")
        for pair, relation in plain_candidates(made, word_class).items()
    }
    assert {(a, b, c): relation for a, b, c, _source, relation, _accept in proposed.iter_rows()} == expected
    assert proposed.select("class", "word1", "word2").rows() == sorted(
        proposed.select("class", "word1", "word2").rows()
    )


def expert(folder, name, proposals, answers):
    rows = [[*row[:5], answer] for row, answer in zip(proposals.rows(), answers, strict=True)]
    text = "\n".join("\t".join(row) for row in [proposals.columns, *rows]) + "\n"
    (folder / name).write_text(text)
    return folder / name


@pytest.mark.parametrize("number", range(3))
def test_only_what_every_opinion_accepts_is_drawn(tmp_path, number):
    folder, rng = tmp_path, Random(number)
    made = random_made(number)
    words, resources = made.write(folder)
    proposals = word_pairs(words, resources, propose=True).pairs
    asked = [["yes", *rng.choices(["yes", "YES", "no", ""], k=len(proposals) - 1)] for _ in range(3)]
    files = [expert(folder, f"{at}.tsv", proposals, each) for at, each in enumerate(asked)]
    keys = proposals.select("class", "word1", "word2").rows()
    for experts in (1, 2, 3):
        good = {
            key
            for at, key in enumerate(keys)
            if sum(bool(own := each[at]) and own.lower() == "yes" for each in asked) >= experts
            and not any(each[at] == "no" for each in asked)
        }
        made_of = word_pairs(words, resources, accepted=files, experts=experts, per_quarter=3, seed=5)
        for word_class in ("noun", "verb"):
            accepted = {pair[1:] for pair in good if pair[0] == word_class}
            own = made_of.pairs.filter(made_of.pairs["class"] == word_class)
            assert own.select("word1", "word2", "quarter").rows() == plain_pairs(made, word_class, 3, 5, accepted)
            assert made_of.classes[word_class].accepted == len(accepted)
    assert word_pairs(words, resources, accepted=files, per_quarter=1).manifest["options"]["experts"] == 2
    assert word_pairs(words, resources, per_quarter=1).manifest["options"]["experts"] == 0


@pytest.fixture
def small(tmp_path):
    """Return a made corpus in which everything is known by hand."""
    words = {(word, "noun"): "biomedical" for word in ("phosphorylation", "methylation", "tumor", "neoplasm", "heart")}
    words |= {(word, "verb"): "biomedical" for word in ("phosphorylate", "methylate", "cut")}
    words |= {(word, "noun"): "general" for word in ("river", "bank", "house", "home")}
    terms = [
        Term("X:0", "modification"),
        Term("X:1", "phosphorylation", parents=["X:0"]),
        Term("X:2", "Methylation", parents=["X:0"]),
        Term("X:3", "neoplasm", [("tumor", "EXACT"), ("heart", "RELATED")]),
        Term("X:4", "heart", part_of=["X:0"]),
    ]
    norms = [("river", "bank", 150, 20, 0.2, 0.1), ("house", "home", 150, 20, 0.5, 0.0)]
    made = Made(words, terms, [("phosphorylate", "phosphorylation"), ("methylate", "methylation")], norms=norms)
    return made.write(tmp_path)


def test_a_process_finds_its_verb(small, tmp_path):
    words, resources = small
    made = tg.word_pairs(words, resources, tmp_path / "out" / "pairs.tsv", per_quarter=2)
    rows = {row[:2]: row[2:] for row in made.pairs.iter_rows()}
    assert rows["methylate", "phosphorylate"] == ("verb", "biomedical-associated", "onto", "sibling")
    assert rows["neoplasm", "tumor"][2:] == ("onto", "synonym")
    assert rows["bank", "river"] == ("noun", "general-associated", "norms", "associated")
    assert ("home", "house") not in rows, "listed in the norms, but not in both directions"
    assert ("heart", "neoplasm") not in rows or rows["heart", "neoplasm"][1] == "biomedical-unassociated"
    assert made.summary() == {
        "noun": {
            "candidates": {"onto": 2, "LEXICON": 0, "synonyms": 0, "norms": 1},
            "quarters": {"biomedical-associated": 2, "biomedical-unassociated": 2, "general-associated": 1,
                         "general-unassociated": 2},
            "shortfall": {"general-associated": 1},
        },
        "verb": {
            "candidates": {"onto": 1, "LEXICON": 0, "synonyms": 0, "norms": 0},
            "quarters": {"biomedical-associated": 1, "biomedical-unassociated": 2, "general-associated": 0,
                         "general-unassociated": 0},
            "shortfall": {"biomedical-associated": 1, "general-associated": 2, "general-unassociated": 2},
        },
    }  # fmt: skip
    assert repr(made) == "<10 pairs of words (noun and verb)>"
    assert made.to_frame() is made.pairs


def test_the_scope_of_synonyms_widens(small):
    words, resources = small
    wide = word_pairs(words, resources, propose=True, scope="related", word_class="noun").pairs
    assert ("heart", "neoplasm") in wide.select("word1", "word2").rows()
    assert set(wide["class"]) == {"noun"}


def test_the_table_and_its_manifest(small, tmp_path):
    words, resources = small
    word_pairs(words, resources, tmp_path / "pairs.tsv", per_quarter=2, seed=3)
    text = (tmp_path / "pairs.tsv").read_text()
    lines = [line.split("\t") for line in text.splitlines()]
    assert lines[0] == ["word1", "word2", "class", "quarter", "source", "relation"]
    assert all(row[0] < row[1] for row in lines[1:])
    manifest = json.loads((tmp_path / "pairs.tsv.json").read_text())
    assert manifest["pairs"]["sha256"] == sha256(text.encode()).hexdigest()
    assert manifest["words"]["sha256"] == sha256(words.read_bytes()).hexdigest()
    assert manifest["resources"]["onto"]["sha256"] == [sha256(resources[0].read_bytes()).hexdigest()]
    assert manifest["options"]["seed"] == 3
    assert manifest["classes"]["noun"]["pools"] == {"biomedical": 5, "general": 4}
    again = word_pairs(words, resources, tmp_path / "again.tsv", per_quarter=2, seed=3)
    assert again.path.read_text() == text


def test_written_forms_are_kept_and_compared_in_lower_case(tmp_path):
    (tmp_path / "words.tsv").write_text(
        "word\tclass\tdomain\nGermany\tnoun\tgeneral\nUSA\tnoun\tgeneral\nash\tnoun\tgeneral\n"
    )
    (tmp_path / "t.tsv").write_text("word1\tword2\trelation\nGERMANY\tusa\tcountries\n")
    made = word_pairs(tmp_path / "words.tsv", tmp_path / "t.tsv", per_quarter=1)
    assert made.pairs.rows()[0][:2] == ("Germany", "USA") or made.pairs.rows()[1][:2] == ("Germany", "USA")
    assert "countries" in made.pairs["relation"]


def test_british_names_of_a_resource_find_american_words(tmp_path):
    (tmp_path / "words.tsv").write_text("word\tclass\tdomain\ntumor\tnoun\tbiomedical\nanemia\tnoun\tbiomedical\n")
    (tmp_path / "t.tsv").write_text("word1\tword2\trelation\ntumour\tanaemia\tmade\n")
    made = word_pairs(tmp_path / "words.tsv", tmp_path / "t.tsv", propose=True)
    assert made.pairs.rows() == [("anemia", "tumor", "noun", "t", "made", "")]


@pytest.mark.filterwarnings("default::termgauge.exceptions.TermgaugeWarning")
def test_what_gives_nothing_is_said(small, tmp_path):
    words, _ = small
    (tmp_path / "none.tsv").write_text("word1\tword2\trelation\nzebra\tlion\tanimals\n")
    (tmp_path / "apart.tsv").write_text("word1\tword2\trelation\nriver\tlion\tanimals\n")
    with pytest.warns(tg.TermgaugeWarning) as caught:
        word_pairs(words, [tmp_path / "none.tsv", tmp_path / "apart.tsv"], per_quarter=3)
    said = [str(each.message) for each in caught]
    assert any("none.tsv: knows none of the 12 words" in each for each in said)
    assert any("apart.tsv: knows 1 of the 12 words but relates no two" in each for each in said)
    assert any("nouns, general-associated: only 0 of 3 pairs were found; add norms" in each for each in said)


def test_log_ratios_stand_in_for_experts(tmp_path):
    rows = ["aaa\tnoun\t3.5", "bbb\tnoun\t2", "ccc\tnoun\t-2.0", "ddd\tnoun\t-9", "eee\tnoun\t1.9", "fff\tnoun\t"]
    (tmp_path / "words.tsv").write_text("\n".join(["word\tclass\tlog_ratio", *rows]) + "\n")
    (tmp_path / "t.tsv").write_text("word1\tword2\trelation\naaa\tbbb\tmade\n")
    made = word_pairs(tmp_path / "words.tsv", tmp_path / "t.tsv", domain_source="log-ratio", per_quarter=1)
    assert made.classes["noun"].pools == {"biomedical": 2, "general": 2}
    assert {row[:2]: row[3] for row in made.pairs.iter_rows()} == {
        ("aaa", "bbb"): "biomedical-associated", ("ccc", "ddd"): "general-unassociated"
    }  # fmt: skip


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"per_quarter": 0}, "must be at least 1"),
        ({"experts": -1}, "must be at least 0"),
        ({"word_class": "adjective"}, "'noun' or 'verb'"),
        ({"domain_source": "guess"}, "'decisions' or 'log-ratio'"),
    ],
)
def test_options_that_make_no_sense(small, options, why):
    with pytest.raises(tg.TermgaugeError, match=why):
        word_pairs(*small, **options)


def test_words_that_are_not_sorted_yet(small, tmp_path):
    _, resources = small
    (tmp_path / "w.tsv").write_text("word\tclass\tdomain\nheart\tnoun\t\ncut\tnoun\tboth\n")
    with pytest.raises(tg.TermgaugeError, match="no word has a domain"):
        word_pairs(tmp_path / "w.tsv", resources)
    (tmp_path / "w.tsv").write_text("word\tclass\tdomain\nheart\tnoun\tgeneral\n")
    with pytest.raises(tg.TermgaugeError, match="no word of the class verb"):
        word_pairs(tmp_path / "w.tsv", resources, word_class="verb")


PROPOSED = {("noun", "a", "b"), ("noun", "a", "c"), ("verb", "a", "b")}


def table(folder, name, *rows, header="word1\tword2\tclass\tsource\trelation\taccept"):
    (folder / name).write_text("\n".join([header, *("\t".join(row) for row in rows)]) + "\n")
    return folder / name


def test_opinions_of_several_experts(tmp_path):
    one = table(tmp_path, "one.tsv", ("a", "b", "noun", "x", "y", "yes"), ("c", "A", "noun", "x", "y", " No "))
    two = table(tmp_path, "two.tsv", ("a", "b", "noun", "x", "y", "YES"), ("a", "c", "noun", "x", "y", ""))
    opinions = read_opinions([one, two], PROPOSED)
    assert opinions == {("noun", "a", "b"): [True, True], ("noun", "a", "c"): [False]}
    assert read_opinions([one], PROPOSED, ["noun"]).keys() == opinions.keys()


def test_other_classes_are_passed_by(tmp_path):
    one = table(tmp_path, "one.tsv", ("a", "b", "noun", "", "", "yes"), ("x", "y", "verb", "", "", "no"))
    assert read_opinions([one], PROPOSED, ["noun"]) == {("noun", "a", "b"): [True]}


@pytest.mark.parametrize(
    ("rows", "why"),
    [
        ([("a", "z", "noun", "", "", "yes")], r"row 2 .*'a' and 'z' \(noun\) are not among the proposals"),
        ([("a", "b", "adverb", "", "", "yes")], "not among the proposals"),
        ([("a", "b", "noun", "", "", "maybe")], "'maybe' is no answer; write yes or no"),
        ([("a", "b", "noun", "", "", "yes"), ("b", "a", "noun", "", "", "no")], "row 3 .*opposite of an earlier row"),
        ([("a", "b", "noun", "", "", "")], "holds no opinion"),
        ([("a", "b", "noun", "yes")], "has 4 columns"),
    ],
)
def test_files_that_are_refused(tmp_path, rows, why):
    with pytest.raises(TermgaugeError, match=why):
        read_opinions([table(tmp_path, "bad.tsv", *rows)], PROPOSED)


def test_a_file_of_another_kind(tmp_path):
    with pytest.raises(TermgaugeError, match="has no column 'accept'"):
        read_opinions([table(tmp_path, "bad.tsv", ("a", "b", "noun"), header="word1\tword2\tclass")], PROPOSED)
    with pytest.raises(TermgaugeError, match="no such file"):
        read_opinions([tmp_path / "gone.tsv"], PROPOSED)
    (tmp_path / "folder").mkdir()
    with pytest.raises(TermgaugeError, match="holds no files"):
        read_opinions([tmp_path / "folder"], PROPOSED)
