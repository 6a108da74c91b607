"""What is said in words: which end is harder, whether that is more than chance, and what is in no band."""

from __future__ import annotations

import pytest

from termgauge.tasks.subsets.result import BandRecord, ModelInBand, SetSubsets, SubsetsResult, TrendRecord
from termgauge.tasks.subsets.sections import outside_sentence, summary, trend_sentences


def subsets(values, trend, **more):
    bands = [
        BandRecord(low=at, high=at + 1, label=more.get("labels", [""] * len(values))[at], pairs=30,
                   models={"SG": ModelInBand(value=value, n=30)})
        for at, value in enumerate(values)
    ]  # fmt: skip
    about = {"property": "frequency", "of": "words", "outside": 0, "unknown": 0, "ordered": "labels" not in more}
    about |= {name: value for name, value in more.items() if name in (*about, "set")}
    return SetSubsets(
        **{"set": "a set", "meaning": "", "statistic": "spearman", "pairs": 100, "measures": {}, "bands": bands,
           "trends": {"SG": trend}, **about}
    )  # fmt: skip


FALLS = TrendRecord(change=-0.15, low=-0.2, high=-0.1, p_value=0.0001, adjusted_p=0.0004, significant=True)
RISES = TrendRecord(change=0.15, low=0.1, high=0.2, p_value=0.01, adjusted_p=0.02, significant=True)
OPEN = TrendRecord(change=0.15, low=-0.1, high=0.4, p_value=0.1, adjusted_p=0.2)


@pytest.mark.parametrize(
    ("found", "said"),
    [
        (subsets([0.55, 0.6, 0.7], RISES),
         "**SG** finds rare words harder: rho rises from 0.55 to 0.70 over the bands (p = 0.020)."),
        (subsets([0.7, 0.55], FALLS, property="words", of="pairs"),
         "**SG** finds long terms harder: rho falls from 0.70 to 0.55 over the bands (p < 0.001)."),
        (subsets([0.5, 0.7, 0.6], OPEN),
         "**SG**: rho goes 0.50, 0.70, 0.60 over the bands; no trend is shown (p = 0.200)."),
        (subsets([0.5, 0.5], OPEN), "**SG**: rho stays at 0.50 over the bands; no trend is shown (p = 0.200)."),
        (subsets([0.7, 0.5], FALLS, property="age"),
         "**SG** finds words with a high age harder: rho falls from 0.70 to 0.50 over the bands (p < 0.001)."),
        (subsets([0.7, None], TrendRecord()), "**SG**: too few pairs in the bands to say how rho goes over them."),
        (subsets([0.7, 0.5], FALLS, labels=["a", "b"]),
         "**SG**: rho is lowest for 'b' (0.50) and highest for 'a' (0.70); kinds differ (p < 0.001)."),
        (subsets([0.7, 0.5], OPEN, labels=["a", "b"]),
         "**SG**: rho is lowest for 'b' (0.50) and highest for 'a' (0.70); no difference is shown (p = 0.200)."),
        (subsets([0.7], TrendRecord()), "There is only one band, so that nothing can be compared."),
    ],
)  # fmt: skip
def test_trends_in_words(found, said):
    assert trend_sentences(found) == [said]


def test_pairs_in_no_band_in_words():
    none = subsets([0.5], OPEN)
    assert outside_sentence(none) == "100 of 100 pairs are in a band."
    some = subsets([0.5], OPEN, outside=30, unknown=10)
    assert outside_sentence(some) == (
        "70 of 100 pairs are in a band; of the others 10 have a word without a value and 20 have words of different "
        "bands, or outside all."
    )
    pairs = subsets([0.5], OPEN, outside=30, unknown=30, of="pairs")
    assert outside_sentence(pairs) == "70 of 100 pairs are in a band; of the others 30 have no value."


def test_the_summary_counts_sets():
    def result(*found):
        sets = {str(at): each.model_copy(update={"set": str(at)}) for at, each in enumerate(found)}
        return SubsetsResult(sets=sets, alpha=0.05, correction="bonferroni")

    rises, falls, unclear = (subsets([0.5, 0.6], trend) for trend in (RISES, FALLS, OPEN))
    assert summary(result(rises, rises, unclear)) == ("Rare words are harder than others for **SG** (on two sets).",)
    assert len(summary(result(rises, falls))) == 2
    assert summary(result(unclear)) == ("No trend over bands of frequency is shown for any model on one set.",)
    assert summary(result(unclear, unclear)) == (
        "No trend over bands of frequency is shown for any model on two sets.",
    )
    assert summary(result(subsets([0.7, 0.5], FALLS, labels=["a", "b"]))) == ()
