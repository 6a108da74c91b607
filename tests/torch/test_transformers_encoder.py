"""`transformers:` on small random models in their real file format, against the library called by hand."""

from __future__ import annotations

import json
import pickle
import shutil
from functools import cache

import numpy as np
import pytest

from termgauge.embeddings.load import load_model
from termgauge.exceptions import TermgaugeError, TermgaugeWarning
from tests.torch.small_models import WORDS, save_bert, save_gpt2

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

TERMS = ["heart attack", "Heart failure", "Crohn's disease, non-familial", "acute infarction of the lung", "kidney"]


@pytest.fixture(scope="session")
def bert(tmp_path_factory):
    """A BERT of two layers with a WordPiece tokenizer."""
    folder = tmp_path_factory.mktemp("models") / "tiny-bert"
    save_bert(folder)
    return folder


@pytest.fixture(scope="session")
def gpt2(tmp_path_factory):
    """A decoder without padding or special tokens."""
    folder = tmp_path_factory.mktemp("models") / "tiny-gpt2"
    save_gpt2(folder)
    return folder


@pytest.fixture
def copy(bert, tmp_path):
    """A BERT to damage."""
    return shutil.copytree(bert, tmp_path / "copy")


@cache
def opened(folder):
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    return tokenizer, transformers.AutoModel.from_pretrained(folder).eval()


def by_hand(folder, term, *, pooling, layer=-1, special=True):
    """One term through the library, without padding, pooled as the words say."""
    tokenizer, model = opened(folder)
    found = tokenizer(term, return_tensors="pt", return_special_tokens_mask=True)
    marks = found.pop("special_tokens_mask")[0].bool()
    with torch.inference_mode():
        states = model(**found, output_hidden_states=True).hidden_states[layer][0]
    first = states[0]
    states = states if special else states[~marks]
    ways = {"cls": first, "mean": states.mean(0), "max": states.max(0).values, "last": states[-1]}
    return ways[pooling].numpy()


@pytest.mark.parametrize("pooling", ["cls", "mean", "max", "last"])
@pytest.mark.parametrize(("layer", "special"), [(-1, True), (-1, False), (1, True), (-3, False), (0, True)])
def test_bert_equals_the_library_called_term_by_term(bert, pooling, layer, special):
    model = load_model(f"transformers:{bert}?pooling={pooling}&layer={layer}&special={special}")
    expected = [by_hand(bert, term, pooling=pooling, layer=layer, special=special) for term in TERMS]
    np.testing.assert_allclose(model.encode(TERMS), expected, atol=1e-5)
    assert (model.kind, model.dimension, model.name) == ("terms", 16, "tiny-bert")


@pytest.mark.parametrize("pooling", ["cls", "mean", "max", "last"])
def test_decoder_without_padding_token(gpt2, pooling):
    model = load_model(f"transformers:{gpt2}?pooling={pooling}")
    expected = [by_hand(gpt2, term, pooling=pooling) for term in TERMS]
    np.testing.assert_allclose(model.encode(TERMS), expected, atol=1e-5)


@pytest.mark.parametrize("layers", [(-2, -1), (0, 1, 2), (1, 1)])
@pytest.mark.parametrize("pooling", ["cls", "mean"])
def test_several_layers(bert, layers, pooling):
    query = f"pooling={pooling}&layer={','.join(map(str, layers))}"
    own = [[by_hand(bert, term, pooling=pooling, layer=layer) for layer in layers] for term in TERMS]
    mean = load_model(f"transformers:{bert}?{query}")
    np.testing.assert_allclose(mean.encode(TERMS), np.mean(own, axis=1), atol=1e-5)
    beside = load_model(f"transformers:{bert}?{query}&combine=concat")
    np.testing.assert_allclose(beside.encode(TERMS), [np.concatenate(each) for each in own], atol=1e-5)
    assert (mean.dimension, beside.dimension) == (16, 16 * len(layers))
    tokens = load_model(f"transformers:{bert}?tokens=true&combine=concat&layer={','.join(map(str, layers))}")
    assert tokens.words_of(TERMS).vectors.shape[1] == tokens.dimension == 16 * len(layers)
    assert mean.identity.key != beside.identity.key


def test_one_layer_is_what_it_was(bert):
    options = dict(load_model(f"transformers:{bert}?pooling=mean&layer=-02&combine=concat").identity.options)
    assert options["layer"] == "-2"
    assert "combine" not in options


