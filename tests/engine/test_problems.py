"""What will fail is said before anything begins, all of it at once; what can be done is done."""

from __future__ import annotations

import json
import warnings

import pytest

from termgauge.embeddings import libraries
from termgauge.engine import nodes
from termgauge.engine.runner import run as run_file
from termgauge.exceptions import SkippedWarning, TermgaugeWarning
from tests.engine.small_experiment import write_experiment

pytestmark = pytest.mark.filterwarnings("ignore::termgauge.exceptions.TermgaugeWarning")

PROBLEMS = """
[[model]]
name = "gone"
spec = "word2vec:gone.txt"

[[model]]
name = "encoder"
spec = "transformers:org/name"

[[ner]]
name = "diseases"
corpus = ["corpus"]

[[subsets]]
name = "classes"
property = "words.tsv"
"""
SENTENCES = (
    "gone.txt: there is no such file or folder.",
    "transformers: needs torch; install it with: pip install 'termgauge[transformers]'.",
    "Training for named entities needs torch; install it with: pip install 'termgauge[ner]'.",
    "words.tsv, line 3: 'heart' has verb here and noun in line 2",
)


@pytest.fixture
def file(tmp_path, monkeypatch):
    """Return an experiment that lacks a file and a library, and names a table that cannot be used."""
    path = write_experiment(tmp_path / "study")
    path.write_text(path.read_text() + PROBLEMS)
    (path.parent / "words.tsv").write_text("word\tclass\nheart\tnoun\nheart\tverb\n")
    found = libraries.find_spec
    monkeypatch.setattr(libraries, "find_spec", lambda name: None if name == "torch" else found(name))
    return path


def test_a_plan_lists_all_of_them(file, run):
    status, out, err = run("run", file, "--dry-run", "--json", "--trust")
    assert status == 4
    problems = {item["name"]: item["problem"] for step in json.loads(out)["steps"] for item in step["items"]}
    for name, sentence in zip(("gone", "encoder", "diseases", "classes"), SENTENCES, strict=True):
        assert sentence in problems[name]
        assert sentence in err
    places = "'gone' (score models), 'encoder' (score models), 'diseases' (named entities) and 'classes' (subsets)"
    assert err.splitlines()[-1].startswith(f"Left out: {places}.")
    assert run("run", file, "--dry-run", "--trust", "--allow-missing")[0] == 0


def test_a_run_says_all_of_them_before_it_begins(file, monkeypatch):
    def work(_node):
        raise InterruptedError

    monkeypatch.setattr(nodes.TerminologyNode, "work", work)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always", TermgaugeWarning)
        with pytest.raises(InterruptedError):
            run_file(file, trust=True)
    said = [str(each.message) for each in said if isinstance(each.message, SkippedWarning)]
    assert len(said) == len(SENTENCES)
    assert all(sentence in text for sentence, text in zip(SENTENCES, said, strict=True))
    assert not (file.parent / "run").exists()


def test_a_run_does_what_can_be_done(file, run):
    status, out, err = run("run", file, "--json", "--trust")
    assert status == 4
    assert {row["model"] for row in json.loads(out)["results"]} == {"words", "letters", "chance"}
    said = (
        "Left out: the model 'gone', the model 'encoder', the section 'ner diseases' and the section 'subsets classes'."
    )
    assert err.splitlines()[-1].startswith(said)
    assert all(err.count(sentence) == 1 for sentence in SENTENCES)
    record = json.loads((file.parent / "run" / "run.json").read_text())
    assert {name: each["step"] for name, each in record["failures"].items()} == dict.fromkeys(
        ("gone", "encoder"), "opening"
    )
    assert list(record["section_failures"]) == ["ner diseases", "subsets classes"]
    assert record["left_out"] == [f"{name}: {each['reason']}" for name, each in record["failures"].items()]
    assert run("run", file, "--json", "--trust", "--allow-missing")[0] == 0


def test_without_sets_a_missing_model_is_counted_and_named(tmp_path, run):
    path = write_experiment(tmp_path / "study")
    text = path.read_text().replace('[[benchmark]]\nterminology = "small"\n', "")
    path.write_text(text + '\n[[model]]\nname = "gone"\nspec = "word2vec:gone.txt"\n')
    status, out, _err = run("run", path, "--dry-run", "--json")
    assert status == 4
    items = {(step["name"], each["name"]): each for step in json.loads(out)["steps"] for each in step["items"]}
    assert "there is no such file" in items["Open models", "gone"]["problem"]
    assert items["Coverage", "heart"]["what"] == "1 of 2 models to be measured"


def test_two_tables_of_a_name_have_a_domain_each(tmp_path):
    path = write_experiment(tmp_path / "study")
    path.write_text(path.read_text() + '\n[[analogies]]\nname = "heart"\nbranches = ["X:1", "X:2"]\n')
    folder = run_file(path, report=False).path
    places = {
        "coverage": folder / "domains" / "heart.json",
        "analogies": folder / "domains" / "analogies" / "heart.json",
    }
    seeds = {task: len(json.loads(place.read_text())["seeds"]) for task, place in places.items()}
    assert seeds == {"coverage": 5, "analogies": 10}
    assert json.loads((folder / "analogies" / "heart.json").read_text())["domain"]["seeds"] == 10
    path.write_text(path.read_text().partition("\n[[analogies]]")[0])
    run_file(path, report=False)
    assert not places["analogies"].exists(), "nobody asks for it any more"


def test_a_model_that_fails_in_a_step_is_named_with_it(tmp_path, run, monkeypatch):
    from termgauge.tasks.categories import result

    path = write_experiment(tmp_path / "study")

    def fail(model, *_given, **_options):
        if model.name == "letters":
            raise OSError(5, "Input/output error")
        return plain(model, *_given, **_options)

    plain = result.separations
    monkeypatch.setattr(result, "separations", fail)
    status, out, err = run("run", path, "--json")
    assert status == 4
    assert err.splitlines()[-1].startswith("Left out: the model 'letters' in categories organs.")
    assert {row["model"] for row in json.loads(out)["results"]} == {"words", "letters", "chance"}
