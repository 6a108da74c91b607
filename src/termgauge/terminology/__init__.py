"""A terminology on disk becomes one model, whatever its format."""
