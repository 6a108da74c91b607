"""The pairs of a study: from a table, from a run whose models disagree, or as a blind sample of a benchmark."""

from __future__ import annotations

import random
import re
import unicodedata
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from termgauge.benchmark.pairset import LONGEST_TERM
from termgauge.exceptions import TermgaugeError, warn, warn_skipped
from termgauge.frames import is_frame
from termgauge.io.paths import expanded
from termgauge.io.tables import open_table
from termgauge.options import several
from termgauge.plurals import numbered

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable

    from termgauge.benchmark.pairset import PairSet
    from termgauge.tasks.pairs.scored import ScoredSets

TERMS = ["term_1", "term_2"]
PAIRS, PER_LABEL = 200, 30
"""How many pairs of a run, and how many of each label of a set, are taken if nothing else is said."""
KEY_COLUMNS = ("row", "set", "line", "label")
_FRAME = "a DataFrame"
_MOST_TOLD = 3
_UNSEEN = re.compile("[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
"""Control characters, and marks that turn the direction of what follows."""


def read_pair_table(path: str | os.PathLike[str]) -> list[tuple[str, str]]:
    """Return the pairs of a table in order."""
    table = open_table(path, TERMS)
    matches = [table.matching(name) for name in TERMS]
    named = any(matches)
    if named and any(len(columns) != 1 for columns in matches):
        raise TermgaugeError(
            f"{table.label}, line {table.content[0].line}: a header must name one column word1 (or term1) and one "
            f"word2 (or term2); it names {table.has()}."
        )
    one, two = (match[0] for match in matches) if named else (0, 1)
    table.at_least(max(one, two) + 1, "two terms in columns of their own, separated by a tab, a comma or a semicolon")
    pairs = ((f"line {row.line:,}", row.cells[one], row.cells[two]) for row in table.content[named:])
    return checked_pairs(pairs, table.label)


def checked_pairs(pairs: Iterable[tuple[str, str, str]], name: str) -> list[tuple[str, str]]:
    """Return pairs, each given with where it stands, after a look whether raters can make sense of them.

    Published sets have pairs twice, so these are kept, and told: a rater may meet both.
    """
    seen: dict[frozenset[str], str] = {}
    checked, told = [], []
    for where, one, two in pairs:
        terms = _term(one, f"{name}, {where}"), _term(two, f"{name}, {where}")
        before = seen.setdefault(frozenset(terms), where)
        if terms[0] == terms[1]:
            told.append(f"{where} pairs '{_brief(terms[0])}' with itself")
        elif before != where:
            told.append(f"{where} repeats {before} ('{_brief(terms[0])}' / '{_brief(terms[1])}')")
        checked.append(terms)
    if not checked:
        raise TermgaugeError(f"{name}: holds no pairs; put two terms in each row.")
    if told:
        more = f", and {len(told) - _MOST_TOLD:,} more such rows" if len(told) > _MOST_TOLD else ""
        warn(
            f"{name}: {'; '.join(told[:_MOST_TOLD])}{more}. All are kept as pairs of their own; if that is not meant, "
            "remove them and begin the study again."
        )
    return checked


def _term(text: str, where: str) -> str:
    term = unicodedata.normalize("NFC", text.strip())
    if not term:
        raise TermgaugeError(f"{where}: a term is empty; fill it in, or remove the row.")
    if match := _UNSEEN.search(term):
        raise TermgaugeError(
            f"{where}: a term holds a character that cannot be shown (U+{ord(match[0]):04X}, such as a tab, a line "
            "break or a mark of direction); remove it."
        )
    if len(term) > LONGEST_TERM:
        raise TermgaugeError(
            f"{where}: a term has more than {LONGEST_TERM:,} characters, which is no term; shorten it."
        )
    return term


def _brief(term: str) -> str:
    return term if len(term) <= 40 else f"{term[:40]}…"


def disagreeing_pairs(run: ScoredSets, wanted: int, seed: int) -> PairSet:
    """Return the pairs of a run on which its models disagree most, in the order of the run.

    Each model ranks all pairs that every model scores, by the measure that stands for it. The score of a pair in the
    set that is returned is the standard deviation of its ranks, as a share of all ranks. The seed decides which pairs
    are taken where models disagree equally.
    """
    from termgauge.benchmark.pairset import PairSet
    from termgauge.statistics.correlation import average_ranks

    scored = pl.concat([_scores_of(run, name) for name in run.sets], how="diagonal") if run.sets else pl.DataFrame()
    models = {at: name for at, name in enumerate(run.models) if str(at) in scored.columns and scored[str(at)].count()}
    if len(models) < 2:
        raise TermgaugeError(
            f"{run.path}: has scores of {numbered(len(models), 'model')}, and only two or more can "
            "disagree; score another one with termgauge evaluate."
        )
    same = pl.concat_list(TERMS).list.sort()
    candidates = scored.drop_nulls([str(at) for at in models]).unique(same, keep="first", maintain_order=True)
    if not candidates.height:
        raise TermgaugeError(
            f"{run.path}: no pair has a score by all of {', '.join(models.values())}; score them anew without one."
        )
    if candidates.height < wanted:
        why = f"Only {candidates.height:,} pairs of {run.path} have a score by all {len(models)} models; all are taken."
        warn_skipped(f"{wanted - candidates.height:,} of {wanted:,} pairs", why)
    ranks = np.array([average_ranks(candidates[str(at)].to_numpy()) for at in models])
    spread = (np.std(ranks, axis=0) / candidates.height).round(12)
    order = list(range(candidates.height))
    random.Random(seed).shuffle(order)  # noqa: S311
    chosen = sorted(sorted(order, key=lambda at: -spread[at])[:wanted])
    pairs = candidates.select(*TERMS, score=pl.Series(spread))[chosen]
    return PairSet(f"pairs of {run.path.name} on which {len(models)} models disagree", pairs)


def _scores_of(run: ScoredSets, name: str) -> pl.DataFrame:
    """Return the pairs of a set with a column for each model, which is called by the number of the model."""
    from termgauge.similarity.measures import default_measure

    columns = []
    for at, (model, about) in enumerate(run.models.items()):
        scores = run.readable_scores(model, name, "study")
        if (measure := default_measure(scores, about.kind, run.testing.measure)) is not None:
            columns.append(pl.Series(str(at), scores[measure]).fill_nan(None))
    return run.read_set(name).frame.select(TERMS).with_columns(columns)


def quality_sample(sets: Iterable[PairSet], seed: int, per_label: int = PER_LABEL) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Draw so many positives and negatives of each set, all of them where there are fewer, and mix them.

    Return the sheet (``row`` from 1, ``term1``, ``term2``, an empty ``answer``) and the key, which raters never see:
    ``row``, ``set``, ``line`` of the set from 1, ``label``. A pair that is drawn from two sets is asked twice.
    """
    rng = random.Random(seed)  # noqa: S311
    drawn: list[tuple[str, int, int, str, str]] = []
    for pairs in sets:
        if pairs.graded:
            raise TermgaugeError(
                f"The set '{pairs.id}' has ratings and no labels, so that there is nothing to check with a quality "
                "study; name a benchmark, or ask for --kind similarity."
            )
        labels = pairs.frame["label"].to_list()
        terms = list(zip(pairs.frame["term_1"], pairs.frame["term_2"], strict=True))
        for label in (1, 0):
            lines = [line for line, line_label in enumerate(labels, 1) if line_label == label]
            if len(lines) < per_label:
                name = "positives" if label else "negatives"
                warn_skipped(
                    f"{per_label - len(lines)} {name} of '{pairs.id}'",
                    f"The set '{pairs.id}' has only {len(lines):,} {name} instead of {per_label:,}; all are taken.",
                )
            chosen = sorted(rng.sample(lines, min(per_label, len(lines))))
            drawn += [(pairs.id, line, label, *terms[line - 1]) for line in chosen]
    rng.shuffle(drawn)
    table = pl.DataFrame(drawn, [*KEY_COLUMNS[1:], "term1", "term2"], orient="row")
    table = table.with_columns(row=pl.int_range(1, len(drawn) + 1), answer=pl.lit(""))
    return table.select("row", "term1", "term2", "answer"), table.select(KEY_COLUMNS)


def study_pairs(pairs: object, data_dir: Path | None) -> tuple[str, list[tuple[str, str]]]:
    """Return where the pairs of a similarity study come from, and the pairs."""
    from termgauge.benchmark.load import load_sets
    from termgauge.io.tables import read_table

    if is_frame(pairs):
        return _FRAME, _pairs_of(read_table(pairs, TERMS).fill_null(""), _FRAME)
    if isinstance(pairs, str | Path) and (path := expanded(pairs)).is_file() and path.suffix != ".parquet":
        return path.name, read_pair_table(path)
    sets = load_sets(pairs, data_dir=data_dir)
    if len(sets) > 1:
        raise TermgaugeError(
            f"{source_of(pairs)}: holds {len(sets)} sets; name one of their files in that folder, or ask for --kind "
            "quality, which draws from all of them."
        )
    return sets[0].id, _pairs_of(sets[0].frame.select(TERMS), f"the set '{sets[0].id}'")


def _pairs_of(frame: pl.DataFrame, name: str) -> list[tuple[str, str]]:
    return checked_pairs(((f"row {at:,}", *terms) for at, terms in enumerate(frame.rows(), 1)), name)


def source_of(pairs: object) -> str:
    """Return what pairs are called in the record of a study."""
    names = [
        _FRAME if is_frame(source) else getattr(source, "id", "") or Path(str(source)).name for source in several(pairs)
    ]
    return ", ".join(name or str(pairs) for name in names)
