"""`elmo:` against a forward pass written a second time, in plain NumPy, one word and one step at a time."""

from __future__ import annotations

import numpy as np
import pytest

from termgauge.embeddings.encoders.elmo import character_numbers
from termgauge.embeddings.load import load_model
from termgauge.exceptions import TermgaugeError
from tests.torch.small_models import elmo_options, save_elmo

pytest.importorskip("torch")
h5py = pytest.importorskip("h5py")

TERMS = ["heart attack", "Crohn's disease, non-familial (II)", "ä" * 60 + " x", "%", "a b c d e f g h i j"]


def sigmoid(x):
    return 0.5 + 0.5 * np.tanh(x / 2)  # the same, without overflow


def spell(word):
    letters = word if isinstance(word, list) else list(word.encode()[:48])
    return [258, *letters, 259] + [260] * (48 - len(letters))


def word_vector(word, weights, values):
    """The vector of a word without context, from the definition."""
    cnn = values["char_cnn"]
    letters = weights["char_embed"].astype("f8")[spell(word)]
    parts = []
    for at, (width, _) in enumerate(cnn["filters"]):
        kernel, bias = weights[f"CNN/W_cnn_{at}"][0].astype("f8"), weights[f"CNN/b_cnn_{at}"]
        seen = [sum(letters[start + k] @ kernel[k] for k in range(width)) + bias for start in range(50 - width + 1)]
        best = np.max(seen, axis=0)
        parts.append(np.maximum(best, 0) if cnn["activation"] == "relu" else np.tanh(best))
    x = np.concatenate(parts)
    for at in range(cnn["n_highway"]):
        high = {
            key: weights[f"CNN_high_{at}/{key}"].astype("f8")
            for key in ("W_carry", "b_carry", "W_transform", "b_transform")
        }
        gate = sigmoid(x @ high["W_carry"] + high["b_carry"])
        x = gate * np.maximum(x @ high["W_transform"] + high["b_transform"], 0) + (1 - gate) * x
    return x @ weights["CNN_proj/W_proj"].astype("f8") + weights["CNN_proj/b_proj"]


def lstm(inputs, direction, layer, weights, values):
    """One LSTM over a list of vectors, from left to right."""
    place = f"RNN_{direction}/RNN/MultiRNNCell/Cell{layer}/LSTMCell"
    kernel, bias, projection = (weights[f"{place}/{name}"].astype("f8") for name in ("W_0", "B", "W_P_0"))
    n = values["lstm"]["dim"]
    c, h = np.zeros(n), np.zeros(values["lstm"]["projection_dim"])
    found = []
    for x in inputs:
        z = np.concatenate([x, h]) @ kernel + bias
        i, j, f, o = z[:n], z[n : 2 * n], z[2 * n : 3 * n], z[3 * n :]
        c = sigmoid(f + 1.0) * c + sigmoid(i) * np.tanh(j)
        if values["lstm"]["cell_clip"]:
            c = np.clip(c, -values["lstm"]["cell_clip"], values["lstm"]["cell_clip"])
        h = (sigmoid(o) * np.tanh(c)) @ projection
        if values["lstm"]["proj_clip"]:
            h = np.clip(h, -values["lstm"]["proj_clip"], values["lstm"]["proj_clip"])
        found.append(h)
    return found


def reference(words, weights, values):
    """Layers x words x numbers."""
    inputs = [word_vector(word, weights, values) for word in ([256], *words, [257])]
    layers = [np.array([np.concatenate([x, x]) for x in inputs])]
    forward, backward = inputs, inputs[::-1]
    for layer in range(values["lstm"]["n_layers"]):
        new = lstm(forward, 0, layer, weights, values), lstm(backward, 1, layer, weights, values)
        if layer and values["lstm"]["use_skip_connections"]:
            forward = [a + b for a, b in zip(new[0], forward, strict=True)]
            backward = [a + b for a, b in zip(new[1], backward, strict=True)]
        else:
            forward, backward = new
        layers.append(np.array([np.concatenate(pair) for pair in zip(forward, backward[::-1], strict=True)]))
    return np.array(layers)[:, 1:-1]


