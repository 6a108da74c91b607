"""How results show themselves: in one line at a prompt, as a document in a notebook, as a table to work with."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from termgauge.exceptions import one_line
from termgauge.frames import to_pandas

if TYPE_CHECKING:
    from collections.abc import Callable

    import pandas as pd
    import polars as pl

LONGEST = 119
"""Characters of a result in one line."""
_NAME = 40


def shortened(text: object, longest: int = _NAME) -> str:
    """Return a text in one line that keeps its end, which tells paths and names apart.

    >>> shortened("/home/somebody/projects/embeddings/runs/2026-11-16")
    '…ody/projects/embeddings/runs/2026-11-16'
    """
    whole = one_line(str(text))
    return whole if len(whole) <= longest else f"…{whole[1 - longest :]}"


class Showing:
    """A result that shows itself.

    A dataclass that is one has ``repr=False``, or it would get the usual long form. A method ``_shown`` returns what a
    notebook shows; :mod:`termgauge.reporting.about_data` has that of what stands too low in the pipeline for documents.
    """

    html_writer: ClassVar[Callable[[Showing], str]]
    """Makes what a notebook shows; set by the package itself, which stands above all layers."""

    def _brief(self) -> str:
        """Say what it is in a few words."""
        raise NotImplementedError

    def to_frame(self) -> pl.DataFrame:
        """Return it as a tidy table."""
        raise NotImplementedError

    def to_pandas(self) -> pd.DataFrame:
        """Return that table for pandas; pyarrow is not needed."""
        return to_pandas(self.to_frame())

    def __repr__(self) -> str:
        brief = one_line(self._brief())
        return f"<{brief if len(brief) < LONGEST - 1 else f'{brief[: LONGEST - 3]}…'}>"

    def _repr_html_(self) -> str:
        return Showing.html_writer(self)
