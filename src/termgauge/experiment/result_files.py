"""The files of values of a run, made again only where the scores, the options or the files themselves have changed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from termgauge.experiment.evaluate import make_results
from termgauge.experiment.run_folder import RESULTS
from termgauge.identity import sha256_of_stream, sha256_of_value

if TYPE_CHECKING:
    from termgauge.experiment.run_folder import RunFolder


def update_results(folder: RunFolder, document: dict[str, Any], alpha: float) -> None:
    """Make the values of a run, if they are not there or out of date.

    Parameters
    ----------
    folder
        The run.
    document
        Its ``run.json``, which then says what the values were made from.
    alpha
        Intervals have level 1 - alpha.

    Raises
    ------
    TermgaugeError
        If there are no scores.
    """
    made_of = [document[name] for name in ("sets", "models", "measures")]
    inputs = sha256_of_value([*made_of, alpha, _score_stamps(folder, document)])
    if document.get("results") == {"inputs": inputs, "files": _hashes(folder)}:
        return
    document.pop("results", None)
    folder.write_results(make_results(folder, document, alpha))
    document["results"] = {"inputs": inputs, "files": _hashes(folder)}
    folder.write_document(document)


def _hashes(folder: RunFolder) -> dict[str, str | None]:
    """Return what is in the files of values, None for one that is not there."""
    found: dict[str, str | None] = {}
    for name in (f"{RESULTS}.csv", f"{RESULTS}.parquet"):
        file = folder.path / name
        found[name] = None
        if file.is_file():
            with file.open("rb") as stream:
                found[name] = sha256_of_stream(stream)
    return found


def _score_stamps(folder: RunFolder, document: dict[str, Any]) -> list[list[object]]:
    """Return whether a file of scores was written again, as far as that can be told without reading it."""
    stamps: list[list[object]] = []
    for model in document["models"]:
        for name in document["sets"]:
            file = folder.scores_file(model, name)
            state = file.stat() if file.is_file() else None
            stamps.append([model, name, state and [state.st_size, state.st_mtime_ns]])
    return stamps
