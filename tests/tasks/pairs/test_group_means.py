"""Means over groups of sets: which sets are together, what is left out, and what the interval is worth."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from termgauge.exceptions import TermgaugeError
from termgauge.reporting.set_names import groups_by_name, titled
from termgauge.tasks import contract
from termgauge.tasks.pairs.result import SCHEMA, group_means
from termgauge.tasks.pairs.scored import SCHEMA as RESULTS
from termgauge.tasks.pairs.sections.standings import standings

BUILT = [f"hp/{kind}/{how}/random" for kind in ("fsn-syn", "syn-syn") for how in ("easy", "hard")]
RATED = ["human/umnsrs-sim", "human/mayosrs"]


def found(values, groups=()):
    """Return standings of values by set, model and statistic, each with an interval of 0.1 to both sides."""
    rows = [
        (model, name, "cos", statistic, value, value - 0.1, value + 0.1, 50, "shared")
        for (name, model, statistic), value in values.items()
    ]
    return standings(
        pl.DataFrame(rows, schema=RESULTS, orient="row"), {}, {}, testing=contract.Testing(groups=list(groups))
    )


def test_groups_are_what_sets_have_in_common():
    sets = [titled(name, graded=name in RATED) for name in (*BUILT, *RATED)]
    groups = {
        name: [each.id for each in some] for name, some in groups_by_name(sets, ["mine=*/hard/*,mayosrs"]).items()
    }
    assert groups == {
        "human": RATED,
        "fsn-syn": BUILT[:2],
        "syn-syn": BUILT[2:],
        "easy": BUILT[::2],
        "hard": BUILT[1::2],
        "random": BUILT,
        "mine": [*BUILT[1::2], RATED[1]],
    }
    assert groups_by_name(sets[:2]) == {"fsn-syn": sets[:2]}  # one collection of sets, one group
    for wrong in ("mine=nothing", "mine", "=mayosrs", "mine="):
        with pytest.raises(TermgaugeError, match="group"):
            groups_by_name(sets, [wrong])


def test_means_ranks_and_what_is_left_out():
    values = {
        (name, model, "auc"): 0.5 + 0.1 * place + (0.05 if model == "good" else 0)
        for place, name in enumerate(BUILT)
        for model in ("good", "fair")
    }
    del values[BUILT[0], "fair", "auc"]
    means = group_means(found(values, ["all=hp/*"]))
    assert dict(means.schema) == SCHEMA
    rows = {(row["group"], row["model"]): row for row in means.iter_rows(named=True)}
    whole = rows["random", "good"]
    assert whole["value"] == pytest.approx(np.mean([0.65, 0.75, 0.85]))
    assert (whole["low"], whole["high"]) == (None, None)
    assert (whole["sets"], whole["left_out"], whole["mean_rank"]) == (3, BUILT[0], 1)
    assert rows["random", "fair"]["mean_rank"] == 2
    assert rows["all", "fair"]["value"] == rows["random", "fair"]["value"]
    assert rows["hard", "good"]["left_out"] == ""
    assert group_means(found({(BUILT[0], "good", "auc"): 0.5})).is_empty()
