from __future__ import annotations

import math

import pytest

from termgauge.statistics.power import Detectable
from termgauge.tasks.pairs.sections.sets import scored_pairs_section
from termgauge.tasks.pairs.sections.summary import summary
from termgauge.tasks.records import ModelRecord
from tests.tasks.pairs.sections.made import EASY, HARD, HUMAN, MODELS, RANDOM, found_of

ALL_BEATEN = [("good", "fair"), ("good", "edit"), ("fair", "edit")]


def said(found, **options):
    sentences = summary(found, **options)
    assert all(sentence[0].isupper() or sentence[0] in "*0123456789" for sentence in sentences)
    assert all(sentence.endswith(".") and ".." not in sentence and "  " not in sentence for sentence in sentences)
    assert 1 <= len(sentences) <= 7
    return " ".join(sentences)


def test_one_model_wins_alone():
    text = said(found_of({RANDOM: ({"good": 0.9, "fair": 0.8, "edit": 0.7}, ALL_BEATEN)}))
    assert "**good** is significantly better than every other model; the best accuracy is 0.90." in text
    assert "Every model is significantly better than the baseline **edit** (edit distance)." in text


def test_two_that_cannot_be_told_apart_share_the_top():
    text = said(found_of({RANDOM: ({"good": 0.9, "fair": 0.89, "edit": 0.7}, [("good", "edit"), ("fair", "edit")])}))
    assert "**good** and **fair** share the top: neither is significantly worse than the best" in text
    assert "better than every other" not in text


def test_all_tied():
    text = said(found_of({RANDOM: ({"good": 0.9, "fair": 0.9, "edit": 0.9}, [])}))
    assert "no difference between the models is significant" in text
    assert "No model is significantly better than the baseline **edit** (edit distance)." in text


def test_no_model_is_worse_than_the_best_though_some_differ():
    text = said(found_of({RANDOM: ({"good": 0.9, "fair": 0.89, "edit": 0.7}, [("fair", "edit")])}))
    assert "no model is significantly worse than the best" in text


def test_leaders_change_from_set_to_set():
    other = RANDOM.replace("fsn-syn", "syn-syn")
    found = found_of(
        {
            RANDOM: ({"good": 0.9, "fair": 0.8, "edit": 0.7}, ALL_BEATEN),
            other: ({"good": 0.7, "fair": 0.8, "edit": 0.9}, [("edit", "fair"), ("edit", "good"), ("fair", "good")]),
        }
    )
    text = said(found)
    assert "On the two sets with random negatives, no model leads everywhere" in text
    assert "**fair** is the best or not" not in text
    assert "is the best or not significantly worse on one of them, **" in text


def test_one_at_the_top_everywhere_alone_on_some():
    other = RANDOM.replace("fsn-syn", "syn-syn")
    found = found_of(
        {
            RANDOM: ({"good": 0.9, "fair": 0.8, "edit": 0.7}, ALL_BEATEN),
            other: ({"good": 0.9, "fair": 0.89, "edit": 0.7}, [("good", "edit")]),
        }
    )
    wanted = "**good** leads: it alone is never significantly worse than the best, and on one significantly better than"
    assert wanted in said(found)


def test_the_highest_values_may_be_those_of_another():
    names = [f"hp/{kind}/easy/random" for kind in ("fsn-syn", "syn-syn", "same-as")]
    tied = ({"good": 0.8, "fair": 0.82, "edit": 0.7}, [("good", "edit"), ("fair", "edit")])
    won = ({"good": 0.9, "fair": 0.8, "edit": 0.7}, [("good", "edit"), ("good", "fair"), ("fair", "edit")])
    text = said(found_of({names[0]: tied, names[1]: tied, names[2]: won}))
    assert (
        "**fair** has the highest accuracy most often, on two, but only **good** is never significantly worse than the "
        "best, and on one significantly better than every other model; the best accuracy per set is 0.82 to 0.90."
        in text
    )
    equal = said(found_of({names[0]: tied, names[2]: won}))
    assert "most often" not in equal  # one each
    assert "**good** leads" in equal


