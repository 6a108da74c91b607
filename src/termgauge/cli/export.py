"""The command that hands benchmarks and results to other libraries."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from termgauge.cli.application import answer, command, note
from termgauge.cli.declared import given, with_options
from termgauge.cli.options import AsJson, DataDir
from termgauge.integrations.export import TARGETS, ExportOptions


@command
@with_options(ExportOptions)
def export(
    sources: Annotated[
        list[str],
        typer.Argument(
            metavar="BENCHMARK|RUN...",
            help="A benchmark's folder, a file of pairs, ids of human-rated sets; or a run, for its results.",
            show_default=False,
        ),
    ],
    to: Annotated[
        str,
        typer.Option(
            "--to",
            metavar="|".join(TARGETS),
            help=f"{'; '.join(f'{name}: {target.about}' for name, target in TARGETS.items())}.",
            show_default=False,
        ),
    ],
    out: Annotated[Path, typer.Option("--out", "-o", help="The folder to write to.", show_default=False)],
    force: Annotated[bool, typer.Option("--force", help="Replace an earlier export there.")] = False,
    data_dir: DataDir = None,
    as_json: AsJson = False,
    **options: Any,  # noqa: ANN401
) -> None:
    """Write a benchmark, or the results of a run, in the form that another library takes.

    Examples: [dim]termgauge export hp-benchmark --to mteb --out hp-mteb[/dim];
    [dim]termgauge export hp-benchmark --to triplets --negatives mined --model wordllama: --out hp-triplets[/dim];
    [dim]termgauge export RUN --to model-card --out cards[/dim].
    """
    from termgauge.integrations.export import export as write
    from termgauge.integrations.export import export_section

    chosen = given(options, ExportOptions).changed()
    written = write(sources if len(sources) > 1 else sources[0], to, out, force=force, data_dir=data_dir, **chosen)
    answer(as_json, written.as_dict, lambda: [export_section(written)])
    if not as_json:
        note(f"Written: {written.path}")
