"""The documentation says what is so: its examples run, and the commands, files and keys that it names are there."""

from __future__ import annotations

import re
from functools import cache
from importlib import import_module

import pytest
import typer
from docs.make_reference import PAGE, STUB, reference, stub, with_tables

import termgauge as tg
from tests.conftest import REPOSITORY
from tests.documentation import NEEDED, OF_PACKAGES, ON_TORCH, PAGES, commands, examples, flags, run_examples, text_of

PRINTED = {
    "README.md": ("medline", "levenshtein", "auc"),
    "docs/across.md": ("across/hp-2025-01-16/doid/fsn-syn/hard/random ",),
    "docs/agreement.md": ("['sam'] {'sam': 'IAA-1 on the group is -0.880, below 0.290'}", "IAA-1 0.924"),
    "docs/analogies.md": ("clear, may_treat: ", "vague, inverse of may_treat: ", "'success'"),
    "docs/audit.md": ("plural: Hypoplastic metacarpal / ", "Lung tumor -> t:4", "rows that count: 1\n4 pairs"),
    "docs/benchmarks.md": ("hp-2025-01-16/fsn-syn/hard/levenshtein",),
    "docs/clusters.md": ("workers did the units",),
    # lung has bronchus and dyspnea, dyspnea has bronchus and lung; cough is missing.
    "docs/coverage.md": ("one relation away from asthma ('2', '3', '4')", "2 of 3 seeds, missing: ['4']", f"\n{2 / 6}"),
    "docs/encoders.md": ("terms (2, 256)",),
    "docs/entities.md": ("<entities of 'found.tsv': precision 0.6667", "\n0.5 2\n"),
    "docs/evaluation.md": (
        "auc",
        "<set 'mine': 2 pairs with ratings>",
        "('random', 'levenshtein')",
        "false",
        "overlap",
    ),
    "docs/experiments.md": ("experiment-run ['report.html', 'results.csv']", "levenshtein", "auc"),
    "docs/export.md": ("<export 'hp-dataset' (hf): ", "validation", 'model-index:\n- name: "levenshtein"'),
    "docs/human-rated-sets.md": ("influenza",),
    "docs/ontologies.md": ("Herzinfarkt", "Skipped(what='individuals', count=1, examples=('T:2',))"),
    "docs/languages.md": ("'de': 7}", "shape: (12, 5)"),
    "docs/linking.md": (
        "4 names, 3 queries, ambiguous: 1",
        "without a vector: 1",
        "'exact match': 0.0",
        "2 mentions, not in the terminology: ['99']",
    ),
    "docs/medline.md": ("words (1, 50)", "MEDLINE", "GloVe"),
    "docs/models.md": (
        "words ",
        "mine 3 2 False",
        "random None 50 True",
        "lenient {'identified': 'its words and vectors'}",
        "table words 2\nlenient words 2\nvowels terms 6",
    ),
    "docs/pairs-from-words.md": ("sibling", "<4 pairs of words (noun)>", "fever\tpyrexia\tnoun\tbiomedical-associated"),
    "docs/python.md": ("<run 'demo-run': 2 models, 1 set>", "levenshtein", "similarity"),
    "docs/prediction.md": (
        "Bio-SimLex with AnatEM: r = 0.46 [-0.45, 0.90], p = 0.30",
        "7 models: beyond 0.754; a true 0.5 is found in 21%\nwithout BioASQ: 0.80",
        "9: 0.666; 12%, 29%, 62%, 97%; 0.79",
    ),
    "docs/reports.md": ("before/report.html before/report-latex/report.tex", "words demo", "words (before) 2.0"),
    "docs/statistics.md": ("│ one   ┆ 0.", "one is best: value "),
    "docs/studies.md": (
        "<similarity study 'nouns': 20 pairs, 2 groups>",
        "r1 answered 13 pairs, 0 are open",
        "13 answers of r1",
        "<ratings: 10 of 20 pairs by 1 ",
    ),
    "docs/study-results.md": ("['r2'] 0.76 0.82",),
    "docs/subsets.md": ("0 to under 100 5 {'levenshtein': ", "100 or more 6 {'levenshtein': ", "change"),
    "docs/terminologies.md": ("HP:0000001",),
    "docs/words.md": ("3 nouns, 2 verbs from 34 tokens in 2 documents", "'auxiliaries': 1", "('grow', 'disagreement')"),
    "docs/training.md": ("2 12 word2vec:vectors/window-2.bin", "(1, 10)"),
}
"""Some of what the examples of a page print."""
SLOW = ("docs/clusters.md", "docs/medline.md", "docs/study-results.md")
"""Pages whose examples take more than a few seconds."""
WRITTEN = {
    "README.md": ("my-benchmark/benchmark.json", "my-run/report.html"),
    "docs/analogies.md": ("outcomes.parquet",),
    "docs/audit.md": ("audit/audit.csv", "audit/audit.html"),
    "docs/benchmarks.md": ("hp-benchmark/fsn-syn.hard.random.tsv",),
    "docs/clusters.md": ("hp-benchmark/benchmark.json", "run/results.csv"),
    "docs/coverage.md": ("asthma.json",),
    "docs/evaluation.md": ("demo-run/results.csv",),
    "docs/experiments.md": ("experiment-run/categories",),
    "docs/export.md": ("hp-triplets/concepts.parquet", "card.yaml"),
    "docs/pairs-from-words.md": ("pairs.tsv.json",),
    "docs/reports.md": ("before/report-latex/tables",),
    "docs/studies.md": ("nouns/study.sqlite", "sheets/instructions.txt"),
    "docs/words.md": ("words.tsv.json", "domains.tsv"),
    "docs/training.md": ("vectors/window-1.json",),
}


