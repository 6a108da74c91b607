"""The vectors of a corpus's tokens: of a model that may have millions of words, only the rows that the corpus needs.

A token's vector is that of the word as written, else of its lower-case form; a model that makes vectors of unknown
words makes one of the word as written; all other tokens share the row UNKNOWN. Models that take whole terms, or cut
words into pieces, get each different token as a term of its own.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

import numpy as np

from termgauge.embeddings.encoders.static_tokens import TokenVectors as PieceVectors
from termgauge.embeddings.store.vectors import rows_not_finite
from termgauge.embeddings.store.vocabulary import MISSING
from termgauge.exceptions import TermgaugeError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from termgauge.embeddings.model import Model, TermModel, WordModel

UNKNOWN, PADDING = "UNKNOWN", "PADDING"
"""The words of a vector file that stand for tokens without a vector, and for places beyond a sentence."""
ONE_BY_ONE = "tokens encoded one by one"
"""What tables say of models that have no vectors of words."""


@dataclass(frozen=True)
class TokenVectors:
    """The vectors of the tokens of a corpus.

    After the rows of the words stand those of UNKNOWN and PADDING, NaN where the model has none of its own: then each
    trial draws them.
    """

    model: str
    rows: NDArray[np.float32]
    row_of: dict[str, int]
    """The row of each token that has a vector."""
    note: str = ""
    """How the vectors were made, where a reader of the table should know."""

    @property
    def dimension(self) -> int:
        """Numbers in a vector."""
        return int(self.rows.shape[1])

    @property
    def unknown_row(self) -> int:
        """The row of all tokens without a vector."""
        return len(self.rows) - 2

    @property
    def padding_row(self) -> int:
        """The row of the places beyond a sentence."""
        return len(self.rows) - 1

    def rows_of(self, tokens: Sequence[str]) -> NDArray[np.int64]:
        """Return the row of each token."""
        find, unknown = self.row_of.get, self.unknown_row
        return np.fromiter((find(token, unknown) for token in tokens), np.int64, len(tokens))

    def share_known(self, tokens: Sequence[str]) -> float:
        """Return which share of some tokens has a vector."""
        return sum(token in self.row_of for token in tokens) / max(1, len(tokens))


def token_vectors(model: Model, tokens: Iterable[str], max_words: int | None = None) -> TokenVectors:
    """Return the vectors of all different tokens of a corpus, by a model of words or of terms.

    `max_words` says how many words of a vector file count, from its beginning; all if not given.
    """
    different = sorted(set(tokens))
    if model.kind not in ("words", "terms"):
        has = "vectors of concepts" if model.kind == "concepts" else "no vectors"
        raise TermgaugeError(f"'{model.name}' has {has}; named entities need a model of words or of terms.")
    own_words = model.kind == "words" and not isinstance(model, PieceVectors)
    if own_words and len(cast("WordModel", model).vocabulary):
        made = _looked_up(cast("WordModel", model), different, max_words)
    elif max_words is not None:
        raise TermgaugeError(f"'{model.name}' is no file with a list of words; leave out max_words.")
    else:
        made = _encoded(cast("WordModel | TermModel", model), different, own_words=own_words)
    if not made.row_of:
        raise TermgaugeError(
            f"'{model.name}' has no vector for any of the {len(different):,} different tokens of the corpus; give a "
            "model of its language, with words as they stand in texts."
        )
    return made


def _looked_up(model: WordModel, tokens: list[str], max_words: int | None) -> TokenVectors:
    """Look tokens up in a table, as written and then in lower case; a model that composes makes the rest."""
    rules = getattr(model, "rules", None)
    lowercase = rules is not None and rules.lowercase  # a user who says so wants no other form
    form_of: dict[str, str] = {}
    for forms in ({token: token for token in tokens if not lowercase}, {token: token.lower() for token in tokens}):
        places = _found(model, list(forms.values()), max_words)
        form_of = {
            token: form for (token, form), row in zip(forms.items(), places, strict=True) if row != MISSING
        } | form_of
    if model.composes:
        rest = {token: token.lower() if lowercase else token for token in tokens if token not in form_of}
        flags = model.known(list(rest.values())).tolist()
        form_of |= {token: form for (token, form), has in zip(rest.items(), flags, strict=True) if has}
    words = sorted(set(form_of.values()) - {UNKNOWN, PADDING})
    rows = np.full((len(words) + 2, model.dimension), np.nan, np.float32)
    rows[:-2] = model.vectors(words)
    _require_finite(model, words, rows)
    row_of_form = {form: row for row, form in enumerate([*words, UNKNOWN, PADDING])}
    for name, at in zip((UNKNOWN, PADDING), _found(model, (UNKNOWN, PADDING), max_words), strict=True):
        if at != MISSING:
            rows[row_of_form[name]] = model.vectors([name])[0]
    return TokenVectors(model.name, rows, {token: row_of_form[form] for token, form in form_of.items()})


def _found(model: WordModel, words: Sequence[str], max_words: int | None) -> list[int]:
    at = model.vocabulary.find(words)
    if max_words is not None:
        at[at >= max_words] = MISSING
    return cast("list[int]", at.tolist())


def _encoded(model: WordModel | TermModel, tokens: list[str], *, own_words: bool) -> TokenVectors:
    """Give each token to the model on its own; those that it makes nothing of have no vector."""
    if own_words:
        words = cast("WordModel", model)
        forms = [token for token, flag in zip(tokens, words.known(tokens).tolist(), strict=True) if flag]
        vectors = words.vectors(forms)
    else:
        terms = cast("TermModel", model)
        every = cast("WordModel", model).words_of(tokens).means if model.kind == "words" else terms.encode(tokens)
        places = np.flatnonzero(~np.isnan(every).all(axis=1))
        forms, vectors = [tokens[index] for index in places.tolist()], every[places]
    _require_finite(model, forms, vectors)
    rows = np.full((len(forms) + 2, model.dimension), np.nan, np.float32)
    rows[:-2] = vectors
    return TokenVectors(model.name, rows, {form: row for row, form in enumerate(forms)}, ONE_BY_ONE)


def _require_finite(model: Model, forms: Sequence[str], rows: NDArray[np.float32]) -> None:
    for row in rows_not_finite(rows[: len(forms)])[:1]:
        raise TermgaugeError(
            f"'{model.name}': the vector of '{forms[row]}' holds something that is no finite number; remove the word "
            "from the file or get it again."
        )
