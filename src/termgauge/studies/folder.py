"""A study on disk: its file, its pairs, who sees them when, and the database of answers, in one folder."""

from __future__ import annotations

import io
import secrets
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from termgauge.display import Showing, shortened
from termgauge.exceptions import TermgaugeError, did_you_mean, left_out
from termgauge.frames import is_frame
from termgauge.io.atomic import refuse_links, whole_folder, write_text
from termgauge.io.paths import expanded
from termgauge.options import also_called, several
from termgauge.plurals import numbered
from termgauge.studies.design import DUPLICATE, Design, at_most_a_share, in_order, layout, most_pages, read_design
from termgauge.studies.study_file import (
    KINDS,
    QUALITY,
    STUDY_FILE,
    StudyFile,
    commented,
    new_study_file,
    read_study_file,
)

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable

    import polars as pl

    from termgauge.benchmark.pairset import PairSet
    from termgauge.studies.design import Workload
    from termgauge.studies.ratings import Ratings
    from termgauge.studies.results.result import StudyResults
    from termgauge.studies.sheet_import import Imported
    from termgauge.studies.status import StudyStatus
    from termgauge.studies.store import Store

DATABASE = "study.sqlite"
PAIRS, LAYOUT, KEY, SHEET, SETS = "pairs.tsv", "layout.tsv", "key.tsv", "sheet.tsv", "sets.tsv"
GROUPS, PAGES, CONSISTENCY, DUPLICATES = 2, 5, 50, 50
_FRAME = "a DataFrame"
PORTION = 60
"""How many pairs of a quality study stand on a page, about."""


@dataclass(frozen=True, eq=False, repr=False)
class Study(Showing):
    """A study, in which people rate pairs."""

    shown_by = "termgauge.studies.status:study_section"

    folder: Path
    file: StudyFile
    """What study.toml says."""
    id: str
    """By which the database, and cookies, know the study."""
    pairs: pl.DataFrame
    """``pair`` (from 1), ``word1``, ``word2``."""
    layout: pl.DataFrame
    """``group``, ``page``, ``position``, ``pair``, ``kind``."""
    key: pl.DataFrame | None = None
    """Quality: ``row`` (the pair), ``set``, ``line``, ``label``; never shown to raters."""
    sets: pl.DataFrame | None = None
    """Quality: ``set``, and how many ``positives`` and ``negatives`` it has in all."""

    def _brief(self) -> str:
        size = f"{numbered(self.pairs.height, 'pair')}, {numbered(self.file.groups, 'group')}"
        return f"{self.file.kind} study '{shortened(self.folder)}': {size}"

    def to_frame(self) -> pl.DataFrame:
        """Return a row for each showing: which group sees which pair, on which page, and what for."""
        return self.layout.join(self.pairs, on="pair", how="left", maintain_order="left")

    def store(self) -> Store:
        """Open the database of raters and answers; close it after use."""
        from termgauge.studies.store import Store

        return Store.open(self.folder / DATABASE)

    def ratings(self, *, include_left_out: bool = False) -> Ratings:
        """Return what raters said so far: of each showing the last answer.

        Parameters
        ----------
        include_left_out
            Whether raters whom the administrator left out are taken too.
        """
        import polars as pl

        from termgauge.studies.answers import answer_table
        from termgauge.studies.ratings import Ratings

        texts = pl.col("group", "pair").cast(pl.String)
        answers = answer_table(self, include_left_out=include_left_out).with_columns(texts).drop("word1", "word2")
        order = ("rater", "group", "page", "position", "pair", "rating", "kind", "seconds")
        if outside := set(answers["rating"].drop_nulls()) - set(self.file.values):
            raise TermgaugeError(
                f"{self.folder / STUDY_FILE}: raters gave answers with the value {min(outside):g}, which is no answer "
                "now; write the former values again."
            )
        return Ratings(self.pairs.with_columns(pl.col("pair").cast(pl.String)), answers.select(order), self.file.scale)

    def status(self) -> StudyStatus:
        """Return who is how far."""
        from termgauge.studies.status import study_status

        return study_status(self)

    @also_called(left_out="include_left_out")
    def export(self, *, history: bool = False, include_left_out: bool = False) -> pl.DataFrame:
        """Return the answers so far, raters by their ids; with `history` also those that were changed later."""
        from termgauge.studies.answers import answer_table

        return answer_table(self, history=history, include_left_out=include_left_out)

    def adjudications(self, *, history: bool = False) -> pl.DataFrame:
        """Return what was decided about pairs on which raters disagree; with `history` also decisions changed later."""
        from termgauge.studies.answers import adjudication_table

        return adjudication_table(self, history=history)

    def results(self, **options: Any) -> StudyResults:  # noqa: ANN401
        """Write the results and return them; the options are those of :func:`study_results`."""
        from termgauge.studies.results.compute import study_results

        return study_results(self, **options)

    @also_called(out="folder")
    def sheets(self, folder: str | os.PathLike[str]) -> list[Path]:
        """Write sheets for raters who cannot reach the server into a folder, with the instructions beside them."""
        from termgauge.studies.sheets import write_sheets

        return write_sheets(self, folder)

    def erase(self, rater: str, *, by: str, reason: str | None = None) -> None:
        """Erase the answers and the name of a rater for good, and keep that it was done, when and by whom.

        Copies of the database, and exports, sheets and results that were written before, are not reached.

        Parameters
        ----------
        rater
            The id of the rater, such as ``r3``.
        by, reason
            Who does it and why, for the record.
        """
        with closing(self.store()) as store:
            store.erase(rater, by, reason)

    def import_sheets(
        self,
        files: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
        *,
        rater: str | None = None,
        group: int | None = None,
        replace: bool = False,
    ) -> list[Imported]:
        """Store the answers of sheets that raters filled in, all or none; each file is named after its rater."""
        from termgauge.studies.sheet_import import import_sheets

        return import_sheets(self, files, rater=rater, group=group, replace=replace)


