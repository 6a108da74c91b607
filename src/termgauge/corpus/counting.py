"""From distinct tokens to counted words: filters, lemmas and spelling in the paper's order, and what each removes.

Everything is asked once about each distinct token and not once about each of a hundred million. Spelling follows
BioLemmatizer: a list of words, then patterns. Patterns alone make `anerobic` of `anaerobic`, so what a pattern makes is
taken only if the corpus has it; the list is always believed. Lemmas are those of the user's table, else of lemminflect,
whose table is made from the SPECIALIST lexicon.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from termgauge.corpus.tables import CLASSES, VERB, rows_of_user
from termgauge.corpus.tagsets import AUXILIARY, OTHER, PROPER, cut
from termgauge.embeddings.libraries import library
from termgauge.exceptions import TermgaugeError
from termgauge.io.tables import open_table
from termgauge.progress import track

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from termgauge.corpus.options import WordOptions

AUXILIARIES = ("be", "have", "do")
"""Verbs that are left out whatever their tag."""
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

    def filtered(self, tokens: pl.DataFrame, wanted: pl.Expr, step: str) -> pl.DataFrame:
        """Return what a step leaves, and note what it removes."""
        kept = tokens.filter(wanted)
        self.steps[step] = tokens["form"].n_unique() - kept["form"].n_unique()
        self.tokens[step] = int(tokens["count"].sum()) - int(kept["count"].sum())
        return kept


def count(
    distinct: pl.DataFrame,
    class_of: Callable[[str, bool], str],
    lemmas: Mapping[tuple[str, str], str],
    american: Mapping[str, str],
    options: WordOptions,
) -> tuple[pl.DataFrame, NDArray[np.int32], dict[str, ClassCounts], dict[str, int]]:
    """Count the words of distinct tokens, of which `class_of` says the class by the tag and whether it is of UPOS.

    Returned are the words (`word`, `class`, `key`, which is the lower lemma, and `count`: nouns before verbs, the
    frequent ones first), the word of each distinct token (its row, or -1), how the forms of each class became its
    words, and how many tokens are no nouns or verbs: `class` by their tag, `auxiliary_tag` because it is that of an
    auxiliary. The lemmas go before those of lemminflect, by lower form and class.
    """
    tokens = _with_classes(distinct.with_row_index("entry"), class_of)
    others = dict(tokens.group_by("class").agg(pl.col("count").sum()).iter_rows())
    left_out = {"class": others.get(OTHER, 0), "auxiliary_tag": others.get(AUXILIARY, 0)}
    lower = tokens["form"].str.to_lowercase()
    kept, classes = [], {}

    def attested(words: set[str]) -> Iterable[str]:
        return words if options.spelling == "biolemmatizer" else lower.filter(lower.is_in(sorted(words)))

    for kind in CLASSES:
        forms = tokens.filter(pl.col("class") == kind)
        steps = classes[kind] = ClassCounts(forms["form"].n_unique())
        forms = steps.filtered(forms, ~multi_word(pl.col("form")), "multi_word")
        forms = _with_lemmas(forms, kind, lemmas) if kind == VERB else forms
        auxiliary = pl.col("base").is_in(AUXILIARIES) if kind == VERB else pl.lit(value=False)
        forms = steps.filtered(forms, ~auxiliary, "auxiliaries")
        forms = steps.filtered(forms, options.not_noise(pl.col("form")), "noise")
        forms = forms if kind == VERB else _with_lemmas(forms, kind, lemmas)
        unspelled = [] if options.spelling == "none" else forms["base"].unique().to_list()
        forms = forms.with_columns(key=forms["base"].replace(american_forms(unspelled, american, attested)))
        distinct_forms, bases, keys = (forms[name].n_unique() for name in ("form", "base", "key"))
        steps.steps |= {"lemmas": distinct_forms - bases, "spelling": bases - keys}
        kept.append(forms.with_columns(written=_as_written(forms)))
    merged = pl.concat(kept)
    words = _words(merged, options.min_count)
    for kind, steps in classes.items():
        of_class, forms = (table.filter(pl.col("class") == kind) for table in (words, merged))
        steps.words, steps.counted = of_class.height, int(of_class["count"].sum())
        steps.steps["min_count"] = forms["key"].n_unique() - steps.words
        steps.tokens["min_count"] = int(forms["count"].sum()) - steps.counted
    rows = merged.select("entry", "class", "key").join(words.with_row_index("row"), on=["class", "key"])
    word_of = np.full(distinct.height, -1, dtype=np.int32)
    word_of[rows["entry"].to_numpy()] = rows["row"].to_numpy()
    return words, word_of, classes, left_out


def _with_classes(tokens: pl.DataFrame, class_of: Callable[[str, bool], str]) -> pl.DataFrame:
    tags = tokens.select("tag", "from_upos").unique()
    classes = tags.with_columns(
        pl.Series("class", [class_of(*row) for row in tags.iter_rows()], dtype=pl.String),
        pl.Series("proper", [cut(tag).upper() in PROPER for tag in tags["tag"]], dtype=pl.Boolean),
    )
    return tokens.join(classes, on=["tag", "from_upos"], maintain_order="left")


def _with_lemmas(tokens: pl.DataFrame, kind: str, lemmas: Mapping[tuple[str, str], str]) -> pl.DataFrame:
    """Add `base`, the lower lemma: that of the text, else that of a table."""
    forms = tokens.filter(pl.col("lemma").is_null())["form"].unique().to_list()
    lemma_of = lemmas_of(sorted({form.lower() for form in forms}), kind, lemmas)
    rows = tokens.select("form", "lemma").iter_rows()
    base = [(lemma_of[form.lower()] if lemma is None else lemma).lower() for form, lemma in rows]
    return tokens.with_columns(base=pl.Series(base, dtype=pl.String))


def _as_written(tokens: pl.DataFrame) -> pl.Series:
    """Return how each token writes its word: in small letters, but proper nouns with their capitals."""
    rows = tokens.select("form", "lemma", "key", "proper").iter_rows()
    written = [in_case_of(lemma or form, key) if proper else key for form, lemma, key, proper in rows]
    return pl.Series(written, dtype=pl.String)


def in_case_of(form: str, word: str) -> str:
    """Return a lower word with the capitals of a form: as far as both have the same letters, or all."""
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


def multi_word(form: pl.Expr) -> pl.Expr:
    """Return an expression that says which forms are several words."""
    return form.str.contains(r"[\s_]")


_LEAST_IN_LIST, _LEAST_IN_PATTERN = 4, 6
_PATTERNS = (
    (re.compile(r"(ph|an|h|gyn|arch|chim)ae"), r"\1e"),
    (re.compile(r"haem(at)?o"), r"hem\1o"),
    (re.compile(r"aemia$"), "emia"),
    (re.compile(r"leukaem"), "leukem"),
    (re.compile(r"programme(s?)$"), r"program\1"),
    (re.compile(r"^([a-z]{3,})our(s?)$"), r"\1or\2"),
)
_KEEP_OUR = re.compile(
    "abatjour|beflour|bonjour|calambour|carrefour|cornflour|contour|detour|devour|dortour|dyvour|downpour|giaour|"
    "glamour|holour|inpour|outpour|pandour|paramour|pompadour|recontour|repour|ryeflour|sompnour|tambour|troubadour|"
    "tregetour|velour"
)


def by_pattern(word: str) -> str:
    """Return a lower word after the first pattern that is found in it; too short a word as it is."""
    if len(word) < _LEAST_IN_PATTERN:
        return word
    for at, (pattern, american) in enumerate(_PATTERNS):
        if pattern.search(word) and not (at == len(_PATTERNS) - 1 and _KEEP_OUR.search(word)):
            return pattern.sub(american, word)
    return word


def american_forms(
    words: Sequence[str], american: Mapping[str, str], attested: Callable[[set[str]], Iterable[str]]
) -> dict[str, str]:
    """Return the American forms of those lower words that are spelled otherwise.

    The list is always believed; what a pattern makes only if it is `attested`, which returns those of some words that
    the corpus has.
    """
    listed = {word: american[word] for word in words if word in american and len(word) >= _LEAST_IN_LIST}
    made = {word: by_pattern(word) for word in words if word not in american}
    made = {word: form for word, form in made.items() if form != word}
    there = set(attested(set(made.values()))) if made else set()
    return {word: form for word, form in listed.items() if form != word} | {
        word: form for word, form in made.items() if form in there
    }


def american_list(path: str | os.PathLike[str] | None) -> dict[str, str]:
    """Return British words and their American forms: the user's list goes before that of the package `breame`."""
    listed: dict[str, str] = {}
    try:
        constants = library("breame.data.spelling_constants", "American spelling", "words", "breame")
        listed |= constants.BRITISH_ENGLISH_SPELLINGS
    except TermgaugeError:
        if path is None:
            raise
    if path is not None:
        listed |= {cells[0].lower(): cells[1] for _, cells in open_table(path).at_least(2, "British TAB American")}
    return {british.strip(): form.strip().lower() for british, form in listed.items()}


def lemmas_of(forms: Iterable[str], kind: str, table: Mapping[tuple[str, str], str]) -> dict[str, str]:
    """Return the lemma of each of some lower forms that are nouns, or verbs; what has none is its own lemma.

    The table, from (lower form, class) to lemmas, goes before lemminflect.
    """
    lemmas = {}
    inflection: Any = None
    forms = list(forms)
    with track("Finding lemmas", total=len(forms), unit="forms") as advance:
        for form in forms:
            lemma = table.get((form, kind))
            if not lemma:
                inflection = inflection or library("lemminflect", "Finding lemmas", "words")
                inflected = inflection.getLemma(form, upos=kind.upper())
                lemma = str(inflected[0]) if inflected and inflected[0] else form
            lemmas[form] = lemma
            advance(1)
    return lemmas


def read_lemmas(path: str | os.PathLike[str]) -> dict[tuple[str, str], str]:
    """Read a user's table of lemmas: `form TAB class TAB lemma`."""
    rows = rows_of_user(
        path, "form TAB class TAB lemma", "class", lambda kind: kind.lower() in CLASSES, "is neither noun nor verb"
    )
    return {(form.lower(), kind.lower()): lemma for form, kind, lemma, *_more in rows}
