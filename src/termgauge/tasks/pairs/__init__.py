"""Scores of pairs of terms: how well do they agree with labels and ratings?"""
