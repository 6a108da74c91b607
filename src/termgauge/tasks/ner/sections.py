"""Named entities for people: a table of models for each corpus, its types of entities, and what was tested."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import polars as pl

from termgauge.plurals import numbered
from termgauge.reporting.blocks import Cell, Column, Figure, Prose, Section, Table, WinsLosses, block_id
from termgauge.reporting.plots.canvas import SERIES
from termgauge.reporting.plots.lines import curves as drawn_curves
from termgauge.reporting.standard import joint_blocks
from termgauge.reporting.words import bold, capitalised, counted, decimal, headed, listed, plain
from termgauge.tasks.ner.corpus import documents_in_words
from termgauge.tasks.ner.tags import DECODINGS
from termgauge.tasks.shown import best_models, left_out_note, percent_cell, style_of, superscript_note

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from termgauge.reporting.blocks import Block
    from termgauge.tasks.contract import About
    from termgauge.tasks.ner.measure import NerCorpus, NerResult, NerScores


_MOST_LINES = len(SERIES)
_CAPTIONS = {
    "devel_f": "F on the part devel, times 100, after each epoch, by the profile's own decoding; mean of the trials",
    "loss": "Loss in training, the mean over tokens, in each epoch; mean of the trials",
}


def curve_figures(
    name: str, corpus: str, result: NerResult, outcome: NerCorpus, order: Sequence[str]
) -> Iterator[Figure]:
    """Yield how F on devel, where there is that part, and the loss came about."""
    shown = list(order[:_MOST_LINES])
    more = f" The best {len(shown)} models." if len(shown) < len(order) else ""
    data = pl.DataFrame(
        [
            (model, trial + 1, epoch + 1, record.loss, record.devel_f, record.seconds)
            for model in order
            for trial, curve in enumerate(outcome.models[model].curves)
            for epoch, record in enumerate(curve)
        ],
        ["model", "trial", "epoch", "loss", "devel_f", "seconds"],
        orient="row",
        infer_schema_length=None,
    )
    means = data.group_by("model", "epoch").agg(pl.mean("loss"), pl.mean("devel_f") * 100).sort("epoch")
    for statistic, caption in _CAPTIONS.items():
        if result.epochs == 1 or data.filter(pl.col("model").is_in(shown))[statistic].null_count():
            continue
        curves = {model: means.filter(model=model)[statistic].to_list() for model in shown}
        described = (f"{model}: {line[0]:.3g} after one, {line[-1]:.3g} in the end" for model, line in curves.items())
        yield Figure(
            id=block_id("ner", statistic, name, corpus),
            caption=f"{caption}. {corpus}, profile {result.profile}.{more}",
            description=f"{'; '.join(described)}.",
            draw=drawn_curves(
                range(1, result.epochs + 1), curves, list(map(style_of, range(len(curves)))), "epoch", digits=3
            ).draw,
            data=data,
            folded=statistic == "loss" and outcome.parts.get("devel") is not None,
        )


_DIGITS = 2
"""Of scores in per cent, as the paper prints them."""
_FEW_TRIALS = 3
_score_cell = partial(percent_cell, digits=_DIGITS)


def ner_sections(result: NerResult, about: About) -> Iterator[Section]:
    """Yield what was found: what was done, and then one part for each corpus."""
    orders = {
        corpus: sorted(outcome.models, key=lambda model: -outcome.models[model].f)
        for corpus, outcome in result.corpora.items()
    }
    verdict = tuple(joint_blocks(result.joint, block_id("ner", about.name))) if result.joint else ()
    prose = Prose((_about(result), *left_out_note(result.left_out)))
    yield Section(
        block_id("ner", about.name), headed("Named entities", about.name), (*verdict[:1], prose, *verdict[1:])
    )
    for corpus, outcome in result.corpora.items():
        blocks = tuple(_blocks(about.name, corpus, result, outcome, orders[corpus]))
        yield Section(block_id("ner", about.name, corpus), f"Named entities in {corpus}", blocks, level=3)


def _about(result: NerResult) -> str:
    fixed = "kept as they were" if result.frozen else "trained with it"
    return (
        "With the vectors of each model a small network was trained that tags each token by a window of five tokens "
        f"({_made(result)}, {counted(result.epochs, 'epoch')}; vectors were {fixed}). An entity counts as found if its "
        "type, its first and its last token are right. F is the harmonic mean of precision and recall; all three are "
        "the means of the trials, times 100."
    )


def _made(result: NerResult) -> str:
    """Say what must be known of every table."""
    return f"profile {result.profile}, decoding {result.decoding}"


def _blocks(name: str, corpus: str, result: NerResult, outcome: NerCorpus, order: Sequence[str]) -> Iterator[Block]:
    yield Prose((_corpus(outcome), *outcome.notes))
    yield _main_table(name, corpus, result, outcome, order)
    if len(outcome.types) > 1:
        yield _type_table(name, corpus, result, outcome, order)
    yield from curve_figures(name, corpus, result, outcome, order)
    yield _decoding_table(name, corpus, result, outcome, order)


def _corpus(outcome: NerCorpus) -> str:
    sizes = [
        f"{part} {numbered(size.sentences, 'sentence')}, {numbered(size.tokens, 'token')} and "
        f"{numbered(size.entities, 'entity', 'entities')}"
        for part, size in outcome.parts.items()
    ]
    kinds = f"{counted(len(outcome.types), 'type')} of entities ({listed(map(plain, outcome.types))})"
    learnt = f"The corpus has {kinds}: {'; '.join(sizes)}. Networks learn from train and are scored on test."
    return f"{learnt} {documents_in_words(outcome.documents)}"


def _main_table(name: str, corpus: str, result: NerResult, outcome: NerCorpus, order: Sequence[str]) -> Table:
    counted_differences = (row for row in outcome.differences if row.over == outcome.tested)
    best = best_models([{model: scores.f for model, scores in outcome.models.items()}], counted_differences)

    def row(model: str, scores: NerScores) -> tuple[object, ...]:
        f = _score_cell(
            scores.f,
            ends=scores.f_interval_trials if outcome.tested == "trials" else scores.f_interval,
            best=model in best,
            against=WinsLosses(scores.wins, scores.losses),
            note=f"each trial: {', '.join(decimal(100 * share, _DIGITS, top=100.0) for share in scores.trials)}",
        )
        sd = _score_cell(scores.f_sd, top=None)
        return Cell(model, note=scores.note), f, sd, scores.precision, scores.recall, scores.vocabulary

    return Table.from_rows(
        block_id("ner-values", name, corpus),
        f"Named entities in {corpus}: {_made(result)}.",
        (
            "Model",
            _column("F", "mean of the trials, times 100"),
            _column("SD", "standard deviation of F over the trials"),
            _column("Precision", "share of the entities that were found which are right"),
            _column("Recall", "share of the entities in the test sentences that were found"),
            Column.share("In vocabulary", "share of the test tokens that have a vector"),
        ),
        [row(model, outcome.models[model]) for model in order],
        _notes(result, outcome),
        data=pl.DataFrame([_flat(model, outcome.models[model], result) for model in order], infer_schema_length=None),
    )


def _column(heading: str, note: str = "") -> Column:
    """Return a column of shares, times 100."""
    return Column(heading, numeric=True, note=note, cell=_score_cell)


def _notes(result: NerResult, outcome: NerCorpus) -> Iterator[str]:
    if outcome.tested == "trials":
        yield (
            f"Intervals at level {1 - result.alpha:g} say where F would lie in other texts of this kind, with all "
            "networks trained anew."
        )
    else:
        yield (
            f"Intervals at level {1 - result.alpha:g} are of these very networks: with one trial nothing is known of "
            "how much training varies."
        )
    yield from superscript_note(outcome.models, result.correction)
    trials = min(len(model.trials) for model in outcome.models.values())
    if trials < _FEW_TRIALS:
        made = "a single trial says" if trials == 1 else f"{counted(trials, 'trial')} say"
        yield f"{capitalised(made)} little about how much F varies with training: use at least {_FEW_TRIALS}."
    yield (
        "In vocabulary: tokens without a vector share one, so a model with few of the corpus's words is at a "
        "disadvantage that says little about the vectors that it has."
    )
    encoded = [bold(model) for model, scores in outcome.models.items() if scores.note]
    if encoded:
        notes = listed(dict.fromkeys(scores.note for scores in outcome.models.values() if scores.note))
        yield (
            f"{listed(encoded)}: {notes}, out of their sentences. Such a model is made for whole terms or texts; its "
            "place here says little about those."
        )


def _flat(model: str, scores: NerScores, result: NerResult) -> dict[str, object]:
    """Return all digits of a model."""
    return {
        "model": model,
        "profile": result.profile,
        "decoding": result.decoding,
        **{name: getattr(scores, name) for name in ("f", "f_sd", "precision", "recall", "vocabulary")},
        **{f"f_{end}": value for end, value in zip(("low", "high"), scores.f_interval, strict=True)},
        **{f"f_trials_{end}": value for end, value in zip(("low", "high"), scores.f_interval_trials, strict=True)},
        "trials": " ".join(map(str, scores.trials)),
    }


def _type_table(name: str, corpus: str, result: NerResult, outcome: NerCorpus, order: Sequence[str]) -> Table:
    rows, data = [], []
    for kind in outcome.types:
        scores = {model: outcome.models[model].per_type[kind] for model in order}
        highest = max(score.f for score in scores.values()) if len(order) > 1 else None
        for model, means in scores.items():
            first = (kind, means.entities) if model == order[0] else ("", None)
            rows.append((*first, model, _score_cell(means.f, best=means.f == highest), means.precision, means.recall))
            data.append({"type": kind, "model": model, **means.model_dump()})
    return Table.from_rows(
        block_id("ner-types", name, corpus),
        f"Each type of entity in {corpus}: {_made(result)}. Differences of single types are not tested.",
        (
            "Type",
            Column.count("Entities", "in the test sentences"),
            "Model",
            *map(_column, ("F", "Precision", "Recall")),
        ),
        rows,
        data=pl.DataFrame(data),
        sortable=False,
    )


def _decoding_table(name: str, corpus: str, result: NerResult, outcome: NerCorpus, order: Sequence[str]) -> Table:
    return Table.from_rows(
        block_id("ner-decodings", name, corpus),
        f"F of the same networks in {corpus} by each decoding: profile {result.profile}.",
        ("Model", *map(_column, DECODINGS)),
        ((model, *map(outcome.models[model].decodings.get, DECODINGS)) for model in order),
        ("Do not choose a decoding by what it gives on these sentences: that makes F look better than it is.",),
        data=pl.DataFrame([{"model": model, **outcome.models[model].decodings} for model in order]),
        folded=True,
    )