@pytest.mark.parametrize("layer", ["average", "0", "1", "2", "top"])
def test_every_layer_equals_the_forward_pass_in_numpy(tmp_path, layer):
    values = elmo_options()
    weights = save_elmo(tmp_path / "elmo", values)
    model = load_model(f"elmo:{tmp_path / 'elmo'}?layer={layer}")
    found = model.encode(TERMS)
    for term, vector in zip(TERMS, found, strict=True):
        states = reference(model.encoder.words(term), weights, values)
        chosen = states.mean(0) if layer == "average" else states[-1 if layer == "top" else int(layer)]
        np.testing.assert_allclose(vector, chosen.mean(0), atol=2e-5)
    assert found.shape == (len(TERMS), model.dimension) == (5, 12)


@pytest.mark.parametrize(("layer", "numbers"), [("1,2", [1, 2]), ("0,2", [0, 2]), ("average", [0, 1, 2])])
def test_several_layers(tmp_path, layer, numbers):
    values = elmo_options()
    weights = save_elmo(tmp_path / "elmo", values)
    mean = load_model(f"elmo:{tmp_path / 'elmo'}?layer={layer}")
    beside = load_model(f"elmo:{tmp_path / 'elmo'}?layer={layer}&combine=concat")
    for term, one, all_of_them in zip(TERMS, mean.encode(TERMS), beside.encode(TERMS), strict=True):
        states = reference(mean.encoder.words(term), weights, values)[numbers].mean(axis=1)
        np.testing.assert_allclose(one, states.mean(0), atol=2e-5)
        np.testing.assert_allclose(all_of_them, np.concatenate(states), atol=2e-5)
    assert (mean.dimension, beside.dimension) == (12, 12 * len(numbers))
    assert mean.identity.key != beside.identity.key
    assert (
        load_model(f"elmo:{tmp_path / 'elmo'}?tokens=true&layer=1,2&combine=concat").words_of(TERMS).vectors.shape[1]
        == 24
    )


@pytest.mark.parametrize(
    ("activation", "lstm_options"),
    [
        ("tanh", {}),
        ("relu", {"use_skip_connections": False}),
        ("relu", {"cell_clip": 0.1, "proj_clip": 0.05}),
        ("relu", {"cell_clip": None, "proj_clip": None}),
        ("relu", {"n_layers": 3}),
    ],
)
def test_other_shapes_equal_numpy(tmp_path, activation, lstm_options):
    values = elmo_options(**lstm_options)
    values["char_cnn"]["activation"] = activation
    weights = save_elmo(tmp_path / "elmo", values)
    model = load_model(f"elmo:{tmp_path / 'elmo'}?layer=top")
    expected = [reference(model.encoder.words(term), weights, values)[-1].mean(0) for term in TERMS]
    np.testing.assert_allclose(model.encode(TERMS), expected, atol=1e-4)


def test_clipping_and_skip_connections_matter(tmp_path):
    values, clipped, plain = elmo_options(), elmo_options(cell_clip=0.1), elmo_options(use_skip_connections=False)
    found = []
    for name, each in (("a", values), ("b", clipped), ("c", plain)):
        save_elmo(tmp_path / name, each)
        found.append(load_model(f"elmo:{tmp_path / name}").encode(["heart attack"]))
    assert not np.allclose(found[0], found[1])
    assert not np.allclose(found[0], found[2])


def test_word_vectors_are_the_states_of_the_words(tmp_path):
    values = elmo_options()
    weights = save_elmo(tmp_path / "elmo", values)
    model = load_model(f"elmo:{tmp_path / 'elmo'}?tokens=true")
    words = model.words_of(["heart attack", "", "heart failure"])
    assert words.missing.tolist() == [False, True, False]
    np.testing.assert_allclose(words.matrix(0), reference(["heart", "attack"], weights, values).mean(0), atol=2e-5)
    assert not np.allclose(words.matrix(0)[0], words.matrix(2)[0])  # in another context


