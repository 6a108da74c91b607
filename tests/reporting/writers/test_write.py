from __future__ import annotations

import sys
from pathlib import Path

import pytest

from termgauge.exceptions import TermgaugeError, TermgaugeWarning
from termgauge.reporting.writers.write import FORMATS, checked_formats, checked_pictures, places, write_document
from tests.reporting.small_documents import document


def test_formats():
    assert checked_formats(["html,latex", "CSV", "html"]) == ("html", "latex", "csv")
    assert checked_formats(["md", "tex"]) == ("markdown", "latex")
    assert checked_formats([]) == ()
    with pytest.raises(TermgaugeError, match=r"cannot be written as 'latx'.*Did you mean 'latex'"):
        checked_formats(["latx"])


def test_places(tmp_path):
    run = tmp_path / "run"
    usual = {"html": "report.html", "markdown": "report.md", "csv": "report-csv", "latex": "report-latex"}
    assert places(FORMATS, run, None, "report") == {form: run / name for form, name in usual.items()}
    assert places(FORMATS, run, tmp_path / "all", "report")["csv"] == tmp_path / "all" / "report-csv"
    assert places(["html"], run, tmp_path / "x.HTML", "r") == {"html": tmp_path / "x.HTML"}
    assert places(["html"], run, tmp_path / "folder", "r") == {"html": tmp_path / "folder" / "r.html"}
    assert places(["latex"], run, tmp_path / "paper", "r") == {"latex": tmp_path / "paper"}
    for formats, out in ((["html", "csv"], "x.html"), (["markdown"], "x.html"), (["html"], "x.md")):
        with pytest.raises(TermgaugeError, match="one file cannot take"):
            places(formats, run, Path(out), "r")
    (tmp_path / "file").write_text("x", encoding="utf-8")
    for formats in (["csv"], ["html", "csv"], ["html"]):
        with pytest.raises(TermgaugeError, match="is a file"):
            places(formats, run, tmp_path / "file", "r")


def test_all_formats(tmp_path):
    written = write_document(document(), places(FORMATS, tmp_path, None, "report"))
    assert [path.relative_to(tmp_path).as_posix() for path in written] == [
        "report.html",
        "report.md",
        "report-csv/index.csv",
        "report-latex/report.tex",
    ]
    files = {path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*") if path.is_file()}
    assert {"report-figures/dots.svg", "report-latex/figures/dots.pdf", "report-latex/figures/dots.svg"} <= files
    assert not [name for name in files if ".tmp-" in name]


@pytest.mark.parametrize(
    ("kinds", "wanted"),
    [
        (["none"], set()),
        (["png"], {"report-figures/dots.png", "report-latex/figures/dots.png"}),
        (["svg"], {"report-figures/dots.svg", "report-latex/figures/dots.svg", "report-latex/figures/dots.pdf"}),
    ],
)
def test_kinds_of_pictures(tmp_path, kinds, wanted):
    write_document(document(), places(["markdown", "latex"], tmp_path, None, "report"), pictures=kinds)
    found = {path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*.*") if "figures/" in path.as_posix()}
    assert found == wanted


def test_without_a_converter_latex_has_svg_and_a_word_about_it(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "typst", None)
    with pytest.warns(TermgaugeWarning, match=r"pip install 'termgauge\[pictures\]'"):
        write_document(document(), {"latex": tmp_path / "paper"})
    assert [path.name for path in (tmp_path / "paper" / "figures").iterdir()] == ["dots.svg"]
    assert r"\includegraphics" not in (tmp_path / "paper" / "report.tex").read_text(encoding="ascii")
    for kind in ("pdf", "png"):
        with pytest.raises(TermgaugeError, match=r"pip install 'termgauge\[pictures\]'"):
            checked_pictures([kind])
    write_document(document(), {"html": tmp_path / "a.html", "markdown": tmp_path / "a.md"})


def test_other_files_in_a_folder_stay(tmp_path):
    mine = tmp_path / "paper" / "my.tex"
    mine.parent.mkdir()
    mine.write_text("mine", encoding="utf-8")
    for _ in range(2):
        write_document(document(), {"latex": tmp_path / "paper", "csv": tmp_path / "paper"}, pictures=["none"])
    assert mine.read_text(encoding="utf-8") == "mine"


def test_a_place_that_cannot_be_written(tmp_path):
    (tmp_path / "file").write_text("x", encoding="utf-8")
    for form in FORMATS:
        with pytest.raises(TermgaugeError, match="cannot be written"):
            write_document(document(), {form: tmp_path / "file" / "inside"})
