"""Commands that go on from the words of a corpus: pairs of words, and word vectors."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from termgauge.cli.application import answer, command, note
from termgauge.cli.declared import given, with_options
from termgauge.cli.options import AsJson
from termgauge.corpus.pair_options import PairOptions
from termgauge.corpus.training_options import TrainingOptions


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
    from termgauge.corpus.about_word_pairs import word_pairs_section
    from termgauge.corpus.pair_making import word_pairs

    chosen = given(options, PairOptions).model_dump()
    made = word_pairs(words, resources, out, propose=propose, accepted=accepted or (), **chosen)
    answer(as_json, made.summary, lambda: [word_pairs_section(made)])
    if not as_json:
        note(f"Written: {made.path}")


@command
@with_options(TrainingOptions)
def train(
    texts: Annotated[
        list[Path],
        typer.Argument(
            metavar="FILE...",
            help="Plain text, MEDLINE or JATS XML, or tagged text; files, folders or archives.",
            show_default=False,
        ),
    ],
    out: Annotated[
        Path, typer.Option("--out", "-o", metavar="DIR", help="The folder to write to.", show_default=False)
    ],
    force: Annotated[
        bool, typer.Option("--force", help="Replace vectors that were trained with other settings.")
    ] = False,
    as_json: AsJson = False,
    **options: Any,  # noqa: ANN401
) -> None:
    """Train word vectors on a corpus (word2vec), for one or several windows.

    The settings are those of Chiu et al. 2018 unless told. Each window is a file that opens as any other model; one
    that is finished is not trained again, so the same command goes on where it was stopped.

    Example: [dim]termgauge train medline.xml.gz --window 1,2,4,5,8,16,20,25,30 --out vectors[/dim].
    """
    from termgauge.corpus.about_word_pairs import training_section
    from termgauge.corpus.training import train_vectors

    made = train_vectors(texts, out, force=force, **given(options, TrainingOptions).model_dump())
    answer(as_json, made.summary, lambda: [training_section(made)])
    if not as_json:
        note(f"Written: {made.folder}")
