"""What every command does: answers on standard output, all else on standard error, and a status that says how it ended.

A command without a sample here fails; that of a task gets what the task needs and a model. One of a group is called
by both names, such as ``study new``.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from itertools import count

import numpy as np
import pytest
import typer

from termgauge import cli
from termgauge.studies.invitations import make_links
from termgauge.tasks.registry import all_tasks
from tests.samples import write_obo
from tests.studies.rated_study import rated_study

TERMS = 24
WORDS = [f"w{place}" for place in range(TERMS)]
SAMPLES = {
    "run": ["{experiment}"],
    "init": ["{tmp}/new.toml"],
    "trust": ["{experiment}"],
    "report": ["{run}"],
    "diff": ["{run}", "{other}"],
    "leaderboard": ["{run}", "{other}", "--out", "{tmp}/board.html"],
    "terminology": ["{terms}"],
    "build": ["{terms}", "--out", "{tmp}/built"],
    "sets": [],
    "export": ["{run}", "--to", "model-card", "--out", "{fresh}"],
    "cache": [],
    "words": ["{corpus}", "--out", "{tmp}/words.tsv"],
    "models": [],
    "neighbours": ["{words}", "w1"],
    "convert": ["{words}", "{tmp}/words.safetensors"],
    "agreement": ["{ratings}", "--resamples", "50"],
    "evaluate": ["-b", "{pairs}", "-m", "{words}", "-m", "baseline:levenshtein", "-o", "{tmp}/evaluated"],
    "compare": ["{run}"],
    "ner": ["--score", "{predicted}"],
    "errors": ["{run}", "--model", "words", "--set", "pairs"],
    "study new": ["{fresh}", "--pairs", "{pairs}"],
    "study invite": ["{study}", "--count", "2"],
    "study sheets": ["{study}", "--out", "{fresh}"],
    "study import": ["{study}", "{sheet}", "--replace"],
    "study status": ["{study}"],
    "study erase": ["{study}", "r1"],
    "study export": ["{study}"],
    "study results": ["{rated}"],
    "study demo": ["{fresh}", "--kind", "quality", "--raters", "3"],
    "tagger train": ["{tagged}", "--test", "{tagged}", "--out", "{tmp}/tagger.npz"],
    "tagger score": ["{tagged}"],
    "tagger tag": ["{text}"],
    "pairs": ["{sorted}", "--resource", "{related}", "--out", "{tmp}/drawn.tsv", "--per-quarter", "2"],
    "train": ["{text}", "--window", "1,2", "--dimension", "2", "--deterministic", "--out", "{tmp}/vectors"],
    "vocabulary": ["-m", "{words}", "-b", "{pairs}"],
    "categories": ["{terms}", "--close", "A", "B", "--far", "C", "-m", "{words}"],
    "coverage": ["{terms}", "--branch", "A", "-m", "{words}", "--k", "2"],
    "audit": ["{terms}", "-m", "{words}", "--out", "{tmp}/audit"],
    "analogies": ["{terms}", "--list", "{ids}", "-r", "treats", "-m", "{words}", "--k", "1"],
    "subsets": ["{run}", "--by", "edit-distance", "--bands", "0,2"],
    "prediction": ["{scores}", "--extrinsic", "f"],
    "linking": ["{terms}", "--index", "all", "-m", "{words}", "--k", "1,2"],
}
for _name, _task in all_tasks().items():
    if _task.command and _name not in SAMPLES:
        _needed = {"terminology": ["{terms}"], "sets": ["-b", "{pairs}"]}
        _words = [word for need in sorted(_task.needs, reverse=True) for word in _needed.get(need, ())]
        SAMPLES[_name] = ["{run}"] if _task.reads_run else [*_words, "-m", "{words}"]
SERVES = {"study serve"}
"""Commands that go on until they are stopped; they have tests of their own."""
WRITES_ALONE = {"init", "convert", "report"}
"""Commands that are asked for a file, and say where it is."""


@pytest.fixture(scope="module")
def places(tmp_path_factory):
    """Return what samples name: a terminology, a set, vectors, runs, a study and a sheet of it, texts."""
    folder = tmp_path_factory.mktemp("commands")
    rows = [f"c{place}\t{word}\nc{place}\tother {word}\n" for place, word in enumerate(WORDS)]
    (folder / "terms").mkdir()
    branches = "".join(f"{branch}\tthing {branch}\n" for branch in "ABC")
    (folder / "terms" / "terms.tsv").write_text(f"concept\tterm\n{branches}{''.join(rows)}")
    below = "".join(f"c{place}\tis_a\t{'ABC'[place // 8]}\n" for place in range(TERMS))
    treats = "".join(f"c{place}\ttreats\tc{place + 8}\n" for place in range(8))
    (folder / "terms" / "links.tsv").write_text(f"source\ttype\ttarget\n{below}{treats}")
    (folder / "ids.txt").write_text("".join(f"c{place}\n" for place in range(16)))
    table = np.random.default_rng(1).normal(size=(TERMS, 4))
    lines = [f"{word} {' '.join(map(str, row))}\n" for word, row in zip(WORDS, table, strict=True)]
    (folder / "words.txt").write_text(f"{TERMS} 4\n{''.join(lines)}")
    (folder / "corpus.tsv").write_text("cells\tNNS\nwent\tVBD\n" * 6)
    (folder / "pairs.tsv").write_text("".join(f"w{at}\tw{(at * 5 + 1) % TERMS}\t{at % 2}\n" for at in range(TERMS)))
    rated = "".join(f"w{at}\tw{at + 1}\t{at % 7}\t{(at + at % 2) % 7}\t{at * 3 % 7}\n" for at in range(TERMS - 1))
    (folder / "ratings.tsv").write_text(f"word1\tword2\tann\tbob\teve\n{rated}")
    sorted_words = "".join(f"{word}\tnoun\t{('biomedical', 'general')[at % 2]}\n" for at, word in enumerate(WORDS))
    (folder / "sorted.tsv").write_text(f"word\tclass\tdomain\n{sorted_words}")
    related = "".join(f"w{at}\tw{at + 2}\tlike\n" for at in range(TERMS - 2))
    (folder / "related.tsv").write_text(f"word1\tword2\trelation\n{related}")
    (folder / "text.txt").write_text("The doctor treats a patient. The nurse treats a child.\n" * 20)
    (folder / "experiment.toml").write_text(
        '[[terminology]]\nname = "toy"\nsource = "terms"\n[[benchmark]]\nterminology = "toy"\n'
        '[[coverage]]\nname = "A"\nbranches = ["A"]\nk = [2]\n'
        '[[model]]\nspec = "words.txt"\n[[model]]\nspec = "baseline:levenshtein"\n'
    )
    (folder / "predicted.tsv").write_text("no\tO\tO\nfever\tB-Sign\tB-Sign\n\n" * 5)
    (folder / "scores.csv").write_text("model,rho,f\n" + "".join(f"m{at},{at % 3},{at % 4}\n" for at in range(7)))
    (folder / "tagged.tsv").write_text("The\tDT\ncells\tNNS\ngrow\tVBP\n.\t.\n\n" * 5)
    known = {name: folder / file for name, file in {
        "terms": "terms", "ids": "ids.txt", "words": "words.txt", "pairs": "pairs.tsv", "run": "run", "other": "other",
        "experiment": "experiment.toml", "study": "study", "sheet": "anna.csv",
        "ratings": "ratings.tsv", "rated": "rated", "corpus": "corpus.tsv", "tagged": "tagged.tsv", "text": "text.txt",
        "sorted": "sorted.tsv", "related": "related.tsv", "predicted": "predicted.tsv", "scores": "scores.csv",
    }.items()}  # fmt: skip
    import termgauge as tg

    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("TERMGAUGE_CACHE_DIR", str(folder / "cache"))
        for name in ("run", "other"):
            tg.evaluate(known["pairs"], [str(known["words"]), "baseline:levenshtein"], known[name])
    study = tg.new_study(known["study"], known["pairs"])
    make_links(study, names=[None])
    blank = study.sheets(folder / "sheets")[1]
    rated_study(known["rated"])
    known["sheet"].write_bytes(blank.read_bytes().replace(b",\r\n", b",3\r\n"))
    return known


@pytest.fixture
def given(places, tmp_path):
    """Return a function that fills the places of a sample in; ``{fresh}`` is another one each time."""
    numbers = count()

    def fill(words):
        fresh = tmp_path / f"fresh-{next(numbers)}"
        return [str(word).format(tmp=tmp_path, fresh=fresh, **places) for word in words]

    return fill


def commands():
    """Return all commands by what is typed to call them."""
    group = typer.main.get_command(cli.app)
    found = {name: group.get_command(None, name) for name in group.list_commands(None)}
    return {
        typed: each
        for name, command in found.items()
        for typed, each in (
            {f"{name} {below}": each for below, each in command.commands.items()}
            if hasattr(command, "commands")
            else {name: command}
        ).items()
    }


def test_every_command_has_a_sample():
    assert set(SAMPLES) | SERVES == set(commands())


@pytest.mark.parametrize("name", SAMPLES)
def test_answers_go_to_standard_output_and_all_else_to_standard_error(run, given, name):
    status, out, err = run(*name.split(), *given(SAMPLES[name]))
    assert status == 0, err
    assert "Traceback" not in err
    said = ("Note: ", "Written: ", "Report: ", "All values: ")
    assert all(line.startswith(said) for line in err.splitlines()), "nothing but sentences"
    assert bool(out.strip()) == (name not in WRITES_ALONE)
    assert not any(line.startswith(said) for line in out.splitlines())
    again = {"init": ["--force"]}.get(name, [])
    status, quiet, err = run(*name.split(), *given(SAMPLES[name]), *again, "-q")
    assert (status, err) == (0, "")
    assert bool(quiet.strip()) == bool(out.strip())


@pytest.mark.parametrize("name", [name for name in SAMPLES if name not in ("init", "convert")])
def test_json_is_one_document_and_nothing_else(run, given, name):
    assert "as_json" in {each.name for each in commands()[name].params}
    status, out, _err = run(*name.split(), *given(SAMPLES[name]), "--json")
    assert status == 0
    assert isinstance(json.loads(out), dict)


@pytest.mark.integration
def test_a_redirected_answer_is_in_the_file(places, tmp_path):
    with (tmp_path / "compared.txt").open("wb") as file:
        done = subprocess.run(
            [sys.executable, "-c", "from termgauge.cli import main; main()", "compare", str(places["run"]), "-q"],
            stdout=file, stderr=subprocess.PIPE, check=False,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, b"")
    assert "levenshtein" in (tmp_path / "compared.txt").read_text("utf-8")


GONE = ["-m", "gone=word2vec:{tmp}/gone.bin"]
INCOMPLETE = {
    "evaluate": ([*SAMPLES["evaluate"], *GONE], "the model 'gone'"),
    "vocabulary": ([*SAMPLES["vocabulary"], *GONE], "the model 'gone'"),
    "categories": ([*SAMPLES["categories"], *GONE], "the model 'gone'"),
    "coverage": ([*SAMPLES["coverage"], *GONE], "the model 'gone'"),
    "analogies": ([*SAMPLES["analogies"], *GONE], "the model 'gone'"),
    "linking": ([*SAMPLES["linking"], *GONE], "the model 'gone'"),
    "coverage of pairs": ([*SAMPLES["coverage"], "-m", "baseline:levenshtein"], "the model 'levenshtein'"),
}


def incomplete(run, *arguments):
    """Return the last line of a command that had to leave something out, after having tried all its forms."""
    status, out, err = run(*arguments)
    assert status == 4, err
    last = err.splitlines()[-1]
    assert last.startswith("Left out: ")
    assert "--allow-missing" in last
    assert out.strip()
    status, _out, err = run(*arguments, "--allow-missing")
    assert status == 0
    assert err.splitlines()[-1] == last.partition(" Hence")[0]
    status, _out, err = run(*arguments, "-q")
    assert (status, err) == (4, f"{last}\n")
    status, out, _err = run(*arguments, "--json")
    assert status == 4
    json.loads(out)
    return last


@pytest.mark.parametrize("case", INCOMPLETE)
def test_what_had_to_be_left_out_is_named_in_the_last_line(run, given, case):
    words, what = INCOMPLETE[case]
    assert what in incomplete(run, case.split()[0], *given(words))


@pytest.mark.parametrize("dry", [[], ["--dry-run"]])
def test_a_run_that_leaves_things_out(run, places, tmp_path, dry):
    """A model that cannot be opened, and a branch that is misspelt."""
    text = places["experiment"].read_text().replace('source = "', f'source = "{places["terms"].parent}/')
    text = text.replace("words.txt", str(places["words"])) + '[[model]]\nname = "gone"\nspec = "gone.txt"\n'
    (tmp_path / "e.toml").write_text(text + '[[coverage]]\nname = "misspelt"\nbranches = ["AA"]\n')
    last = incomplete(run, "run", tmp_path / "e.toml", *dry)
    assert "'gone'" in last
    assert "misspelt'" in last


def test_scores_that_cannot_be_read_are_left_out(run, places, tmp_path):
    shutil.copytree(places["run"], tmp_path / "damaged")
    (tmp_path / "damaged" / "scores" / "words" / "pairs.parquet").write_bytes(b"nothing")
    board = ["leaderboard", tmp_path / "damaged", places["other"], "--out", tmp_path / "board.html"]
    assert "the scores of 'words' on 'pairs'" in incomplete(run, *board)
    status, _out, err = run("report", tmp_path / "damaged")
    assert status == 4
    assert err.splitlines()[-1].startswith("Left out: ")


def test_nothing_is_left_out_of_bad_input(run, given):
    """Where nothing can be done the status is 2, whatever is allowed to be missing."""
    for words in (
        ["vocabulary", *GONE],
        ["terminology", "{tmp}/none"],
        ["evaluate", "-b", "{tmp}/x", *GONE, "-o", "r"],
    ):
        status, out, err = run(*given(words), "--allow-missing")
        assert (status, out) == (2, "")
        assert err.startswith("Error: ")


def test_the_flags_of_all_commands_stand_in_their_help(run, tmp_path):
    for name in SAMPLES:
        assert "--allow-missing" in run(*name.split(), "--help")[1]
    assert run("terminology", write_obo(tmp_path), "-q")[0] == 0