def test_a_model_that_was_measured_on_fewer_sets_may_be_as_good():
    other = RANDOM.replace("fsn-syn", "syn-syn")
    won = [("good", "edit"), ("fair", "edit")]
    found = found_of(
        {
            RANDOM: ({"good": 0.9, "fair": 0.9, "edit": 0.7}, won),
            other: ({"good": 0.9, "edit": 0.7}, [("good", "edit")]),
        }
    )
    text = said(found)
    assert "it alone" not in text
    assert "**good** is the best or not significantly worse on all of them, and on one significantly better" in text


def test_equal_outcomes_are_said_once_and_their_counts_add_up():
    values = {"good": 0.9, "fair": 0.89, "edit": 0.7}
    some, other = [("good", "edit"), ("good", "fair")], [("good", "edit")]
    sets = {}
    for name in (RANDOM, EASY):
        sets[name] = (values, some)
        sets[name.replace("fsn-syn", "syn-syn")] = (values, other)
    text = said(found_of(sets))
    assert text.count("it alone is never significantly worse than the best") == 1
    assert "On the two sets with random negatives and the two easy sets with edit-distance negatives" in text
    assert "and on two significantly better than every other model;" in text


def test_what_is_close_to_guessing():
    text = said(found_of({HARD: ({"good": 0.53, "fair": 0.52, "edit": 0.51}, [])}))
    assert "the best accuracy is 0.53, where guessing gives 0.50." in text
    two = found_of(
        {HARD: ({"good": 0.53, "fair": 0.52}, []), HARD.replace("fsn", "syn"): ({"good": 0.8, "fair": 0.7}, [])}
    )
    assert "0.53 to 0.80, on one of them close to the 0.50 of guessing." in said(two)
    assert "guessing" not in said(found_of({HUMAN: ({"good": 0.53, "fair": 0.52}, [])}))


def test_guessing_is_what_the_pairs_give():
    text = said(found_of({HARD: ({"good": 0.63, "fair": 0.6}, [])}, guessing=0.625))
    assert "the best accuracy is 0.63, where guessing gives 0.62." in text
    assert "guessing" not in said(found_of({HARD: ({"good": 0.63, "fair": 0.6}, [])}, guessing=0.5))
    assert "guessing" not in said(found_of({HARD: ({"good": 0.51, "fair": 0.5}, [])}, guessing=None))
    own = said(found_of({"own/binary": ({"good": 0.8, "fair": 0.8}, [])}, guessing=0.8))
    assert "where guessing gives 0.80" in own


@pytest.mark.parametrize("options", [{"n": 8}, {"detectable": Detectable(math.inf, 100, 0.05, 0.8)}])
def test_no_size_and_no_power_takes_a_difference_away(options):
    values = {"good": 1.0, "fair": 0.8, "edit": 0.7}
    text = said(found_of({EASY: (values, ALL_BEATEN)}, **options))
    assert text == said(found_of({EASY: (values, ALL_BEATEN)}))
    assert "On the easy set with edit-distance negatives, **good** is significantly better" in text
    assert "Every model is significantly better than the baseline **edit** (edit distance)." in text
    text = said(found_of({EASY: (values, [])}, **options))
    assert "no difference between the models is significant" in text
    assert "too small" not in text
    assert "accuracy is 1.00" in said(found_of({EASY: ({"good": 1.0}, [])}, n=8))


def test_baselines_that_do_as_well_are_named():
    known = {**MODELS, "vectors": ModelRecord(kind="words", scheme="baseline:random")}
    sets, top = {}, [("good", "fair"), ("good", "edit"), ("good", "vectors")]
    values = {"good": 0.9, "fair": 0.89, "edit": 0.88, "vectors": 0.87}
    for kind, beats in (("fsn-syn", top), ("syn-syn", []), ("same-as", top)):
        sets[f"hp/{kind}/easy/random"] = (values, beats)
    sets["hp/replaced-by/easy/random"] = ({**values, "fair": 0.99}, [("fair", "good"), ("fair", "edit")])
    text = said(found_of(sets, known))
    assert "**good** is the best or not significantly worse on three of them, **fair** on two" in text
    assert "**fair** on two; the baseline **vectors** does as well;" in text
    share = [("good", "fair")]
    text = said(found_of({RANDOM: (values, share)}, known))
    assert "**good**, **edit** (a baseline) and **vectors** (a baseline) share the top" in text
    many = {**{f"m{at}": ModelRecord(kind="terms", scheme="onnx") for at in range(8)}, **known}
    values = {name: 0.9 - at / 100 for at, name in enumerate(many)}
    text = said(found_of({RANDOM: (values, [("m0", "good")])}, many))
    assert "**m3**, **edit** (a baseline), **vectors** (a baseline) and five others share the top" in text


