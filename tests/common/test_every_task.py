"""What every task must do, whoever wrote it; one without a sample here is measured with the defaults of its options."""

from __future__ import annotations

import inspect
import re
import tempfile
from dataclasses import dataclass, field, replace
from functools import cache
from hashlib import sha256

import numpy as np
import pytest
from pydantic import TypeAdapter

import termgauge as tg
from termgauge.engine.tables import experiment_model
from termgauge.engine.verbs import keywords_of
from termgauge.exceptions import TermgaugeError
from termgauge.options import fields_for
from termgauge.reporting.blocks import Document
from termgauge.reporting.writers.html import fragment, html
from termgauge.reporting.writers.write import FORMATS, write_document
from termgauge.tasks import contract
from termgauge.tasks.contract import About, Material
from termgauge.tasks.registry import all_tasks
from termgauge.tasks.results import Value
from termgauge.terminology.options import ReadingOptions
from tests.domain.tables import Words
from tests.domain.terminologies import terminology_of
from tests.engine.toy_models import ToyTerms, binary_set, graded_set
from tests.tasks.ner.stand_in import CORPUS, use_stand_in

SETS = (graded_set(), binary_set())
FOLDERS = tempfile.TemporaryDirectory()
PLACES = range(24)


@cache
def terminology():
    """Return three branches of eight concepts each, of which those of the first treat those of the second."""
    labels = {branch: [f"thing {branch}"] for branch in "ABC"}
    labels |= {f"c{place}": [f"w{place}", f"other w{place}"] for place in PLACES}
    below = [(f"c{place}", "is_a", "ABC"[place // 8]) for place in PLACES]
    return terminology_of(labels, [*below, *((f"c{place}", "treats", f"c{place + 8}") for place in range(8))])


def words(name, seed):
    """Return vectors of all words of the terminology, at an offset for each branch, and of those of the sets."""
    known = [
        *(f"w{place}" for place in PLACES),
        *{word for pairs in SETS for text in pairs.frame["term_1"] for word in text.split()},
    ]
    vectors = np.random.default_rng(seed).normal(size=(len(known), 5))
    vectors[8:16] = vectors[:8] + np.arange(5) + 0.3 * seed * vectors[8:16]
    return Drawn(known, vectors, name=name)


class Drawn(Words):
    """Words that are known by their vectors, too."""

    @property
    def identity(self):
        return replace(super().identity, source=sha256(self.vectors_of_rows.tobytes()).hexdigest())


@dataclass(frozen=True)
class Sample:
    """A small case of a task."""

    options: dict[str, object] = field(default_factory=dict)
    """Such as a user would give; some that are not the default."""
    models: tuple[object, ...] = (words("one", 1), words("two", 5), ToyTerms())


SAMPLES = {
    "pairs": Sample({"measures": ["avg_cos", "fuzzy_jaccard", "cos"]}),
    "vocabulary": Sample({"missing": 3}),
    "categories": Sample({"close": ["A", "B"], "far": "C", "measures": ["avg_cos"]}),
    "coverage": Sample({"branches": ["A"], "k": [2, 4]}),
    "analogies": Sample({"branches": ["A"], "k": [3, 1], "method": "mul"}),
    "linking": Sample({"index": "all", "k": [1, 3], "device": "cpu"}),
    "ner": Sample({"corpus": [str(CORPUS)], "trials": 2, "epochs": 3, "decoding": "viterbi"}),
    "audit": Sample({"first": 3, "most": 10}),
    "subsets": Sample({"by": "edit-distance", "bands": [0.0, 6.0, 12.0], "only_models": ["one", "two"]}),
    "prediction": Sample({"extrinsic": ["coverage:posdcg"], "correction": "holm"}),
}
"""By the name of the task; one that has none is measured with the defaults of its options."""
SAMPLES = {name: SAMPLES.get(name, Sample()) for name in all_tasks()}


@pytest.mark.parametrize("name", SAMPLES)
def test_options_of_samples_are_those_of_tasks(name):
    assert set(SAMPLES[name].options) <= set(all_tasks()[name].options.model_fields)


def fitting(task):
    """Return the models of a sample that the task can measure."""
    return [each for each in SAMPLES[task.name].models if task.fits(each.kind, each.identity.scheme)]


class Case:
    """A task that is ready to measure the models of its sample."""

    def __init__(self, name, folder, only=None):
        self.task, self.sample = all_tasks()[name], SAMPLES[name]
        self.options = self.task.options.of(**self.sample.options)
        self.models = {model.name: model for model in fitting(self.task) if only in (None, model.name)}
        run = None
        if self.task.reads_run:
            run = finished_run().scored()
        elif not self.task.keeps:  # what it measures are files in a run folder
            run = tg.evaluate(SETS, self.models.values(), folder / f"run {only}", **self.sample.options).scored()
        self.material = Material(
            name=name if not self.task.keeps else "",
            terminology=terminology() if "terminology" in self.task.needs else None,
            sets=SETS if "sets" in self.task.needs else (),
            run=run,
            models={each: lambda model=model: model for each, model in self.models.items()},
        )
        self.inputs = self.task.inputs(self.options, self.material)

    def measured(self):
        if self.task.reads_run:
            return {}
        return {name: self.task.measure(model, self.inputs, self.options) for name, model in self.models.items()}

    def result(self, measured=None):
        return self.task.combine(measured or self.measured(), self.inputs, self.options)


@pytest.fixture(autouse=True)
def _stand_in(monkeypatch):
    """Let tasks that train do it without torch."""
    use_stand_in(monkeypatch)


@cache
def finished_run():
    """Return a run in which every task that measures models has a result, under the name ``sample``."""
    folder = FOLDERS.name
    run = tg.evaluate(SETS, SAMPLES["pairs"].models, f"{folder}/run")
    measuring = [name for name, task in all_tasks().items() if task.keeps and not task.reads_run]
    for name in measuring:
        case = Case(name, folder)
        case.task.save(case.result(), run.path, "sample", {})
    repeated = {name: ["sample"] for name in measuring if all_tasks()[name].repeated}
    run.write(run.record().model_copy(update={"tasks": repeated}))
    return run


@pytest.fixture(params=list(SAMPLES))
def name(request):
    return request.param


@pytest.fixture
def case(name, tmp_path):
    return Case(name, tmp_path)


FIXED = ("run", "models", "source", "benchmarks", "columns", "data_dir", "jobs", "client", "shared")
VERBS = [name for name in SAMPLES if all_tasks()[name].command]


def call(name, **more):
    """Call the verb of a task as its sample says."""
    task, sample = all_tasks()[name], SAMPLES[name]
    given = dict(sample.options)
    if "terminology" in task.needs:
        given["source"] = terminology()
    if "sets" in task.needs:
        given["benchmarks"] = SETS
    given |= {"run": finished_run()} if task.reads_run else {"models": fitting(task)}
    return getattr(tg, name)(**given | more)


def test_options_round_trip_through_json_and_a_table(case):
    kind = type(case.options)
    assert kind.model_validate_json(case.options.model_dump_json()) == case.options
    assert kind.of(**case.options.model_dump()) == case.options
    table = experiment_model().model_fields[case.task.table_name].annotation
    table = table.__args__[0] if case.task.repeated else table
    in_file = {key: value for key, value in case.sample.options.items() if key in fields_for(kind, "file")}
    said = table.model_validate({"name": "a name", **in_file} if case.task.repeated else in_file)
    assert said.part(case.task.options) == kind.of(**in_file)


def test_what_is_measured_round_trips_through_json(case):
    fresh = case.measured()
    adapter = TypeAdapter(case.task.measured_type)
    kept = {name: adapter.validate_json(adapter.dump_json(each)) for name, each in fresh.items()}
    plain = {name: adapter.validate_python(adapter.dump_python(each, mode="json")) for name, each in fresh.items()}
    expected = case.result(fresh).as_dict()
    assert case.result(kept).as_dict() == case.result(plain).as_dict() == expected


def test_a_result_comes_back_as_it_was(case, tmp_path):
    result = case.result()
    assert isinstance(result, case.task.result_type)
    if case.task.keeps:
        assert type(result).model_validate_json(result.model_dump_json()) == result
        assert type(result).model_validate_json(result.model_dump_json()).model_dump_json() == result.model_dump_json()
        case.task.save(result, tmp_path, "a name", {"inputs": ""})
        read = case.task.load(type("Run", (), {"path": tmp_path})(), "a name")
        assert read == result.model_copy(update={"name": "a name", "identity": {"inputs": ""}})
    else:
        assert case.task.load(case.material.run, "").to_frame().equals(result.to_frame())


def test_measuring_a_model_does_not_depend_on_the_others(case, name, tmp_path):
    adapter = TypeAdapter(case.task.measured_type)
    together = case.measured()
    for model, measured in together.items():
        alone = Case(name, tmp_path, only=model).measured()
        assert adapter.dump_json(alone[model]) == adapter.dump_json(measured)


def test_values_are_those_of_the_frame(case):
    result = case.result()
    values, frame = list(result.values()), result.to_frame()
    assert {value.model for value in values} <= {*case.models, *([""] if case.task.reads_run else [])}
    assert values
    for value in values:
        assert value.better in ("higher", "lower", "")
        assert value.value is None or np.isfinite(value.value)
    keys = [(value.model, value.item, value.statistic) for value in values]
    assert len(set(keys)) == len(keys)
    if frame.columns == list(Value._fields):
        assert frame.rows() == [tuple(value) for value in values]
    else:
        rows = set(frame.select("model", "statistic", "value").iter_rows())
        assert {(value.model, value.statistic, value.value) for value in values} <= rows


@pytest.mark.filterwarnings("ignore:LaTeX cannot show SVG")
def test_its_sections_are_a_document_that_every_writer_can_write(case, tmp_path):
    result = case.result()
    for about in (About(), About("A <name> & more")):
        sections = tuple(case.task.sections(result, about)) + tuple(case.task.paper_sections(result))
        assert sections
        assert not any(section.title.endswith(": ") for section in sections)
        ids = [section.id for section in sections]
        assert len(set(ids)) == len(ids)
        document = Document("Sample", (), (), sections)
        blocks = [block.id for block in (*document.tables(), *document.figures())]
        assert len(set(blocks)) == len(blocks)
        for table in document.tables():
            assert all(len(row) == len(table.columns) for row in table.rows)
            for cell in (cell for row in table.rows for cell in row if cell.interval):
                digits = {len(text.partition(".")[2]) for text in (cell.text, *cell.interval.ends)}
                assert len(digits) == 1 or cell.text == "0", (table.caption, cell)
        targets = {form: tmp_path / f"{form}-{about.name[:1]}" for form in FORMATS}
        for place in write_document(document, targets, pictures=["svg"]):
            assert place.stat().st_size > 0
        assert "A <name>" not in html(document)
        models = {value.model for value in result.values()}
        assert all(model in html(document) for model in models)
    for citation in case.task.cited(result):
        assert citation.use
        assert citation.citation


@pytest.mark.parametrize("name", VERBS)
def test_the_verb_gives_the_same_result(name, case):
    result = call(name)
    assert result == case.result()
    assert result.left_out == []
    assert re.fullmatch(r"<\w+: [\w, ]+>", repr(result))
    assert len(repr(result)) < 100


@pytest.mark.parametrize("name", VERBS)
def test_a_notebook_shows_a_piece_of_html_that_touches_nothing_else(name):
    piece = call(name)._repr_html_()
    assert piece.startswith('<div class="termgauge-sections"><style>.termgauge-sections{')
    assert piece.endswith("</div>")
    assert "<script" not in piece
    assert "<svg" in piece or name == "audit" or type(all_tasks()[name]).sections is contract.Task.sections
    assert "<table" in piece
    assert "http://" not in piece.replace("http://www.w3.org/", "")
    assert fragment(Document("", (), (), ())) != piece
    style = piece.partition("<style>")[2].partition("</style>")[0]
    assert style.count("{") == style.count("}")
    for tag in ("section", "table", "figure", "div"):
        assert piece.count(f"<{tag}") - piece.count(f"<{tag}r") == piece.count(f"</{tag}>")


@pytest.mark.parametrize("name", VERBS)
def test_keywords_are_the_declared_options_and_no_others(name):
    task, verb = all_tasks()[name], getattr(tg, name)
    parameters = inspect.signature(verb).parameters
    fixed = {"run" if task.reads_run else "models"} | ({"source"} if "terminology" in task.needs else set())
    fixed |= {"benchmarks", "columns", "data_dir"} if "sets" in task.needs else set()
    fixed |= {"out", "jobs"} if task.parts_called else set()
    fixed |= set() if task.reads_run else {"client", "shared"}
    declared = set(fields_for(task.options, "command")) | set(task.testing)
    declared |= set(fields_for(ReadingOptions, "command")) if "terminology" in task.needs else set()
    assert set(parameters) == fixed | declared
    assert not any(each.kind in (each.VAR_KEYWORD, each.VAR_POSITIONAL) for each in parameters.values())
    assert "0x" not in str(inspect.signature(verb))
    for kind in (task.options, contract.Testing, ReadingOptions):
        for option, about in keywords_of(task, kind).items():
            if option in declared:
                assert f"{option}\n    {about.description}" in verb.__doc__
    assert verb.__doc__.startswith(task.question)
    assert verb.__name__ == name


@pytest.mark.parametrize("name", VERBS)
def test_misspelt_keywords_are_refused(name):
    task = all_tasks()[name]
    former = {*task.options.former_names, *ReadingOptions.former_names}
    for option in inspect.signature(getattr(tg, name)).parameters:
        misspelt = f"{option[:-1]}q{option[-1]}"
        if len(option) > 3 and misspelt not in former and option not in FIXED:
            with pytest.raises(TermgaugeError, match=f"There is no option '{misspelt}'.* Did you mean '"):
                call(name, **{misspelt: 2})


def table_of(model):
    """Return the words and vectors of one of the samples' models."""
    return list(model.vocabulary), model.gather(np.arange(len(model.vocabulary)))


def keyed_vectors(model):
    known, vectors = table_of(model)
    keyed = pytest.importorskip("gensim").models.KeyedVectors(vectors.shape[1])
    keyed.add_vectors(known, vectors)
    return keyed


class Encoding:
    """An object that has nothing but what encodes."""

    def __init__(self, model):
        self.encode = model.encode


OBJECTS = {
    "words": {
        "a dictionary": lambda model: dict(zip(*table_of(model), strict=True)),
        "keyed vectors": keyed_vectors,
    },
    "terms": {
        "a function": lambda model: lambda texts: model.encode(texts).tolist(),
        "an encoder": Encoding,
    },
}
"""By the kind of a model, how else it may be given from Python."""
GIVEN = [(kind, each) for kind, ways in OBJECTS.items() for each in ways]


@pytest.mark.filterwarnings("ignore::termgauge.exceptions.TermgaugeWarning")
@pytest.mark.parametrize("name", [name for name in SAMPLES if not all_tasks()[name].reads_run])
@pytest.mark.parametrize(("kind", "way"), GIVEN, ids=[f"{kind} as {way}" for kind, way in GIVEN])
def test_objects_of_other_libraries_are_measured_as_our_own_models_are(name, kind, way, tmp_path):
    task, own = all_tasks()[name], words("one", 1) if kind == "words" else ToyTerms("one")
    if not task.fits(kind, "python"):
        pytest.skip(f"{name} does not measure {kind}")
    handed = {"one": OBJECTS[kind][way](own)}
    if not task.keeps:
        results = [tg.evaluate(SETS, each, tmp_path / at).results() for at, each in (("a", own), ("b", handed))]
        assert results[0].equals(results[1])
        assert results[0].height
        return
    expected, result = call(name, models=own), call(name, models=handed)
    assert result.left_out == []
    assert list(result.values()) == list(expected.values())
    if (kind, name) != ("terms", "vocabulary"):  # of which nothing is known but how many numbers a vector has
        assert {value.model for value in result.values()} >= {"one"}


def test_hop_is_not_hops_even_where_a_terminology_is_given():
    with pytest.raises(TermgaugeError, match=r"There is no option 'hop'.*Did you mean 'hops'"):
        call("coverage", hop=2)