@pytest.mark.parametrize("which", ["bert", "gpt2"])
def test_the_first_tokens_of_words(which, request):
    folder = request.getfixturevalue(which)
    model = load_model(f"transformers:{folder}?pooling=first-subword")
    tokenizer, network = opened(folder)
    expected, several, terms = [], 0, [*TERMS, "heartabc attacked"]
    for term in terms:
        found = tokenizer(term, return_tensors="pt")
        words = found.word_ids(0)
        first = [at for at, word in enumerate(words) if word is not None and word not in words[:at]]
        several += len([word for word in words if word is not None]) - len(first)
        with torch.inference_mode():
            expected.append(network(**found).last_hidden_state[0][first].mean(0).numpy())
    assert several > 0  # some words have several tokens
    np.testing.assert_allclose(model.encode(terms), expected, atol=1e-5)
    assert np.isfinite(model.encode(["\u200b"])).all()
    long = load_model(f"transformers:{folder}?pooling=first-subword&max_length=3")
    with pytest.warns(TermgaugeWarning, match="cut"):
        assert np.isfinite(long.encode(terms)).all()


def test_a_tokenizer_that_does_not_know_words_is_refused(bert, monkeypatch):
    model = load_model(f"transformers:{bert}?pooling=first-subword")
    tokenized = type(model.encoder)._tokenized
    monkeypatch.setattr(
        type(model.encoder),
        "_tokenized",
        lambda self, *given: [row._replace(words=None) for row in tokenized(self, *given)],
    )
    with pytest.raises(TermgaugeError, match="does not say where words begin"):
        model.encoder.encode_batch(["heart"])


def test_encoder_of_an_encoder_decoder(tmp_path, bert):
    folder = tmp_path / "t5"
    transformers.AutoTokenizer.from_pretrained(bert).save_pretrained(folder)
    config = transformers.T5Config(vocab_size=64, d_model=16, d_kv=8, d_ff=32, num_layers=1, num_heads=2)
    config.decoder_start_token_id = 0
    model = transformers.T5Model(config).eval()
    model.save_pretrained(folder)
    found = load_model(f"transformers:{folder}?pooling=mean").encode(["heart attack"])[0]
    ids = transformers.AutoTokenizer.from_pretrained(folder)("heart attack", return_tensors="pt")["input_ids"]
    with torch.inference_mode():
        expected = model.encoder(input_ids=ids).last_hidden_state[0].mean(0).numpy()
    np.testing.assert_allclose(found, expected, atol=1e-5)


def test_token_vectors_are_the_states_of_the_tokens(bert):
    model = load_model(f"transformers:{bert}?tokens=true")
    words = model.words_of(["heart attack", "", "heart", "heart attack"])
    assert model.kind == "words"
    assert [words.words[at] for at in words.indices[: words.indptr[1]]] == ["heart", "attack"]
    assert words.missing.tolist() == [False, True, False, False]
    np.testing.assert_array_equal(words.matrix(0), words.matrix(3))
    mean = by_hand(bert, "heart attack", pooling="mean", special=False)
    np.testing.assert_allclose(words.means[0], mean, atol=1e-5)
    np.testing.assert_allclose(model.vectors(["heart attack"])[0], mean, atol=1e-5)
    assert load_model(f"transformers:{bert}?tokens=true&special=true").words_of(["heart"]).indptr.tolist() == [0, 3]
    with pytest.raises(KeyError):
        model.vectors([" "])


def test_token_vectors_are_made_once(bert, monkeypatch):
    load_model(f"transformers:{bert}?tokens=true").words_of(TERMS)
    again = load_model(f"transformers:{bert}?tokens=true")
    monkeypatch.setattr(again.encoder, "token_vectors", None)
    assert len(again.words_of(TERMS[::-1])) == len(TERMS)


def test_set_measures_work_on_token_vectors(bert):
    from termgauge.similarity.kernels import score_words

    words = load_model(f"transformers:{bert}?tokens=true").words_of(TERMS)
    pairs = np.array([0, 0]), np.array([0, 2])
    scores = score_words(words.vectors, words.indptr, words.indices, *pairs, ["fuzzy_jaccard", "avg_cos"])
    assert scores[0] == pytest.approx([1, 1], abs=1e-5)
    assert (scores[1] < 0.999).all()


def test_several_devices_and_batches_change_nothing(bert):
    terms = [f"{a} {b} of the {c}" for a in WORDS[:6] for b in WORDS[:6] for c in WORDS[:6]]
    one = load_model(f"transformers:{bert}?pooling=mean").encoder
    three = load_model(f"transformers:{bert}?pooling=mean&device=cpu,cpu,cpu").encoder
    np.testing.assert_allclose(one.encode_batch(terms), three.encode_batch(terms), atol=1e-5)
    assert one.identity == three.identity
    assert three.batch_size == 3 * one.batch_size


