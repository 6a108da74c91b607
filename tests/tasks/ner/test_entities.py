import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from termgauge.tasks.ner.tags import EntityScore, codes_of, count_entities
from tests.tasks.ner.sequences import doubled, entities


def counted(gold, predicted):
    """Return what the package counts in sentences of tags."""
    numbers = {
        tag: number for number, tag in enumerate(dict.fromkeys(tag for part in (*gold, *predicted) for tag in part))
    }
    flat = [np.array([numbers[tag] for part in each for tag in part], np.int32) for each in (gold, predicted)]
    return count_entities(*flat, np.cumsum([0, *map(len, gold)]), codes_of(numbers))


def columns(sentences):
    return tuple([[both[column] for both in sentence] for sentence in sentences] for column in (0, 1))


@given(doubled("BIES"))
def test_counts_are_those_of_the_definition(sentences):
    gold, predicted = columns(sentences)
    counts = counted(gold, predicted)
    for at, (one, other) in enumerate(zip(map(entities, gold), map(entities, predicted), strict=True)):
        for number, name in enumerate(counts.types):
            right, found, there = (
                [each for each in some if each[0] == name] for some in (set(one) & set(other), other, one)
            )
            assert counts.table[at, number].tolist() == [len(right), len(found), len(there)]


def values(score):
    return tuple(dict(score).values())


@pytest.mark.parametrize("letters", ["BI", "BIES"])
def test_scores_are_those_of_seqeval(letters):
    metrics = pytest.importorskip("seqeval.metrics")

    @given(doubled(letters))
    def compared(sentences):
        gold, predicted = columns(sentences)
        scores = counted(gold, predicted).scores()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            overall = [metrics.precision_score(gold, predicted), metrics.recall_score(gold, predicted)]
            report = metrics.classification_report(gold, predicted, output_dict=True, zero_division=0)
            overall.append(metrics.f1_score(gold, predicted))
        assert values(scores.overall)[:3] == pytest.approx(overall)
        for name, score in scores.per_type.items():
            if name in report:  # seqeval has no line for a type that is only predicted in no entity
                theirs = report[name]
                assert values(score)[:3] == pytest.approx((theirs["precision"], theirs["recall"], theirs["f1-score"]))
                assert score.gold == theirs["support"]

    compared()


@given(doubled("BIES"))
def test_what_must_hold(sentences):
    gold, predicted = columns(sentences)
    counts, other_way = counted(gold, predicted), counted(predicted, gold)
    assert (counts.table[..., :1] <= counts.table[..., 1:]).all()
    one, other = counts.scores().overall, other_way.scores().overall
    assert (one.precision, one.recall, one.f) == (other.recall, other.precision, other.f)
    sums = counts.of_sentences().sum(axis=0).tolist()
    assert EntityScore.from_counts(*sums) == one
    perfect = counted(gold, gold).scores().overall
    assert perfect.f == (1.0 if perfect.gold else 0.0)


@given(st.integers(0, 20), st.integers(0, 20), st.integers(0, 20))
def test_f_is_the_harmonic_mean(correct, more_predicted, more_gold):
    score = EntityScore.from_counts(correct, correct + more_predicted, correct + more_gold)
    both = score.precision + score.recall
    assert score.f == pytest.approx(2 * score.precision * score.recall / both if both else 0.0)


def test_the_oracle(shared):
    if shared is None:
        pytest.skip("needs the shared data")
    blocks = (shared / "data" / "ner" / "sample_jnlpba_iob.tsv").read_text(encoding="utf-8").strip().split("\n\n")
    rows = [[line.split() for line in block.split("\n")] for block in blocks]
    counts = counted([[row[1] for row in each] for each in rows], [[row[2] for row in each] for each in rows])
    overall, per_type = counts.scores()
    assert [round(each, 6) for each in values(overall)[:3]] == [0.544591, 0.808026, 0.650655]
    assert values(overall)[3:] == (745, 1368, 922)
    assert {name: values(score)[3:] for name, score in per_type.items()} == {
        "DNA": (249, 401, 314),
        "RNA": (16, 103, 20),
        "cell_line": (94, 221, 117),
        "cell_type": (90, 194, 113),
        "protein": (296, 449, 358),
    }
