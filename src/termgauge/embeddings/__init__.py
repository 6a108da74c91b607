"""Vectors for words, terms and concepts, from any common file, without loading them into memory."""
