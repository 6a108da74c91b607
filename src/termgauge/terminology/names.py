"""What a fully specified name says: the name itself, and the semantic tag in brackets at its end."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl

_NAME_AND_TAG = r"(?s)^(.*) \((.*)\)$"


def clean_name(name: str) -> str:
    """Cut the semantic tag from a fully specified name.

    Brackets that belong to the name stay: those after `` or`` or ``&``, and those that start with ``&``.

    Examples
    --------
    >>> clean_name("Myocardial infarction (disorder)")
    'Myocardial infarction'
    >>> clean_name("Removal of (stent) or (drain)")
    'Removal of (stent) or (drain)'
    """
    return split_name(name)[0]


def split_name(name: str) -> tuple[str, str | None]:
    """Return a fully specified name without its semantic tag, and the tag if it has one.

    Examples
    --------
    >>> split_name("Myocardial infarction (disorder)")
    ('Myocardial infarction', 'disorder')
    """
    start = name.rfind(" (")
    if start < 0 or not name.endswith(")"):
        return name, None
    before, inside = name[:start], name[start + 2 : -1]
    if before.endswith((" or", "&")) or inside.startswith("&"):
        return name, None
    return before, inside


def name_and_tag(column: pl.Expr) -> tuple[pl.Expr, pl.Expr]:
    """Return expressions for the cleaned names and the tags of a column: :func:`split_name`, vectorised."""
    import polars as pl

    before = column.str.extract(_NAME_AND_TAG, 1)
    inside = column.str.extract(_NAME_AND_TAG, 2)
    keeps = inside.is_null() | before.str.ends_with(" or") | before.str.ends_with("&") | inside.str.starts_with("&")
    return pl.when(keeps).then(column).otherwise(before), pl.when(keeps).then(None).otherwise(inside)