@pytest.mark.filterwarnings("ignore::termgauge.exceptions.TermgaugeWarning")
@pytest.mark.parametrize(
    "page",
    [
        pytest.param(page, marks=[pytest.mark.integration] if page in SLOW else [])
        for page in PAGES
        if examples(page) and page not in {*ON_TORCH, *OF_PACKAGES}
    ],
)
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
    group = typer.main.get_command(import_module("termgauge.cli").app)
    group.list_commands(None)  # loads all of them
    return group


ANYWHERE = {"-h", "--help", "-q", "--quiet", "--debug", "--allow-missing"}
"""Flags of every command."""


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
    return own.union(ANYWHERE, *map(flags_of, getattr(command, "commands", {}).values()))


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


def anchors(text):
    """Return what GitHub calls the headings of a page in links."""
    headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", [*PAGES, "CONTRIBUTING.md"])
def test_what_a_page_points_to_is_there(page):
    text = (REPOSITORY / page).read_text(encoding="utf-8")
    here = (REPOSITORY / page).parent
    for link, place in re.findall(r"\]\(([^):#]+)(?:#([^)]*))?\)", text):
        assert (here / link).exists(), link
        assert not place or place in anchors((here / link).read_text(encoding="utf-8")), f"{link}#{place}"
    for path in re.findall(r"`((?:tests|docs|benchmarks|src)/[\w/.-]+)`", text):
        assert (REPOSITORY / path).exists(), path
    for name, simulation in re.findall(r"python -m benchmarks[. ](?:--quick )?(\w+)(?:\s+(\w+))?", text):
        place = f"levels/{simulation}" if name == "levels" else name
        assert (REPOSITORY / "benchmarks" / f"{place}.py").is_file(), place
    targets = re.findall(r"^([a-z-]+):", (REPOSITORY / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    assert set(re.findall(r"(?:`| {4})make ([a-z-]+)", text)) <= set(targets)
    for dotted in re.findall(r"`(termgauge(?:\.[a-z_]+)+)`", text):
        assert import_module(dotted)


def test_the_reference_is_what_its_script_writes():
    assert STUB.read_text(encoding="utf-8") == stub(), "run: python docs/make_reference.py"
    assert PAGE.read_text(encoding="utf-8") == reference(), "run: python docs/make_reference.py"
    assert all(f"### `tg.{name}`" in reference() for name in tg.__all__)
    assert not re.search(r"0x[0-9a-f]{6}", reference())


def test_the_keys_of_experiments_are_those_that_are_declared():
    from termgauge.engine.tables import is_single, tables
    from termgauge.options import fields_for

    page = text_of("docs/experiments.md")
    assert page == with_tables(page), "run: python docs/make_reference.py"
    for name, table in tables().items():
        part = page.partition(f"### `{f'[{name}]' if is_single(name) else f'[[{name}]]'}`\n")[2].partition("\n#")[0]
        assert set(re.findall(r"^\| `(\w+)` \|", part, re.MULTILINE)) == set(fields_for(table, "file"))
    with pytest.raises(ValueError, match=r"the comments .* are missing"):
        with_tables("# Experiments\n")


def test_functions_of_tasks_show_their_keywords():
    text = reference().partition("### `tg.coverage`\n")[2].partition("\n### ")[0]
    assert "    k: list[int] = [5, 10, 20, 30, 40],\n" in text
    assert "    domain: str | Domain | None = None,\n" in text
    assert "- `k`: How many neighbours of each seed are looked at.\n" in text
    assert "**more" not in text


def test_the_report_has_the_sections_that_are_explained():
    source = "\n".join(path.read_text(encoding="utf-8") for path in (REPOSITORY / "src").rglob("*.py"))
    titles = re.findall(r"^## (.+)$", text_of("docs/reading-a-report.md"), re.MULTILINE)
    assert titles[0] == "The first screen"
    assert titles[-1] == "Typical traps"
    assert len(titles) == 21
    for title in titles[1:-1]:
        assert re.search(rf'"{title}(?:"|: {{)', source), title


def test_the_index_leads_to_every_page():
    linked = set(re.findall(r"\]\(([\w-]+\.md)", text_of("docs/index.md")))
    assert {page.removeprefix("docs/") for page in PAGES if page.startswith("docs/")} - {"index.md"} <= linked


def test_the_recipes_of_experiments_are_valid(monkeypatch):
    from termgauge.engine.file import parse_experiment

    monkeypatch.setenv("SNOMED_RELEASE", "somewhere")
    recipes = re.findall(r"```toml\n(.*?)```", text_of("docs/experiments.md"), re.DOTALL)
    assert len(recipes) == 5
    for recipe in recipes:
        assert parse_experiment(recipe).experiment.model
