"""The results of a study: the scored set of a similarity study, or how right a benchmark's labels are, and their page.

A folder takes it all: ``scores.tsv`` with the ratings beside it (or ``truth.tsv``), which load wherever a benchmark
does, ``results.json`` and ``results.html``.
"""

from __future__ import annotations

import json
from contextlib import closing
from typing import TYPE_CHECKING

from termgauge.exceptions import TermgaugeError, left_out, warn
from termgauge.io.atomic import write_text
from termgauge.io.identity import version
from termgauge.io.paths import expanded
from termgauge.options import also_called
from termgauge.plurals import numbered, plural
from termgauge.progress import track
from termgauge.studies.adjudication import adjudication_table
from termgauge.studies.answer_table import answer_text
from termgauge.studies.made_raters import MADE_UP
from termgauge.studies.quality import LabelSizes
from termgauge.studies.records import AdjudicatedPair, LeftOutByHand, StudyAbout, StudyResults
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
def study_results(
    study: Study | str | os.PathLike[str],
    *,
    out: str | os.PathLike[str] | None = None,
    rule: str | None = None,
    calibrate: bool = False,
    leave_out: str | Iterable[str] = (),
    dont_know: str = "missing",
    formats: str | Iterable[str] = "html",
) -> StudyResults:
    """Write the results of a study: the scored set, a record of all statistics, and a page with pictures.

    Parameters
    ----------
    study
        The study, or its folder.
    out
        The folder to write to; ``results`` in the study's folder if not given.
    rule
        Similarity: whose ratings are left out, ``others``, ``simlex`` or ``none``; if not given, ``others``, but nobody
        of a panel of fewer than six raters.
    calibrate
        Similarity: whether ratings of raters who rate high or low throughout are moved by 1.
    leave_out
        Raters who are left out in any case.
    dont_know
        Quality: whether "don't know" is ``missing`` for Krippendorff's alpha, or a ``category`` of its own.
    formats
        What the page is written as: ``html``, ``markdown``, ``csv``, ``latex``.

    Returns
    -------
    StudyResults
        All of it, as JSON has it.

    Raises
    ------
    TermgaugeError
        If nobody has answered yet, or a rater is named who does not exist.
    """
    from termgauge.reporting.writers.write import checked_formats, places, write_document
    from termgauge.studies.folder import Study, open_study

    opened = study if isinstance(study, Study) else open_study(study)
    wanted = checked_formats([formats] if isinstance(formats, str) else formats) or ("html",)
    folder = opened.folder / RESULTS if out is None else expanded(out)
    if folder.is_file():
        raise TermgaugeError(f"{folder}: is a file, and results need a folder; name another.")
    named = [leave_out] if isinstance(leave_out, str) else list(leave_out)
    about, everybody, kept = _about(opened, named)
    with track("Results", total=2 + len(wanted), unit="steps") as advance:
        if opened.file.kind == QUALITY:
            results, files = _quality(opened, about, everybody.of_raters(kept), dont_know)
        else:
            results, files = _similarity(opened, about, everybody, kept, rule, calibrate=calibrate)
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
    study: Study, about: StudyAbout, everybody: Ratings, kept: list[str], rule: str | None, *, calibrate: bool
) -> tuple[StudyResults, dict[str, str]]:
    from termgauge.studies.similarity import ratings_table, scores_table, similarity_of

    found, counting = similarity_of(everybody, kept, rule=rule, calibrate=calibrate, seed=study.file.seed)
    if not found.scored:
        raise TermgaugeError(
            f"{study.folder}: no pair has a rating that counts, so there are no results; termgauge study status tells "
            "who is how far, and --rule none leaves nobody out."
        )
    if missing := len(found.unscored):
        these = numbered(missing, "pair")
        left_out(
            f"the score of {these}",
            f"{these} of {study.pairs.height:,} got no rating that counts and {plural(missing, 'has', 'have')} no "
            f"score; {SCORES} has the others.",
        )
    files = {SCORES: scores_table(found), RATINGS: ratings_table(found, counting)}
    return StudyResults(study=about, similarity=found), files


def _quality(study: Study, about: StudyAbout, ratings: Ratings, dont_know: str) -> tuple[StudyResults, dict[str, str]]:
    from termgauge.benchmark.pairset import PairSet
    from termgauge.studies.quality import quality_of, truth_frame

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
