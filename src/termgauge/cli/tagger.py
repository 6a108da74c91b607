"""Commands about the part-of-speech tagger: training one, scoring it, and tagging text with it."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Argument, Option

from termgauge.cli.application import Answer, group, print_rows

if TYPE_CHECKING:
    from collections.abc import Iterator

    from termgauge.corpus.tagger import Tagger
    from termgauge.reporting.blocks import Section

_command = group(
    "tagger",
    """Tag the words of a text with their parts of speech, or train and score a tagger.

    A tagger comes with termgauge. It was trained on abstracts of the GENIA corpus and writes Penn tags.
    """,
)
_Tagged = Annotated[
    list[Path],
    Argument(
        metavar="TAGGED...",
        help="Tagged sentences: in each line a word, a TAB and its tag, with an empty line after each sentence; or "
        "CoNLL-U.",
    ),
]
_TaggerFile = Annotated[
    Path | None,
    Option("--tagger", help="A tagger that termgauge tagger train wrote. Without it, the one of termgauge."),
]


@_command
def train(
    sources: _Tagged,
    out: Annotated[Path, Option("--out", "-o", help="The file to write the tagger to.")],
    test: Annotated[Path | None, Option(help="Tagged sentences to score the tagger on.")] = None,
    epochs: Annotated[int, Option(min=1, max=1000, help="How often all sentences are learned from.")] = 5,
    seed: Annotated[int, Option(help="Seed for the order of the sentences.")] = 42,
) -> Answer:
    """Train a tagger on sentences that people tagged.

    It is an averaged perceptron. The same sentences and the same seed give the same file.

    Example: [dim]termgauge tagger train train.tsv --test test.tsv --out my-tagger.npz[/dim].
    """
    from termgauge.corpus import sections, tagger
    from termgauge.corpus.sentences import read_tagged_sentences

    sentences = None if test is None else read_tagged_sentences([test])
    model = tagger.Tagger.train(sources, epochs=epochs, seed=seed)
    model.save(out)
    accuracy = None if sentences is None else tagger.score(model, sentences)
    return Answer(
        lambda: {**model.about(), "file": str(out), "test": None if accuracy is None else accuracy._asdict()},
        lambda: [sections.tagger_section(model), *([] if accuracy is None else [sections.accuracy_section(accuracy)])],
        [out],
    )


@_command
def score(sources: _Tagged, tagger: _TaggerFile = None) -> Answer:
    """Score a tagger on sentences that people tagged.

    Example: [dim]termgauge tagger score test.tsv[/dim].
    """
    from termgauge.corpus.sections import accuracy_section
    from termgauge.corpus.sentences import read_tagged_sentences
    from termgauge.corpus.tagger import Tagger
    from termgauge.corpus.tagger import score as scored

    model = Tagger.load(tagger)
    accuracy = scored(model, read_tagged_sentences(sources))
    return Answer(lambda: {**model.about(), "test": accuracy._asdict()}, lambda: [accuracy_section(accuracy)])


@_command
def tag(
    sources: Annotated[
        list[Path],
        Argument(
            metavar="TEXT...",
            help="Plain text (UTF-8), MEDLINE XML or JATS XML; files, folders and zip archives, also as .gz or .xz.",
        ),
    ],
    out: Annotated[Path | None, Option("--out", "-o", help="Write to this file, not to standard output.")] = None,
    tagger: _TaggerFile = None,
    per_line: Annotated[
        bool, Option("--per-line", help="Each line of a plain text is a document, not the whole file.")
    ] = False,
) -> Answer:
    """Divide text into sentences and words and tag them.

    Each line of the result has a word, a TAB and its tag; an empty line follows each sentence. With --json, only counts
    are printed, and the tagged text is written if --out names a file.

    Example: [dim]termgauge tagger tag notes.txt --out notes.tagged.tsv[/dim].
    """
    from termgauge.corpus.sections import tagging_section
    from termgauge.corpus.tagger import Tagger

    model = Tagger.load(tagger)
    tally: Counter[str] = Counter()
    tags: Counter[str] = Counter()
    lines = _tagged(model, sources, tally, tags, per_line=per_line)
    if out is not None:
        from termgauge.io.atomic import whole_file

        with (
            whole_file(out) as temporary,
            temporary.open("w", encoding="utf-8", errors="replace", newline="\n") as file,
        ):
            file.writelines(lines)

    def document() -> object:
        for _portion in lines:  # unless they were written
            pass
        return {**counted(), "tags": dict(sorted(tags.items()))}

    def counted() -> dict[str, int]:
        return {name: tally[name] for name in ("documents", "sentences", "tokens")}

    def shown() -> list[Section] | None:
        for portion in lines if out is None else ():
            print_rows(portion)
        return [tagging_section(counted(), tags)] if out is not None else None

    return Answer(document, shown, [out] if out else ())


def _tagged(
    tagger: Tagger, sources: list[Path], tally: Counter[str], tags: Counter[str], *, per_line: bool
) -> Iterator[str]:
    """Yield tagged text in portions, and count what is in it."""
    from termgauge.corpus.sentences import tagged_lines
    from termgauge.exceptions import TermgaugeError
    from termgauge.io.documents import documents
    from termgauge.progress import track

    with track("Tagging", unit="tokens") as advance:
        for portion in tagger.tagged(documents(sources, per_line=per_line)):
            advance(len(portion.forms))
            tally.update(documents=len(portion.about), sentences=len(portion.ends), tokens=len(portion.forms))
            tags.update(tagger.counts(portion.tags))
            yield "".join(f"{line}\n" for line in tagged_lines(portion, tagger.tags))
    if not tally["tokens"]:
        raise TermgaugeError(f"{sources[0]}: holds no words; name a file with text.")
