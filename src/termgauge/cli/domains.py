"""Commands about a domain: how well do models cover its concepts, and do its relations hold as analogies?"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from termgauge.cli.application import command, print_json, show
from termgauge.cli.domain_options import (
    Best,
    Branches,
    Concepts,
    DomainFile,
    Follow,
    Hops,
    Ignore,
    Join,
    Labels,
    Lists,
    Lowercase,
    SaveDomain,
    SemanticTypes,
    Texts,
)
from termgauge.cli.options import (
    Alpha,
    AsJson,
    Correction,
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

_MOST_ROWS = 15
"""Of long tables, such as the concepts that models lack."""


@command
def coverage(
    sources: Sources,
    models: Models,
    concept: Concepts = None,
    branch: Branches = None,
    list_: Lists = None,
    text: Texts = None,
    k: Annotated[
        list[int] | None,
        typer.Option("--k", help="Neighbours to look at; may be repeated. By default 5, 10, 20, 30 and 40."),
    ] = None,
    hops: Hops = 1,
    follow: Follow = None,
    ignore: Ignore = None,
    best: Best = None,
    semantic_type: SemanticTypes = None,
    domain: DomainFile = None,
    save_domain: SaveDomain = None,
    labels: Labels = "first",
    join: Join = None,
    lowercase: Lowercase = False,
    alpha: Alpha = 0.05,
    correction: Correction = "bonferroni",
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
    """Measure how well models cover a domain: its concepts, and whether they are neighbours of each other.

    %CG is the share of the k nearest neighbours of the domain's concepts that are in the domain too; posDCG is the same
    with near neighbours counting more. A concept without a vector counts as all misses.

    Example: [dim]termgauge coverage META --concept C0024117 --text review.mmi --best 500 -m cui2vec.csv -m
    PubMed.bin[/dim].
    """
    from termgauge.experiment.coverage import coverage as measure
    from termgauge.tasks.coverage.measure import KS
    from termgauge.tasks.coverage.sections import coverage_sections

    found = measure(
        sources,
        models,
        domain=domain,
        ks=k or KS,
        labels=labels,
        join=join,
        lowercase=lowercase,
        alpha=alpha,
        correction=correction,
        seed=seed,
        concepts=concept or (),
        branches=branch or (),
        lists=list_ or (),
        texts=text or (),
        hops=hops,
        include_relations=follow or (),
        exclude_relations=ignore or (),
        best=best,
        semantic_types=semantic_type or (),
        format=format_,
        language=language,
        dialect=dialect,
        release=release,
        vocabularies=vocabulary or (),
        relations=relations,
        cache=cache,
    )
    if save_domain is not None:
        found.domain.write(save_domain)
    document = found.as_dict()
    if as_json:
        print_json(document)
    else:
        show(coverage_sections(found.domain.title, document), folded=True, most_rows=_MOST_ROWS)


@command
def analogies(
    sources: Sources,
    models: Models,
    concept: Concepts = None,
    branch: Branches = None,
    list_: Lists = None,
    text: Texts = None,
    relation: Annotated[
        list[str] | None,
        typer.Option(
            "--relation",
            "-r",
            metavar="R",
            help="A relation as the terminology names it, or 'inverse of R'; giancani2023 for the 22 of that paper; "
            "may be repeated. By default all that touch the domain but hierarchy, mappings and versions.",
            show_default=False,
        ),
    ] = None,
    inverse: Annotated[
        bool | None,
        typer.Option(
            "--inverse/--no-inverse",
            help="Ask each relation's inverse too; by default yes, unless relations are named.",
            show_default=False,
        ),
    ] = None,
    k: Annotated[
        list[int] | None,
        typer.Option("--k", help="The answer is to be among so many nearest words; may be repeated. By default 10."),
    ] = None,
    method: Annotated[
        str, typer.Option("--method", help="add (3CosAdd), mul (3CosMul) or direction (PairDirection).")
    ] = "add",
    hops: Hops = 1,
    follow: Follow = None,
    ignore: Ignore = None,
    best: Best = None,
    semantic_type: SemanticTypes = None,
    domain: DomainFile = None,
    save_domain: SaveDomain = None,
    labels: Labels = "first",
    join: Join = None,
    lowercase: Lowercase = False,
    outcomes: Annotated[
        Path | None,
        typer.Option("--outcomes", metavar="FILE", help="Write the outcome of every analogy to a Parquet file."),
    ] = None,
    alpha: Alpha = 0.05,
    correction: Correction = "bonferroni",
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
    """Measure how well models cover the relations of a domain as analogies.

    Of two pairs with the same relation, does x - y of the one, added to y of the other, lead to its x? M is the share
    of all analogies between a relation's pairs that hold; pairs without vectors count as misses.

    Example: [dim]termgauge analogies META --concept C0024117 --relation may_treat -m cui2vec.csv -m PubMed.bin[/dim].
    """
    from termgauge.experiment.analogies import analogies as measure
    from termgauge.tasks.analogies.sections import analogy_sections

    found = measure(
        sources,
        models,
        domain=domain,
        relation=relation or (),
        inverse=inverse,
        ks=k or (10,),
        method=method,
        labels=labels,
        join=join,
        lowercase=lowercase,
        alpha=alpha,
        correction=correction,
        seed=seed,
        outcomes=outcomes,
        concepts=concept or (),
        branches=branch or (),
        lists=list_ or (),
        texts=text or (),
        hops=hops,
        include_relations=follow or (),
        exclude_relations=ignore or (),
        best=best,
        semantic_types=semantic_type or (),
        format=format_,
        language=language,
        dialect=dialect,
        release=release,
        vocabularies=vocabulary or (),
        relations=relations,
        cache=cache,
    )
    if save_domain is not None:
        found.domain.write(save_domain)
    document = found.as_dict()
    if as_json:
        print_json(document)
    else:
        show(analogy_sections(found.domain.title, document), folded=True, most_rows=_MOST_ROWS)
