"""What every comparison shows in the same way: its verdict, the ranking of its models, and their differences."""

from __future__ import annotations

from dataclasses import replace
from textwrap import wrap
from typing import TYPE_CHECKING

from termgauge.plurals import numbered, plural
from termgauge.reporting.blocks import Cell, Column, Document, Interval, Prose, Section, Table, block_id
from termgauge.reporting.plots.dots import Place, RankingPlot
from termgauge.reporting.words import MISSING, capitalised, listed, plain, share
from termgauge.statistics.comparison import headline, verdict_sentences

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from termgauge.reporting.blocks import Block
    from termgauge.statistics.comparison import Beside, Difference, Joint, Ranked

BASELINE = "◇"
"""Stands behind the name of a model that knows no medicine."""
_MOST_NAMED = 3
_MOST_LINES, _LEAST_ROWS, _LEAST_NAME = 36, 6, 12
"""Lines of all verdicts at most; lines of a ranking, and letters of a name, that a terminal shows at least."""


def headlined(document: Document, joint: Joint, *, best: str = "is best", items: str = "items") -> Document:
    """Put a verdict above a document: what is claimed, the ranking as a picture, and what the answer does not cover.

    Sections that show the same ranking lose it; `best` is what the best model does, `items` what models score.
    """
    claim, numbers = headline(joint, best)
    ranking = ranking_table(joint)
    rest = []
    for section in document.sections:
        kept = tuple(
            block
            for block in section.blocks
            if not (isinstance(block, Table) and (block.caption, block.rows) == (ranking.caption, ranking.rows))
        )
        rest += [replace(section, blocks=kept)] if kept or not section.blocks else []
    left = " ".join(limits(joint, items))
    verdict = Section("verdict", "", (ranking, *([Prose((left,))] if left else [])))
    return replace(document, headline=claim, summary=(plain(numbers), *document.summary), sections=(verdict, *rest))


def joint_blocks(joint: Joint, name: str = "") -> Iterator[Block]:
    """Yield the verdict, the ranking and the differences of a comparison."""
    yield verdict_prose(joint)
    yield ranking_table(joint, name)
    if joint.differences:
        yield differences_table(joint, name)


def verdict_prose(joint: Joint) -> Prose:
    """Return the verdict in words."""
    return Prose((plain(joint.verdict),))


def limits(joint: Joint, items: str = "items") -> Iterator[str]:
    """Say in at most two sentences what the answer does not cover: items that not all score, and sets left out."""
    rows: list[Ranked | Beside] = sorted((*joint.ranking, *joint.beside), key=lambda row: row.scored)
    if partly := [row for row in rows if row.scored < 1]:
        others = [f"{plain(row.model)} {share(row.scored)}" for row in partly[1:_MOST_NAMED]]
        others += [f"{len(partly) - _MOST_NAMED} more not all"] if len(partly) > _MOST_NAMED else []
        told = listed([f"{plain(partly[0].model)} scores {share(partly[0].scored)} of the {items}", *others])
        aside = [plain(row.model) for row in joint.beside]
        apart = f", leaving out {listed(aside)}" if aside else ""
        yield f"{told}; models are ranked on the {items} that all of them score{apart}."
    if count := len(joint.skipped):
        yield f"{numbered(count, 'set')}, too small or of another kind, {plural(count, 'does', 'do')} not count."


def ranking_table(joint: Joint, name: str = "") -> Table:
    """Return a row for each model, the best first: its value, the ranks it can have, its tier, what it scores."""
    columns = "Model", Column("Value", numeric=True), "Rank", Column.count("Tier"), Column.share("Scored")
    rows: list[tuple[object, ...]] = [
        (_named(joint, row.model), _value(row), _ranks(row), row.tier, row.scored) for row in joint.ranking
    ]
    rows += [(_named(joint, row.model), None, MISSING, None, row.scored) for row in joint.beside]
    return Table.from_rows(
        block_id("ranking", name),
        f"Ranking by {_called(joint)}, with {_level(joint)} intervals.",
        columns,
        rows,
        _notes(joint),
        draw=_plot(joint).draw,
    )


def _notes(joint: Joint) -> Iterator[str]:
    if joint.baselines:
        yield f"{BASELINE} baseline."
    if max(row.tier for row in joint.ranking) > 2:
        yield "Models of different tiers may still not be told apart."


def _level(joint: Joint) -> str:
    return f"{100 * (1 - joint.alpha):g} %"


def _called(joint: Joint) -> str:
    return f"{'mean ' if len(joint.sets) > 1 else ''}{joint.label}"


