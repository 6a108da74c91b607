"""Tables for those who work with pandas: polars itself hands them over only where pyarrow is installed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from termgauge.exceptions import TermgaugeError

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl


def to_pandas(frame: pl.DataFrame) -> pd.DataFrame:
    """Return a table of pandas; whole numbers of which some are missing become floats, as usual there."""
    try:
        import pandas as pd
    except ImportError:
        raise TermgaugeError("pandas is not installed; install it with: pip install pandas.") from None
    return pd.DataFrame({name: frame[name].to_numpy() for name in frame.columns})
