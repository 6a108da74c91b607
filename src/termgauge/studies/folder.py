"""A study on disk: its file, its pairs, who sees them when, and the database of answers, in one folder."""

from __future__ import annotations

import io
import secrets
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from termgauge.display import Showing, shortened
from termgauge.exceptions import TermgaugeError, warn_skipped
from termgauge.io.atomic import refuse_links, whole_folder, write_text
from termgauge.io.identity import sha256_of_bytes, version
from termgauge.io.paths import expanded
from termgauge.options import also_called, takes
from termgauge.plurals import numbered
from termgauge.studies.design import (
    DUPLICATE,
    Design,
    in_order,
    layout,
    most_pages,
    read_design,
    workload,
)
from termgauge.studies.options import NewStudyOptions
from termgauge.studies.pairs import PER_LABEL, quality_sample, source_of, study_pairs
from termgauge.studies.study_file import FIXED, QUALITY, STUDY_FILE, commented, new_study_file, read_study_file

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable

    from termgauge.reporting.blocks import Section
    from termgauge.studies.design import Workload
    from termgauge.studies.ratings import Ratings
    from termgauge.studies.results.compute import StudyResults
    from termgauge.studies.sheets import Imported
    from termgauge.studies.status import StudyStatus
    from termgauge.studies.store import Store
    from termgauge.studies.study_file import StudyFile

DATABASE = "study.sqlite"
COLUMNS = ("rater", "group", "page", "position", "pair", "word1", "word2", "rating", "kind", "seconds")
HISTORY_COLUMNS = (*COLUMNS, "revision", "given", "source")
PAIRS, LAYOUT, KEY, SHEET, SETS = "pairs.tsv", "layout.tsv", "key.tsv", "sheet.tsv", "sets.tsv"
GROUPS, PAGES, CONSISTENCY, DUPLICATES = 2, 5, 50, 50
SHARE = 10
"""In a small set, at most one pair of so many is a consistency pair, and one a duplicate, unless told otherwise."""
PORTION = 60
"""How many pairs of a quality study stand on a page, about."""


@dataclass(frozen=True, eq=False, repr=False)
class Study(Showing):
    """A study, in which people rate pairs."""

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

    def _shown(self) -> Section:
        from termgauge.studies.status import study_section

        return study_section(self)

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
        from termgauge.studies.ratings import Ratings

        texts = pl.col("group", "pair").cast(pl.String)
        answers = self.export(include_left_out=include_left_out).with_columns(texts).drop("word1", "word2")
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
        types = {
            "rater": pl.String, "page": pl.Int64, "position": pl.Int64, "rating": pl.Float64,
            "seconds": pl.Float64, "revision": pl.Int64, "given": pl.String, "source": pl.String,
        }  # fmt: skip
        with self.store() as store:
            groups = {
                rater.id: rater.group for rater in store.raters() if include_left_out or rater.state != "left_out"
            }
            # Rater by rater, and below column by column: a server that does this in a thread goes on answering.
            answers = (
                store.all_answers() if history else [answer for rater in groups for answer in store.answers(rater)]
            )
        columns = {name: [getattr(answer, name) for answer in answers if answer.rater in groups] for name in types}
        frame = pl.DataFrame(columns, types).with_columns(
            group=pl.Series([groups[rater] for rater in columns["rater"]], dtype=pl.Int64)
        )
        shown = frame.join(self.to_frame(), on=["group", "page", "position"], maintain_order="left")
        return shown.select(HISTORY_COLUMNS if history else COLUMNS)

    def adjudications(self, *, history: bool = False) -> pl.DataFrame:
        """Return what was decided about pairs on which raters disagree; with `history` also decisions changed later."""
        from termgauge.studies.status import answer_names

        names = answer_names(self.file)
        types = {"pair": pl.Int64, "rating": pl.Float64, "answer": pl.String, "reason": pl.String, "decided": pl.String}
        with self.store() as store:
            rows = [{**vars(made), "answer": names.get(made.rating, "")} for made in store.adjudications()]
        frame = pl.DataFrame(rows, schema=types)
        if not history:
            frame = frame.unique("pair", keep="last", maintain_order=True).sort("pair")
        worded = frame.join(self.pairs, on="pair", how="left", maintain_order="left")
        return worded.select("pair", "word1", "word2", "rating", "answer", "reason", "decided")

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
        with self.store() as store:
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
        from termgauge.studies.sheets import import_sheets

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
    path = expanded(folder)
    if not path.is_dir():
        raise TermgaugeError(f"{path}: there is no such folder; begin a study with termgauge study new.")
    refuse_links(path)
    design, file = read_design(path), read_study_file(path / STUDY_FILE)
    design.require_same(path, file)
    tables = {name: _table(design.table(path, name)) for name in (PAIRS, LAYOUT, KEY, SETS) if name in design.sha256}
    if not {PAIRS, LAYOUT} <= tables.keys():
        raise TermgaugeError(f"{path}: its design.json is damaged; put it back from a copy of the study.")
    study = Study(path, file, design.study, tables[PAIRS], tables[LAYOUT], tables.get(KEY), tables.get(SETS))
    _require_same_values(study, design)
    return study


