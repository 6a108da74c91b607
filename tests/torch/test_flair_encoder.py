"""`flair:` on small random character language models in flair's own file format, against flair's own classes."""

from __future__ import annotations

import pickle
import warnings

import numpy as np
import pytest

from termgauge.embeddings.load import load_model
from termgauge.exceptions import TermgaugeError
from tests.torch.small_models import save_flair

torch = pytest.importorskip("torch")
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    flair = pytest.importorskip("flair")
    pytest.importorskip("flair.embeddings")
    pytest.importorskip("flair.models")

pytestmark = pytest.mark.filterwarnings("ignore")

TERMS = ["heart attack", "Crohn's disease, non-familial (II)", "x", "ß µ"]


@pytest.fixture(scope="session")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("flair")
    save_flair(place)
    return place


def flair_itself(folder, document):
    sides = [flair.embeddings.FlairEmbeddings(str(folder / f"tiny-{side}.pt")) for side in ("forward", "backward")]
    embeddings = document(sides)
    found = []
    for term in TERMS:
        sentence = flair.data.Sentence(term)
        embeddings.embed(sentence)
        found.append(sentence.get_embedding().detach().cpu().numpy())
    return np.stack(found)


def test_mean_of_words_equals_flairs_document_pool(folder):
    model = load_model(f"flair:{folder}")
    expected = flair_itself(folder, lambda sides: flair.embeddings.DocumentPoolEmbeddings(sides, pooling="mean"))
    np.testing.assert_allclose(model.encode(TERMS), expected, atol=1e-5)
    assert (model.kind, model.dimension) == ("terms", 24)


def test_ends_equal_flairs_document_language_model(folder):
    model = load_model(f"flair:{folder}?pooling=ends")
    expected = np.roll(flair_itself(folder, flair.embeddings.DocumentLMEmbeddings), 12, axis=1)  # backward comes first
    np.testing.assert_allclose(model.encode(TERMS), expected, atol=1e-5)


def test_words_and_single_directions(folder):
    model = load_model(f"flair:{folder}?tokens=true")
    words = model.words_of(["heart attack", ""])
    assert [words.words[at] for at in words.indices] == ["heart", "attack"]
    assert words.missing.tolist() == [False, True]
    both = load_model(f"flair:{folder}").encode(TERMS)
    sides = [load_model(f"flair:{folder}?direction={side}").encode(TERMS) for side in ("forward", "backward")]
    np.testing.assert_allclose(both, np.concatenate(sides, axis=1), atol=1e-5)


def test_terms_that_are_nothing(folder):
    vectors = load_model(f"flair:{folder}").encode(["", "\u200b", "heart"])
    assert np.isnan(vectors).all(axis=1).tolist() == [True, False, False]


def test_every_setting_is_another_identity(folder):
    queries = ["", "?pooling=ends", "?direction=forward", "?tokens=true"]
    assert len({load_model(f"flair:{folder}{query}").identity.key for query in queries}) == 4


class Trap:
    def __init__(self, path):
        self.path = str(path)

    def __reduce__(self):
        return open, (self.path, "w")


@pytest.mark.parametrize("how", ["torch", "pickle", "cut"])
def test_malicious_and_damaged_files_are_refused(folder, tmp_path, how):
    ran, path = tmp_path / "ran", tmp_path / "forward.pt"
    state = {"dictionary": Trap(ran)}
    if how == "torch":
        torch.save(state, path)
    elif how == "pickle":
        path.write_bytes(pickle.dumps(state))
    else:
        path.write_bytes((folder / "tiny-forward.pt").read_bytes()[:1000])
    with pytest.raises(TermgaugeError, match="is no character language model of flair"):
        load_model(f"flair:{tmp_path}?direction=forward").encode(["heart"])
    assert not ran.exists()


def test_missing_weights_and_files(folder, tmp_path):
    with pytest.raises(TermgaugeError, match=r"holds 0 files \*forward\*.pt"):
        load_model(f"flair:{tmp_path}")
    state = torch.load(folder / "tiny-forward.pt", weights_only=False)
    del state["state_dict"]["rnn.weight_hh_l0"]
    torch.save(state, tmp_path / "forward.pt")
    with pytest.raises(TermgaugeError, match="lacks the weights rnn"):
        load_model(f"flair:{tmp_path}?direction=forward").encode(["heart"])


def test_names_of_flairs_own_models(folder, monkeypatch):
    asked = []

    def download(address, cache_dir):
        assert str(cache_dir) == "embeddings"
        asked.append(address)
        return folder / ("tiny-forward.pt" if "forward" in address or "fw" in address else "tiny-backward.pt")

    monkeypatch.setattr(flair.file_utils, "cached_path", download)
    assert load_model("flair:pubmed").encode(TERMS).shape == (4, 24)
    assert len(asked) == 2
    assert all("pubmed" in address for address in asked)
    with pytest.raises(TermgaugeError, match="Did you mean 'pubmed'"):
        load_model("flair:pubmd")
    with pytest.raises(TermgaugeError, match="is no folder"):
        load_model("flair:no/such")


def test_several_devices_are_refused(folder):
    with pytest.raises(TermgaugeError, match="runs on one device"):
        load_model(f"flair:{folder}?device=cpu,cpu")
