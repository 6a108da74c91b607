"""The tables of an experiment file: what it is about, and a table for each task.

What a key means is said once, where the option is declared; `termgauge init` writes it into the file as a comment.
"""

from __future__ import annotations

import datetime as dt
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple

from pydantic import AfterValidator, BeforeValidator, Field, create_model

from termgauge.benchmark.options import BuildOptions
from termgauge.engine.trust import address_of
from termgauge.exceptions import TermgaugeError, did_you_mean
from termgauge.options import Options, Place, fields_for
from termgauge.reporting.words import listed
from termgauge.tasks.contract import Testing
from termgauge.tasks.records import ModelDescription
from termgauge.tasks.registry import all_tasks
from termgauge.terminology.options import ReadingOptions

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from termgauge.benchmark.pairset import PairSet
    from termgauge.tasks.contract import AnyTask
    from termgauge.tasks.pairs.task import PairOptions


LONGEST_NAME = 80
MODEL, SIGNIFICANCE = "model", "significance"


def _fit_name(value: str) -> str:
    fit = value.isprintable() and not set(value) & set("/\\") and value == value.strip()
    if not (fit and 0 < len(value) <= LONGEST_NAME):
        raise ValueError(f"must be a name of 1 to {LONGEST_NAME} characters without slashes or control characters")
    return value


Name = Annotated[str, AfterValidator(_fit_name)]


class TerminologyTable(ReadingOptions):
    """A terminology, under a name that the other tables use."""

    name: Name = Field(description="What the other tables call it.", examples=["snomed"])
    source: Annotated[str | Annotated[list[str], Field(min_length=1)], Place()] = Field(
        description="A file, folder or zip; several (an RF2 extension after its edition); or package:NAME/FILE.",
        examples=["SnomedCT.zip"],
    )

    @property
    def sources(self) -> list[str]:
        """All its places."""
        return [self.source] if isinstance(self.source, str) else self.source

    @property
    def reading(self) -> ReadingOptions:
        """How it is read."""
        return self.part(ReadingOptions)


class BenchmarkTable(BuildOptions):
    """Sets of term pairs: built from a terminology, or built before."""

    name: Name | None = Field(
        None,
        description="Its folder under benchmarks/; the name of the terminology if not given.",
        examples=["hard-pairs"],
    )
    terminology: str | None = Field(None, description="Build it from this terminology.", examples=["snomed"])
    folder: Annotated[str | None, Place()] = Field(
        None, description="Or take one that `termgauge build` made.", examples=["built-before"]
    )
    file: Annotated[str | None, Place()] = Field(
        None, description="Or read a table of one's own: TSV or CSV.", examples=["pairs.csv"]
    )
    columns: str = Field(
        "",
        description="The columns of such a table, by name or number: the two terms, and a score or label.",
        examples=["term1,term2,score"],
    )
    seed: int = Field(
        42, ge=0, description="Seed for all random choices; that of the experiment if not given.", examples=[42]
    )
    language: str = Field(
        "en",
        description="The language of the terms; that of the terminology, or English, if not given.",
        examples=["en"],
    )

    @property
    def title(self) -> str:
        """What it is called."""
        return self.name or self.terminology or Path(self.folder or self.file or "").name

    def own_set(self) -> list[PairSet]:
        """Return the pairs of the file that it names, under its name if it has one."""
        from termgauge.benchmark.load import load_sets

        assert self.file is not None
        sets = load_sets(self.file, columns=self.columns)
        return [replace(pairs, id=self.name) if self.name else pairs for pairs in sets]

    def building(self, seed: int, language: str | None) -> BuildOptions:
        """Return the options that it is built with: its own, else those of the experiment and of its terminology."""
        return BuildOptions.model_validate(
            {"seed": seed, "language": language or "en", **self.part(BuildOptions).said()}
        )


class HumanTable(Options):
    """Sets of term pairs that people rated."""

    sets: Literal["all"] | Annotated[list[str], Field(min_length=1)] = Field(
        "all",
        description='"all" that are on this machine, or ids such as ["human/umnsrs-sim"]; `termgauge sets` lists them.',
    )
    data_dir: Annotated[str | None, Place()] = Field(
        None, description="A folder with their files under their public names.", examples=["rated-sets"]
    )
    download: bool = Field(default=False, description="Whether sets named by id may be downloaded.")


Text = Annotated[str, BeforeValidator(lambda value: str(value) if isinstance(value, int | dt.date) else value)]
"""Text that may be given as a number or a date."""


