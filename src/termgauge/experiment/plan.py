"""What a run would do, before it does it: each step with its sizes, what is there already, and about how long it takes.

Nothing is made. Terminologies are read, unless they are large, for their sizes say most about the time; models are not
opened. Times come from rates measured once on two cores and are rough.
"""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from termgauge.document.numbers import size as bytes_for_people
from termgauge.exceptions import TermgaugeError, sentence_of
from termgauge.experiment.places import terminology_path
from termgauge.experiment.run_folder import REPORT as PAGE
from termgauge.experiment.run_folder import RunFolder
from termgauge.experiment.steps import BUILD, HUMAN, READ, REPORT, step_names
from termgauge.identity import file_name
from termgauge.similarity.measures import measures_for
from termgauge.terminology.model import SYNONYM

if TYPE_CHECKING:
    import os
    from collections.abc import Callable

    from termgauge.benchmark.manifest import Manifest
    from termgauge.embeddings.spec import ModelSpec
    from termgauge.experiment.file import ExperimentFile
    from termgauge.experiment.tables import BenchmarkTable, ModelTable, TerminologyTable
    from termgauge.terminology.model import Terminology

LARGE_BYTES = 300_000_000
"""A terminology larger than this is not read to see its size."""
SETS, STRATEGIES = 20, 2
READ_BYTES, BUILD_PAIRS, SCORED_PAIRS = 10e6, 5e3, 50e3
"""How many in a second, on two cores: bytes read, pairs built, pairs scored by a measure."""
REPORT_SECONDS = 15.0


@dataclass(frozen=True)
class Item:
    """A thing that a step works on."""

    name: str
    what: str
    """How much it is, in words."""
    there: bool = False
    """Whether it is made already."""
    problem: str = ""
    """Why it will fail."""


@dataclass(frozen=True)
class PlannedStep:
    """A step of a run."""

    name: str
    items: tuple[Item, ...]
    seconds: float


@dataclass(frozen=True)
class Plan:
    """What a run would do."""

    title: str
    out: str
    steps: tuple[PlannedStep, ...]

    @property
    def seconds(self) -> float:
        """About how long it takes in all."""
        return sum(step.seconds for step in self.steps)

    def as_dict(self) -> dict[str, Any]:
        """Return it as JSON-like values."""
        return {**asdict(self), "steps": [asdict(step) for step in self.steps], "seconds": self.seconds}


def plan(file: ExperimentFile, *, out: str | os.PathLike[str] | None = None, report: bool = True) -> Plan:
    """Say what running an experiment would do."""
    return _Planner(file, RunFolder(Path(out) if out is not None else file.output)).plan(report=report)


