"""The versions of many components at once.

Every component follows one of a few lives, such as "active, retired, revived"; all components of one life get their
release dates together, so that a million histories take a second.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

if TYPE_CHECKING:
    from numpy.typing import NDArray

RELEASES = (
    20020131, 20030731, 20050131, 20060731, 20080131, 20100731,
    20120131, 20140731, 20160131, 20180731, 20210131, 20230731,
)  # fmt: skip
"""The dates on which components may have changed."""

LIVES: tuple[tuple[tuple[int, ...], float], ...] = (
    ((1,), 0.74), ((1, 1), 0.15), ((1, 0, 1), 0.05), ((1, 1, 1), 0.04), ((0, 1), 0.02),
    ((1, 0), 0.75), ((1, 1, 0), 0.1), ((0,), 0.05), ((1, 0, 1, 0), 0.1),
)  # fmt: skip
"""Whether a component is active in each of its versions, and how often that life occurs among those that end so."""


def histories(rng: np.random.Generator, active: NDArray[np.bool_], born: NDArray[np.int64]) -> pl.DataFrame:
    """Give each component a history.

    Parameters
    ----------
    rng
        Where chance comes from.
    active
        Whether each component is active in the end.
    born
        The release, as an index into RELEASES, in which each component appears.

    Returns
    -------
    DataFrame
        One row a version: `component` (index), `release` (index), `active` (0 or 1), `last` (whether it is the
        component's current version), by component and release.
    """
    life = _lives(rng, active, born)
    parts = []
    for number, (states, _) in enumerate(LIVES):
        members = np.flatnonzero(life == number)
        versions = len(states)
        drawn = rng.integers(born[members][:, None], len(RELEASES) - versions + 1, (len(members), versions))
        drawn[:, 0] = born[members]
        # Sorted draws plus 0, 1, 2, … are dates that differ and still fit.
        releases = np.sort(drawn, axis=1) + np.arange(versions)
        parts.append(
            pl.DataFrame(
                {
                    "component": np.repeat(members, versions),
                    "release": releases.ravel(),
                    "active": np.tile(np.array(states, dtype=np.int64), len(members)),
                    "last": np.tile(np.arange(versions) == versions - 1, len(members)),
                }
            )
        )
    return pl.concat(parts).sort("component", "release")


def late_births(rng: np.random.Generator, earliest: NDArray[np.int64], share: float) -> NDArray[np.int64]:
    """Return when components appear: mostly at the earliest date, a share of them at any later one."""
    later = rng.integers(earliest, len(RELEASES))
    return np.where(rng.random(len(earliest)) < share, later, earliest)


def _lives(rng: np.random.Generator, active: NDArray[np.bool_], born: NDArray[np.int64]) -> NDArray[np.int64]:
    lengths = np.array([len(states) for states, _ in LIVES])
    chosen = np.zeros(len(active), dtype=np.int64)
    for end in (0, 1):
        members = np.flatnonzero(active == bool(end))
        options = np.array([number for number, (states, _) in enumerate(LIVES) if states[-1] == end])
        weights = np.array([LIVES[number][1] for number in options])
        life = rng.choice(options, len(members), p=weights / weights.sum())
        shortest = options[np.argmin(lengths[options])]
        chosen[members] = np.where(born[members] + lengths[life] > len(RELEASES), shortest, life)
    return chosen
