"""Trials of a model on a corpus, and what all models found: precision, recall and F, and which differences are real.

A network is trained for each trial. The tags that each decoding gives the test sentences are kept, packed, and not the
scores: so a change of decoding, of tests or of the number of trials trains nothing again.

Two things vary: which documents a corpus happens to have, and how a network happens to be trained. Sentences of one
document are alike, so documents are the units; where a corpus does not say where they begin, each sentence is one. The
variance between trials is added to that over documents, less what trials do differently in single sentences, which is
in both. The degrees of freedom of both allow for how little three trials say.
"""

from __future__ import annotations

import base64
import zlib
from dataclasses import asdict
from functools import partial
from itertools import chain, groupby
from statistics import stdev
from typing import TYPE_CHECKING, Literal

import numpy as np
from pydantic import Field

from termgauge.embeddings.libraries import library
from termgauge.similarity.torch_search import chosen_device
from termgauge.statistics.compare import SetOutcomes, compare
from termgauge.statistics.covariance import NO_UNIT, Units
from termgauge.statistics.estimators import Estimates, ratio
from termgauge.tasks.ner.corpus import Size
from termgauge.tasks.ner.network import NetworkSettings
from termgauge.tasks.ner.tags import DECODINGS, allowed_in, count_entities, decode
from termgauge.tasks.ner.training import EpochRecord, train
from termgauge.tasks.ner.vectors import token_vectors
from termgauge.tasks.results import DifferenceRecord, Ends, Finite, Record, Result, Value

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from termgauge.embeddings.model import Model
    from termgauge.statistics.comparison import SetComparison
    from termgauge.statistics.estimators import Groups, Matrix
    from termgauge.tasks.ner.corpus import Corpus
    from termgauge.tasks.ner.tags import Counts, Decoding, EntityScore
    from termgauge.tasks.ner.task import NerInputs, NerOptions
    from termgauge.tasks.ner.training import Trial
    from termgauge.tasks.ner.vectors import TokenVectors


class TrialRecord(Record):
    """A network that was trained, by the tags that it gives the test sentences."""

    corpus: str
    """The hash of what it was trained and tested on."""
    seed: int
    vocabulary: float
    """Which share of the test tokens has a vector."""
    note: str
    """How vectors of tokens were made, where that is not plain."""
    device: str
    tags: dict[str, str]
    """By decoding, the numbers of the test tokens' tags, packed."""
    curve: list[EpochRecord]

    def counts(self, corpus: Corpus, decoding: Decoding) -> Counts:
        """Return how many entities are right, predicted and there, in each test sentence."""
        return count_entities(corpus.test.tags, unpacked(self.tags[decoding]), corpus.test.starts, corpus.codes)


class ModelTrials(Record):
    """All trials of a model, or some."""

    trials: list[TrialRecord]

    def on(self, corpus: Corpus) -> list[TrialRecord]:
        """Return those on a corpus."""
        return [trial for trial in self.trials if trial.corpus == corpus.sha256]


def settings_of(options: NerOptions) -> NetworkSettings:
    """Return what the network is; curves are scored by the profile's own decoding, whichever is asked for."""
    return NetworkSettings.of(options.profile, epochs=options.epochs, frozen=options.frozen)


def made_from(corpus: Corpus, seed: int, options: NerOptions) -> list[object]:
    """Return what a trial is made from, the model aside."""
    return [corpus.sha256, seed, asdict(settings_of(options)), options.max_words]


def trials_of(
    model: Model, corpora: Mapping[str, Corpus], trials: Iterable[tuple[str, int]], options: NerOptions
) -> Iterator[TrialRecord]:
    """Train a network for each corpus and seed, those of a corpus together on a GPU, and yield what each says."""
    device = _device(options.device)
    for name, group in groupby(trials, lambda trial: trial[0]):
        corpus, seeds = corpora[name], [seed for _name, seed in group]
        tokens = chain.from_iterable(part.tokens for part in corpus.parts.values())
        vectors = token_vectors(model, tokens, options.max_words)
        for together in [[seed] for seed in seeds] if device == "cpu" else [seeds]:
            for trial in train(corpus, vectors, settings_of(options), together, device):
                yield _record(corpus, vectors, trial, device)


