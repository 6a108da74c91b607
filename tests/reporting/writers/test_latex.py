from __future__ import annotations

import re
import shutil
import subprocess

import pytest

from termgauge.reporting.writers.latex import escaped, latex, write_latex
from tests.reporting.small_documents import HOSTILE, document, hostile_document


def test_the_folder(tmp_path):
    files = write_latex(document(), tmp_path / "paper")
    names = [file.relative_to(tmp_path / "paper").as_posix() for file in files]
    wanted = ["report.tex", "tables.tex", "tables/accuracy-levenshtein.tex", "figures/dots.pdf", "figures/dots.svg"]
    assert names == wanted
    assert all(file.is_file() for file in files)
    report = files[0].read_text(encoding="ascii")
    assert r"\input{tables/accuracy-levenshtein}" in report
    assert "{figures/dots.pdf}" in report
    assert files[1].read_text(encoding="ascii").count(r"\input") == 1
    assert set(re.findall(r"\\usepackage\{(.*)\}", report)) == {"booktabs", "graphicx", "longtable"}
    assert files[3].read_bytes().startswith(b"%PDF")
    assert "figure" not in latex(document())
    only_svg = write_latex(document(), tmp_path / "svg", pictures=("svg",))
    assert r"\includegraphics" not in only_svg[0].read_text(encoding="ascii")


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="there is no pdflatex here to compile with")
@pytest.mark.parametrize("made", [document, hostile_document])
def test_it_compiles(tmp_path, made):
    write_latex(made(), tmp_path, pictures=("pdf",))
    command = ["pdflatex", "-halt-on-error", "-interaction=nonstopmode", "report.tex"]
    for _ in range(2):  # the second time with the labels of the first
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, errors="replace", check=False)
        assert done.returncode == 0, done.stdout[-3000:]
    assert "undefined references" not in done.stdout
    assert (tmp_path / "report.pdf").stat().st_size > 10_000
    alone = r"\documentclass[twocolumn]{article}\usepackage{booktabs,graphicx,longtable}\begin{document}"
    short = [file for file in sorted((tmp_path / "tables").glob("*.tex")) if "longtable}" not in file.read_text()]
    inputs = "".join(rf"\input{{tables/{file.stem}}}" for file in short)
    (tmp_path / "two.tex").write_text(alone + inputs + r"\end{document}", encoding="ascii")
    done = subprocess.run(
        [*command[:-1], "two.tex"], cwd=tmp_path, capture_output=True, text=True, errors="replace", check=False
    )
    assert done.returncode == 0, done.stdout[-3000:]


def test_all_hostile_texts_are_in_the_document():
    text = latex(hostile_document())
    assert all(escaped(each) in text for each in HOSTILE if "\x00" not in each)
