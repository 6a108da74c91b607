"""What Dask calls cancelled: a result that a dying worker had is made again, a scheduler that is gone is said."""

from __future__ import annotations

import pytest
from distributed.client import FutureCancelledError

from termgauge.cluster.dask_executor import TRIES, _Batch, _Job
from termgauge.exceptions import ClusterLostError


class Cancelled:
    """A future that was cancelled for a reason."""

    status = "cancelled"

    def __init__(self, reason):
        self._reason = reason

    def result(self):
        raise FutureCancelledError("job", self._reason)


@pytest.fixture
def batch():
    made = object.__new__(_Batch)
    made.sent = []
    made._submit = made.sent.append
    return made


def test_a_forgotten_result_is_made_again_until_it_was_tried_often_enough(batch):
    job = _Job(0, b"", ())
    for tries in range(2, TRIES + 1):
        assert batch._result(job, Cancelled(None)) is None
        assert (job.tries, len(batch.sent)) == (tries, tries - 1)
    with pytest.raises(ClusterLostError):
        batch._result(job, Cancelled(None))


def test_a_lost_connection_is_said_at_once(batch):
    with pytest.raises(ClusterLostError, match="connection to the cluster was lost"):
        batch._result(_Job(0, b"", ()), Cancelled("scheduler-connection-lost"))
    assert batch.sent == []