class ModelTable(Options):
    """A model."""

    name: Name | None = Field(
        None, description="What results call it; made from its file if not given.", examples=["PubMed"]
    )
    spec: str = Field(
        min_length=1,
        description="A path, or scheme:location?option=value; see `termgauge models`.",
        examples=["word2vec:vectors/PubMed.bin"],
    )
    date: Text = Field("", description="When it was released, for the report.", examples=["2013"])
    corpus: str = Field("", description="What it was trained on, for the report.", examples=["PubMed"])
    tokens: Text = Field("", description="How many tokens that corpus has, for the report.", examples=["2.9B"])
    method: str = Field("", description="How it was trained, for the report.", examples=["skip-gram, window 5"])
    medical: bool = Field(
        default=False, description="Whether it was trained on medical text: there are averages over such models."
    )
    family: Text = Field(
        "",
        description="The same for models that are variants of one: they are not independent where scores on sets are "
        "correlated with those of a task.",
        examples=["skip-gram"],
    )

    @property
    def description(self) -> ModelDescription:
        """What a report says about it."""
        return ModelDescription.model_validate(self.model_dump(include=set(ModelDescription.model_fields)))

    @property
    def title(self) -> str:
        """What it is called: as it was named, else as made from its file."""
        from termgauge.engine.models import name_of

        return self.name or name_of(self.spec)


class TaskTable(Options):
    """What each table of a repeated task has beside the task's own options."""

    name: Name = Field(description="What the report calls it.", examples=["COPD"])
    terminology: str | None = Field(
        None,
        description="Which terminology it is about; may be left out if there is only one.",
        examples=["snomed"],
    )


class TaskConfig(NamedTuple):
    """What is to be measured: a task, what its table is called, its options, and its terminology."""

    task: AnyTask
    name: str
    options: Options
    terminology: str | None = None
    companion: bool = False
    """Whether the table of another task asks for it."""


class Experiment(Options):
    """A whole experiment, as its file says it."""

    title: str = Field("", description="The title of the report.", examples=["Vectors compared"])
    output: Annotated[str | None, Place()] = Field(
        None,
        min_length=1,
        description="The run folder; the name of this file and -run if not given.",
        examples=["experiment-run"],
    )
    seed: int = Field(42, ge=0, description="Seed for all random choices; 42 gives the published sets.")
    terminology: list[TerminologyTable] = Field([], description="Terminologies.")
    benchmark: list[BenchmarkTable] = Field([], description="Sets built from terminologies.")
    human: HumanTable | None = Field(None, description="Sets rated by people.")
    model: Annotated[list[ModelTable], Field(min_length=1)] = Field(description="Models.")

    if TYPE_CHECKING:
        significance: Testing
        scoring: PairOptions

    @property
    def testing(self) -> Testing:
        """How differences are tested."""
        return Testing().asked(**self.significance.model_dump(exclude_unset=True), seed=self.seed)

    def task_configs(self) -> Iterator[TaskConfig]:
        """Yield what is to be measured, task by task.

        What a table asks for beside its own task comes with it, unless it has a table of its own. Tasks that need sets
        are not asked anything where there are none, unless they can do without.
        """
        wanted: dict[tuple[str, str], TaskConfig] = {}
        beside: dict[tuple[str, str], TaskConfig] = {}
        for task in all_tasks().values():
            content = getattr(self, task.table_name)
            for table in content if task.repeated else [content]:
                options = table.part(task.options)
                name, terminology = (table.name, table.terminology) if task.repeated else (task.name, None)
                wanted[task.name, name] = TaskConfig(task, name, options, terminology)
                for other, same in task.companions(options).items():
                    beside[other, name] = TaskConfig(all_tasks()[other], name, same, terminology, companion=True)
        every = beside | wanted
        if not (self.benchmark or self.human):
            every = {key: config for key, config in every.items() if config.task.keeps}
        order = list(all_tasks())
        first = self.terminology[0].name if self.terminology else None
        for config in sorted(every.values(), key=lambda config: order.index(config.task.name)):
            needed = "terminology" in config.task.needs
            yield config._replace(terminology=(config.terminology or first) if needed else None)


def _table_of(options: type[Options], base: type[Options] = Options) -> type[Options]:
    """Return a table with the fields of some options, without what is for commands alone."""
    fields = {name: (field.annotation, field) for name, field in fields_for(options, "file").items()}
    made: type[Options] = create_model(  # type: ignore[call-overload]
        f"{options.__name__}Table", __base__=base, __doc__=options.__doc__, **fields
    )
    return made


@cache
def experiment_model() -> type[Experiment]:
    """Return the model of a whole file: what is fixed, and a table for each task that there is."""
    more: dict[str, Any] = {}
    for name, table in tables().items():
        if name not in Experiment.model_fields:
            kind, default = (table, table()) if is_single(name) else (list[table], [])  # type: ignore[valid-type]
            more[name] = (kind, Field(default, description=table.__doc__))
    made: type[Experiment] = create_model("Experiment", __base__=Experiment, __doc__=Experiment.__doc__, **more)
    return made


@cache
def tables() -> Mapping[str, type[Options]]:
    """Return the tables of the file by name, in the order in which they are explained."""
    fixed: dict[str, type[Options]] = {
        "terminology": TerminologyTable,
        "benchmark": BenchmarkTable,
        "human": HumanTable,
        MODEL: ModelTable,
        SIGNIFICANCE: _table_of(Testing),
    }
    tasks = all_tasks().values()
    return fixed | {task.table_name: _table_of(task.options, TaskTable if task.repeated else Options) for task in tasks}