def test_a_model_that_scores_too_few_pairs_takes_no_part():
    sets = {EASY: ({"good": 0.9, "fair": 0.8, "edit": 0.7}, [("good", "edit")])}
    text = said(found_of(sets, coverage={"fair": 0.1}, apart=["fair"]))
    assert "**fair** 10 % of a set; models are compared on the pairs that all of them can score, but " in text
    assert "but **fair** takes no part on one set, of which it scores too few pairs." in text
    about = scored_pairs_section(found_of(sets, coverage={"fair": 0.1}, apart=["fair"]), {}).blocks[0].paragraphs[0]
    assert about.endswith("Here fair does not score all pairs, and **fair** takes no part on one set.")


def test_only_graded_and_only_binary():
    graded = said(found_of({HUMAN: ({"good": 0.6, "fair": 0.3}, [("good", "fair")])}))
    assert "On the set rated by people, **good** is significantly better" in graded
    assert "Spearman's rho is 0.60" in graded
    assert "accuracy" not in graded
    assert "rated" not in said(found_of({EASY: ({"good": 0.9, "fair": 0.8}, [])}))


def test_one_model():
    text = said(found_of({HUMAN: ({"good": 0.6}, []), HARD: ({"good": 0.52}, [])}), pairs={HUMAN: 500, HARD: 1500})
    assert (
        "One model, **good**, was measured on two sets of 2,000 pairs: one built from hp and one rated by people."
        in text
    )
    assert "On the set rated by people its Spearman's rho is 0.60." in text
    assert "its accuracy is 0.52, where guessing gives 0.50." in text
    for word in ("compared", "significant", "baseline"):
        assert word not in text


def test_sets_of_other_origin_are_called_other_only_beside_built_ones():
    text = said(found_of({"own/binary": ({"good": 0.6}, [])}))
    assert text == "One model, **good**, was measured on one set. On the labelled set its accuracy is 0.60."
    both = said(found_of({"own/binary": ({"good": 0.6}, []), HARD: ({"good": 0.52}, [])}))
    assert "one built from hp and one of other origin" in both
    assert "On the other labelled set its accuracy is 0.60." in both


def test_one_model_without_values():
    assert "It has no value on any of them" in said(found_of({HARD: ({"good": None}, [])}))


def test_no_shared_pairs():
    text = said(found_of({HARD: ({"good": None, "fair": None}, [])}, coverage={"good": 0.4, "fair": 0.5}))
    assert "Not every model can score every pair: **good** 40 % and **fair** 50 % of a set" in text
    assert "on no set can enough pairs be scored by all of them to compare them." in text
    assert "significant" not in text


def test_some_sets_without_shared_pairs():
    sets = {HARD: ({"good": None, "fair": None}, []), EASY: ({"good": 0.9, "fair": 0.8}, [])}
    text = said(found_of(sets, coverage={"fair": 0.5}))
    assert "**fair** 50 % of a set; on one set too few pairs can be scored by all of them" in text


def test_values_without_a_comparison():
    text = said(found_of({HARD: ({"good": 0.9, "fair": 0.7}, [])}, uncompared=[HARD]))
    assert "The models were not compared on one set; the reasons are given below." in text
    assert "significant" not in text
    assert "better" not in text


