"""Commands about words from a corpus."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from termgauge.cli.application import answer, command, note
from termgauge.cli.declared import given, with_options
from termgauge.cli.options import AsJson
from termgauge.corpus.options import WordOptions


@command
@with_options(WordOptions)
def words(
    files: Annotated[
        list[Path],
        typer.Argument(
            metavar="FILE...",
            help="Tagged text (CoNLL-U, or form TAB tag TAB lemma), plain text, MEDLINE XML or JATS XML, as files, "
            "folders or archives; with --decisions, the tables of experts.",
            show_default=False,
        ),
    ],
    out: Annotated[
        Path | None, typer.Option("--out", "-o", metavar="WORDS.tsv", help="Where the table is written.")
    ] = None,
    decisions: Annotated[
        bool,
        typer.Option(
            "--decisions", help="The files are copies of the table in which experts filled in the column decision."
        ),
    ] = False,
    as_json: AsJson = False,
    **options: Any,  # noqa: ANN401
) -> None:
    """Count the nouns and verbs of a corpus, and sort them into domains as experts decide.

    Each class is filtered, brought to lemmas and American spelling, and counted, and what each step takes away is
    shown. The table has counts, documents, journals, how much more frequent a word is than in general language, and an
    empty column for the decisions of experts: biomedical, general or both.

    Examples: [dim]termgauge words corpus.conllu.gz --out words.tsv[/dim];
    [dim]termgauge words medline.xml.gz --out words.tsv[/dim];
    [dim]termgauge words --decisions ann.tsv bob.tsv --out domains.tsv[/dim].
    """
    if decisions:
        from termgauge.studies.decisions import decisions as combine
        from termgauge.studies.decisions import decisions_document

        split = combine(files, out)
        answer(as_json, split.summary, lambda: decisions_document(split))
    else:
        from termgauge.corpus.about_words import words_document
        from termgauge.corpus.extract import words as count

        found = count(files, out, **given(options, WordOptions).changed())
        answer(as_json, found.summary, lambda: words_document(found))
    if out is not None and not as_json:
        note(f"Written: {out}")
