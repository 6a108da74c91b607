"""Tagged text as it is written: `form TAB tag`, an empty line after each sentence, and `#` lines about documents.

What is written here is what the counting of words and the training of taggers read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from termgauge.exceptions import one_line

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from termgauge.corpus.corpus import DocumentAbout
    from termgauge.corpus.tagger import Tagged


def tagged_lines(portion: Tagged, tags: Sequence[str]) -> Iterator[str]:
    """Yield the lines of a portion of tagged text."""
    numbers, documents = portion.tags.tolist(), portion.documents.tolist()
    unwritten = dict(portion.about)
    start = 0
    for end in portion.ends:
        for number in [each for each in unwritten if each <= documents[start]]:
            yield from _heading(unwritten.pop(number))
        for at in range(start, end):
            yield f"{portion.forms[at]}\t{tags[numbers[at]]}"
        yield ""
        start = end
    for about in unwritten.values():
        yield from _heading(about)


def _heading(about: DocumentAbout) -> Iterator[str]:
    """Yield what is known about a document, one line each."""
    yield f"# newdoc id = {one_line(about.id)}".rstrip()
    if about.journal:
        yield f"# journal = {one_line(about.journal)}"
    if about.mesh:
        yield f"# mesh = {one_line(' '.join(about.mesh))}"
    for key, value in about.more.items():
        yield f"# {key} = {one_line(value)}"
