"""The Python verbs of tasks, ``tg.coverage(…)`` and the like: keywords are the options that the task declares."""

from __future__ import annotations

import inspect
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from termgauge.cluster.connect import use_client
from termgauge.engine.graph import Graph
from termgauge.engine.models import by_name
from termgauge.engine.nodes import TaskNode, TerminologyNode
from termgauge.engine.run_folder import RunFolder, RunRecord, open_run
from termgauge.engine.session import RunSession
from termgauge.engine.tables import TaskConfig
from termgauge.engine.units import OPENING
from termgauge.exceptions import TermgaugeError
from termgauge.io.paths import expanded
from termgauge.options import Options, fields_for, plain_type, renamed, several, split, takes
from termgauge.tasks.contract import Material, RunTask, Testing
from termgauge.tasks.registry import task_of
from termgauge.terminology.options import ReadingOptions

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from termgauge.io.tables import Columns
    from termgauge.tasks.contract import AnyTask
    from termgauge.tasks.results import Result

_P = inspect.Parameter
FLAGS = {"model": "models", "benchmark": "benchmarks", "terminology": "source"}
"""What flags of commands call some of them."""


def measure(
    task: AnyTask,
    options: Options,
    asked: Mapping[str, Any],
    models: object = (),
    *,
    run: Any = None,  # noqa: ANN401
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
    """Measure models outside of a run; a task that measures in parts can add them to a run, and do several at once.

    A task that reads a run reads `run`, or what it takes in its place, and writes nothing. `asked` says how to test;
    of a run that is read, what it does not say is as in the run.
    """
    from termgauge.benchmark.load import load_sets

    named = {} if task.reads_run else by_name(models, needed=not task.without_models)
    folder = RunFolder(out) if out is not None else None
    record = folder.record() if folder is not None else RunRecord()  # one that is damaged is said before work is done
    base = _base_of(task, run, asked) if task.reads_run else Material(testing=Testing().asked(**asked))
    base = replace(base, data_dir=data_dir)
    with use_client(client, shared=shared):
        config = TaskConfig(task, task.named(options) if folder is not None else "", options)
        session = RunSession(folder, record, named, jobs, adds=folder is not None, configs=[config], base=base)
        table = TaskNode(session, config.name, config)
        if folder is None:
            session.refuse_models()
            session.rated = load_sets(benchmarks, columns=columns, data_dir=data_dir) if several(benchmarks) else []
        else:

            def begin() -> None:
                former = session.reopened()
                session.record = former if former.models else former.made_now(base.testing)
                names = dict.fromkeys([*former.tasks.get(task.name, ()), config.name])
                session.write(tasks={**former.tasks, task.name: list(names)})

            table.begin = begin
        needed = source is not None and "terminology" in task.needs
        nodes = [TerminologyNode(session, "", source, reading or ReadingOptions())] if needed else []
        Graph(session, [*nodes, table]).work_off()
    result: Result | None = task.load(folder.scored(), config.name) if folder is not None else table.result
    assert result is not None
    failed = {name: session.failures[name] for name in named if name in session.failures}
    ordered = sorted(failed.items(), key=lambda item: folder is None and item[1].step != OPENING)
    left_out = [session.sentence(*failure) for failure in ordered]
    return result if task.reads_run else result.model_copy(update={"left_out": left_out})


def _base_of(task: AnyTask, run: Any, asked: Mapping[str, Any]) -> Material:  # noqa: ANN401
    """Return what a task reads: a run that is there, or a file that it takes in its place."""
    if isinstance(task, RunTask) and task.instead and not isinstance(run, RunFolder) and not expanded(run).is_dir():
        if not expanded(run).exists():
            raise TermgaugeError(f"{run}: there is no such file or folder; name a run folder, or {task.instead}.")
        return Material(testing=Testing().asked(**asked), instead=expanded(run))
    opened = open_run(run)
    testing = opened.record().testing.asked(**asked)
    return Material(testing=testing, run=opened.scored(testing))


@cache
def verb(name: str) -> Callable[..., Result]:
    """Return the Python function of a task, with a signature and a docstring from its declaration."""
    task = task_of(name)
    kinds = kinds_of(task)

    def function(*arguments: Any, **keywords: Any) -> Result:  # noqa: ANN401
        keywords = renamed(keywords, {flag: key for flag, key in FLAGS.items() if key in about.parameters})
        parameters = {key: value for key, value in keywords.items() if key in about.parameters}
        options = {key: value for key, value in keywords.items() if key not in parameters}
        bound = about.bind(*arguments, **parameters).arguments
        options |= {key: bound.pop(key) for key in [*bound] if key in task.options.model_fields}
        shares = split(options, *kinds, fields=partial(keywords_of, task))
        made: dict[Any, Any] = {kind: kind.of(**share) for kind, share in zip(kinds, shares, strict=True)}
        asked = made[Testing].said() if Testing in made else {}
        folders: dict[str, Any] = {key: Path(bound.pop(key)) for key in ("data_dir", "out") if bound.get(key)}
        return measure(task, made[task.options], asked, reading=made.get(ReadingOptions), **folders, **bound)

    about = _signature(task)
    function.__name__ = function.__qualname__ = name
    function.__signature__ = about  # type: ignore[attr-defined]
    function.__doc__ = _docstring(task)
    return takes(*kinds, fields=partial(keywords_of, task))(function)


def kinds_of(task: AnyTask) -> list[type[Options]]:
    """Return the declarations that a verb takes keywords of."""
    kinds: list[type[Options]] = [task.options]
    kinds += [Testing] if task.testing else []
    return kinds + ([ReadingOptions] if "terminology" in task.needs else [])


def keywords_of(task: AnyTask, kind: type[Options]) -> dict[str, Any]:
    """Return the fields of a declaration that a task's verb and command have."""
    fields = fields_for(kind, "command")
    return {name: field for name, field in fields.items() if kind is not Testing or name in task.testing}


def _signature(task: AnyTask) -> inspect.Signature:
    """Return a signature of what is no option: what is worked on, what a task cannot do without, the models."""
    fields = fields_for(task.options, "command")
    needed = [name for name, field in fields.items() if field.is_required()]
    source = ["source"] if "terminology" in task.needs else []
    names = ["run", *needed, *source] if task.reads_run else [*source, *needed, "models"]
    names += ["benchmarks", "columns", "data_dir"] if "sets" in task.needs else []
    names += ["out", "jobs"] if task.parts_called else []
    names += [] if task.reads_run else ["client", "shared"]
    by_place = {"run", "models", "benchmarks", *needed, *([] if task.reads_run else source)}
    defaults: dict[str, Any] = {"benchmarks": (), "columns": (), "jobs": 1, "shared": False}
    defaults |= dict.fromkeys(("data_dir", "out", "client", *(source if task.reads_run else ())))
    defaults |= {"models": ()} if task.without_models else {}
    names = [name for name in names if name in needed or name not in fields]  # an option of the name comes before
    types = {name: plain_type(fields[name].annotation) for name in needed} | {"jobs": int, "shared": bool}
    parameters = [
        _P(
            name,
            _P.POSITIONAL_OR_KEYWORD if name in by_place else _P.KEYWORD_ONLY,
            default=defaults.get(name, _P.empty),
            annotation=types.get(name, _P.empty),
        )
        for name in names
    ]
    return inspect.Signature(parameters, return_annotation=task.result_type)


_ABOUT = {
    "run": "",
    "source": "A terminology, or where to read it.",
    "models": "Specs, paths, models, or objects of other libraries (see :func:`as_model`), in a list or\n"
    "    as ``{name: model}``; one may stand alone. One that cannot be used is left out, with a\n"
    "    warning; the others go on.",
    "benchmarks": "Folders of benchmarks, files, ids of human-rated sets, sets, or DataFrames of pairs; one may stand\n"
    "    alone, and ``{name: pairs}`` names each.",
    "columns": "The columns of a table of one's own: its two terms, and a score or label.",
    "data_dir": "A folder with human-rated sets.",
    "out": "A run folder to add the result to; one that is not there is made. Without one,\n"
    "    {parts} that were done are kept in the cache.",
    "jobs": "How many {parts} are measured at once, each with a share of the cores; where a\n"
    "    model is an object, all are measured in this process, one by one.",
    "client": "A Dask client on whose cluster models are measured, unless one is an object.",
    "shared": "Whether all workers of the cluster see the same disk; else what they need is sent.",
}
"""Keywords of verbs that are no options, and what they mean; ``{parts}`` are those of the task."""


def _docstring(task: AnyTask) -> str:
    lines = [task.question, "", *([task.explanation, ""] if task.explanation else []), "Parameters", "----------"]
    meanings = {**_ABOUT, "run": task.takes if isinstance(task, RunTask) else ""}
    for name in _signature(task).parameters:
        option = task.options.model_fields.get(name)
        meaning = (option.description if option else meanings[name]) or ""
        lines += [name, f"    {meaning}".replace("{parts}", task.parts_called)]
    return "\n".join(lines)
