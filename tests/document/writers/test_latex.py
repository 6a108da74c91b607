from __future__ import annotations

import re
import shutil
import subprocess
from dataclasses import replace

import pytest
from hypothesis import given

from termgauge.document.blocks import Cell, Column, Table
from termgauge.document.writers.latex import latex, write_latex
from termgauge.document.writers.latex_table import latex_table
from termgauge.document.writers.latex_text import escaped, marked
from tests.document.small_documents import HOSTILE, TEXTS, document, hostile_document, paper_table, tables


def bare(text):
    """Return LaTeX without what is escaped in it, so that what is left is structure."""
    return re.sub(r"\\textbackslash\{\}|\\[&%$#_{}]", "", text)


def balanced(text):
    depth = 0
    for letter in bare(text):
        depth += {"{": 1, "}": -1}.get(letter, 0)
        assert depth >= 0, text
    return depth == 0


def environments_match(text):
    open_ones = []
    for kind, name in re.findall(r"\\(begin|end)\{([^}]*)\}", text):
        if kind == "begin":
            open_ones.append(name)
        else:
            assert open_ones.pop() == name
    return not open_ones


def rows_of(text):
    """Return the lines of a table that are rows, split into cells, each with how many columns it covers."""
    rows = [line for line in text.splitlines() if re.search(r"(\\\\|\\tabularnewline)$", line)]
    rows = [line for line in rows if not line.strip().startswith((r"\caption", r"\midrule"))]
    cells = [re.split(r"(?<!\\)&", bare(row).replace(r"\\", "")) for row in rows]
    return [[int((re.findall(r"\\multicolumn\{(\d+)", cell) or [1])[0]) for cell in row] for row in cells]


def columns_of(text):
    found = re.search(r"\\begin\{(?:tabular|longtable)\}\{(.*)\}$", text, re.MULTILINE)[1]
    return len(re.findall("[lrc]|p", re.sub(r"p\{[^}]*\}", "p", found.replace("@{}", ""))))


@given(TEXTS)
def test_text_is_ascii_without_commands_of_its_own(text):
    for made in (escaped(text), marked(text)):
        assert made.isascii()
        assert balanced(made)
        assert made.count("$") - made.count(r"\$") == 2 * len(re.findall(r"(?<!\\)\$[^$]*\$", made.replace(r"\$", "")))
        rest = re.sub(r"~|\\[a-zA-Z]+|\\[\"'`^~=.\\,]", "", re.sub(r"(?<!\\)\$[^$]*\$", "", bare(made)))
        assert not set(rest) & set("%&#_^\\~"), made


def test_what_text_becomes():
    assert escaped(r"50% & a_b #1 {x} ~ ^ \ $") == (
        r"50\% \& a\_b \#1 \{x\} \textasciitilde{} \textasciicircum{} \textbackslash{} \$"
    )
    assert escaped("β₂–α ≥ x⁺³⁻¹") == r"$\beta$$_{2}$--$\alpha$ $\geq$ x$^{+3-1}$"
    assert escaped("Sjögren Łódź İ naïve Ωμ") == r"Sj\"{o}gren \L{}\'{o}d\'{z} \.{I} na\"{\i}ve $\Omega$$\mu$"
    assert escaped("心 a--b [c] *") == r"\termgaugechar{5FC3} a-{}-b {[}c{]} {*}"
    assert marked("**A & B** by `avg_cos` is 50%") == r"\textbf{A \& B} by \texttt{avg\_cos} is 50\%"


@given(tables())
def test_every_row_has_every_column(table):
    text = latex_table(table)
    assert text.isascii()
    assert balanced(text)
    assert environments_match(text)
    wanted = columns_of(text)
    found = rows_of(text)
    assert len(found) >= len(table.rows) + 1
    assert {sum(row) for row in found} == {wanted}
    for start, end in re.findall(r"\\cmidrule\(lr\)\{(\d+)-(\d+)\}", text):
        assert 1 <= int(start) <= int(end) <= wanted


def test_the_table_of_the_paper():
    text = latex_table(paper_table())
    assert r"\begin{tabular}{lr@{}lr@{}lr@{}lr@{}l}" in text
    lines = [line.strip() for line in text.splitlines()]
    assert r"& \multicolumn{4}{c}{fsn-syn} & \multicolumn{4}{c}{syn-syn} \\" in lines
    assert r"\cmidrule(lr){2-5} \cmidrule(lr){6-9}" in lines
    heading = " & ".join(rf"\multicolumn{{2}}{{c}}{{{level}}}" for level in ("easy", "hard") * 2)
    assert rf"Model & {heading} \\" in lines
    first = next(line for line in lines if line.startswith("BioNLP PM"))
    assert first.startswith(r"BioNLP PM & \textbf{0.900} & $^{2}$")
    assert "$^{1/-1}$" in text
    assert "$^{-2}$" in text
    assert r"\label{tab:accuracy-levenshtein}" in lines
    assert r"\caption{Accuracy of each model. A model is better" in text


def test_intervals_stand_where_there_is_room():
    narrow, wide = paper_table(kinds=("fsn-syn",)), paper_table(kinds=("fsn-syn", "syn-syn", "replaced-by", "same-as"))
    assert r"{\scriptsize [0.85, 0.95]}" in latex_table(narrow)
    assert "scriptsize" not in latex_table(wide)
    assert r"\begin{table*}" in latex_table(wide)
    assert "Positive/negative superscripts" not in latex_table(wide)
    assert "Positive/negative superscripts" in latex_table(replace(wide, notes=()))


def test_numbers_wide_and_long_tables():
    column = (Column("n", numeric=True),)
    assert "$-$0.07" in latex_table(Table("t", "", column, ((Cell("-0.07"),),)))
    many = Table("t", "", column, tuple((Cell(str(at)),) for at in range(60)))
    assert r"\begin{longtable}{r}" in latex_table(many)
    whole = {table.id: latex_table(table) for table in hostile_document().tables()}
    assert r"\resizebox{\textwidth}{!}{%" in whole["wide"]
    assert re.search(r"\\begin\{longtable\}\{lp\{0\.\d\d\\textwidth\}p\{", whole["long"])
    assert r"\allowbreak{}" in whole["long"]


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
