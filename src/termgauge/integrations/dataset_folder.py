"""Sets as a folder for the Hugging Face `datasets` library: the same as a benchmark that is built in that form."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from termgauge.benchmark.huggingface import DatasetCard, configuration, write_huggingface
from termgauge.benchmark.human.catalogue import CATALOGUE
from termgauge.benchmark.load import HUGGINGFACE, Benchmark, load_benchmark, load_sets, stem
from termgauge.benchmark.manifest import MANIFEST, statistics_of
from termgauge.exceptions import TermgaugeError
from termgauge.integrations.export import Exported
from termgauge.options import several

if TYPE_CHECKING:
    from termgauge.benchmark.human.catalogue import HumanSet
    from termgauge.benchmark.manifest import Manifest
    from termgauge.benchmark.pairset import PairSet
    from termgauge.integrations.export import ExportRequest

HUMAN: Mapping[str, HumanSet] = {entry.id: entry for entry in CATALOGUE}
_OTHER = "other"


@dataclass(frozen=True)
class Sources:
    """Sets to be exported, by the names of their configurations, and what was said of them where they were built."""

    sets: dict[str, PairSet]
    manifest: Manifest | None
    licence: str

    @classmethod
    def from_request(cls, request: ExportRequest) -> Sources:
        """Read what a request names."""
        licence = request.options.licence or ""
        benchmark = _benchmark(request.sources)
        if benchmark is None:
            named = load_sets(request.sources, data_dir=request.data_dir, download=request.download)
            return cls({configuration(each.id): each for each in named}, None, licence or _OTHER)
        manifest = benchmark.manifest
        if benchmark.empty:
            raise TermgaugeError(f"{benchmark.folder}: none of the sets of this benchmark has a pair; name another.")
        sets = {stem(file): benchmark[stem(file)] for file, record in manifest.files.items() if record.pairs}
        licence = licence or str(manifest.options.get("licence", _OTHER))
        return cls(sets, _huggingface_manifest(manifest, sets, licence), licence)

    @property
    def card(self) -> DatasetCard:
        """What the card says."""
        if self.manifest is not None:
            return DatasetCard.from_manifest(self.manifest, self.licence)
        return DatasetCard(
            title="Pairs of medical terms",
            licence=self.licence,
            source={pairs.id: _citation(HUMAN[pairs.id]) for pairs in self.sets.values() if pairs.id in HUMAN},
            statistics={
                name: statistics_of(pairs).model_dump() for name, pairs in self.sets.items() if not pairs.graded
            },
        )

    @property
    def beside(self) -> dict[str, str]:
        """The files beside the data."""
        return {} if self.manifest is None else {MANIFEST: self.manifest.text}

    @property
    def notes(self) -> tuple[str, ...]:
        """Where a licence may forbid that the folder is shared."""
        rated = [HUMAN[pairs.id] for pairs in self.sets.values() if pairs.id in HUMAN]
        return tuple(f"{entry.id}: look at its licence before you share the folder. {entry.licence}" for entry in rated)

    @property
    def contents(self) -> dict[str, int]:
        """How many pairs each set has."""
        return {name: len(pairs) for name, pairs in self.sets.items()}


def write(request: ExportRequest) -> Exported:
    """Write the folder."""
    sources = Sources.from_request(request)
    place = write_huggingface(sources.sets, request.out, card=sources.card, beside=sources.beside, force=request.force)
    return Exported("hf", place, sources.contents, notes=sources.notes)


def _benchmark(sources: object) -> Benchmark | None:
    """Return the benchmark that alone is named, if it is one that was built."""
    if isinstance(sources, Benchmark):
        return sources
    named = [] if isinstance(sources, Mapping) else several(sources)
    folder = Path(named[0]) if len(named) == 1 and isinstance(named[0], str | Path) else None
    return load_benchmark(folder) if folder and (folder / MANIFEST).is_file() else None


def _huggingface_manifest(manifest: Manifest, sets: dict[str, PairSet], licence: str) -> Manifest:
    """Return what a benchmark's manifest says once its files are those of a folder for `datasets`."""
    files = {
        f"{stem(file)}.parquet": record.model_copy(
            update={"concepts": None, "sha256": sets[stem(file)].sha256 if record.pairs else None}
        )
        for file, record in manifest.files.items()
    }
    options = {**manifest.options, "format": HUGGINGFACE, "licence": licence}
    return manifest.model_copy(update={"files": files, "options": options})


def _citation(entry: HumanSet) -> str:
    return f"{entry.title}, {entry.home}. {entry.licence} {entry.citation}"
