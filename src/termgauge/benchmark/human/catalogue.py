"""The sets of term pairs that people rated: what each is, where it is at home, and how its file is laid out.

Nothing of the sets themselves is here; an entry says which public file holds a set and how to know it.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from termgauge.display import Showing
from termgauge.exceptions import TermgaugeError
from termgauge.io.identity import sha256_of_bytes
from termgauge.io.paths import expanded
from termgauge.io.store import entry_path

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    import polars as pl

DATA_DIR_VARIABLE = "TERMGAUGE_DATA_DIR"
NAMESPACE = "human"
IN_FOLDER, IN_CACHE, TO_DOWNLOAD = "in folder", "in cache", "to download"


@dataclass(frozen=True)
class Layout:
    """Where a table keeps what."""

    terms: tuple[str, str]
    ratings: tuple[str, ...]
    """The columns whose mean is the score; of several, a row may leave some empty."""
    concepts: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    """For each system of concept ids (``umls``, ``mesh``, ``snomed``) its two columns, the fullest system first."""
    columns: tuple[str, ...] = ()
    """The names of the columns if the file has no header."""


class _Home(NamedTuple):
    """Where some of the files are at home: the page for people, the terms of use, and the address of the folder."""

    page: str
    licence: str
    folder: str


# Addresses name a commit, so that the hash of what is there cannot change.
_RAW = "https://raw.githubusercontent.com"
_CREL = _Home(
    "https://github.com/Jiho-YesNLP/BERT-CRel-Embeddings",
    "No licence is stated, neither by the original work nor by the repository that holds this copy.",
    f"{_RAW}/Jiho-YesNLP/BERT-CRel-Embeddings/5e2271476fdee9e98787145a2d73456732ff3123/data/eval",
)
_MINNESOTA = _Home(
    "https://conservancy.umn.edu/handle/11299/196265",
    "The ratings are published by the University of Minnesota under CC0 1.0; this copy with MeSH ids added comes from "
    "a repository that states no licence.",
    _CREL.folder,
)
_BIO_SIM = _Home(
    "https://github.com/cambridgeltl/bio-simverb",
    "The repository states no licence; the article that describes the set is open access.",
    f"{_RAW}/cambridgeltl/bio-simverb/01b3c93ff3fec45aec4d711df4c2042ce27ebb74/wvlib/word-similarities",
)
_EHR_REL = _Home(
    "https://github.com/babylonhealth/EHR-Rel",
    "Apache-2.0; the terms are SNOMED CT descriptions, whose use in some countries needs a SNOMED CT licence.",
    f"{_RAW}/babylonhealth/EHR-Rel/96b49c5153f0de913958833a2088ee82b57aedea",
)

_HLIAOUTAKIS = (
    "Hliaoutakis A. Semantic similarity measures in MeSH ontology and their application to information retrieval on "
    "Medline. Master's thesis, Technical University of Crete, 2005."
)
_PEDERSEN_2007 = (
    "Pedersen T, Pakhomov SV, Patwardhan S, Chute CG. Measures of semantic similarity and relatedness in the "
    "biomedical domain. Journal of Biomedical Informatics 40(3):288-299, 2007."
)
_PAKHOMOV_2010 = (
    "Pakhomov S, McInnes B, Adam T, Liu Y, Pedersen T, Melton GB. Semantic similarity and relatedness between "
    "clinical terms: an experimental study. AMIA Annual Symposium Proceedings 2010:572-576."
)
_PAKHOMOV_2011 = (
    "Pakhomov SV, Pedersen T, McInnes B, Melton GB, Ruggieri A, Chute CG. Towards a framework for developing semantic "
    "relatedness reference standards. Journal of Biomedical Informatics 44(2):251-265, 2011."
)
_PAKHOMOV_2016 = (
    "Pakhomov SV, Finley G, McEwan R, Wang Y, Melton GB. Corpus domain effects on distributional semantic modeling of "
    "medical terms. Bioinformatics 32(23):3635-3644, 2016."
)
_CHIU_2018 = (
    "Chiu B, Pyysalo S, Vulić I, Korhonen A. Bio-SimVerb and Bio-SimLex: wide-coverage evaluation sets of word "
    "similarity in biomedicine. BMC Bioinformatics 19:33, 2018."
)
_SCHULZ_2020 = (
    "Schulz C, Levy-Kramer J, Van Assel C, Kepes M, Hammerla N. Biomedical concept relatedness: a large EHR-based "
    "benchmark. COLING 2020. arXiv:2010.16218."
)

_UMLS_AND_MESH = {"umls": ("CUI1", "CUI2"), "mesh": ("MESH1", "MESH2")}
_UMNSRS = Layout(terms=("Term1", "Term2"), ratings=("Mean",), concepts=_UMLS_AND_MESH)
_WORDS = Layout(terms=("word 1", "word 2"), ratings=("score",), columns=("word 1", "word 2", "score"))
_EHR = Layout(
    terms=("snomed_label_1", "snomed_label_2"),
    ratings=("rater_A", "rater_B", "rater_C", "rater_D", "rater_E"),
    concepts={"snomed": ("snomed_id_1", "snomed_id_2"), "umls": ("CUI_1", "CUI_2")},
)


@dataclass(frozen=True, kw_only=True, repr=False)
class HumanSet(Showing):
    """One set of term pairs that people rated."""

    id: str
    title: str
    citation: str
    licence: str
    """What is known about the terms of use, in a sentence."""
    home: str
    address: str
    """Where the file can be downloaded."""
    file_name: str
    sha256: str
    size: int
    pairs: int
    scale: tuple[float, float]
    """The lowest and the highest score possible; the highest is for the most similar pairs."""
    score: str
    """What the score is: who rated, and how ratings were brought together."""
    layout: Layout

    @property
    def by_hand(self) -> str:
        """Where to get the file and where to put it, as the last part of a sentence."""
        return (
            f"get {self.file_name} by hand from {self.address} and put it, under exactly that name, into "
            "a folder that you name in the option data-dir or in TERMGAUGE_DATA_DIR"
        )

    def _brief(self) -> str:
        return f"human-rated set '{self.id}': {self.pairs:,} pairs, {self.title}"

    def to_frame(self) -> pl.DataFrame:
        """Return a row that says what it is, and whether it is at hand."""
        import polars as pl

        return pl.DataFrame([self.row()])

    def row(self, data_dir: str | os.PathLike[str] | None = None) -> dict[str, str | int | None]:
        """Return what it is, and whether and where it is at hand, for a listing."""
        path = self.locate(data_dir)
        return {
            "id": self.id,
            "title": self.title,
            "pairs": self.pairs,
            "scale": f"{self.scale[0]:g}-{self.scale[1]:g}",
            "score": self.score,
            "concepts": ", ".join(self.layout.concepts),
            "status": self.status(data_dir),
            "path": None if path is None else str(path),
            "file": self.file_name,
            "bytes": self.size,
            "home": self.home,
            "licence": self.licence,
            "citation": self.citation,
        }

    def status(self, data_dir: str | os.PathLike[str] | None = None) -> str:
        """Say whether the set is ``in folder``, ``in cache`` or ``to download``."""
        path = self.locate(data_dir)
        return TO_DOWNLOAD if path is None else IN_CACHE if path == self.cached else IN_FOLDER

    def locate(self, data_dir: str | os.PathLike[str] | None = None) -> Path | None:
        """Return where its file is on this machine, or None; a folder that is named must exist."""
        for path, source in (
            (data_dir, "--data-dir (data_dir in an experiment)"),
            (os.environ.get(DATA_DIR_VARIABLE), DATA_DIR_VARIABLE),
        ):
            if path is None or not str(path):
                continue
            folder = expanded(path)
            if not folder.is_dir():
                raise TermgaugeError(f"{folder}: is no folder; name in {source} a folder that holds human-rated sets.")
            # Unlike Path.is_file, this is False where the folder may not be read.
            if os.path.isfile(folder / self.file_name):  # noqa: PTH113
                return folder / self.file_name
        try:
            return self.cached if sha256_of_bytes(self.cached.read_bytes()) == self.sha256 else None
        except OSError:
            return None

    @property
    def cached(self) -> Path:
        """Where the cache has its file, if it does."""
        return entry_path(NAMESPACE, self.file_name)


def _entry(
    name: str,
    title: str,
    home: _Home,
    file: str,
    sha256: str,
    size: int,
    pairs: int,
    scale: tuple[float, float],
    citation: str,
    score: str,
    layout: Layout,
) -> HumanSet:
    return HumanSet(
        id=f"human/{name}",
        title=title,
        citation=citation,
        licence=home.licence,
        home=home.page,
        address=f"{home.folder}/{file}",
        file_name=file.rsplit("/", 1)[-1],
        sha256=sha256,
        size=size,
        pairs=pairs,
        scale=scale,
        score=score,
        layout=layout,
    )


def _mini_mayo(raters: str, score: str, ratings: tuple[str, ...]) -> HumanSet:
    sha256 = "bdee14fd5bd43bc2577a2ccf01bf1093d8b28bd0905f69ca24b07ef271bcfd4d"
    name, title, file = f"minimayo-{raters}", f"MiniMayoSRS, {raters}", "MiniMayoSRS_mesh.csv"
    layout = Layout(terms=("TERM1", "TERM2"), ratings=ratings, concepts=_UMLS_AND_MESH)
    return _entry(name, title, _MINNESOTA, file, sha256, 2547, 29, (1, 4), _PEDERSEN_2007, score, layout)


def _umnsrs(what: str, edition: str, sha256: str, size: int, pairs: int) -> HumanSet:
    name, title = what[:3] + edition, f"UMNSRS-{what[:3].capitalize()}{edition}"
    file = f"UMNSRS_{name.replace('-', '_')}_mesh.csv"
    citation = _PAKHOMOV_2016 if edition else _PAKHOMOV_2010
    score = f"{what}: mean of four medical residents, on a continuous scale"
    return _entry(f"umnsrs-{name}", title, _MINNESOTA, file, sha256, size, pairs, (0, 1600), citation, score, _UMNSRS)


def _bio_sim(title: str, sha256: str, size: int, pairs: int, words: str) -> HumanSet:
    name, score = title.lower(), f"similarity of {words}: mean of the annotators"
    file = f"{name}/{title}.txt"
    return _entry(name, title, _BIO_SIM, file, sha256, size, pairs, (0, 10), _CHIU_2018, score, _WORDS)


def _ehr_rel(letter: str, sha256: str, size: int, pairs: int, doctors: str) -> HumanSet:
    name, title = f"ehr-rel-{letter.lower()}", f"EHR-Rel{letter}"
    score = f"relatedness: mean of the {doctors} doctors who rated the pair, computed from their single ratings"
    return _entry(name, title, _EHR_REL, f"{title}.tsv", sha256, size, pairs, (0, 3), _SCHULZ_2020, score, _EHR)


CATALOGUE: tuple[HumanSet, ...] = (
    _entry(
        "hliaoutakis",
        "Hliaoutakis",
        _CREL,
        "Hliaoutakis2005_mesh.csv",
        "5ae23e8f064fd1e080b68d17529f3f4efacee765db9d819e0ccbeba23ae24ead",
        size=1914,
        pairs=36,
        scale=(0, 1),
        citation=_HLIAOUTAKIS,
        score="similarity of MeSH terms: mean of the medical experts",
        layout=Layout(terms=("term 1", "term 2"), ratings=("score",), concepts={"mesh": ("mesh 1", "mesh 2")}),
    ),
    _mini_mayo("physicians", "relatedness: mean of the physicians", ("Physicians",)),
    _mini_mayo("coders", "relatedness: mean of the medical coders", ("Coders",)),
    _mini_mayo("mean", "relatedness: mean of the physicians' mean and the coders' mean", ("Physicians", "Coders")),
    _entry(
        "mayosrs",
        "MayoSRS",
        _MINNESOTA,
        "MayoSRS_mesh.csv",
        "2ac8543362df41a1b59a7c72e40d6cabc63bcfed78a0694066de0c548438ccbb",
        size=8212,
        pairs=101,
        scale=(1, 10),
        citation=_PAKHOMOV_2011,
        score="relatedness: mean of medical coders and physicians",
        layout=Layout(terms=("TERM1", "TERM2"), ratings=("Mean",), concepts=_UMLS_AND_MESH),
    ),
    _umnsrs("similarity", "", "bb93b77691225dd06e7ddd6271a1686b2aee4a32897c575a9e5afadceea5bac3", 41677, 566),
    _umnsrs("relatedness", "", "505d10acf40fedefc15a737e8b065cfe24587c42d1ec62a7399e240efa02b28c", 46308, 587),
    _umnsrs("similarity", "-mod", "3aba7fa250bad6e9661d0fefee0e58266df283fe597dd102c3d2e012f3711ea4", 32452, 449),
    _umnsrs("relatedness", "-mod", "9b3d8bfdfdff383685e54ebb12d24ab2ec8015135e55c05167dbf745a188f16d", 33213, 458),
    _bio_sim("Bio-SimLex", "7152ab63359b18c64b35e3d91cd34caf211d6207c141768114d034aecac1781c", 21998, 988, "nouns"),
    _bio_sim("Bio-SimVerb", "ffe5a7472270efc6ce8e2b3897cbc33532dc0ec08e3160c04f8d58fa50bae0aa", 20867, 1000, "verbs"),
    _ehr_rel("A", "c04a522e6ade621105591b3e5232a43acf3e86fb7308544ad356c106f4b29179", 11184, 111, "five"),
    _ehr_rel("B", "f27d4aedbbf95f5aad6eb42f9a1687d7d30c42a914014187bbc9ec1090cf172d", 405935, 3630, "three of five"),
    _entry(
        "pedersen",
        "Pedersen",
        _CREL,
        "Pedersen2007_mesh.csv",
        "45610b2e88dc5ac77a199efe6e6e307fbb22c72445dfc02d0d5b10e7deeaeae5",
        size=1596,
        pairs=30,
        scale=(1, 4),
        citation=_PEDERSEN_2007,
        score="relatedness, the 30 pairs as printed: mean of the physicians' mean and the coders' mean",
        layout=Layout(
            terms=("Term 1", "Term 2"), ratings=("Physician", "Coder"), concepts={"mesh": ("MeSH 1", "MeSH 2")}
        ),
    ),
)
"""All sets, in the order in which they are listed."""
