from __future__ import annotations

import json
import re
import shutil
import warnings

import numpy as np
import polars as pl
import pytest

from termgauge.benchmark.pairset import PairSet
from termgauge.engine.evaluate import evaluate
from termgauge.engine.report import TITLE, run_document
from termgauge.engine.run_folder import RunFolder
from termgauge.exceptions import TermgaugeError, TermgaugeWarning
from termgauge.io.store import without_checksum
from termgauge.reporting.blocks import Prose, Table
from termgauge.tasks.pairs.sections.roc import share_found
from termgauge.tasks.pairs.task import TASK as PAIRS
from tests.engine.toy_models import ToyPairs, ToyTerms, ToyWords, binary_set, graded_set
from tests.tasks.pairs.sections.drawn import check_drawing

KINDS = (
    "hp/fsn-syn/easy/random",
    "hp/fsn-syn/hard/random",
    "hp/fsn-syn/easy/levenshtein",
    "hp/fsn-syn/hard/levenshtein",
)


ONE_PAIR = PairSet("one pair", pl.DataFrame({"term_1": ["a"], "term_2": ["b"], "label": [1]}))


def scored(pairs, models, path, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return evaluate(pairs, models, path, **options)


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    sets = [binary_set(name, size=80, seed=place) for place, name in enumerate(KINDS)]
    sets += [graded_set("human/umnsrs-sim", size=80), graded_set("ours", size=60)]
    words = ToyWords(words=ToyWords().words[:-2])
    return scored(sets, [words, ToyTerms(), ToyPairs()], tmp_path_factory.mktemp("report") / "run")


@pytest.fixture(scope="module")
def document(run):
    return run_document(run)


def text_of(document):
    parts = [document.headline, *document.summary, *map(str, document.facts)]
    for section in document.sections:
        parts += [section.title, section.about]
        for block in section.blocks:
            if isinstance(block, Prose):
                parts += block.paragraphs
            elif isinstance(block, Table):
                parts += [block.caption, *block.notes, *(cell.text for row in block.rows for cell in row)]
            else:
                parts += [block.caption, block.description]
    return "\n".join(parts)


def missing_of(document):
    return [
        sentence
        for section in document.sections
        if section.id == "failures"
        for block in section.blocks
        if isinstance(block, Prose)
        for sentence in block.paragraphs
    ]


def test_a_plain_run_has_all_sections(document):
    assert document.title == TITLE
    assert document.headline == "own and encoder cannot be told apart."
    assert [section.id for section in document.sections if section.level == 2] == [
        "verdict", "heatmap", "errors", "numbers"
    ]  # fmt: skip
    *_, numbers = document.chapters
    parts = [section.id for section in numbers]
    assert parts[:3] == ["numbers", "verdict-2", "group-means"]
    assert {"groups", "scores", "sets", "pairs", "measures"} < set(parts)
    assert parts[-1] == "making"
    assert [section.id for section in document.sections if section.folded] == ["errors", "numbers"]
    assert missing_of(document) == []


def test_the_verdict_is_above_all(run, document):
    joint = PAIRS.load(run.scored(), "").main_comparison()
    assert joint.verdict.startswith(document.headline.removesuffix("."))
    (evidence,) = document.summary
    assert evidence.startswith("own has the highest value: mean rho .01 [")
    assert evidence in joint.verdict
    ranking, limits = document.sections[0].blocks
    assert [row[0].text for row in ranking.rows] == ["own", "encoder", "words"]
    (left,) = limits.paragraphs
    assert left.startswith("words scores 49 % of the pairs; models are ranked on the pairs that all of them score, ")
    assert left.endswith("leaving out words. 4 sets, too small or of another kind, do not count.")
    assert sum(table.caption == ranking.caption for table in document.tables()) == 1
    assert list(map(str, document.facts)) == ["3 models", "2 sets, 140 pairs"]


def test_ids_are_unique_and_plain(document):
    ids = [block.id for block in document.blocks() if not isinstance(block, Prose)]
    assert len(set(ids)) == len(ids)
    assert all(re.fullmatch(r"[A-Za-z0-9-]+", name) for name in ids)
    assert len({section.id for section in document.sections}) == len(document.sections)


def test_all_figures_draw(document):
    for figure in document.figures():
        check_drawing(figure)
        assert figure.data.height


def test_values_are_those_of_the_results(run, document):
    results = run.results()
    seen = 0
    for table in document.tables():
        if table.data is None or not {"set", "statistic", "value", "low", "high"} <= set(table.data.columns):
            continue
        keys = ["model", "set", "measure", "statistic", "subset"]
        joined = table.data.join(results, on=keys, how="left", suffix="_there")
        for name in ("value", "low", "high", "n"):
            assert joined[name].equals(joined[f"{name}_there"].alias(name))
        seen += table.data.height
    assert seen > 20


def test_pictures_are_of_the_pairs_that_all_can_score(run, document):
    figures = {figure.id: figure for figure in document.figures()}
    name = KINDS[2]
    pairs = run.scored().read_set(name)
    scores = {model: run.scored().scores(model, name) for model in ("words", "encoder", "own")}
    usable = ~np.isnan(scores["words"]["avg_cos"])
    assert 10 < usable.sum() < len(pairs)
    labels = pairs.frame["label"].to_numpy()[usable] == 1
    own = scores["encoder"]["cos"][usable]
    curve = figures["roc-names-vs-synonyms"].data.filter(set=name, model="encoder")
    assert curve["true_positives"].to_list() == share_found(own, labels)


def test_a_second_report_says_the_same(run, document):
    assert text_of(run_document(run.path)) == text_of(document)


def test_it_is_tested_as_the_run_says(run, tmp_path):
    copy = RunFolder(copied(run, tmp_path))
    copy.write(copy.record().model_copy(update={"alpha": 0.2, "correction": "none"}))
    text = text_of(run_document(copy))
    assert "alpha 0.2" in text
    assert "without correction" in text


@pytest.mark.parametrize(
    ("sets", "models"),
    [
        ([graded_set()], [ToyTerms()]),
        ([binary_set()], [ToyTerms()]),
        ([graded_set()], [ToyTerms(), ToyPairs()]),
        ([binary_set("hp/fsn-syn/easy/random")], [ToyTerms(), ToyPairs()]),
        ([binary_set()], [ToyPairs("flat", tuple([1.0] * 40)), ToyTerms()]),
        ([binary_set(), graded_set()], [ToyPairs("one", tuple([np.nan] * 20 + [1.0] * 20)),
                                        ToyPairs("two", tuple([1.0] * 20 + [np.nan] * 20))]),
        ([ONE_PAIR], [ToyTerms(), ToyPairs()]),
    ],
    ids=["one-graded", "one-binary", "two-graded", "two-binary", "constant", "nothing-shared", "one-pair"],
)  # fmt: skip
def test_small_runs(tmp_path, sets, models):
    document = run_document(scored(sets, models, tmp_path / "run"))
    assert len(document.summary) == bool(document.headline)
    for figure in document.figures():
        check_drawing(figure)


def test_hostile_names(tmp_path):
    names = ["<script>alert(1)</script>", "a**b`c\\{", "x" * 200, "datum['q'].z"]
    generator = np.random.default_rng(0)
    models = [ToyPairs(name, tuple(generator.normal(size=40))) for name in names]
    sets = [
        binary_set("<b>/fsn-syn/easy/random"),
        graded_set("human/\"'&"),
        binary_set("../../x"),
        binary_set("..-..-x"),
    ]
    document = run_document(scored(sets, models, tmp_path / "run"))
    ids = [block.id for block in document.blocks() if not isinstance(block, Prose)]
    assert len(set(ids)) == len(ids)
    assert all(re.fullmatch(r"[A-Za-z0-9-]+", name) for name in ids)
    for figure in document.figures():
        check_drawing(figure)


def test_what_a_runner_adds(run, tmp_path):
    path = copied(run, tmp_path)
    about = json.loads(without_checksum((path / "run.json").read_bytes()))
    about |= {
        "title": "Ours",
        "command": "termgauge run ours.toml",
        "correction": "holm",
        "significance": {"alpha": 0.05, "correction": "holm", "measure": "best", "statistic": "auc"},
        "failures": {"lost": {"step": "score", "reason": "The disk is full."}},
        "left_out": ["lost: The disk is full.", "Other=glove:/x/y.txt: there is no such file."],
        "section_failures": {"categories x": "There is no concept X."},
        "timings": {"Score": 3.21},
    }
    (path / "run.json").write_text(json.dumps(about))
    (path / "experiment.toml").write_text("title = 'Ours'\n")
    document = run_document(path)
    assert document.title == "Ours"
    text = text_of(document)
    for part in ("termgauge run ours.toml", "The disk is full.", "there is no such file", "There is no concept X",
                 "title = 'Ours'", "Holm", "**lost** could not be measured", "Left out: Other=glove:/x/y.txt",
                 "Area under the ROC curve"):  # fmt: skip
        assert part in text, part
    assert "/x/y.txt" not in " ".join(document.summary)
    assert text.count("The disk is full.") == 1


def copied(run, tmp_path):
    shutil.copytree(run.path, tmp_path / "copy")
    return tmp_path / "copy"


@pytest.mark.filterwarnings("ignore:.* cannot be shown")
def test_damaged_parts_cost_their_section(run, tmp_path):
    path = copied(run, tmp_path)
    about = json.loads(without_checksum((path / "run.json").read_bytes()))
    about["tasks"] = {part: ["bad", "other", "gone"] for part in ("categories", "coverage", "analogies")}
    (path / "run.json").write_text(json.dumps(about))
    for part in about["tasks"]:
        (path / part).mkdir()
        (path / part / "bad.json").write_text("{")
        (path / part / "other.json").write_text('{"models": 3}')
    (path / "vocabulary.json").write_text("[]")
    shutil.rmtree(path / "comparisons", ignore_errors=True)  # else what was compared before is known still
    for file in (path / "scores" / "words").glob("*hard__random*"):
        file.write_bytes(b"x")
    for file in (path / "sets").glob("ours*"):
        file.unlink()
    document = run_document(path)
    ids = [section.id for section in document.sections]
    for name in ("heatmap", "groups", "scores", "pairs", "measures", "making", "failures"):
        assert name in ids
    missing = " ".join(missing_of(document))
    assert "gone" not in missing
    assert "https:" not in missing
    assert re.search(
        r"coverage other cannot be shown: .*other.json: cannot be read \('domain': Field required\)", missing
    )
    for part in ("categories/bad.json", "coverage/other.json", "analogies/bad.json", "vocabulary.json", "hard, random"):
        assert part in missing, part
    for figure in document.figures():
        check_drawing(figure)


def test_categories_of_a_run(run, tmp_path):
    path = copied(run, tmp_path)
    (path / "categories").mkdir()
    value = {
        "overlap": 0.2,
        "low": 0.1,
        "high": 0.3,
        "sizes": [3, 3, 3],
        "means": dict.fromkeys(["AB", "AC", "AA", "BB", "CC"], 0.5),
        "triples": 27,
        "undefined_triples": 0,
    }
    category = {"name": "x", "terms": 3, "concepts": 3}
    one = {
        "name": "procedures",
        "categories": dict.fromkeys("ABC", category),
        "shared_terms": 0,
        "models": {"m": {"cos": value}},
    }
    (path / "categories" / "procedures.json").write_text(json.dumps(one))
    about = json.loads(without_checksum((path / "run.json").read_bytes()))
    (path / "run.json").write_text(json.dumps(about | {"tasks": {"categories": ["procedures"]}}))
    document = run_document(path)
    assert "Categories kept apart: procedures" in [section.title for section in document.sections]
    assert missing_of(document) == []


def test_without_results_the_report_says_so(tmp_path):
    with pytest.raises(TermgaugeError, match="no run folder"):
        run_document(tmp_path)
    (tmp_path / "run.json").write_text('{"layout": 1, "sets": {"x": {"sha256": "0", "pairs": 1}}, "models": {}}')
    with pytest.warns(TermgaugeWarning, match="scoring cannot be shown: .* holds no results"):
        document = run_document(tmp_path)
    assert document.summary == ("Nothing was measured.",)
    assert "holds no results" in missing_of(document)[0]


@pytest.mark.parametrize("part", ["task.PairTask.cited", "result.PairsResult.main_comparison"])
def test_a_defect_in_a_part_costs_that_alone(run, monkeypatch, part):
    def broken(*_given):
        raise ZeroDivisionError("x")

    monkeypatch.setattr(f"termgauge.tasks.pairs.{part}", broken)
    with pytest.warns(TermgaugeWarning, match="scoring cannot be shown: .* defect of termgauge"):
        document = run_document(run)
    assert "groups" in [section.id for section in document.sections]


def test_a_defect_in_one_section_costs_that_section(run, monkeypatch):
    def broken(*_given):
        raise ZeroDivisionError("x")

    monkeypatch.setattr("termgauge.tasks.vocabulary.task.VocabularyTask.sections", broken)
    (run.path / "vocabulary.json").write_text('{"models": [], "overlap": [], "average_overlap": []}')
    with pytest.warns(TermgaugeWarning, match="vocabulary cannot be shown"):
        document = run_document(run)
    (run.path / "vocabulary.json").unlink()
    assert "or this is a defect of termgauge (ZeroDivisionError: x, in " in missing_of(document)[0]
    assert "groups" in [section.id for section in document.sections]
