"""Ratings that tests make by hand."""

from __future__ import annotations

import polars as pl

from termgauge.studies.ratings import Ratings

TYPES = {
    "rater": pl.String, "group": pl.String, "page": pl.Int64, "position": pl.Int64, "pair": pl.String,
    "rating": pl.Float64, "kind": pl.String, "seconds": pl.Float64,
}  # fmt: skip
_SAID = {"S": 1.0, "N": 0.0, "D": None}


def quality_ratings(said, words=None):
    """Return the ratings of a quality study from words such as ``SND-``, one letter for each rater."""
    rows = [
        {
            "rater": f"r{at + 1}", "group": "1", "page": 1, "position": place, "pair": str(place),
            "rating": _SAID[letter], "kind": "unique", "seconds": float(at + 1),
        }
        for place, letters in enumerate(said, 1)
        for at, letter in enumerate(letters)
        if letter != "-"
    ]  # fmt: skip
    words = words or [(f"term {place}", f"other {place}") for place in range(1, len(said) + 1)]
    pairs = pl.DataFrame(
        [(str(place), *pair) for place, pair in enumerate(words, 1)], ["pair", "word1", "word2"], orient="row"
    )
    answers = pl.DataFrame(rows, TYPES).sort("rater", "position", maintain_order=True)
    return Ratings(pairs, answers, (0.0, 1.0))


def similarity_ratings(said, *, scale=(0.0, 6.0), seconds=None):
    """Return ratings of one group from a row for each rater, None where a word is not known."""
    rows = [
        {
            "rater": f"r{at}", "group": "1", "page": 1, "position": place, "pair": str(place),
            "rating": None if rating is None else float(rating), "kind": "unique",
            "seconds": None if seconds is None else float(seconds[at - 1]),
        }
        for at, ratings in enumerate(said, 1)
        for place, rating in enumerate(ratings, 1)
    ]  # fmt: skip
    words = [(str(place), f"a{place}", f"b{place}") for place in range(1, len(said[0]) + 1)]
    return Ratings(pl.DataFrame(words, ["pair", "word1", "word2"], orient="row"), pl.DataFrame(rows, TYPES), scale)
