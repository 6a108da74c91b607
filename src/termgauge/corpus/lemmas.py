"""Lemmas of forms: from the user's table, else from lemminflect, whose table is made from the SPECIALIST lexicon."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from termgauge.corpus.libraries import library
from termgauge.corpus.tables import rows_of
from termgauge.corpus.tagsets import CLASSES, NOUN, VERB
from termgauge.exceptions import TermgaugeError
from termgauge.progress import track

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Mapping

_UPOS = {NOUN: "NOUN", VERB: "VERB"}


class Lemmas:
    """Looks lemmas up."""

    def __init__(self, table: Mapping[tuple[str, str], str] | None = None) -> None:
        """Begin with a table from (lower form, class) to lemmas, which goes before lemminflect."""
        self._table = table or {}
        self._lemminflect: Any = None

    def of(self, forms: Iterable[str], kind: str) -> dict[str, str]:
        """Return the lemma of each of some lower forms that are nouns, or verbs; what has none is its own lemma."""
        wanted = list(forms)
        with track("Finding lemmas", total=len(wanted), unit="forms") as advance:
            lemmas = {}
            for form in wanted:
                lemmas[form] = self._table.get((form, kind)) or self._inflected(form, kind)
                advance(1)
        return lemmas

    def _inflected(self, form: str, kind: str) -> str:
        if self._lemminflect is None:
            self._lemminflect = library("lemminflect", "Finding lemmas")
        found = self._lemminflect.getLemma(form, upos=_UPOS[kind])
        return str(found[0]) if found and found[0] else form


def read_lemmas(path: str | os.PathLike[str]) -> dict[tuple[str, str], str]:
    """Read a user's table of lemmas: `form TAB class TAB lemma`."""
    table = {}
    for line, (form, kind, lemma) in rows_of(path, 3, "form TAB class TAB lemma"):
        if kind.lower() not in CLASSES:
            if line == 1:  # a header
                continue
            raise TermgaugeError(
                f"{path}, line {line:,}: the class '{kind}' is neither noun nor verb; correct the line."
            )
        table[form.lower(), kind.lower()] = lemma
    return table
