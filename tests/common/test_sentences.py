"""Sentences that are made from parts read as English, whether they are about none, one, two or many."""

from __future__ import annotations

import re
from html import unescape

import numpy as np
import polars as pl
import pytest

import termgauge as tg
from termgauge.benchmark.pairset import PairSet
from termgauge.reporting.words import counted, listed, named, some_of
from termgauge.tasks.linking.result import Group
from tests.domain.tables import Words
from tests.tasks.linking.samples import model, terminology

COUNTS = 0, 1, 2, 13
NOUNS = "pair|model|set|rater|queries|concept|term|seed|word|group|name|row|line|relation|mention|sentence|token|rating"
WRONG = (
    re.compile(r"\b(?:One|one|(?<![\d.,])1) (?!of\b)[a-z -]{1,40}\b(?:are|were|have|do)\b"),
    re.compile(rf"(?<![\d.,%])\b(?:One|one|1) (?:{NOUNS})s?\b(?<=s)"),
    re.compile(r"\b(?:One|one|(?<![\d.,])1) of [\w ,]{1,30}s (?:are|were|have)\b"),
    re.compile(r"pairs of pairs"),
    re.compile(r"(?<=[a-z] )([\w-]+(?:, [\w -]+)?) and \1(?=[ .,;:])"),
    re.compile(r"'over ([\d.,]+) to \1'"),
)


def words_of(result):
    """Return the text that a notebook shows of a result, without pictures and style."""
    text = re.sub(r"<(style|svg)\b.*?</\1>", " ", result._repr_html_(), flags=re.DOTALL)
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", text.replace("</t", " | </t"))).split())


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        (lambda n: counted(n, "pair"), ["no pairs", "one pair", "two pairs"]),
        (lambda n: some_of(n, 4, "rater"), ["none of four raters", "one of four raters", "two of four raters"]),
        (lambda n: some_of(n, max(n, 1), "rater"), ["none of one rater", "the one rater", "both raters"]),
        (lambda n: named(["m"] * (4 + n)), [
            "**m**, **m**, **m** and **m**", "**m**, **m**, **m**, **m** and one other",
            "**m**, **m**, **m**, **m** and two others"]),
        (lambda n: listed(["a"] + ["b"] * n), ["a", "a and b", "a, b and b"]),
    ],
)  # fmt: skip
def test_parts_agree_with_their_number(said, expected):
    assert [said(n) for n in (0, 1, 2)] == expected


def test_groups_that_are_not_shown():
    found = tg.linking(terminology(), model(), device="cpu", baselines=False)

    def group(title, queries):
        return Group(title=title, queries=queries, accuracy={"words": 0.5}, intervals={"words": (0.1, 0.9)})

    texts = []
    for more in COUNTS:
        small = [group(f"small {at}", 2) for at in range(more)]
        texts.append(words_of(found.model_copy(update={"groups": {"tag": [group("large", 50), *small]}})))
    assert [re.findall(r"Small groups that are not shown: (\d+)\.", text) for text in texts] == [
        [],
        ["1"],
        ["2"],
        ["13"],
    ]


@pytest.mark.parametrize(
    ("gone", "raters", "said"),
    [
        (0, 6, "Nobody is left out"),
        (1, 6, "One of six raters is left out"),
        (2, 6, "Two of six raters are left out"),
        (2, 2, "Both raters are left out"),
        (1, 1, "The one rater is left out"),
        (13, 40, "13 of 40 raters are left out"),
        (40, 40, "All 40 raters are left out"),
    ],
)
def test_raters_who_are_left_out(tmp_path, gone, raters, said):
    (tmp_path / "ratings.tsv").write_text("".join(f"a{at}\tb{at}\t{at % 5}\t{at % 4}\n" for at in range(12)))
    found = tg.agreement(tmp_path / "ratings.tsv", resamples=0, rule="others")
    changed = found.model_copy(update={"left_out": {f"r{at}": 0.1 for at in range(gone)}, "raters": raters})
    assert f"{said}: " in words_of(changed)


