"""Similarity of two terms: measures declared by name, a plain definition of each, and the fast kernels."""

from termgauge.similarity.measures import Measure, all_measures, find_measure, measures_for

__all__ = ["Measure", "all_measures", "find_measure", "measures_for"]
