"""A whole experiment: every step is done, once, and what fails costs itself alone."""

from __future__ import annotations

import json
import re
from concurrent.futures import ThreadPoolExecutor

import pytest

import termgauge
from termgauge.benchmark.build import build
from termgauge.engine.evaluate import evaluate
from termgauge.engine.file import example_text, parse_experiment
from termgauge.engine.report import run_document
from termgauge.engine.run_folder import Failure
from termgauge.engine.runner import run
from termgauge.exceptions import TermgaugeError, TermgaugeWarning
from termgauge.reporting.writers.latex import latex_table
from termgauge.tasks.categories import result as separating
from termgauge.tasks.coverage import result as covering
from termgauge.tasks.pairs import scored as pair_scoring
from tests.engine.small_experiment import EXPERIMENT, add_drugs

pytestmark = pytest.mark.filterwarnings("ignore:Without positives")


def changed(path, *replacements):
    text = path.read_text()
    for old, new in replacements:
        assert old in text
        text = text.replace(old, new)
    path.write_text(text)


def lengths(texts):
    """Make vectors of texts."""
    return [[len(text), text.count("e"), 1.0] for text in texts]


def test_models_from_python_are_measured_beside_those_of_the_file(small):
    asked = []

    def counted(texts):
        asked.extend(texts)
        return lengths(texts)

    more = {"mine": counted, "more/chance": "baseline:random?dim=4"}
    made = run(small, report=False, models=more, jobs=2)
    record = made.record()
    assert list(record.models) == ["words", "letters", "chance", "mine", "more/chance"]
    assert record.models["mine"].options["identified"] == "a sample of 32 vectors"
    assert record.models["mine"].origin == "the Python function counted"
    assert record.command == f"tg.run('{small}', models=…)"
    assert set(made.results()["model"]) == set(record.models)
    first = len(asked)
    run(small, report=False, models=more)
    assert len(asked) - first == 32, "what is there is taken: it was asked for the sample alone"
    with pytest.raises(TermgaugeError, match="A model of the file is called 'words', too"):
        run(small, models={"words": lengths})


def test_a_run_has_all_its_parts(small):
    made = run(small, report=False)
    assert made.path == small.parent / "run"
    assert (made.path / "experiment.toml").read_text() == EXPERIMENT
    assert (made.path / "benchmarks" / "small" / "benchmark.json").is_file()
    record = made.record()
    assert (record.title, record.correction) == ("Small", "holm")
    assert record.measures == ["avg_cos", "fuzzy_jaccard"]
    assert record.command == f"termgauge run {small}"
    assert record.terminologies["small"].version == "2026-01-01"
    assert record.benchmarks["small"].seed == 42
    assert record.benchmarks["small"].terminology == record.terminologies["small"]
    assert record.failures == {}
    assert list(record.models) == ["words", "letters", "chance"]
    assert {"Read terminologies", "Build benchmarks", "Score models", "Categories"} < set(record.timings)
    origin = record.sets["small-2026-01-01/fsn-syn/hard/levenshtein"].origin
    assert (origin.terminology, origin.kind, origin.difficulty) == ("small-2026-01-01", "fsn-syn", "hard")
    results = made.results()
    assert set(results["model"]) == {"words", "letters", "chance"}
    assert len(set(results["set"])) == 8
    categories = json.loads((made.path / "categories" / "organs.json").read_text())
    assert list(categories["models"]) == ["words", "letters", "chance"]
    assert categories["categories"]["A"]["concepts"] == 5
    covered = json.loads((made.path / "coverage" / "heart.json").read_text())
    assert list(covered["models"]) == ["words"], "baselines know nothing of a domain"
    assert covered["models"]["words"]["seeds"] == 5
    assert json.loads((made.path / "domains" / "heart.json").read_text()) == covered["domain"]
    vocabulary = json.loads((made.path / "vocabulary.json").read_text())
    assert [model["name"] for model in vocabulary["models"]] == ["words", "letters", "chance"]


