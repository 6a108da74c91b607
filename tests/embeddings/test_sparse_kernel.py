"""The product of sparse matrices equals SciPy's."""

from __future__ import annotations

import numpy as np
import scipy.sparse

from termgauge.embeddings.sparse_kernel import add_products


def test_products_equal_those_of_scipy():
    rng = np.random.default_rng(0)
    one, other = (scipy.sparse.random_array((rows, 40), density=0.2, rng=rng, format="csr") for rows in (13, 17))
    columns = other.T.tocsr()
    out = np.zeros((9, 17))
    rows, turned = ((each.data, each.indices, each.indptr) for each in (one, columns))
    add_products(rows, turned, 3, out)
    assert np.allclose(out, (one @ columns).toarray()[3:12], rtol=0, atol=1e-14)
