"""What is said when a cluster cannot do what is asked of it."""

from __future__ import annotations

import errno
import os
from typing import TYPE_CHECKING

from termgauge.exceptions import ClusterLostError, TermgaugeError
from termgauge.io.identity import version

if TYPE_CHECKING:
    from collections.abc import Mapping

_DISK_IS_FULL = tuple(os.strerror(number).lower() for number in (errno.ENOSPC, errno.EDQUOT))


class GivenUpError(TermgaugeError):
    """A block was tried on several workers, and none could do it."""


def given_up(called: str, tries: int, reason: str) -> str:
    """Say that a block was given up."""
    often = f"{tries} times" if tries > 1 else "once"
    why = reason.rstrip(".") or "each time its worker died or stopped answering, perhaps for lack of memory"
    if any(full in why.lower() for full in _DISK_IS_FULL):
        remedy = "make room on the disks of the workers"
    elif "memory" in why.lower():
        remedy = "give the workers more memory"
    else:
        remedy = "mend this, and run the same command again"
    return f"The {called} was begun {often} on the cluster and not finished ({why}); {remedy}."


def lost(error: BaseException | None = None) -> ClusterLostError:
    """Say that the cluster is gone, and why as far as the system says it; what Dask trips over then says nothing."""
    reason = str(error).rstrip(".") if isinstance(error, OSError) else ""
    why = f" ({reason})" if reason else ""
    return ClusterLostError(
        f"The connection to the cluster was lost{why}; what was finished is kept, so run the same command again once "
        "the scheduler answers."
    )


def no_worker_of_this_version(others: Mapping[str, str]) -> str:
    """Say that all workers have other versions."""
    known = ", ".join(f"{address} has {theirs}" for address, theirs in sorted(others.items())[:4])
    more = f", and {len(others) - 4} more" if len(others) > 4 else ""
    return (
        f"No worker of the cluster has termgauge {version()}: {known}{more}; install this version on the workers, or "
        "theirs here."
    )