@takes(NewStudyOptions)
def new_study(
    folder: str | os.PathLike[str],
    pairs: Any,  # noqa: ANN401
    *,
    data_dir: Path | None = None,
    **options: Any,  # noqa: ANN401
) -> Study:
    """Begin a study: write its file to be changed, the pairs, who sees which pair when, and an empty database.

    Parameters
    ----------
    folder
        The folder to make.
    pairs
        A table of pairs (a file, or a DataFrame of pandas or Polars), a set, or the id of one; for a quality study also
        the folder of a benchmark.
    data_dir
        A folder with human-rated sets under their public file names.

    Raises
    ------
    TermgaugeError
        If the folder is there already, or the pairs cannot be used.
    """
    return plan_study(folder, pairs, NewStudyOptions.of(**options), data_dir).begin()


@dataclass(frozen=True)
class StudyPlan:
    """A study that is drawn but not written yet."""

    folder: Path
    source: str
    file: StudyFile
    tables: dict[str, pl.DataFrame]
    workload: Workload

    def begin(self) -> Study:
        """Write the study and return it."""
        from termgauge.studies.store import Store

        _require_free(self.folder)
        tables = {
            name: frame.write_csv(separator="\t", quote_style="never").encode("utf-8")
            for name, frame in self.tables.items()
        }
        design = Design(
            study=secrets.token_hex(8),
            termgauge=version(),
            source=self.source,
            fixed={key: getattr(self.file, key) for key in FIXED},
            values=list(self.file.values),
            sha256={name: sha256_of_bytes(content) for name, content in tables.items()},
        )
        with whole_folder(self.folder) as temporary:
            for name, content in tables.items():
                (temporary / name).write_bytes(content)
            write_text(temporary / STUDY_FILE, commented(self.file))
            design.write(temporary)
            Store.create(temporary / DATABASE, design.study).close()
        return open_study(self.folder)


def plan_study(
    folder: str | os.PathLike[str],
    pairs: Any,  # noqa: ANN401
    options: NewStudyOptions,
    data_dir: Path | None = None,
) -> StudyPlan:
    """Draw a study, and write nothing; what is asked for is told under :func:`new_study`."""
    target, quality = expanded(folder), options.kind == QUALITY
    _require_free(target)
    shared = [name for name in ("groups", "consistency", "duplicates") if getattr(options, name) is not None]
    if quality and shared:
        raise TermgaugeError(
            f"A quality study has one group, in which every rater sees all pairs once; leave out {', '.join(shared)}."
        )
    if not quality and options.per_label is not None:
        raise TermgaugeError("Only quality studies draw so many of each label; leave out per_label.")
    source, design, tables = (_quality if quality else _similarity)(pairs, options, data_dir)
    file = new_study_file(options.kind, title=options.title, seed=options.seed, **design)
    asked = workload(tables[LAYOUT], options.raters, rated=not quality)
    return StudyPlan(target, source, file, tables, asked)


