"""CSV and TSV with the word or concept id in the first column and numbers in the others (the layout of cui2vec).

A first line without numbers is a header. Ids may be quoted; numbers may not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from termgauge.embeddings.files.lines import NUMBER, TextLayout, infer_dimension, read_lines
from termgauge.exceptions import TermgaugeError

if TYPE_CHECKING:
    from termgauge.embeddings.store.vectors import VectorStream
    from termgauge.io.source import SourceFile

_SEPARATORS = (b",", b"\t", b";")


def separator_of(head: bytes) -> bytes | None:
    """Return what separates the columns of a file, or None if it is no such file."""
    lines = head.split(b"\n")[:2]
    return next((each for each in _SEPARATORS if any(_is_row(line, each) for line in lines)), None)


def read_delimited(file: SourceFile, head: bytes) -> VectorStream:
    """Read a CSV or TSV file of vectors."""
    separator = separator_of(head)
    dimension = (infer_dimension(head, separator, skipped=1) or infer_dimension(head, separator)) if separator else None
    if separator is None or dimension is None:
        raise TermgaugeError(
            f"{file.label}: neither of its first two lines has an id and then numbers, separated by commas or tabs; "
            "name its format with a scheme if it is another."
        )
    skipped = 0 if _is_row(head.partition(b"\n")[0], separator) else 1
    return read_lines(file, TextLayout(separator.decode(), dimension, skipped, quoted=True), head)


def _is_row(line: bytes, separator: bytes) -> bool:
    fields = line.rstrip().split(separator)
    return len(fields) >= 3 and all(NUMBER.fullmatch(field.strip()) for field in fields[-2:])
