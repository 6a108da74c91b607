"""What a task is: what it asks of each model, what it says about all of them together, and how that is shown.

The runner, the command line, the plan, the report and the comparison of runs know this contract and no task by name.
A task is declared in its folder's ``task.py``, light enough to be imported for a help text: what is heavy is imported
inside the methods.
"""

from __future__ import annotations

import json
import re
from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Generic, Literal, NamedTuple, TypeVar

from pydantic import AfterValidator, BeforeValidator, Field

from termgauge.exceptions import TermgaugeError
from termgauge.io.identity import file_name
from termgauge.io.store import with_checksum, without_checksum
from termgauge.options import Flag, Names, Options
from termgauge.tasks.results import damage

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from termgauge.benchmark.pairset import PairSet
    from termgauge.embeddings.model import Model
    from termgauge.reporting.blocks import Section
    from termgauge.tasks.changes import ModelChange, TaskChanges
    from termgauge.tasks.records import ModelDescription, ModelRecord, RunView
    from termgauge.tasks.results import Result
    from termgauge.terminology.model import Terminology

O_ = TypeVar("O_", bound=Options)
I_ = TypeVar("I_")
M_ = TypeVar("M_")
R_ = TypeVar("R_", bound="Result")


def _known_measures(names: list[str]) -> list[str]:
    from termgauge.similarity.measures import check_measure

    for name in names:
        try:
            check_measure(name)
        except TermgaugeError as error:
            raise ValueError(f"must be names of measures ({error})") from None
    return names


Measures = Annotated[list[str], AfterValidator(_known_measures)]
"""Names of measures of similarity, as an option."""


def _in_one_text(value: object) -> object:
    """Return measures that are named for kinds of models, as a table or one after another, as one text."""
    if isinstance(value, dict):
        value = [f"{kind}={name}" for kind, name in value.items()]
    return ", ".join(map(str, value)) if isinstance(value, list) else value


StandingMeasure = Annotated[str, BeforeValidator(_in_one_text), Flag(metavar="[KIND=]MEASURE", repeated=True)]
"""A measure that stands for models, or one for each kind of model, as an option."""


RESERVED = frozenset(
    {"title", "output", "seed", "terminology", "benchmark", "human", "model", "significance"}
    | {"benchmarks", "domains", "results", "scores", "sets"}
)
"""What experiment files and run folders use themselves; no task, and no table of one, may be called so."""
_NO_OPTIONS = frozenset({"name", "terminology", "source", "run", "models", "benchmarks", "data_dir"})
"""What tables and verbs have beside the options of a task."""
_NAME = re.compile(r"[a-z][a-z0-9_]*")


class Testing(Options):
    """How differences are tested."""

    alpha: float = Field(
        0.05, gt=0, lt=1, description="The probability of any false claim; intervals have level 1 - alpha."
    )
    correction: Literal["bonferroni", "holm", "none"] = Field(
        "holm", description="Correction for the number of comparisons: holm, bonferroni or none."
    )
    measure: StandingMeasure = Field(
        "usual",
        description="Measure used in the tables: usual (the model's default, cosine), best, or a measure's name; one "
        "for each kind of model as words=fuzzy_jaccard and terms=kendall.",
    )
    statistic: Literal["auc", "accuracy", "ap", "f1", "spearman", "pearson"] = Field(
        "auc",
        description="What sets are compared by. Labelled pairs: auc (area under the ROC curve), accuracy (at the best "
        "threshold), ap (average precision) or f1 (at the best threshold). Rated pairs: spearman or pearson. Sets of "
        "the other kind keep their default, auc or spearman.",
    )
    groups: Annotated[Names, Flag(("--group",), metavar="NAME=SET,SET")] = Field(
        [],
        description="A group of sets over which means are shown, beside the usual ones: its name and ids or patterns.",
        examples=[["mine=human/umnsrs-sim,human/mayosrs"]],
    )
    tests: Literal["robust", "paper"] = Field(
        "robust",
        description="robust: pairs that share a concept or a word are not taken as independent; paper: accuracy, "
        "McNemar's test, BCa intervals and Bonferroni's correction, as Schulz & Juric (2020) tested.",
    )
    min_coverage: float = Field(
        0.5,
        ge=0,
        le=1,
        description="Models that score a smaller share of a set's pairs are shown on their own pairs alone and take no "
        "part in the shared ones.",
    )
    family: Literal["set", "run"] = Field(
        "set", description="Which comparisons are corrected together: those of a set, or those of all sets of the run."
    )
    margin: float = Field(
        0.02, gt=0, description="Differences smaller than this do not matter: models that differ by less are the same."
    )
    resamples: int | None = Field(
        None,
        ge=100,
        description="Bootstrap resamples of differences of rho by the tests of the paper; as many as their level "
        "takes if not given.",
        examples=[100_000],
    )
    seed: Annotated[int, Flag(where="command")] = Field(42, ge=0, description="Seed for all random choices.")

    def asked(self, **values: Any) -> Testing:  # noqa: ANN401
        """Return it with what was asked for; None means that nothing was said.

        The tests of the paper come with its statistics and its correction, unless others are asked for, too.
        """
        fields = {self.field_of(name): value for name, value in values.items() if value is not None}
        published = {"statistic": "accuracy", "correction": "bonferroni"} if fields.get("tests") == "paper" else {}
        return Testing.of(**{**self.model_dump(), **published, **fields})


