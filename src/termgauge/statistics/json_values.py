"""Values as JSON has them: no NaN, no infinity, no tuples."""

from __future__ import annotations

import math
from typing import Any


def finite(value: Any) -> Any:  # noqa: ANN401
    """Return a value with null where a number is undefined or infinite.

    Examples
    --------
    >>> finite(math.nan), finite((1, math.inf)), finite("avg_cos")
    (None, [1, None], 'avg_cos')
    """
    if isinstance(value, tuple):
        return [finite(each) for each in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
