"""How often a tagger is right, on sentences that people tagged: by tag, and by what is counted, nouns and verbs."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from termgauge.corpus.tagsets import NOUN, OTHER, TAG_SETS, VERB, fitting

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from termgauge.corpus.tagged_sentences import TaggedSentences
    from termgauge.corpus.tagger import Tagger

CLASSES = NOUN, VERB, OTHER


@dataclass(frozen=True)
class Hits:
    """How often a tag, or a class of tags, stands in the text, was given, and was given rightly."""

    tokens: int
    given: int
    right: int

    @property
    def recall(self) -> float | None:
        """The share of its tokens that were given it."""
        return self.right / self.tokens if self.tokens else None

    @property
    def precision(self) -> float | None:
        """The share of the tokens that were given it and have it."""
        return self.right / self.given if self.given else None


@dataclass(frozen=True)
class Accuracy:
    """What became of the tokens of a text whose tags are known."""

    sentences: int
    tokens: int
    tags: Mapping[str, Hits]
    classes: Mapping[str, Hits] | None
    """Nouns, verbs and all others; None if the tags are of no set that is known."""

    @property
    def accuracy(self) -> float:
        """The share of tokens that were given their tag."""
        return sum(hits.right for hits in self.tags.values()) / self.tokens

    @property
    def class_accuracy(self) -> float | None:
        """The share of tokens whose tag is at least of the right class."""
        return None if self.classes is None else sum(hits.right for hits in self.classes.values()) / self.tokens

    def as_dict(self) -> dict[str, Any]:
        """Return all of it, as JSON has it."""
        return {
            "sentences": self.sentences,
            "tokens": self.tokens,
            "accuracy": self.accuracy,
            "class_accuracy": self.class_accuracy,
            "classes": None if self.classes is None else _rows(self.classes),
            "tags": _rows(self.tags),
        }


def score(tagger: Tagger, text: TaggedSentences) -> Accuracy:
    """Tag sentences whose tags are known, and count how often the tagger is right."""
    given = [tagger.tags[number] for number in tagger.numbers(text.forms, text.ends).tolist()]
    pairs = Counter(zip(text.tags, given, strict=True))
    known = fitting({*text.tags, *given}, TAG_SETS.values())
    classes = None
    if known:
        of_tag = {tag: known[0].class_of(tag) for pair in pairs for tag in pair}
        plain = {tag: kind if kind in CLASSES else OTHER for tag, kind in of_tag.items()}
        classes = _hits(((plain[tag], plain[other]), count) for (tag, other), count in pairs.items())
        classes = {kind: classes.get(kind, Hits(0, 0, 0)) for kind in CLASSES}
    return Accuracy(len(text.ends), len(text.forms), _hits(pairs.items()), classes)


def _hits(pairs: Iterable[tuple[tuple[str, str], int]]) -> dict[str, Hits]:
    """Count, for each name, where it belongs, where it was given, and where both are so."""
    tokens: Counter[str] = Counter()
    given: Counter[str] = Counter()
    right: Counter[str] = Counter()
    for (name, other), count in pairs:
        tokens[name] += count
        given[other] += count
        right[name] += count * (name == other)
    return {name: Hits(tokens[name], given[name], right[name]) for name in sorted({*tokens, *given})}


def _rows(hits: Mapping[str, Hits]) -> dict[str, dict[str, float | None]]:
    return {
        name: {"tokens": each.tokens, "precision": each.precision, "recall": each.recall} for name, each in hits.items()
    }
