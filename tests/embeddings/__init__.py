"""Tests of ``termgauge.embeddings``."""
