"""Arrays of other libraries become NumPy's, or it is said what was given instead."""

from __future__ import annotations

import numpy as np
import pytest

from termgauge.embeddings.objects import as_array, as_matrix

NUMBERS = [[1.0, 2.0], [3.0, 4.5]]


class Tensor:
    """What torch's tensors offer, of a kind that NumPy cannot take as it is."""

    def __init__(self, values, *, floating=True):
        self.values, self.floating, self.on_cpu = np.asarray(values), floating, False

    def detach(self):
        return self

    def cpu(self):
        self.on_cpu = True
        return self

    def is_floating_point(self):
        return self.floating

    def float(self):
        return Tensor(self.values.astype(np.float32)).cpu()

    def numpy(self):
        assert self.on_cpu
        return self.values


class OnGpu:
    """What CuPy's arrays offer."""

    __cuda_array_interface__ = "a place on the device"

    def get(self):
        return np.array(NUMBERS)


@pytest.mark.parametrize(
    "given",
    [
        NUMBERS,
        tuple(map(tuple, NUMBERS)),
        np.array(NUMBERS),
        np.array(NUMBERS, np.float16),
        [np.array(row) for row in NUMBERS],
        Tensor(NUMBERS),
        [Tensor(row) for row in NUMBERS],
        OnGpu(),
        (row for row in NUMBERS),
    ],
    ids=lambda given: type(given).__name__,
)
def test_rows_of_any_sort(given):
    matrix = as_matrix(given)
    assert isinstance(matrix, np.ndarray)
    np.testing.assert_array_equal(matrix, NUMBERS)


@pytest.mark.parametrize("given", [np.array([[1, 0]]), np.array([[True, False]]), Tensor([[1, 0]], floating=False)])
def test_whole_numbers_become_floating_ones(given):
    assert as_matrix(given).dtype == np.float32
    assert as_matrix(given).tolist() == [[1, 0]]


def test_nothing_is_copied_that_need_not_be():
    array = np.array(NUMBERS)
    assert as_matrix(array) is array
    assert as_array(array) is array


@pytest.mark.parametrize(
    ("given", "called"),
    [
        (None, "nothing"),
        ("text", "an object of the type str"),
        ({"a": 1}, "an object of the type dict"),
        (3, "an object of the type int"),
        ([[1, 2], [3]], "rows of different lengths"),
        ([np.zeros(2), np.zeros(3)], "rows of different lengths"),
        (["a", "b"], "rows of something that is no number"),
        ([[1j, 2]], "rows of something that is no number"),
        (np.array([[None, 1]]), "rows of something that is no number"),
        ([1, 2], r"an array of the shape \(2,\)"),
        (np.zeros((2, 0)), r"an array of the shape \(2, 0\)"),
        (np.zeros((2, 1, 3)), r"an array of the shape \(2, 1, 3\)"),
        ([], r"an array of the shape \(0,\)"),
    ],
)
def test_what_is_no_matrix_is_called_what_it_is(given, called):
    with pytest.raises(ValueError, match=f"^{called}$"):
        as_matrix(given)
