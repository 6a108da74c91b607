"""Which forms may be words: no multi-word strings, no symbols, numbers, or strings that are too short."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl

AUXILIARIES = ("be", "have", "do")
"""Verbs that are left out whatever their tag."""


@dataclass(frozen=True)
class Noise:
    """What a form must be made of."""

    hyphens: bool = False
    """Whether letters may be joined by hyphens."""
    digits: bool = False
    """Whether digits may stand among letters, of which there must be two."""
    min_length: int = 3
    """The least number of letters, or of letters and digits; hyphens do not count."""

    def kept(self, form: pl.Expr) -> pl.Expr:
        """Return an expression that says which forms are no noise."""
        letters = "[A-Za-z0-9]" if self.digits else "[A-Za-z]"
        joined = f"(?:-{letters}+)*" if self.hyphens else ""
        kept = form.str.contains(f"^{letters}+{joined}$")
        if self.digits:
            kept &= form.str.count_matches("[A-Za-z]") >= 2
        length = form.str.len_bytes() - form.str.count_matches("-", literal=True)
        return kept & (length >= self.min_length)


def multi_word(form: pl.Expr) -> pl.Expr:
    """Return an expression that says which forms are several words."""
    return form.str.contains(r"[\s_]")