def open_study(folder: str | os.PathLike[str]) -> Study:
    """Open a study that was begun before.

    Parameters
    ----------
    folder
        The folder of the study.

    Raises
    ------
    TermgaugeError
        If the folder holds no study, or something in it was changed that must not change after it was begun.
    """
    place = expanded(folder)
    if not place.is_dir():
        raise TermgaugeError(f"{place}: there is no such folder; begin a study with termgauge study new.")
    refuse_links(place)
    design, file = read_design(place), read_study_file(place / STUDY_FILE)
    design.require_same(place, file)
    pairs, rows, key, sets = (design.table(place, name) for name in (PAIRS, LAYOUT, KEY, SETS))
    if pairs is None or rows is None:
        raise TermgaugeError(f"{place}: its design.json is damaged; put it back from a copy of the study.")
    more = (None if table is None else _table(table) for table in (key, sets))
    study = Study(place, file, design.study, _table(pairs), _table(rows), *more)
    _require_same_values(study, design)
    return study


def new_study(
    folder: str | os.PathLike[str],
    pairs: Any,  # noqa: ANN401
    *,
    kind: str = "similarity",
    seed: int = 42,
    raters: int | None = None,
    groups: int | None = None,
    pages: int | None = None,
    consistency: int | None = None,
    duplicates: int | None = None,
    per_label: int | None = None,
    title: str | None = None,
    data_dir: Path | None = None,
) -> Study:
    """Begin a study: write its file to be changed, the pairs, who sees which pair when, and an empty database.

    Parameters
    ----------
    folder
        The folder to make.
    pairs
        A table of pairs (a file, or a DataFrame of pandas or Polars), a set, or the id of one; for a quality study also
        the folder of a benchmark.
    kind
        ``similarity`` (how similar are two terms, on a scale from 0 to 6?), ``relatedness`` (how closely are they
        related, on such a scale?) or ``quality`` (do they mean the same? asked of pairs that are drawn blind from a
        benchmark).
    seed
        Seed for all random choices.
    raters
        How many raters there will be. Fewer than six are one group, in which everybody rates all pairs.
    groups
        Similarity and relatedness: how many groups of raters there are, each with its own pairs; 2 if not given.
    pages
        In how many portions a rater sees the pairs; if not given 5, or in a quality study one for 60 pairs.
    consistency
        Similarity and relatedness: how many pairs all groups rate; if not given 50, at most a tenth of all.
    duplicates
        Similarity and relatedness: how many pairs a rater sees twice; if not given 50, at most a tenth of all.
    per_label
        Quality: how many positives, and how many negatives, are drawn from each set; 30 if not given.
    title
        What raters read above every page.
    data_dir
        A folder with human-rated sets under their public file names.

    Returns
    -------
    Study
        The study.

    Raises
    ------
    TermgaugeError
        If the folder is there already, or the pairs cannot be used.
    """
    return plan_study(
        folder, pairs, kind=kind, seed=seed, raters=raters, per_label=per_label, title=title, data_dir=data_dir,
        pages=pages, groups=groups, consistency=consistency, duplicates=duplicates,
    ).begin()  # fmt: skip


