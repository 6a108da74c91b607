"""Reports in every format, each where its readers look for it."""

from __future__ import annotations

import pytest

import termgauge as tg
from termgauge.engine.evaluate import evaluate
from termgauge.engine.report import is_current, report, targets_of, update_report, write_as
from termgauge.exceptions import SkippedWarning, TermgaugeError
from termgauge.reporting.blocks import Document, Prose, Section
from tests.engine.toy_models import ToyPairs, ToyTerms, graded_set


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    models = [ToyTerms(), ToyPairs()]
    return evaluate([graded_set("human/umnsrs-sim")], models, tmp_path_factory.mktemp("written") / "run")


def test_a_page_in_the_run_folder(run):
    assert tg.report is report
    assert report(run) == [run.path / "report.html"]
    page = (run.path / "report.html").read_text()
    assert page.lstrip().lower().startswith("<!doctype html")
    assert "Made by termgauge" in page


def test_a_page_is_written_again_only_if_what_it_shows_has_changed(tmp_path):
    run = evaluate([graded_set("human/umnsrs-sim")], [ToyTerms(), ToyPairs()], tmp_path / "run")
    (run.path / "experiment.toml").write_text("# as given\n")
    page = run.path / "report.html"

    def made():
        page.touch()
        before = page.stat().st_mtime_ns
        update_report(run)
        return page.stat().st_mtime_ns != before

    assert not is_current(run)
    assert made()
    assert is_current(run)
    assert not made()
    (run.path / "experiment.toml").write_text("# changed\n")
    assert made()
    page.write_text("by hand")
    assert made()
    evaluate([graded_set("human/umnsrs-sim")], [ToyTerms(name="another", seed=9)], run.path)
    assert made()
    assert "another" in page.read_text()
    assert not made()
    scores = next((run.path / "scores").rglob("*.parquet"))
    scores.write_bytes(b"damaged")
    for _ in range(2):  # what is missing is said each time
        with pytest.warns(SkippedWarning):
            assert made()


def test_several_formats_into_a_folder(run, tmp_path):
    made = report(run.path, formats=["html", "markdown,csv", "latex"], out=tmp_path / "out", figures="none")
    assert [path.relative_to(tmp_path / "out").as_posix() for path in made] == [
        "report.html",
        "report.md",
        "report-csv/index.csv",
        "report-latex/report.tex",
    ]
    assert (tmp_path / "out" / "report-latex" / "tables" / "paper-rho.tex").is_file(), "tables for papers"
    assert "paper-rho" not in made[0].read_text()


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"formats": "markdwn"}, "Did you mean 'markdown'"),
        ({"figures": "sgv"}, "Did you mean 'svg'"),
        ({"formats": ["html", "csv"], "out": "x.html"}, "name a folder"),
    ],
)
def test_wrong_words_are_refused_before_work_is_done(run, given, sentence, monkeypatch):
    monkeypatch.setattr("termgauge.engine.report.run_document", lambda *_: pytest.fail("made all the same"))
    with pytest.raises(TermgaugeError, match=sentence):
        report(run, **given)


def test_a_document_that_is_there(tmp_path):
    document = Document("Mine", ("Said.",), (), (Section("a", "A", (Prose(("Text.",)),)),))
    (made,) = write_as(document, targets_of("markdown", tmp_path, None, "mine"))
    assert made == tmp_path / "mine.md"
    assert "Said." in made.read_text()
    with pytest.raises(TermgaugeError, match="cannot be written as 'pdf'"):
        targets_of("pdf", tmp_path, None, "mine")
