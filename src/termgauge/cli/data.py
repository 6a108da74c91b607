"""Commands about data: terminologies, benchmarks, human-rated sets, the cache."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from typer import Argument, Option

from termgauge.benchmark.options import BuildOptions
from termgauge.cli.application import EXIT_MISSING, Answer, command, note
from termgauge.cli.options import ClusterOptions, DataDir, OptionalSources, Sources
from termgauge.integrations.export import TARGETS, ExportOptions
from termgauge.io.store import RECORD, damaged_files
from termgauge.plurals import numbered, plural
from termgauge.terminology.options import MappingOptions, ReadingOptions

if TYPE_CHECKING:
    from termgauge.io.store import Entry


def damage(entry: Entry) -> list[str] | None:
    """Return the files of an entry that are not what was written; None if it has no checksums to tell by."""
    from termgauge.benchmark.human.catalogue import CATALOGUE, NAMESPACE
    from termgauge.embeddings.encoders.encoding import NAMESPACE as ENCODINGS
    from termgauge.embeddings.store.encodings import damaged_chunks
    from termgauge.io.identity import sha256_of_bytes
    from termgauge.io.source import HASHES, remembered

    if entry.namespace == ENCODINGS:
        return damaged_chunks(entry.path)
    if entry.namespace == HASHES:
        return [] if remembered(entry.path) else [entry.key]
    if entry.namespace == NAMESPACE:
        rated = next((rated_set for rated_set in CATALOGUE if rated_set.file_name == entry.path.name), None)
        if rated is None:
            return None
        return [] if sha256_of_bytes(entry.path.read_bytes()) == rated.sha256 else [entry.path.name]
    return damaged_files(entry.path) if (entry.path / RECORD).is_file() else None


@command
def export(
    sources: Annotated[
        list[str],
        Argument(
            metavar="BENCHMARK|RUN...",
            help="A benchmark's folder, a file of pairs, ids of human-rated sets; or a run, for its results.",
        ),
    ],
    to: Annotated[
        str,
        Option(
            "--to",
            metavar="|".join(TARGETS),
            help=f"{'; '.join(f'{name}: {target.about}' for name, target in TARGETS.items())}.",
        ),
    ],
    out: Annotated[Path, Option("--out", "-o", help="The folder to write to.")],
    options: ExportOptions,
    force: Annotated[bool, Option("--force", help="Replace an earlier export there.")] = False,
    data_dir: DataDir = None,
) -> Answer:
    """Write a benchmark, or the results of a run, in the form that another library takes.

    Examples: [dim]termgauge export hp-benchmark --to mteb --out hp-mteb[/dim];
    [dim]termgauge export hp-benchmark --to triplets --negatives mined --model wordllama: --out hp-triplets[/dim];
    [dim]termgauge export RUN --to model-card --out cards[/dim].
    """
    from termgauge.integrations.export import export as write
    from termgauge.integrations.export import export_section

    source = sources if len(sources) > 1 else sources[0]
    written = write(source, to, out, force=force, data_dir=data_dir, **options.changed())
    return Answer(written.as_dict, lambda: [export_section(written)], [written.path])


@command
def terminology(
    reading: ReadingOptions,
    sources: OptionalSources = None,
    listed: Annotated[
        bool, Option("--list", help="List the formats: what each is, where to get it, under which licence.")
    ] = False,
    check: Annotated[bool, Option("--check", help="Say what was passed over and what is odd, with examples.")] = False,
) -> Answer:
    """Read a terminology and summarise what is in it, or list the formats.

    Examples: [dim]termgauge terminology SnomedCT_InternationalRF2.zip[/dim];
    [dim]termgauge terminology META --language en --vocabulary SNOMEDCT_US[/dim];
    [dim]termgauge terminology hp.obo hp-es.babelon.tsv --check --json[/dim];
    [dim]termgauge terminology --list[/dim].
    """
    from termgauge.reporting.about_data import check_section, formats_section, terminology_document
    from termgauge.terminology.formats.registry import format_rows
    from termgauge.terminology.read import read_with

    if listed:
        if sources:
            raise typer.BadParameter("--list reads no terminology; leave the source out.")
        rows = format_rows()
        return Answer(lambda: {"formats": rows}, lambda: [formats_section(rows)])
    if not sources:
        raise typer.BadParameter("name a terminology; termgauge terminology --list names the formats.")
    source_terminology = read_with(sources, reading)
    if check:
        from termgauge.terminology.check import check_terminology

        checked = check_terminology(source_terminology)
        return Answer(checked.summary, lambda: [check_section(checked)])
    return Answer(source_terminology.summary, lambda: terminology_document(source_terminology))


@command
def build(
    sources: Sources,
    out: Annotated[Path, Option("--out", "-o", help="The folder to write to.")],
    building: BuildOptions,
    mapping: MappingOptions,
    reading: ReadingOptions,
    cluster: ClusterOptions,
    across: Annotated[
        bool, Option("--across", help="Pair terms of two terminologies, SOURCE SOURCE, as --mapping says.")
    ] = False,
    form: Annotated[
        str, Option("--format", help="tsv, parquet, or hf: a folder for the Hugging Face datasets library.")
    ] = "tsv",
    licence: Annotated[str, Option(help="hf: the licence of the terms, for the dataset card.")] = "other",
    force: Annotated[bool, Option("--force", help="Replace another benchmark in the folder.")] = False,
) -> Answer:
    """Build the twenty benchmark sets of a terminology.

    Five kinds of positive pairs (a name and its synonyms, synonyms of one concept, three kinds of replaced concepts),
    each easy and hard by edit distance, each with random and with edit-distance negatives.

    Examples: [dim]termgauge build hp.obo --out hp-benchmark[/dim];
    [dim]termgauge build SnomedCT.zip --out disorders --tag disorder --since 20190101[/dim];
    [dim]termgauge build hp.obo hp-es.babelon.tsv --languages en,es --out hp-en-es[/dim];
    [dim]termgauge build --across mondo.obo icd10.tsv --mapping mondo.sssom.tsv --out mondo-icd10[/dim].
    """
    from termgauge.benchmark.build import build_sets
    from termgauge.reporting.about_data import benchmark_section

    with cluster.used():
        made = build_sets(
            sources, out, building, reading, mapping, across=across, format=form, force=force, licence=licence
        )
    return Answer(made.manifest.model_dump, lambda: [benchmark_section(made)], [made.folder])


@command
def sets(
    name: Annotated[str | None, Argument(help="Show all about this set, such as human/mayosrs.")] = None,
    data_dir: DataDir = None,
) -> Answer:
    """List the human-rated sets: what there is, what is at hand, and where to get the rest."""
    from termgauge.benchmark.human.sets import find_human, human_sets
    from termgauge.reporting.about_data import human_set_section, human_sets_section

    rows = [entry.row(data_dir) for entry in ([find_human(name)] if name else human_sets())]
    section = human_set_section(rows[0]) if name else human_sets_section(rows)
    return Answer(lambda: {"sets": rows}, lambda: [section])


@command
def cache(
    clear: Annotated[bool, Option("--clear", help="Delete what is in the cache.")] = False,
    what: Annotated[str | None, Argument(help="Only this part of it, such as terminology.")] = None,
    unused: Annotated[
        float, Option("--unused", metavar="DAYS", min=0, help="Only what was not used for so many days.")
    ] = 0,
    verify: Annotated[bool, Option("--verify", help="Read all of it and say what is damaged.")] = False,
) -> Answer:
    """Show what is in the cache, check it, or clear it.

    The cache only holds what can be made again; its folder is TERMGAUGE_CACHE_DIR or the platform's cache folder.
    What is damaged is made again when it is next used. With --verify the exit status is 4 if something is.
    """
    from termgauge.io import store
    from termgauge.reporting.about_data import cache_section
    from termgauge.reporting.words import size

    if clear:
        count, freed = store.clear(what, unused_days=unused)
        return Answer(
            lambda: {"deleted": count, "bytes": freed}, lambda: note(f"Deleted {count} entries, {size(freed)}.")
        )
    entries, folder = store.entries(what), str(store.cache_dir())
    listed: list[dict[str, object]] = [
        {"what": record.namespace, "key": record.key, "bytes": record.size, "used": record.used} for record in entries
    ]
    damaged = False
    if verify:
        faults = [damage(record) for record in entries]
        damaged = any(faults)
        listed = [{**row, "damaged": files} for row, files in zip(listed, faults, strict=True)]
        for entry, files in zip(entries, faults, strict=True):
            if files:
                note(f"{entry.path}: damaged ({', '.join(files[:5])}); it is made again when it is next used.")
        if untold := sum(files is None for files in faults):
            note(
                f"{untold} of {numbered(len(faults), 'entry', 'entries')} {plural(untold, 'has', 'have')} no checksums "
                "to tell by."
            )
        if not damaged:
            note("Nothing is damaged.")
    return Answer(
        lambda: {"folder": folder, "entries": listed},
        lambda: [cache_section(entries, folder)],
        status=EXIT_MISSING if damaged else 0,
    )
