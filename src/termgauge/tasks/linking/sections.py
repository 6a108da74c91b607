"""How models link terms to concepts: what they reach, on which queries, and wrong answers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from termgauge.plurals import numbered
from termgauge.reporting.blocks import Cell, Column, Prose, Section, Table, block_id
from termgauge.reporting.words import capitalised, decimal, number, plain
from termgauge.tasks.linking.questions import BRANCH, DISTANCE, TAG, WORDS
from termgauge.tasks.linking.result import ACCURACY, EXAMPLES
from termgauge.tasks.results import Value, at_k
from termgauge.tasks.shown import ShownValues, frame_of_rows, left_out_note, opening, testing_notes

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from termgauge.tasks.contract import About
    from termgauge.tasks.linking.result import LinkingResult

_FEWEST = 10
_MOST_GROUPS = 30
_BEST = ("Nearest concept", "Second", "Third")
_RANK = Column.count("Rank", "of the right concept; empty if it has none")
_WAYS = {TAG: "Semantic tag", BRANCH: "Branch", DISTANCE: "Edit distance", WORDS: "Words"}


def linking_sections(result: LinkingResult, about: About) -> Iterator[Section]:
    """Yield what was found about linking."""
    name, everyone, first = about.name, result.everyone, result.measures[0]
    order = sorted(
        everyone,
        key=lambda model: (model in result.baselines, -everyone[model].measured(first)[0], -everyone[model].mrr),
    )
    yield opening("linking", "Linking terms to concepts", name, result, _about(result), _values(name, result, order))
    if result.groups:
        text = (
            f"Accuracy at {result.k[0]} on parts of the queries. Where it falls with the edit distance, a model goes "
            "by letters more than by meaning. A query may have several tags or be in several branches, or in none."
        )
        groups = (_groups(name, result, way, order) for way in result.groups)
        yield Section(block_id("linking-groups", name), "Which queries are linked", (Prose((text,)), *groups), level=3)
    if any(model.answers for model in result.models.values()):
        answers = _answers(name, result, order)
        yield Section(block_id("linking-answers", name), "Mentions and their best concepts", (answers,), level=3)
    if any(model.wrong for model in result.everyone.values()):
        wrong = _wrong_answers(name, result, order)
        yield Section(block_id("linking-wrong", name), "Nearest wrong answers", (wrong,), level=3)


def _about(result: LinkingResult) -> Iterator[str]:
    asked = "mention" if result.own_queries else "synonym" if result.index_of == "names" else "term"
    drawn = f", drawn from {number(result.queries_found)}" if result.queries < result.queries_found else ""
    names = "preferred names" if result.index_of == "names" else "names and synonyms, without the query itself"
    yield (
        f"Queries: {numbered(result.queries, asked)}{drawn}. Index: {number(result.index)} {names}, of "
        f"{numbered(result.concepts, 'concept')} ({plain(result.terminology)}). A concept scores as its best name "
        "does, by cosine; all names are compared."
    )
    yield (
        "Accuracy at k is the share of queries whose right concept is among the first k; MRR is the mean of 1 / rank. "
        "A query that cannot be encoded counts as wrong, and a name that cannot be encoded is found by nobody."
    )
    counts = {
        "with several right concepts": result.ambiguous,
        "without any other name of the right concept (wrong for all models)": result.unanswerable,
        "left out, as the id is no active concept": len(result.unknown_concepts),
    }
    if remarks := "; ".join(f"{what}: {number(count)}" for what, count in counts.items() if count):
        yield f"Queries {remarks}."
    yield from left_out_note([*result.left_out, *result.baselines_left_out])


def _values(name: str, result: LinkingResult, order: Sequence[str]) -> Table:
    values = ShownValues(result.everyones_values(), result.differences, [result.models])
    rows = []
    for model in order:
        figures = result.everyone[model]
        named = Cell(model, note="a baseline" if result.is_baseline(model) else "")
        cells = (values.cell(model, at_k(measure.k), measure.statistic) for measure in result.measures)
        rows.append((named, *cells, figures.unscored, figures.index_unscored))
    data = [
        (model, result.is_baseline(model), *measure, *result.everyone[model].measured(measure))
        for model in order
        for measure in result.measures
    ]
    shown = ["Baselines stand beside the models; two of them are not compared."] if result.baselines else []
    return Table.from_rows(
        block_id("linking-values", name),
        "How often the right concept is among the first k, and the mean reciprocal rank.",
        (
            "Model",
            *(Column.number(capitalised(measure.label)) for measure in result.measures),
            Column.count("Queries", "they count as wrong", "No vector"),
            Column.count("Names", "they are not in the model's index", "No vector"),
        ),
        rows,
        (*testing_notes(result, f"queries of one concept ({numbered(result.clusters, 'concept')})"), *shown),
        data=frame_of_rows(data, ["model", "baseline", "statistic", "k", "value", "low", "high"]),
    )


def _groups(name: str, result: LinkingResult, way: str, order: Sequence[str]) -> Table:
    heading, groups = _WAYS.get(way, way), result.groups[way]
    least = min(_FEWEST, max(group.queries for group in groups))
    shown = [group for group in groups if group.queries >= least][:_MOST_GROUPS]
    values = [
        Value(model, ACCURACY, group.accuracy[model], *group.intervals[model], group.queries, group.title)
        for group in groups
        for model in order
    ]
    shown_values = ShownValues(values)
    rows = [
        (group.title, group.queries, *(shown_values.cell(model, group.title, ACCURACY) for model in order))
        for group in shown
    ]
    more = f"Small groups that are not shown: {len(groups) - len(shown)}. The data have all."
    return Table.from_rows(
        block_id("linking", way, name),
        f"Accuracy at {result.k[0]} by {heading.lower()}.",
        (heading, Column.count("Queries"), *map(Column.number, order)),
        rows,
        (more,) if len(shown) < len(groups) else (),
        data=frame_of_rows(
            ((value.item, value.n, value.model, value.value, value.low, value.high) for value in values),
            ["group", "queries", "model", "accuracy", "low", "high"],
        ),
        folded=way in (TAG, BRANCH),
    )


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
    score = Column.number("Score", note="with the query: the cosine; of baselines without vectors their own similarity")
    return Table.from_rows(
        block_id("linking-wrong-answers", name),
        "Queries whose nearest concept is a wrong one, those with the nearest answers first.",
        ("Model", "Query", "Nearest name", score, "Right name", score, _RANK),
        rows,
        notes=("Some wrong answers are synonyms that the terminology lacks, or duplicates in it.",),
        data=pl.DataFrame(data, infer_schema_length=None),
        folded=True,
    )
