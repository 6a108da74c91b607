"""Figures: how they are laid out and drawn."""
