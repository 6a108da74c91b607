"""Tests of the encoders that need torch; the ordinary suite skips them where it is not installed."""
