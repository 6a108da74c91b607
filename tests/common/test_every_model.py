"""A model of every scheme does what every model must do."""

from __future__ import annotations

import pytest

from termgauge.embeddings.schemes import all_schemes
from tests.common.embedding_server import serving_embeddings
from tests.common.model_invariants import cases
from tests.common.model_samples import IN_CORE, ON_TORCH


@pytest.fixture(scope="module", autouse=True)
def endpoint():
    with serving_embeddings() as server, pytest.MonkeyPatch.context() as patch:
        patch.setenv("OPENAI_BASE_URL", server.base_url)
        yield


def test_every_scheme_has_a_sample_of_each_of_its_kinds():
    tested = {(sample.scheme, sample.kind) for sample in [*IN_CORE, *ON_TORCH]}
    assert tested == {(scheme.name, kind) for scheme in all_schemes().values() for kind in scheme.kinds}


@pytest.mark.parametrize(("sample", "invariant"), cases(IN_CORE))
def test_every_model(sample, invariant, tmp_path):
    invariant(sample, tmp_path)
