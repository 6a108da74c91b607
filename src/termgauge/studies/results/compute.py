"""The results of a study, computed and written: scores or truth, agreement, findings, and a page with pictures."""

from __future__ import annotations

import json
from contextlib import closing
from typing import TYPE_CHECKING, Any

import polars as pl

from termgauge.exceptions import TermgaugeError, warn, warn_skipped
from termgauge.io.atomic import write_text
from termgauge.io.identity import version
from termgauge.io.paths import expanded
from termgauge.options import also_called, takes
from termgauge.plurals import numbered, plural
from termgauge.progress import track
from termgauge.studies.answers import adjudication_table, answer_text
from termgauge.studies.demo import MADE_UP
from termgauge.studies.options import ResultsOptions
from termgauge.studies.quality.result import LabelSizes
from termgauge.studies.results.result import (
    AdjudicatedPair,
    DisputedPair,
    Findings,
    LeftOutByHand,
    MovedPair,
    RaterTime,
    RatingCount,
    ScoreChange,
    ScoredPair,
    SimilarityResult,
    StudyAbout,
    StudyResults,
    UnknownPair,
)
from termgauge.studies.study_file import QUALITY

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Sequence

    from termgauge.studies.folder import Study
    from termgauge.studies.ratings import Ratings

RESULTS = "results"
"""The folder of results in that of a study, and the name of their page and record."""
SCORES, RATINGS, TRUTH, ADJUDICATIONS = "scores.tsv", "scores.ratings.tsv", "truth.tsv", "adjudications.tsv"
ASKED = "asked for by name"


@also_called(format="formats")
@takes(ResultsOptions)
def study_results(
    study: Study | str | os.PathLike[str],
    *,
    out: str | os.PathLike[str] | None = None,
    formats: str | Iterable[str] = "html",
    **options: Any,  # noqa: ANN401
) -> StudyResults:
    """Write the results of a study: the scored set, a record of all statistics, and a page with pictures.

    Parameters
    ----------
    study
        The study, or its folder.
    out
        The folder to write to; ``results`` in the study's folder if not given.
    formats
        What the page is written as: ``html``, ``markdown``, ``csv``, ``latex``.

    Raises
    ------
    TermgaugeError
        If nobody has answered yet, or a rater is named who does not exist.
    """
    from termgauge.reporting.writers.write import checked_formats, places, write_document
    from termgauge.studies.folder import Study, open_study

    chosen = ResultsOptions.of(**options)
    opened = study if isinstance(study, Study) else open_study(study)
    wanted = checked_formats([formats] if isinstance(formats, str) else formats) or ("html",)
    folder = opened.folder / RESULTS if out is None else expanded(out)
    if folder.is_file():
        raise TermgaugeError(f"{folder}: is a file, and results need a folder; name another.")
    about, everybody, kept = _about(opened, chosen.leave_out)
    with track("Results", total=2 + len(wanted), unit="steps") as advance:
        if opened.file.kind == QUALITY:
            results, files = _quality(opened, about, everybody.of_raters(kept), chosen.dont_know)
        else:
            results, files = _similarity(opened, about, everybody, kept, chosen)
        if (decided := adjudication_table(opened)).height:
            rows = [AdjudicatedPair(**row) for row in decided.to_dicts()]
            results = results.model_copy(update={"adjudications": rows})
            files[ADJUDICATIONS] = answer_text(decided)
        advance(1)
        for name, text in files.items():
            write_text(folder / name, text)
        advance(1)
        document, shown = results.document(), []
        for form, target in places(wanted, folder, None, RESULTS).items():
            shown += write_document(document, {form: target}, made=f"Made by termgauge {version()}.")
            advance(1)
    written = [*shown, *(folder / name for name in files), folder / f"{RESULTS}.json"]
    results = results.model_copy(update={"written": [str(path) for path in written]})
    write_text(folder / f"{RESULTS}.json", json.dumps(results.as_dict(), ensure_ascii=False, indent=2) + "\n")
    return results


