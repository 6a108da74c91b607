"""Linking: given a term, is its concept the nearest one?"""