def _plot(joint: Joint) -> RankingPlot:
    """Return the picture of a ranking; of models that are not ranked it says what they score."""
    places: list[Place] = []
    tier = 1
    for row in joint.ranking:
        value = _value(row)
        ends = " to ".join(value.interval.ends) if value.interval else ""
        numbers = value.text, ends, _ranks(row).replace(" to ", "–"), share(row.scored)
        name = _named(joint, row.model)
        places.append(Place(name, row.value, row.low, row.high, numbers, first=row.tier == 1, parted=row.tier > tier))
        tier = max(tier, row.tier)
    for at, aside in enumerate(joint.beside):
        numbers = "", "", MISSING, share(aside.scored)
        places.append(Place(_named(joint, aside.model), None, None, None, numbers, parted=not at))
    return RankingPlot(places, (_called(joint), _level(joint), "rank", "scored"), optional=(1, 3))


def _named(joint: Joint, model: str) -> str:
    return f"{model} {BASELINE}" if model in joint.baselines else model


def _ranks(row: Ranked) -> str:
    return f"{row.rank_low}" if row.rank_low == row.rank_high else f"{row.rank_low} to {row.rank_high}"


def differences_table(joint: Joint, name: str = "") -> Table:
    """Return a row for any two models, with intervals that hold together."""
    heads = "One", "Other", Column("Difference", numeric=True), Column.number("Adjusted p"), "Verdict"
    rows = [
        (row.one, row.other, _value(row, signed=True), row.adjusted_p, row.verdict(joint.margin))
        for row in joint.differences
    ]
    caption = f"Differences of {capitalised(joint.label)}, with intervals that hold together."
    return Table.from_rows(block_id("differences", name), caption, heads, rows, folded=True)


def _value(row: Ranked | Difference, *, signed: bool = False) -> Cell:
    return Cell.number(row.value, signed=signed, interval=Interval.known(row.low, row.high))


def in_brief(verdicts: Sequence[tuple[str, Joint]], *, width: int = 80) -> list[str]:
    """Return verdicts with rankings as at most 36 lines for a terminal; the first has most of them.

    Each comes with a title, which may be empty.
    """
    heads = [
        wrap(f"{title}{': ' if title else ''}{brief_verdict(joint) if at else _whole(joint)}", width)
        for at, (title, joint) in enumerate(verdicts)
    ]
    rankings = [_rows(joint, width) for _, joint in verdicts]
    left = _MOST_LINES - len(heads[0]) - 2  # an empty line, and one for the tasks that find no room
    fitting = 0
    while heads[fitting + 1 :] and left > len(heads[fitting + 1]) + _LEAST_ROWS:
        fitting += 1
        left -= 1 + len(heads[fitting])
    lines = [*heads[0], "", *(first := _cut(rankings[0], max(_LEAST_ROWS, left - 4 * fitting)))]
    for at in range(1, fitting + 1):
        lines += ["", *heads[at], *_cut(rankings[at][1:], (left - len(first)) // fitting)]
    others = len(verdicts) - fitting - 1
    return [*lines, f"And {numbered(others, 'more task')}: see the report."] if others else lines


def brief_verdict(joint: Joint) -> str:
    """Return the verdict in one sentence; where the best model is a baseline, which is no answer, it says so."""
    claim, numbers = headline(joint)
    return f"{claim} {numbers}" if claim.startswith("No model beats") else next(verdict_sentences(joint))


def _whole(joint: Joint) -> str:
    """Return the verdict, with sets that do not count by their number."""
    sentences = [entry for entry in verdict_sentences(joint) if not entry.startswith("Not counted")]
    return " ".join([*sentences, *list(limits(joint))[-1:]]) if joint.skipped else " ".join(sentences)


def _rows(joint: Joint, width: int) -> list[str]:
    """Return a ranking as lines of text, its headings first; long names are cut."""
    plot = _plot(joint)
    cells = [plot.heads, *(place.numbers for place in plot.places)]
    widths = [2 + max(map(len, column)) for column in zip(*cells, strict=True)]
    room = max(_LEAST_NAME, width - sum(widths))
    names = ["", *(entry.name for entry in plot.places)]
    names = [name if len(name) <= room else f"{name[: room - 1]}…" for name in names]
    longest = max(map(len, names))
    return [name.ljust(longest) + "".join(map(str.rjust, row, widths)) for name, row in zip(names, cells, strict=True)]


def _cut(rows: list[str], most: int) -> list[str]:
    """Return so many lines, the last of which says how many more there are."""
    if len(rows) <= most or most < 2:
        return rows[: max(most, 0)]
    return [*rows[: most - 1], f"and {len(rows) - most + 1} more"]
