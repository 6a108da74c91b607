"""The Python verbs of tasks, ``tg.coverage(…)`` and the like: keywords are the options that the task declares."""

from __future__ import annotations

import inspect
from functools import cache
from os import PathLike
from pathlib import Path
from tempfile import TemporaryDirectory
from types import UnionType
from typing import TYPE_CHECKING, Annotated, Any, Union, get_args, get_origin
from uuid import uuid4

from termgauge.cluster.connect import use_client
from termgauge.engine.models import by_name, name_of, named_models, open_models, say_skipped
from termgauge.engine.run_folder import RunFolder, RunRecord, open_run
from termgauge.engine.session import RunSession, work_off
from termgauge.engine.units import BoundTask, Unit, Work, joined
from termgauge.exceptions import TermgaugeError, warn
from termgauge.executor import current_executor
from termgauge.io.paths import expanded
from termgauge.options import Options, fields_for, renamed, several, split
from termgauge.tasks.contract import Material, RunTask, Testing
from termgauge.tasks.pairs.scored import ScoredSets
from termgauge.tasks.records import SetRecord
from termgauge.tasks.registry import task_of
from termgauge.terminology.model import Terminology
from termgauge.terminology.options import ReadingOptions

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from termgauge.embeddings.model import Model
    from termgauge.engine.units import Outcome
    from termgauge.io.tables import Columns
    from termgauge.tasks.contract import AnyTask
    from termgauge.tasks.results import Result

_P = inspect.Parameter
_FIXED = ("run", "source", "models", "benchmarks", "columns", "data_dir", "out", "jobs", "client", "shared")
"""Keywords of verbs that are no options."""
_FLAGS = {"model": "models", "benchmark": "benchmarks", "terminology": "source"}
"""What flags of commands call some of them."""


def measure(
    task: AnyTask,
    options: Options,
    testing: Testing,
    models: object,
    *,
    source: Any = None,  # noqa: ANN401
    reading: ReadingOptions | None = None,
    benchmarks: Any = (),  # noqa: ANN401
    columns: Columns = (),
    data_dir: Path | None = None,
    out: Path | None = None,
    jobs: int = 1,
    client: Any = None,  # noqa: ANN401
    shared: bool = False,
) -> Result:
    """Measure models outside of a run; a task that measures in parts can add them to a run, and do several at once."""
    from termgauge.benchmark.load import load_sets

    with use_client(client, shared=shared):
        if out is not None:
            return _added(task, options, testing, by_name(models), RunFolder(out), jobs)
        given = named_models(models)
        opened, unopened = open_models(given) if given or not task.without_models else ({}, [])
        material = Material(
            terminology=_terminology(source, reading) if "terminology" in task.needs else None,
            sets=tuple(load_sets(benchmarks, columns=columns, data_dir=data_dir)) if several(benchmarks) else (),
            testing=testing,
            data_dir=data_dir,
            models={name: lambda model=model: model for name, model in opened.items()},  # type: ignore[misc]
        )
        bound = BoundTask.from_material(task, options, material)
        units = [Unit(name, tuple(bound.parts)) for name in opened]
        with TemporaryDirectory(prefix="termgauge-") as folder:
            work = None
            if (jobs > 1 or current_executor()) and all(isinstance(model, str) for _name, model in given):
                specs = {name or name_of(model): str(model) for name, model in given}
                work = _work(bound, material, specs, source, reading, folder)
            done = work_off(bound, units, material.models, work, jobs)
        return _result(bound, done, unopened)


def _terminology(source: Any, reading: ReadingOptions | None) -> Terminology | None:  # noqa: ANN401
    from termgauge.terminology import read_terminology

    if source is None:
        return None
    return read_terminology(source, **(reading or ReadingOptions()).model_dump(exclude_unset=True))


def _result(bound: BoundTask, done: Sequence[Outcome], unopened: Sequence[str]) -> Result:
    """Say what became of units, and bring together what was measured."""
    failed: dict[str, str] = {}
    for outcome in done:
        if outcome.worker:
            bound.keep(outcome)
        for note in outcome.notes:
            warn(note)
        if outcome.failure is not None:
            failed.setdefault(outcome.model, f"{outcome.model}: {outcome.failure.reason}")
    measured = {name: each for name, each in joined(bound.task, done).items() if name not in failed}
    if failed and not measured:
        raise TermgaugeError(list(failed.values())[-1])
    say_skipped(failed)
    result: Result = bound.task.combine(measured, bound.inputs, bound.options)
    return result.model_copy(update={"left_out": [*unopened, *failed.values()]})