@dataclass(frozen=True)
class StudyPlan:
    """A study that is drawn but not written yet."""

    folder: Path
    source: str
    """What the pairs were read from."""
    file: StudyFile
    tables: dict[str, pl.DataFrame]
    raters: int | None

    def workload(self) -> Workload:
        """Return what it asks of raters, and what it will tell."""
        from termgauge.studies.design import workload

        return workload(self.tables[LAYOUT], self.raters, rated=self.file.kind != QUALITY)

    def begin(self) -> Study:
        """Write the study and return it."""
        from termgauge.studies.store import Store

        _require_free(self.folder)
        tables = {name: _tsv(frame) for name, frame in self.tables.items()}
        study_id = secrets.token_hex(8)
        with whole_folder(self.folder) as temporary:
            for name, content in tables.items():
                (temporary / name).write_bytes(content)
            write_text(temporary / STUDY_FILE, commented(self.file))
            Design.of(study_id, self.source, self.file, tables).write(temporary)
            Store.create(temporary / DATABASE, study_id).close()
        return open_study(self.folder)


def plan_study(
    folder: str | os.PathLike[str],
    pairs: str | os.PathLike[str] | PairSet | Iterable[PairSet],
    *,
    kind: str = "similarity",
    seed: int = 42,
    raters: int | None = None,
    per_label: int | None = None,
    title: str | None = None,
    data_dir: Path | None = None,
    pages: int | None = None,
    **design: int | None,
) -> StudyPlan:
    """Draw a study, and write nothing; what is asked for is told under :func:`new_study`."""
    from termgauge.studies.agreement.screening import LEAST_PANEL

    place = expanded(folder)
    _require_free(place)
    if kind not in KINDS:
        raise TermgaugeError(
            f"There is no kind of study '{kind}'; there are {', '.join(KINDS)}.{did_you_mean(kind, KINDS)}"
        )
    _require_fitting(kind, per_label=per_label, pages=pages, raters=raters, design=design)
    if kind == QUALITY:
        made = _quality(pairs, seed, pages, per_label, data_dir)
    else:
        if raters is not None and raters < LEAST_PANEL and design.get("groups") in (None, 1):
            # All raters rate all pairs, so that there is nothing that some of them have in common.
            design = {**design, "groups": 1, "consistency": design.get("consistency") or 0}
        made = _similarity(pairs, seed, pages=pages, data_dir=data_dir, **design)
    file = new_study_file(kind, title=title, seed=seed, **made.design)
    return StudyPlan(place, made.source, file, made.tables, raters)


@dataclass(frozen=True)
class _Made:
    """What a new study is made of."""

    source: str
    design: dict[str, int]
    tables: dict[str, pl.DataFrame]


def _similarity(
    pairs: object,
    seed: int,
    *,
    pages: int | None,
    data_dir: Path | None,
    groups: int | None = None,
    consistency: int | None = None,
    duplicates: int | None = None,
) -> _Made:
    import polars as pl

    source, words = _words(pairs, data_dir)
    n = len(words)
    common = at_most_a_share(CONSISTENCY, n) if consistency is None else consistency
    split = groups or GROUPS
    design = {
        "groups": split,
        "pages": pages or max(1, min(PAGES, most_pages(n, split, common))),
        "consistency": common,
        "duplicates": at_most_a_share(DUPLICATES, n) if duplicates is None else duplicates,
    }
    table = _numbered(pl.DataFrame(words, schema=["word1", "word2"], orient="row"))
    shown = layout(n, seed, **design)
    again = min(shown.filter(group=group, kind=DUPLICATE).height for group in range(1, split + 1))
    if duplicates is not None and again < duplicates:
        why = f"Only {again:,} of {duplicates:,} pairs can be shown twice, since pages have so few pairs."
        left_out("some of the duplicates", why)
    return _Made(source, design, {PAIRS: table, LAYOUT: shown})


def _quality(pairs: object, seed: int, pages: int | None, per_label: int | None, data_dir: Path | None) -> _Made:
    from termgauge.benchmark.load import load_sets
    from termgauge.studies.pairs import PER_LABEL, quality_sample

    wanted = per_label or PER_LABEL
    sets = load_sets(pairs, data_dir=data_dir)
    sample = quality_sample(sets, seed, wanted)
    n = sample.sheet.height
    portions = pages or max(1, round(n / PORTION))
    if portions > n:
        raise TermgaugeError(f"The sample has {n:,} pairs, too few for {portions:,} pages; ask for fewer pages.")
    design = {"groups": 1, "pages": portions, "consistency": 0, "duplicates": 0, "per_label": wanted}
    words = sample.sheet.select(pair="row", word1="term1", word2="term2")
    tables = {PAIRS: words, LAYOUT: in_order(n, portions), KEY: sample.key, SHEET: sample.sheet, SETS: _sizes(sets)}
    return _Made(_source_of(pairs), design, tables)


