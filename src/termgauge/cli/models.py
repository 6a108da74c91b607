"""Commands about models: what kinds there are, what they know, what is near what, how to take vectors along."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from typer import Argument, Option

from termgauge.cli.application import Answer, command, note


@command
def models(
    scheme: Annotated[str | None, Argument(help="Show only this scheme, with its options.")] = None,
) -> Answer:
    """List the kinds of models: schemes, their options, what is installed and what the rest costs.

    Example: [dim]termgauge models onnx[/dim].
    """
    from termgauge.embeddings.schemes import describe_schemes
    from termgauge.reporting.about_data import scheme_section

    catalogue = describe_schemes(scheme)
    return Answer(lambda: catalogue, lambda: [scheme_section(catalogue)])


@command
def neighbours(
    spec: Annotated[str, Argument(metavar="SPEC", help="A model: a path or scheme:location.")],
    words: Annotated[list[str], Argument(metavar="WORD...", help="Words, terms, or concept ids.")],
    k: Annotated[int, Option("--k", min=1, help="How many.")] = 10,
    among: Annotated[
        Path | None,
        Option(
            metavar="SOURCE",
            help="Choose from the terms of this terminology, or of this file with one a line, not from the "
            "vocabulary; an encoder has none.",
        ),
    ] = None,
) -> Answer:
    """Show the nearest words of some words, by cosine, exactly.

    Example: [dim]termgauge neighbours PubMed.bin infarction "heart attack"[/dim], or for an encoder
    [dim]termgauge neighbours onnx: "heart attack" --among hp.obo[/dim].
    """
    from termgauge.embeddings.load import load_model
    from termgauge.embeddings.neighbours import neighbours as nearest
    from termgauge.reporting.about_data import neighbour_section

    near = nearest(load_model(spec), words, k, among=among)
    rows: dict[str, list[dict[str, object]]] = {word: [] for word in words}
    for neighbour in near:
        rows[neighbour.query].append(
            {"rank": neighbour.rank, "text": neighbour.text, "similarity": neighbour.similarity}
        )
    return Answer(lambda: {"neighbours": rows}, lambda: [neighbour_section(near)])


@command
def convert(
    spec: Annotated[str, Argument(metavar="SPEC", help="A model: a path or scheme:location.")],
    out: Annotated[Path, Argument(metavar="OUT", help="The file to write.")],
    to: Annotated[
        str | None,
        Option(help="word2vec-text, word2vec-binary, numpy or safetensors; else by the file's suffix."),
    ] = None,
) -> None:
    """Write the vectors of a model in another format, so that you can take them elsewhere.

    Example: [dim]termgauge convert BioWordVec.bin biowordvec.safetensors[/dim].
    """
    from termgauge.embeddings.convert import convert as write
    from termgauge.embeddings.load import load_model

    files = write(load_model(spec), out, to)
    note(f"Written: {', '.join(map(str, files))}.")
