"""How well does an embedding know medical terminology?"""

# Made by docs/make_reference.py.
import os
from collections.abc import Collection, Iterable, Sequence
from os import PathLike
from typing import Any, Literal

from termgauge.benchmark.human.sets import human_sets as human_sets
from termgauge.benchmark.human.sets import load_human as load_human
from termgauge.benchmark.load import Benchmark as Benchmark
from termgauge.benchmark.load import load_benchmark as load_benchmark
from termgauge.benchmark.pair_table import read_pairs as read_pairs
from termgauge.benchmark.pairset import PairSet as PairSet
from termgauge.cluster.connect import on_cluster as on_cluster
from termgauge.corpus.training import Training as Training
from termgauge.corpus.word_pairs import WordPairs as WordPairs
from termgauge.corpus.words import Words as Words
from termgauge.domain.domain import Domain as Domain
from termgauge.domain.domain import make_domain as make_domain
from termgauge.domain.domain import read_domain as read_domain
from termgauge.embeddings.load import load_model as load_model
from termgauge.embeddings.neighbours import neighbours as neighbours
from termgauge.embeddings.objects import as_model as as_model
from termgauge.engine.diff import diff as diff
from termgauge.engine.evaluate import compare as compare
from termgauge.engine.evaluate import errors as errors
from termgauge.engine.evaluate import evaluate as evaluate
from termgauge.engine.file import init as init
from termgauge.engine.leaderboard import leaderboard as leaderboard
from termgauge.engine.report import report as report
from termgauge.engine.runner import run as run
from termgauge.exceptions import TermgaugeError as TermgaugeError
from termgauge.exceptions import TermgaugeWarning as TermgaugeWarning
from termgauge.integrations.export import Exported as Exported
from termgauge.io.tables import read_table as read_table
from termgauge.progress import show_progress as show_progress
from termgauge.statistics.compare import compare_outcomes as compare_outcomes
from termgauge.studies.agreement.compute import AgreementResult as AgreementResult
from termgauge.studies.decisions import decisions as decisions
from termgauge.studies.folder import Study as Study
from termgauge.studies.folder import open_study as open_study
from termgauge.studies.ratings import Ratings as Ratings
from termgauge.studies.ratings import read_ratings as read_ratings
from termgauge.tasks.analogies.result import AnalogyResult as AnalogyResult
from termgauge.tasks.audit.result import AuditResult as AuditResult
from termgauge.tasks.categories.result import CategoryResult as CategoryResult
from termgauge.tasks.coverage.result import CoverageResult as CoverageResult
from termgauge.tasks.linking.result import LinkingResult as LinkingResult
from termgauge.tasks.ner.measure import NerResult as NerResult
from termgauge.tasks.ner.score_file import score_entities as score_entities
from termgauge.tasks.prediction.correlate import PredictionResult as PredictionResult
from termgauge.tasks.subsets.result import SubsetsResult as SubsetsResult
from termgauge.tasks.vocabulary.measure import VocabularyResult as VocabularyResult
from termgauge.terminology import Terminology as Terminology
from termgauge.terminology.check import CheckedTerminology as CheckedTerminology
from termgauge.terminology.model import Terminology as Terminology

__version__: str

