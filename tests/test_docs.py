"""The documentation says what is so: its examples run, and the commands, files and keys that it names are there."""

from __future__ import annotations

import re
from functools import cache
from importlib import import_module

import pytest
import typer
from docs.make_reference import PAGE, reference

import termgauge as tg
from tests.conftest import REPOSITORY
from tests.documentation import NEEDED, OF_PACKAGES, ON_TORCH, PAGES, commands, examples, flags, run_examples, text_of

PRINTED = {
    "README.md": ("PubMed-w2v", "levenshtein", "auc"),
    "docs/analogies.md": ("clear, may_treat: ", "vague, inverse of may_treat: ", "'success'"),
    "docs/benchmarks.md": ("hp-2025-01-16/fsn-syn/hard/levenshtein",),
    # lung has bronchus and dyspnea, dyspnea has bronchus and lung; cough is missing.
    "docs/coverage.md": ("one relation away from asthma ('2', '3', '4')", "2 of 3 missing: ['4']", f"\n{2 / 6}"),
    "docs/evaluation.md": ("auc", "('random', 'levenshtein')", "false"),
    "docs/human-rated-sets.md": ("influenza",),
    "docs/models.md": ("words ",),
    "docs/reports.md": ("before/report.html before/report-latex/report.tex", "words demo", "words (before) 1.5"),
    "docs/terminologies.md": ("HP:0000001",),
}
"""Some of what the examples of a page print."""
WRITTEN = {
    "README.md": ("hp-benchmark/benchmark.json", "run/report.html"),
    "docs/analogies.md": ("outcomes.parquet",),
    "docs/benchmarks.md": ("hp-benchmark/fsn-syn.hard.random.tsv",),
    "docs/coverage.md": ("asthma.json",),
    "docs/evaluation.md": ("demo-run/results.csv",),
    "docs/reports.md": ("before/report-latex/tables",),
}


@pytest.mark.filterwarnings("ignore::termgauge.exceptions.TermgaugeWarning")
@pytest.mark.parametrize("page", [page for page in PAGES if examples(page) and page not in {*ON_TORCH, *OF_PACKAGES}])
def test_examples_run(page, hpo, tmp_path, monkeypatch, capsys):
    for write in NEEDED.get(page, ()):
        write(hpo, tmp_path)
    monkeypatch.chdir(tmp_path)
    run_examples(page)
    printed = capsys.readouterr().out
    for part in PRINTED[page]:
        assert part in printed
    for name in WRITTEN.get(page, ()):
        assert (tmp_path / name).exists()
    if page == "docs/coverage.md":
        assert tg.read_domain(tmp_path / "asthma.json").seeds == ("2", "3", "4")


@pytest.mark.parametrize("page", OF_PACKAGES)
def test_pages_whose_examples_are_modules_have_tests_of_their_own(page):
    assert examples(page)
    assert repr(page.removeprefix("docs/"))[1:-1] in (REPOSITORY / OF_PACKAGES[page]).read_text(encoding="utf-8")


def test_no_python_stands_outside_the_blocks_that_run():
    for page in PAGES:
        outside = re.sub(r"^```.*?^```", "", text_of(page), flags=re.DOTALL | re.MULTILINE)
        assert re.findall(r"^ {4}(?:import |from |tg\.|\w+ = tg\.).*$", outside, re.MULTILINE) == [], page


@cache
def application():
    return typer.main.get_command(import_module("termgauge.cli").app)


def command_of(words):
    """Return the command that words such as ``termgauge study new DIR`` name, and the words behind its name."""
    command, rest = application(), words[1:]
    while getattr(command, "commands", None) and rest and not rest[0].startswith("-"):
        assert rest[0] in command.commands, f"there is no command {' '.join(words[:3])}"
        command, rest = command.commands[rest[0]], rest[1:]
    return command, rest


def flags_of(command):
    """Return all flags of a command and of those below it."""
    own = {flag for each in command.params for flag in (*each.opts, *each.secondary_opts) if flag.startswith("-")}
    return own.union({"-h", "--help"}, *map(flags_of, getattr(command, "commands", {}).values()))


@pytest.mark.parametrize("page", PAGES)
def test_commands_exist_with_their_flags(page):
    for words in commands(page):
        command, rest = command_of(words)
        named = {word.partition("=")[0] for word in rest if re.match(r"--?[a-z]", word)}
        assert named <= flags_of(command), f"{page}: {' '.join(words)}"
    assert flags(page) <= flags_of(application()), page


def test_a_flag_that_does_not_exist_would_be_noticed():
    command, rest = command_of(["termgauge", "compare", "run", "--alhpa=0.1"])
    assert rest == ["run", "--alhpa=0.1"]
    assert "--alpha" in flags_of(command)
    assert "--alhpa" not in flags_of(application())
    with pytest.raises(AssertionError, match="no command termgauge comparre"):
        command_of(["termgauge", "comparre", "run"])
    named = {words[1] for page in PAGES for words in commands(page) if len(words) > 1}
    assert {"run", "init", "build", "evaluate", "compare", "coverage"} <= named


@pytest.mark.parametrize("page", [*PAGES, "CONTRIBUTING.md"])
def test_what_a_page_points_to_is_there(page):
    text = (REPOSITORY / page).read_text(encoding="utf-8")
    here = (REPOSITORY / page).parent
    for link in re.findall(r"\]\(([^):#]+)(?:#[^)]*)?\)", text):
        assert (here / link).exists(), link
    for path in re.findall(r"`((?:tests|docs|benchmarks|src)/[\w/.-]+)`", text):
        assert (REPOSITORY / path).exists(), path
    for name in re.findall(r"python -m benchmarks[. ](?:--quick )?(\w+)", text):
        assert (REPOSITORY / "benchmarks" / f"{name}.py").is_file(), name
    targets = re.findall(r"^([a-z-]+):", (REPOSITORY / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    assert set(re.findall(r"(?:`| {4})make ([a-z-]+)", text)) <= set(targets)
    for dotted in re.findall(r"`(termgauge(?:\.[a-z_]+)+)`", text):
        assert import_module(dotted)


def test_the_reference_is_what_its_script_writes():
    assert PAGE.read_text(encoding="utf-8") == reference(), "run: python docs/make_reference.py"
    assert all(f"### `tg.{name}`" in reference() for name in tg.__all__)
    assert not re.search(r"0x[0-9a-f]{6}", reference())


def test_every_key_of_an_experiment_is_described():
    from termgauge.experiment.tables import SINGLE, TABLES, Experiment

    text = text_of("docs/experiments.md")
    for table, model in {"": Experiment, **TABLES}.items():
        heading = f"### `{f'[{table}]' if table in SINGLE else f'[[{table}]]'}`\n" if table else "## The file\n"
        part = re.split(r"\n##", text.partition(heading)[2])[0]
        described = dict(re.findall(r"^\| `(\w+)` \| (.*) \| [^|]* \|$", part, re.MULTILINE))
        wanted = {name: field.description for name, field in model.model_fields.items() if table or name not in TABLES}
        assert described == wanted


def test_the_recipes_of_experiments_are_valid(monkeypatch):
    from termgauge.experiment.file import parse_experiment

    monkeypatch.setenv("SNOMED_RELEASE", "somewhere")
    recipes = re.findall(r"```toml\n(.*?)```", text_of("docs/experiments.md"), re.DOTALL)
    assert len(recipes) == 4
    for recipe in recipes:
        assert parse_experiment(recipe).experiment.model