def partial_run(folder, names):
    """Score models that know all words, and one that knows hardly any, except in the sets that are known."""
    rows = range(40)
    frame = {"term_1": [f"w{at}" for at in rows], "term_2": [f"v{at}" for at in rows], "label": [at % 2 for at in rows]}
    known = [f"{letter}{at}" for letter in "wv" for at in rows]
    vectors = np.random.default_rng(3).normal(size=(len(known), 4))
    few = [0, 1, 2, 40, 41, 42]
    models = [Words(known, vectors, name="all"), Words([known[at] for at in few], vectors[few], name="few")]
    models.append(Words(known, vectors[::-1].copy(), name="other"))
    whole = pl.DataFrame(frame)
    sets = [PairSet(name, whole.head(3) if name in KNOWN else whole) for name in names]
    return tg.evaluate(sets, models, folder / "run")


BUILT = "hp-1/fsn-syn/easy/levenshtein", "hp-1/syn-syn/easy/levenshtein", "hp-1/syn-syn/hard/levenshtein"
KNOWN = "known", BUILT[2]
EASY = ", easy, edit-distance negatives"


@pytest.mark.filterwarnings("ignore::termgauge.exceptions.TermgaugeWarning")
@pytest.mark.parametrize(
    ("names", "said"),
    [
        (["pairs"], "scores too few pairs of the set “pairs” to be compared"),
        (["pairs", "known"], "scores too few pairs of the set “pairs” to be compared"),
        (["pairs", "others", "known"], "scores too few pairs of the sets “pairs” and “others” to be compared"),
        (["pairs", "others"], "scores too few pairs of all of these sets to be compared"),
        (BUILT[:1], f"scores too few pairs of the set “Names vs synonyms{EASY}” to be compared"),
        (BUILT, f"scores too few pairs of the sets “Names vs synonyms{EASY}” and “Synonyms vs synonyms{EASY}” to be"),
    ],
)  # fmt: skip
def test_sets_of_which_a_model_scores_too_few_pairs(tmp_path, names, said):
    run = partial_run(tmp_path, names)
    files = tg.report(run, out=tmp_path / "report", formats=["markdown", "latex"])
    text = " ".join(" ".join(file.read_text("utf-8").split()) for file in files if file.suffix in (".md", ".tex"))
    assert said in text
    assert [pattern.pattern for pattern in WRONG if pattern.search(text)] == []


@pytest.mark.filterwarnings("ignore::termgauge.exceptions.TermgaugeWarning")
def test_tertiles_whose_limits_are_equal_make_two_bands(tmp_path):
    run = partial_run(tmp_path, ["mine"])
    rows = "".join(f"w{at}\tv{at}\t{2 if at < 30 else 3}\n" for at in range(40))
    (tmp_path / "depth.tsv").write_text(f"word1\tword2\tdepth\n{rows}")
    found = tg.subsets(run, property=tmp_path / "depth.tsv", column="depth")
    (divided,) = found.sets.values()
    assert [band.title for band in divided.bands] == ["up to 2", "over 2"]
    assert divided.notes == []


@pytest.mark.filterwarnings("ignore::termgauge.exceptions.TermgaugeWarning")
def test_small_results_read_as_english(tmp_path):
    one = partial_run(tmp_path, ["pairs"])
    (tmp_path / "mentions.csv").write_text("text,concept\nchill,c2\nmad,c99\n")
    (tmp_path / "ratings.tsv").write_text("".join(f"a{at}\tb{at}\t{at % 5}\t{at % 4}\n" for at in range(4)))
    results = {
        "run": one,
        "compare": tg.compare(one),
        "linking": tg.linking(terminology(), model("toy"), queries=tmp_path / "mentions.csv", device="cpu"),
        "synonyms": tg.linking(terminology(), model("toy"), index="all", k=[1], device="cpu"),
        "agreement": tg.agreement(tmp_path / "ratings.tsv", resamples=100),
        "vocabulary": tg.vocabulary(
            model("toy"), [PairSet("one", one.scored().read_set("pairs").frame.head(1))], missing=1
        ),
        "coverage": tg.coverage(terminology(), model("toy"), concepts=["c1"], k=[1]),
        "neighbours": tg.neighbours(model("toy"), "fever", 1),
        "terminology": terminology(),
        "leaderboard": tg.leaderboard([one]),
        "diff": tg.diff(one, one),
    }
    found = {name: words_of(given) + repr(given) for name, given in results.items()}
    wrong = {(name, match[0]) for name, text in found.items() for pattern in WRONG if (match := pattern.search(text))}
    assert wrong == set()