@dataclass(frozen=True)
class Material:
    """What a task works on, besides its options."""

    name: str = ""
    """What a run calls it; empty outside of runs."""
    terminology: Terminology | None = None
    sets: tuple[PairSet, ...] = ()
    testing: Testing = field(default_factory=Testing)
    data_dir: Path | None = None
    """A folder with human-rated sets."""
    run: RunView | None = None
    """The run folder; None outside of runs."""
    instead: Path | None = None
    """A file that stands for a run folder, for a task that takes one."""
    models: Mapping[str, Callable[[], Model]] = field(default_factory=dict)
    """How to open each model, for what needs two of them at once."""
    apart: str = ""
    """A folder of its own for its files, where a table of another task has the same name."""

    def file(self, folder: str) -> Path | None:
        """Return where something of this name is kept in a folder of the run; None outside of runs."""
        return self.run.path / folder / self.apart / f"{file_name(self.name)}.json" if self.run is not None else None


@dataclass(frozen=True)
class About:
    """What sections say beside the result itself."""

    name: str = ""
    """What the run calls it."""
    baselines: Mapping[str, str] = field(default_factory=dict)
    """Models that know no medicine, and what each is."""
    failures: Mapping[str, str] = field(default_factory=dict)
    """Models that were left out or did not finish, each with the reason."""
    described: Mapping[str, ModelDescription] = field(default_factory=dict)
    """What the experiment file says about models."""


class Citation(NamedTuple):
    """What a method is used for, and where it was published."""

    use: str
    citation: str


def imported(location: str) -> Any:  # noqa: ANN401
    """Return an attribute that is the class at ``module:Class``, which is imported when somebody asks for it."""
    return property(lambda _task: resolve_name(location))


def calling(location: str) -> Any:  # noqa: ANN401
    """Return a method that is the function at ``module:function``, which is imported when somebody calls it.

    The function takes what the method takes, but for the task itself.
    """
    return lambda _task, *arguments: resolve_name(location)(*arguments)


def _numbers_from_1(numbers: list[int]) -> list[int]:
    if not numbers or min(numbers) < 1:
        raise ValueError("must be whole numbers, each at least 1")
    return list(dict.fromkeys(numbers))


Ks = Annotated[list[int], AfterValidator(_numbers_from_1)]
"""How many of the nearest are looked at, several numbers in the order in which they were given, as an option."""
AscendingKs = Annotated[Ks, AfterValidator(sorted)]