class _Planner:
    def __init__(self, file: ExperimentFile, folder: RunFolder) -> None:
        self.file, self.folder = file, folder
        self.terminologies: dict[str, Terminology] = {}
        self.pairs = 0
        self.new_pairs = 0
        """Pairs, over models, that are to be scored."""

    def plan(self, *, report: bool) -> Plan:
        fixed: dict[str, Callable[[], PlannedStep]] = {
            READ: self._read,
            HUMAN: self._human,
            BUILD: self._build,
            REPORT: lambda: PlannedStep(REPORT, (Item(PAGE, ""),), REPORT_SECONDS),
        }
        names = step_names(self.file.experiment, report=report)
        steps = tuple(fixed[name]() if name in fixed else self._task(name) for name in names)
        return Plan(self.file.title, str(self.folder.path), steps)

    def _read(self) -> PlannedStep:
        items, seconds = [], 0.0
        for table in self.file.experiment.terminology:
            size = 0
            try:
                size = sum(_bytes(terminology_path(place)) for place in table.sources)
                what = (
                    f"{bytes_for_people(size)}, too large to be read for this"
                    if size > LARGE_BYTES
                    else self._counted(table)
                )
                items.append(Item(table.name, what))
            except (TermgaugeError, OSError) as error:
                items.append(Item(table.name, "", problem=sentence_of(error)))
            seconds += size / READ_BYTES
        return PlannedStep(READ, tuple(items), seconds)

    def _counted(self, table: TerminologyTable) -> str:
        from termgauge.terminology import read_terminology

        options = table.reading.model_dump() | {"cache": False}
        known = read_terminology([terminology_path(place) for place in table.sources], **options)
        self.terminologies[table.name] = known
        return f"{known.identity.slug}: {known.concepts.height:,} concepts, {known.terms.height:,} terms"

    def _human(self) -> PlannedStep:
        from termgauge.benchmark.human.sets import BY_HAND, TO_DOWNLOAD, find_human, human_sets

        table = self.file.experiment.human
        assert table is not None
        folder = Path(table.data_dir) if table.data_dir else None
        items = []
        try:
            chosen = human_sets() if table.sets == "all" else [find_human(name) for name in table.sets]
            for entry in chosen:
                status = entry.status(folder)
                missing = status == BY_HAND or (status == TO_DOWNLOAD and not table.download)
                if table.sets == "all" and status in (BY_HAND, TO_DOWNLOAD):
                    continue
                problem = f"It is not at hand; {entry.by_hand}." if missing else ""
                items.append(Item(entry.id, f"{entry.pairs:,} pairs, {status}", problem=problem))
                self.pairs += entry.pairs
            if not items:
                items.append(Item("all", "", problem="No human-rated set is at hand; name their folder as data_dir."))
        except TermgaugeError as error:
            items.append(Item("human", "", problem=str(error)))
        return PlannedStep(HUMAN, tuple(items), 1.0)

    def _build(self) -> PlannedStep:
        items, seconds = [], 0.0
        for table in self.file.experiment.benchmark:
            item, pairs = self._benchmark(table)
            self.pairs += pairs
            seconds += 0 if item.there else pairs / BUILD_PAIRS
            items.append(item)
        return PlannedStep(BUILD, tuple(items), seconds)

    def _benchmark(self, table: BenchmarkTable) -> tuple[Item, int]:
        from termgauge.benchmark.manifest import read_manifest

        name = table.title
        folder = Path(table.folder) if table.folder else self.folder.path / "benchmarks" / name
        try:
            manifest = read_manifest(folder) if folder.is_dir() else None
        except TermgaugeError as error:
            return Item(name, "", problem=str(error)), 0
        if manifest is not None and (table.folder or self._up_to_date(manifest, table)):
            pairs = sum(record.pairs for record in manifest.files.values())
            return Item(name, f"{pairs:,} pairs in {len(manifest.files)} sets", there=True), pairs
        if table.folder:
            return Item(name, "", problem=f"{folder}: holds no benchmark."), 0
        known = self.terminologies.get(table.terminology or "")
        if known is None:
            return Item(name, "as many pairs as its synonyms give"), 0
        pairs = _estimated_pairs(known)
        pairs = min(pairs, SETS * table.max_pairs) if table.max_pairs else pairs
        return Item(name, f"about {round(pairs, -2):,} pairs"), pairs

    def _up_to_date(self, manifest: Manifest, table: BenchmarkTable) -> bool:
        """Say whether a benchmark in the run folder is the one that the file asks for."""
        terminology = next(each for each in self.file.experiment.terminology if each.name == table.terminology)
        wanted = table.building(self.file.experiment.seed, terminology.language).model_dump()
        known = self.terminologies.get(terminology.name)
        same = known is None or known.identity.sha256 == manifest.terminology.get("sha256")
        built = {**manifest.options, "seed": manifest.seed}
        return same and all(built.get(name) == value for name, value in wanted.items())

    def _task(self, title: str) -> PlannedStep:
        """Plan the tables of a task: what each is called, and how many of its models were measured before."""
        items, seconds = [], 0.0
        models = self.file.experiment.model
        for asked in (each for each in self.file.experiment.asked() if each.task.title == title):
            if not asked.task.keeps:
                planned = [self._model(table) for table in models]
                items += [item for item, _seconds in planned]
                seconds += sum(took for _item, took in planned)
                continue
            folder = self.folder.path / asked.task.name / file_name(asked.name)
            done = sum((folder / f"{file_name(table.title)}.json").is_file() for table in models)
            there = asked.task.file(self.folder.path, asked.name).is_file() and not self.new_pairs
            what = f"{done} of {len(models)} models measured before" if done and not there else ""
            items.append(Item(asked.name, what, there=there))
            seconds += 0.0 if there else (len(models) - done) * asked.task.seconds
        return PlannedStep(title, tuple(items), seconds)

    def _model(self, table: ModelTable) -> tuple[Item, float]:
        from termgauge.embeddings.spec import ModelSpec

        name, spec = table.title, ModelSpec.parse(table.spec)
        try:
            size = _model_bytes(spec)
        except (TermgaugeError, OSError) as error:
            return Item(name, table.spec, problem=sentence_of(error)), 0.0
        scored = len(list((self.folder.path / "scores" / file_name(name)).glob("*.parquet")))
        what = ", ".join(filter(None, (table.spec, bytes_for_people(size) if size else "", _shape(spec))))
        if scored:
            return Item(name, f"{what}, {scored} sets scored before", there=True), 0.0
        self.new_pairs += self.pairs
        measures = len(self.file.experiment.scoring.measures or measures_for("words"))
        seconds = self.pairs * measures / SCORED_PAIRS + size / 100e6
        if spec.scheme and (rate := spec.declared.terms_per_second):
            texts = sum(each.terms.height for each in self.terminologies.values()) or self.pairs
            seconds += min(texts, 2 * self.pairs) / rate
        return Item(name, what), seconds


def _estimated_pairs(terminology: Terminology) -> int:
    """Return about how many pairs the sets of a terminology have, positives and negatives, random and near."""
    active = terminology.concepts.filter("active").select("concept")
    synonyms = (
        terminology.terms.filter(pl.col("active") & (pl.col("kind") == SYNONYM))
        .join(active, on="concept", how="semi")
        .group_by("concept")
        .len("n")
        .with_columns(pl.col("n").cast(pl.Int64))
    )
    n = pl.col("n")
    own = synonyms.select((n + n * (n + 1) // 2).sum()).item()  # fsn-syn, and syn-syn, where the name counts too
    return STRATEGIES * 2 * (int(own) + terminology.replacements.height)


def _model_bytes(spec: ModelSpec) -> int:
    """Return how much a model takes on disk; 0 if that is not known without opening it."""
    from termgauge.embeddings.location import has_files, place_of

    return _bytes(place_of(spec)) if has_files(spec, Path()) else 0


def _shape(spec: ModelSpec) -> str:
    """Return how many words of how many numbers a file says it has, where its first line says so."""
    from termgauge.embeddings.location import place_of

    if spec.scheme not in ("", "word2vec", "fasttext") or not (place := place_of(spec)).is_file():
        return ""
    with place.open("rb") as file:
        match = re.match(rb"(\d{1,12}) (\d{1,6})\s", file.read(64))
    return f"{int(match[1]):,} words of {int(match[2]):,} numbers" if match else ""


def _bytes(place: Path) -> int:
    if not place.exists():
        raise TermgaugeError(f"{place}: there is no such file or folder.")
    files = [place] if place.is_file() else [each for each in place.rglob("*") if each.is_file()]
    return sum(each.stat().st_size for each in files)
