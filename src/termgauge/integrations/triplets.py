"""Anchor, positive and negative for training, in splits that share no concept and no text.

Beside the triplets lie the concepts and texts of each split, so that anybody can check again, and pairs to measure
models on: of validation and test the same terms with labels, and the benchmark's own sets for the concepts of the test.
Nothing is written if one of these has a concept or a text of the training.
"""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

import polars as pl

from termgauge.benchmark.huggingface import (
    CARD_NAME,
    DATA,
    HELD_OUT,
    check_free,
    front_matter,
    inline,
    listing,
    table,
    write_huggingface,
)
from termgauge.benchmark.manifest import statistics_of
from termgauge.benchmark.negatives import levenshtein_negatives, random_negatives
from termgauge.benchmark.pairset import PairSet
from termgauge.benchmark.positives import Lexicon, Rows, as_numbers, unordered_pair
from termgauge.embeddings.load import load_model
from termgauge.exceptions import TermgaugeError
from termgauge.integrations.dataset_folder import Sources
from termgauge.integrations.export import Exported, shares
from termgauge.integrations.splits import (
    CONCEPTS,
    Knowledge,
    TermPool,
    assign_splits,
    concept_groups,
    find_negatives,
    trained_concepts,
)
from termgauge.io.atomic import whole_folder, write_text
from termgauge.io.identity import sha256_of_bytes, version
from termgauge.plurals import numbered, plural
from termgauge.tasks.audit.inputs import Hierarchy
from termgauge.terminology.read import read_terminology

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from collections.abc import Set as AbstractSet
    from pathlib import Path

    from termgauge.embeddings.model import Model
    from termgauge.integrations.export import ExportOptions, ExportRequest
    from termgauge.terminology import Terminology

SPLITS = ("train", "validation", "test")
COLUMNS = ("anchor", "positive", "negative")
_READING = """\
Triplets of medical terms for training: `positive` means the same as `anchor`, and `negative` does not. The splits share
no concept and no text, in whatever case: concepts that share a text, or of which one stands for the other, were kept
together, and whole groups of them were split. `{concepts}` has the concepts and texts of each split."""
_HELD_OUT = """\
These hold no concept of the training: choose checkpoints by those of validation, and measure the trained model on those
of the test. `NAME-pairs` are the triplets as labelled pairs. `test-benchmark` has the positive pairs of the benchmark's
own sets, and negatives that were drawn anew among their terms as each set draws them."""
_EXAMPLE = """\
```python
from datasets import load_dataset

splits = load_dataset("path/of/this/folder")
```

A positive pair that has several negatives stands in several rows: train with
`batch_sampler=BatchSamplers.NO_DUPLICATES` where the loss takes the other rows of a batch as negatives."""


@dataclass(frozen=True)
class Triplets:
    """The triplets of each split, and what could not become one."""

    splits: dict[str, pl.DataFrame]
    terms: pl.DataFrame
    """Columns split, concept and text."""
    groups: int
    largest: int
    """Concepts of the largest group."""
    dropped: dict[str, int]
    """By split, positive pairs for which no negative was found."""

    @property
    def notes(self) -> tuple[str, ...]:
        """What was left out, in sentences."""
        lost = (
            f"{numbered(count, 'positive pair')} of {name} {plural(count, 'has', 'have')} no negative and "
            f"{plural(count, 'was', 'were')} left out."
            for name, count in self.dropped.items()
            if count
        )
        empty = (name for name, frame in self.splits.items() if frame.is_empty())
        return *lost, *(f"The split {name} has no triplets; there are too few concepts for it." for name in empty)