def _about(study: Study, named: Sequence[str]) -> tuple[StudyAbout, Ratings, list[str]]:
    """Return what a study is, what all raters said, and whom nobody left out by hand."""
    with closing(study.store()) as store:
        raters, answers = store.raters(), store.answers()
    known = {rater.id for rater in raters}
    for each in named:
        if each not in known:
            raise TermgaugeError(f"{study.folder}: there is no rater '{each}'; termgauge study status names all.")
    gone = {rater.id: rater.reason or "no reason was given" for rater in raters if rater.state == "left_out"}
    gone |= {each: ASKED for each in named if each not in gone}
    ratings = study.ratings(include_left_out=True)
    given = sorted(each.given for each in answers)
    about = StudyAbout(
        title=study.file.title,
        kind=study.file.kind,
        study=study.id,
        question=study.file.question,
        answers=[answer.label for answer in study.file.answers],
        scale=study.file.scale,
        seed=study.file.seed,
        groups=study.file.groups,
        consistency=study.file.consistency,
        duplicates=study.file.duplicates,
        pairs=study.pairs.height,
        invited=len(raters),
        answered=len({each.rater for each in answers}),
        finished=sum(rater.state == "finished" for rater in raters),
        made_up=sum((rater.name or "").startswith(MADE_UP) for rater in raters),
        left_out_by_hand=[LeftOutByHand(rater=rater, reason=reason) for rater, reason in gone.items()],
        first_answer=given[0] if given else None,
        last_answer=given[-1] if given else None,
        termgauge=version(),
    )
    kept = [rater for rater in ratings.raters if rater not in gone]
    if not kept:
        raise TermgaugeError(
            f"{study.folder}: nobody who counts has answered yet, so there are no results; termgauge study status "
            "tells who is how far."
        )
    return about, ratings, kept


def _similarity(
    study: Study, about: StudyAbout, everybody: Ratings, kept: list[str], options: ResultsOptions
) -> tuple[StudyResults, dict[str, str]]:

    found, counting = similarity_of(
        everybody, kept, rule=options.rule, calibrate=options.calibrate, seed=study.file.seed
    )
    if not found.scored:
        raise TermgaugeError(
            f"{study.folder}: no pair has a rating that counts, so there are no results; termgauge study status tells "
            "who is how far, and --rule none leaves nobody out."
        )
    if missing := len(found.unscored):
        these = numbered(missing, "pair")
        warn_skipped(
            f"the score of {these}",
            f"{these} of {study.pairs.height:,} got no rating that counts and {plural(missing, 'has', 'have')} no "
            f"score; {SCORES} has the others.",
        )
    files = {SCORES: scores_table(found), RATINGS: ratings_table(found, counting)}
    return StudyResults(study=about, similarity=found), files


def _quality(study: Study, about: StudyAbout, ratings: Ratings, dont_know: str) -> tuple[StudyResults, dict[str, str]]:
    from termgauge.benchmark.pairset import PairSet
    from termgauge.studies.quality.compute import quality_of, truth_frame

    if study.key is None:
        raise TermgaugeError(f"{study.folder}: has no key.tsv, which says what was drawn; put it back from a copy.")
    key = study.key.rename({"row": "pair"})
    sizes = {} if study.sets is None else {name: LabelSizes(*counts) for name, *counts in study.sets.rows()}
    found = quality_of(ratings, key, sizes=sizes, dont_know=dont_know, seed=study.file.seed)  # type: ignore[arg-type]
    truth = truth_frame(ratings, key)
    results = StudyResults(study=about, quality=found)
    if not truth.height:
        warn("No pair has a truth by majority, so there is no truth.tsv.")
        return results, {}
    return results, {TRUTH: PairSet("truth", truth).to_tsv_bytes().decode("utf-8")}


def similarity_of(
    everybody: Ratings,
    kept: list[str],
    *,
    calibrate: bool = False,
    **options: Any,  # noqa: ANN401
) -> tuple[SimilarityResult, Ratings]:
    """Return what a similarity study found, and the ratings that count.

    `kept` are raters whom nobody left out by hand; the options are those of :func:`agreement`.
    """
    from termgauge.studies.agreement.compute import agreement

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
    from termgauge.studies.agreement import screening

    rated = screening.rated_of(ratings, screening.groups_of(ratings))
    return screening.calibrated(ratings, accepted, screening.consistency_pairs(ratings, rated))[0]


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


TOP = 10
"""The highest score; the lowest is 0."""


