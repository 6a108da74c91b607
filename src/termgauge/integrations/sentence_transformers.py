"""An evaluator for training with sentence-transformers: our sets, that library's measures, names and files.

Each set is measured by the library's own evaluator, for ratings or for labels, on vectors that were made once for each
different text of all sets. So values are those that its users know, and nothing is computed twice.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import numpy as np

from termgauge.benchmark.huggingface import HELD_OUT
from termgauge.benchmark.load import load_sets
from termgauge.benchmark.pairset import PairSet
from termgauge.embeddings.libraries import library
from termgauge.exceptions import TermgaugeError, did_you_mean, warn
from termgauge.integrations.splits import trained_concepts, training_terms
from termgauge.io.identity import file_name
from termgauge.reporting.words import counted

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

try:
    from sentence_transformers.sentence_transformer.evaluation import SentenceEvaluator
except ImportError:  # said when an evaluator is made
    SentenceEvaluator = object

MEAN = "mean"
_NO_MEAN = "_threshold"
"""The end of names of values of which a mean says nothing."""


class SentenceTransformerEvaluator(SentenceEvaluator):  # type: ignore[misc, unused-ignore]
    """Measure a SentenceTransformer on termgauge's sets while it is trained, or after.

    It is used as any evaluator of the library: ``evaluator=`` of a ``SentenceTransformerTrainer``, in a
    ``SequentialEvaluator``, or by itself. Values of a set are called ``NAME_SET_spearman_cosine`` and
    ``NAME_SET_pearson_cosine`` if its pairs are rated; ``NAME_SET_cosine_ap``, ``…_accuracy``, ``…_f1``,
    ``…_precision``, ``…_recall``, ``…_mcc`` and the thresholds if they are labelled. Of several sets the means are
    added as ``NAME_mean_…``. A single set that has a name given by you needs no name of its own.

    Parameters
    ----------
    benchmark
        The folder of a benchmark, a benchmark, files, ids of human-rated sets, or sets; one may stand alone.
    name
        What stands before the names of all values.
    similarity_fn_names
        ``cosine``, ``dot``, ``euclidean`` or ``manhattan``; that of the model if none is named.
    primary
        Which value chooses the best checkpoint, without the name before it, such as ``mean_cosine_f1``. If not given:
        Spearman's rho of rated sets, average precision of labelled ones, or the mean of both (``mean``).
    most
        At most so many pairs of each set, drawn with the `seed`; all if not given.
    seed
        For drawing pairs.
    trained_on
        The folder that an export of triplets wrote, or its ``concepts.parquet``. Labelled sets that have a concept of
        its training split, or a text of one, are refused, since their values would be too good; of rated sets, whose
        ratings are not part of the training, it is only said.
    batch_size
        How many texts are encoded at once.
    truncate_dim
        How many numbers of each vector to keep; all that the model keeps if not given.
    show_progress_bar
        Whether the library shows its progress.
    write_csv
        Whether each set has a CSV file in the folder that the trainer names, with a line for each evaluation.
    data_dir
        A folder with human-rated sets.
    download
        Whether human-rated sets may be downloaded.

    Raises
    ------
    TermgaugeError
        If sentence-transformers is not installed, or a set cannot be measured or was trained on.
    """

    def __init__(
        self,
        benchmark: str | os.PathLike[str] | PairSet | Iterable[str | os.PathLike[str] | PairSet],
        *,
        name: str = "",
        similarity_fn_names: Sequence[str] = (),
        primary: str | None = None,
        most: int | None = None,
        seed: int = 42,
        trained_on: str | os.PathLike[str] | None = None,
        batch_size: int = 32,
        truncate_dim: int | None = None,
        show_progress_bar: bool = False,
        write_csv: bool = True,
        data_dir: Path | None = None,
        download: bool = True,
    ) -> None:
        made = library(
            "sentence_transformers.sentence_transformer.evaluation",
            "SentenceTransformerEvaluator",
            "transformers",
            "sentence-transformers",
        )
        super().__init__()
        self.name, self.truncate_dim, self._primary = name, truncate_dim, primary
        self._encoding = {"batch_size": batch_size, "show_progress_bar": show_progress_bar}
        named = load_sets(benchmark, data_dir=data_dir, download=download)
        if trained_on is not None:
            _refuse_trained(named, trained_on)
        sets = [_sample(pairs, most, seed) for pairs in named]
        common = {"similarity_fn_names": list(similarity_fn_names) or None, "write_csv": write_csv}
        self.evaluators = [
            _evaluator_of(pairs, made, {**common, "name": _join(name, set_name)})
            for pairs, set_name in zip(sets, _names(sets, named=bool(name)), strict=True)
        ]
        texts = (text for member in self.evaluators for text in (*member.sentences1, *member.sentences2))
        self._texts = list(dict.fromkeys(texts))

    def __call__(
        self,
        model: Any,  # noqa: ANN401
        output_path: str | None = None,
        epoch: int = -1,
        steps: int = -1,
    ) -> dict[str, float]:
        """Return the values of a model, which are also noted in its model card."""
        encoded = model.encode(self._texts, convert_to_numpy=True, truncate_dim=self.truncate_dim, **self._encoding)
        stand_in = _Encoded(dict(zip(self._texts, range(len(self._texts)), strict=True)), encoded, model)
        metrics: dict[str, float] = {}
        values: list[dict[str, float]] = []
        for evaluator in self.evaluators:
            scores = evaluator(stand_in, output_path, epoch, steps)
            metrics |= scores
            values.append({key.removeprefix(f"{evaluator.name}_"): value for key, value in scores.items()})
        leading = [str(member.primary_metric) for member in self.evaluators]
        if len(self.evaluators) > 1:
            means = _means(values, [metrics[key] for key in leading])
            metrics |= {_join(self.name, key): value for key, value in means.items()}
        self.primary_metric = self._primary_name(metrics, leading)
        self.store_metrics_in_model_card_data(model, metrics, epoch, steps)
        return metrics

    def _primary_name(self, metrics: Mapping[str, float], leading: Sequence[str]) -> str:
        """Return the name of the value that counts."""
        if self._primary is not None:
            wanted = _join(self.name, self._primary)
            if wanted not in metrics:
                raise TermgaugeError(f"There is no value '{wanted}' to choose by.{did_you_mean(wanted, metrics)}")
            return wanted
        if len(leading) == 1:
            return leading[0]
        kinds = {
            key.removeprefix(f"{evaluator.name}_") for key, evaluator in zip(leading, self.evaluators, strict=True)
        }
        return _join(self.name, f"{MEAN}_{kinds.pop()}" if len(kinds) == 1 else MEAN)

    @property
    def description(self) -> str:
        """What model cards call it."""
        return "Medical Terminology"

    def get_config_dict(self) -> dict[str, Any]:
        """Return what model cards say of how it measured."""
        return {"truncate_dim": self.truncate_dim} if self.truncate_dim is not None else {}


class _Encoded:
    """What the library's evaluators take for the model: vectors that are there already."""

    def __init__(self, rows: Mapping[str, int], vectors: NDArray[Any], model: Any) -> None:  # noqa: ANN401
        self._rows, self._vectors = rows, vectors
        self.similarity_fn_name = model.similarity_fn_name
        self.model_card_data = self

    def encode(self, sentences: Sequence[str], **_how: object) -> NDArray[Any]:
        """Return the vectors of some texts."""
        picked: NDArray[Any] = self._vectors[[self._rows[text] for text in sentences]]
        return picked

    def set_evaluation_metrics(self, *_noted: object) -> None:
        """Leave it to the evaluator of all sets to write them down."""


