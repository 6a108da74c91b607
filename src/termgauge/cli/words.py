"""Commands about words from a corpus, pairs of them, and word vectors."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from typer import Argument, Option

from termgauge.cli.application import Answer, command
from termgauge.corpus.options import PairOptions, TrainingOptions, WordOptions


@command
def words(
    files: Annotated[
        list[Path],
        Argument(
            metavar="FILE...",
            help="Tagged text (CoNLL-U, or form TAB tag TAB lemma), plain text, MEDLINE XML or JATS XML, as files, "
            "folders or archives; with --decisions, the tables of experts.",
        ),
    ],
    options: WordOptions,
    out: Annotated[Path | None, Option("--out", "-o", metavar="WORDS.tsv", help="Where the table is written.")] = None,
    decisions: Annotated[
        bool,
        Option("--decisions", help="The files are copies of the table in which experts filled in the column decision."),
    ] = False,
) -> Answer:
    """Count the nouns and verbs of a corpus, and sort them into domains as experts decide.

    Each class is filtered, brought to lemmas and American spelling, and counted, and what each step takes away is
    shown. The table has counts, documents, journals, how much more frequent a word is than in general language, and an
    empty column for the decisions of experts: biomedical, general or both.

    Examples: [dim]termgauge words corpus.conllu.gz --out words.tsv[/dim];
    [dim]termgauge words medline.xml.gz --out words.tsv[/dim];
    [dim]termgauge words --decisions ann.tsv bob.tsv --out domains.tsv[/dim].
    """
    written = [out] if out else ()
    if decisions:
        from termgauge.studies.decisions import decisions as combine
        from termgauge.studies.decisions import decisions_document

        split = combine(files, out)
        return Answer(split.summary, lambda: decisions_document(split), written)
    from termgauge.corpus.sections import words_document
    from termgauge.corpus.words import words as count

    counts = count(files, out, **options.changed())
    return Answer(counts.summary, lambda: words_document(counts), written)


@command
def pairs(
    words: Annotated[
        Path, Argument(metavar="WORDS", help="A table with the columns word, class and domain (termgauge words).")
    ],
    resources: Annotated[
        list[str],
        Option(
            "--resource",
            "-r",
            metavar="[KIND[:DOMAIN]=]FILE",
            help="What says which words belong together: an ontology or another terminology, the SPECIALIST LEXICON "
            "(lexicon), norms of association (norms), classes of verbs (classes), a table (table); may be repeated.",
        ),
    ],
    out: Annotated[Path, Option("--out", "-o", metavar="PAIRS.tsv", help="The table to write.")],
    options: PairOptions,
    propose: Annotated[
        bool, Option("--propose", help="Write the biomedical candidates for experts, instead of drawing.")
    ] = False,
    accepted: Annotated[
        list[Path] | None,
        Option("--accepted", metavar="FILE", help="The proposals as an expert filled them in; may be repeated."),
    ] = None,
) -> Answer:
    """Make pairs of words that belong together, and pairs that do not.

    A set has four quarters: biomedical and general words, associated and unassociated. Associated pairs come from
    resources; experts may look at the biomedical ones before they are drawn (--propose, then --accepted). The table
    that is written goes straight into termgauge study new.

    Examples: [dim]termgauge pairs words.tsv --resource doid.obo norms=usf.zip --propose --out proposals.tsv[/dim];
    [dim]termgauge pairs words.tsv --resource doid.obo --accepted anna.tsv ben.tsv --out pairs.tsv[/dim].
    """
    from termgauge.corpus.sections import word_pairs_section
    from termgauge.corpus.word_pairs import word_pairs

    made = word_pairs(words, resources, out, propose=propose, accepted=accepted or (), **options.model_dump())
    return Answer(made.summary, lambda: [word_pairs_section(made)], [made.path] if made.path else ())


@command
def train(
    texts: Annotated[
        list[Path],
        Argument(
            metavar="FILE...", help="Plain text, MEDLINE or JATS XML, or tagged text; files, folders or archives."
        ),
    ],
    out: Annotated[Path, Option("--out", "-o", metavar="DIR", help="The folder to write to.")],
    options: TrainingOptions,
    force: Annotated[bool, Option("--force", help="Replace vectors that were trained with other settings.")] = False,
) -> Answer:
    """Train word vectors on a corpus (word2vec), for one or several windows.

    The settings are those of Chiu et al. 2018 unless told. Each window is a file that opens as any other model; one
    that is finished is not trained again, so the same command goes on where it was stopped.

    Example: [dim]termgauge train medline.xml.gz --window 1,2,4,5,8,16,20,25,30 --out vectors[/dim].
    """
    from termgauge.corpus.sections import training_section
    from termgauge.corpus.training import train_vectors

    made = train_vectors(texts, out, force=force, **options.model_dump())
    return Answer(made.summary, lambda: [training_section(made)], [made.folder])
