"""From distinct tokens to counted words: filters, lemmas and spelling in the paper's order, and what each removes.

Everything is asked once about each distinct token and not once about each of a hundred million.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from termgauge.corpus.tables import CLASSES, VERB
from termgauge.corpus.tagsets import AUXILIARY, OTHER, PROPER, cut
from termgauge.corpus.word_forms import by_list, lemmas_of, proposals

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from numpy.typing import NDArray

    from termgauge.corpus.options import SpellingRule

STEPS = ("multi_word", "auxiliaries", "noise", "lemmas", "spelling", "min_count")
"""What is done with the forms of a class, in this order."""


@dataclass
class ClassCounts:
    """How the forms of a class became its words."""

    forms: int
    """Distinct forms with a tag of the class, as they are written."""
    words: int = 0
    steps: dict[str, int] = field(default_factory=dict)
    """How many distinct forms each step removed, or merged into others; what is left of the forms are the words."""
    tokens: dict[str, int] = field(default_factory=dict)
    """How many tokens each step removed."""
    counted: int = 0
    """How many tokens the words have."""


@dataclass(frozen=True, eq=False)
class Counted:
    """The words of a corpus."""

    words: pl.DataFrame
    """`word`, `class`, `key` (the lower lemma) and `count`: nouns before verbs, the frequent ones first."""
    word_of: NDArray[np.int32]
    """The word of each distinct token: its row, or -1."""
    classes: dict[str, ClassCounts]
    left_out: dict[str, int]
    """Tokens that are no nouns or verbs: `class` by their tag, `auxiliary_tag` because it is that of an auxiliary."""


@dataclass(frozen=True)
class Rules:
    """How forms become words."""

    noise: Noise
    lemmas: Mapping[tuple[str, str], str]
    """From (lower form, class); lemminflect knows the others."""
    american: Mapping[str, str]
    spelling: SpellingRule
    min_count: int


def count(distinct: pl.DataFrame, class_of: Callable[[str, bool], str], rules: Rules) -> Counted:
    """Count the words of distinct tokens, of which `class_of` says the class by the tag and whether it is of UPOS."""
    tokens = _with_classes(distinct.with_row_index("entry"), class_of)
    others = dict(tokens.group_by("class").agg(pl.col("count").sum()).iter_rows())
    left_out = {"class": others.get(OTHER, 0), "auxiliary_tag": others.get(AUXILIARY, 0)}
    lower = tokens["form"].str.to_lowercase()
    kept, classes = [], {}
    for kind in CLASSES:
        own = tokens.filter(pl.col("class") == kind)
        steps = classes[kind] = ClassCounts(own["form"].n_unique())
        own = _without(own, multi_word(pl.col("form")), steps, "multi_word")
        if kind == VERB:
            own = _with_lemmas(own, kind, rules.lemmas)
            own = _without(own, pl.col("base").is_in(AUXILIARIES), steps, "auxiliaries")
        else:
            own = _without(own, pl.lit(value=False), steps, "auxiliaries")
        own = _without(own, ~rules.noise.kept(pl.col("form")), steps, "noise")
        own = own if kind == VERB else _with_lemmas(own, kind, rules.lemmas)
        steps.steps["lemmas"] = own["form"].n_unique() - own["base"].n_unique()
        known = _american_spelling(own["base"].unique().to_list(), rules, lower)
        own = own.with_columns(key=_replace(own["base"], known))
        steps.steps["spelling"] = own["base"].n_unique() - own["key"].n_unique()
        kept.append(own.with_columns(written=_as_written(own)))
    merged = pl.concat(kept)
    words = _words(merged, rules.min_count)
    for kind, steps in classes.items():
        here = words.filter(pl.col("class") == kind)
        steps.words, steps.counted = here.height, int(here["count"].sum())
        own = merged.filter(pl.col("class") == kind)
        steps.steps["min_count"] = own["key"].n_unique() - here.height
        steps.tokens["min_count"] = int(own["count"].sum()) - steps.counted
    return Counted(words, _word_of(merged, words, distinct.height), classes, left_out)


def _with_classes(tokens: pl.DataFrame, class_of: Callable[[str, bool], str]) -> pl.DataFrame:
    tags = tokens.select("tag", "from_upos").unique()
    known = tags.with_columns(
        pl.Series("class", [class_of(*row) for row in tags.iter_rows()], dtype=pl.String),
        pl.Series("proper", [cut(tag).upper() in PROPER for tag in tags["tag"]], dtype=pl.Boolean),
    )
    return tokens.join(known, on=["tag", "from_upos"], maintain_order="left")


def _without(tokens: pl.DataFrame, removed: pl.Expr, steps: ClassCounts, step: str) -> pl.DataFrame:
    """Return what a step leaves, and note what it removes."""
    kept = tokens.filter(~removed)
    steps.steps[step] = tokens["form"].n_unique() - kept["form"].n_unique()
    steps.tokens[step] = int(tokens["count"].sum()) - int(kept["count"].sum())
    return kept


def _with_lemmas(tokens: pl.DataFrame, kind: str, lemmas: Mapping[tuple[str, str], str]) -> pl.DataFrame:
    """Add `base`, the lower lemma: that of the text, else that of a table."""
    given = tokens["lemma"].drop_nulls().unique().to_list()
    forms = tokens.filter(pl.col("lemma").is_null())["form"].unique().to_list()
    lower = {form: form.lower() for form in forms}
    found = lemmas_of(sorted(set(lower.values())), kind, lemmas)
    of_forms = _replace(tokens["form"], {form: found[low].lower() for form, low in lower.items()})
    of_text = _replace(tokens["lemma"], {lemma: lemma.lower() for lemma in given})
    return tokens.with_columns(base=of_text.fill_null(of_forms))


def _american_spelling(bases: Iterable[str], rules: Rules, corpus: pl.Series) -> dict[str, str]:
    """Return the American spelling of lemmas; what a pattern makes must be among the lower forms of the corpus."""
    words = list(bases)
    if rules.spelling == "none":
        return {word: word for word in words}
    spelled = {word: by_list(word, rules.american) for word in words}
    made = proposals(words, rules.american)
    if rules.spelling == "checked" and made:
        there = set(corpus.filter(corpus.is_in(sorted(set(made.values())))))
        made = {word: changed for word, changed in made.items() if changed in there}
    return spelled | made


def _replace(values: pl.Series, of: Mapping[str, str]) -> pl.Series:
    old, new = pl.Series(list(of), dtype=pl.String), pl.Series(list(of.values()), dtype=pl.String)
    return values.replace_strict(old, new, default=None)


def _as_written(tokens: pl.DataFrame) -> pl.Series:
    """Return how each token writes its word: in small letters, but proper nouns with their capitals."""
    proper = tokens.filter("proper").select("form", "lemma", "key").unique()
    cased = [in_case_of(lemma or form, key) for form, lemma, key in proper.iter_rows()]
    joined = tokens.select("form", "lemma", "key", "proper").join(
        proper.with_columns(cased=pl.Series(cased, dtype=pl.String)),
        on=["form", "lemma", "key"],
        how="left",
        nulls_equal=True,
        maintain_order="left",
    )
    return joined.select(pl.when("proper").then("cased").otherwise("key")).to_series()


def in_case_of(form: str, word: str) -> str:
    """Return a lower word with the capitals of a form: as far as both have the same letters, or all.

    >>> in_case_of("Universities", "university"), in_case_of("HIV", "hiv"), in_case_of("TUMOURS", "tumor")
    ('University', 'HIV', 'TUMOR')
    """
    if len(form) > 1 and form.isupper():
        return word.upper()
    same = 0
    while same < min(len(form), len(word)) and form[same].lower() == word[same]:
        same += 1
    return form[:same] + word[same:]


def _words(tokens: pl.DataFrame, min_count: int) -> pl.DataFrame:
    """Return words that are frequent enough, each as it is written most often; of ties the first by code points."""
    ways = tokens.group_by("class", "key", "written").agg(pl.col("count").sum())
    usual = ways.sort("count", "written", descending=[True, False]).group_by("class", "key", maintain_order=True)
    words = usual.agg(pl.col("written").first().alias("word"), pl.col("count").sum())
    kept = words.filter(pl.col("count") >= min_count).sort("class", "count", "key", descending=[False, True, False])
    return kept.select("word", "class", "key", "count")


def _word_of(tokens: pl.DataFrame, words: pl.DataFrame, distinct: int) -> NDArray[np.int32]:
    rows = tokens.select("entry", "class", "key").join(words.with_row_index("row"), on=["class", "key"])
    word_of = np.full(distinct, -1, dtype=np.int32)
    word_of[rows["entry"].to_numpy()] = rows["row"].to_numpy()
    return word_of


AUXILIARIES = ("be", "have", "do")
"""Verbs that are left out whatever their tag."""


@dataclass(frozen=True)
class Noise:
    """What a form must be made of."""

    hyphens: bool = False
    """Whether letters may be joined by hyphens."""
    digits: bool = False
    """Whether digits may stand among letters, of which there must be two."""
    min_length: int = 3
    """The least number of letters, or of letters and digits; hyphens do not count."""

    def kept(self, form: pl.Expr) -> pl.Expr:
        """Return an expression that says which forms are no noise."""
        letters = "[A-Za-z0-9]" if self.digits else "[A-Za-z]"
        joined = f"(?:-{letters}+)*" if self.hyphens else ""
        kept = form.str.contains(f"^{letters}+{joined}$")
        if self.digits:
            kept &= form.str.count_matches("[A-Za-z]") >= 2
        length = form.str.len_bytes() - form.str.count_matches("-", literal=True)
        return kept & (length >= self.min_length)


def multi_word(form: pl.Expr) -> pl.Expr:
    """Return an expression that says which forms are several words."""
    return form.str.contains(r"[\s_]")