def _refuse_trained(sets: Sequence[PairSet], path: str | os.PathLike[str]) -> None:
    trained = training_terms(path)
    for pairs in sets:
        if not (concepts := trained_concepts(pairs, trained)):
            continue
        shared = (
            f"The set '{pairs.id}' has {counted(len(concepts), 'concept')} of the training of {path}, as {concepts[0]}"
        )
        if not pairs.graded:
            raise TermgaugeError(
                f"{shared}; measure on validation-pairs.parquet, test-pairs.parquet or {HELD_OUT} of that export."
            )
        warn(f"{shared}; the model has seen their terms.")


def _sample(pairs: PairSet, most: int | None, seed: int) -> PairSet:
    """Return a set, or a part of it, that can be measured."""
    if most is not None and most < 2:
        raise TermgaugeError(f"'most' is a number of pairs of at least 2, not {most}.")
    frame = pairs.frame if most is None or len(pairs) <= most else pairs.frame.sample(most, seed=seed)
    if frame["score" if pairs.graded else "label"].n_unique() < 2:
        what = "rated" if pairs.graded else "labelled"
        raise TermgaugeError(f"The set '{pairs.id}' has no two pairs that are {what} differently; leave it out.")
    return PairSet(pairs.id, frame, pairs.origin)


def _evaluator_of(pairs: PairSet, made: Any, how: dict[str, Any]) -> Any:  # noqa: ANN401
    kind = made.EmbeddingSimilarityEvaluator if pairs.graded else made.BinaryClassificationEvaluator
    columns = ("term_1", "term_2", "score" if pairs.graded else "label")
    return kind(*(pairs.frame[name].to_list() for name in columns), **how)


def _names(sets: Sequence[PairSet], *, named: bool) -> list[str]:
    """Return what the sets are called in the names of values: in short, or by their ids where that is ambiguous."""
    if named and len(sets) == 1:
        return [""]
    short = [
        f"{pairs.origin.kind}_{pairs.origin.difficulty}_{pairs.origin.strategy}"
        if pairs.origin.built
        else pairs.id.removeprefix("human/")
        for pairs in sets
    ]
    for names in (short, [pairs.id for pairs in sets]):
        fit = [re.sub(r"[^\w.-]+", "_", name) for name in names]
        if len(set(fit)) == len(fit):
            return fit
    return [file_name(pairs.id) for pairs in sets]


def _means(values: Sequence[Mapping[str, float]], leading: Sequence[float]) -> dict[str, float]:
    """Return the mean over the sets of each value that several have, and of the value that leads in each set."""
    keys = dict.fromkeys(key for metrics in values for key in metrics if not key.endswith(_NO_MEAN))
    means = {f"{MEAN}_{key}": float(np.mean([metrics[key] for metrics in values if key in metrics])) for key in keys}
    return {**means, MEAN: float(np.mean(leading))}


def _join(name: str, rest: str) -> str:
    return "_".join(filter(None, (name, rest)))
