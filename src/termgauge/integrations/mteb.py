"""mteb's models inside termgauge, and termgauge's results inside mteb."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from termgauge.embeddings.encoders.encoding import CachedTermModel
from termgauge.embeddings.libraries import first_line, library
from termgauge.embeddings.model import ModelIdentity
from termgauge.exceptions import TermgaugeError
from termgauge.integrations.dataset_folder import MAIN_SCORES, STS
from termgauge.integrations.export import ExportOptions, ExportRequest
from termgauge.io.identity import library_versions, sha256_of_value

if TYPE_CHECKING:
    import os
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from termgauge.engine.run_folder import RunFolder
    from termgauge.integrations.export import Exported

EXTRA = "mteb"
_SAMPLE = ("heart attack", "myocardial infarction", "broken leg", "Crohn's disease", "2,4-dinitrophenol")
_DECIMALS = 3
_NAMELESS = "no_model_name"


def from_mteb(model: Any, *, name: str | None = None, task: str = STS) -> CachedTermModel:  # noqa: ANN401
    """Return a model of mteb as one of termgauge's, of the kind ``terms``.

    Vectors are made as mteb makes them for a task of some type, with the prompt that the model has for it, and are kept
    on disk like those of other encoders.

    Parameters
    ----------
    model
        An encoder of mteb (anything with its ``encode``), a ``ModelMeta``, the name of a model that mteb knows, or a
        SentenceTransformer.
    name
        What results call it; the name that mteb has for it if not given.
    task
        The type of task whose prompt is used: ``STS`` or ``PairClassification``.

    Returns
    -------
    CachedTermModel
        The model. Its identity names the model's revision, the prompt, and a hash of some of its vectors.

    Raises
    ------
    TermgaugeError
        If mteb is not installed, does not know the model, or the object is no encoder.
    """
    if task not in MAIN_SCORES:
        raise TermgaugeError(f"'{task}' is no type of task for pairs of terms; take {' or '.join(MAIN_SCORES)}.")
    return CachedTermModel(MtebEncoder(_open_encoder(model), name, task))


def write_results(
    run: str | os.PathLike[str] | RunFolder, folder: str | os.PathLike[str], *, force: bool = False
) -> Exported:
    """Write the values of a run's pairs as files that ``mteb.ResultCache(folder)`` reads.

    Parameters
    ----------
    run
        A run folder.
    folder
        Where to; what is there of other models and tasks stays.
    force
        Replace results of the same models and tasks.
    """
    from termgauge.integrations.run_exports import write_mteb_results

    return write_mteb_results(ExportRequest(run, Path(folder), ExportOptions(), force))


class MtebEncoder:
    """An encoder of mteb that encodes texts for one type of task."""

    batch_size = 32

    def __init__(self, model: Any, name: str | None, task: str) -> None:  # noqa: ANN401
        self._model = model
        self._task = _task_metadata(task)
        meta = getattr(model, "mteb_model_meta", None)
        model_name = str(getattr(meta, "name", None) or "")
        model_name = "" if model_name.startswith(_NAMELESS) else model_name
        revision = str(getattr(meta, "revision", None) or "")
        self.name = name or model_name or type(model).__name__
        self.source = f"mteb: {model_name or type(model).__name__}"
        sample = self.encode_batch(_SAMPLE)
        self.dimension = int(sample.shape[1])
        units = sample / np.maximum(np.linalg.norm(sample, axis=1, keepdims=True), 1e-12)
        self.identity = ModelIdentity(
            "terms",
            "mteb",
            sha256_of_value([model_name, revision, (np.round(units, _DECIMALS) + 0.0).tolist()]),
            (("prompt", self._prompt()), ("revision", revision), ("task", task)),
            libraries=tuple(library_versions(["mteb", "sentence-transformers", "torch", "transformers"]).items()),
        )

    def encode_batch(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return the vectors of some texts."""
        from datasets import Dataset
        from torch.utils.data import DataLoader

        inputs: Any = DataLoader(Dataset.from_dict({"text": list(texts)}), batch_size=len(texts))
        made = self._model.encode(
            inputs,
            task_metadata=self._task,
            hf_split="test",
            hf_subset="default",
            batch_size=len(texts),
            show_progress_bar=False,
        )
        if hasattr(made, "detach"):
            made = made.detach().float().cpu().numpy()
        return np.asarray(made, np.float32)

    def _prompt(self) -> str:
        """Return the prompt that the model says that it has for the task; empty if it says none."""
        from mteb.models.abs_encoder import get_prompt

        if getattr(self._model, "instruction_template", None):
            return str(self._model.get_task_instruction(self._task, None))
        return get_prompt(getattr(self._model, "model_prompts", None), self._task, None) or ""


def _open_encoder(model: Any) -> Any:  # noqa: ANN401
    """Return the encoder that is meant."""
    mteb = library("mteb", "from_mteb", EXTRA)
    named = isinstance(model, str)
    if named or isinstance(model, mteb.models.ModelMeta):
        try:
            return mteb.get_model(model) if named else model.load_model()
        except Exception as error:
            called = model if named else model.name
            raise TermgaugeError(f"mteb cannot open the model '{called}' ({first_line(error)}).") from error
    if type(model).__module__.startswith("sentence_transformers"):
        from mteb.models.sentence_transformer_wrapper import SentenceTransformerEncoderWrapper

        return SentenceTransformerEncoderWrapper(model)
    if not callable(getattr(model, "encode", None)):
        raise TermgaugeError(f"An object of the type {type(model).__name__} is no encoder of mteb: it lacks 'encode'.")
    return model


def _task_metadata(task: str) -> Any:  # noqa: ANN401
    from mteb.abstasks.task_metadata import TaskMetadata

    return TaskMetadata(
        name="termgauge",
        description="Similarity of medical terms.",
        dataset={"path": "termgauge", "revision": "none"},
        type=task,  # type: ignore[arg-type, unused-ignore]
        category="t2t",
        eval_langs=["eng-Latn"],
        main_score=MAIN_SCORES[task],
    )
