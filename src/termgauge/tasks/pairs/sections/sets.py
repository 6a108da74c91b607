"""What the sets are like: Table 1 of Schulz & Juric (2020) for those that people rated, Table 2 for the built ones."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from termgauge.benchmark.human.catalogue import CATALOGUE
from termgauge.benchmark.sets import DIFFICULTIES, STRATEGIES
from termgauge.benchmark.statistics import statistics_of
from termgauge.document.blocks import Cell, Column, Section, Table, block_id
from termgauge.document.set_names import KINDS
from termgauge.exceptions import TermgaugeError, left_out

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from termgauge.benchmark.manifest import Statistics
    from termgauge.benchmark.pairset import PairSet
    from termgauge.document.set_names import TitledSet

_SCALES = {entry.id: entry.scale for entry in CATALOGUE}
_DISTANCE = "Mean Levenshtein distance of the terms, in lower case"
_MULTI_WORD = "Share of the different terms that have more than one word"


class _Described(NamedTuple):
    """A set, how many pairs of either label it has, and its statistics."""

    set: TitledSet
    pairs: int
    positives: int
    scale: tuple[float, float]
    statistics: Statistics


def sets_section(sets: Sequence[TitledSet], read: Callable[[str], PairSet]) -> Section | None:
    """Return what the sets are like; None if there are none. `read` gives a set by its id."""
    described: list[_Described] = []
    for each in sets:
        try:
            pairs = read(each.id)
        except TermgaugeError as error:
            left_out(f"the description of '{each.id}'", f"What “{each.title}” is like cannot be shown: {error}")
            continue
        column = pairs.frame["score" if each.graded else "label"]
        scale = _SCALES.get(each.id, (float(column.min() or 0), float(column.max() or 0)))  # type: ignore[arg-type]
        positives = 0 if each.graded else int(column.sum())
        described.append(_Described(each, len(pairs), positives, scale, statistics_of(pairs)))
    tables = [*_built(described), *_labelled(described), *_rated(described)]
    return Section("sets", "The sets", tuple(tables)) if tables else None


def _rated(described: Sequence[_Described]) -> Iterator[Table]:
    rows = tuple(
        (
            Cell(each.set.title, note=each.set.id),
            Cell.count(each.pairs),
            Cell(f"{each.scale[0]:g}–{each.scale[1]:g}"),
            Cell.share(each.statistics.multi_word),
        )
        for each in described
        if each.set.graded
    )
    columns = (Column("Set"), Column("Pairs", numeric=True), Column("Ratings"), _multi_word())
    if rows:
        yield Table("rated-sets", "Sets rated by people.", columns, rows)


def _labelled(described: Sequence[_Described]) -> Iterator[Table]:
    rows = tuple(
        (
            Cell(each.set.title, note=each.set.id),
            Cell.count(each.pairs),
            Cell.count(each.positives),
            _distance(each.statistics.mean_distance_positives),
            _distance(each.statistics.mean_distance_negatives),
            Cell.share(each.statistics.multi_word),
        )
        for each in described
        if not each.set.graded and not each.set.built
    )
    columns = (
        Column("Set"), Column("Pairs", numeric=True), Column("Positives", numeric=True),
        *(Column(name, numeric=True, note=_DISTANCE, group="Edit distance") for name in ("Positives", "Negatives")),
        _multi_word(),
    )  # fmt: skip
    if rows:
        yield Table("labelled-sets", "Labelled sets.", columns, rows)


def _built(described: Sequence[_Described]) -> Iterator[Table]:
    """Yield Table 2 for each terminology: a row for each kind, and below it for its easy and hard pairs."""
    terminologies = dict.fromkeys(each.set.origin.terminology for each in described if each.set.built)
    for terminology in terminologies:
        rows = []
        for kind, title in KINDS.items():
            own = {
                (each.set.origin.difficulty, each.set.origin.strategy): each
                for each in described
                if each.set.built and each.set.origin.terminology == terminology and each.set.origin.kind == kind
            }
            levels = [level for level in DIFFICULTIES if any(level == one for one, _ in own)]
            if len(levels) > 1:
                rows.append(_row(title, own))
            for level in levels:
                some = {key: each for key, each in own.items() if key[0] == level}
                rows.append(_row(f"– {level}" if len(levels) > 1 else f"{title}, {level}", some))
        of = f" from {terminology}" if len(terminologies) > 1 else ""
        yield Table(
            id=block_id("built-sets", terminology if of else ""),
            caption=f"Sets built{of or ' from the terminology'}: pairs, and mean edit distance of positive pairs and "
            "of random and edit-distance negatives.",
            columns=(
                Column("Set"),
                Column(
                    "Pairs", numeric=True, note="With random and, if it has another number, edit-distance negatives"
                ),
                *(
                    Column(name, numeric=True, note=_DISTANCE, group="Edit distance")
                    for name in ("Positives", "Random neg.", "Edit-distance neg.")
                ),
                _multi_word(),
            ),
            rows=tuple(rows),
            sortable=False,
        )


def _row(title: str, own: Mapping[tuple[str, str], _Described]) -> tuple[Cell, ...]:
    """Return a row of Table 2; of several difficulties the means over all their pairs."""
    by = {strategy: [each for (_, how), each in own.items() if how == strategy] for strategy in STRATEGIES}
    sizes = list(dict.fromkeys(sum(each.pairs for each in by[how]) for how in ("random", "levenshtein") if by[how]))
    positives = next(by[how] for how in ("random", "levenshtein") if by[how])
    return (
        Cell(title),
        Cell(" / ".join(f"{size:,}" for size in sizes), sizes[0]),
        _distance(_mean([(each.statistics.mean_distance_positives, each.positives) for each in positives])),
        *(
            _distance(
                _mean([(each.statistics.mean_distance_negatives, each.pairs - each.positives) for each in by[how]])
            )
            for how in ("random", "levenshtein")
        ),
        # Of several sets, by their pairs: a term in two of them counts twice.
        Cell.share(_mean([(each.statistics.multi_word, each.pairs) for each in own.values()])),
    )


def _mean(parts: Sequence[tuple[float | None, int]]) -> float | None:
    known = [(value, count) for value, count in parts if value is not None and count]
    return sum(value * count for value, count in known) / sum(count for _, count in known) if known else None


def _distance(value: float | None) -> Cell:
    return Cell.number(value, 2, top=None)


def _multi_word() -> Column:
    return Column("Multi-word", numeric=True, note=_MULTI_WORD)
