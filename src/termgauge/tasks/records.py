"""What a run remembers of each model and each set: enough to know them again and to tell how they were made."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import ConfigDict, Field, field_validator

from termgauge.benchmark.sets import ALL_SETS, Origin
from termgauge.embeddings.model import Kind
from termgauge.reporting.set_names import BASELINES
from termgauge.tasks.contract import Testing
from termgauge.tasks.results import Finite, Record

if TYPE_CHECKING:
    from termgauge.benchmark.pairset import PairSet
    from termgauge.embeddings.model import Model


class Ceiling(Record):
    """How far a model's correlation with mean ratings can be expected to go at most, given how raters agree."""

    value: float
    low: Finite = None
    high: Finite = None
    raters: int

    @classmethod
    def of(cls, pairs: PairSet) -> Ceiling | None:
        """Return the ceiling of a set; None if it is not known what each rater said, or it cannot be told."""
        if pairs.ratings is None:
            return None
        import numpy as np

        from termgauge.statistics.agreement import Rated
        from termgauge.statistics.reliability import reliability_of

        table = pairs.ratings.to_numpy()
        items, raters = np.nonzero(~np.isnan(table))
        result = reliability_of(Rated.from_ratings(raters, items, table[items, raters], n_items=len(table)))
        count = len(np.unique(raters))
        return (
            None
            if np.isnan(result.ceiling)
            else cls(value=result.ceiling, low=result.interval.low, high=result.interval.high, raters=count)
        )


class SetRecord(Record):
    """A set of term pairs."""

    sha256: str
    pairs: int
    graded: bool = False
    concepts: int = 0
    """How many different ones its pairs have; 0 if they are not known."""
    origin: Origin | None = None
    """None in runs of version 0.1.0."""
    ceiling: Ceiling | None = Field(None, exclude_if=lambda ceiling: ceiling is None)
    """Of rated sets of which it is known what each rater said."""

    @field_validator("origin")
    @classmethod
    def _known(cls, origin: Origin | None) -> Origin | None:
        if origin is not None and origin.built and (origin.kind, origin.difficulty, origin.strategy) not in ALL_SETS:
            raise ValueError("must be a set that termgauge builds")
        return origin

    @classmethod
    def of(cls, pairs: PairSet, *, ceiling: bool = False) -> SetRecord:
        """Describe a set; on request with its ceiling, which takes a moment."""
        about = {"sha256": pairs.sha256, "pairs": len(pairs), "graded": pairs.graded}
        estimate = Ceiling.of(pairs) if ceiling else None
        return cls(**about, concepts=pairs.different_concepts, origin=pairs.origin, ceiling=estimate)


class ModelRecord(Record):
    """A model: its identity, where it came from, and which system of concept ids each set was scored with."""

    model_config = ConfigDict(populate_by_name=True, serialize_by_alias=True)

    key: str = ""
    kind: Kind
    scheme: str = ""
    source: str = ""
    options: dict[str, str] = Field(default_factory=dict)
    words: str = ""
    libraries: dict[str, str] = Field(default_factory=dict)
    origin: str = Field("", alias="from")
    concept_ids: dict[str, str] = Field(default_factory=dict)

    @classmethod
    def of(cls, model: Model) -> ModelRecord:
        """Describe a model."""
        return cls.model_validate({**model.identity.as_dict(), "from": model.source})

    @property
    def baseline(self) -> str:
        """What a model that knows no medicine is; nothing for others."""
        return BASELINES.get(self.scheme, "a baseline" if self.scheme.startswith("baseline") else "")


class ModelDescription(Record):
    """What an experiment file says about a model, for tables such as A.1 of Schulz & Juric (2020)."""

    date: str = ""
    corpus: str = ""
    tokens: str = ""
    method: str = ""
    medical: bool = False
    family: str = ""


@dataclass(frozen=True)
class RunView:
    """A run folder as tasks see it: where it is, and which models and sets it is about."""

    path: Path
    models: Mapping[str, ModelRecord] = field(default_factory=dict)
    sets: Mapping[str, SetRecord] = field(default_factory=dict)
    measures: tuple[str, ...] = ()
    """Those that count; all if none is named."""
    testing: Testing = field(default_factory=Testing)
    tasks: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """By task, what its tables are called."""
    failures: Mapping[str, str] = field(default_factory=dict)
    """Models that were left out or did not finish, each with the reason."""
    families: Mapping[str, str] = field(default_factory=dict)
    """Of models that are variants of one, as the experiment file names them."""
    tested_anew: bool = False
    """Whether differences are tested otherwise than when the values were made."""
