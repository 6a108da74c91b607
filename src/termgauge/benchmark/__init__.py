"""Term pairs and their labels, made from a terminology or rated by people."""