_Drawn = tuple[str, dict[str, int], "dict[str, pl.DataFrame]"]
"""What pairs were read from, the design, and the tables of a new study."""


def _similarity(pairs: object, options: NewStudyOptions, data_dir: Path | None) -> _Drawn:
    from termgauge.studies.agreement.screening import LEAST_PANEL

    source, words = study_pairs(pairs, data_dir)
    n, groups, consistency = len(words), options.groups, options.consistency
    if options.raters is not None and options.raters < LEAST_PANEL and groups in (None, 1):
        # All raters rate all pairs, so that there is nothing that some of them have in common.
        groups, consistency = 1, consistency or 0
    groups = groups or GROUPS
    consistency = min(CONSISTENCY, n // SHARE) if consistency is None else consistency
    design = {
        "groups": groups,
        "pages": options.pages or max(1, min(PAGES, most_pages(n, groups, consistency))),
        "consistency": consistency,
        "duplicates": min(DUPLICATES, n // SHARE) if options.duplicates is None else options.duplicates,
    }
    table = pl.DataFrame(words, schema=["word1", "word2"], orient="row").with_row_index("pair", offset=1)
    shown = layout(n, options.seed, **design)
    again = min(shown.filter(group=group, kind=DUPLICATE).height for group in range(1, groups + 1))
    if options.duplicates is not None and again < options.duplicates:
        why = f"Only {again:,} of {options.duplicates:,} pairs can be shown twice, since pages have so few pairs."
        warn_skipped("some of the duplicates", why)
    return source, design, {PAIRS: table.with_columns(pl.col("pair").cast(pl.Int64)), LAYOUT: shown}


def _quality(pairs: object, options: NewStudyOptions, data_dir: Path | None) -> _Drawn:
    from termgauge.benchmark.load import load_sets

    per_label = options.per_label or PER_LABEL
    sets = load_sets(pairs, data_dir=data_dir)
    sheet, key = quality_sample(sets, options.seed, per_label)
    n = sheet.height
    pages = options.pages or max(1, round(n / PORTION))
    if pages > n:
        raise TermgaugeError(f"The sample has {n:,} pairs, too few for {pages:,} pages; ask for fewer pages.")
    design = {"groups": 1, "pages": pages, "consistency": 0, "duplicates": 0, "per_label": per_label}
    words = sheet.select(pair="row", word1="term1", word2="term2")
    # How many positives and negatives sets have says what a draw from them stands for.
    counts = [(pair_set.id, pair_set.positives or 0, len(pair_set) - (pair_set.positives or 0)) for pair_set in sets]
    sizes = pl.DataFrame(counts, schema=["set", "positives", "negatives"], orient="row")
    tables = {PAIRS: words, LAYOUT: in_order(n, pages), KEY: key, SHEET: sheet, SETS: sizes}
    return source_of(pairs), design, tables


def _require_free(path: Path) -> None:
    if path.resolve() == Path.cwd():
        raise TermgaugeError(f"{path}: is the folder you are in; name a new one.")
    if path.is_dir() and any(path.iterdir()):
        what = "holds a study already" if (path / STUDY_FILE).exists() else "is there already, and is not empty"
        raise TermgaugeError(f"{path}: {what}; name a new folder. Nothing was changed.")
    if path.exists() and not path.is_dir():
        raise TermgaugeError(f"{path}: is a file; name a new folder. Nothing was changed.")


def _require_same_values(study: Study, design: Design) -> None:
    """Refuse another scale once somebody has answered; until then it is the one of the study file."""
    with study.store() as store:
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


def _table(content: bytes) -> pl.DataFrame:
    """Return a table that termgauge wrote itself."""
    texts = dict.fromkeys(("word1", "word2", "kind", "set"), pl.String)
    names = content.partition(b"\n")[0].decode("utf-8").split("\t")
    schema = {name: texts.get(name, pl.Int64) for name in names}
    return pl.read_csv(io.BytesIO(content), separator="\t", quote_char=None, schema=schema, empty_string_is_null=False)
