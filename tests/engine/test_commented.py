"""The files that `termgauge init` writes are valid, complete, and say what they are an example of."""

from __future__ import annotations

import re
import tomllib

import pytest

from termgauge.engine.file import commented, example_names, example_text, init, load_experiment, parse_experiment
from termgauge.engine.tables import experiment_model, tables
from termgauge.engine.trust import Permissions
from termgauge.exceptions import TermgaugeError
from termgauge.options import fields_for


@pytest.fixture(autouse=True)
def variables(monkeypatch):
    for name in ("SNOMED_RELEASE", "UMLS_META", "TERMGAUGE_DATA_DIR"):
        monkeypatch.setenv(name, "somewhere")


@pytest.mark.parametrize("example", example_names())
def test_examples_are_valid_and_comments_change_nothing(tmp_path, example):
    path = init(tmp_path / "e.toml", example=example)
    plain = parse_experiment(example_text(example), path, Permissions(trust=True))
    assert load_experiment(path).experiment == plain.experiment
    text = path.read_text()
    assert f"termgauge run {path.name}" in text
    assert max(map(len, text.splitlines())) <= 140


@pytest.mark.parametrize("example", example_names())
def test_every_key_stands_in_every_example_once_with_its_meaning(example):
    lines = re.sub(r"\n {40,}#", "", commented(example_text(example))).splitlines()
    keys = [each for table in (experiment_model(), *tables().values()) for each in fields_for(table, "file").items()]
    for name, field in keys:
        if name not in tables():
            pattern = re.compile(rf"(#: )?{name} = .* # {re.escape(field.description)}$")
            wanted = sum(name == other and field.description == each.description for other, each in keys)
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
    assert set(raw) > {None, "human", "significance", "coverage"}
    for name, lines in raw.items():
        values = tomllib.loads("\n".join(lines))
        model = tables()[name] if name else experiment_model()
        needed = {
            key: field.examples[0]
            for key, field in model.model_fields.items()
            if field.is_required() and field.examples
        }
        model.model_validate({**({"model": [{"spec": "x"}]} if name is None else {}), **needed, **values})


def test_an_unknown_example():
    with pytest.raises(TermgaugeError, match="Did you mean 'snomed'"):
        init("x.toml", example="snomd")


def test_nothing_is_overwritten_unasked(tmp_path):
    place = tmp_path / "experiment.toml"
    place.write_text("mine")
    with pytest.raises(TermgaugeError, match=r"experiment.toml: is there already.*--force"):
        init(place, example="obo")
    assert place.read_text() == "mine"
    assert init(place, example="obo", force=True) == place
    assert "obo-run" in place.read_text()
    with pytest.raises(TermgaugeError, match="is a folder; name a file"):
        init(tmp_path, force=True)
