"""What networks for named entities found: each model's precision, recall and F, and which differences are real."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from pydantic import Field

from termgauge.tasks.ner.corpus import Size
from termgauge.tasks.ner.differences import compare_models
from termgauge.tasks.ner.measure import settings_of
from termgauge.tasks.ner.tags import DECODINGS
from termgauge.tasks.ner.training import EpochRecord
from termgauge.tasks.results import DifferenceRecord, Ends, Finite, Record, Result, Value, wins_and_losses

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from termgauge.tasks.contract import Testing
    from termgauge.tasks.ner.corpus import Corpus
    from termgauge.tasks.ner.differences import TestedF
    from termgauge.tasks.ner.measure import ModelTrials, TrialRecord
    from termgauge.tasks.ner.tags import Counts, Decoding, EntityScore
    from termgauge.tasks.ner.task import NerInputs, NerOptions

Over = Literal["sentences", "trials"]


class TypeMeans(Record):
    """The scores of one type of entity, each the mean over trials."""

    f: float
    precision: float
    recall: float
    entities: int
    """How many there are in the test sentences."""


class NerScores(Record):
    """What networks found that began with one model's vectors; each score is the mean over trials."""

    f: float
    f_sd: Finite
    """The sample standard deviation over trials; None for one trial."""
    precision: float
    recall: float
    trials: list[float]
    """F of each trial."""
    per_type: dict[str, TypeMeans]
    vocabulary: float
    """Which share of the test tokens has a vector."""
    f_interval: Ends
    """Of these very networks on other sentences."""
    f_interval_trials: Ends
    """On other sentences, and trained anew; undefined for one trial."""
    wins: int
    losses: int
    decodings: dict[str, float]
    """F by each decoding."""
    devel_f: Finite = None
    """F on the part devel after the last epoch, by the decoding of the profile."""
    seeds: list[int]
    device: list[str]
    note: str = Field("", exclude_if=lambda note: not note)
    """How vectors of tokens were made, where that is not plain."""
    curves: list[list[EpochRecord]]
    """Of each trial, one entry for each epoch."""


class NerDifference(DifferenceRecord):
    """The difference of two models in F."""

    over: Over
    """What was resampled: sentences, or sentences with all networks trained anew."""


class NerCorpus(Record):
    """What was found on one corpus."""

    types: list[str]
    sentences: int
    """Of the part test."""
    models: dict[str, NerScores]
    differences: list[NerDifference]
    parts: dict[str, Size]
    sha256: str
    resamples: int
    notes: list[str]

    @property
    def tested(self) -> Over:
        """Which differences count: those over trials, where all models have several."""
        return "trials" if all(len(model.trials) > 1 for model in self.models.values()) else "sentences"


class NerResult(Result):
    """What networks found on corpora of named entities. Scores are between 0 and 1."""

    corpora: dict[str, NerCorpus]
    profile: str
    decoding: str
    epochs: int
    frozen: bool
    max_words: int | None
    seed: int
    alpha: float
    correction: str

    def values(self) -> Iterator[Value]:
        """Yield F with its interval, precision, recall and the share in vocabulary, for each corpus; F of each type."""
        for name, corpus in self.corpora.items():
            for model, scores in corpus.models.items():
                ends = scores.f_interval_trials if corpus.tested == "trials" else scores.f_interval
                yield Value(model, "f", scores.f, *ends, corpus.sentences, name)
                for statistic in ("precision", "recall", "vocabulary"):
                    yield Value(model, statistic, getattr(scores, statistic), n=corpus.sentences, item=name)
                if len(corpus.types) > 1:
                    for kind, score in scores.per_type.items():
                        yield Value(model, "f", score.f, n=score.entities, item=f"{name}: {kind}")


def combined(measured: Mapping[str, ModelTrials], inputs: NerInputs, options: NerOptions) -> NerResult:
    """Score what was tagged, and test the differences."""
    decoding: Decoding = options.decoding or settings_of(options).decoding
    testing = inputs.testing
    return NerResult(
        corpora={
            name: _corpus({model: trials.on(corpus) for model, trials in measured.items()}, corpus, decoding, testing)
            for name, corpus in inputs.corpora.items()
        },
        **options.model_dump(include={"profile", "epochs", "frozen", "max_words"}),
        **testing.model_dump(include={"seed", "alpha", "correction"}),
        decoding=decoding,
    )


def _corpus(
    trials: Mapping[str, Sequence[TrialRecord]], corpus: Corpus, decoding: Decoding, testing: Testing
) -> NerCorpus:
    counts = {
        model: {method: [trial.counts(corpus, method) for trial in some] for method in DECODINGS}
        for model, some in trials.items()
    }
    tested = compare_models(
        list(trials),
        [[trial_counts.of_sentences() for trial_counts in counts[model][decoding]] for model in trials],
        alpha=testing.alpha,
        correction=testing.correction,
        seed=testing.seed,
    )
    differences = [
        NerDifference(over=over, **difference.model_dump())
        for over, some in (("sentences", tested.over_sentences), ("trials", tested.over_trials))
        for difference in some
    ]
    several = all(len(some) > 1 for some in trials.values())
    real = tested.over_trials if several else tested.over_sentences
    return NerCorpus(
        types=list(corpus.types),
        sentences=corpus.test.count,
        models={
            score.model: _scores(score, trials[score.model], counts[score.model], decoding, real)
            for score in tested.models
        },
        differences=differences,
        parts={part: corpus.size(part) for part in corpus.parts},
        sha256=corpus.sha256,
        resamples=tested.resamples,
        notes=list(corpus.notes),
    )


def _scores(
    tested: TestedF,
    trials: Sequence[TrialRecord],
    counts: Mapping[Decoding, Sequence[Counts]],
    decoding: Decoding,
    real: Sequence[DifferenceRecord],
) -> NerScores:
    scores = {method: [trial_counts.scores() for trial_counts in some] for method, some in counts.items()}
    chosen = scores[decoding]
    overall = _mean([trial_scores.overall for trial_scores in chosen])
    wins, losses = wins_and_losses(tested.model, real)
    last = [trial.curve[-1].devel_f for trial in trials if trial.curve]
    values = [value for value in last if value is not None]
    return NerScores(
        f=tested.f,
        f_sd=tested.f_sd,
        precision=overall["precision"],
        recall=overall["recall"],
        trials=list(tested.trials),
        per_type={
            kind: TypeMeans(**_mean([trial_scores.per_type[kind] for trial_scores in chosen]), entities=score.gold)
            for kind, score in chosen[0].per_type.items()
        },
        vocabulary=trials[0].vocabulary,
        f_interval=tuple(tested.over_sentences),
        f_interval_trials=tuple(tested.over_trials),
        wins=wins,
        losses=losses,
        decodings={method: _mean([score.overall for score in some])["f"] for method, some in scores.items()},
        devel_f=sum(values) / len(values) if values else None,
        seeds=[trial.seed for trial in trials],
        device=sorted({trial.device for trial in trials}),
        note=trials[0].note,
        curves=[trial.curve for trial in trials],
    )


def _mean(scores: Sequence[EntityScore]) -> dict[str, float]:
    return {name: sum(getattr(score, name) for score in scores) / len(scores) for name in ("f", "precision", "recall")}
