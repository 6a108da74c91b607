"""What results are: records that are written as JSON and read back, and every number in them in one form."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, InstanceOf, PlainSerializer, ValidationError

from termgauge.display import Showing
from termgauge.statistics.comparison import Joint

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Self

    import polars as pl

    from termgauge.reporting.blocks import Section
    from termgauge.statistics.comparison import Difference

_MOST_NAMED = 4


def finite(value: Any) -> Any:  # noqa: ANN401
    """Return a value as JSON has it: null where a number is undefined or infinite, lists for tuples."""
    if isinstance(value, tuple):
        return [finite(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


Finite = Annotated[float | None, BeforeValidator(finite)]
"""A number, or None where it is undefined; JSON has no other way to say it."""
Ends = tuple[Finite, Finite]
"""The ends of an interval."""


class Record(BaseModel):
    """Values that are written as JSON and read back; what a later version adds is passed over."""

    model_config = ConfigDict(frozen=True, extra="ignore", arbitrary_types_allowed=True, defer_build=True)


def damage(error: OSError | ValueError) -> str:
    """Say in a few words why a record cannot be read."""
    if not isinstance(error, ValidationError):
        return (isinstance(error, OSError) and error.strerror) or str(error)
    first = error.errors()[0]
    location = ".".join(map(str, first["loc"]))
    return f"'{location}': {first['msg']}" if location else first["msg"]


class DifferenceRecord(Record):
    """The difference of two models, tested."""

    one: str
    other: str
    difference: Finite
    low: Finite
    high: Finite
    p_value: Finite
    adjusted_p: Finite
    significant: bool

    @property
    def about(self) -> tuple[str, str]:
        """The item and the statistic in which they differ, as :class:`Value` names them."""
        return "", ""

    @property
    def value(self) -> float:
        """The difference as tests return it."""
        return math.nan if self.difference is None else self.difference

    @classmethod
    def of(cls, difference: Difference, **more: Any) -> Self:  # noqa: ANN401
        """Return a difference as results name its parts."""
        names = "one", "other", "low", "high", "p_value", "adjusted_p", "significant"
        return cls(difference=difference.value, **{name: getattr(difference, name) for name in names}, **more)


class DifferenceAtK(DifferenceRecord):
    """The difference of two models in a statistic that looks at some number of nearest ones, or at none."""

    statistic: str
    k: int | None

    @property
    def about(self) -> tuple[str, str]:
        """The number and the statistic."""
        return at_k(self.k), self.statistic


def at_k(k: int | None) -> str:
    """Return what a value at some k is about."""
    return f"k = {k}" if k else ""


def _joint_of(value: Any) -> Any:  # noqa: ANN401
    return Joint.from_dict(value) if isinstance(value, dict) else value


JointRecord = Annotated[InstanceOf[Joint], PlainSerializer(Joint.as_dict), BeforeValidator(_joint_of)]
"""The verdict of a task, with the ranking and the differences that it says in words."""


class Value(NamedTuple):
    """One number that a task found of a model, for tables of all numbers and for the comparison of runs."""

    model: str
    statistic: str
    value: float | None
    low: float | None = None
    high: float | None = None
    n: int | None = None
    """How many items it rests on."""
    item: str = ""
    """What it is about, where a task asks several things of a model: a relation, a measure, a set."""
    better: Literal["higher", "lower", ""] = "higher"
    """Which values are better; nothing where neither is."""


def frame_of(values: Iterable[Value]) -> pl.DataFrame:
    """Return values as a tidy table."""
    import polars as pl

    text, number = pl.String, pl.Float64
    kinds = (text, text, number, number, number, pl.Int64, text, text)
    return pl.DataFrame(list(values), schema=dict(zip(Value._fields, kinds, strict=True)), orient="row")


class Result(Showing, Record):
    """What a task found about all models: typed, as ``--json`` prints it and as the run folder keeps it."""

    name: str = Field("", exclude_if=lambda name: not name)
    """What a run calls it; empty outside of runs."""
    left_out: list[str] = Field(default_factory=list)
    """Models that could not be used, each with the reason."""
    identity: Annotated[dict[str, Any], BeforeValidator(lambda value: value if isinstance(value, dict) else {})] = (
        Field(default_factory=dict, exclude=True, repr=False)
    )
    """What a run made it from: a hash of the inputs, and the keys of the models; empty outside of runs, and where
    version 0.1.0 wrote it otherwise."""

    joint: JointRecord | None = Field(None, exclude_if=lambda joint: joint is None)
    """Which model is best by the main statistic, and how sure that is; None where nothing is compared."""

    def values(self) -> Iterator[Value]:
        """Yield every number that was found."""
        yield from ()

    def main_comparison(self) -> Joint | None:
        """Return the verdict by the main statistic; None where nothing is compared."""
        return self.joint

    def to_frame(self) -> pl.DataFrame:
        """Return every number that was found as a tidy table."""
        return frame_of(self.values())

    def as_dict(self) -> dict[str, Any]:
        """Return it as JSON has it."""
        return self.model_dump(mode="json")

    def _brief(self) -> str:
        models = list(dict.fromkeys(value.model for value in self.values()))
        named = ", ".join(models) if len(models) <= _MOST_NAMED else f"{len(models)} models"
        return f"{type(self).__name__}{f' {self.name!r}' if self.name else ''}{f': {named}' if named else ''}"

    def _shown(self) -> Iterator[Section]:
        from termgauge.tasks.contract import About
        from termgauge.tasks.registry import all_tasks

        tasks = (task for task in all_tasks().values() if type(self) is task.result_type)
        return (section for task in tasks for section in task.sections(self, About(self.name)))
