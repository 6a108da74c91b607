"""Models that compute a vector for any text."""
