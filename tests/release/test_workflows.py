"""Workflows run what there is, name actions by commit, may do little, sign what they publish, and audit every pin."""

from __future__ import annotations

import re
import subprocess
from fnmatch import fnmatch

import pytest
import yaml

from tests.conftest import REPOSITORY

TEXTS = {path.stem: path.read_text("utf-8") for path in (REPOSITORY / ".github" / "workflows").iterdir()}
WORKFLOWS = {name: yaml.safe_load(text) for name, text in TEXTS.items()}
RELEASE = WORKFLOWS["release"]["jobs"]
TARGETS = set(re.findall(r"^([a-z-]+):", (REPOSITORY / "Makefile").read_text("utf-8"), re.MULTILINE))
_PIN = re.compile(r"^[\w.-]+==[\w.!+]+", re.MULTILINE)
PINS = {path.name: set(_PIN.findall(path.read_text("utf-8"))) for path in REPOSITORY.glob("*.txt")}
PINS = {name: pins for name, pins in PINS.items() if pins}
"""The packages at one version that each list of them names."""
_PINNED = re.compile(r"uses: [\w-]+(?:/[\w.-]+)+@[0-9a-f]{40} # v\d+\.\d+\.\d+")
_USES = re.compile(r"\buses\b.*")


def lines_of(job):
    return [step["run"] for step in job["steps"] if "run" in step]


def actions_of(job, name):
    return [step["with"] for step in job["steps"] if step.get("uses", "").startswith(f"actions/{name}@")]


@pytest.mark.parametrize("name", WORKFLOWS)
def test_workflows_run_what_there_is(name):
    lines = [line for job in WORKFLOWS[name]["jobs"].values() for line in lines_of(job)]
    for line in lines:
        program, *words = line.split()
        assert program in {".ci/run", "make", "gh"}
        assert program != "make" or set(words) <= TARGETS
    assert (".ci/run" in lines) == (name == "ci")
    assert all(job["timeout-minutes"] for job in WORKFLOWS[name]["jobs"].values())


@pytest.mark.parametrize("name", WORKFLOWS)
def test_actions_are_named_by_commit_with_their_version(name):
    found = _USES.findall(TEXTS[name])
    assert found
    assert [each for each in found if not _PINNED.fullmatch(each)] == []


def test_an_action_has_one_commit_and_newer_ones_are_proposed():
    used = {each for text in TEXTS.values() for each in _USES.findall(text)}
    assert len({each.partition("@")[0] for each in used}) == len(used)
    updates = yaml.safe_load((REPOSITORY / ".github" / "dependabot.yml").read_text("utf-8"))["updates"]
    assert [(each["package-ecosystem"], each["directory"]) for each in updates] == [("github-actions", "/")]


@pytest.mark.parametrize("name", WORKFLOWS)
def test_only_the_job_that_publishes_may_write_and_it_runs_nothing_of_the_repository(name):
    workflow = WORKFLOWS[name]
    assert workflow["permissions"] == {"contents": "read"}
    assert "pull_request_target" not in TEXTS[name]
    for job in workflow["jobs"].values():
        assert all(each["persist-credentials"] is False for each in actions_of(job, "checkout"))
        if "permissions" in job:
            assert job is RELEASE["publish"]
            assert job["permissions"] == {"attestations": "write", "contents": "write", "id-token": "write"}
            assert {line.split()[0] for line in lines_of(job)} == {"gh"}
            assert not actions_of(job, "checkout")


def test_a_release_is_signed_before_it_is_published():
    build, publish = RELEASE["build"], RELEASE["publish"]
    assert publish["needs"] == ["audit", "build"]
    assert lines_of(RELEASE["audit"]) == ["make audit"]
    assert {"make test-wheel", "make dist sbom"} <= set(lines_of(build))
    (kept,), (fetched,) = actions_of(build, "upload-artifact"), actions_of(publish, "download-artifact")
    assert (kept["name"], kept["path"]) == (fetched["name"], fetched["path"]) == ("dist", "dist")
    *_, attest, release = publish["steps"]
    assert actions_of({"steps": [attest]}, "attest") == [{"subject-path": "dist/*"}]
    assert re.findall(r"\bdist/\S*", release["run"]) == ["dist/*"]


def test_pins_are_audited_each_week_and_when_they_change():
    triggers = WORKFLOWS["audit"][True]  # YAML reads the key "on" as a truth value
    assert re.fullmatch(r"\d+ \d+ \* \* \d", triggers["schedule"][0]["cron"])
    assert triggers["push"]["branches"] == ["main"]
    for event in ("push", "pull_request"):
        assert all(any(fnmatch(file, each) for each in triggers[event]["paths"]) for file in PINS)
    assert lines_of(WORKFLOWS["audit"]["jobs"]["audit"]) == ["make audit"]


def test_an_audit_covers_every_pin_and_one_finding_hides_no_other(tmp_path, monkeypatch):
    program = tmp_path / "venv-audit" / "bin" / "pip-audit"
    program.parent.mkdir(parents=True)
    program.write_text(f'#!/bin/sh\necho "$@" >> {tmp_path}/calls\ntest $(wc -l < {tmp_path}/calls) -ne "$FAILS"\n')
    program.chmod(0o755)
    (tmp_path / "venv-audit" / ".audit").touch()
    monkeypatch.delenv("MAKEFLAGS", raising=False)
    for fails, status in (("0", 0), ("1", 2)):
        (tmp_path / "calls").unlink(missing_ok=True)
        monkeypatch.setenv("FAILS", fails)
        done = subprocess.run(["make", "audit", f"VENV={tmp_path}/venv"], cwd=REPOSITORY, check=False)
        assert done.returncode == status
        calls = [line.split() for line in (tmp_path / "calls").read_text("utf-8").splitlines()]
        assert all("--strict" in call for call in calls)
        audited = {call[call.index("--requirement") + 1] for call in calls}
        assert {"constraints-torch.txt", "locked.txt", "locked-run.txt"} <= audited
        assert set().union(*(PINS[each] for each in audited)) == set().union(*PINS.values())
