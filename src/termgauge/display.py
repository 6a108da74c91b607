"""How results show themselves: in one line at a prompt, as a document in a notebook, as a table to work with.

What stands low in the way of the data cannot import what makes documents of it, so a class names that function.
"""

from __future__ import annotations

from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any, ClassVar

from termgauge.exceptions import one_line
from termgauge.frames import to_pandas

if TYPE_CHECKING:
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

    A dataclass that is one has ``repr=False``, or it would get the usual long form.
    """

    shown_by: ClassVar[str]
    """What makes a document, a section or several of it, as ``module:function``."""

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

    def _shown(self) -> Any:  # noqa: ANN401 - a document, or what stands in one
        """Return what a notebook shows."""
        return resolve_name(self.shown_by)(self)

    def _repr_html_(self) -> str:
        made: str = resolve_name("termgauge.reporting.writers.html:notebook_html")(self._shown())
        return made