def test_what_the_file_says_about_models_is_in_the_report(small):
    about = 'date = 2013\ncorpus = "PubMed & Wikipedia"\ntokens = "2.9B"\nmethod = "skip-gram"\nmedical = true\n'
    changed(
        small,
        ('spec = "word2vec:words.txt"\n', f'spec = "word2vec:words.txt"\n{about}'),
        ("[scoring]", '[significance]\nmeasure = {words = "fuzzy_jaccard", terms = "kendall"}\n\n[scoring]'),
    )
    made = run(small, report=False)
    assert made.record().descriptions["words"].medical
    tables = {table.id: table for table in run_document(made).tables()}
    row = next(row for row in tables["vocabularies"].rows if row[0].text == "words")
    assert [cell.text for cell in row[2:6]] == ["2013", "PubMed & Wikipedia", "2.9B", "skip-gram"]
    assert r"PubMed \& Wikipedia" in latex_table(tables["vocabularies"])
    shown = [table for name, table in tables.items() if name.startswith("values-")]
    assert shown
    assert all("`fuzzy_jaccard`" in " ".join(table.notes) for table in shown)
    assert "built-sets" in tables


def test_the_values_are_those_of_evaluate(small, tmp_path):
    made = run(small, report=False)
    benchmark = build(termgauge.read_terminology(small.parent / "small.obo"), tmp_path / "built")
    specs = [f"words={small.parent}/words.txt", "letters=baseline:levenshtein", "chance=baseline:random?dim=8"]
    alone = evaluate([benchmark.folder], specs, tmp_path / "alone", measures=["avg_cos", "fuzzy_jaccard"])
    assert (alone.path / "results.csv").read_bytes() == (made.path / "results.csv").read_bytes()


def test_a_second_run_makes_nothing_again(small, scored, monkeypatch):
    made = run(small, report=False)
    assert len(scored) == 24
    before = {path: path.stat().st_mtime_ns for path in made.path.rglob("*") if path.is_file()}
    scored.clear()
    monkeypatch.setattr(separating, "separations", lambda *_, **__: pytest.fail("measured again"))
    monkeypatch.setattr("termgauge.tasks.pairs.results.make_results", lambda *_, **__: pytest.fail("made again"))
    run(small, report=False)
    assert scored == []
    same = {path.name for path, at in before.items() if path.stat().st_mtime_ns == at}
    assert {"results.csv", "results.parquet", "vocabulary.json", "organs.json", "heart.json"} <= same


def test_a_changed_file_makes_what_has_changed(finished, scored, tmp_path):
    made = run(finished, report=False)
    scored.clear()
    new = '[[model]]\nname = "more"\nspec = "baseline:random?dim=4"\n\n[scoring]'
    changed(finished, ("[scoring]", new), ('name = "letters"', 'name = "edits"'))
    run(finished, report=False)
    assert {call[0] for call in scored} == {"edits", "more"}
    assert list(made.record().models) == ["words", "edits", "chance", "more"]
    assert set(made.results()["model"]) == {"words", "edits", "chance", "more"}, "what is not in the file is not shown"
    scored.clear()
    changed(finished, ('terminology = "small"', 'terminology = "small"\nonly = ["fsn-syn"]\nseed = 7'))
    run(finished, report=False)
    assert {call[1].split("/")[1] for call in scored} == {"fsn-syn"}
    assert len(set(made.results()["set"])) == 4
    whole = run(finished, out=tmp_path / "anew", report=False)
    assert (whole.path / "results.csv").read_bytes() == (made.path / "results.csv").read_bytes()
    assert whole.record().command == f"termgauge run {finished} --out {tmp_path / 'anew'}"


