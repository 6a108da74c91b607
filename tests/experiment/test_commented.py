"""The files that `termgauge init` writes are valid, complete, and say what they are an example of."""

from __future__ import annotations

import re

import pytest

from termgauge.cli import main
from termgauge.exceptions import TermgaugeError
from termgauge.experiment.commented import commented, init
from termgauge.experiment.file import example_names, example_text, load_experiment, parse_experiment
from termgauge.experiment.tables import TABLES, Experiment


@pytest.fixture(autouse=True)
def variables(monkeypatch):
    for name in ("SNOMED_RELEASE", "UMLS_META", "TERMGAUGE_DATA_DIR"):
        monkeypatch.setenv(name, "somewhere")


@pytest.mark.parametrize("example", example_names())
def test_examples_are_valid_and_comments_change_nothing(tmp_path, example):
    path = init(tmp_path / "e.toml", example=example)
    assert load_experiment(path).experiment == parse_experiment(example_text(example), path).experiment
    text = path.read_text()
    assert f"termgauge run {path.name}" in text
    assert max(map(len, text.splitlines())) < 160


@pytest.mark.parametrize("example", example_names())
def test_every_key_stands_in_every_example_once_with_its_meaning(example):
    lines = commented(example_text(example)).splitlines()
    for table in (Experiment, *TABLES.values()):
        for name, field in table.model_fields.items():
            if name not in TABLES:
                pattern = re.compile(rf"(#: )?{name} = .* # {re.escape(field.description)}$")
                wanted = sum(
                    field.description == each.description
                    for other in (Experiment, *TABLES.values())
                    for key, each in other.model_fields.items()
                    if key == name
                )
                assert sum(bool(pattern.match(line)) for line in lines) == wanted, name


def test_what_is_left_out_may_be_put_in():
    """Uncommented, each key holds a value of its type."""
    text = commented(example_text("default"))
    table, raw = None, {}
    for line in text.splitlines():
        if found := re.match(r"(?:#: )?\[\[?(\w+)\]\]?", line):
            table = found[1]
        elif line.startswith("#: "):
            raw.setdefault(table, []).append(line.removeprefix("#: "))
    import tomllib

    assert set(raw) > {None, "human", "significance", "coverage"}
    for name, lines in raw.items():
        values = tomllib.loads("\n".join(lines))
        model = TABLES[name] if name else Experiment
        needed = {
            key: field.examples[0]
            for key, field in model.model_fields.items()
            if field.is_required() and field.examples
        }
        model.model_validate({**({"model": [{"spec": "x"}]} if name is None else {}), **needed, **values})


def test_an_unknown_example():
    with pytest.raises(TermgaugeError, match="Did you mean 'snomed'"):
        init("x.toml", example="snomd")


def test_the_command_never_overwrites_unasked(tmp_path, capfd, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def status(*arguments):
        with pytest.raises(SystemExit) as done:
            main(["init", *arguments])
        return done.value.code, capfd.readouterr()

    code, (out, err) = status()
    assert (code, out) == (0, "")
    assert "termgauge run experiment.toml" in err
    (tmp_path / "experiment.toml").write_text("mine")
    code, (_, err) = status("--example", "obo")
    assert code == 2
    assert "experiment.toml: is there already" in err
    assert (tmp_path / "experiment.toml").read_text() == "mine"
    assert status("--example", "obo", "--force")[0] == 0
    assert "obo-run" in (tmp_path / "experiment.toml").read_text()
    assert status(str(tmp_path))[0] == 2
