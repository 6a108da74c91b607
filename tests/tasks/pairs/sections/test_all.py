from __future__ import annotations

import shutil

import pytest

from termgauge.engine.evaluate import evaluate
from termgauge.engine.run_folder import RunFolder
from termgauge.exceptions import TermgaugeWarning
from termgauge.tasks.pairs.sections.errors import pair_sections
from termgauge.tasks.pairs.task import TASK
from tests.engine.toy_models import ToyPairs, ToyTerms, ToyWords, binary_set, graded_set

HARD = "hp/fsn-syn/hard/random"


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    models = [ToyWords(words=ToyWords().words[:-2]), ToyTerms(), ToyPairs()]
    sets = [binary_set(HARD, size=80), graded_set("human/umnsrs-sim", size=80)]
    return evaluate(sets, models, tmp_path_factory.mktemp("all") / "run")


def sections(folder):
    return {section.id: section for section in pair_sections(TASK.load(folder.scored(), ""))}


def test_sections_in_order(run):
    made = sections(run)
    wanted = ["verdict", "heatmap", "groups", "scores", "sets", "pairs", "measures", "errors"]
    assert [name for name in made if not name.startswith("group-")] == wanted


def test_errors_that_most_models_make(run):
    tables = {block.id: block for block in sections(run)["errors"].blocks if hasattr(block, "rows")}
    assert any(name.startswith("errors-of-most") for name in tables)


def test_a_model_that_scores_few_pairs_takes_none_from_the_pictures(tmp_path):
    few = ToyWords("few", words=ToyWords().words[:2])
    pairs = binary_set(HARD, size=80)
    alone = evaluate([pairs], [ToyTerms(), ToyPairs()], tmp_path / "alone")
    with pytest.warns(TermgaugeWarning, match="take no part in the shared pairs: few"):
        beside = evaluate([pairs], [few, ToyTerms(), ToyPairs()], tmp_path / "beside")
    pictured = []
    for each in (alone, beside):
        made = sections(each)
        frame = made["scores"].blocks[1].data
        assert "few" not in frame["model"].to_list()
        pictured.append(frame.sort("model", "false_positives").rows())
        errors = [block for block in made["errors"].blocks if hasattr(block, "rows")]
        assert not any(cell.text == "few" for table in errors for row in table.rows for cell in row)
    assert pictured[0] == pictured[1]


def test_scores_that_cannot_be_read_cost_their_picture(run, tmp_path):
    shutil.copytree(run.path, tmp_path / "copy")
    copy = RunFolder(tmp_path / "copy")
    sections(copy)  # compared once, and kept
    copy.scored().scores_file("own", HARD).write_bytes(b"x")
    with pytest.warns(TermgaugeWarning, match="The (scores|errors) on “Names vs synonyms, hard, .* cannot be shown"):
        made = sections(copy)
    assert "scores" not in made
    assert "groups" in made
