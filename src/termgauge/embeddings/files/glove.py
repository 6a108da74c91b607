"""GloVe text: no header, and words that may contain spaces, so the last fields of a line are its vector."""

from __future__ import annotations

from typing import TYPE_CHECKING

from termgauge.embeddings.files.lines import TextLayout, infer_dimension, read_lines
from termgauge.exceptions import TermgaugeError

if TYPE_CHECKING:
    from termgauge.embeddings.store.vectors import VectorStream
    from termgauge.io.source import SourceFile


def read_glove(file: SourceFile, head: bytes) -> VectorStream:
    """Read a GloVe file."""
    dimension = infer_dimension(head, b" ")
    if dimension is None:
        raise TermgaugeError(
            f"{file.label}: its first lines hold no word followed by numbers, as GloVe files do; "
            "name its format with a scheme if it is another."
        )
    return read_lines(file, TextLayout(" ", dimension), head)
