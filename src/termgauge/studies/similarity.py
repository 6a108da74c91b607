"""A similarity study from ratings to scores: agreement, the score of each pair, what was found beside, and tables.

The scored set and the ratings behind it are two tables with the same pairs in the same order, so that whoever loads the
one finds the other.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from termgauge.studies.records import ScoredPair, SimilarityResult

if TYPE_CHECKING:
    import polars as pl

    from termgauge.studies.ratings import Ratings


def similarity_of(
    everybody: Ratings,
    kept: list[str],
    *,
    calibrate: bool = False,
    **options: Any,  # noqa: ANN401
) -> tuple[SimilarityResult, Ratings]:
    """Return what a similarity study found, and the ratings that count.

    Parameters
    ----------
    everybody
        What all raters said.
    kept
        Raters whom nobody left out by hand.
    calibrate
        Whether ratings of raters who rate high or low throughout are moved by 1.
    **options
        Of :func:`agreement`, such as ``rule`` and ``seed``.
    """
    from termgauge.studies.agreement import agreement
    from termgauge.studies.findings import findings_of
    from termgauge.studies.scores import scores_of

    ratings = everybody.of_raters(kept)
    found = agreement(ratings, calibrate=calibrate, **options)
    accepted = found.accepted()
    counting = (_calibrated(ratings, accepted) if calibrate else ratings).of_raters(accepted)
    before, after = scores_of(everybody), scores_of(counting)
    result = SimilarityResult(
        agreement=found,
        accepted=accepted,
        scores=_scored(before, after),
        findings=findings_of(everybody, counting, before, after),
    )
    return result, counting


def _calibrated(ratings: Ratings, accepted: list[str]) -> Ratings:
    from termgauge.studies import acceptance

    rated = acceptance.rated_of(ratings, acceptance.groups_of(ratings))
    return acceptance.calibrated(ratings, accepted, acceptance.consistency_pairs(ratings, rated))[0]


def _scored(before: pl.DataFrame, after: pl.DataFrame) -> list[ScoredPair]:
    both = after.join(before.select("pair", before="score"), on="pair", how="left", maintain_order="left")
    return [ScoredPair(**row) for row in both.to_dicts()]


def scores_table(result: SimilarityResult) -> str:
    """Return the scored set as a table: score with two decimals, ratings, and their sample standard deviation."""
    rows = [
        f"{each.word1}\t{each.word2}\t{each.score:.2f}\t{each.n}\t{'' if each.sd is None else f'{each.sd:.4f}'}\n"
        for each in result.scored
    ]
    return "word1\tword2\tscore\tn\tsd\n" + "".join(rows)


def ratings_table(result: SimilarityResult, ratings: Ratings) -> str:
    """Return the ratings that count as a matrix: a row for each scored pair, a column for each rater, by their ids."""
    given = {
        (pair, rater): "" if rating is None else f"{rating:g}"
        for pair, rater, rating in ratings.first_showings().select("pair", "rater", "rating").iter_rows()
    }
    lines = ["\t".join(("word1", "word2", *result.accepted))]
    for each in result.scored:
        said = (given.get((each.pair, rater), "") for rater in result.accepted)
        lines.append("\t".join((each.word1, each.word2, *said)))
    return "\n".join(lines) + "\n"
