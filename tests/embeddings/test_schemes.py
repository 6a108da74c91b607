"""The registry of schemes, with one of another package: the one that the docs show, step by step."""

from __future__ import annotations

import json
import re
import tomllib
import warnings

import numpy as np
import pytest

from termgauge.embeddings.load import load_model
from termgauge.embeddings.model import WordModel
from termgauge.embeddings.neighbours import neighbours
from termgauge.embeddings.schemes import GROUP, Option, Scheme, all_schemes, describe_schemes, find_scheme
from termgauge.embeddings.spec import ModelSpec
from termgauge.exceptions import TermgaugeError, TermgaugeWarning
from tests.conftest import REPOSITORY
from tests.other_package import install

PAGE = (REPOSITORY / "docs" / "adding-a-scheme.md").read_text("utf-8")
OURS = list(all_schemes())


def block(language):
    return re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)[0]


@pytest.fixture(autouse=True)
def no_schemes_of_other_tests():
    all_schemes.cache_clear()
    yield
    all_schemes.cache_clear()


@pytest.fixture
def installed(tmp_path, monkeypatch):
    """Return a function that installs a package with the scheme of the docs, and what else a test wants."""
    ((group, entries),) = tomllib.loads(block("toml"))["project"]["entry-points"].items()
    assert group == GROUP

    def with_others(changes=(), **others):
        code = block("python")
        for old, new in changes:
            assert old in code
            code = code.replace(old, new)
        modules = {"acme_json": code, "acme_broken": "1 / 0"}
        install(tmp_path / "site", monkeypatch, modules, group, {**entries, **others})

    return with_others


@pytest.fixture
def vectors(tmp_path):
    path = tmp_path / "vectors.json"
    path.write_text(block("json"), encoding="utf-8")
    return path


def test_a_scheme_of_another_package_is_no_different_from_ours(installed, vectors):
    installed()
    assert list(all_schemes()) == [*OURS, "json"]
    model = load_model(f"Mine=json:{vectors}?lowercase=yes")
    assert isinstance(model, WordModel)
    assert (model.name, model.kind, model.dimension, model.identity.scheme) == ("Mine", "words", 2, "json")
    np.testing.assert_array_equal(model.vectors(["lung"]), np.float32([[0.8, 0.3]]))
    assert [entry.text for entry in neighbours(model, ["Heart"], 2)] == ["lung", "fever"]
    [described] = describe_schemes("json:")["schemes"]
    assert (described["kinds"], described["installed"], described["options"]["key"]) == (
        "words, concepts",
        True,
        "[TEXT]",
    )
    assert str(ModelSpec.parse("json:a.json?key=b")) == "json:a.json?key=b"
    with pytest.raises(TermgaugeError, match=r"'json:' has no option 'keys'.*Did you mean 'key'"):
        ModelSpec.parse("json:a.json?keys=b")


def test_what_the_loader_of_the_docs_says_of_bad_files(installed, vectors):
    installed()
    for text in ('{"a": [1, 2], "b": [3]}', "[]", '{"a": 1}', "{", '{"a": {}}'):
        vectors.write_text(text)
        with pytest.raises(TermgaugeError, match=r"vectors\.json: "):
            load_model(f"json:{vectors}")
    vectors.write_text('{"inner": {"C0000039": [1, 2], "C0000052": [2, 1]}}')
    assert load_model(f"json:{vectors}?key=inner").kind == "concepts"


@pytest.mark.parametrize(
    ("changes", "others", "why"),
    [
        ((), {"bad": "acme_broken:SCHEME"}, "ZeroDivisionError"),
        ((), {"bad": "acme_json:load_json"}, "'bad' of termgauge.schemes is no Scheme"),
        ((), {"again": "acme_json:SCHEME"}, "the name 'json' is taken"),
    ],
)
def test_a_bad_one_costs_itself_alone(installed, vectors, changes, others, why):
    installed(changes, **others)
    with pytest.warns(TermgaugeWarning, match=why) as caught:
        assert list(all_schemes()) == [*OURS, "json"]
    assert len(caught) == 1
    assert load_model(f"json:{vectors}").dimension == 2


@pytest.mark.parametrize(
    "change", [('name="json"', 'name="glove"'), ("    load=load_json,", '    load=load_json, extra="acme",')]
)
def test_a_taken_name_or_unknown_extra(installed, change):
    installed([change])
    with pytest.warns(TermgaugeWarning, match="'glove' is taken|termgauge has no extra 'acme'"):
        assert list(all_schemes()) == OURS


def test_packages_of_others_are_not_loaded_for_our_own_schemes(installed):
    installed(bad="acme_broken:SCHEME")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert ModelSpec.parse("glove:x.txt").declared is find_scheme("glove")
    with pytest.warns(TermgaugeWarning), pytest.raises(TermgaugeError, match=r"no scheme 'jsn:'.*mean 'json'\?"):
        find_scheme("jsn")


def test_our_own_are_in_the_docs():
    pages = "".join(
        (REPOSITORY / "docs" / f"{name}.md").read_text("utf-8") for name in ("models", "encoders", "encoders-torch")
    )
    for name in OURS:
        assert f"`{name}{'' if ':' in name else ':'}" in pages


def test_a_location_that_a_scheme_has_not():
    with pytest.raises(TermgaugeError, match=r"no baseline 'randm'; there are random, levenshtein, .* mean 'random'"):
        find_scheme("baseline", "randm")


@pytest.mark.parametrize(
    ("option", "given", "kept"),
    [
        (Option("x", "flag"), "Yes", "true"),
        (Option("x", "flag"), "off", "false"),
        (Option("x", "integer", least=-3), "-03", "-3"),
        (Option("x", choices=("a", "b")), "b", "b"),
        (Option("x"), "A b", "A b"),
        (Option("x", "flag"), "2", None),
        (Option("x", "integer", least=1), "0", None),
        (Option("x", "integer"), "1.5", None),
        (Option("x", choices=("a", "b")), "c", None),
    ],
)
def test_values_have_one_written_form(option, given, kept):
    if kept is None:
        with pytest.raises(TermgaugeError, match="'name'"):
            option.canonical("name", given)
    else:
        assert option.canonical("name", given) == kept
        assert option.canonical("name", kept) == kept


def test_declarations_are_whole():
    for name, scheme in all_schemes().items():
        assert isinstance(scheme, Scheme)
        assert name == scheme.name
        assert scheme.kinds
        assert bool(scheme.default_location) == bool(scheme.default_package)
        assert json.loads(json.dumps(scheme.about)).strip()
        for option_name, option in scheme.options.items():
            assert option.about
            assert not option.default or option.canonical(option_name, option.default) == option.default
