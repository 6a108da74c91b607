"""Vectors on disk: matrices and vocabularies that are memory-mapped, and the vectors of encoders."""
