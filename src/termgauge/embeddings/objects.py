"""Models from Python: what other libraries call a model becomes one of ours.

An object is known by what it offers, so that no library is imported to ask. What it is, for results and caches, is
found out when it is handed over; an object that was trained on since must be handed over again.
"""

from __future__ import annotations

import copy
import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from termgauge.embeddings.schemes import PROMPT, TABLE_OPTIONS, Option, Scheme
from termgauge.embeddings.spec import ModelSpec
from termgauge.exceptions import TermgaugeError

if TYPE_CHECKING:
    from collections.abc import Callable

    from termgauge.embeddings.model import Model

SCHEME = "python"
"""What stands in the identity of a model that was handed over, in the place of a scheme."""
VERBS = {"words": "words_of", "terms": "encode", "concepts": "find", "pairs": "score"}
"""By the kind of a model, what it must be able to do."""
_BATCH = {"batch_size": Option("How many texts it is given at once.", "integer", "256", least=1)}
_PROMPTS = {"prompt": PROMPT, "prompt_name": Option("Which of the model's own prompts.")}


def as_model(given: Any, *, name: str | None = None, **options: object) -> Model:  # noqa: ANN401
    """Make a model of an object of another library, or of your own; all verbs do so with what they are given.

    Parameters
    ----------
    given
        A ``SentenceTransformer``; ``KeyedVectors``, ``Word2Vec`` or ``FastText`` of gensim; a ``StaticModel`` of
        model2vec; a pipeline, vocabulary or vectors of spaCy; a dictionary of words and vectors, or a pair of words
        and matrix; any object whose ``encode`` makes an array of a list of texts, or a function that does; a model of
        termgauge, a spec or a path.
    name
        What results call it; made from what the object tells if not given.
    **options
        Of word vectors: ``lowercase``, ``split``, ``phrases``, ``missing``, ``words`` and ``kind``, as for files. Of a
        SentenceTransformer: ``prompt`` or ``prompt_name``. Of all that encode texts: ``batch_size``, how many of them
        are given at once. Of a spec: those of its scheme.

    Returns
    -------
    Model
        One of words, terms or concepts. Its identity says how it was ``identified``: by its words and vectors, by its
        weights and the vectors of a sample of texts, or by such a sample alone.

    Raises
    ------
    TermgaugeError
        If the object is none of these, or what it gives for texts is no array of finite numbers with a row for each.

    Examples
    --------
    >>> model = as_model({"heart": [1.0, 0.0], "attack": [0.0, 1.0]}, name="mine")
    >>> model.name, model.kind, model.dimension, dict(model.identity.options)
    ('mine', 'words', 2, {'identified': 'its words and vectors'})
    """
    if name is not None and not _fit_name(name):
        raise TermgaugeError(f"The name of a model is a text of printable characters, not {name!r}.")
    if isinstance(given, str | os.PathLike | ModelSpec):
        from termgauge.embeddings.load import load_model

        spec = ModelSpec.parse(given) if isinstance(given, str) else given
        if not isinstance(spec, ModelSpec):
            spec = ModelSpec("", os.fspath(spec))
        return load_model(replace(spec, given_name=name or spec.given_name), **options)
    if is_model(given):
        if options:
            raise TermgaugeError("A model of termgauge takes no options any more; give them where it is opened.")
        return given if name in (None, given.name) else _renamed(given, name)
    found = _recognised(given)
    if found is None:
        raise TermgaugeError(_unknown(given))
    spec = _ObjectSpec(SCHEME, found.about, (), name or found.name or type(given).__name__, found.options)
    return found.open(spec.with_options(options))


def is_model(given: Any) -> bool:  # noqa: ANN401
    """Say whether an object is one of our models, or one like them."""
    if not all(hasattr(given, each) for each in ("name", "identity", "kind")):
        return False
    return str(given.kind) in VERBS and hasattr(given, VERBS[str(given.kind)])


def takes(given: object, option: str) -> bool:
    """Say whether an object becomes a model that has an option."""
    found = None if is_model(given) else _recognised(given)
    return found is not None and option in found.options.options