class Task(ABC, Generic[O_, I_, M_, R_]):
    """Something that termgauge measures."""

    name: ClassVar[str]
    """Of its command, its table in an experiment file, and its folder in a run: small letters, digits, underscores."""
    title: ClassVar[str]
    """Of its step in a run."""
    question: ClassVar[str]
    """What it does, as one sentence: the first line of the command's help."""
    explanation: ClassVar[str] = ""
    """What its numbers mean: the rest of the help."""
    example: ClassVar[str] = ""
    """A command that a reader could give."""
    options: type[O_]
    table: ClassVar[str] = ""
    """Of an experiment file, where it is not the name."""
    repeated: ClassVar[bool] = True
    """Whether an experiment may have several; else there is one, which is done without being asked for."""
    needs: ClassVar[frozenset[Literal["terminology", "sets", "run"]]] = frozenset()
    """What it works on; one that needs the run is a `RunTask`."""
    testing: ClassVar[tuple[str, ...]] = ("alpha", "correction", "margin", "seed")
    """Which options of tests its result depends on."""
    command: ClassVar[bool] = True
    """Whether it has a command and a Python verb of its name."""
    without_models: ClassVar[bool] = False
    """Whether it has something to say if no model is named."""
    kept_in: ClassVar[str] = ""
    """The folder of a run in which `measure` itself keeps what it makes, in a folder for each model; if there is none,
    the run keeps what is measured."""
    seconds: ClassVar[float] = 3.0
    """About how long a model takes, for the plan."""
    parts_called: ClassVar[str] = ""
    """What the `parts` are, such as ``trials``, of a task that measures a model in several. Its command and its verb
    keep each part as soon as it is done, can put them into a run folder, and can measure several at once."""
    citations: ClassVar[tuple[Citation, ...]] = ()
    version: ClassVar[int] = 1
    """Raised whenever it measures something else, so that what runs have kept is measured again."""

    def __init__(self) -> None:
        """Check what is declared, so that a task that lacks something is refused where it is made."""
        lacking = [
            attribute for attribute in ("name", "title", "question", "options") if not getattr(self, attribute, None)
        ]
        if lacking:
            raise TypeError(f"{type(self).__name__} must declare {', '.join(lacking)}.")
        for name in (self.name, self.table_name):
            if not _NAME.fullmatch(name) or name in RESERVED:
                raise TypeError(f"A task cannot be called '{name}': use small letters, digits and underscores, and no "
                                f"name that termgauge uses itself ({', '.join(sorted(RESERVED))}).")  # fmt: skip
        for name, option in self.options.model_fields.items():
            if not option.description or name in _NO_OPTIONS:
                raise TypeError(f"The option '{name}' of the task '{self.name}' needs "
                                f"{'another name' if option.description else 'a description'}.")  # fmt: skip

    @property
    @abstractmethod
    def measured_type(self) -> type[M_]:
        """What `measure` returns: anything that pydantic can write as JSON and read back."""

    @property
    @abstractmethod
    def result_type(self) -> type[R_]:
        """What `combine` returns."""

    @abstractmethod
    def inputs(self, options: O_, material: Material) -> I_:
        """Make what all models are measured on."""

    def identity(self, inputs: I_, options: O_) -> object:  # noqa: ARG002
        """Return what the inputs are beyond options, terminology and sets, as JSON-like values.

        A task with options that name files returns what these hold, so that it does not matter where they lie.
        """
        return None

    def check(self, options: O_) -> None:
        """Find out what would fail, before anything is measured: raise for a table that it cannot use."""

    def check_libraries(self, options: O_) -> None:
        """Raise if a library is not installed without which no model can be measured."""

    def needs_terminology(self, options: O_) -> bool:  # noqa: ARG002
        """Say whether it cannot do without a terminology."""
        return "terminology" in self.needs

    def fits(self, kind: str, scheme: str) -> bool:  # noqa: ARG002
        """Say whether a kind of model can be measured at all; others are passed over in silence."""
        return True

    @abstractmethod
    def measure(self, model: Model, inputs: I_, options: O_) -> M_:
        """Measure one model."""

    def parts(self, inputs: I_, options: O_) -> Mapping[str, object]:  # noqa: ARG002
        """Return in which parts a model is measured, each a unit of work that is kept by itself; one, if not said.

        A part has a name, and says what it is made from, as JSON-like values; None stands for all inputs and options.
        """
        return {"": None}

    def named(self, options: O_) -> str:  # noqa: ARG002
        """Return what a run calls it where its command puts it there."""
        return self.name

    def on_gpu(self, options: O_) -> bool:
        """Say whether it asks for a GPU itself, beside what a model's vectors are made on."""
        return getattr(options, "device", "cpu") != "cpu"

    def part_seconds(self, part: str, inputs: I_, options: O_) -> float:  # noqa: ARG002
        """Return about how long a part of a model takes, for the plan."""
        return self.seconds

    def measure_parts(self, model: Model, inputs: I_, options: O_, parts: Sequence[str]) -> Iterator[M_]:  # noqa: ARG002
        """Measure some parts of a model, and yield each in turn as soon as it is done."""
        yield self.measure(model, inputs, options)

    def joined(self, measured: Sequence[M_]) -> M_:
        """Bring what was measured of a model in parts together."""
        (whole,) = measured
        return whole

    def left(self, model: Model, inputs: I_, options: O_) -> list[str]:  # noqa: ARG002
        """Return which parts of the inputs are still to be measured, for a task that itself keeps what it makes."""
        return []

    @abstractmethod
    def combine(self, measured: Mapping[str, M_], inputs: I_, options: O_) -> R_:
        """Say what needs all models: shared items, intervals, tests."""

    def sections(self, result: R_, about: About) -> Iterator[Section]:
        """Return the sections that show a result; a plain table of its values if a task has nothing better."""
        from termgauge.tasks.shown import section_of_values

        yield section_of_values(self, list(result.values()), about.name)

    def paper_sections(self, result: R_) -> Iterator[Section]:  # noqa: ARG002
        """Return sections for papers alone, in the layout of the paper that a method comes from."""
        yield from ()

    def cited(self, result: R_) -> Iterator[Citation]:  # noqa: ARG002
        """Return what to cite for the methods."""
        yield from self.citations

    def changes(
        self,
        runs: tuple[RunView, RunView],
        names: Sequence[str],
        models: Sequence[ModelChange],
        testing: Testing,  # noqa: ARG002
    ) -> TaskChanges:
        """Return what changed between two runs."""
        from termgauge.tasks.changes import plain_changes

        return plain_changes(self, runs, names if self.repeated else [self.name], models)

    def companions(self, options: O_) -> dict[str, Options]:  # noqa: ARG002
        """Return other tasks that a table of an experiment asks for at the same time, by their names."""
        return {}

    def record(self, model: Model, measured: M_) -> ModelRecord:  # noqa: ARG002
        """Return what a run remembers of a model that was measured."""
        from termgauge.tasks.records import ModelRecord

        return ModelRecord.of(model)

    def save(self, result: R_, folder: Path, name: str, identity: object) -> None:
        """Write a result into a run folder, with what it was made from."""
        from termgauge.io.atomic import write_text

        named = {"name": name, **result.as_dict(), "identity": identity}
        write_text(self.file(folder, name), with_checksum(json.dumps(named, ensure_ascii=False, indent=2)) + "\n")

    def load(self, run: RunView, name: str) -> R_ | None:
        """Read a result from a run folder; None if it is not there."""
        path = self.file(run.path, name)
        if not path.is_file():
            return None
        try:
            return self.result_type.model_validate_json(without_checksum(path.read_bytes()))
        except (OSError, ValueError) as error:
            raise TermgaugeError(f"{path}: cannot be read ({damage(error)}); delete it and run again.") from None

    def discard(self, folder: Path, name: str) -> None:
        """Delete a result from a run folder."""
        self.file(folder, name).unlink(missing_ok=True)

    def file(self, folder: Path, name: str) -> Path:
        """Return where a result lies in a run folder."""
        return folder / self.name / f"{file_name(name)}.json" if self.repeated else folder / f"{self.name}.json"

    def called(self, name: str) -> str:
        """Return what messages call a table of it."""
        return f"{self.name} {name}" if self.repeated else self.table_name

    @property
    def keeps(self) -> bool:
        """Whether a run keeps what was measured of each model."""
        return not self.kept_in

    @property
    def reads_run(self) -> bool:
        """Whether it reads what the other tasks of a run found, instead of measuring models."""
        return "run" in self.needs

    @property
    def table_name(self) -> str:
        """The name of its table in an experiment file."""
        return self.table or self.name


class RunTask(Task[O_, I_, None, R_]):
    """A task that measures no model: it reads what the others of a run found, and comes after all of them.

    `inputs` reads `material.run`, with `termgauge.tasks.registry` what other tasks found. `identity` returns what was
    read, so that a run brings the result together anew only if that has changed. `combine` gets no measured model. The
    first argument of its command and of its Python verb is a run folder, into which neither writes.
    """

    needs = frozenset({"run"})
    instead: ClassVar[str] = ""
    """What its command also takes in place of a run folder, as a part of a sentence: a file in `material.instead`."""

    @property
    def takes(self) -> str:
        """What its command takes, as a sentence."""
        return f"A run folder, made by termgauge run or evaluate{f'; or {self.instead}' if self.instead else ''}."

    @property
    def measured_type(self) -> type[None]:
        """Nothing is measured."""
        return type(None)

    @abstractmethod
    def identity(self, inputs: I_, options: O_) -> object:
        """Return what was read, or a hash of it, as JSON-like values."""

    def measure(self, model: Model, inputs: I_, options: O_) -> None:  # noqa: ARG002
        """Refuse: nobody asks it."""
        raise TypeError(f"The task '{self.name}' measures no model.")


AnyTask = Task[Any, Any, Any, Any]
