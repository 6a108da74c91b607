"""Do models keep a distant category of terms apart from two close ones? Categories from a terminology, models on them.

The cosine of whole vectors is counted from matrix products; any other measure comes from the kernels in blocks, so that
memory stays bounded, and takes as long as its pairs do.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import polars as pl

from termgauge.exceptions import TermgaugeError, did_you_mean, warn
from termgauge.similarity.measures import alike, chosen_measures, default_measure, translated
from termgauge.source import files_of
from termgauge.statistics.bootstrap import SEED
from termgauge.statistics.inputs import checked_level
from termgauge.tasks.categories.overlap import CATEGORIES, CategorySeparation, category_separation, cosine_separation
from termgauge.tasks.categories.result import Category, CategoryReport
from termgauge.terminology.model import MODEL_COMPONENT_MODULE, SYNONYM, Terminology

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from termgauge.embeddings.model import ConceptModel, Model, PairScorer, TermModel, WordModel

_FROM_FILE = "@"
_PAIRS_AT_ONCE = 1 << 21
_TEXTS_AT_ONCE = 1 << 18


def categories(
    source: str | os.PathLike[str] | Iterable[str | os.PathLike[str]] | Terminology | None,
    close: tuple[str, str],
    far: str,
    models: Iterable[str | Model],
    *,
    measures: Sequence[str] = (),
    names_only: bool = False,
    drop_shared: bool = False,
    max_terms: int | None = None,
    alpha: float = 0.05,
    seed: int = SEED,
    **reading: Any,  # noqa: ANN401
) -> CategoryReport:
    """Measure how well models keep a distant category apart from two close ones.

    Parameters
    ----------
    source
        A terminology, or where to read it.
    close
        Two categories that are close, A and B. Each is the id of a concept (it and all below it), a tag, or
        ``@file``, a file with a term on each line.
    far
        The distant category, C.
    models
        Specs or models.
    measures
        Measures of similarity; a model's usual one if none is named, for the others take long on large categories.
    names_only
        Take only the names of concepts. By default a category has the names and the exact synonyms of its active
        concepts, each different text once.
    drop_shared
        Leave terms that are in more than one category out of all of them. By default they count in each, as the
        definition says; the report says how many there are.
    max_terms
        Take so many terms of each category at most, drawn with the seed; the same for all models.
    alpha
        The interval of the overlap has level 1 - alpha.
    seed
        Of what is drawn.
    **reading
        Options of :func:`~termgauge.terminology.read_terminology`.

    Notes
    -----
    Models of concepts compare concepts, not terms: the sizes are numbers of concepts. Only terms that a model can
    encode count.

    Raises
    ------
    TermgaugeError
        If a category or a measure is not known, or no model can encode a term of each category.
    """
    checked_level(alpha)
    if max_terms is not None and max_terms < 1:
        raise TermgaugeError(f"The most terms of a category is at least 1, not {max_terms}.")
    for name in measures:
        chosen_measures("words", [name])
    from termgauge.experiment.evaluate import open_models

    opened, _left_out = open_models(models, measures)
    chosen = _chosen(_terminology(source, (*close, far), reading), (*close, far), names_only=names_only)
    shared = _shared(chosen)
    if drop_shared:
        chosen = [_without(category, shared) for category in chosen]
    if max_terms is not None:
        _say_what_is_drawn(chosen, max_terms)
        chosen = [category.drawn(max_terms, seed) for category in chosen]
    found: dict[str, dict[str, CategorySeparation]] = {}
    problems = []
    for model in opened:
        wanted = chosen_measures(model.kind, measures) if measures else (default_measure(model.kind),)
        try:
            encoded = _Encoded.of(model, chosen)
            found[model.name] = {name: encoded.separation(name, alpha, seed) for name in wanted}
        except TermgaugeError as error:
            problems.append(f"{model.name}: {error}")
    if not found:
        raise TermgaugeError(problems[0])
    for problem in problems:
        warn(f"A model cannot be used and is left out: {problem}")
    return CategoryReport((chosen[0], chosen[1], chosen[2]), len(shared), found)


def _terminology(
    source: str | os.PathLike[str] | Iterable[str | os.PathLike[str]] | Terminology | None,
    names: Sequence[str],
    reading: dict[str, Any],
) -> Terminology | None:
    if isinstance(source, Terminology):
        return source
    if source is None:
        if all(name.startswith(_FROM_FILE) for name in names):
            return None
        raise TermgaugeError("No terminology was named; categories without one are files, as in --far @terms.txt.")
    from termgauge.terminology import read_terminology

    return read_terminology(source, **reading)


def _chosen(terminology: Terminology | None, names: Sequence[str], *, names_only: bool) -> list[Category]:
    return [
        _from_file(name) if name.startswith(_FROM_FILE) else _from_terminology(terminology, name, names_only=names_only)
        for name in names
    ]


def _from_file(name: str) -> Category:
    path = Path(name.removeprefix(_FROM_FILE))
    files = files_of(path)
    if len(files) != 1:
        raise TermgaugeError(f"{path}: holds {len(files)} files; name one file with a term on each line.")
    try:
        text = files[0].read().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise TermgaugeError(f"{path}: is not UTF-8 text (byte {error.start:,}); save it as UTF-8.") from error
    # Only LF ends a line: terms may hold the other characters that str.splitlines splits at.
    terms = tuple(dict.fromkeys(line.strip() for line in text.split("\n") if line.strip()))
    if not terms:
        raise TermgaugeError(f"{path}: holds no terms; a category has a term on each line.")
    return Category(name, terms, terms)


def _from_terminology(terminology: Terminology | None, name: str, *, names_only: bool) -> Category:
    assert terminology is not None  # _terminology has seen to it
    ids = _ids(terminology, name)
    counted = pl.col("active") & (pl.col("module").fill_null("") != MODEL_COMPONENT_MODULE)
    members = terminology.concepts.filter(counted & pl.col("concept").is_in(ids.implode()))
    concepts = members.select("concept", text="name").drop_nulls("text")
    synonyms = terminology.terms.filter(pl.col("active") & (pl.col("kind") == SYNONYM)).join(
        members, on="concept", how="semi", maintain_order="left"
    )
    texts = concepts["text"].to_list() + ([] if names_only else synonyms["text"].to_list())
    terms = tuple(dict.fromkeys(text for text in texts if text and text.strip()))
    if not terms:
        raise TermgaugeError(f"{terminology.identity.slug}: '{name}' has no active concept with a name.")
    return Category(name, terms, tuple(dict.fromkeys(members["concept"].to_list())))


def _ids(terminology: Terminology, name: str) -> pl.Series:
    if (terminology.concepts["concept"] == name).any():
        return terminology.descendants(name)
    try:
        return terminology.tagged(name)
    except TermgaugeError:
        known = terminology.concepts["concept"].to_list()
        tags = terminology.concepts["tag"].drop_nulls().unique().to_list()
        raise TermgaugeError(
            f"{terminology.identity.slug} has neither a concept nor a tag '{name}'; name a concept's id, a tag, or a "
            f"file as @FILE.{did_you_mean(name, [*tags, *known])}"
        ) from None


def _shared(chosen: Sequence[Category]) -> set[str]:
    one, two, three = (set(category.terms) for category in chosen)
    return (one & two) | (one & three) | (two & three)


def _without(category: Category, shared: set[str]) -> Category:
    terms = tuple(term for term in category.terms if term not in shared)
    if not terms:
        raise TermgaugeError(f"All terms of '{category.name}' are in another category too; choose one of its own.")
    return Category(category.name, terms, category.concepts)


def _say_what_is_drawn(chosen: Sequence[Category], most: int) -> None:
    larger = [f"{len(category.terms):,} of '{category.name}'" for category in chosen if len(category.terms) > most]
    if larger:
        warn(f"{most:,} terms were drawn from the {', from the '.join(larger)}, as --max-terms says.")


@dataclass(frozen=True)
class _Encoded:
    """The members of three categories that a model can encode, in one list."""

    model: Model
    offsets: tuple[int, int, int, int]
    """Category k has the members from ``offsets[k]`` to ``offsets[k + 1]``."""
    texts: tuple[str, ...]
    vectors: NDArray[np.float64]
    """Of the words, or of the members themselves."""
    word_offsets: NDArray[np.int64]
    words: NDArray[np.int64]

    @classmethod
    def of(cls, model: Model, chosen: Sequence[Category]) -> _Encoded:
        members = [category.concepts if model.kind == "concepts" else category.terms for category in chosen]
        texts = [text for some in members for text in some]
        vectors, indptr, words, there = _vectors(model, texts)
        sizes = np.diff(indptr)[there]
        starts = np.repeat(indptr[:-1][there] - np.concatenate([[0], np.cumsum(sizes)[:-1]]), sizes)
        bounds = np.cumsum([0, *map(len, members)])
        a, b, c = (int(there[low:high].sum()) for low, high in pairwise(bounds.tolist()))
        return cls(
            model=model,
            offsets=(0, a, a + b, a + b + c),
            texts=tuple(text for text, known in zip(texts, there.tolist(), strict=True) if known),
            vectors=vectors,
            word_offsets=np.concatenate([[0], np.cumsum(sizes)]),
            words=words[starts + np.arange(len(starts))],
        )

    @property
    def sizes(self) -> tuple[int, int, int]:
        start, a, b, c = self.offsets
        return a - start, b - a, c - b

    def separation(self, measure: str, alpha: float, seed: int) -> CategorySeparation:
        """Return overlap and means by a measure."""
        if 0 not in self.sizes and alike(measure, "cos"):
            means = self._means()
            parts = [means[low:high] for low, high in pairwise(self.offsets)]
            return cosine_separation(*parts, alpha=alpha, seed=seed)

        def blocks(left: str, right: str, rows: slice, columns: slice) -> NDArray[np.float64]:
            return self._block(measure, self._members(left, rows), self._members(right, columns))

        return category_separation(blocks, self.sizes, alpha=alpha, seed=seed)

    def _means(self) -> NDArray[np.float64]:
        from termgauge.similarity.units import mean_rows

        means = np.empty((len(self.texts), self.vectors.shape[1]))
        mean_rows(self.vectors, self.word_offsets, self.words, means)
        return means

    def _members(self, category: str, some: slice) -> NDArray[np.int64]:
        start = self.offsets[CATEGORIES.index(category)]
        return np.arange(start + some.start, start + some.stop)

    def _block(self, measure: str, rows: NDArray[np.int64], columns: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the similarities of some members with others, a few rows at a time."""
        out = np.empty((len(rows), len(columns)))
        most = _TEXTS_AT_ONCE if self.model.kind == "pairs" else _PAIRS_AT_ONCE
        step = max(1, most // max(1, len(columns)))
        for begin in range(0, len(rows), step):
            some = rows[begin : begin + step]
            first, second = np.repeat(some, len(columns)), np.tile(columns, len(some))
            out[begin : begin + step] = self._scores(measure, first, second).reshape(len(some), -1)
        return out

    def _scores(self, measure: str, first: NDArray[np.int64], second: NDArray[np.int64]) -> NDArray[np.float64]:
        if self.model.kind == "pairs":
            one, two = ([self.texts[place] for place in side.tolist()] for side in (first, second))
            return cast("PairScorer", self.model).score(one, two, self.texts)
        from termgauge.similarity.kernels import score_words

        # One vector is the mean of itself.
        names = [translated(measure, "words")]
        return score_words(self.vectors, self.word_offsets, self.words, first, second, names)[:, 0]


def _vectors(
    model: Model, texts: Sequence[str]
) -> tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.int64], NDArray[np.bool_]]:
    """Return vectors, which of them each text has (offsets and rows), and which texts can be encoded."""
    each = np.arange(len(texts) + 1)
    if model.kind == "words":
        found = cast("WordModel", model).words_of(texts)
        return found.vectors.astype(np.float64), found.indptr, found.indices, ~found.missing
    if model.kind == "terms":
        vectors = cast("TermModel", model).encode(texts).astype(np.float64)
        return vectors, each, each[:-1], np.asarray(~np.isnan(vectors).any(axis=1))
    if model.kind == "concepts":
        concepts = cast("ConceptModel", model)
        rows = concepts.find(texts)
        vectors = np.zeros((len(texts), concepts.dimension))
        vectors[rows >= 0] = concepts.gather(rows[rows >= 0])
        return vectors, each, each[:-1], rows >= 0
    return np.empty((len(texts), 0)), each, each[:-1], np.ones(len(texts), np.bool_)