def _device(device: str) -> str:
    """Return where networks are trained; without torch, say how to get it."""
    library("torch", "Training for named entities", "ner")
    return chosen_device(device)


def _record(corpus: Corpus, vectors: TokenVectors, trial: Trial, device: str) -> TrialRecord:
    test, train_part = corpus.test, corpus.train
    allowed = allowed_in(train_part.tags, train_part.starts, len(corpus.tags))
    predictions = {decoding: decode(trial.log_probabilities, test.starts, decoding, allowed) for decoding in DECODINGS}
    return TrialRecord(
        corpus=corpus.sha256,
        seed=trial.seed,
        vocabulary=vectors.share_known(test.tokens),
        note=vectors.note,
        device=device,
        tags={decoding: packed(tags) for decoding, tags in predictions.items()},
        curve=trial.curve,
    )


def packed(numbers: NDArray[np.int32]) -> str:
    """Return numbers as a short text."""
    return base64.b85encode(zlib.compress(numbers.astype("<u2").tobytes(), 9)).decode("ascii")


def unpacked(text: str) -> NDArray[np.int32]:
    """Return the numbers of a short text."""
    return np.frombuffer(zlib.decompress(base64.b85decode(text)), "<u2").astype(np.int32)


Over = Literal["sentences", "trials"]
"""What would be others: sentences; or sentences, and all networks trained anew."""


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
    """Of these very networks on other documents."""
    f_interval_trials: Ends
    """On other documents, and trained anew; undefined for one trial."""
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
    """What would be others: sentences; or sentences, and all networks trained anew."""


class NerCorpus(Record):
    """What was found on one corpus."""

    types: list[str]
    sentences: int
    """Of the part test."""
    documents: int | None = None
    """Of the part test; None where the corpus does not say where they begin, and each sentence is taken as one."""
    models: dict[str, NerScores]
    differences: list[NerDifference]
    parts: dict[str, Size]
    sha256: str
    resamples: int | None = None
    """Of former versions: what is compared now needs none."""
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
    """Score what was tagged, and compare the models."""
    decoding: Decoding = options.decoding or settings_of(options).decoding
    testing = inputs.testing
    trials = {
        name: {model: networks.on(corpus) for model, networks in measured.items()}
        for name, corpus in inputs.corpora.items()
    }
    several = all(len(records) > 1 for models in trials.values() for records in models.values())
    overs: tuple[Over, ...] = ("sentences", "trials") if several else ("sentences",)
    outcomes: dict[Over, list[SetOutcomes]] = {over: [] for over in overs}
    first = 0
    for name, corpus in inputs.corpora.items():
        counts = {
            model: [trial.counts(corpus, decoding).of_sentences() for trial in records]
            for model, records in trials[name].items()
        }
        for over, sets in outcomes.items():
            sets.append(outcomes_of(name, counts, corpus.test.documents, first=first, trained_anew=over == "trials"))
        first += corpus.test.count
    asked = testing.model_dump(include={"alpha", "correction", "margin"})
    compared = {over: compare(sets, **asked, min_coverage=0.0) for over, sets in outcomes.items()}
    corpora = {}
    for name, corpus in inputs.corpora.items():
        comparisons = {over: comparison.by_set[name] for over, comparison in compared.items()}
        corpora[name] = NerCorpus(
            types=list(corpus.types),
            sentences=corpus.test.count,
            documents=corpus.test.document_count,
            models={
                model: _scores(model, records, corpus, decoding, comparisons) for model, records in trials[name].items()
            },
            differences=[
                NerDifference.of(row, over=over)
                for over, comparison in comparisons.items()
                for row in comparison.differences
            ],
            parts={part: corpus.size(part) for part in corpus.parts},
            sha256=corpus.sha256,
            notes=list(corpus.notes),
        )
    return NerResult(
        corpora=corpora,
        **options.model_dump(include={"profile", "epochs", "frozen", "max_words"}),
        **testing.model_dump(include={"seed", "alpha", "correction"}),
        decoding=decoding,
        joint=compared[overs[-1]].main,
    )


