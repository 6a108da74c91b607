"""What changed between two runs, and whether it matters: settings, models, and what each task says of its values."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

import polars as pl

from termgauge.display import Showing, shortened
from termgauge.engine.run_folder import RunFolder, open_run
from termgauge.exceptions import TermgaugeError, did_you_mean
from termgauge.options import also_called
from termgauge.plurals import numbered, plural
from termgauge.reporting.blocks import Cell, Column, Document, Fact, Figure, Interval, Prose, Section, Table
from termgauge.reporting.plots.canvas import ACCENT, QUIET
from termgauge.reporting.plots.dots import Dot, DotPanel, DotPlot
from termgauge.reporting.set_names import SHORT_STATISTICS
from termgauge.reporting.words import MISSING, corrected, decimal, number, plain, with_minus
from termgauge.similarity.measures import USUAL, check_default_measure
from termgauge.tasks.changes import CHANGED, ONLY_FIRST, ONLY_SECOND, RENAMED, SAME, ModelChange
from termgauge.tasks.contract import Testing
from termgauge.tasks.registry import all_tasks
from termgauge.tasks.results import finite

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from termgauge.engine.run_folder import RunRecord
    from termgauge.tasks.changes import SetChange, ValueChange
    from termgauge.tasks.records import ModelRecord


@dataclass(frozen=True)
class Change:
    """A setting or version; None where a run does not say."""

    name: str
    before: str | None
    after: str | None


@dataclass(frozen=True, repr=False)
class RunDiff(Showing):
    """What two runs differ in."""

    runs: tuple[str, str]
    alpha: float
    correction: str
    tests: int
    """How many changes were tested: those of values whose scores differ."""
    settings: tuple[Change, ...]
    models: tuple[ModelChange, ...]
    sets: tuple[SetChange, ...]
    values: tuple[ValueChange, ...]
    missing: tuple[tuple[str, str, str], ...]
    """Model, set, and which run alone has scores of them."""

    def _shown(self) -> Document:
        return diff_document(self)

    def _brief(self) -> str:
        one, other = (shortened(run, 20) for run in self.runs)
        return (
            f"difference of '{one}' and '{other}': {numbered(len(self.values), 'value')}, {len(self.changed)} changed, "
            f"{len(self.better)} better, {len(self.worse)} worse"
        )

    def to_frame(self) -> pl.DataFrame:
        """Return a row for each value that both runs have."""
        return frame_of_changes(self.values)

    @property
    def changed(self) -> tuple[ValueChange, ...]:
        """The values that are others: significant ones first, then by the size of their change."""
        changes = sorted(self.values, key=lambda value: (not value.significant, -abs(finite(value.difference) or 0.0)))
        return tuple(value for value in changes if value.changed)

    @property
    def better(self) -> tuple[ValueChange, ...]:
        """The values that are significantly better in the second run."""
        return tuple(value for value in self.changed if value.verdict == "better")

    @property
    def worse(self) -> tuple[ValueChange, ...]:
        """The values that are significantly worse in the second run."""
        return tuple(value for value in self.changed if value.verdict == "worse")

    def as_dict(self) -> dict[str, Any]:
        """Return it as JSON-like values."""
        more = "measure", "difference", "verdict"
        values = [asdict(value) | {name: getattr(value, name) for name in more} for value in self.values]
        return {
            "runs": list(self.runs),
            **{name: getattr(self, name) for name in ("alpha", "correction", "tests")},
            "compared": len(self.values),
            **{name: len(getattr(self, name)) for name in ("changed", "better", "worse")},
            **{name: [*map(asdict, getattr(self, name))] for name in ("settings", "models", "sets")},
            "missing": [dict(zip(("model", "set", "state"), entry, strict=True)) for entry in self.missing],
            "values": [{key: finite(item) for key, item in value.items()} for value in values],
        }


_MOST_NAMED = 3
_MOST_DRAWN = 40


def diff_document(diff: RunDiff) -> Document:
    """Return what changed between two runs."""
    first, second = diff.runs
    tests = "none was needed" if not diff.tests else f"{number(diff.tests)}, {_correction(diff)}"
    return Document(
        "What changed between two runs",
        tuple(_summary(diff)),
        (Fact("First run", f"`{first}`"), Fact("Second run", f"`{second}`"), Fact("Tests of changes", tests)),
        tuple(section for section in _sections(diff) if section.blocks),
    )


def _correction(diff: RunDiff) -> str:
    return f"alpha {diff.alpha:g} {corrected(diff.correction)}"


def _summary(diff: RunDiff) -> Iterator[str]:
    changed, total = len(diff.changed), len(diff.values)
    if not changed:
        same = plural(total, "the one that both runs have is", f"all {number(total)} that both runs have are")
        yield f"**No value changed**: {same} the same." if total else "The runs have no value in common."
    else:
        significant = [*diff.worse, *diff.better]
        count = f"**{number(changed)} of {numbered(total, 'value')} changed**"
        if not significant:
            yield f"{count}, none of them significantly."
        else:
            names = _short_names(diff)
            named = "; ".join(
                f"{plain(value.model)} is {value.verdict} on {plain(names[value.set])} ({_statistic(value)} "
                f"{decimal(value.before, 3)} to {decimal(value.after, 3)})"
                for value in significant[:_MOST_NAMED]
            )
            more = f"; and {len(significant) - _MOST_NAMED} more" if len(significant) > _MOST_NAMED else ""
            sides = [f"{len(side)} {word}" for side, word in ((diff.worse, "worse"), (diff.better, "better")) if side]
            yield f"{count}, **{len(significant)} of them significantly** ({', '.join(sides)}): {named}{more}."
    other = sum(not value.paired for value in diff.changed)
    if other:
        are = plural(other, "is on a set", "are on sets")
        yield f"{number(other)} of the changed values {are} whose pairs changed, and cannot be tested."
    moved = len(_moved(diff))
    if moved:
        yield f"How many pairs can be scored changed in {numbered(moved, 'case')}."
    yield from _strangers(diff)


def _strangers(diff: RunDiff) -> Iterator[str]:
    """Yield sentences about what cannot be compared, or should not have changed."""
    for what, changes in (("model", diff.models), ("set", diff.sets)):
        states = Counter(change.state for change in changes)
        for state in (CHANGED, ONLY_FIRST, ONLY_SECOND):
            if states[state]:
                verb = "is another than before" if state == CHANGED else f"is {state}"
                verb = verb if states[state] == 1 else verb.replace("is ", "are ").replace("another", "others")
                yield f"{numbered(states[state], what)} {verb}."
    for model in diff.models:
        if model.rescored:
            yield (
                f"**{plain(model.name)}** has other scores on {numbered(len(model.rescored), 'set')} though its "
                "identity is the same: look at the versions of libraries below."
            )


def _short_names(diff: RunDiff) -> dict[str, str]:
    """Return what sets are called: without their first part, the terminology, where it is the same for all."""
    names = [value.set for value in diff.values]
    shared = len({name.split("/")[0] for name in names}) == 1 and all("/" in name for name in names)
    return {name: name.partition("/")[2] if shared else name for name in names}


def _statistic(value: ValueChange) -> str:
    return SHORT_STATISTICS.get(value.statistic, value.statistic)


def _sections(diff: RunDiff) -> Iterator[Section]:
    changed = diff.changed
    blocks: list[Prose | Table | Figure] = []
    if changed:
        blocks.append(
            _values("changed-values", "Values that changed, on the pairs that both runs score.", changed, diff)
        )
        drawn = [value for value in changed if value.paired and not math.isnan(value.low)][:_MOST_DRAWN]
        if drawn:
            blocks.append(_figure(drawn, _short_names(diff)))
    yield Section("changed", "Values that changed", tuple(blocks))
    moved = [(value.model, value.set, *value.coverage) for value in _moved(diff)]
    heads = ("Model", "Set", Column.share("before"), Column.share("after"))
    caption = "Share of pairs that a model can score, where it changed."
    coverage = Table.from_rows("coverage-changes", caption, heads, moved)
    yield Section("coverage", "Pairs that can be scored", (coverage,) if moved else ())
    yield Section("models", "Models", (_models(diff),))
    yield Section("sets", "Sets", tuple(_sets(diff)))
    settings = [[MISSING if text is None else text for text in asdict(change).values()] for change in diff.settings]
    columns, caption = ("Setting", "First run", "Second run"), "Settings and versions that differ."
    table = Table.from_rows("settings", caption, columns, settings)
    yield Section("settings", "Settings and versions", (table,) if settings else ())
    columns, caption = ("Model", "Set", "Scores"), "Scores that only one of the runs has."
    missing = Table.from_rows("missing", caption, columns, diff.missing)
    every = _values("all-values", "All values that both runs have.", diff.values, diff, folded=True)
    yield Section("all", "All values", (missing, every) if diff.missing else (every,))


def _values(name: str, caption: str, values: Sequence[ValueChange], diff: RunDiff, *, folded: bool = False) -> Table:
    columns = (
        "Model",
        "Set",
        "Value",
        Column.number("before"),
        Column.number("after"),
        Column.number("change", note="Second run less first, with its interval at the corrected level"),
        Column.number("p", note="After correction, to be held against alpha"),
        Column.count("pairs", note="That both runs score"),
        "verdict",
    )
    names = _short_names(diff)
    rows = (
        (
            value.model,
            Cell(names[value.set], note=value.set),
            Cell(_statistic(value), note=value.measure),
            value.before,
            value.after,
            Cell.number(
                value.difference,
                signed=True,
                interval=Interval.known(value.low, value.high),
                best=value.significant,
            ),
            Cell(_p(value.adjusted_p), finite(value.adjusted_p), note=value.test),
            value.n,
            Cell(value.verdict, best=value.significant),
        )
        for value in values
    )
    notes = [f"The interval of a change is at the corrected level; {_correction(diff)}."] if diff.tests else []
    return Table.from_rows(name, caption, columns, rows, notes, data=frame_of_changes(values), folded=folded)


def _p(value: float) -> str:
    return MISSING if math.isnan(value) else f"{value:.3f}" if value >= 0.001 else "<0.001"


def frame_of_changes(values: Iterable[ValueChange]) -> pl.DataFrame:
    """Return a row for each value that both runs have."""
    texts = ("model", "set", "measure", "statistic")
    numbers = ("before", "after", "difference", "low", "high", "p_value", "adjusted_p", "n")
    rows = [
        {name: finite(getattr(value, name)) for name in (*texts, *numbers)}
        | dict(zip(("coverage_before", "coverage_after"), value.coverage, strict=True))
        | {"verdict": value.verdict}
        for value in values
    ]
    schema = dict.fromkeys((*texts, "verdict"), pl.String)
    return pl.DataFrame(rows, schema_overrides=schema, infer_schema_length=None)


def _figure(values: Sequence[ValueChange], names: Mapping[str, str]) -> Figure:
    several = len({value.model for value in values}) > 1
    dots: dict[str, list[Dot]] = {}
    for value in values:
        what = f"{names[value.set]}, {_statistic(value)}"
        change, tip = with_minus(decimal(value.difference, 3, signed=True)), f"{value.model}, {what}"
        ends, colour = (finite(value.low), finite(value.high)), ACCENT if value.significant else QUIET
        dots.setdefault(tip if several else what, []).append(
            Dot(value.difference, *ends, colour, tip=f"{tip}: {change}")
        )
    best = max(values, key=lambda value: abs(value.difference))
    return Figure(
        "changes",
        "Changes with their intervals at the corrected level; those in colour are significant.",
        "A dot and an interval for each changed value; the largest change is "
        f"{with_minus(decimal(best.difference, 3, signed=True))}, of {best.model} on {best.set}.",
        DotPlot([DotPanel((), dots, reference=0.0)], list(dots), "change", labels=0.46).draw,
        frame_of_changes(values).with_columns(significant=pl.Series([value.significant for value in values])),
    )


def _moved(diff: RunDiff) -> list[ValueChange]:
    """Return one value for each model and set whose coverage changed."""
    seen = {(value.model, value.set): value for value in reversed(diff.values)}
    return [value for value in reversed(seen.values()) if value.coverage[0] != value.coverage[1]]


def _models(diff: RunDiff) -> Table:
    rows = []
    for model in diff.models:
        rescored = f"scores on {numbered(len(model.rescored), 'set')}" if model.rescored else ""
        rows.append((model.name or MISSING, model.other or MISSING, model.state, ", ".join(model.parts) or rescored))
    note = "The same: equal in everything that changes its vectors, from its files to the versions of libraries."
    columns = ("First run", "Second run", "State", "What is not the same")
    return Table.from_rows("models", "Models of the two runs.", columns, rows, [note])


def _sets(diff: RunDiff) -> Iterator[Prose | Table]:
    equal = sum(pairs.state in (SAME, RENAMED) for pairs in diff.sets)
    yield Prose(
        (f"{number(equal)} of {numbered(len(diff.sets), 'set')} {plural(equal, 'is', 'are')} the same in both runs.",)
    )
    others = [pairs for pairs in diff.sets if pairs.state != SAME]
    if others:
        yield _set_table("other-sets", "Sets that are not the same in both runs, or have another name.", others)
    yield _set_table("sets", "All sets of the two runs.", diff.sets, folded=True)


def _set_table(name: str, caption: str, sets: Sequence[SetChange], *, folded: bool = False) -> Table:
    rows = []
    for change in sets:
        count = Cell(" → ".join(dict.fromkeys(map(number, change.pairs))), change.pairs[-1])
        rows.append((change.name or MISSING, change.other or MISSING, change.state, count))
    note = "The same: equal pairs with equal labels or ratings, by their hash, whatever the set is called."
    columns = ("First run", "Second run", "State", Column.count("pairs"))
    return Table.from_rows(name, caption, columns, rows, [note], folded=folded)


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
    chosen = Testing().asked(**testing)
    check_default_measure(chosen.measure, USUAL)
    runs = (open_run(first), open_run(second))
    records = (runs[0].record(), runs[1].record())
    views = (runs[0].scored(), runs[1].scored())
    matched = _matched_models(runs, records[0].models, records[1].models, models or {})
    changes = []
    for name, task in all_tasks().items():
        tables = dict.fromkeys(table for record in records for table in record.tasks.get(name, []))
        changes.append(task.changes(views, list(tables), matched, chosen))
    values = [value for change in changes for value in change.values]
    if not values:
        raise TermgaugeError(
            f"{runs[0].path} and {runs[1].path}: have no model with values of the same thing; name models that stand "
            "for each other with --map A=B."
        )
    for at, model in enumerate(matched):  # one that claims to be the same, and has other scores
        others = dict.fromkeys(value.set for value in values if value.model == model.name and value.test)
        matched[at] = replace(model, rescored=tuple(others) if model.state in (SAME, RENAMED) else ())
    return RunDiff(
        (str(runs[0].path), str(runs[1].path)),
        chosen.alpha,
        chosen.correction,
        sum(bool(value.test) for value in values),
        tuple(_settings(*records)),
        tuple(matched),
        tuple(pairs for change in changes for pairs in change.sets),
        tuple(values),
        tuple(one for change in changes for one in change.missing),
    )


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
    for name in (one.keys() - matched.keys()) & free.keys():
        matched[name] = name
        del free[name]
    for name, entry in one.items():
        same = next((candidate for candidate, about in free.items() if about.key == entry.key), None)
        if name not in matched and same is not None:
            matched[name] = same
            del free[same]
    changes = []
    for name, before in one.items():
        if (title := matched.get(name)) is None:
            changes.append(ModelChange(name, "", ONLY_FIRST))
        elif before.key == (after := other[title]).key:
            changes.append(ModelChange(name, title, SAME if name == title else RENAMED))
        else:
            parts = ("kind", "scheme", "source", "options", "words", "libraries")
            differing = tuple(part for part in parts if getattr(before, part) != getattr(after, part))
            changes.append(ModelChange(name, title, CHANGED, differing))
    return [*changes, *(ModelChange("", name, ONLY_SECOND) for name in free)]
