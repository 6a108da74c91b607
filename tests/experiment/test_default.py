from __future__ import annotations

import pytest

from termgauge.cli import main
from termgauge.errors import TermgaugeError
from termgauge.experiment import default

ONTOLOGY = """format-version: 1.2
data-version: 2026-01-01
ontology: small
"""


@pytest.fixture
def small(tmp_path, monkeypatch):
    """An ontology of twelve terms, and no vectors from packages."""
    stanzas = [
        f'[Term]\nid: X:{at}\nname: {organ} inflammation\nsynonym: "{organ}itis of kind {at}" EXACT []\n'
        for at, organ in enumerate(["heart", "lung", "liver", "kidney", "skin", "ear", "eye", "nose", "bone", "brain"])
    ]
    path = tmp_path / "small.obo"
    path.write_text("\n".join([ONTOLOGY, *stanzas]))
    monkeypatch.setattr(default, "hpo_path", lambda: path)
    monkeypatch.setattr(
        default, "MODELS", ("levenshtein=baseline:levenshtein", "random=baseline:random", "gone=no-such-file")
    )


@pytest.mark.filterwarnings("ignore::termgauge.errors.TermgaugeWarning")
@pytest.mark.usefixtures("small")
def test_the_default_run_builds_and_scores(tmp_path):
    made = default.run_default(tmp_path / "run")
    assert made.terminology.identity.edition == "small"
    assert len(made.benchmark["fsn-syn.hard.random"]) == 20
    results = made.run.results()
    assert set(results["model"]) == {"levenshtein", "random"}, "a model that is missing does not stop the others"
    assert set(results["set"]) == {pairs.id for pairs in made.benchmark}


@pytest.mark.usefixtures("small")
def test_the_command_ends_with_a_table_and_a_path(tmp_path, capfd):
    with pytest.raises(SystemExit) as done:
        main(["run", "--out", str(tmp_path / "run")])
    assert done.value.code == 0
    out, err = capfd.readouterr()
    assert out == ""
    assert "levenshtein" in err
    assert "results.csv" in err
    assert (tmp_path / "run" / "results.csv").is_file()


def test_a_missing_ontology_says_what_to_install(monkeypatch, tmp_path):
    monkeypatch.setattr(default, "find_spec", lambda _name: None)
    with pytest.raises(TermgaugeError, match=r"pip install 'termgauge\[examples\]'"):
        default.run_default(tmp_path)


def test_the_ontology_of_the_package_is_found(hpo):
    assert default.hpo_path() == hpo
