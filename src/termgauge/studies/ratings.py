"""What raters said to pairs, read from the tables in which ratings travel.

Three forms are told apart by their columns: the answers of a study, a long table with one row for each rating, and a
matrix with one column for each rater. All become the same two frames, in the order in which each rater met the pairs.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from termgauge.display import Showing
from termgauge.exceptions import TermgaugeError
from termgauge.io.source import files_of
from termgauge.plurals import numbered

if TYPE_CHECKING:
    import os
    from collections.abc import Sequence

    import polars as pl

KINDS = ("unique", "consistency", "duplicate")
"""What a showing is for: a pair of one group, a pair that all groups rate, a pair that a rater sees again."""


@dataclass(frozen=True, eq=False, repr=False)
class Ratings(Showing):
    """What raters said to pairs.

    Parameters
    ----------
    pairs
        ``pair`` (text, each once), ``word1`` and ``word2`` (null where they are not known), in order.
    answers
        One row for each showing that was answered: ``rater``, ``group`` (text or null), ``page``, ``position`` (whole
        numbers or null), ``pair``, ``rating`` (null if the rater gave none: "I do not know"), ``kind`` (``unique``,
        ``consistency`` or ``duplicate``) and ``seconds`` (null where not known), in the order in which each rater met
        them.
    scale
        The lowest and the highest rating.
    notes
        What was decided in reading, in sentences.
    """

    shown_by = "termgauge.studies.sections:ratings_section"

    pairs: pl.DataFrame
    answers: pl.DataFrame
    scale: tuple[float, float]
    notes: tuple[str, ...] = ()

    def _brief(self) -> str:
        low, high = self.scale
        raters = self.answers["rater"].n_unique()
        of = f"{numbered(self.pairs.height, 'pair')} by {numbered(raters, 'rater')}"
        return f"ratings: {self.count:,} of {of}, scale {low:g} to {high:g}"

    def to_frame(self) -> pl.DataFrame:
        """Return a row for each showing that was answered, with the words of its pair."""
        return self.answers.join(self.pairs, on="pair", how="left", maintain_order="left")

    @property
    def count(self) -> int:
        """How many ratings there are; second showings and missing ratings do not count."""
        return self.first_showings()["rating"].count()

    @property
    def raters(self) -> list[str]:
        """The raters, in the order in which they first appear."""
        return self.answers["rater"].unique(maintain_order=True).to_list()

    def first_showings(self) -> pl.DataFrame:
        """Return the answers without second showings: each rater and pair at most once."""
        return self.answers.filter(self.answers["kind"] != "duplicate")

    def of_raters(self, raters: Sequence[str]) -> Ratings:
        """Return what some of the raters said; the pairs stay."""
        return Ratings(
            self.pairs, self.answers.filter(self.answers["rater"].is_in(list(raters))), self.scale, self.notes
        )


def read_ratings(
    path: str | os.PathLike[str],
    *,
    scale: tuple[float, float] | None = None,
    raters: Sequence[str] | None = None,
) -> Ratings:
    """Read ratings in any of three forms, which are told apart by their columns.

    - the answers of a study: ``rater group page position pair word1 word2 rating kind seconds``;
    - a long table: ``pair rater rating``;
    - a matrix: ``word1 word2`` and one column for each rater, with or without a header; each row is a pair.

    Columns are separated by tabs. A missing rating is an empty field, ``NA`` or, where the scale does not have it,
    ``-1``. A rater who saw a pair twice is taken by the first rating.

    Parameters
    ----------
    path
        The file, which may be compressed.
    scale
        The lowest and the highest rating; without it, those that occur.
    raters
        In a matrix, the columns that hold ratings; without it, they are found.

    Raises
    ------
    TermgaugeError
        If the file is no such table, or a rating lies outside the scale.
    """
    from termgauge.studies import rating_tables

    files = files_of(path)
    if len(files) != 1:
        raise TermgaugeError(f"{path}: holds {len(files)} files; name the one file with the ratings.")
    name = files[0].label
    return rating_tables.read(files[0].text(), name, scale=checked_scale(scale), raters=raters)


def checked_scale(scale: Sequence[float] | None) -> tuple[float, float] | None:
    """Return a scale whose lowest rating is below its highest."""
    if scale is None:
        return None
    if len(scale) != 2 or not all(math.isfinite(end) for end in scale) or not scale[0] < scale[1]:
        shown = ",".join(f"{end:g}" for end in scale)
        raise TermgaugeError(f"A scale is its lowest and its highest rating, such as 0,6, not '{shown}'.")
    return float(scale[0]), float(scale[1])