def is_single(table: str) -> bool:
    """Say whether there is one table of a name; the others may be repeated."""
    return table in ("human", SIGNIFICANCE) or any(
        task.table_name == table and not task.repeated for task in all_tasks().values()
    )


Where = tuple[str | int, ...]
"""Where something stands in the file: table, number, key."""


def shown(where: Where) -> str:
    """Return what a table is called for people."""
    if not where:
        return "an experiment"
    if len(where) == 1:
        return f"[{where[0]}]"
    return f"[[{where[0]}]] number {int(where[1]) + 1}"


def contradictions(experiment: Experiment) -> Iterator[tuple[Where, str]]:
    """Find what is wrong with an experiment, and where."""
    repeated = [task for task in all_tasks().values() if task.repeated]
    measuring = [task.table_name for task in repeated if not task.reads_run]
    if not (experiment.benchmark or experiment.human or any(getattr(experiment, name) for name in measuring)):
        tables = ["[[benchmark]]", "[human]", *(f"[[{name}]]" for name in measuring)]
        yield (), f"names nothing to measure; add a table {listed(tables, last='or')}"
    for table in ("terminology", "benchmark", "model", *(task.table_name for task in repeated)):
        titled = table in ("benchmark", "model")
        yield from _doubled(table, [entry.title if titled else entry.name for entry in getattr(experiment, table)])
    names = [terminology.name for terminology in experiment.terminology]
    for at, benchmark in enumerate(experiment.benchmark):
        yield from _benchmark(benchmark, ("benchmark", at), names)
    for task in repeated:
        for at, table in enumerate(getattr(experiment, task.table_name)):
            where, options = (task.table_name, at), table.part(task.options)
            if task.needs_terminology(options):
                yield from _reference(table.terminology, where, names, needed=len(names) != 1)
            yield from (((*where, key), f"{shown(where)}: {problem}") for key, problem in options.problems())
    yield from _meaningless(experiment)


def _doubled(table: str, names: Sequence[str]) -> Iterator[tuple[Where, str]]:
    seen: dict[str, int] = {}
    for at, name in enumerate(names):
        # Some file systems do not tell capitals from small letters.
        if name and name.lower() in seen:
            same = f"{shown((table, at))} is called '{name}' like number {seen[name.lower()] + 1}"
            yield (table, at, "name"), f"{same}; give it a 'name' of its own"
        seen.setdefault(name.lower(), at)


def _benchmark(table: BenchmarkTable, where: Where, names: Sequence[str]) -> Iterator[tuple[Where, str]]:
    origins = [name for name in ("terminology", "folder", "file") if getattr(table, name) is not None]
    if len(origins) != 1:
        yield (
            where,
            f"{shown(where)} has either a 'terminology' to build from, the 'folder' of one built before, or a 'file'",
        )
    elif table.terminology is not None:
        yield from _reference(table.terminology, where, names, needed=True)
    elif more := sorted(table.model_fields_set - {"name", *origins, *(["columns"] if table.file else [])}):
        what = "its 'folder' was built before" if table.folder else "its 'file' is read as it is"
        yield (*where, more[0]), f"'{more[0]}' of {shown(where)} is for building, but {what}"


def _reference(name: str | None, where: Where, names: Sequence[str], *, needed: bool) -> Iterator[tuple[Where, str]]:
    if name is None:
        if needed:
            yield where, f"{shown(where)} names no 'terminology'; there are {', '.join(names) or 'none'}"
    elif name not in names:
        guess = did_you_mean(name, names)
        there = f"there are {', '.join(names)}" if names else "add a table [[terminology]]"
        yield (
            (*where, "terminology"),
            f"{shown(where)} names the terminology '{name}', which is not in the file; {there}.{guess}",
        )


def _meaningless(experiment: Experiment) -> Iterator[tuple[Where, str]]:
    """Find values that are of the right form and yet mean nothing."""
    from termgauge.benchmark.human.sets import find_human
    from termgauge.embeddings.spec import ModelSpec
    from termgauge.similarity.measures import USUAL, check_default_measure

    named = experiment.human.sets if experiment.human and experiment.human.sets != "all" else []
    checks: list[tuple[Where, str, Callable[[str], object]]] = [
        *((("model", at, "spec"), model.spec, lambda spec: address_of(ModelSpec.parse(spec)))
          for at, model in enumerate(experiment.model)),
        *((("human", "sets"), name, find_human) for name in named),
        (("significance", "measure"), experiment.significance.measure,
         lambda measure: check_default_measure(measure, USUAL, "best")),
    ]  # fmt: skip
    for where, value, check in checks:
        try:
            check(value)
        except TermgaugeError as error:
            yield where, f"{shown(where[:-1])}: {error}"
