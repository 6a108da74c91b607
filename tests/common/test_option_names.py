"""An option has one name: what follows the dashes of a flag is a keyword of the verb that does the same."""

from __future__ import annotations

import inspect

import pytest
import typer

import termgauge as tg
from termgauge.cli.application import app
from termgauge.studies.folder import Study
from termgauge.tasks.registry import all_tasks

VERBS = {
    "run": tg.run, "init": tg.init, "report": tg.report, "diff": tg.diff, "leaderboard": tg.leaderboard,
    "terminology": tg.read_terminology, "build": tg.build, "sets": tg.load_human, "export": tg.export,
    "words": tg.words, "pairs": tg.word_pairs, "train": tg.train_vectors, "neighbours": tg.neighbours,
    "study new": tg.new_study, "study sheets": Study.sheets, "study import": Study.import_sheets,
    "study erase": Study.erase, "study export": Study.export, "study results": Study.results,
    "agreement": tg.agreement, "evaluate": tg.evaluate, "compare": tg.compare, "errors": tg.errors,
    **{name: getattr(tg, name) for name, task in all_tasks().items() if task.command},
}  # fmt: skip
"""The verb of each command; the others have none."""
WITHOUT_A_VERB = {
    "trust", "cache", "tagger train", "tagger score", "tagger tag", "models", "convert", "study invite", "study serve",
    "study status", "study demo",
}  # fmt: skip
OF_COMMANDS = {"json", "cluster", "patience", "timeout"}
"""Flags that say how a command prints, and where it works: tg.on_cluster in Python."""
OF_ONE_COMMAND = {
    "run": {"dry_run", "all"},
    "evaluate": {"all"},
    "report": {"open"},
    "diff": {"html", "fail_on_worse"},
    "leaderboard": {"out", "format", "figures", "title", "open"},
    "terminology": {"list", "check"},
    "words": {"decisions"},
    "study new": {"expire_after", "dry_run", "yes", "from", "disagreeing"},
    "study export": {"out", "adjudications"},
    "agreement": {"html"},
    "compare": {"all"},
    "ner": {"score"},
    "audit": {"out", "study"},
}
"""Flags that show or write a result, or do what another verb does."""
NOT_NEEDED = {"evaluate": "benchmarks", "run": "experiment"}
REFUSALS = ("There is no option", "unexpected keyword argument", "has no option")


def commands(command, path=()):
    if not hasattr(command, "commands"):
        yield " ".join(path), command
        return
    for name in command.list_commands(None):
        yield from commands(command.get_command(None, name), (*path, name))


def flags():
    """Yield a command and the keyword that each of its flags would be."""
    for name, command in commands(typer.main.get_command(app)):
        for parameter in command.params:
            words = {flag.lstrip("-").replace("-", "_") for flag in parameter.opts if flag.startswith("--")}
            for word in sorted(words - {"help"} - OF_COMMANDS - OF_ONE_COMMAND.get(name, set())):
                yield name, word


def test_every_command_has_a_verb_or_says_that_it_has_none():
    known = {name for name, _command in commands(typer.main.get_command(app))}
    assert known >= set(VERBS) | WITHOUT_A_VERB
    assert not known - set(VERBS) - WITHOUT_A_VERB


@pytest.mark.parametrize("command", VERBS)
def test_a_verb_takes_what_its_command_takes(command, tmp_path, monkeypatch):
    """A keyword that is known gets as far as its value, or as what is worked on, of which there is nothing."""
    monkeypatch.chdir(tmp_path)
    verb = VERBS[command]
    refused = []
    for _name, word in (each for each in flags() if each[0] == command):
        needed = [
            each.name
            for each in inspect.signature(verb).parameters.values()
            if each.default is each.empty and each.kind is each.POSITIONAL_OR_KEYWORD
        ]
        given = dict.fromkeys(needed, "no-such-file")
        if command in NOT_NEEDED:  # but without it the default would be worked on
            given[NOT_NEEDED[command]] = "no-such-file"
        first = [given.pop("self")] if "self" in given else []
        given.pop(word, None)
        try:
            verb(*first, **{**given, word: object()})
        except Exception as error:  # noqa: BLE001 - whatever else is wrong with such a value
            if any(says in str(error) for says in REFUSALS):
                refused.append(f"{word}: {error}")
    assert refused == []


def test_an_option_is_given_once():
    with pytest.raises(tg.TermgaugeError, match="'measures' was given twice, also as 'measure'"):
        tg.evaluate("x", "baseline:random", measure="edit", measures=["edit"])
    with pytest.raises(tg.TermgaugeError, match="'models' was given twice"):
        tg.vocabulary(models="baseline:random", model="baseline:random")


def test_both_names_mean_the_same(tmp_path):
    pairs = {"mine": tg.read_pairs(_pairs(tmp_path))}
    one = tg.evaluate(benchmark=pairs, model="baseline:levenshtein", group="all=mine", seed=1)
    other = tg.evaluate(pairs, models=["baseline:levenshtein"], groups=["all=mine"], seed=1)
    assert one.path == other.path
    ways = ({"set": "mine", "group": "all=mine"}, {"sets": ["mine"], "groups": ["all=mine"]})
    compared = [tg.compare(one, **keywords) for keywords in ways]
    assert compared[0].as_dict() == compared[1].as_dict()


def test_a_word_of_python_has_an_underscore():
    from termgauge.corpus.options import PairOptions

    assert PairOptions.of(class_="noun") == PairOptions.of(word_class="noun") == PairOptions.of(**{"class": "noun"})


def _pairs(folder):
    rows = "".join(f"flu{at},influenza{at},{at % 2}\n" for at in range(40))
    (folder / "t.csv").write_text(f"term1,term2,label\n{rows}")
    return folder / "t.csv"
