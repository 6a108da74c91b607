"""What changed between two runs, and whether it matters: settings, models, and what each task says of its values."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from termgauge.engine.diff_document import Change, RunDiff
from termgauge.engine.run_folder import RunFolder, open_run
from termgauge.exceptions import TermgaugeError, did_you_mean
from termgauge.options import also_called
from termgauge.similarity.measures import USUAL, check_default_measure
from termgauge.tasks.changes import CHANGED, ONLY_FIRST, ONLY_SECOND, RENAMED, SAME, ModelChange
from termgauge.tasks.contract import Testing
from termgauge.tasks.registry import all_tasks

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator, Mapping, Sequence

    from termgauge.engine.run_folder import RunRecord
    from termgauge.tasks.changes import ValueChange
    from termgauge.tasks.records import ModelRecord

_NOT_SETTINGS: dict[str, Any] = {
    **dict.fromkeys(("layout", "sets", "models", "timings", "units", "command", "tasks"), True),
    "benchmarks": {"__all__": {"folder"}},
}
"""Parts of ``run.json`` that are shown elsewhere, or differ between equal runs: where and when they were made."""


@also_called(map="models")
def diff(
    first: str | os.PathLike[str] | RunFolder,
    second: str | os.PathLike[str] | RunFolder,
    *,
    models: Mapping[str, str] | None = None,
    **testing: Any,  # noqa: ANN401
) -> RunDiff:
    """Compare two runs.

    Parameters
    ----------
    first, second
        Run folders, the earlier one first.
    models
        Names of models of the first run, and of the second's that stand for them; others are matched by name, and
        then by identity.
    **testing
        ``alpha``, the chance of any false claim in the whole diff (of each one, if the correction is ``none``),
        ``correction``, and ``measure``, the measure that stands for each model: ``usual``, or the name of one.

    Raises
    ------
    TermgaugeError
        If a folder holds no run, a name means nothing, or the runs have no value in common.

    Examples
    --------
    >>> changes = diff("before", "after")  # doctest: +SKIP
    >>> [(value.model, value.set, value.difference) for value in changes.worse]  # doctest: +SKIP
    """
    chosen = Testing.of(**testing)
    check_default_measure(chosen.measure, USUAL)
    runs = (open_run(first), open_run(second))
    records = (runs[0].record(), runs[1].record())
    views = (runs[0].scored(), runs[1].scored())
    matched = _matched_models(runs, records[0].models, records[1].models, models or {})
    changes = [task.changes(views, _names(task.name, records), matched, chosen) for task in all_tasks().values()]
    values = [value for change in changes for value in change.values]
    if not values:
        raise TermgaugeError(
            f"{runs[0].path} and {runs[1].path}: have no model with values of the same thing; name models that stand "
            "for each other with --map A=B."
        )
    return RunDiff(
        (str(runs[0].path), str(runs[1].path)),
        chosen.alpha,
        chosen.correction,
        sum(bool(value.test) for value in values),
        tuple(_settings(*records)),
        tuple(_rescored(matched, values)),
        tuple(pairs for change in changes for pairs in change.sets),
        tuple(values),
        tuple(one for change in changes for one in change.missing),
    )


def _names(task: str, records: Sequence[RunRecord]) -> list[str]:
    """Return what the tables of a task are called in either run; the task itself where there is only one."""
    return list(dict.fromkeys(name for record in records for name in record.tasks.get(task, [])))


def _settings(one: RunRecord, other: RunRecord) -> Iterator[Change]:
    """Yield the settings and versions that differ."""
    flat = [dict(_flat(run.model_dump(mode="json", exclude=_NOT_SETTINGS))) for run in (one, other)]
    for name in dict.fromkeys([*flat[0], *flat[1]]):
        before, after = (settings.get(name) for settings in flat)
        if before != after:
            yield Change(name, before, after)


def _flat(value: Any, name: str = "") -> Iterator[tuple[str, str]]:  # noqa: ANN401
    """Yield what stands at each place of a document of JSON."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _flat(inner, f"{name}.{key}" if name else str(key))
    elif isinstance(value, list):
        if value:
            yield name, ", ".join(map(str, value))
    else:
        yield name, str(value)


def _matched_models(
    runs: tuple[RunFolder, ...],
    one: Mapping[str, ModelRecord],
    other: Mapping[str, ModelRecord],
    named: Mapping[str, str],
) -> list[ModelChange]:
    for names, records, run in ((named, one, runs[0]), (named.values(), other, runs[1])):
        for name in names:
            if name not in records:
                raise TermgaugeError(f"{run.path}: has no model '{name}'.{did_you_mean(name, records)}")
    free = {name: entry for name, entry in other.items() if name not in named.values()}
    matched = dict(named)
    for name in one:
        if name not in matched and name in free:
            matched[name] = name
            del free[name]
    for name, entry in one.items():
        same = next((candidate for candidate, about in free.items() if about.key == entry.key), None)
        if name not in matched and same is not None:
            matched[name] = same
            del free[same]
    changes = [
        _model_change(name, matched[name], entry, other[matched[name]])
        if name in matched
        else ModelChange(name, "", ONLY_FIRST)
        for name, entry in one.items()
    ]
    return [*changes, *(ModelChange("", name, ONLY_SECOND) for name in free)]


def _model_change(name: str, other: str, before: ModelRecord, after: ModelRecord) -> ModelChange:
    if before.key == after.key:
        return ModelChange(name, other, SAME if name == other else RENAMED)
    parts = ("kind", "scheme", "source", "options", "words", "libraries")
    return ModelChange(
        name, other, CHANGED, tuple(part for part in parts if getattr(before, part) != getattr(after, part))
    )


def _rescored(models: Sequence[ModelChange], values: Sequence[ValueChange]) -> Iterator[ModelChange]:
    """Note the sets on which a model that claims to be the same has other scores."""
    for model in models:
        others = dict.fromkeys(value.set for value in values if value.model == model.name and value.test)
        yield replace(model, rescored=tuple(others) if model.state in (SAME, RENAMED) else ())