def _work(
    bound: BoundTask,
    material: Material,
    specs: Mapping[str, str],
    source: Any,  # noqa: ANN401
    reading: ReadingOptions | None,
    folder: str,
) -> Work | None:
    """Return what is asked in a form that workers understand, given a folder for the sets; None if they cannot."""
    terminology = None
    if material.terminology is not None:
        if isinstance(source, Terminology):
            return None
        places = [source] if isinstance(source, str | PathLike) else list(source)
        plain = (reading or ReadingOptions()).model_dump_json()
        terminology = tuple(map(str, places)), plain, material.terminology.identity.sha256
    if material.sets:
        for pairs in material.sets:
            ScoredSets(Path(folder)).write_set(pairs)
        RunFolder(Path(folder)).write(RunRecord(sets={pairs.id: SetRecord.of(pairs) for pairs in material.sets}))
    return Work(
        bound.task.name,
        "",
        bound.options.model_dump_json(),
        material.testing.model_dump_json(),
        folder if material.sets else "",
        tuple((pairs.id, pairs.sha256) for pairs in material.sets),
        terminology,
        str(material.data_dir) if material.data_dir else None,
        tuple(specs.items()),
        uuid4().hex,
    )


def _added(
    task: AnyTask,
    options: Options,
    testing: Testing,
    models: Mapping[str, str | Model],
    run: RunFolder,
    jobs: int,
) -> Result:
    """Measure models and add the result to a run folder, which is made if it is not there."""
    _ = run.record()  # one that is damaged is said before work is done
    name = task.named(options)
    with run.at_work():
        record = run.record()
        record = record if record.models else record.made_now(testing)
        names = dict.fromkeys([*record.tasks.get(task.name, ()), name])
        failures = {each: failure for each, failure in record.failures.items() if each not in models}
        measuring = RunSession(run, record, models, jobs, failures=failures, adds=True)
        measuring.write(tasks={**record.tasks, task.name: list(names)})
        measuring.measure(task, options, Material(name, testing=testing, run=run.scored(testing)))
        result: Result | None = task.load(run.scored(), name)
    assert result is not None
    failed = [f"{each}: {measuring.failures[each].reason}" for each in models if each in measuring.failures]
    return result.model_copy(update={"left_out": failed})


def read(
    task: AnyTask,
    options: Options,
    said: Mapping[str, Any],
    run: Any,  # noqa: ANN401
    *,
    source: Any = None,  # noqa: ANN401
    reading: ReadingOptions | None = None,
) -> Result:
    """Let a task read a run that is there, or what it takes in its place; nothing is written.

    What `said` does not say of how to test is as in the run.
    """
    terminology = _terminology(source, reading)
    if isinstance(task, RunTask) and task.instead and not isinstance(run, RunFolder) and not expanded(run).is_dir():
        if not expanded(run).exists():
            raise TermgaugeError(f"{run}: there is no such file or folder; name a run folder, or {task.instead}.")
        material = Material(terminology=terminology, testing=Testing.of(**said), instead=expanded(run))
    else:
        opened = open_run(run)
        testing = Testing.of(**{**opened.record().testing.model_dump(), **said})
        material = Material(terminology=terminology, testing=testing, run=opened.scored(testing))
    result: Result = task.combine({}, task.inputs(options, material), options)
    return result


@cache
def verb(name: str) -> Callable[..., Result]:
    """Return the Python function of a task, with a signature and a docstring from its declaration."""
    task = task_of(name)
    kinds = _kinds(task)

    def function(*given: Any, **keywords: Any) -> Result:  # noqa: ANN401
        keywords = renamed(keywords, {flag: each for flag, each in _FLAGS.items() if each in signature.parameters})
        own = {each: value for each, value in keywords.items() if each in signature.parameters}
        bound = signature.bind(*given, **own).arguments
        fixed = {each: bound.pop(each) for each in _FIXED if each in bound and each not in task.options.model_fields}
        shares = split(
            bound | {each: keywords[each] for each in keywords if each not in own},
            *kinds,
            fields=lambda kind: keywords_of(task, kind),
        )
        made = {kind: kind.of(**share) for kind, share in zip(kinds, shares, strict=True)}
        reading: ReadingOptions | None = made.get(ReadingOptions)  # type: ignore[assignment]
        tested = made.get(Testing) or Testing()
        if task.reads_run:
            said = tested.model_dump(exclude_unset=True)
            return read(task, made[task.options], said, fixed.pop("run"), reading=reading, **fixed)
        folders: dict[str, Any] = {each: Path(fixed.pop(each)) for each in ("data_dir", "out") if fixed.get(each)}
        return measure(
            task,
            made[task.options],
            tested,  # type: ignore[arg-type]
            fixed.pop("models", ()),
            reading=reading,
            **folders,
            **fixed,
        )

    signature = _signature(task)
    function.__name__ = function.__qualname__ = name
    function.__signature__ = signature  # type: ignore[attr-defined]
    function.__doc__ = _docstring(task)
    return function