def write(request: ExportRequest) -> Exported:
    """Make the triplets, check them, and write the folder."""
    check_free(request.out, force=request.force)
    sources = Sources.from_request(request)
    options = request.options
    terminology = read_terminology(options.terminology) if options.terminology else None
    knowledge = Knowledge.from_sets(sources.sets.values(), terminology)
    if not knowledge.positives:
        raise TermgaugeError("There is no positive pair to train on; name a benchmark that has some.")
    if (options.negatives == "mined") != (options.model is not None):
        raise TermgaugeError("A model mines negatives: give both --negatives mined and --model SPEC, or neither.")
    miner = None if options.model is None else load_model(options.model)
    made = make_triplets(knowledge, options, terminology, miner)
    full = {name: frame for name, frame in made.splits.items() if frame.height}
    if not full:
        raise TermgaugeError("No positive pair has a negative in its split; name a larger benchmark.")
    concepts = set(made.terms.filter(split="test")["concept"])
    held_out = held_out_sets(sources, concepts, concept_groups(knowledge), options)
    pairs = {f"{name}-pairs": labelled_pairs(name, full[name], made.terms, sources) for name in full if name != "train"}
    check_held_out((*held_out.sets.values(), *pairs.values()), made.terms.filter(split="train"))
    with whole_folder(request.out) as temporary:
        (temporary / DATA).mkdir()
        for name, frame in full.items():
            frame.write_parquet(temporary / DATA / f"{name}.parquet")
        made.terms.write_parquet(temporary / CONCEPTS)
        for name, labelled_set in pairs.items():
            labelled_set.write_parquet(temporary / f"{name}.parquet")
        if held_out.sets:
            write_huggingface(held_out.sets, temporary / HELD_OUT, card=held_out.card, beside=held_out.beside)
        counts = {**pairs, **{f"{HELD_OUT}/{name}": pair_set for name, pair_set in held_out.sets.items()}}
        card = _card(made, full, sources, options, terminology, miner, temporary, counts)
        write_text(temporary / CARD_NAME, card)
    contents, notes = {name: triplets.height for name, triplets in full.items()}, made.notes
    built = sources.manifest and sources.manifest.terminology
    if built and terminology is not None and built["version"] != terminology.identity.version:
        other = f"The benchmark was built from another release ({built['version']}) than {terminology.identity.slug}."
        notes = (other, *notes)
    return Exported("triplets", request.out, contents, "triplets", notes)


def make_triplets(
    knowledge: Knowledge,
    options: ExportOptions,
    terminology: Terminology | None = None,
    miner: Model | None = None,
) -> Triplets:
    """Split the concepts, and find negatives for the positive pairs of each split."""
    group_of = concept_groups(knowledge)
    concepts, sizes = Counter(group_of.values()), Counter(group_of[concept] for *_, concept, _ in knowledge.positives)
    weights = [max(1, sizes[group]) for group in range(max(concepts) + 1)]
    split_of = assign_splits(weights, shares(options.split), options.seed)
    hierarchy = None if terminology is None else Hierarchy(terminology)
    splits, terms, dropped = {}, [], {}
    for number, name in enumerate(SPLITS):
        texts = [text for text in knowledge.texts if split_of[group_of[text[0]]] == number]
        positives = [positive for positive in knowledge.positives if split_of[group_of[positive[2]]] == number]
        pool = TermPool.from_terms(texts, group_of, hierarchy, options.seed)
        rows, dropped[name] = _rows(pool, positives, options, miner)
        splits[name] = pl.DataFrame(rows, schema=dict.fromkeys(COLUMNS, pl.String), orient="row")
        terms += [(name, concept, text) for concept, text in texts]
    schema = dict.fromkeys(("split", "concept", "text"), pl.String)
    frame = pl.DataFrame(terms, schema=schema, orient="row")
    return Triplets(splits, frame, len(concepts), max(concepts.values()), dropped)


