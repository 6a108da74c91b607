"""Commands that go on from the words of a corpus: pairs of words, and word vectors."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from termgauge.benchmark.words.pair_options import PairOptions
from termgauge.cli.application import answer, command, note
from termgauge.cli.declared import given, with_options
from termgauge.cli.options import AsJson


@command
@with_options(PairOptions)
def pairs(
    words: Annotated[
        Path, typer.Argument(metavar="WORDS", help="A table with the columns word, class and domain (termgauge words).")
    ],
    resources: Annotated[
        list[str],
        typer.Option(
            "--resource",
            "-r",
            metavar="[KIND[:DOMAIN]=]FILE",
            help="What says which words belong together: an ontology or another terminology, the SPECIALIST LEXICON "
            "(lexicon), norms of association (norms), classes of verbs (classes), a table (table); may be repeated.",
            show_default=False,
        ),
    ],
    out: Annotated[
        Path, typer.Option("--out", "-o", metavar="PAIRS.tsv", help="The table to write.", show_default=False)
    ],
    propose: Annotated[
        bool, typer.Option("--propose", help="Write the biomedical candidates for experts, instead of drawing.")
    ] = False,
    accepted: Annotated[
        list[Path] | None,
        typer.Option(
            "--accepted",
            metavar="FILE",
            help="The proposals as an expert filled them in; may be repeated.",
            show_default=False,
        ),
    ] = None,
    as_json: AsJson = False,
    **options: Any,  # noqa: ANN401
) -> None:
    """Make pairs of words that belong together, and pairs that do not.

    A set has four quarters: biomedical and general words, associated and unassociated. Associated pairs come from
    resources; experts may look at the biomedical ones before they are drawn (--propose, then --accepted). The table
    that is written goes straight into termgauge study new.

    Examples: [dim]termgauge pairs words.tsv --resource doid.obo norms=usf.zip --propose --out proposals.tsv[/dim];
    [dim]termgauge pairs words.tsv --resource doid.obo --accepted anna.tsv ben.tsv --out pairs.tsv[/dim].
    """
    from termgauge.benchmark.words.pair_making import word_pairs
    from termgauge.cli.word_pair_documents import word_pairs_section

    chosen = given(options, PairOptions).model_dump()
    made = word_pairs(words, resources, out, propose=propose, accepted=accepted or (), **chosen)
    answer(as_json, made.summary, lambda: [word_pairs_section(made)])
    if not as_json:
        note(f"Written: {made.path}")