def test_measures_that_are_no_longer_asked_for_do_not_count(finished, scored, tmp_path):
    made = run(finished, report=False)
    both = (made.path / "results.csv").read_bytes()
    scored.clear()
    changed(finished, ('measures = ["avg_cos", "fuzzy_jaccard"]', 'measures = ["avg_cos"]'))
    run(finished, report=False)
    assert set(made.results()["measure"]) == {"avg_cos", "similarity"}
    alone = run(finished, out=tmp_path / "anew", report=False)
    assert (alone.path / "results.csv").read_bytes() == (made.path / "results.csv").read_bytes()
    assert list(made.scored().scores("words", made.results()["set"][0])) == ["avg_cos"]
    scored.clear()
    changed(finished, ('measures = ["avg_cos"]', 'measures = ["avg_cos", "fuzzy_jaccard"]'))
    run(finished, report=False)
    assert scored == [], "they were kept"
    assert (made.path / "results.csv").read_bytes() == both
    evaluate([made.path / "benchmarks" / "small"], [f"words={finished.parent}/words.txt"], made.path)
    assert {"pair_cos", "max_jaccard"} < set(made.results()["measure"])


def test_relations_hold_as_analogies(small):
    add_drugs(small)
    made = run(small)
    assert made.record().section_failures == {}
    (file,) = (made.path / "analogies").glob("*.json")
    found = json.loads(file.read_text())
    assert list(found["models"]) == ["words"]
    assert list(found["relations"]) == ["treats", "inverse of treats"]
    assert found["models"]["words"]["relations"]["treats"]["coverage"] > 0.9
    page = (made.path / "report.html").read_text()
    assert "Analogies" in page
    assert "drugs &lt;b&gt;" in page
    assert "treats" in page
    before = file.stat().st_mtime_ns
    run(small, report=False)
    assert file.stat().st_mtime_ns == before
    changed(small, ("k = [2]", "k = [2]\nanalogies = false"))
    run(small)
    assert not file.exists()
    assert "Analogies" not in (made.path / "report.html").read_text()


def test_a_domain_alone_is_enough(small):
    add_drugs(small)
    text = small.read_text(encoding="utf-8")
    tables = re.split(r"(?m)^(?=\[)", text)
    kept = [table for table in tables if not re.match(r"\[\[benchmark\]\]|\[human\]|\[\[categories\]\]", table)]
    small.write_text("".join(kept), encoding="utf-8")
    made = run(small)
    assert made.record().sets == {}
    with pytest.raises(TermgaugeError, match="holds no results"):
        made.results()
    page = (made.path / "report.html").read_text(encoding="utf-8")
    assert "Coverage of a domain" in page
    assert "Nothing was measured" not in page


def test_sections_come_in_the_order_of_the_file(small):
    with small.open("a", encoding="utf-8") as file:
        file.write('\n[[coverage]]\nname = "a lung"\nbranches = ["X:1"]\nk = [5]\nanalogies = false\n')
    titles = [section.title for section in run_document(run(small, report=False)).sections]
    of_domains = [title for title in titles if title.startswith("Coverage of a domain")]
    assert [title.split(": ")[1] for title in of_domains] == ["heart", "a lung"]


def test_categories_are_measured_model_by_model(small, monkeypatch):
    measured = []
    plain = separating.separations

    def measure(model, *given, **options):
        measured.append(model.name)
        if len(measured) == 2:
            raise KeyboardInterrupt
        return plain(model, *given, **options)

    monkeypatch.setattr(separating, "separations", measure)
    with pytest.raises(KeyboardInterrupt):
        run(small, report=False)
    run(small, report=False)
    assert measured == ["words", "letters", "letters", "chance"]
    changed(small, ('far = "X:2"', 'far = "X:3"'))
    measured[:] = ["", "", ""]
    made = run(small, report=False)
    assert measured[3:] == ["words", "letters", "chance"]
    assert json.loads((made.path / "categories" / "organs.json").read_text())["categories"]["C"]["name"] == "X:3"


