"""What every function of the package does for somebody at a prompt: take one thing alone, show itself in brief."""

from __future__ import annotations

import re
from functools import cache
from html.parser import HTMLParser

import numpy as np
import polars as pl
import pytest

import termgauge as tg
from termgauge.benchmark.pairset import PairSet
from termgauge.tasks.pairs.task import TASK
from tests.domain.tables import Words
from tests.domain.terminologies import terminology_of
from tests.samples import WRITERS
from tests.studies.rated_study import rated_study
from tests.tasks.ner.stand_in import CORPUS, use_stand_in

MOST = 120
"""Characters of a result in one line."""
BIGGEST = 400_000
"""Characters of a result in a notebook, with all its tables and pictures."""
PLACES = range(240)
pytestmark = pytest.mark.filterwarnings("ignore::termgauge.exceptions.TermgaugeWarning")


@cache
def terminology():
    """Return three branches of 80 concepts each, of which those of the first treat those of the second."""
    labels = {branch: [f"thing {branch}"] for branch in "ABC"}
    labels |= {f"c{place}": [f"w{place}", f"other w{place}", f"w{place} here"] for place in PLACES}
    below = [(f"c{place}", "is_a", "ABC"[place // 80]) for place in PLACES]
    return terminology_of(labels, [*below, *((f"c{place}", "treats", f"c{place + 80}") for place in range(80))])


def models(count=7):
    known = ["thing", "other", "here", *"ABC", *(f"w{place}" for place in PLACES)]
    vectors = np.random.default_rng(1).normal(size=(count, len(known), 4))
    return [Words(known, vectors[at], name=f"a model with a long name {at}") for at in range(count)]


def sets(count=3):
    frames = (
        {"term_1": [f"w{place}" for place in PLACES], "term_2": [f"other w{place + at}" for place in PLACES],
         "label": [place % 2 for place in PLACES]} for at in range(count)
    )  # fmt: skip
    return [PairSet(f"set-{at}", pl.DataFrame(frame)) for at, frame in enumerate(frames)]


def outcomes():
    """Return items and the values of seven models on them."""
    rows = {"set": ["set"] * len(PLACES), "item": PLACES}
    drawn = np.random.default_rng(2).normal(size=(7, len(PLACES)))
    items = {"unit_1": [f"c{place % 60}" for place in PLACES], "truth": [place % 2 for place in PLACES]}
    return rows | items, rows | {f"a model with a long name {at}": values for at, values in enumerate(drawn)}


def text_file(folder):
    (folder / "text.txt").write_text("The doctor treats a patient.\n" * 20)
    return folder / "text.txt"


def word_files(folder):
    rows = "".join(f"w{place}\tnoun\t{('biomedical', 'general')[place % 2]}\n" for place in PLACES)
    (folder / "sorted.tsv").write_text(f"word\tclass\tdomain\n{rows}")
    (folder / "related.tsv").write_text("word1\tword2\trelation\nw0\tw2\tlike\n")
    return folder / "sorted.tsv", folder / "related.tsv"


def _table(folder):
    rows = "".join(f"a model with a long name {at},{at % 5},{at % 7}\n" for at in range(40))
    (folder / "scores.csv").write_text(f"model,rho,f\n{rows}")
    return folder / "scores.csv"


@pytest.fixture(scope="module")
def shown(tmp_path_factory):
    """Return what each function gives, by its name."""
    folder = tmp_path_factory.mktemp("results")
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("TERMGAUGE_CACHE_DIR", str(folder / "cache"))
        use_stand_in(patched)
        run = tg.evaluate(sets(), models(), folder / "run")
        other = tg.evaluate(sets(), models(3), folder / "other")
        (folder / "ratings.tsv").write_text("".join(f"a{at}\tb{at}\t{at % 5}\t{at % 4}\n" for at in range(12)))
        (folder / "found.tsv").write_text("fever\tB-Sign\tB-Sign\nand\tO\tO\ncough\tB-Sign\tO\n\n" * 60)
        (folder / "tagged.tsv").write_text("cells\tNNS\tcell\ngrow\tVBP\tgrow\n" * 6)
        words = tg.words(folder / "tagged.tsv", folder / "words.tsv", general="none", spelling="none")
        return {
            "agreement": tg.agreement(folder / "ratings.tsv", resamples=100),
            "analogies": tg.analogies(terminology(), models(), branches=["A"], k=[1]),
            "as_model": tg.as_model({"heart": [1.0, 0.0], "attack": [0.0, 1.0]}, name="mine"),
            "audit": tg.audit(terminology(), models(), first=3),
            "build": tg.build(terminology(), folder / "benchmark"),
            "check_terminology": tg.check_terminology(WRITERS["obo"](folder / "checked")),
            "categories": tg.categories(terminology(), ["A", "B"], "C", models()),
            "compare": tg.compare(run, power=False),
            "coverage": tg.coverage(terminology(), models(), branches=["A"], k=[2]),
            "decisions": tg.decisions(_decided(folder)),
            "diff": tg.diff(other, run),
            "errors": tg.errors(run, "a model with a long name 0", "set-0"),
            "evaluate": run,
            "export": tg.export(sets()[0], "hf", folder / "exported"),
            "human_sets": tg.human_sets(),
            "compare_outcomes": tg.compare_outcomes(*outcomes(), statistic="auc"),
            "init": tg.init(folder / "experiment.toml"),
            "leaderboard": tg.leaderboard([run, other]),
            "linking": tg.linking(terminology(), models(), index="all", baselines=False),
            "load_benchmark": tg.load_benchmark(folder / "benchmark"),
            "load_human": sets()[0],
            "load_model": tg.load_model("baseline:levenshtein"),
            "make_domain": (domain := tg.make_domain(terminology(), branches=["A"])),
            "ner": tg.ner(CORPUS, models(), epochs=2),
            "neighbours": tg.neighbours(models(1)[0], ["w1", "w2"], 3),
            "new_study": (study := tg.new_study(folder / "study", sets()[0])),
            "open_study": study,
            "read_domain": domain,
            "read_pairs": tg.read_pairs(folder / "ratings.tsv", (1, 2, 3)),
            "read_table": tg.read_table(folder / "ratings.tsv"),
            "read_ratings": tg.read_ratings(folder / "ratings.tsv"),
            "read_terminology": terminology(),
            "report": tg.report(run),
            "run": run,
            "on_cluster": None,
            "show_progress": None,
            "score_entities": tg.score_entities(folder / "found.tsv"),
            "train_vectors": tg.train_vectors(text_file(folder), folder / "vectors", dimension=2, deterministic=True),
            "prediction": tg.prediction(_table(folder), extrinsic=["f"]),
            "subsets": tg.subsets(run, by="edit-distance", bands=[0, 3]),
            "vocabulary": tg.vocabulary(models(), sets(), missing=200),
            "words": words,
            "word_pairs": tg.word_pairs(*word_files(folder), per_quarter=2),
        }


def _decided(folder):
    """Return the table of words as two experts gave it back."""
    table = (folder / "words.tsv").read_text().splitlines()
    for expert in ("one", "two"):
        lines = [
            table[0],
            *(
                line.rstrip("\t") + "\t" * (table[0].count("\t") - line.rstrip("\t").count("\t")) + "biomedical"
                for line in table[1:]
            ),
        ]
        (folder / f"{expert}.tsv").write_text("\n".join(lines) + "\n")
    return [folder / "one.tsv", folder / "two.tsv"]


def test_every_function_has_a_sample(shown):
    functions = {name for name in tg.__all__ if not isinstance(getattr(tg, name), type)}
    assert set(shown) == functions


def results(shown):
    """Return what functions give that is no path, and what is inside."""
    made = {
        name: given
        for name, given in shown.items()
        if name not in ("init", "on_cluster", "read_table", "report", "show_progress")
    }
    study = shown["open_study"]
    return made | {
        "human set": shown["human_sets"][0],
        "study.ratings": study.ratings(),
        "pairs": TASK.load(shown["run"].scored(), ""),
    }


def test_what_comes_back_is_shown_in_one_line(shown):
    lines = {name: repr(given) for name, given in results(shown).items()}
    assert {name: line for name, line in lines.items() if len(line) >= MOST or "\n" in line} == {}
    assert {name: line for name, line in lines.items() if not re.fullmatch("<[^<>]+>", line)} == {}


class Shown(HTMLParser):
    """Reads what a notebook is given."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.open, self.outside, self.words = set(), [], [], []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.outside += [value for name, value in attrs if name in ("src", "href") or name.startswith("on")]
        if tag not in ("br", "hr", "img", "meta", "col"):
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        self.open.pop()

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open[-1:] != ["style"]:
            self.words.append(data)


def test_what_comes_back_is_shown_in_a_notebook(shown):
    for name, given in results(shown).items():
        text = given._repr_html_()
        read = Shown(text)
        assert read.open == read.outside == [], name
        assert read.tags.isdisjoint({"script", "link", "img", "iframe", "html", "body"}), name
        assert "table" in read.tags, name
        assert len(text) < BIGGEST, name
        assert "@import" not in text, name
        assert "url(" not in text, name


def test_a_notebook_does_not_speak_of_flags(shown, tmp_path):
    (folder := tmp_path / "study").mkdir()
    noted = {
        "without correction": tg.prediction(_table(tmp_path), extrinsic=["f"], correction="none"),
        "equal values": tg.subsets(shown["run"], by="words"),
        "nothing known": tg.coverage(terminology(), Words(["x"], np.ones((1, 2))), branches=["A"], k=[1]),
        "left out": rated_study(folder / "similarity").results(leave_out="r1"),
        "quality": rated_study(folder / "quality", "quality").results(),
    }
    for name, given in {**results(shown), **noted}.items():
        flags = re.findall(r"(?<![\w-])--?[a-z][a-z-]+\b", " ".join(Shown(given._repr_html_()).words))
        assert flags == [], name


def test_what_comes_back_is_a_tidy_table(shown):
    for name, given in results(shown).items():
        frame = given.to_frame()
        assert isinstance(frame, pl.DataFrame), name
        assert frame.height > 0 or name == "study.ratings", name
        assert not any(kind.is_nested() or kind == pl.Object for kind in frame.dtypes), name


def test_long_names_are_cut_and_what_is_counted_stays(tmp_path):
    run = tg.evaluate(sets(1), models(2), tmp_path / ("a-long-name-" * 12) / "run")
    assert repr(run).endswith("a-long-name-/run': 2 models, 1 set>")
    odd = PairSet("a set " * 40, sets(1)[0].frame)
    assert len(repr(odd)) < MOST
    assert repr(odd).endswith("240 pairs with labels, 120 positive>")


def test_one_thing_may_stand_alone(tmp_path, shown):
    (tmp_path / "pairs.tsv").write_bytes(sets()[0].to_tsv_bytes())
    (tmp_path / "words.txt").write_text("2 2\nw1 1 0\nw2 0 1\n")
    for at, benchmark in enumerate((str(tmp_path / "pairs.tsv"), tmp_path / "pairs.tsv", sets()[0])):
        for number, model in enumerate((f"word2vec:{tmp_path / 'words.txt'}", tmp_path / "words.txt", models(1)[0])):
            run = tg.evaluate(benchmark, model, tmp_path / f"run-{at}-{number}")
            assert run.results()["set"].n_unique() == run.results()["model"].n_unique() == 1
            assert tg.vocabulary(model, benchmark).models
    assert len(tg.compare(shown["evaluate"], sets="set-1", power=False, between_measures=False).models) == 1
    assert list(tg.leaderboard(shown["evaluate"], sets="set-1").sets) == ["set-1"]


class Half:
    """What looks like a model and is none."""

    name, identity, kind = "half", None, "terms"


class Strange(Half):
    kind = "sentences"


@pytest.mark.parametrize(
    ("model", "why"),
    [
        (object(), "an object of the type object is none of these"),
        (3.5, "float is none of these"),
        (Half(), "Half is none of these"),
        (Strange(), "Strange is none of these"),
        (None, "NoneType is none"),
    ],
)
def test_what_is_no_model_is_refused_in_a_sentence(tmp_path, model, why):
    for verb in (lambda: tg.evaluate(sets(), model, tmp_path / "run"), lambda: tg.vocabulary([model], sets())):
        with pytest.raises(tg.TermgaugeError, match=why):
            verb()
    with pytest.raises(tg.TermgaugeError, match=r"Sets are folders or files, .* not float"):
        tg.evaluate([1.5], "baseline:random", tmp_path / "run")


def test_warnings_point_at_the_line_of_the_user(tmp_path):
    with pytest.warns(tg.TermgaugeWarning, match="cannot be used and is left out") as caught:
        tg.evaluate(sets(1), ["gone.bin", *models(1)], tmp_path / "run")
    with pytest.warns(tg.TermgaugeWarning, match="cannot be used and is left out") as more:
        tg.vocabulary(["gone.bin", *models(1)], sets(1))
    assert {each.filename for each in [*caught, *more]} == {__file__}
    assert {each.lineno for each in caught}.isdisjoint(each.lineno for each in more)