def test_prompt_stands_before_the_term(bert):
    prompted = load_model(f"transformers:{bert}?pooling=mean&prompt=acute ")
    np.testing.assert_allclose(prompted.encode(["heart"])[0], by_hand(bert, "acute heart", pooling="mean"), atol=1e-5)


def test_precision(bert):
    exact = load_model(f"transformers:{bert}?pooling=mean").encode(TERMS)
    rough = load_model(f"transformers:{bert}?pooling=mean&dtype=bfloat16").encode(TERMS)
    assert rough.dtype == np.float32
    assert not np.array_equal(exact, rough)
    np.testing.assert_allclose(exact, rough, atol=0.1)


def test_long_terms_are_cut_and_counted(bert):
    model = load_model(f"transformers:{bert}?pooling=mean")
    assert model.encoder.max_length == 16
    with pytest.warns(TermgaugeWarning, match="1 of 2 terms is longer than the 16 tokens"):
        vectors = model.encode(["heart " * 40, "heart"])
    np.testing.assert_allclose(vectors[0], by_hand(bert, "heart " * 14, pooling="mean"), atol=1e-5)
    short = load_model(f"transformers:{bert}?pooling=mean&max_length=4")
    with pytest.warns(TermgaugeWarning, match="longer than the 4 tokens"):
        short.encode(["heart attack failure"])


def test_terms_that_are_nothing(bert, gpt2):
    for folder, query in ((bert, "special=false"), (gpt2, "special=true")):
        vectors = load_model(f"transformers:{folder}?pooling=mean&{query}").encode(["", " ", "\u200b", "heart"])
        assert np.isnan(vectors).all(axis=1).tolist() == [True, True, False, False]
        assert np.isfinite(vectors[2:]).all()


def test_every_setting_is_another_identity(bert, copy):
    others = ["layer=1", "special=false", "prompt=x", "dtype=float16", "max_length=8"]
    queries = ["pooling=mean", "pooling=cls", "tokens=true", *(f"pooling=mean&{other}" for other in others)]
    keys = {load_model(f"transformers:{bert}?{query}").identity.key for query in queries}
    same = load_model(f"transformers:{copy}?pooling=mean").identity
    assert same.key in keys  # what counts is the content, not the place
    assert dict(same.libraries).keys() == {"torch", "transformers", "tokenizers"}
    settings = json.loads((copy / "config.json").read_text())
    (copy / "config.json").write_text(json.dumps(settings | {"layer_norm_eps": 0.1}))
    assert load_model(f"transformers:{copy}?pooling=mean").identity.key not in keys
    assert len(keys) == len(queries)


def test_weights_stay_on_disk_when_all_vectors_are_known(bert):
    first = load_model(f"transformers:{bert}?pooling=mean")
    vectors = first.encode(TERMS)
    again = load_model(f"transformers:{bert}?pooling=mean")
    np.testing.assert_array_equal(again.encode(TERMS[::-1]), vectors[::-1])
    assert "_models" not in vars(again.encoder)
    assert "_models" in vars(first.encoder)


@pytest.mark.parametrize(
    ("config", "pooling"),
    [
        ({"pooling_mode_cls_token": True, "pooling_mode_mean_tokens": False}, "cls"),
        ({"pooling_mode_lasttoken": True}, "last"),
        ({"pooling_mode": "mean"}, "mean"),
        ({"pooling_mode": "lasttoken"}, "last"),
        ({"pooling_mode": ["cls"]}, "cls"),
    ],
)
def test_pooling_that_the_checkpoint_names(copy, config, pooling):
    (copy / "1_Pooling").mkdir()
    (copy / "1_Pooling" / "config.json").write_text(json.dumps(config))
    model = load_model(f"transformers:{copy}")
    assert dict(model.identity.options)["pooling"] == pooling


@pytest.mark.parametrize(
    "config",
    [
        None,
        {"pooling_mode_cls_token": True, "pooling_mode_mean_tokens": True},
        {"pooling_mode_weightedmean_tokens": True},
        {"pooling_mode_mean_tokens": True, "pooling_mode_mean_sqrt_len_tokens": True},
        {"pooling_mode": ["cls", "mean"]},
        {"pooling_mode": "weightedmean"},
    ],
)
def test_pooling_is_never_chosen_silently(copy, config):
    if config:
        (copy / "1_Pooling").mkdir()
        (copy / "1_Pooling" / "config.json").write_text(json.dumps(config))
    with pytest.raises(TermgaugeError, match=r"give pooling=cls\|mean\|max\|last"):
        load_model(f"transformers:{copy}")