def beating(wins, sets=3, models=("good", "fair"), baselines=("edit", "vectors")):
    """Return what is said of baselines, where each model beats each baseline on so many of the sets."""
    known = {name: ModelRecord(kind="words", scheme="word2vec") for name in models}
    known |= {name: ModelRecord(kind="terms", scheme="baseline:levenshtein") for name in baselines}
    values = {name: 0.9 - place / 100 for place, name in enumerate(known)}
    made = {
        f"hp/{kind}/easy/random": (values, [pair for pair, times in wins.items() if times > place])
        for place, kind in enumerate(["fsn-syn", "syn-syn", "same-as"][:sets])
    }
    (sentence,) = (
        each for each in summary(found_of(made, known)) if "than the baseline" in each or "every baseline" in each
    )
    return sentence.replace("**", "").replace(" (edit distance)", "")


def test_baselines():
    always = {(model, baseline): 3 for model in ("good", "fair") for baseline in ("edit", "vectors")}
    assert beating(always) == "Every model is significantly better than every baseline on every set."
    assert beating({}) == "No model is significantly better than every baseline on any set."
    assert beating({}, sets=1) == "No model is significantly better than every baseline."
    assert (
        beating({("good", "edit"): 2, ("good", "vectors"): 3, ("fair", "vectors"): 3})
        == "Only good is significantly better than every baseline anywhere, on two of three sets; edit is the hardest "
        "to beat."
    )
    assert (
        beating({**always, ("fair", "edit"): 1})
        == "good is significantly better than every baseline on all three sets and fair on one; edit is the hardest to "
        "beat."
    )
    assert (
        beating({("good", "edit"): 1, ("good", "vectors"): 1}, sets=1)
        == "Only good is significantly better than every baseline."
    )
    many = [f"m{place}" for place in range(6)]
    wins = {("m0", "edit"): 3, ("m3", "edit"): 2, ("m5", "edit"): 1}
    assert (
        beating(wins, models=many, baselines=("edit",))
        == "m0 is significantly better than the baseline edit on all three sets, m3 on two, m5 on one and three others "
        "on none."
    )


def test_only_baselines_say_nothing_of_baselines():
    known = {name: ModelRecord(kind="terms", scheme="baseline:random") for name in MODELS}
    text = said(found_of({EASY: ({"good": 0.9, "edit": 0.8}, [("good", "edit")])}, known))
    assert "every baseline" not in text
    assert "of them" not in text.split(".")[0]


def test_failures_and_hostile_names():
    known = {"a**b`c": ModelRecord(kind="terms", scheme="x"), "<script>": ModelRecord(kind="terms", scheme="x")}
    found = found_of({EASY: ({"a**b`c": 0.9, "<script>": 0.8}, [("a**b`c", "<script>")])}, known)
    text = said(found, failures={"lost": "no file", "<script>": "out of memory"})
    assert "**lost** was left out and **<script>** did not finish every step; the reasons are given below." in text
    assert text.count("**") % 2 == 0
    assert "`" not in text
    assert "**a∗∗b′c** is significantly better" in text


def test_nothing_was_measured():
    assert "Nothing was measured" in summary(found_of({}))[0]


def test_many_of_everything_stay_within_seven_sentences():
    known = {f"m{place}": ModelRecord(kind="terms", scheme="onnx") for place in range(20)} | {"edit": MODELS["edit"]}
    values = {name: 0.9 - place / 100 for place, name in enumerate(known)}
    sets = {}
    for place, name in enumerate((RANDOM, EASY, HARD, HUMAN, "own/binary")):
        sets[name] = (values, [("m0", f"m{other}") for other in range(1, 3 + place)])
    sets["hp/same-as/easy/random"] = (dict.fromkeys(values), [])
    text = said(found_of(sets, known, coverage=dict.fromkeys(known, 0.5)), failures={"x": "y"})
    assert "and 18 other models less than 90 % of a set" in text
    assert "**x** was left out; the reasons are given below." in text


@pytest.mark.parametrize("count", [2, 3])
def test_counts_of_models(count):
    values = dict.fromkeys(list(MODELS)[:count], 0.5)
    text = said(found_of({EASY: (values, [])}))
    assert text.startswith(
        "Two models were" if count == 2 else "Three models, one of them a baseline that knows no medicine,"
    )