def _rows(
    pool: TermPool, positives: list[tuple[str, str, str, str]], options: ExportOptions, miner: Model | None
) -> tuple[list[tuple[str, str, str]], int]:
    """Return the triplets of a split, and how many positive pairs have none."""
    if not positives:
        return [], 0
    index = {text: number for number, text in enumerate(pool.texts)}
    anchors = [index[anchor] for anchor, *_rest in positives]
    negatives = find_negatives(pool, anchors, options.per_positive, miner, options.negatives, options.seed)
    rows = [
        (anchor, positive, pool.texts[negative])
        for anchor, positive, *_concepts in positives
        for negative in negatives[index[anchor]]
        if pool.suits(index[positive], negative)
    ]
    return rows, len(positives) - len({row[:2] for row in rows})


def _card(
    made: Triplets,
    full: Mapping[str, pl.DataFrame],
    sources: Sources,
    options: ExportOptions,
    terminology: Terminology | None,
    miner: Model | None,
    folder: Path,
    held_out: Mapping[str, PairSet],
) -> str:
    card = sources.card
    title = f"Triplets for training: {inline(card.title)}"
    files = {name: f"{DATA}/{name}.parquet" for name in full}
    rows = sum(frame.height for frame in full.values())
    counts = [["split", "triplets", "positive pairs", "without a negative", "concepts", "SHA-256"]]
    for name, frame in full.items():
        pairs, concepts = frame.select("anchor", "positive"), made.terms.filter(split=name)["concept"]
        numbers = (frame.height, pairs.n_unique(), made.dropped[name], concepts.n_unique())
        counts.append([name, *(f"{number:,}" for number in numbers), _hash(frame)])
    how = {
        "termgauge": version(),
        **options.model_dump(include={"split", "negatives", "per_positive", "seed"}),
        "model": None if miner is None else f"{miner.name}, {miner.identity.key}",
        "terminology": None if terminology is None else f"{terminology.identity.slug}, {terminology.identity.sha256}",
        "groups of concepts": f"{made.groups:,}, the largest with {made.largest:,}",
    }
    hashes = [["set", "SHA-256"], *([pairs.id, f"`{pairs.sha256}`"] for pairs in sources.sets.values())]
    parts = [f"# {title}", _READING.format(concepts=CONCEPTS), _EXAMPLE, "## Splits", table(counts)]
    parts += ["SHA-256 of `anchor TAB positive TAB negative LF` lines.", "## How it was made", listing(how)]
    measured = [[name, f"{len(pair_set):,}", f"{pair_set.positives:,}"] for name, pair_set in held_out.items()]
    if measured:
        parts += ["## Pairs to measure models on", _HELD_OUT, table([["file", "pairs", "positives"], *measured])]
    parts += ["## Source", *([listing(card.source)] if card.source else []), table(hashes)]
    parts += ["## Licence", inline(card.licence)]
    head = front_matter(title, card.licence, card.language, rows, {"default": files}, folder)
    return head + "\n\n".join(parts) + "\n"


def _hash(frame: pl.DataFrame) -> str:
    lines = "".join("\t".join(row) + "\n" for row in frame.iter_rows())
    return f"`{sha256_of_bytes(lines.encode())}`"


_PAIRS = ["term_1", "term_2", "label", "concept_1", "concept_2"]


def labelled_pairs(split: str, triplets: pl.DataFrame, terms: pl.DataFrame, sources: Sources) -> PairSet:
    """Return the triplets of a split as pairs to measure a model on: each pair of terms once, with their concepts."""
    concept = dict(terms.filter(split=split).select("text", "concept").iter_rows())
    rows = dict.fromkeys(triplets.select("anchor", "positive").iter_rows(), 1)
    rows |= dict.fromkeys(triplets.select("anchor", "negative").iter_rows(), 0)
    table = [(one, two, label, concept[one], concept[two]) for (one, two), label in rows.items()]
    subject = next(iter(sources.sets.values())).origin.terminology
    return PairSet("/".join(filter(None, (subject, "pairs", split))), pl.DataFrame(table, _PAIRS, orient="row"))


