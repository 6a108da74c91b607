"""Which statistics there are of rated pairs and of labelled ones, and which a set is compared by."""

from __future__ import annotations

GRADED = ("spearman", "pearson")
"""Of rated pairs; the first is the default."""
BINARY = ("accuracy", "auc", "ap", "f1")
"""Of labelled pairs; the first is the default."""
STATISTICS = (*GRADED, *BINARY)


def statistic_for(wanted: str, *, graded: bool) -> str:
    """Return what a set is compared by: the statistic that is wanted, or else the default of its kind.

    Examples
    --------
    >>> statistic_for("pearson", graded=True), statistic_for("pearson", graded=False)
    ('pearson', 'accuracy')
    """
    own = GRADED if graded else BINARY
    return wanted if wanted in own else own[0]
