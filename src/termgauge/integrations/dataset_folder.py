"""Sets as a folder for the Hugging Face `datasets` library, and beside the data a module that declares tasks of mteb.

The folder is the same as a benchmark that is built in that form. Rated sets become tasks of semantic similarity (STS),
labelled ones pair classification. The module finds its data beside itself, so that the folder works wherever it lies.
All its values are written as literals of Python: nothing in a set's name or a card's text can become code.
"""

from __future__ import annotations

import keyword
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from termgauge.benchmark.huggingface import SPLIT, TASKS, DatasetCard, configuration, write_huggingface
from termgauge.benchmark.human.catalogue import CATALOGUE
from termgauge.benchmark.load import HUGGINGFACE, Benchmark, load_benchmark, load_sets, stem
from termgauge.benchmark.manifest import MANIFEST, statistics_of
from termgauge.exceptions import TermgaugeError, one_line
from termgauge.integrations.export import Exported
from termgauge.io.identity import file_name, version
from termgauge.options import several
from termgauge.reporting.set_names import titled

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
            return cls({configuration(pairs.id): pairs for pairs in named}, None, licence or _OTHER)
        manifest = benchmark.manifest
        if benchmark.empty:
            raise TermgaugeError(f"{benchmark.folder}: none of the sets of this benchmark has a pair; name another.")
        sets = {stem(file): benchmark[stem(file)] for file, record in manifest.files.items() if record.pairs}
        licence = licence or str(manifest.options.get("licence", _OTHER))
        return cls(sets, _huggingface_manifest(manifest, sets, licence), licence)

    @property
    def rated(self) -> list[HumanSet]:
        """The sets that people rated, as the catalogue has them."""
        return [HUMAN[pairs.id] for pairs in self.sets.values() if pairs.id in HUMAN]

    @property
    def card(self) -> DatasetCard:
        """What the card says."""
        if self.manifest is not None:
            return DatasetCard.from_manifest(self.manifest, self.licence)
        return DatasetCard(
            title="Pairs of medical terms",
            licence=self.licence,
            source={entry.id: f"{entry.title}, {entry.home}. {entry.licence} {entry.citation}" for entry in self.rated},
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
        advice = "look at its licence before you share the folder."
        return tuple(f"{entry.id}: {advice} {entry.licence}" for entry in self.rated)


def write_folder(request: ExportRequest) -> Exported:
    """Write the folder."""
    sources = Sources.from_request(request)
    folder = write_huggingface(sources.sets, request.out, card=sources.card, beside=sources.beside, force=request.force)
    contents = {name: len(pairs) for name, pairs in sources.sets.items()}
    return Exported("hf", folder, contents, notes=sources.notes)


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


STS, PAIRS = "STS", "PairClassification"
MAIN_SCORES: Mapping[str, str] = {STS: "cosine_spearman", PAIRS: "cosine_ap"}
"""The score by which mteb ranks models, by the type of task."""
_LANGUAGES = {
    "ar": "ara-Arab", "cs": "ces-Latn", "da": "dan-Latn", "de": "deu-Latn", "el": "ell-Grek", "en": "eng-Latn",
    "es": "spa-Latn", "et": "est-Latn", "eu": "eus-Latn", "fi": "fin-Latn", "fr": "fra-Latn", "hr": "hrv-Latn",
    "hu": "hun-Latn", "it": "ita-Latn", "ja": "jpn-Jpan", "ko": "kor-Hang", "lt": "lit-Latn", "lv": "lav-Latn",
    "nb": "nob-Latn", "nl": "nld-Latn", "nn": "nno-Latn", "no": "nob-Latn", "pl": "pol-Latn", "pt": "por-Latn",
    "ru": "rus-Cyrl", "sv": "swe-Latn", "tr": "tur-Latn", "uk": "ukr-Cyrl", "zh": "zho-Hans",
}  # fmt: skip
"""What languages of terminologies are called in mteb."""
_LICENCES = frozenset(
    {"apache-2.0", "mit", "cc0-1.0", "cc-by-2.0", "cc-by-3.0", "cc-by-4.0", "cc-by-sa-3.0", "cc-by-sa-4.0"}
    | {"cc-by-nc-3.0", "cc-by-nc-4.0", "cc-by-nc-sa-3.0", "cc-by-nc-sa-4.0", "cc-by-nd-4.0", "cc-by-nc-nd-4.0"}
    | {"odc-by"}
)
"""The licence names that mteb knows, of those that terminologies come under."""
_DAY = re.compile(r"(?<![0-9])((?:19|20)[0-9]{2})-?(0[1-9]|1[0-2])-?(0[1-9]|[12][0-9]|3[01])(?![0-9])")
_METHOD = (
    "@inproceedings{schulz2020embeddings,\n"
    "  author = {Schulz, Claudia and Juric, Damir},\n"
    "  title = {Can Embeddings Adequately Represent Medical Terminology? New Large-Scale Medical Term Similarity "
    "Datasets Have the Answer!},\n"
    "  booktitle = {Proceedings of the AAAI Conference on Artificial Intelligence},\n"
    "  volume = {34}, number = {5}, pages = {8775--8782},\n"
    "  year = {2020}\n"
    "}"
)
"""The article that the sets built from a terminology come from."""
_HEAD = '''\
"""{about}

Made by termgauge {version}. The pairs lie in the folder of this file, wherever that is; nothing is downloaded.

    import mteb
    from tasks import TASKS

    mteb.evaluate(model, TASKS)

mteb looks for the best F1 and the best accuracy only among thresholds between two scores. termgauge, like scikit-learn,
also tries the one that accepts all pairs, and for accuracy the one that accepts none; where such a threshold is best,
its value is higher than mteb's. Average precision, the main score, has no threshold and is the same.
"""

from pathlib import Path

from mteb.abstasks.pair_classification import AbsTaskPairClassification
from mteb.abstasks.sts import AbsTaskSTS
from mteb.abstasks.task_metadata import TaskMetadata

_HERE = str(Path(__file__).resolve().parent)
'''


def write_tasks(request: ExportRequest) -> Exported:
    """Write the folder with the module."""
    sources = Sources.from_request(request)
    sets = {name: pairs for name, pairs in sources.sets.items() if len(pairs) > 1}
    if not sets:
        raise TermgaugeError("There is no set of two pairs or more to export.")
    single = [name for name in sources.sets if name not in sets]
    left_out = tuple(f"{name}: has a single pair, which makes no task of mteb." for name in single)
    beside = {**sources.beside, TASKS: module_text(sets, sources, request.options.reference)}
    folder = write_huggingface(sources.sets, request.out, card=sources.card, beside=beside, force=request.force)
    contents = {file_name(pairs.id): len(pairs) for pairs in sets.values()}
    return Exported("mteb", folder, contents, notes=(*sources.notes, *left_out))


def language_codes(names: str) -> list[str]:
    """Return languages, with commas between them, as mteb calls them."""
    codes = []
    for name in filter(None, re.split(r"[,\s]+", names)):
        code = _LANGUAGES.get(name.lower().partition("-")[0])
        if code is None:
            raise TermgaugeError(
                f"The language '{name}' has no name in mteb that termgauge knows; known are {', '.join(_LANGUAGES)}."
            )
        codes.append(code)
    return codes


def module_text(sets: Mapping[str, PairSet], sources: Sources, reference: str | None) -> str:
    """Return the module that declares a task for each set."""
    classes = _class_names(sets)
    about = f"Tasks of mteb: {one_line(sources.card.title)}."
    parts = [_HEAD.format(about=about.replace("\\", "").replace('"', "'"), version=version())]
    parts += [_class(classes[name], name, pairs, sources, reference) for name, pairs in sets.items()]
    parts.append(f"TASKS = [{', '.join(f'{class_name}()' for class_name in classes.values())}]\n")
    return "\n\n".join(parts)


def _class(name: str, configuration: str, pairs: PairSet, sources: Sources, reference: str | None) -> str:
    kind = STS if pairs.graded else PAIRS
    values = _metadata(pairs, sources, reference)
    lines = [f"class {name}(AbsTask{kind}):", "    metadata = TaskMetadata("]
    dataset = f'{{"path": _HERE, "name": {configuration!r}, "revision": {pairs.sha256!r}}}'
    lines += [f"        dataset={dataset},", *(f"        {key}={value!r}," for key, value in values.items()), "    )"]
    if pairs.graded:
        low, high = _scale(pairs)
        lines += ["    column_names = ('term_1', 'term_2')", f"    min_score = {low!r}", f"    max_score = {high!r}"]
    else:
        columns = {"input1_column_name": "term_1", "input2_column_name": "term_2", "label_column_name": "label"}
        lines += [f"    {key} = {value!r}" for key, value in columns.items()]
    return "\n".join([*lines, ""])


def _metadata(pairs: PairSet, sources: Sources, reference: str | None) -> dict[str, Any]:
    kind, entry = STS if pairs.graded else PAIRS, HUMAN.get(pairs.id)
    licence = sources.licence.strip().lower()
    return {
        "name": file_name(pairs.id),
        "description": _description(pairs),
        "reference": reference or (entry.home if entry else None),
        "type": kind,
        "category": "t2t",
        "modalities": ["text"],
        "eval_splits": [SPLIT],
        "eval_langs": language_codes(",".join(sources.card.language)),
        "main_score": MAIN_SCORES[kind],
        "date": _date(pairs),
        "domains": ["Medical", "Written"],
        "task_subtypes": [],
        "license": licence if licence in _LICENCES else "not specified",
        "annotations_creators": "human-annotated" if pairs.graded else "derived",
        "dialect": [],
        "sample_creation": "created" if pairs.graded else "found",
        "bibtex_citation": _citation(pairs),
        "is_public": False,
    }


def _description(pairs: PairSet) -> str:
    title, origin, entry = titled(pairs.id, graded=pairs.graded).title, pairs.origin, HUMAN.get(pairs.id)
    if entry is not None:
        return f"How alike are two medical terms? {entry.title}, {one_line(entry.score)}."
    if not origin.built:
        question = "How alike are two medical terms?" if pairs.graded else "Do two medical terms mean the same?"
        return f"{question} The set {title}."
    return f"Do two medical terms mean the same? {title}, from {origin.terminology}."


def _citation(pairs: PairSet) -> str:
    if pairs.origin.built:
        return _METHOD
    entry = HUMAN.get(pairs.id)
    key = re.sub(r"[^a-z0-9]+", "", pairs.id.rpartition("/")[2].lower())
    return "" if entry is None else f"@misc{{{key},\n  note = {{{entry.citation}}}\n}}"


def _date(pairs: PairSet) -> tuple[str, str] | None:
    """Return the day of the release, where its version says one, as a span of time."""
    day = _DAY.search(pairs.origin.terminology)
    return None if day is None else ("-".join(day.groups()),) * 2


def _scale(pairs: PairSet) -> tuple[float, float]:
    if (entry := HUMAN.get(pairs.id)) is not None:
        return entry.scale
    low, high = (float(value) for value in (pairs.frame["score"].min(), pairs.frame["score"].max()))  # type: ignore[arg-type]
    return low, high if high > low else low + 1


def _class_names(sets: Mapping[str, PairSet]) -> dict[str, str]:
    """Return a class name for each set; no two are the same."""
    taken: dict[str, str] = {}
    for name in sets:
        words = re.findall(r"[A-Za-z0-9]+", name)
        plain = "".join(word[:1].upper() + word[1:] for word in words) or "Pairs"
        plain = f"Set{plain}" if plain[0].isdecimal() or keyword.iskeyword(plain) else plain
        while plain in taken.values() or plain in ("Path", "TaskMetadata", "AbsTaskSTS", "AbsTaskPairClassification"):
            plain += "_"
        taken[name] = plain
    return taken
