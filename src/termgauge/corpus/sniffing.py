"""Which tag set a corpus has, found while it is read: a tag that no set has ends the reading where it stands."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from termgauge.corpus.tagsets import C5, CLASSES, PENN, TAG_SETS, UPOS, fitting, read_tag_table, refuse
from termgauge.exceptions import TermgaugeError
from termgauge.io.paths import expanded

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from termgauge.corpus.filters import Noise
    from termgauge.corpus.tagsets import TagSet


class Sniffing:
    """The sets that know every tag so far, for tags of tagged text and for those of CoNLL-U's column UPOS."""

    def __init__(self, noise: Noise, tagset: str | None = None, table: str | None = None) -> None:
        """Begin with all sets, or with the one that the user named or wrote."""
        self._noise = noise
        if table is not None:
            own = read_tag_table(expanded(table))
            self._all: dict[bool, list[TagSet]] = {False: [own], True: [own]}
        elif tagset is not None:
            self._all = {False: [TAG_SETS[tagset]], True: [UPOS]}
        else:
            self._all = {False: [PENN, UPOS, C5], True: [UPOS, PENN, C5]}
        self._fitting = dict(self._all)
        self._seen: dict[tuple[str, bool], int] = {}
        self.places: Callable[[Sequence[int]], list[str]] = lambda _entries: []
        """Says where distinct tokens stand first."""

    def wanted(self, tokens: pl.DataFrame) -> pl.Series:
        """Take note of the tags of distinct tokens that are new; return which of the tokens may become words."""
        first = tokens.group_by("tag", "from_upos").agg(pl.col("entry").min()).sort("entry")
        for tag, from_upos, entry in first.iter_rows():
            self._seen.setdefault((tag, from_upos), entry)
        for from_upos in (False, True):
            tags = [tag for tag, of_upos in self._seen if of_upos == from_upos]
            fitting_now = fitting(tags, self._fitting[from_upos])
            if not fitting_now:
                places = self.places([self._seen[tag, from_upos] for tag in tags])
                raise refuse(dict(zip(tags, places, strict=True)), self._all[from_upos])
            self._fitting[from_upos] = fitting_now
        tags = sorted({
            tag for tag, of_upos in self._seen if any(each.class_of(tag) in CLASSES for each in self._fitting[of_upos])
        })  # fmt: skip
        kept = pl.col("tag").is_in(tags) & self._noise.kept(pl.col("form"))
        return tokens.select(kept).to_series()

    def class_of(self, tag: str, from_upos: bool) -> str:
        """Return the class of a tag that was seen."""
        kind = self._fitting[from_upos][0].class_of(tag)
        if kind is None:
            raise TermgaugeError(f"The tag '{tag}' is in no tag set.")
        return kind

    @property
    def name(self) -> str:
        """The name of the tag set of the corpus."""
        used = {from_upos: None for _tag, from_upos in self._seen}
        return " and ".join(dict.fromkeys(self._fitting[each][0].name for each in used)) or "none"
