"""Which values and differences can be trusted: intervals, tests and corrections."""