def _scores(
    model: str,
    trials: Sequence[TrialRecord],
    corpus: Corpus,
    decoding: Decoding,
    compared: Mapping[Over, SetComparison],
) -> NerScores:
    scores = {method: [trial.counts(corpus, method).scores() for trial in trials] for method in DECODINGS}
    chosen = scores[decoding]
    shares = [score.overall.f for score in chosen]
    estimates = {over: comparison.by_model[model] for over, comparison in compared.items()}
    ends = {over: (estimate.low, estimate.high) for over, estimate in estimates.items()}
    wins, losses = [*compared.values()][-1].counts[model]
    last = [trial.curve[-1].devel_f for trial in trials if trial.curve]
    devel = [share for share in last if share is not None]
    return NerScores(
        **_mean([score.overall for score in chosen]),
        f_sd=stdev(shares) if len(shares) > 1 else None,
        trials=shares,
        per_type={
            kind: TypeMeans(**_mean([score.per_type[kind] for score in chosen]), entities=first.gold)
            for kind, first in chosen[0].per_type.items()
        },
        vocabulary=trials[0].vocabulary,
        f_interval=ends["sentences"],
        f_interval_trials=ends.get("trials", (None, None)),
        wins=wins,
        losses=losses,
        decodings={method: _mean([score.overall for score in parts])["f"] for method, parts in scores.items()},
        devel_f=sum(devel) / len(devel) if devel else None,
        seeds=[trial.seed for trial in trials],
        device=sorted({trial.device for trial in trials}),
        note=trials[0].note,
        curves=[trial.curve for trial in trials],
    )


def _mean(scores: Sequence[EntityScore]) -> dict[str, float]:
    return {name: sum(getattr(score, name) for score in scores) / len(scores) for name in ("f", "precision", "recall")}


def outcomes_of(
    name: str,
    counts: Mapping[str, Sequence[NDArray[np.int32]]],
    documents: NDArray[np.int64] | None,
    *,
    first: int = 0,
    trained_anew: bool = False,
) -> SetOutcomes:
    """Return what networks found in the sentences of a corpus, whose documents are numbered from `first`, or not known.

    `counts` has for each model and trial how many entities of each sentence are right, predicted and in the gold
    standard (sentences x 3). `trained_anew` asks what there would be with networks that are trained anew.
    """
    values = {}
    for model, trials in counts.items():
        right, predicted, gold = np.moveaxis(np.stack(trials, axis=1).astype(np.float64), 2, 0)
        values[model] = np.stack([2 * right, predicted + gold], axis=2)
    sentences = len(next(iter(values.values())))
    numbers = first + (np.arange(sentences) if documents is None else documents)
    units = Units(numbers, np.full(sentences, NO_UNIT))
    estimator = partial(mean_f, trained_anew=trained_anew)
    return SetOutcomes(name, "ratio", units, np.zeros(0), values, label="F", estimator=estimator)


def mean_f(values: Matrix, _truth: Matrix, *, trained_anew: bool) -> Estimates:
    """Return the mean F of each model's trials.

    `values` are models x sentences x trials x 2: twice what is right, and what is predicted or in the gold standard.
    """
    models, sentences, trials, _ = values.shape
    above, below = np.moveaxis(values, (3, 2), (0, 2)).reshape(2, models * trials, sentences)
    networks = ratio(above, below)

    def of_trials(table: Matrix) -> Matrix:
        return table.reshape(models, trials, -1)

    def without(groups: Groups) -> Matrix:
        return np.asarray(of_trials(networks.without(groups)).mean(axis=1))

    means, influence = of_trials(networks.values)[:, :, 0], of_trials(networks.influence)
    training = None
    if trained_anew:
        between = means.var(axis=1, ddof=1)
        within = np.square(influence.std(axis=1, ddof=1) / sentences).sum(axis=1)
        uncertain = np.square(between / trials) / (trials - 1)
        training = np.stack([np.maximum(0.0, between - within) / trials, uncertain], axis=1)
    return Estimates(means.mean(axis=1), influence.mean(axis=1), np.zeros(sentences, np.int64), without, training)