def held_out_sets(
    sources: Sources, concepts: AbstractSet[str], group_of: Mapping[str, int], options: ExportOptions
) -> Sources:
    """Return the benchmark of some concepts: the positive pairs that each set has of them, with negatives drawn anew.

    The negatives of a set are drawn among its positive pairs, as when the benchmark was built: those that it has would
    leave few pairs of these concepts alone. A set that has no pair of either kind is left out.
    """
    wanted = pl.Series(list(concepts), dtype=pl.String).implode()
    manifest, sets, files = sources.manifest, {}, {}
    across = manifest is not None and not {"across", "languages"}.isdisjoint(manifest.options)
    for name, pairs in sources.sets.items():
        positives = pairs.frame.filter(pl.col("concept_1").is_in(wanted) & (pl.col("label") == 1))
        negatives = _draw_negatives(positives, pairs.origin.strategy, group_of, options.seed, across=across)
        if not negatives:
            continue
        rows = [*positives.iter_rows(), *negatives]
        random.Random(options.seed).shuffle(rows)  # noqa: S311 - reproducible, not secret
        subject = pairs.origin.terminology or pairs.id
        sets[name] = test_set = PairSet(
            f"{subject}-test{pairs.id.removeprefix(subject)}", pl.DataFrame(rows, _PAIRS, orient="row")
        )
        if manifest is not None:
            now = {
                "id": test_set.id,
                "pairs": len(test_set),
                "positives": positives.height,
                "negatives": len(negatives),
                "shortfall": positives.height - len(negatives),
                "subsampled_from": None,
                "sha256": test_set.sha256,
                "statistics": statistics_of(test_set),
            }
            files[f"{name}.parquet"] = manifest.files[f"{name}.parquet"].model_copy(update=now)
    if manifest is not None:
        how = {**manifest.options, "held_out": f"test of {options.split}, seed {options.seed}"}
        manifest = manifest.model_copy(update={"files": files, "options": how, "notes": []})
    return Sources(sets, manifest, sources.licence)


def _draw_negatives(
    positives: pl.DataFrame, strategy: str, group_of: Mapping[str, int], seed: int, *, across: bool
) -> list[tuple[str, str, int, str, str]]:
    """Return negatives for positive pairs, each of two terms of theirs whose concepts are of different groups."""
    lexicon, terms, owners = Lexicon(), [], []
    number: dict[str, int] = {}
    alike: dict[int, set[int]] = defaultdict(set)
    for end, side in (("1", 0), ("2", int(across))):
        terms.append([lexicon.number(text, side) for text in positives[f"term_{end}"]])
        owners.append([number.setdefault(concept, len(number)) for concept in positives[f"concept_{end}"]])
        for term, concept in zip(terms[-1], positives[f"concept_{end}"], strict=True):
            alike[group_of[concept]].add(term)
    concepts = list(number)
    pairs = {unordered_pair(*two) for numbers in alike.values() for two in combinations(numbers, 2)}
    rows = Rows(*map(as_numbers, (*terms, *owners, [-1] * positives.height)))
    draw = levenshtein_negatives if strategy == "levenshtein" else random_negatives
    made = draw(rows, lexicon, pairs, random.Random(seed), across=across)  # noqa: S311 - reproducible, not secret
    columns = (made.first, made.second, made.first_concept, made.second_concept)
    return [
        (lexicon.texts[one], lexicon.texts[two], 0, concepts[concept], concepts[other])
        for one, two, concept, other in zip(*(column.tolist() for column in columns), strict=True)
    ]


def check_held_out(sets: Iterable[PairSet], trained: pl.DataFrame) -> None:
    """Refuse pairs to measure models on that have a concept or text of the training."""
    for pairs in sets:
        if ids := trained_concepts(pairs, trained):
            raise TermgaugeError(
                f"Nothing was written, since '{pairs.id}' has concepts of the training, such as {ids[0]}. This is a "
                "defect of termgauge; please report it."
            )
