"""Options of the commands that measure a domain, each declared once."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

Concepts = Annotated[
    list[str] | None,
    typer.Option(
        "--concept",
        "-c",
        metavar="ID",
        help="Seeds: what is related to this concept, in either direction; its id, or a name that no other concept "
        "has; may be repeated.",
        show_default=False,
    ),
]
Branches = Annotated[
    list[str] | None,
    typer.Option(
        "--branch", metavar="ID", help="Seeds: this concept and all below it; may be repeated.", show_default=False
    ),
]
Lists = Annotated[
    list[Path] | None,
    typer.Option("--list", metavar="FILE", help="Seeds: the ids in a file, one a line.", show_default=False),
]
Texts = Annotated[
    list[Path] | None,
    typer.Option(
        "--text",
        metavar="FILE",
        help="Seeds: the concepts of MetaMap's fielded output (MMI), or those whose labels are in a plain text.",
        show_default=False,
    ),
]
Hops = Annotated[int, typer.Option("--hops", min=1, help="How many relations away from --concept seeds may be.")]
Follow = Annotated[
    list[str] | None,
    typer.Option("--follow", metavar="TYPE", help="From --concept, only by relations of this type; may be repeated."),
]
Ignore = Annotated[
    list[str] | None,
    typer.Option("--ignore", metavar="TYPE", help="From --concept, not by relations of this type; may be repeated."),
]
Best = Annotated[
    int | None,
    typer.Option(
        "--best", min=1, help="From a text, so many concepts at most: the best-scored of MMI, else the most frequent."
    ),
]
SemanticTypes = Annotated[
    list[str] | None,
    typer.Option(
        "--semantic-type",
        metavar="T",
        help="From a text, only concepts of this type: as in the MMI file, such as dsyn; else a tag of the "
        "terminology; may be repeated.",
    ),
]
DomainFile = Annotated[
    Path | None,
    typer.Option("--domain", metavar="FILE", help="Use a domain that was saved, instead of making one."),
]
SaveDomain = Annotated[
    Path | None, typer.Option("--save-domain", metavar="FILE", help="Write the domain to a file, for --domain.")
]
Labels = Annotated[
    str,
    typer.Option(
        "--labels",
        metavar="first|all",
        help="Vectors of words: what stands for a concept, the first of its labels in the vocabulary or all of them.",
    ),
]
Join = Annotated[
    str | None,
    typer.Option(
        "--join", metavar="TEXT", help="Look labels up with this between their words too, such as _ in heart_attack."
    ),
]
Lowercase = Annotated[
    bool, typer.Option("--lowercase", help="Look labels up in lower case too, for vocabularies without capitals.")
]