def stands_alone(given: object) -> bool:
    """Say whether something is one model, though it may be a sequence to its own library."""
    return isinstance(given, str | os.PathLike | ModelSpec) or is_model(given) or _recognised(given) is not None


@dataclass(frozen=True)
class _Found:
    """An object that is known."""

    open: Callable[[ModelSpec], Model]
    about: str
    """Where it comes from, for people."""
    options: Scheme
    name: str = ""


@dataclass(frozen=True)
class _ObjectSpec(ModelSpec):
    """A model as it was handed over, with the options that its kind of object has."""

    taken: Scheme | None = None

    @property
    def declared(self) -> Scheme:
        """What it takes."""
        assert self.taken is not None
        return self.taken


def _recognised(given: Any) -> _Found | None:  # noqa: ANN401
    """Return how to make a model of an object; None if it is not known."""
    if isinstance(given, type | list | str | bytes):
        return None
    from termgauge.embeddings.object_models import table_of, word_model

    about = f"{type(given).__module__}.{type(given).__qualname__}"
    if (table := table_of(given)) is not None:
        name = "words" if isinstance(given, Mapping | tuple) else ""
        where = "a table of words in Python" if name else about
        return _Found(lambda spec: word_model(table(), spec), where, _takes(TABLE_OPTIONS), name)
    if callable(getattr(given, "encode", None)):
        return _encoder(given, about)
    if callable(given):
        from termgauge.embeddings.object_models import plain_model

        name = str(getattr(given, "__name__", "")).replace("<lambda>", "function")
        where = f"the Python function {name}" if name else about
        return _Found(partial(plain_model, given), where, _takes(_BATCH), name)
    return None


def _encoder(given: Any, about: str) -> _Found:  # noqa: ANN401
    from termgauge.embeddings import object_models as encoders

    if encoders.is_sentence_transformer(given):
        place = _place_of(given)
        where = f"{about} of {place}" if place else about
        return _Found(partial(encoders.sentence_model, given), where, _takes(_BATCH | _PROMPTS), _last_part(place))
    if encoders.is_static_model(given):
        base = str(getattr(given, "base_model_name", None) or "")
        return _Found(partial(encoders.static_model, given), about, _takes(_BATCH), _last_part(base))
    return _Found(partial(encoders.plain_model, given.encode), about, _takes(_BATCH))


def _takes(options: dict[str, Option]) -> Scheme:
    return Scheme(SCHEME, "an object", ("words",), as_model, options)


def _fit_name(name: object) -> bool:
    return isinstance(name, str) and bool(name.strip()) and name.isprintable()


def _place_of(model: Any) -> str:  # noqa: ANN401
    """Return where a SentenceTransformer was read from, with its revision, as far as it says so."""
    for module in model:
        config = getattr(getattr(module, "auto_model", None), "config", None)
        if place := str(getattr(config, "name_or_path", "") or ""):
            revision = getattr(config, "_commit_hash", None)
            return f"{place} at revision {revision}" if revision else place
    return ""


def _last_part(place: str) -> str:
    """Return the last part of a path or of the id of a model that says something."""
    parts = place.partition(" at revision ")[0].replace("\\", "/").split("/")
    return next((part for part in reversed(parts) if part not in ("model", ".", "..", "")), "")


def _renamed(model: Model, name: str | None) -> Model:
    same = copy.copy(model)
    object.__setattr__(same, "name", name)  # some are frozen
    return same


def _unknown(given: object) -> str:
    what = f"the class {given.__name__}" if isinstance(given, type) else f"an object of the type {type(given).__name__}"
    hint = " A table of words needs a name before it, as in {'mine': {'heart': […]}}." if _is_row(given) else ""
    return (
        "A model is a path, a spec such as 'word2vec:vectors.bin', what tg.load_model returns, a SentenceTransformer, "
        "gensim's KeyedVectors, model2vec's StaticModel, vectors of spaCy, a dictionary or pair of words and vectors, "
        f"an object with encode(texts), or a function from texts to an array; {what} is none of these.{hint}"
    )


def _is_row(given: object) -> bool:
    """Say whether something is a vector, as the values of a table of words are."""
    return isinstance(given, list) or hasattr(given, "__array__")
