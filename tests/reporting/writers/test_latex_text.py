from __future__ import annotations

import re

from hypothesis import given

from termgauge.reporting.writers.latex import breakable, escaped, marked
from tests.reporting.small_documents import TEXTS
from tests.reporting.writers.latex_structure import balanced, bare


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


@given(TEXTS)
def test_breaks_add_nothing_that_is_seen(text):
    broken = breakable(text)
    assert broken.replace("\N{ZERO WIDTH SPACE}", "") == text.replace("\N{ZERO WIDTH SPACE}", "")
    assert max(map(len, re.split(r"\s|\N{ZERO WIDTH SPACE}", breakable("0123456789abcdef" * 4)))) <= 20
