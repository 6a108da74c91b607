"""The command about categories: does a model keep a distant one apart?"""

from __future__ import annotations

from typing import Annotated

import typer

from termgauge.cli.application import command, print_json, show
from termgauge.cli.options import (
    Alpha,
    AsJson,
    Dialect,
    Format,
    Language,
    Models,
    Relations,
    Release,
    Seed,
    Sources,
    UseCache,
    Vocabularies,
)


@command
def categories(
    sources: Sources,
    close: Annotated[
        tuple[str, str],
        typer.Option(
            "--close",
            metavar="A B",
            help="Two categories that are close, each the id of a concept (it and all below it), a tag, or @FILE with "
            "a term on each line.",
            show_default=False,
        ),
    ],
    far: Annotated[str, typer.Option("--far", metavar="C", help="The distant category.", show_default=False)],
    models: Models,
    measures: Annotated[
        list[str] | None,
        typer.Option(
            "--measure",
            help="A measure; may be repeated. By default a model's usual one, the cosine: the others must score every "
            "pair of terms and take long on large categories.",
        ),
    ] = None,
    names_only: Annotated[
        bool, typer.Option("--names-only", help="Take the names of concepts, not their synonyms.")
    ] = False,
    drop_shared: Annotated[
        bool, typer.Option("--drop-shared", help="Leave terms that are in two categories out of both.")
    ] = False,
    max_terms: Annotated[
        int | None, typer.Option(min=1, help="The most terms of a category; a seeded subsample.")
    ] = None,
    alpha: Alpha = 0.05,
    seed: Seed = 42,
    as_json: AsJson = False,
    format_: Format = None,
    language: Language = None,
    dialect: Dialect = None,
    release: Release = None,
    vocabulary: Vocabularies = None,
    relations: Relations = None,
    cache: UseCache = True,
) -> None:
    """Measure how well models keep a distant category apart from two close ones.

    The overlap is the share of triples in which a term of A is no nearer to one of B than to one of C.

    Example: [dim]termgauge categories hp.obo --close HP:0001626 HP:0002086 --far HP:0000478 -m PubMed.bin[/dim].
    """
    from termgauge.experiment.categories import categories as measure
    from termgauge.tasks.categories.sections import category_section

    found = measure(
        sources,
        close,
        far,
        models,
        measures=measures or (),
        names_only=names_only,
        drop_shared=drop_shared,
        max_terms=max_terms,
        alpha=alpha,
        seed=seed,
        format=format_,
        language=language,
        dialect=dialect,
        release=release,
        vocabularies=vocabulary or (),
        relations=relations,
        cache=cache,
    )
    document = found.as_dict()
    if as_json:
        print_json(document)
    else:
        show([category_section(" / ".join(each.name for each in found.categories), document)])