def agreement(
    ratings: str | os.PathLike[str] | Ratings,
    *,
    scale: str | None = None,
    raters: str | None = None,
    rule: Literal['others', 'simlex', 'none'] | None = None,
    groups: Literal['one', 'sets'] | None = None,
    common_pairs: bool = False,
    calibrate: bool = False,
    resamples: int = 2000,
    seed: int = 42,
    width: float = 2.0,
    rho_width: float = 0.1,
) -> AgreementResult: ...
def analogies(
    source: Any = ...,
    models: Any = ...,
    *,
    terminology: Any = ...,
    model: Any = ...,
    client: Any = ...,
    shared: bool = ...,
    concepts: Collection[str] | None = ...,
    concept: Collection[str] | None = ...,
    branches: Collection[str] | None = ...,
    branch: Collection[str] | None = ...,
    lists: Collection[str | PathLike[str]] | None = ...,
    list: Collection[str | PathLike[str]] | None = ...,
    texts: Collection[str | PathLike[str]] | None = ...,
    text: Collection[str | PathLike[str]] | None = ...,
    hops: int | None = ...,
    include_relations: Collection[str] | None = ...,
    follow: Collection[str] | None = ...,
    exclude_relations: Collection[str] | None = ...,
    ignore: Collection[str] | None = ...,
    best: int | None = ...,
    semantic_types: Collection[str] | None = ...,
    semantic_type: Collection[str] | None = ...,
    domain: str | PathLike[str] | Any | None = ...,
    save_domain: str | PathLike[str] | None = ...,
    labels: Literal['first', 'all'] | None = ...,
    labels_order: Literal['rank', 'file'] | None = ...,
    join: str | None = ...,
    lowercase: bool | None = ...,
    relations: Collection[str] | None = ...,
    relation: Collection[str] | None = ...,
    inverse: bool | None = ...,
    k: Collection[int] | None = ...,
    method: Literal['add', 'mul', 'direction'] | None = ...,
    outcomes: str | PathLike[str] | None = ...,
    alpha: float | None = ...,
    correction: Literal['bonferroni', 'holm', 'none'] | None = ...,
    margin: float | None = ...,
    seed: int | None = ...,
    format: str | None = ...,
    source_format: str | None = ...,
    language: str | None = ...,
    dialect: str | None = ...,
    release: str | None = ...,
    vocabularies: str | Collection[str] | None = ...,
    vocabulary: str | Collection[str] | None = ...,
    suppressed: bool | None = ...,
    resource: str | None = ...,
    relation_table: str | PathLike[str] | None = ...,
    cache: bool | None = ...,
) -> AnalogyResult: ...
def audit(
    source: Any = ...,
    models: Any = ...,
    *,
    terminology: Any = ...,
    model: Any = ...,
    client: Any = ...,
    shared: bool = ...,
    first: int | None = ...,
    most: int | None = ...,
    seed: int | None = ...,
    format: str | None = ...,
    source_format: str | None = ...,
    language: str | None = ...,
    dialect: str | None = ...,
    release: str | None = ...,
    vocabularies: str | Collection[str] | None = ...,
    vocabulary: str | Collection[str] | None = ...,
    suppressed: bool | None = ...,
    resource: str | None = ...,
    relation_table: str | PathLike[str] | None = ...,
    cache: bool | None = ...,
) -> AuditResult: ...
def build(
    source: Terminology | str | os.PathLike[str] | Iterable[str | os.PathLike[str]] | Sequence[Terminology | str | os.PathLike[str] | Iterable[str | os.PathLike[str]]],
    out: str | os.PathLike[str],
    *,
    across: bool = False,
    format: str = 'tsv',
    force: bool = False,
    licence: str = 'other',
    source_format: str | None = None,
    client: Any = None,
    shared: bool = False,
    seed: int = 42,
    split_distance: int = 5,
    since: str | None = None,
    language: str = 'en',
    languages: list[str] = [],
    only: list[str] = [],
    scope: list[Literal['exact', 'related', 'narrow', 'broad', 'layperson']] = [],
    tag: str | None = None,
    under: str | None = None,
    max_pairs: int | None = None,
    without: str | None = None,
    mapping: list[str] = [],
    mapping_relation: list[Literal['exact', 'close', 'broad', 'narrow', 'related']] = ['exact'],
    dialect: str | None = None,
    release: str | None = None,
    vocabularies: list[str] = [],
    suppressed: bool = True,
    resource: str | None = None,
    relation_table: str | None = None,
    cache: bool = True,
) -> Benchmark: ...
def categories(
    source: Any = ...,
    close: Collection[str | PathLike[str]] | None = ...,
    far: str | PathLike[str] | None = ...,
    models: Any = ...,
    *,
    terminology: Any = ...,
    model: Any = ...,
    client: Any = ...,
    shared: bool = ...,
    measures: Collection[str] | None = ...,
    measure: Collection[str] | None = ...,
    names_only: bool | None = ...,
    drop_shared: bool | None = ...,
    max_terms: int | None = ...,
    alpha: float | None = ...,
    margin: float | None = ...,
    seed: int | None = ...,
    format: str | None = ...,
    source_format: str | None = ...,
    language: str | None = ...,
    dialect: str | None = ...,
    release: str | None = ...,
    vocabularies: str | Collection[str] | None = ...,
    vocabulary: str | Collection[str] | None = ...,
    suppressed: bool | None = ...,
    resource: str | None = ...,
    relation_table: str | PathLike[str] | None = ...,
    cache: bool | None = ...,
) -> CategoryResult: ...
def check_terminology(
    source: Terminology | str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
    *,
    format: str | None = None,
    language: str | None = None,
    dialect: str | None = None,
    release: str | None = None,
    vocabularies: list[str] = [],
    suppressed: bool = True,
    resource: str | None = None,
    relation_table: str | None = None,
    cache: bool = True,
) -> CheckedTerminology: ...
def coverage(
    source: Any = ...,
    models: Any = ...,
    *,
    terminology: Any = ...,
    model: Any = ...,
    client: Any = ...,
    shared: bool = ...,
    concepts: Collection[str] | None = ...,
    concept: Collection[str] | None = ...,
    branches: Collection[str] | None = ...,
    branch: Collection[str] | None = ...,
    lists: Collection[str | PathLike[str]] | None = ...,
    list: Collection[str | PathLike[str]] | None = ...,
    texts: Collection[str | PathLike[str]] | None = ...,
    text: Collection[str | PathLike[str]] | None = ...,
    hops: int | None = ...,
    include_relations: Collection[str] | None = ...,
    follow: Collection[str] | None = ...,
    exclude_relations: Collection[str] | None = ...,
    ignore: Collection[str] | None = ...,
    best: int | None = ...,
    semantic_types: Collection[str] | None = ...,
    semantic_type: Collection[str] | None = ...,
    domain: str | PathLike[str] | Any | None = ...,
    save_domain: str | PathLike[str] | None = ...,
    labels: Literal['first', 'all', 'max', 'medoid'] | None = ...,
    labels_order: Literal['rank', 'file'] | None = ...,
    join: str | None = ...,
    lowercase: bool | None = ...,
    drop_unlabelled: bool | None = ...,
    k: Collection[int] | None = ...,
    alpha: float | None = ...,
    correction: Literal['bonferroni', 'holm', 'none'] | None = ...,
    margin: float | None = ...,
    seed: int | None = ...,
    format: str | None = ...,
    source_format: str | None = ...,
    language: str | None = ...,
    dialect: str | None = ...,
    release: str | None = ...,
    vocabularies: str | Collection[str] | None = ...,
    vocabulary: str | Collection[str] | None = ...,
    suppressed: bool | None = ...,
    resource: str | None = ...,
    relation_table: str | PathLike[str] | None = ...,
    cache: bool | None = ...,
) -> CoverageResult: ...
def export(
    source: Any,
    to: str,
    out: str | os.PathLike[str],
    *,
    force: bool = False,
    data_dir: str | os.PathLike[str] | None = None,
    download: bool = True,
    licence: str | None = None,
    reference: str | None = None,
    split: str = '0.8,0.1,0.1',
    negatives: Literal['levenshtein', 'random', 'mined'] = 'levenshtein',
    per_positive: int = 1,
    seed: int = 42,
    model: str | None = None,
    terminology: list[str] = [],
) -> Exported: ...
def linking(
    source: Any = ...,
    models: Any = ...,
    *,
    terminology: Any = ...,
    model: Any = ...,
    client: Any = ...,
    shared: bool = ...,
    index: Literal['names', 'all'] | None = ...,
    k: Collection[int] | None = ...,
    queries: str | PathLike[str] | None = ...,
    out: str | PathLike[str] | None = ...,
    sample: int | None = ...,
    baselines: bool | None = ...,
    device: str | None = ...,
    alpha: float | None = ...,
    correction: Literal['bonferroni', 'holm', 'none'] | None = ...,
    margin: float | None = ...,
    seed: int | None = ...,
    format: str | None = ...,
    source_format: str | None = ...,
    language: str | None = ...,
    dialect: str | None = ...,
    release: str | None = ...,
    vocabularies: str | Collection[str] | None = ...,
    vocabulary: str | Collection[str] | None = ...,
    suppressed: bool | None = ...,
    resource: str | None = ...,
    relation_table: str | PathLike[str] | None = ...,
    cache: bool | None = ...,
) -> LinkingResult: ...
def ner(
    corpus: str | PathLike[str] | Collection[str | PathLike[str]] | None,
    models: Any = ...,
    *,
    model: Any = ...,
    out: str | PathLike[str] | None = ...,
    jobs: int = ...,
    client: Any = ...,
    shared: bool = ...,
    profile: Literal['code', 'paper'] | None = ...,
    trials: int | None = ...,
    epochs: int | None = ...,
    frozen: bool | None = ...,
    decoding: Literal['argmax', 'forward', 'viterbi'] | None = ...,
    max_words: int | None = ...,
    device: Literal['auto', 'cpu', 'cuda'] | None = ...,
    alpha: float | None = ...,
    correction: Literal['bonferroni', 'holm', 'none'] | None = ...,
    margin: float | None = ...,
    seed: int | None = ...,
) -> NerResult: ...
def new_study(
    folder: str | os.PathLike[str],
    pairs: Any,
    *,
    data_dir: Any = None,
    kind: Literal['similarity', 'relatedness', 'quality'] = 'similarity',
    seed: int = 42,
    raters: int | None = None,
    groups: int | None = None,
    pages: int | None = None,
    consistency: int | None = None,
    duplicates: int | None = None,
    per_label: int | None = None,
    title: str | None = None,
) -> Study: ...
def prediction(
    run: Any,
    *,
    extrinsic: str | Collection[str] | None = ...,
    intrinsic: str | Collection[str] | None = ...,
    pairs: Literal['shared', 'own'] | None = ...,
    correction: Literal['none', 'holm', 'bonferroni'] | None = ...,
    alpha: float | None = ...,
    measure: str | None = ...,
    statistic: Literal['auc', 'accuracy', 'ap', 'f1', 'spearman', 'pearson'] | None = ...,
) -> PredictionResult: ...
def read_terminology(
    source: Terminology | str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
    *,
    format: str | None = None,
    language: str | None = None,
    dialect: str | None = None,
    release: str | None = None,
    vocabularies: list[str] = [],
    suppressed: bool = True,
    resource: str | None = None,
    relation_table: str | None = None,
    cache: bool = True,
) -> Terminology: ...
def subsets(
    run: Any,
    *,
    source: Any = ...,
    terminology: Any = ...,
    property: str | PathLike[str] | None = ...,
    by: Literal['frequency', 'breadth', 'senses', 'spread', 'score', 'quarter', 'relation', 'edit-distance', 'words', 'depth'] | None = ...,
    column: str | None = ...,
    bands: float | Collection[float] | None = ...,
    corpus: str | PathLike[str] | Collection[str | PathLike[str]] | None = ...,
    missing: str | None = ...,
    several: Literal['lowest', 'highest', 'mean', 'whole'] | None = ...,
    word_class: Literal['noun', 'verb'] | None = ...,
    ratings: str | PathLike[str] | None = ...,
    sets: str | Collection[str] | None = ...,
    set: str | Collection[str] | None = ...,
    only_models: str | Collection[str] | None = ...,
    model: str | Collection[str] | None = ...,
    statistic: Literal['auc', 'accuracy'] | None = ...,
    alpha: float | None = ...,
    correction: Literal['bonferroni', 'holm', 'none'] | None = ...,
    measure: str | None = ...,
    tests: Literal['robust', 'paper'] | None = ...,
    min_coverage: float | None = ...,
    seed: int | None = ...,
    format: str | None = ...,
    source_format: str | None = ...,
    language: str | None = ...,
    dialect: str | None = ...,
    release: str | None = ...,
    vocabularies: str | Collection[str] | None = ...,
    vocabulary: str | Collection[str] | None = ...,
    suppressed: bool | None = ...,
    resource: str | None = ...,
    relation_table: str | PathLike[str] | None = ...,
    cache: bool | None = ...,
) -> SubsetsResult: ...
def train_vectors(
    texts: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    folder: str | os.PathLike[str],
    *,
    force: bool = False,
    window: list[int] = [5],
    algorithm: Literal['sg', 'cbow'] = 'sg',
    dimension: int = 200,
    learning_rate: float = 0.05,
    negative: int = 5,
    min_count: int = 5,
    sample: float = 1e-05,
    epochs: int = 5,
    lower: bool = True,
    seed: int = 42,
    deterministic: bool = False,
    threads: int | None = None,
) -> Training: ...
def vocabulary(
    models: Any = ...,
    benchmarks: Any = ...,
    *,
    model: Any = ...,
    benchmark: Any = ...,
    columns: str | Collection[str | int] = ...,
    data_dir: str | PathLike[str] | None = ...,
    client: Any = ...,
    shared: bool = ...,
    missing: int | None = ...,
) -> VocabularyResult: ...
def word_pairs(
    words: str | os.PathLike[str],
    resources: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    out: str | os.PathLike[str] | None = None,
    *,
    propose: bool = False,
    accepted: str | os.PathLike[str] | Sequence[str | os.PathLike[str]] = (),
    per_quarter: int = 250,
    experts: int | None = None,
    seed: int = 42,
    word_class: Literal['noun', 'verb'] | None = None,
    domain_source: Literal['decisions', 'log-ratio'] = 'decisions',
    threshold: float = 2.0,
    scope: list[Literal['exact', 'related', 'narrow', 'broad']] = [],
    min_producers: int | None = None,
) -> WordPairs: ...
def words(
    files: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    out: str | os.PathLike[str] | None = None,
    *,
    min_count: int = 5,
    min_length: int = 3,
    hyphens: bool = False,
    digits: bool = False,
    tagset: Literal['penn', 'upos', 'c5'] | None = None,
    tag_table: str | None = None,
    tagger: str | None = None,
    lemmas: str | None = None,
    spelling: Literal['checked', 'biolemmatizer', 'none'] = 'checked',
    spelling_list: str | None = None,
    general: str = 'wordfreq',
    breadth: Literal['journals', 'subjects', 'mesh'] | None = None,
    subjects: str | None = None,
    mesh_trees: str | None = None,
) -> Words: ...
