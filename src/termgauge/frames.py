"""DataFrames of pandas and Polars, from one to the other: polars itself does that only where pyarrow is installed.

pandas is imported only by whoever asks for one of its tables; whoever passes one has imported it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

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
    import polars as pl

    def values(column: pl.Series) -> Any:  # noqa: ANN401
        # NumPy has no records of names, and no time zones.
        as_they_are = isinstance(column.dtype, pl.Struct) or getattr(column.dtype, "time_zone", None)
        return pd.Series(column.to_list()) if as_they_are else column.to_numpy()

    return pd.DataFrame({column.name: values(column) for column in frame})


def is_frame(table: object) -> bool:
    """Say whether something is a DataFrame of pandas or Polars, without importing either."""
    kinds = {("pandas", "DataFrame"), ("polars", "DataFrame"), ("polars", "LazyFrame")}
    return any((kind.__module__.partition(".")[0], kind.__name__) in kinds for kind in type(table).__mro__)


def as_polars(table: Any, label: str) -> pl.DataFrame:  # noqa: ANN401
    """Return a DataFrame, of pandas or Polars, as one of Polars; messages call it `label`.

    Raises
    ------
    TermgaugeError
        If it is none, or two of its columns have one name.
    """
    import polars as pl

    if not is_frame(table):
        raise TermgaugeError(f"{label} must be a DataFrame of pandas or Polars, not {type(table).__name__}.")
    if isinstance(table, pl.LazyFrame):
        table = table.collect()
    if isinstance(table, pl.DataFrame):
        return table
    names = [str(name) for name in table.columns]
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise TermgaugeError(f"{label}: two columns are called '{twice}'; rename one of them.")
    return pl.DataFrame([_column(name, table.iloc[:, at]) for at, name in enumerate(names)])


def _column(name: str, column: Any) -> pl.Series:  # noqa: ANN401
    """Return a column of pandas as one of Polars, null where a value is missing; of objects if types are mixed."""
    import polars as pl

    values = [None if missing else value for value, missing in zip(column.tolist(), column.isna(), strict=True)]
    try:
        return pl.Series(name, values)
    except (TypeError, OverflowError, pl.exceptions.PolarsError):
        return pl.Series(name, values, dtype=pl.Object)
