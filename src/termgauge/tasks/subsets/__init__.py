"""Subsets: which kinds of words, terms and pairs models know better and worse."""
