"""The formats of vector files, a module each."""
