"""How models link terms to concepts: what they reach, on which queries, who beats whom, and wrong answers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from termgauge.plurals import numbered, plural
from termgauge.reporting.blocks import Cell, Column, Figure, Interval, Prose, Section, Table, WinsLosses, block_id
from termgauge.reporting.plots.dots import Dot, DotPanel, DotPlot
from termgauge.reporting.standard import ranking_table, verdict_prose
from termgauge.reporting.words import capitalised, corrected, counted, decimal, headed, number, plain, share
from termgauge.tasks.linking.questions import BRANCH, DISTANCE, TAG, WORDS
from termgauge.tasks.linking.result import EXAMPLES
from termgauge.tasks.shown import baseline_key, best_models, left_out_note, model_look, superscript_note

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from termgauge.reporting.blocks import Block
    from termgauge.tasks.contract import About
    from termgauge.tasks.linking.result import Group, LinkingFigures, LinkingResult, Measure

_FEWEST = 10
_BEST = ("Nearest concept", "Second", "Third")
_RANK = Column.count("Rank", "of the right concept; empty if it has none")
_MOST_GROUPS = 30
_MOST_DRAWN = 12
_WAYS = {
    TAG: ("Semantic tag", "by the semantic tag of the right concept"),
    BRANCH: ("Branch", "by the branch of the hierarchy in which the right concept is"),
    DISTANCE: ("Edit distance", "by the edit distance of the query to the nearest right name"),
    WORDS: ("Words", "by the number of words of the query"),
}
_SEVERAL = "A query may be in several groups, or in none."


def linking_sections(result: LinkingResult, about: About) -> Iterator[Section]:
    """Yield what was found about linking."""
    name, order = about.name, _order(result)
    verdict = [verdict_prose(result.joint)] if result.joint else []
    values = _figure(name, result, order), _values(name, result, order)
    main: list[Block] = [*verdict, Prose(tuple(_about(result))), *values]
    if result.joint:
        main.append(ranking_table(result.joint, block_id("linking", name)))
    if result.differences:
        main.append(_differences(name, result))
    yield Section(block_id("linking", name), headed("Linking terms to concepts", name), tuple(main))
    groups = [block for way in result.groups for block in _groups(name, result, way, order)]
    if groups:
        at = result.k[0]
        text = (
            f"Accuracy at {at} on parts of the queries. Where it falls with the edit distance, a model goes by letters "
            "more than by meaning. Intervals allow for concepts, as above."
        )
        yield Section(block_id("linking-groups", name), "Which queries are linked", (Prose((text,)), *groups), level=3)
    if any(model.answers for model in result.models.values()):
        answers = _answers(name, result, order)
        yield Section(block_id("linking-answers", name), "Mentions and their best concepts", (answers,), level=3)
    if any(model.wrong for model in result.everyone.values()):
        wrong = _wrong_answers(name, result, order)
        yield Section(block_id("linking-wrong", name), "Nearest wrong answers", (wrong,), level=3)


def _order(result: LinkingResult) -> list[str]:
    """Return the models by their first measure, then the baselines."""
    first = result.measures[0]
    return [
        name
        for some in (result.models, result.baselines)
        for name in sorted(some, key=lambda each: (-some[each].measured(first)[0], -some[each].mrr))
    ]


def _about(result: LinkingResult) -> Iterator[str]:
    names = numbered(
        result.index, *(["preferred name"] if result.index_of == "names" else ["name", "names and synonyms"])
    )
    are = plural(result.queries, "is", "are")
    drawn = f", drawn from {number(result.queries_found)}," if result.queries < result.queries_found else ""
    if result.own_queries:
        asked = f"{numbered(result.queries, 'mention')} from a file{drawn} {are} looked for"
    elif result.index_of == "names":
        what = plural(result.queries, "that is no preferred name", "that are no preferred names")
        asked = f"{numbered(result.queries, 'synonym')}{drawn} {what} {are} looked for"
    else:
        own = "each with its own text left out of the index,"
        asked = f"{numbered(result.queries, 'term')}{drawn} {are} looked for, {own}"
    yield (
        f"{asked} among {names} of {numbered(result.concepts, 'concept')} "
        f"({plain(result.terminology)}). A concept scores as its best name does, by cosine; all names are compared."
    )
    yield (
        "Accuracy at k is the share of queries whose right concept is among the first k; MRR is the mean of 1 / rank. "
        "A query that cannot be encoded counts as wrong, and a name that cannot be encoded is found by nobody."
    )
    if result.ambiguous:
        yield (
            f"{counted(result.ambiguous, 'query means', 'queries mean').capitalize()} several concepts, each of which "
            "is right."
        )
    if result.unanswerable:
        yield (
            f"{numbered(result.unanswerable, 'query', 'queries')} cannot be answered, because the right concept has no "
            f"other name; {plural(result.unanswerable, 'it counts', 'they count')} as wrong for all models."
        )
    if unknown := len(result.unknown_concepts):
        yield (
            f"{numbered(unknown, 'id of the file is no active concept', 'ids of the file are no active concepts')} of "
            f"the terminology; {plural(unknown, 'its', 'their')} lines were left out."
        )
    yield from left_out_note([*result.left_out, *result.baselines_left_out])


def _title(measure: Measure) -> str:
    return "MRR" if measure.k is None else f"Accuracy at {measure.k}"


def _figure(name: str, result: LinkingResult, order: Sequence[str]) -> Figure:
    panels = []
    for measure in result.measures:
        dots = {}
        for model in order:
            value, ends = result.everyone[model].measured(measure)
            look = model_look(baseline=result.is_baseline(model))
            dots[model] = [Dot(value, *ends, *look, f"{model}: {decimal(value, 3)}")]
        panels.append(DotPanel((_title(measure),), dots))
    key = baseline_key(baselines=any(map(result.is_baseline, order)))
    first = result.measures[0]
    described = "; ".join(f"{model} {decimal(result.everyone[model].measured(first)[0], 3)}" for model in order)
    return Figure(
        id=block_id("linking-dots", name),
        caption=f"What models reach, with intervals at level {1 - result.alpha:g} over concepts.",
        description=f"{_title(first)}: {described}.",
        draw=DotPlot(panels, order, "share of queries; MRR: mean of 1 / rank", key, most=1.0, least=0.0).draw,
        data=_frame(result, order),
    )


def _frame(result: LinkingResult, order: Sequence[str]) -> pl.DataFrame:
    rows = []
    for model in order:
        for measure in result.measures:
            value, ends = result.everyone[model].measured(measure)
            rows.append((model, result.is_baseline(model), *measure, value, *ends))
    columns = ["model", "baseline", "statistic", "k", "value", "low", "high"]
    return pl.DataFrame(rows, columns, orient="row", infer_schema_length=None)


def _values(name: str, result: LinkingResult, order: Sequence[str]) -> Table:
    best = {}
    for measure in result.measures:
        values = {model: figures.measured(measure)[0] for model, figures in result.models.items()}
        best[measure] = best_models(
            [values],
            (difference for difference in result.differences if (difference.statistic, difference.k) == measure),
        )
    rows = []
    for model in order:
        figures = result.everyone[model]
        named = Cell(model, note="a baseline" if result.is_baseline(model) else "")
        cells = (_cell(figures, measure, best=model in best[measure]) for measure in result.measures)
        rows.append((named, *cells, figures.unscored, figures.index_unscored))
    level = (
        f"Intervals at level {1 - result.alpha:g} and tests allow for queries of one concept, which depend on each "
        f"other: {numbered(result.clusters, 'concept')}."
    )
    shown = f"Baselines beside the models: {', '.join(map(plain, result.baselines))}; two of them are not compared."
    beside = [shown] if result.baselines else []
    return Table.from_rows(
        block_id("linking-values", name),
        "How often the right concept is among the first k, and the mean reciprocal rank.",
        (
            "Model",
            *(Column.number(_title(measure)) for measure in result.measures),
            Column.count("Queries", "they count as wrong", "No vector"),
            Column.count("Names", "they are not in the model's index", "No vector"),
        ),
        rows,
        notes=(level, *superscript_note(result.everyone, result.correction), *beside),
        data=_frame(result, order),
    )


def _cell(figures: LinkingFigures, measure: Measure, *, best: bool) -> Cell:
    value, ends = figures.measured(measure)
    against = WinsLosses(figures.wins.get(measure.key, 0), figures.losses.get(measure.key, 0))
    return Cell.number(value, against=against, interval=Interval.known(*ends), best=best)


def _differences(name: str, result: LinkingResult) -> Table:
    exact = "exact test of accuracy at 1, which takes queries as independent; the p beside it decides"
    rows = (
        (
            "MRR" if difference.k is None else f"accuracy at {difference.k}",
            difference.one,
            difference.other,
            Cell.number(difference.difference, signed=True, interval=Interval.known(difference.low, difference.high)),
            difference.p_value,
            difference.adjusted_p,
            "yes" if difference.significant else "no",
            difference.mcnemar_adjusted_p,
        )
        for difference in result.differences
    )
    return Table.from_rows(
        block_id("linking-differences", name),
        "Differences of any two models, and of models and baselines.",
        (
            "Measure",
            "Model",
            "Other",
            Column.number("Difference"),
            Column.number("p", 4, "concepts, not queries, count as independent"),
            Column.number("p, corrected", 4, corrected(result.correction)),
            "Significant",
            Column.number("McNemar, corrected", 4, exact),
        ),
        rows,
        data=pl.DataFrame([each.model_dump() for each in result.differences], infer_schema_length=None),
        folded=True,
    )


def _groups(name: str, result: LinkingResult, way: str, order: Sequence[str]) -> list[Block]:
    heading, by = _WAYS.get(way, (way, f"by {way}"))
    groups = result.groups[way]
    large = [group for group in groups if group.queries >= min(_FEWEST, max(each.queries for each in groups))]
    shown = large[:_MOST_GROUPS]
    notes = [_SEVERAL] if way in (TAG, BRANCH) else []
    if more := len(groups) - len(shown):
        notes.append(
            f"{capitalised(counted(more, 'small group is', 'small groups are'))} not shown; the data have all."
        )
    data = pl.DataFrame(
        [
            (group.title, group.queries, model, group.accuracy[model], *group.intervals[model])
            for group in groups
            for model in order
        ],
        ["group", "queries", "model", "accuracy", "low", "high"],
        orient="row",
        infer_schema_length=None,
    )
    drawn, at = {group.title: group for group in shown[:_MOST_DRAWN]}, result.k[0]
    panels = []
    for model in order:
        dots = {}
        for title, group in drawn.items():
            tip = f"{model}, {title}: {decimal(group.accuracy[model], 3)} of {number(group.queries)}"
            look = model_look(baseline=result.is_baseline(model))
            dots[title] = [Dot(group.accuracy[model], *group.intervals[model], *look, tip)]
        panels.append(DotPanel((model,), dots))
    described = "; ".join(f"{title} {share(group.accuracy[order[0]])}" for title, group in drawn.items())
    figure = Figure(
        id=block_id("linking-dots", way, name),
        caption=f"Accuracy at {at} {by}, a panel for each model.",
        description=f"{order[0]}: {described}.",
        draw=DotPlot(panels, list(drawn), f"accuracy at {at}", most=1.0, least=0.0).draw,
        data=data.filter(pl.col("group").is_in(list(drawn))),
        folded=way in (TAG, BRANCH),
    )

    def cell(group: Group, model: str) -> Cell:
        return Cell.number(group.accuracy[model], interval=Interval.known(*group.intervals[model]))

    table = Table.from_rows(
        block_id("linking", way, name),
        f"Accuracy at {at} {by}.",
        (heading, Column.count("Queries"), *map(Column.number, order)),
        ((group.title, group.queries, *(cell(group, model) for model in order)) for group in shown),
        notes,
        data=data,
        folded=len(shown) > _MOST_DRAWN,
    )
    return [figure, table]


def _answers(name: str, result: LinkingResult, order: Sequence[str]) -> Table:
    rows = []
    for model in order:
        for answer in result.everyone[model].answers[:EXAMPLES]:
            best = [Cell(f"{near.name} ({decimal(near.score, 2)})", note=near.concept) for near in answer.best]
            nearest = [*best, *["–"] * len(_BEST)][: len(_BEST)]
            rows.append((model, answer.query, ", ".join(answer.concepts), answer.rank, *nearest))
    more = f"The first {EXAMPLES} of {number(result.queries)} mentions are shown; the data have all, and more concepts."
    return Table.from_rows(
        block_id("linking-mentions", name),
        "What each mention is linked to: the names of the nearest concepts, with their scores.",
        ("Model", "Mention", "Right concept", _RANK, *_BEST),
        rows,
        notes=(more,) if result.queries > EXAMPLES else (),
        data=result.answers_frame(),
        folded=len(rows) > EXAMPLES,
    )


def _wrong_answers(name: str, result: LinkingResult, order: Sequence[str]) -> Table:
    wrong = [(model, answer) for model in order for answer in result.everyone[model].wrong]
    rows = (
        (
            model,
            answer.query,
            Cell(answer.answer, note=answer.answer_concept),
            answer.answer_score,
            Cell(answer.right or "–", note=", ".join(answer.concepts)),
            answer.right_score,
            answer.rank,
        )
        for model, answer in wrong
    )
    data = [{"model": model, **answer.model_dump(), "concepts": " ".join(answer.concepts)} for model, answer in wrong]
    return Table.from_rows(
        block_id("linking-wrong-answers", name),
        "Queries whose nearest concept is a wrong one, those with the nearest answers first.",
        (
            "Model",
            "Query",
            Column("Nearest name", note="of a wrong concept"),
            Column.number("Cosine", note="with the query; for baselines without vectors their own similarity"),
            Column("Right name", note="the best name of a right concept in the index"),
            Column.number("Cosine", note="of the right name"),
            _RANK,
        ),
        rows,
        notes=("Some wrong answers are synonyms that the terminology lacks, or duplicates in it.",),
        data=pl.DataFrame(data, infer_schema_length=None),
        folded=True,
    )
