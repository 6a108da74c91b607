"""What is fixed in a study, and how a later change is noticed: hashes of its tables and the values of its answers.

The record stands beside the study file. Texts may change at any time; the order of pairs may not, and the values of
answers only as long as nobody has answered.
"""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ConfigDict, ValidationError

from termgauge.exceptions import TermgaugeError
from termgauge.io.atomic import write_text
from termgauge.io.identity import version
from termgauge.io.source import read_small
from termgauge.studies.study_file import FIXED, STUDY_FILE

if TYPE_CHECKING:
    from pathlib import Path

    from termgauge.studies.study_file import StudyFile

DESIGN_FILE = "design.json"


class Design(BaseModel):
    """What was fixed when a study was begun."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    study: str
    """The id of the study, which its database has too."""
    termgauge: str
    """The version that drew the layout."""
    source: str
    """What the pairs were read from."""
    fixed: dict[str, Any]
    """The keys of the study file that tell of the layout."""
    values: list[float]
    """The values of the answers."""
    sha256: dict[str, str]
    """Hashes of the tables."""

    @classmethod
    def of(cls, study_id: str, source: str, file: StudyFile, tables: dict[str, bytes]) -> Design:
        """Return what is fixed in a new study with some tables."""
        hashes = {name: hashlib.sha256(content).hexdigest() for name, content in tables.items()}
        return cls(
            study=study_id,
            termgauge=version(),
            source=source,
            fixed={key: getattr(file, key) for key in FIXED},
            values=list(file.values),
            sha256=hashes,
        )

    def write(self, folder: Path) -> None:
        """Write the record into the folder of a study."""
        write_text(folder / DESIGN_FILE, json.dumps(self.model_dump(), ensure_ascii=False, indent=2) + "\n")

    def require_same(self, folder: Path, file: StudyFile) -> None:
        """Refuse a study file that tells of another layout."""
        for key, value in self.fixed.items():
            if getattr(file, key, None) != value:
                raise TermgaugeError(
                    f"{folder / STUDY_FILE}: '{key}' is {getattr(file, key, None)!r}, but the order of pairs was drawn "
                    f"with {value!r}; write that again, or begin another study with termgauge study new."
                )

    def table(self, folder: Path, name: str) -> bytes | None:
        """Return the bytes of a table, which must be as they were written; None if the study has no such table."""
        if name not in self.sha256:
            return None
        try:
            content = (folder / name).read_bytes()
        except FileNotFoundError:
            raise TermgaugeError(f"{folder / name}: is missing; put it back from a copy of the study.") from None
        if hashlib.sha256(content).hexdigest() != self.sha256[name]:
            raise TermgaugeError(
                f"{folder / name}: was changed after the study was begun, so that answers would no longer belong to "
                "their pairs; put it back from a copy, or begin another study with termgauge study new."
            )
        return content


def read_design(folder: Path) -> Design:
    """Return what is fixed in the study in a folder."""
    path = folder / DESIGN_FILE
    try:
        return Design.model_validate_json(read_small(path))
    except FileNotFoundError:
        raise TermgaugeError(
            f"{folder}: holds no study ({DESIGN_FILE} is missing); begin one with termgauge study new."
        ) from None
    except (ValidationError, ValueError):
        raise TermgaugeError(f"{path}: is damaged; put it back from a copy of the study.") from None
    except OSError as error:
        raise TermgaugeError(f"{path}: cannot be read ({error.strerror or error}).") from None