def test_a_batch_and_several_devices_change_nothing(tmp_path):
    save_elmo(tmp_path / "elmo", elmo_options())
    alone = load_model(f"elmo:{tmp_path / 'elmo'}").encoder
    shared = load_model(f"elmo:{tmp_path / 'elmo'}?device=cpu,cpu,cpu").encoder
    one_by_one = np.concatenate([alone.encode_batch([term]) for term in TERMS])
    np.testing.assert_allclose(alone.encode_batch(TERMS), one_by_one, atol=1e-5)
    np.testing.assert_allclose(shared.encode_batch(TERMS), one_by_one, atol=1e-5)
    assert alone.identity == shared.identity


def test_options_are_part_of_the_identity(tmp_path):
    save_elmo(tmp_path / "elmo", elmo_options())
    save_elmo(tmp_path / "other", elmo_options(), seed=1)
    specs = ["elmo", "elmo?layer=1", "elmo?split=space", "elmo?lowercase=true", "elmo?tokens=true", "other"]
    keys = {load_model(f"elmo:{tmp_path}/{spec}").identity.key for spec in specs}
    assert len(keys) == len(specs)


def test_characters_of_long_and_foreign_words():
    numbers = character_numbers(["é", "x" * 100])
    assert numbers.shape == (4, 50)
    assert numbers[1, :5].tolist() == [258, 0xC3, 0xA9, 259, 260]
    assert numbers[2, [0, 1, 48, 49]].tolist() == [258, ord("x"), ord("x"), 259]


@pytest.mark.parametrize(
    ("damage", "says"),
    [
        (lambda folder: (folder / "options.json").unlink(), r"holds 0 files \*options.json"),
        (lambda folder: (folder / "weights.hdf5").unlink(), r"holds 0 files \*weights.hdf5"),
        (lambda folder: (folder / "options.json").write_text("{"), "is no JSON"),
        (lambda folder: (folder / "options.json").write_text("[]"), "is not what a file of this name holds"),
        (lambda folder: (folder / "options.json").write_text('{"lstm": {}}'), "does not describe a character biLM"),
        (lambda folder: (folder / "weights.hdf5").write_bytes(b"no"), "is no HDF5 file"),
        (lambda folder: cut(folder / "weights.hdf5"), "is no HDF5 file, or was cut off"),
        (lambda folder: replace(folder, "char_embed", np.zeros((3, 3))), "'char_embed' is of shape"),
        (lambda folder: replace(folder, "CNN/b_cnn_1", None), "has no 'CNN/b_cnn_1'"),
        (lambda folder: replace(folder, "CNN/b_cnn_0", np.full(4, np.nan)), "holds NaN or infinity"),
    ],
)
def test_damaged_files_get_a_sentence(tmp_path, damage, says):
    save_elmo(tmp_path / "elmo", elmo_options())
    damage(tmp_path / "elmo")
    with pytest.raises(TermgaugeError, match=says):
        load_model(f"elmo:{tmp_path / 'elmo'}").encode(["heart"])


def cut(path):
    path.write_bytes(path.read_bytes()[:2000])


def replace(folder, name, value):
    with h5py.File(folder / "weights.hdf5", "a") as file:
        del file[name]
        if value is not None:
            file[name] = value


@pytest.mark.parametrize(
    ("query", "says"),
    [
        ("layer=3", "layers 0 .words. to 2"),
        ("layer=x", "average, top, a number"),
        ("layer=1,9", "no 9"),
        ("device=gpu", "is cpu, cuda"),
    ],
)
def test_wrong_options_get_a_sentence(tmp_path, query, says):
    save_elmo(tmp_path / "elmo", elmo_options())
    with pytest.raises(TermgaugeError, match=says):
        load_model(f"elmo:{tmp_path / 'elmo'}?{query}")
