from __future__ import annotations

import json

import pytest

from termgauge.cli import main
from termgauge.embeddings import schemes
from termgauge.embeddings.schemes import EXTRAS, all_schemes, describe_schemes
from termgauge.embeddings.spec import ModelSpec
from termgauge.exceptions import TermgaugeError

EVERY = [scheme["name"] for scheme in describe_schemes()["schemes"]]


def _printed(capsys, *arguments):
    with pytest.raises(SystemExit) as done:
        main(["models", *arguments])
    assert done.value.code in (None, 0)
    return capsys.readouterr()


def test_every_scheme_and_baseline_is_described():
    assert list(all_schemes()) == EVERY


@pytest.mark.parametrize("name", EVERY)
def test_a_description_says_what_the_spec_takes(name):
    [scheme] = describe_schemes(name)["schemes"]
    assert scheme["about"]
    assert scheme["kinds"]
    assert not scheme["extra"] or scheme["extra"] in EXTRAS
    spec = ModelSpec.parse(name if ":" in name else f"{name}:somewhere")
    assert set(scheme["options"]) == set(scheme["meanings"]) == set(spec.declared.options)
    assert all(meaning.endswith(".") for meaning in scheme["meanings"].values())
    for option, values in scheme["options"].items():
        first = values.partition(" | ")[0]
        assert first.startswith("[") or first == spec.text(option)


def test_schemes_that_find_their_own_vectors_say_where():
    places = {scheme["name"] for scheme in describe_schemes()["schemes"] if scheme["default_location"]}
    assert {"glove", "onnx", "wordllama"} <= places


def test_an_unknown_scheme():
    with pytest.raises(TermgaugeError, match="Did you mean 'onnx'"):
        describe_schemes("onxx")


def test_what_is_missing_is_said_with_what_it_costs(monkeypatch, capsys):
    monkeypatch.setattr(schemes, "library_versions", lambda _: {"tokenizers": "1.0"})
    [onnx] = describe_schemes("onnx")["schemes"]
    [extra] = describe_schemes("onnx")["extras"]
    assert not onnx["installed"]
    assert extra["packages"] == {"onnxruntime": None, "tokenizers": "1.0"}
    monkeypatch.setenv("COLUMNS", "200")
    printed = _printed(capsys, "onnx").out
    assert "onnxruntime (missing), tokenizers 1.0" in printed
    assert "pip install 'termgauge[onnx]'" in printed
    assert f"{EXTRAS['onnx'].megabytes} MB" in printed


def test_the_command_lists_all(monkeypatch, capsys):
    monkeypatch.setenv("COLUMNS", "200")
    printed = _printed(capsys)
    assert not printed.err
    for name in EVERY:
        assert name in printed.out
    assert "pooling=[mean|cls|none]" in printed.out


def test_the_command_as_json(capsys):
    document = json.loads(_printed(capsys, "openai", "--json").out)
    assert [each["name"] for each in document["schemes"]] == ["openai"]
    assert document["extras"][0]["installed"] in (True, False)