@pytest.mark.filterwarnings("ignore:The section 'coverage heart'")
def test_a_model_that_does_not_open_costs_itself_alone(small):
    changed(small, ("word2vec:words.txt", "word2vec:nowhere.bin"))
    with pytest.warns(TermgaugeWarning, match="The model 'words' cannot be used and is left out: .*nowhere.bin"):
        made = run(small, report=False)
    failure = made.record().failures["words"]
    assert failure.step == "opening"
    assert "nowhere.bin" in failure.reason
    assert set(made.results()["model"]) == {"letters", "chance"}
    changed(small, ("nowhere.bin", "words.txt"))
    assert run(small, report=False).record().failures == {}
    assert set(made.results()["model"]) == {"words", "letters", "chance"}


@pytest.mark.parametrize("error", [TermgaugeError("broke."), OSError(5, "Input/output error"), ZeroDivisionError("x")])
def test_a_model_that_fails_while_scoring_keeps_what_it_did(small, monkeypatch, error):
    plain, calls = pair_scoring.score_pairs, []

    def scoring(model, pairs, measures, advance):
        calls.append(model.name)
        if model.name == "words" and calls.count("words") == 3:
            raise error
        return plain(model, pairs, measures, advance)

    monkeypatch.setattr(pair_scoring, "score_pairs", scoring)
    with pytest.warns(TermgaugeWarning, match="The model 'words' failed in scoring"):
        made = run(small, report=False)
    assert made.record().failures["words"].step == "scoring"
    known = isinstance(error, TermgaugeError | OSError)
    assert ("defect of termgauge (ZeroDivisionError: x, in " in made.record().failures["words"].reason) != known
    assert calls.count("words") == 3, "it is given up at the first failure"
    results = made.results()
    assert len(set(results.filter(model="words")["set"])) == 2
    assert len(set(results.filter(model="chance")["set"])) == 8
    calls[:] = ["words"] * 9
    run(small, report=False)
    assert calls[9:] == ["words"] * 6, "only what is missing is scored"


def test_without_any_model_there_is_no_run(small):
    changed(small, ("words.txt", "none.txt"), ("baseline:levenshtein", "a.bin"), ("baseline:random?dim=8", "b.bin"))
    with (
        pytest.raises(TermgaugeError, match=r"^No model can be used: .*none.txt"),
        pytest.warns(TermgaugeWarning, match="left out"),
    ):
        run(small, report=False)


def test_a_section_that_fails_costs_itself_alone(small):
    changed(small, ('far = "X:2"', 'far = "X:none"'))
    with pytest.warns(TermgaugeWarning, match="section 'categories organs' is left out: .*neither a concept nor a tag"):
        made = run(small, report=False)
    assert "X:none" in made.record().section_failures["categories organs"]
    assert not (made.path / "categories").exists()
    assert len(made.results())


def test_a_defect_costs_its_section_and_not_the_report(small, monkeypatch):
    def broken(*_given):
        raise ZeroDivisionError("x")

    monkeypatch.setattr("termgauge.tasks.vocabulary.task.VocabularyTask.combine", broken)
    with pytest.warns(TermgaugeWarning, match="section 'vocabulary' is left out: This is a defect of termgauge"):
        made = run(small)
    assert "defect of termgauge (ZeroDivisionError: x" in (made.path / "report.html").read_text()
    assert (made.path / "categories" / "organs.json").is_file()
    assert len(made.results())


def test_a_defect_in_the_values_ends_the_run_after_the_report(finished, monkeypatch):
    made = run(finished, report=False)

    def broken(*_given):
        raise ZeroDivisionError("x")

    monkeypatch.setattr("termgauge.tasks.pairs.results.make_results", broken)
    changed(finished, ('"avg_cos", ', ""))
    with (
        pytest.warns(TermgaugeWarning, match="'scoring' is left out|cannot be shown"),
        pytest.raises(ZeroDivisionError),
    ):
        run(finished)
    page = (made.path / "report.html").read_text()
    assert "scoring is not there: This is a defect of termgauge" in page
    assert "Categories" in page
    assert not (made.path / "results.csv").exists(), "its values were of another experiment"