def test_layer_that_is_not_there(bert):
    with pytest.raises(TermgaugeError, match=r"has the layers 0 \(embeddings\) to 2, or -1 to -3 from the end, and no"):
        load_model(f"transformers:{bert}?pooling=mean&layer=7").encode(["heart"])


@pytest.mark.parametrize(
    ("query", "says"),
    [
        ("pooling=meen", "Did you mean 'mean'"),
        ("pooling=mean&device=gpu", "'device' is cpu, cuda"),
        ("pooling=mean&max_length=99", "at most 16 tokens"),
        ("pooling=mean&tokens=true", "leave out pooling="),
        ("pooling=mean&poling=x", "Did you mean 'pooling'"),
        ("pooling=mean&revision=abc", "which has no revisions"),
        ("pooling=mean&layer=1,x", "'layer' is a whole number, or several"),
        ("pooling=mean&layer=1,9", "no layer 9"),
        ("pooling=mean&layer=1,2&combine=sum", "'combine' is one of mean, concat"),
    ],
)
def test_wrong_options_get_a_sentence(bert, query, says):
    with pytest.raises(TermgaugeError, match=says):
        load_model(f"transformers:{bert}?{query}").encode(["heart"])


def test_device_that_is_not_there(bert):
    with pytest.raises(TermgaugeError, match=r"torch sees .* CUDA devices"):
        load_model(f"transformers:{bert}?pooling=mean&device=cuda:99").encode(["heart"])


@pytest.mark.parametrize(
    ("lost", "says"),
    [
        (["config.json"], "has no config.json"),
        (["tokenizer.json", "vocab.txt"], "has no tokenizer"),
        (["model.safetensors"], "has no weights"),
    ],
)
def test_folder_that_lacks_something(copy, lost, says):
    for name in lost:
        (copy / name).unlink(missing_ok=True)
    with pytest.raises(TermgaugeError, match=says):
        load_model(f"transformers:{copy}?pooling=mean")


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("config.json", b"{", "config.json, line 1: is no JSON"),
        ("config.json", b"[]", "is not what a file of this name holds"),
        ("config.json", b'{"model_type": "no-such"}', "cannot be read"),
        ("tokenizer.json", b"{}", "the tokenizer cannot be read"),
        ("model.safetensors", b"\0" * 100, "the model cannot be read"),
    ],
)
def test_damaged_files_get_a_sentence(copy, name, content, says):
    (copy / name).write_bytes(content)
    with pytest.raises(TermgaugeError, match=says):
        load_model(f"transformers:{copy}?pooling=mean").encode(["heart"])


def test_weights_that_are_missing_are_not_made_up(copy):
    from safetensors.torch import load_file, save_file

    weights = load_file(copy / "model.safetensors")
    del weights["encoder.layer.1.attention.self.query.weight"]
    save_file(weights, copy / "model.safetensors", {"format": "pt"})
    with pytest.raises(TermgaugeError, match=r"lacks 1 of the model's weights \(encoder.layer.1.attention"):
        load_model(f"transformers:{copy}?pooling=mean").encode(["heart"])


def test_numbers_that_are_none(copy):
    from safetensors.torch import load_file, save_file

    weights = load_file(copy / "model.safetensors")
    weights["encoder.layer.1.output.LayerNorm.weight"][0] = float("nan")
    save_file(weights, copy / "model.safetensors", {"format": "pt"})
    with pytest.raises(TermgaugeError, match="holds NaN"):
        load_model(f"transformers:{copy}?pooling=mean").encode(["heart"])


@pytest.fixture
def with_code(copy, tmp_path):
    """Return a checkpoint that ships code, and the file that this code makes when it runs."""
    ran = tmp_path / "ran"
    settings = json.loads((copy / "config.json").read_text())
    settings |= {"model_type": "odd", "auto_map": {"AutoConfig": "odd.OddConfig", "AutoModel": "odd.OddModel"}}
    (copy / "config.json").write_text(json.dumps(settings))
    (copy / "odd.py").write_text(
        f"open({str(ran)!r}, 'w').close()\n"
        "from transformers import BertConfig, BertModel\n"
        "class OddConfig(BertConfig):\n    model_type = 'odd'\n"
        "class OddModel(BertModel):\n    config_class = OddConfig\n"
    )
    return copy, ran


def test_remote_code_is_refused_unless_allowed(with_code):
    folder, ran = with_code
    with pytest.raises(TermgaugeError, match="allow it with remote_code=true"):
        load_model(f"transformers:{folder}?pooling=mean")
    assert not ran.exists()
    model = load_model(f"transformers:{folder}?pooling=mean&remote_code=true")
    assert model.encode(["heart"]).shape == (1, 16)
    assert ran.exists()