def scores_of(ratings: Ratings, accepted: Sequence[str] | None = None) -> pl.DataFrame:
    """Return the score of each pair, from the first ratings of the accepted raters (all of them, if none are named).

    The columns are ``pair``, ``word1``, ``word2``, ``score`` (0 to 10), ``n`` (ratings), ``mean`` and ``sd`` (the
    sample standard deviation, null for one rating), both on the scale of the ratings. A pair that nobody rated has no
    score.
    """
    low, high = ratings.scale
    if not low < high:
        raise TermgaugeError(f"All ratings are {low:g}, so the scale is not known; name it, such as scale=(0, 6).")
    answers = ratings.first_showings().drop_nulls("rating")
    if accepted is not None:
        answers = answers.filter(pl.col("rater").is_in(list(accepted)))
    value = pl.col("rating")
    by_pair = answers.group_by("pair").agg(n=pl.len().cast(pl.Int64), mean=value.mean(), sd=value.std())
    scored = ratings.pairs.join(by_pair, on="pair", how="left", maintain_order="left")
    score = (pl.col("mean") - low) * TOP / (high - low)
    return scored.with_columns(pl.col("n").fill_null(0), score=score).select(
        "pair", "word1", "word2", "score", "n", "mean", "sd"
    )


MOST_DISPUTED = 25
MOVED = 0.5
"""A score that changes by so much of its 10 points has moved noticeably."""


def findings_of(everybody: Ratings, counting: Ratings, before: pl.DataFrame, after: pl.DataFrame) -> Findings:
    """Return what was found; `before` and `after` are the scores by all raters and by those who count."""
    kept = counting.first_showings()
    counts = kept.drop_nulls("rating").group_by("rating").len().sort("rating")
    gone = [rater for rater in everybody.raters if rater not in set(counting.raters)]
    return Findings(
        ratings=[RatingCount(rating=rating, count=count) for rating, count in counts.rows()],
        mean_sd=_number(after["sd"].drop_nulls().mean()),
        disputed=_disputed(kept, after),
        unknown=_unknown(everybody.first_showings(), everybody.pairs),
        times=_times(everybody.answers),
        change=_change(gone, before, after),
    )


def _disputed(kept: pl.DataFrame, scores: pl.DataFrame) -> list[DisputedPair]:
    said = kept.drop_nulls("rating").group_by("pair").agg(ratings=pl.col("rating").sort())
    most = scores.filter(pl.col("sd") > 0).sort("sd", "n", descending=True, maintain_order=True).head(MOST_DISPUTED)
    return [DisputedPair(**row) for row in most.join(said, on="pair", how="left", maintain_order="left").to_dicts()]


def _unknown(first: pl.DataFrame, pairs: pl.DataFrame) -> list[UnknownPair]:
    counts = first.group_by("pair").agg(unknown=pl.col("rating").null_count(), asked=pl.len())
    found = pairs.join(counts.filter(pl.col("unknown") > 0), on="pair", how="inner", maintain_order="left")
    found = found.sort("unknown", descending=True, maintain_order=True)
    return [UnknownPair(**row) for row in found.select("pair", "word1", "word2", "unknown", "asked").to_dicts()]


def _times(answers: pl.DataFrame) -> list[RaterTime]:
    seconds = pl.col("seconds")
    found = (
        answers.drop_nulls("seconds")
        .group_by("rater", maintain_order=True)
        .agg(pairs=pl.len(), median=seconds.median(), low=seconds.quantile(0.25), high=seconds.quantile(0.75))
    )
    return [RaterTime(**row) for row in found.to_dicts()]


def _change(left_out: list[str], before: pl.DataFrame, after: pl.DataFrame) -> ScoreChange:

    from termgauge.statistics.correlation import spearman

    both = before.drop_nulls("score").join(
        after.drop_nulls("score").select("pair", after="score"), on="pair", how="inner", maintain_order="left"
    )
    both = both.with_columns(by=(pl.col("after") - pl.col("score")).abs())
    printed = pl.col("after").round(2) != pl.col("score").round(2)
    most = both.filter(pl.col("by") > 0).sort("by", descending=True, maintain_order=True).head(MOST_DISPUTED)
    return ScoreChange(
        raters=left_out,
        pairs=both.height,
        lost=before["score"].count() - both.height,
        moved=both.filter(printed).height,
        moved_noticeably=both.filter(pl.col("by") >= MOVED).height,
        mean=_number(both["by"].mean()),
        largest=_number(both["by"].max()),
        spearman=spearman(both["after"].to_numpy(), both["score"].to_numpy()) if both.height > 2 else None,
        most=[MovedPair(**row) for row in most.select("pair", "word1", "word2", "after", before="score").to_dicts()],
    )


def _number(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) else None
