"""Ids that say the same in different words: ``ICD10CM:A00`` and ``A00``, an OBO id and its address.

Two ids are the same if they are written alike; if they are alike as prefix and code, in any case of letters, once an
address is cut down to its last part; or if only one of them has a prefix and the codes are alike. Two ids with
different prefixes are never the same.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import polars as pl

if TYPE_CHECKING:
    from collections.abc import Iterable

_PLACE = re.compile(r"[^/#]+$")
_UNDERSCORED = re.compile(r"([A-Za-z][A-Za-z0-9.]*)_(\w+)")


def parts_of(identifier: str) -> tuple[str, str]:
    """Return the prefix of an id, empty if it has none, and its code, both in lower case.

    >>> parts_of("http://purl.obolibrary.org/obo/HP_0000118"), parts_of("ICD10CM:A00"), parts_of("22298006")
    (('hp', '0000118'), ('icd10cm', 'a00'), ('', '22298006'))
    """
    text = identifier.strip().strip("<>").lower()
    if "://" in text and (last := _PLACE.search(text)):
        text = last[0]
        if underscored := _UNDERSCORED.fullmatch(text):
            return underscored[1], underscored[2]
    prefix, colon, code = text.partition(":")
    return (prefix, code) if colon else ("", text)


class Identifiers:
    """The ids of a terminology, found by whatever somebody else calls them."""

    def __init__(self, ids: Iterable[str]) -> None:
        self._exact = set(ids)
        self._parts: dict[tuple[str, str], str] = {}
        self._codes: dict[str, str | None] = {}
        for id_ in self._exact:
            prefix, code = parts_of(id_)
            self._parts.setdefault((prefix, code), id_)
            if prefix:
                self._codes[code] = None if code in self._codes else id_  # a code of two prefixes says nothing

    def find(self, written: str) -> str | None:
        """Return the id that is meant, None if there is none."""
        if written in self._exact:
            return written
        prefix, code = parts_of(written)
        if (id_ := self._parts.get((prefix, code))) is not None:
            return id_
        return self._parts.get(("", code)) if prefix else self._codes.get(code)

    def find_all(self, written: pl.Series) -> pl.Series:
        """Return the id that is meant by each of many, null where there is none."""
        different = written.unique()
        ids = [self.find(text) for text in different.to_list()]
        return written.replace_strict(different, pl.Series(ids, dtype=pl.String), return_dtype=pl.String)