def test_an_experiment_file_runs_no_code_before_the_user_says_so(run, with_code, tmp_path):
    folder, ran = with_code
    (tmp_path / "pairs.tsv").write_text("".join(f"heart\tcor {at}\t{at % 2}\n" for at in range(30)))
    spec = f"transformers:{folder}?pooling=mean&remote_code=true"
    models = f'[[model]]\nspec = "baseline:levenshtein"\n[[model]]\nname = "odd"\nspec = "{spec}"\n'
    file = tmp_path / "theirs.toml"
    file.write_text(f'[[benchmark]]\nfile = "pairs.tsv"\n{models}')
    assert run("trust", file)[0] == 0
    for more, wanted in (([], 2), (["--trust"], 2), (["--dry-run"], 4)):
        assert run("run", file, *more)[0] == wanted
        assert not ran.exists()
    status, _out, err = run("run", file, "--allow-remote-code", "--no-report")
    assert status == 0, err
    assert ran.exists()
    ran.unlink()
    assert run("run", file, "--dry-run")[0] == 4, "the run has seen the model, which would be opened"
    assert not ran.exists()


class Trap:
    """What a malicious pickle looks like: unpickling it makes a file."""

    def __init__(self, path):
        self.path = str(path)

    def __reduce__(self):
        return open, (self.path, "w")


def test_pickled_weights_are_read_as_weights_alone(copy):
    expected = load_model(f"transformers:{copy}?pooling=mean").encode(TERMS)
    weights = transformers.AutoModel.from_pretrained(copy).state_dict()
    (copy / "model.safetensors").unlink()
    torch.save(weights, copy / "pytorch_model.bin")
    model = load_model(f"transformers:{copy}?pooling=mean")
    np.testing.assert_allclose(model.encode(TERMS), expected, atol=1e-6)


@pytest.mark.parametrize("how", ["torch", "pickle", "cut"])
def test_malicious_pickles_are_refused(copy, tmp_path, how):
    (copy / "model.safetensors").unlink()
    path, ran = copy / "pytorch_model.bin", tmp_path / "ran"
    value = {"embeddings": Trap(ran)}
    if how == "pickle":
        path.write_bytes(pickle.dumps(value))
    else:
        torch.save(value, path)
    if how == "cut":
        path.write_bytes(path.read_bytes()[:100])
    with pytest.raises(TermgaugeError, match="ask for the checkpoint as safetensors"):
        load_model(f"transformers:{copy}?pooling=mean")
    assert not ran.exists()


def test_pickles_beside_safetensors_are_left_alone(copy, tmp_path):
    before = load_model(f"transformers:{copy}?pooling=mean").identity
    torch.save({"embeddings": Trap(tmp_path / "ran")}, copy / "pytorch_model.bin")
    model = load_model(f"transformers:{copy}?pooling=mean")
    assert model.identity == before
    assert model.encode(["heart"]).shape == (1, 16)
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize("place", ["./no/such/folder", "no such folder", "a/b/c"])
def test_places_that_are_nothing(place):
    with pytest.raises(TermgaugeError, match="there is no such folder"):
        load_model(f"transformers:{place}?pooling=mean")


def test_a_file_is_no_checkpoint(copy):
    with pytest.raises(TermgaugeError, match="is a file; name the folder"):
        load_model(f"transformers:{copy / 'config.json'}?pooling=mean")


def test_hub_ids_become_folders(bert, monkeypatch, tmp_path):
    import huggingface_hub

    asked = []

    def download(hub_id, *, revision, allow_patterns, ignore_patterns):
        asked.append((hub_id, revision, allow_patterns[-1], "onnx/*" in ignore_patterns))
        return str(bert)

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(huggingface_hub, "snapshot_download", download)
    model = load_model("transformers:owner/name-v1.5?pooling=mean&revision=abc")
    assert asked == [("owner/name-v1.5", "abc", "*.safetensors", True)]
    assert model.name == "name-v1.5"
    assert model.identity == load_model(f"transformers:{bert}?pooling=mean").identity


def test_hub_that_gives_nothing(monkeypatch, tmp_path):
    import huggingface_hub
    from huggingface_hub.errors import LocalEntryNotFoundError

    def download(*_, **__):
        raise LocalEntryNotFoundError("no network")

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(huggingface_hub, "snapshot_download", download)
    with pytest.raises(TermgaugeError, match=r"the hub gave nothing \(no network\)"):
        load_model("transformers:owner/name?pooling=mean")
