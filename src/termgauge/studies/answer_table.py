"""The answers of a study as a table, as they travel: raters by their ids, never by their names."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl

    from termgauge.studies.folder import Study

COLUMNS = ("rater", "group", "page", "position", "pair", "word1", "word2", "rating", "kind", "seconds")
HISTORY_COLUMNS = (*COLUMNS, "revision", "given", "source")


def answer_table(study: Study, *, history: bool = False, include_left_out: bool = False) -> pl.DataFrame:
    """Return the answers so far, by rater, page and position; a rating that is null means "I do not know".

    Parameters
    ----------
    study
        The study.
    history
        Return also answers that were changed later, in the order in which they were given, with further columns:
        ``revision``, when it was ``given`` (UTC), and its ``source`` (``page``, or the file it was imported from).
    include_left_out
        Whether raters whom the administrator left out are in it.
    """
    import polars as pl

    types = {
        "rater": pl.String, "group": pl.Int64, "page": pl.Int64, "position": pl.Int64, "rating": pl.Float64,
        "seconds": pl.Float64, "revision": pl.Int64, "given": pl.String, "source": pl.String,
    }  # fmt: skip
    with closing(study.store()) as store:
        raters = [each for each in store.raters() if include_left_out or each.state != "left_out"]
        groups = {rater.id: rater.group for rater in raters}
        # Rater by rater, and below column by column: a server that does this in a thread goes on answering.
        given = store.all_answers() if history else [each for rater in raters for each in store.answers(rater.id)]
    known = [each for each in given if each.rater in groups]
    columns = {
        name: [groups[each.rater] for each in known] if name == "group" else [getattr(each, name) for each in known]
        for name in types
    }
    frame = pl.DataFrame(columns, schema=types)
    shown = frame.join(study.layout, on=["group", "page", "position"], how="inner", maintain_order="left")
    worded = shown.join(study.pairs, on="pair", how="left", maintain_order="left")
    return worded.select(HISTORY_COLUMNS if history else COLUMNS)


def answer_text(table: pl.DataFrame) -> str:
    """Return a table of answers as tab-separated text with a header; whole numbers have no point."""
    columns = [
        [_number(value) for value in table[name]] if table.schema[name].is_float() else map(str, table[name])
        for name in table.columns
    ]
    lines = ("\t".join(row) for row in zip(*columns, strict=True))
    return "".join(f"{line}\n" for line in ("\t".join(table.columns), *lines))


def _number(value: float | None) -> str:
    if value is None:
        return ""
    return str(int(value)) if value.is_integer() else repr(value)
