"""Sets of term pairs that people rated."""
