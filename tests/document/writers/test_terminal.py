from __future__ import annotations

from dataclasses import replace

from rich.console import Console

from termgauge.document.blocks import Prose
from termgauge.document.writers.terminal import document_tables
from tests.document.small_documents import document, figure, hostile_document, paper_table


def shown(made, **options):
    console = Console(width=200, record=True, force_terminal=False)
    with console.capture() as capture:
        console.print(document_tables(made, **options))
    return capture.get()


def test_words_and_tables_are_shown():
    text = shown(document())
    assert "GloVe wins on 2 of 3 sets." in text
    assert "GloVe wins by avg_cos." in text
    assert "0.800⁺¹⁻¹ [0.75, 0.85]" in text
    assert "fsn-syn" in text
    assert "dots" not in text


def test_what_is_folded_or_not_asked_for_is_not_shown():
    folded = document(Prose(("Words.",)), replace(paper_table(), folded=True), figure())
    assert "BioNLP" not in shown(folded)
    assert "Words." in shown(folded)
    assert "Words." not in shown(folded, sections=("other",))
    assert "Nothing else can be told apart." in shown(folded, sections=())


def test_hostile_texts_are_no_markup():
    assert "[D]" in shown(hostile_document())
