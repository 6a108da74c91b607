"""What Dask calls cancelled: a result that a dying worker had is made again, a scheduler that is gone is said."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from distributed.client import FutureCancelledError

from termgauge.cluster.dask_executor import TRIES, DaskExecutor, _Batch, _Job
from termgauge.exceptions import ClusterLostError, TermgaugeError
from tests.cluster.clusters import double


class Cancelled:
    """A future that was cancelled for a reason."""

    status = "cancelled"

    def __init__(self, reason):
        self._reason = reason

    def result(self):
        raise FutureCancelledError("job", self._reason)


class Scheduler:
    """What the executor says of the scheduler."""

    def __init__(self, *, there):
        self.there = there

    def answers(self):
        return self.there


def batch(*, there):
    made = object.__new__(_Batch)
    made._executor, made._label, made.sent = Scheduler(there=there), "search", []
    made._submit = made.sent.append
    return made


@pytest.mark.parametrize("reason", [None, "already forgotten", "scheduler-connection-lost"])
def test_a_forgotten_result_is_made_again_until_it_was_tried_often_enough(reason):
    job, made = _Job(0, b"", ()), batch(there=True)
    for tries in range(2, TRIES + 1):
        assert made._result(job, Cancelled(reason)) is None
        assert (job.tries, len(made.sent)) == (tries, tries - 1)
    given_up = made._result(job, Cancelled(reason))
    assert (given_up.tries, len(made.sent)) == (TRIES, TRIES - 1)
    with pytest.raises(TermgaugeError, match=f"search was begun {TRIES} times .* its result was lost"):
        given_up.result()


def test_a_job_whose_workers_die_at_addresses_that_come_back_is_not_sent_forever():
    """Workers with fixed ports have the addresses of those that died before them."""
    from distributed import KilledWorker

    made, job = batch(there=True), _Job(0, b"", ())
    made._deadly = {"tcp://127.0.0.1:1"}
    killed = SimpleNamespace(
        status="error",
        exception=lambda: KilledWorker("job", SimpleNamespace(address="tcp://127.0.0.1:1"), 3),
        release=lambda: None,
    )
    results = [made._result(job, killed) for _ in range(TRIES)]
    assert results[:-1] == [None] * (TRIES - 1)
    with pytest.raises(TermgaugeError, match="its worker died"):
        results[-1].result()


def test_a_lost_scheduler_is_said_at_once():
    made = batch(there=False)
    with pytest.raises(ClusterLostError, match="connection to the cluster was lost"):
        made._result(_Job(0, b"", ()), Cancelled("scheduler-connection-lost"))
    assert made.sent == []


def test_who_loses_the_scheduler_for_a_moment_goes_on(three):
    """The client's own connection breaks while jobs run; Dask connects again, and what was under way is done."""
    from distributed import Client

    with Client(three.address, set_as_default=False) as client:
        results = DaskExecutor(client).map(double, [(number,) for number in range(12)], label="double")
        found = [next(results)]
        client.loop.add_callback(client.scheduler_comm.comm.abort)
        found.extend(results)
    assert sorted(result.result() for result in found) == [2 * number for number in range(12)]
    assert max(result.tries for result in found) > 1
