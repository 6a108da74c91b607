"""What is said when a cluster cannot do what is asked of it: one sentence, which says what to do."""

from __future__ import annotations

import pytest

from termgauge.cluster.messages import given_up, lost, no_worker_of_this_version
from termgauge.io.identity import version


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        (
            given_up("search", 4, "no memory."),
            "The search was begun 4 times on the cluster and not finished (no memory);",
        ),
        (
            given_up("search", 4, "w1: [Errno 28] No space left on device"),
            "(w1: [Errno 28] No space left on device); make room on the disks of the workers.",
        ),
        (given_up("search", 1, "KeyError: 'x'"), "; mend this, and run the same command again."),
        (given_up("search", 1, ""), "was begun once on the cluster and not finished (each time its worker died"),
        (
            str(lost()),
            "The connection to the cluster was lost; what was finished is kept, so run the same command again",
        ),
        (str(lost(OSError("it broke."))), "was lost (it broke); what"),
        (str(lost(KeyError("workers"))), "was lost; what"),
        (
            no_worker_of_this_version({"b": "2", "a": "none"}),
            f"has termgauge {version()}: a has none, b has 2; install",
        ),
        (no_worker_of_this_version({f"w{at}": "2" for at in range(7)}), "w3 has 2, and 3 more; install"),
    ],
)
def test_sentences(said, expected):
    assert expected in said
    assert said.endswith(".")
    assert "\n" not in said
    assert ".." not in said.replace("...", "")
