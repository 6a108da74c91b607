"""What a release holds, and which version it has."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tarfile
import zipfile

import pytest
from release.environments import Environment, StepError, build_into, built

from tests.conftest import REPOSITORY

pytest.importorskip("hatch_vcs")


@pytest.fixture(scope="module")
def release(tmp_path_factory):
    return built(tmp_path_factory.mktemp("dist"))


def files_below(folder):
    return {
        path.relative_to(folder).as_posix()
        for path in folder.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }


def test_a_wheel_holds_the_packages_and_nothing_else(release):
    with zipfile.ZipFile(release[1]) as wheel:
        names = set(wheel.namelist())
    about = {name for name in names if ".dist-info/" in name}
    assert names - about == files_below(REPOSITORY / "src")
    assert {name.partition("/")[2] for name in about} == {
        *("METADATA", "RECORD", "WHEEL", "entry_points.txt", "licenses/LICENSE")
    }
    for name in (
        "termgauge/py.typed",
        "termgauge/reporting/page/page.css",
        "termgauge/studies/page/rate.js",
        "termgauge/tasks/audit/page/audit.js",
        "termgauge/benchmark/human/catalogue.toml",
        "termgauge/corpus/genia-tagger.npz",
        "termgauge/engine/examples/default.toml",
        "termgauge_medline/vectors.npy",
    ):
        assert name in names


def test_a_wheel_made_from_the_sdist_elsewhere_is_the_same(release, tmp_path):
    with tarfile.open(release[0]) as archive:
        archive.extractall(tmp_path, filter="data")
    (unpacked,) = tmp_path.iterdir()
    assert {"tests/conftest.py", "docs/index.md", "locked-run.txt", "CITATION.cff", ".ci/run"} <= files_below(unpacked)
    assert not any(name.startswith((".venv", "runs/", "dist/", "artifacts/")) for name in files_below(unpacked))
    build_into(tmp_path / "again", "--wheel", source=unpacked)
    (again,) = (tmp_path / "again").iterdir()
    assert again.name == release[1].name, "the version is that of the sdist"
    with zipfile.ZipFile(again) as one, zipfile.ZipFile(release[1]) as other:
        assert {each.filename: each.CRC for each in one.infolist()} == {
            each.filename: each.CRC for each in other.infolist()
        }


@pytest.fixture
def tree(tmp_path):
    """A source tree with the project's own settings and hardly any source."""
    folder = tmp_path / "tree"
    for package in ("termgauge", "termgauge_medline"):
        (folder / "src" / package).mkdir(parents=True)
        (folder / "src" / package / "__init__.py").touch()
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(REPOSITORY / name, folder)
    return folder


def git(folder, *words):
    who = ("-c", "user.name=somebody", "-c", "user.email=somebody@example.org", "-c", "commit.gpgsign=false")
    subprocess.run(["git", *who, *words], cwd=folder, check=True, capture_output=True)


def commit(folder, *tags):
    git(folder, "init", "-q")
    git(folder, "add", ".")
    git(folder, "commit", "-q", "--allow-empty", "-m", "something")
    for tag in tags:
        git(folder, "tag", tag)


def version_of(folder):
    command = [sys.executable, "-m", "hatchling", "version"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True).stdout.strip()


def test_versions_come_from_tags(tree):
    commit(tree, "v0.3.0")
    assert version_of(tree) == "0.3.0"
    commit(tree)
    commit(tree)
    assert version_of(tree) == "0.3.1.dev2"


def test_versions_without_a_tag_and_without_git(tree, tmp_path):
    assert version_of(tree) == "0.3.0.dev0"
    commit(tree)
    commit(tree)
    assert version_of(tree) == "0.3.0.dev2"
    commit(tree, "v0.3.0")
    commit(tree)
    git(tmp_path, "clone", "-q", "--depth", "1", tree.as_uri(), "shallow")
    assert version_of(tmp_path / "shallow") == "0.3.0.dev1"


def test_commands_run_in_a_folder_and_an_environment_of_their_own(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("PYTHONPATH", "somewhere")
    monkeypatch.setenv("TERMGAUGE_DATA_DIR", "somewhere")
    environment = Environment(tmp_path / "environment", tmp_path)
    said = environment.run('echo "${PYTHONPATH-none} ${TERMGAUGE_DATA_DIR-none} $PWD" && false || echo "$PATH"')
    assert said.startswith(f"none none {tmp_path}\n{environment.programs}")
    with pytest.raises(StepError, match=r"'echo before; exit 3' ended with status 3 where 0 was expected"):
        environment.run("echo before; exit 3")
    assert "before" in capsys.readouterr().out
    assert environment.run(["bash", "-c", "exit 2"], status=2) == ""


def test_a_tree_that_cannot_be_built_says_why(tmp_path):
    with pytest.raises(StepError, match="cannot be built"):
        build_into(tmp_path / "out", "--wheel", source=tmp_path)
