"""How well relations hold as analogies, for a terminal: tables like 5 and 6 of Giancani et al. (2023)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich.console import Group
from rich.text import Text

from termgauge.document.numbers import number
from termgauge.document.pieces import interval, superscript, table_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import RenderableType
    from rich.table import Table

    from termgauge.tasks.analogies.result import AnalogyReport

_MODELS_ABREAST = 3
DIGITS = 5
"""Of an M, as the paper prints it."""


def analogy_tables(found: AnalogyReport) -> RenderableType:
    """Return a row for each relation: its M, AR and IV / W in each model, a few models side by side."""
    document = found.as_dict()
    models = list(document["models"])
    about = document["domain"]
    title = Text.assemble(
        ("Analogies", "bold"),
        f"  {about['title']}: {number(about['related'])} concepts; k = {document['k'][0]}, {document['method_name']}",
    )
    parts: list[RenderableType] = [title]
    for start in range(0, len(models), _MODELS_ABREAST):
        parts += ["", _table(document, models[start : start + _MODELS_ABREAST])]
    if len(document["k"]) > 1:
        parts += ["", _by_k(document)]
    for name in models:
        if document["models"][name]["neighbourhood"] == "terminology":
            size = number(document["models"][name]["neighbourhood_size"])
            parts.append(Text(f"{name}: answers are sought among the names of {size} concepts of the terminology."))
    few = [each["label"] for relation, each in document["relations"].items() if relation not in _asked(document)]
    if few:
        parts.append(Text(f"No model has two pairs of {', '.join(few)}: no analogy can be asked."))
    elif not any(each["analogies"] for model in document["models"].values() for each in model["relations"].values()):
        parts.append(Text("No model has two pairs of any relation: no analogy can be asked."))
    parts.append(Text(_legend(len(models)), style="dim"))
    return Group(*parts)


def shown_coverage(value: float | None) -> str:
    """Return an M as the paper prints it: five digits, a dash where there is none.

    Examples
    --------
    >>> shown_coverage(0.000421), shown_coverage(0.0), shown_coverage(1e-7), shown_coverage(None)
    ('0.00042', '0', '<0.00001', '–')
    """
    if value is None:
        return "–"
    if value == 0:
        return "0"
    return f"{value:.{DIGITS}f}" if value >= 10**-DIGITS else f"<{10**-DIGITS:.{DIGITS}f}"


def _asked(document: dict[str, Any]) -> list[str]:
    """Return the relations of which a model has two pairs or more; where there is none, all, with their zeros."""
    found = [
        relation
        for relation in document["relations"]
        if any(model["relations"][relation]["in_vocabulary"] > 1 for model in document["models"].values())
    ]
    return found or list(document["relations"])


def _table(document: dict[str, Any], models: Sequence[str]) -> Table:
    headings = [heading for name in models for heading in (f"{name}\nM", "\nAR", "\nIV/W")]
    one = len(document["models"]) == 1
    table = table_of("\nRelation", *headings, *(["\ninterval of M"] if one else []))
    for relation in _asked(document):
        cells = []
        for name in models:
            values = document["models"][name]["relations"][relation]
            marks = superscript(values["wins"], values["losses"])
            cells += [
                shown_coverage(values["coverage"]) + marks,
                number(values["successes"]),
                f"{number(values['in_vocabulary'])}/{number(values['pairs'])}",
            ]
            if one:
                cells.append(interval(values["low"], values["high"], DIGITS))
        table.add_row(Text(document["relations"][relation]["label"]), *cells)
    return table


def _by_k(document: dict[str, Any]) -> Table:
    ks = [str(k) for k in document["k"]]
    table = table_of("Model", "relation", *(f"M, k = {k}" for k in ks), right=2)
    for name, model in document["models"].items():
        for relation in _asked(document):
            values = model["relations"][relation]
            label = document["relations"][relation]["label"]
            table.add_row(Text(name), Text(label), *(shown_coverage(values["k"][k]["coverage"]) for k in ks))
    return table


def _legend(models: int) -> str:
    legend = (
        "W: pairs of concepts with the relation that touch the domain; IV: those in the model's vocabulary; AR: "
        "analogies between them that hold; M: AR / (W (W - 1))"
    )
    more = "; ⁺ⁿ: significantly better than n others; ⁻ⁿ: significantly worse than n others"
    return legend + (more if models > 1 else "")
