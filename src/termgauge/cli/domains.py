"""The command about a domain: how well do models cover it?"""

from __future__ import annotations

from typing import Annotated

import typer

from termgauge.cli.application import command, people, print_json
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
    from termgauge.evaluation.coverage import KS
    from termgauge.experiment.coverage import coverage as measure
    from termgauge.report.coverage import coverage_tables

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
    if as_json:
        print_json(found.as_dict())
    else:
        people().print(coverage_tables(found))
