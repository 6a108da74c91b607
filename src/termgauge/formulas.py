"""Texts that spreadsheet programs would take for a formula, and obey: written with an apostrophe before them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl

BEGINNINGS = "=+-@\t\r\n\uff1d\uff0b\uff0d\uff20"
"""How a formula begins, also in the wide letters of East Asia."""
_FORMULA = "^([" + BEGINNINGS.replace("-", r"\-") + "])"
_HARMLESS = r"^([+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?|-)$"
"""A number, or a dash alone."""


def harmless(text: str) -> str:
    """Return a text that no spreadsheet program takes for a formula.

    >>> harmless("=1+1"), harmless("-3"), harmless("flu")
    ("'=1+1", '-3', 'flu')
    """
    return f"'{text}" if text[:1] and text[0] in BEGINNINGS and not re.fullmatch(_HARMLESS, text) else text


def as_meant(text: str) -> str:
    """Return a text as it was before it was made harmless.

    >>> as_meant("'=1+1"), as_meant("'tis")
    ('=1+1', "'tis")
    """
    return text[1:] if text[:1] == "'" and text[1:2] and text[1] in BEGINNINGS else text


def harmless_table(frame: pl.DataFrame) -> pl.DataFrame:
    """Return a table in which no text, and no name of a column, is taken for a formula."""
    import polars as pl

    text = pl.selectors.by_dtype(pl.String, pl.Categorical, pl.Enum).cast(pl.String)
    quoted = pl.when(text.str.contains(_HARMLESS)).then(text).otherwise(text.str.replace(_FORMULA, "'$1"))
    names = pl.Series(frame.columns, dtype=pl.String).str.replace(_FORMULA, "'$1")
    return frame.with_columns(quoted).rename(dict(zip(frame.columns, names, strict=True)))
