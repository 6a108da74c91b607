"""Mappings between terminologies: which concept of one is which of another."""
