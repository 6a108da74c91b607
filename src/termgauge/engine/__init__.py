"""Stringing the steps together: the run folder, scoring what is missing in it, and comparing what is there."""