def test_a_model_that_fails_in_a_section_is_named(small, monkeypatch):
    plain = separating.separations

    def measure(model, *given, **options):
        if model.name == "words":
            raise OSError(2, "No such file or directory", "words.txt")
        return plain(model, *given, **options)

    monkeypatch.setattr(separating, "separations", measure)
    with pytest.warns(TermgaugeWarning, match="The model 'words' failed in categories organs"):
        made = run(small, report=False)
    failure = Failure(step="categories organs", reason="words.txt: no such file or directory.")
    assert made.record().failures == {"words": failure}
    assert list(json.loads((made.path / "categories" / "organs.json").read_text())["models"]) == ["letters", "chance"]


@pytest.mark.filterwarnings("ignore:The model 'words' failed in coverage heart")
def test_a_domain_is_covered_again_when_it_or_a_model_changes(small, monkeypatch):
    asked = []
    plain = covering.cover
    monkeypatch.setattr(
        covering, "cover", lambda model, *given, **more: asked.append(model.name) or plain(model, *given, **more)
    )
    made = run(small, report=False)
    run(small, report=False)
    assert asked == ["words"]
    changed(small, ('branches = ["X:0"]', 'branches = ["X:1"]'))
    run(small, report=False)
    assert asked == ["words", "words"]
    changed(small, ("word2vec:words.txt", "word2vec:words.txt?lowercase=true"))
    run(small, report=False)
    assert asked == ["words"] * 3

    def broken(*_given, **_more):
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(covering, "cover", broken)
    changed(small, ('branches = ["X:1"]', 'branches = ["X:2"]'))
    with pytest.warns(TermgaugeWarning, match="section 'coverage heart' is left out: The system says: Input/output"):
        run(small, report=False)
    assert made.record().section_failures == {"coverage heart": "The system says: Input/output error."}
    assert not (made.path / "coverage" / "heart.json").exists(), "what was there is out of date"


def test_a_saved_domain_and_another_method(finished):
    made = run(finished, report=False)
    saved = made.path / "domains" / "heart.json"
    seeds = json.loads(saved.read_text())["seeds"]
    (finished.parent / "saved.json").write_text(saved.read_text())
    new = 'domain = "saved.json"\nmethod = "mul"\nrelations = ["is_a"]\nlowercase = true\n'
    changed(finished, ('branches = ["X:0"]\n', new), ("analogies = false\n", ""))
    run(finished, report=False)
    assert json.loads(saved.read_text())["seeds"] == seeds
    document = json.loads((made.path / "analogies" / "heart.json").read_text())
    assert document["method"] == "mul"
    assert list(document["relations"]) == ["is_a"]


def test_sections_that_are_no_longer_asked_for_go(finished):
    made = run(finished, report=False)
    changed(finished, ('name = "organs"', 'name = "parts of the body"'), ('name = "heart"', 'name = "Herz"'))
    run(finished, report=False)
    files = [path for part in ("categories", "coverage", "domains") for path in (made.path / part).glob("*.json")]
    names = [json.loads(path.read_text()).get("name", "domain") for path in files]
    assert names == ["parts of the body", "Herz", "domain"]
    folders = [
        path.name for part in ("categories", "coverage") for path in (made.path / part).iterdir() if path.is_dir()
    ]
    assert folders == [path.stem for path in files[:2]], "what was measured of each model goes, too"