def _kinds(task: AnyTask) -> list[type[Options]]:
    """Return the declarations that a verb takes keywords of."""
    kinds: list[type[Options]] = [task.options]
    kinds += [Testing] if task.testing else []
    return kinds + ([ReadingOptions] if "terminology" in task.needs else [])


def keywords_of(task: AnyTask, kind: type[Options]) -> dict[str, Any]:
    """Return the fields of a declaration that a task's verb and command have."""
    fields = fields_for(kind, "command")
    return {name: field for name, field in fields.items() if kind is not Testing or name in task.testing}


def _signature(task: AnyTask) -> inspect.Signature:
    """Return a signature: what is worked on, what a task cannot do without, the models, then options by name."""
    fields = fields_for(task.options, "command")
    needed = [name for name, field in fields.items() if field.is_required()]
    terminology = "terminology" in task.needs
    first = ["run"] if task.reads_run else ["source"] if terminology else []
    parameters = [_P(name, _P.POSITIONAL_OR_KEYWORD) for name in first]
    parameters += [_P(name, _P.POSITIONAL_OR_KEYWORD, annotation=_type(fields[name].annotation)) for name in needed]
    if not task.reads_run:
        some = _P("models", _P.POSITIONAL_OR_KEYWORD)
        parameters.append(some.replace(default=()) if task.without_models else some)
    elif terminology:
        parameters.append(_P("source", _P.KEYWORD_ONLY, default=None))
    if "sets" in task.needs:
        parameters.append(_P("benchmarks", _P.POSITIONAL_OR_KEYWORD, default=()))
        parameters.append(_P("columns", _P.KEYWORD_ONLY, default=()))
        parameters.append(_P("data_dir", _P.KEYWORD_ONLY, default=None))
    if task.parts_called:
        parameters.append(_P("out", _P.KEYWORD_ONLY, default=None))
        parameters.append(_P("jobs", _P.KEYWORD_ONLY, default=1, annotation=int))
    if not task.reads_run:
        parameters.append(_P("client", _P.KEYWORD_ONLY, default=None))
        parameters.append(_P("shared", _P.KEYWORD_ONLY, default=False, annotation=bool))
    for kind in _kinds(task):
        for name, field in keywords_of(task, kind).items():
            if not field.is_required() and name not in [each.name for each in parameters]:
                parameters.append(
                    _P(
                        name,
                        _P.KEYWORD_ONLY,
                        default=field.get_default(call_default_factory=True),
                        annotation=_type(field.annotation),
                    )
                )
    return inspect.Signature(parameters, return_annotation=task.result_type)


def _type(annotation: Any) -> Any:  # noqa: ANN401
    """Return a type without what its annotation adds for pydantic."""
    if get_origin(annotation) is Annotated:
        return _type(get_args(annotation)[0])
    if get_origin(annotation) in (Union, UnionType):
        return Union[tuple(map(_type, get_args(annotation)))]  # noqa: UP007
    return annotation


def _docstring(task: AnyTask) -> str:
    lines = [task.question, "", *([task.explanation, ""] if task.explanation else []), "Parameters", "----------"]
    if isinstance(task, RunTask):
        lines += ["run", f"    {task.takes}"]
    if "terminology" in task.needs:
        lines += ["source", "    A terminology, or where to read it."]
    if not task.reads_run:
        lines += [
            "models",
            "    Specs, paths, models, or objects of other libraries (see :func:`as_model`), in a list or",
        ]
        lines += ["    as ``{name: model}``; one may stand alone. One that cannot be used is left out, with a"]
        lines += ["    warning; the others go on."]
    if "sets" in task.needs:
        lines += [
            "benchmarks",
            "    Folders of benchmarks, files, ids of human-rated sets, sets, or DataFrames of pairs; one may stand",
            "    alone, and ``{name: pairs}`` names each.",
            "columns",
            "    The columns of a table of one's own: its two terms, and a score or label.",
            "data_dir",
        ]
        lines += ["    A folder with human-rated sets."]
    if task.parts_called:
        lines += ["out", "    A run folder to add the result to; one that is not there is made. Without one,"]
        lines += [f"    {task.parts_called} that were done are kept in the cache."]
        lines += [
            "jobs",
            f"    How many {task.parts_called} are measured at once, each with a share of the cores; where a",
        ]
        lines += ["    model is an object, all are measured in this process, one by one."]
    if not task.reads_run:
        lines += ["client", "    A Dask client on whose cluster models are measured, unless one is an object."]
        lines += ["shared", "    Whether all workers of the cluster see the same disk; else what they need is sent."]
    for kind in _kinds(task):
        for name, field in keywords_of(task, kind).items():
            lines += [name, f"    {field.description}"]
    return "\n".join(lines)
