"""The results of a study, computed and written: scores or truth, agreement, findings, and a page with pictures."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import polars as pl
from pydantic import Field

from termgauge.display import Showing, shortened
from termgauge.exceptions import TermgaugeError, warn, warn_skipped
from termgauge.io.atomic import write_text
from termgauge.io.identity import version
from termgauge.io.paths import expanded
from termgauge.options import also_called, takes
from termgauge.plurals import numbered, plural
from termgauge.progress import track
from termgauge.studies.agreement.compute import AgreementResult, agreement
from termgauge.studies.demo import MADE_UP
from termgauge.studies.options import ResultsOptions
from termgauge.studies.quality.compute import QualityResult, quality_of, truth_frame
from termgauge.studies.status import answer_text
from termgauge.studies.study_file import QUALITY
from termgauge.tasks.results import Finite, Record

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Sequence

    from termgauge.reporting.blocks import Document
    from termgauge.studies.folder import Study
    from termgauge.studies.quality.compute import DontKnow
    from termgauge.studies.ratings import Ratings


class DisputedPair(Record):
    """A pair on which raters differ; mean and sample standard deviation are on the scale of the ratings."""

    pair: str
    word1: str | None
    word2: str | None
    n: int
    mean: float
    sd: float
    ratings: list[float]


class ScoreChange(Record):
    """What leaving raters out changes in the scores, on their scale from 0 to 10."""

    raters: list[str]
    pairs: int
    """With a score before and after."""
    lost: int
    """Pairs that had ratings of these raters only."""
    moved: int
    """Pairs whose score, with two decimals, is another one."""
    moved_noticeably: int
    """By at least half a point."""
    mean: Finite
    largest: Finite
    spearman: Finite
    most: list[dict[str, Any]]
    """Pairs whose score changes most: ``pair``, ``word1``, ``word2``, ``before``, ``after``."""


class Findings(Record):
    """What a similarity study found beside agreement, by the raters who are accepted."""

    ratings: list[dict[str, Any]]
    """How often each was given: ``rating``, ``count``."""
    mean_sd: Finite
    """Mean over pairs of the sample standard deviation of their ratings."""
    disputed: list[DisputedPair]
    unknown: list[dict[str, Any]]
    """Pairs of which raters do not know a word: ``pair``, ``word1``, ``word2``, ``unknown``, ``asked``."""
    times: list[dict[str, Any]]
    """Seconds for a pair: ``rater``, ``pairs``, ``median``; half of the pairs took from ``low`` to ``high``."""
    change: ScoreChange


class SimilarityResult(Record):
    """What a similarity study found."""

    agreement: AgreementResult
    """Of the raters whom nobody left out by hand."""
    accepted: list[str]
    scores: list[dict[str, Any]]
    """Of each pair the score from 0 to 10 (null where nobody who counts rated it), how many ratings it has (``n``),
    their mean and sample standard deviation on the scale of the ratings, and the score by all raters (``before``)."""
    findings: Findings

    @property
    def scored(self) -> list[dict[str, Any]]:
        """The pairs that have a score."""
        return [pair for pair in self.scores if pair["score"] is not None]

    @property
    def unscored(self) -> list[dict[str, Any]]:
        """The pairs that nobody who counts has rated."""
        return [pair for pair in self.scores if pair["score"] is None]


class StudyAbout(Record):
    """What a study is, and how far it got; times are UTC."""

    title: str
    kind: str
    study: str
    question: str
    answers: list[str]
    scale: tuple[float, float]
    seed: int
    groups: int
    consistency: int
    duplicates: int
    pairs: int
    invited: int
    answered: int
    finished: int
    made_up: int = 0
    """Raters of a demonstration, whom nobody stands behind."""
    left_out_by_hand: list[dict[str, str]]
    """``rater`` and ``reason``."""
    first_answer: str | None = None
    last_answer: str | None = None
    termgauge: str = ""


class StudyResults(Showing, Record):
    """The results of a study. One of `similarity` and `quality` is there."""

    study: StudyAbout
    similarity: SimilarityResult | None = None
    quality: QualityResult | None = None
    adjudications: list[dict[str, Any]] = Field(default_factory=list)
    """What somebody decided (UTC) about pairs on which raters disagree; no score and no agreement rests on it."""
    written: list[str] = Field(default_factory=list)

    def _brief(self) -> str:
        about = self.study
        size = f"{numbered(about.pairs, 'pair')}, {numbered(about.answered, 'rater')}"
        return f"results of the study '{shortened(about.title)}': {size}"

    def _shown(self) -> Document:
        return self.document()

    def as_dict(self) -> dict[str, Any]:
        """Return it as JSON has it."""
        return self.model_dump(mode="json")

    def to_frame(self) -> pl.DataFrame:
        """Return the main table: a row for each rater of a similarity study, or for each set of a quality study."""
        from termgauge.studies.quality.sections import quality_frame

        if self.quality is not None:
            return quality_frame(self.quality.sets)
        assert self.similarity is not None
        return self.similarity.agreement.to_frame()

    def brief(self) -> Document:
        """Return what a terminal shows: the summary and the first tables."""
        whole = self.document()
        return replace(whole, facts=(), sections=whole.sections[:1])

    def document(self) -> Document:
        """Return it as a document."""
        from termgauge.studies.results.sections import results_document

        return results_document(self)


RESULTS = "results"
"""The folder of results in that of a study, and the name of their page and record."""
SCORES, RATINGS, TRUTH, ADJUDICATIONS = "scores.tsv", "scores.ratings.tsv", "truth.tsv", "adjudications.tsv"
TOP = 10
"""The highest score; the lowest is 0."""
MOST_DISPUTED = 25
MOVED = 0.5
"""A score that changes by so much of its 10 points has moved noticeably."""
_FROM_FILE = {"title", "kind", "question", "seed", "groups", "consistency", "duplicates"}


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
    decided = opened.adjudications()
    with track("Results", total=2 + len(wanted), unit="steps") as advance:
        if opened.file.kind == QUALITY:
            part, files = _quality(opened, everybody.of_raters(kept), chosen.dont_know)
        else:
            part, files = _similarity(opened, everybody, kept, chosen)
        results = StudyResults.model_validate({"study": about, **part, "adjudications": decided.to_dicts()})
        if decided.height:
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
    with study.store() as store:
        raters, answers = store.raters(), store.answers()
        gone = {rater.id: rater.reason or "no reason was given" for rater in raters if rater.state == "left_out"}
        for name in named:
            gone.setdefault(store.rater(name).id, "asked for by name")
    ratings = study.ratings(include_left_out=True)
    times = sorted(answer.given for answer in answers)
    about = StudyAbout.model_validate({
        **study.file.model_dump(include=_FROM_FILE),
        "study": study.id,
        "answers": [answer.label for answer in study.file.answers],
        "scale": study.file.scale,
        "pairs": study.pairs.height,
        "invited": len(raters),
        "answered": len({answer.rater for answer in answers}),
        "finished": sum(rater.state == "finished" for rater in raters),
        "made_up": sum((rater.name or "").startswith(MADE_UP) for rater in raters),
        "left_out_by_hand": [{"rater": rater, "reason": reason} for rater, reason in gone.items()],
        "first_answer": times[0] if times else None,
        "last_answer": times[-1] if times else None,
        "termgauge": version(),
    })  # fmt: skip
    kept = [rater for rater in ratings.raters if rater not in gone]
    if not kept:
        raise TermgaugeError(
            f"{study.folder}: nobody who counts has answered yet, so there are no results; termgauge study status "
            "tells who is how far."
        )
    return about, ratings, kept


def _similarity(
    study: Study, everybody: Ratings, kept: list[str], options: ResultsOptions
) -> tuple[dict[str, Any], dict[str, str]]:
    result, counting = similarity_of(
        everybody, kept, rule=options.rule, calibrate=options.calibrate, seed=study.file.seed
    )
    if not result.scored:
        raise TermgaugeError(
            f"{study.folder}: no pair has a rating that counts, so there are no results; termgauge study status tells "
            "who is how far, and --rule none leaves nobody out."
        )
    if missing := len(result.unscored):
        these = numbered(missing, "pair")
        warn_skipped(
            f"the score of {these}",
            f"{these} of {study.pairs.height:,} got no rating that counts and {plural(missing, 'has', 'have')} no "
            f"score; {SCORES} has the others.",
        )
    return {"similarity": result}, {SCORES: scores_table(result), RATINGS: ratings_table(result, counting)}


def _quality(study: Study, ratings: Ratings, dont_know: DontKnow) -> tuple[dict[str, Any], dict[str, str]]:
    from termgauge.benchmark.pairset import PairSet

    if study.key is None:
        raise TermgaugeError(f"{study.folder}: has no key.tsv, which says what was drawn; put it back from a copy.")
    key = study.key.rename({"row": "pair"})
    sizes = {name: (ones, zeros) for name, ones, zeros in (() if study.sets is None else study.sets.rows())}
    result = quality_of(ratings, key, sizes=sizes, dont_know=dont_know, seed=study.file.seed)
    truth = truth_frame(ratings, key)
    if not truth.height:
        warn("No pair has a truth by majority, so there is no truth.tsv.")
        return {"quality": result}, {}
    return {"quality": result}, {TRUTH: PairSet("truth", truth).to_tsv_bytes().decode("utf-8")}


def similarity_of(
    everybody: Ratings,
    kept: list[str],
    **options: Any,  # noqa: ANN401
) -> tuple[SimilarityResult, Ratings]:
    """Return what a similarity study found, and the ratings that count.

    `kept` are raters whom nobody left out by hand; the options are those of :func:`agreement`.
    """
    from termgauge.studies.agreement import screening

    ratings = everybody.of_raters(kept)
    agreed = agreement(ratings, **options)
    accepted = agreed.accepted()
    counting = screening.moved(ratings, agreed.moved).of_raters(accepted)
    before, after = scores_of(everybody), scores_of(counting)
    both = after.join(before.select("pair", before="score"), on="pair", how="left", maintain_order="left")
    result = {
        "agreement": agreed,
        "accepted": accepted,
        "scores": both.to_dicts(),
        "findings": findings_of(everybody, counting, before, after),
    }
    return SimilarityResult.model_validate(result), counting


def scores_table(result: SimilarityResult) -> str:
    """Return the scored set as a table: score with two decimals, ratings, and their sample standard deviation."""
    lines = ["word1\tword2\tscore\tn\tsd\n"]
    for pair in result.scored:
        sd = "" if pair["sd"] is None else f"{pair['sd']:.4f}"
        lines.append(f"{pair['word1']}\t{pair['word2']}\t{pair['score']:.2f}\t{pair['n']}\t{sd}\n")
    return "".join(lines)


def ratings_table(result: SimilarityResult, ratings: Ratings) -> str:
    """Return the ratings that count as a matrix: a row for each scored pair, a column for each rater, by their ids."""
    matrix = ratings.first_showings().pivot("rater", index="pair", values="rating")
    scored = pl.DataFrame(result.scored, infer_schema_length=None)
    rows = scored.join(matrix, on="pair", how="left", maintain_order="left")
    return answer_text(rows.select("word1", "word2", *result.accepted))


def scores_of(ratings: Ratings) -> pl.DataFrame:
    """Return the score of each pair (0 to 10; null if nobody rated it), how many ratings it has, their mean and sd."""
    low, high = ratings.scale
    if not low < high:
        raise TermgaugeError(f"All ratings are {low:g}, so the scale is not known; name it, such as scale=(0, 6).")
    value = pl.col("rating")
    answers = ratings.first_showings().drop_nulls("rating")
    by_pair = answers.group_by("pair").agg(n=pl.len().cast(pl.Int64), mean=value.mean(), sd=value.std())
    scored = ratings.pairs.join(by_pair, on="pair", how="left", maintain_order="left")
    score = (pl.col("mean") - low) * TOP / (high - low)
    return scored.select("pair", "word1", "word2", score.alias("score"), pl.col("n").fill_null(0), "mean", "sd")


def findings_of(everybody: Ratings, counting: Ratings, before: pl.DataFrame, after: pl.DataFrame) -> Findings:
    """Return what was found; `before` and `after` are the scores by all raters and by those who count."""
    rating, seconds = pl.col("rating"), pl.col("seconds")
    answers = counting.first_showings().drop_nulls("rating")
    disputed = after.filter(pl.col("sd") > 0).sort("sd", "n", descending=True, maintain_order=True).head(MOST_DISPUTED)
    asked = everybody.first_showings().group_by("pair").agg(unknown=rating.null_count(), asked=pl.len())
    unknown = everybody.pairs.join(asked.filter(pl.col("unknown") > 0), on="pair", how="inner", maintain_order="left")
    times = everybody.answers.drop_nulls("seconds").group_by("rater", maintain_order=True)
    return Findings.model_validate({
        "ratings": answers.group_by("rating").agg(count=pl.len()).sort("rating").to_dicts(),
        "mean_sd": after["sd"].mean(),
        "disputed": disputed.join(
            answers.group_by("pair").agg(ratings=rating.sort()), on="pair", how="left", maintain_order="left"
        ).to_dicts(),
        "unknown": unknown.sort("unknown", descending=True, maintain_order=True).to_dicts(),
        "times": times.agg(
            pairs=pl.len(), median=seconds.median(), low=seconds.quantile(0.25), high=seconds.quantile(0.75)
        ).to_dicts(),
        "change": {"raters": [rater for rater in everybody.raters if rater not in set(counting.raters)]}
        | _change(before, after),
    })  # fmt: skip


def _change(before: pl.DataFrame, after: pl.DataFrame) -> dict[str, Any]:
    from termgauge.statistics.correlation import spearman

    scored = before.drop_nulls("score").rename({"score": "before"})
    both = scored.join(
        after.drop_nulls("score").select("pair", after="score"), on="pair", how="inner", maintain_order="left"
    ).with_columns(by=(pl.col("after") - pl.col("before")).abs())
    most = both.filter(pl.col("by") > 0).sort("by", descending=True, maintain_order=True).head(MOST_DISPUTED)
    return {
        "pairs": both.height,
        "lost": scored.height - both.height,
        "moved": both.filter(pl.col("after").round(2) != pl.col("before").round(2)).height,
        "moved_noticeably": both.filter(pl.col("by") >= MOVED).height,
        "mean": both["by"].mean(),
        "largest": both["by"].max(),
        "spearman": spearman(both["after"].to_numpy(), both["before"].to_numpy()) if both.height > 2 else None,
        "most": most.select("pair", "word1", "word2", "before", "after").to_dicts(),
    }