def test_human_sets_and_benchmarks_built_before(small, shared, tmp_path):
    if shared is None:
        pytest.skip("needs a human-rated set")
    build(small.parent / "small.obo", tmp_path / "built")
    data = shared / "data" / "similarity"
    given = f'folder = "{tmp_path / "built"}"\n\n[human]\nsets = ["human/mayosrs"]\ndata_dir = "{data}"'
    changed(small, ('[[benchmark]]\nterminology = "small"', f"[[benchmark]]\n{given}"))
    with pytest.warns(TermgaugeWarning, match="human/mayosrs: these models score less than 50 % of its pairs.*: words"):
        made = run(small, report=False)
    sets = list(made.record().sets)
    assert sets[-1] == "human/mayosrs"
    assert len(sets) == 9
    assert list(made.record().benchmarks) == ["built"]


def test_bad_input_leaves_no_folder(small):
    for old, new in (("small.obo", "none.obo"), ("[[benchmark]]", '[human]\nsets = ["human/mayosrs"]\n[[benchmark]]')):
        text = small.read_text()
        changed(small, (old, new))
        with pytest.raises(TermgaugeError, match=r"none\.obo|is not at hand"):
            run(small, report=False)
        assert not (small.parent / "run").exists()
        small.write_text(text)


def test_one_process_at_a_time(finished):
    made = run(finished, report=False)
    with made.at_work(), pytest.raises(TermgaugeError, match="another process is at work in it"):
        run(finished, report=False)
    run(finished, report=False)


@pytest.mark.long
def test_one_and_two_workers_give_the_same(small, tmp_path):
    one = run(small, report=False)
    two = run(small, out=tmp_path / "two", jobs=2, report=False)
    other = run(small, out=tmp_path / "other", executor=ThreadPoolExecutor(1), report=False)
    files = [path.relative_to(one.path) for path in one.path.rglob("*.parquet")] + [
        "results.csv",
        "coverage/heart.json",
    ]
    assert len(files) == 24 + 8 + 8 + 1 + 2
    for name in [*files, "categories/organs.json", "vocabulary.json"]:
        assert (one.path / name).read_bytes() == (two.path / name).read_bytes() == (other.path / name).read_bytes()
    assert two.record().models == one.record().models


@pytest.mark.long
@pytest.mark.filterwarnings("ignore::termgauge.exceptions.TermgaugeWarning")
def test_the_embedded_default_runs(tmp_path, hpo):
    """On fewer pairs and terms."""
    assert hpo.is_file()
    text = example_text("default")
    for old, new in (
        ('terminology = "hpo"', 'terminology = "hpo"\nmax_pairs = 40\nonly = ["fsn-syn"]'),
        ("max_terms = 500", "max_terms = 20"),
    ):
        assert text.count(old) == 1
        text = text.replace(old, new)
    whole, _, coverage = text.partition("[[coverage]]")
    made = run(parse_experiment(whole), out=tmp_path / "run", report=False)
    record = made.record()
    assert set(record.failures) <= {"bge-small"}, "the package that carries it is not on the ordinary path"
    assert {"GloVe", "MEDLINE", "WordLlama", "char-ngrams", "levenshtein", "random"} <= set(record.models)
    assert record.section_failures == {}
    assert set(made.results()["model"]) == set(record.models)
    # Without the encoder, which would encode the whole ontology.
    models = [part for part in whole.split("\n\n") if "onnx:" not in part]
    made = run(parse_experiment("\n\n".join([*models, f"[[coverage]]{coverage}"])), out=tmp_path / "run", report=False)
    assert made.record().section_failures == {}
    assert list(json.loads((made.path / "coverage" / "breathing.json").read_text())["models"]) == [
        "GloVe",
        "MEDLINE",
        "WordLlama",
    ]


def test_the_report_is_written(small):
    changed(
        small,
        ('terminology = "small"', 'terminology = "small"\nonly = ["fsn-syn", "hard"]'),
        ("baseline:levenshtein", "word2vec:gone.bin"),
    )
    with pytest.warns(TermgaugeWarning, match="gone.bin"):
        made = run(small)
    text = (made.path / "report.html").read_text()
    assert "Small" in text
    assert "gone.bin" in text, "why a model is missing"
    assert made.record().timings["Report"] > 0
