"""What the sets are like: Table 1 of Schulz & Juric (2020) for those that people rated, Table 2 for the built ones."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from termgauge.benchmark.human.catalogue import CATALOGUE
from termgauge.benchmark.manifest import statistics_of
from termgauge.benchmark.sets import DIFFICULTIES, STRATEGIES
from termgauge.exceptions import TermgaugeError, warn_skipped
from termgauge.reporting.blocks import Cell, Column, Section, Table, block_id
from termgauge.reporting.set_names import KINDS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from termgauge.benchmark.manifest import Statistics
    from termgauge.benchmark.pairset import PairSet
    from termgauge.reporting.set_names import TitledSet

_SCALES = {entry.id: entry.scale for entry in CATALOGUE}
_DISTANCE = "Mean Levenshtein distance of the terms, in lower case"
_MULTI_WORD = "Share of the terms of all pairs that have more than one word"


class _Described(NamedTuple):
    """A set, how many pairs of either label it has, and its statistics."""

    set: TitledSet
    pairs: int
    positives: int
    scale: tuple[float, float]
    multi_word: float | None
    """Counted over all pairs, as the paper does, not over different terms as in the manifest of a benchmark."""
    statistics: Statistics | None
    """None of rated sets, which have no positives and negatives."""

    @property
    def distances(self) -> tuple[float | None, float | None]:
        """The mean edit distances of positives and of negatives."""
        known = self.statistics
        return (known.mean_distance_positives, known.mean_distance_negatives) if known else (None, None)


def _multi_word_share(pairs: PairSet) -> float | None:
    terms = [*pairs.frame["term_1"], *pairs.frame["term_2"]]
    return sum(len(term.split()) > 1 for term in terms) / len(terms) if terms else None


def sets_section(sets: Sequence[TitledSet], read: Callable[[str], PairSet]) -> Section | None:
    """Return what the sets are like; None if there are none. `read` gives a set by its id."""
    described: list[_Described] = []
    for each in sets:
        try:
            pairs = read(each.id)
        except TermgaugeError as error:
            warn_skipped(f"the description of '{each.id}'", f"What “{each.title}” is like cannot be shown: {error}")
            continue
        column = pairs.frame["score" if each.graded else "label"]
        scale = _SCALES.get(each.id, (float(column.min() or 0), float(column.max() or 0)))  # type: ignore[arg-type]
        positives = 0 if each.graded else int(column.sum())
        statistics = None if each.graded else statistics_of(pairs)
        described.append(_Described(each, len(pairs), positives, scale, _multi_word_share(pairs), statistics))
    tables = [*_built(described), *_labelled(described), *_rated(described)]
    return Section("sets", "The sets", tuple(tables)) if tables else None


def _rated(described: Sequence[_Described]) -> Iterator[Table]:
    rows = tuple(
        (
            Cell(each.set.title, note=each.set.id),
            Cell.count(each.pairs),
            Cell(f"{each.scale[0]:g}–{each.scale[1]:g}"),
            Cell.share(each.multi_word),
        )
        for each in described
        if each.set.graded
    )
    columns = (Column("Set"), Column("Pairs", numeric=True), Column("Ratings"), _multi_word_column())
    if rows:
        yield Table("rated-sets", "Sets rated by people.", columns, rows)


def _labelled(described: Sequence[_Described]) -> Iterator[Table]:
    rows = tuple(
        (
            Cell(each.set.title, note=each.set.id),
            Cell.count(each.pairs),
            Cell.count(each.positives),
            _distance(each.distances[0]),
            _distance(each.distances[1]),
            Cell.share(each.multi_word),
        )
        for each in described
        if not each.set.graded and not each.set.built
    )
    columns = (
        Column("Set"), Column("Pairs", numeric=True), Column("Positives", numeric=True),
        *(Column(name, numeric=True, note=_DISTANCE, group="Edit distance") for name in ("Positives", "Negatives")),
        _multi_word_column(),
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
                _multi_word_column(),
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
        _distance(_mean([(each.distances[0], each.positives) for each in positives])),
        *(
            _distance(_mean([(each.distances[1], each.pairs - each.positives) for each in by[how]]))
            for how in ("random", "levenshtein")
        ),
        Cell.share(_mean([(each.multi_word, each.pairs) for each in own.values()])),
    )


def _mean(parts: Sequence[tuple[float | None, int]]) -> float | None:
    known = [(value, count) for value, count in parts if value is not None and count]
    return sum(value * count for value, count in known) / sum(count for _, count in known) if known else None


def _distance(value: float | None) -> Cell:
    return Cell.number(value, 2, top=None)


def _multi_word_column() -> Column:
    return Column("Multi-word", numeric=True, note=_MULTI_WORD)