def _sizes(sets: Iterable[PairSet]) -> pl.DataFrame:
    """Return how many positives and negatives sets have, which says what a draw from them stands for."""
    import polars as pl

    counts = [(each.id, each.positives or 0, len(each) - (each.positives or 0)) for each in sets]
    return pl.DataFrame(counts, schema=["set", "positives", "negatives"], orient="row")


def _words(pairs: object, data_dir: Path | None) -> tuple[str, list[tuple[str, str]]]:
    """Return where the pairs of a similarity study come from, and the pairs."""
    from termgauge.benchmark.load import load_sets
    from termgauge.io.tables import read_table
    from termgauge.studies.pairs import checked_pairs, read_pair_table

    if is_frame(pairs):
        table = read_table(pairs, ("term_1", "term_2")).fill_null("")
        return _FRAME, checked_pairs(((f"row {at:,}", *terms) for at, terms in enumerate(table.rows(), 1)), _FRAME)
    if isinstance(pairs, str | Path) and (place := expanded(pairs)).is_file() and place.suffix != ".parquet":
        return place.name, read_pair_table(place)
    sets = load_sets(pairs, data_dir=data_dir)
    if len(sets) > 1:
        raise TermgaugeError(
            f"{_source_of(pairs)}: holds {len(sets)} sets; name one of their files in that folder, or ask for --kind "
            "quality, which draws from all of them."
        )
    rows = enumerate(zip(sets[0].frame["term_1"], sets[0].frame["term_2"], strict=True), 1)
    return sets[0].id, checked_pairs(((f"row {at:,}", *terms) for at, terms in rows), f"the set '{sets[0].id}'")


def _source_of(pairs: object) -> str:
    names = [_FRAME if is_frame(each) else getattr(each, "id", "") or Path(str(each)).name for each in several(pairs)]
    return ", ".join(name or str(pairs) for name in names)


def _require_free(place: Path) -> None:
    if place.resolve() == Path.cwd():
        raise TermgaugeError(f"{place}: is the folder you are in; name a new one.")
    if place.is_dir() and any(place.iterdir()):
        what = "holds a study already" if (place / STUDY_FILE).exists() else "is there already, and is not empty"
        raise TermgaugeError(f"{place}: {what}; name a new folder. Nothing was changed.")
    if place.exists() and not place.is_dir():
        raise TermgaugeError(f"{place}: is a file; name a new folder. Nothing was changed.")


def _require_fitting(
    kind: str, *, per_label: int | None, pages: int | None, raters: int | None, design: dict[str, int | None]
) -> None:
    """Refuse options of the other kind, and numbers that make no sense."""
    if kind == QUALITY and (given := [name for name, value in design.items() if value is not None]):
        raise TermgaugeError(
            f"A quality study has one group, in which every rater sees all pairs once; leave out {', '.join(given)}."
        )
    if kind != QUALITY and per_label is not None:
        raise TermgaugeError("Only quality studies draw so many of each label; leave out per_label.")
    for name, value in {"per_label": per_label, "pages": pages, "raters": raters, **design}.items():
        if value is not None and value < (name not in ("consistency", "duplicates")):
            raise TermgaugeError(f"'{name}' is {value}, which is too small; ask for more.")


def _require_same_values(study: Study, design: Design) -> None:
    """Refuse another scale once somebody has answered; until then it is the one of the study file."""
    with closing(study.store()) as store:
        if store.study_id != design.study:
            raise TermgaugeError(
                f"{study.folder / DATABASE}: is the database of another study; put back the one that belongs here."
            )
        if list(study.file.values) == design.values:
            return
        if store.answers():
            former = ", ".join(f"{value:g}" for value in design.values)
            raise TermgaugeError(
                f"{study.folder / STUDY_FILE}: the values of the answers were changed after raters had answered; write "
                f"{former} again (labels may change), or begin another study."
            )
    design.model_copy(update={"values": list(study.file.values)}).write(study.folder)


def _numbered(words: pl.DataFrame) -> pl.DataFrame:
    import polars as pl

    return words.with_row_index("pair", offset=1).with_columns(pl.col("pair").cast(pl.Int64))


def _tsv(frame: pl.DataFrame) -> bytes:
    return frame.write_csv(separator="\t", quote_style="never").encode("utf-8")


def _table(content: bytes) -> pl.DataFrame:
    """Return a table that termgauge wrote itself."""
    import polars as pl

    texts = dict.fromkeys(("word1", "word2", "kind", "set"), pl.String)
    names = content.partition(b"\n")[0].decode("utf-8").split("\t")
    schema = {name: texts.get(name, pl.Int64) for name in names}
    return pl.read_csv(io.BytesIO(content), separator="\t", quote_char=None, schema=schema, empty_string_is_null=False)
