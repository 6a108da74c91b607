"""The sections of a report: each a function from plain data to prose, tables and figures."""
