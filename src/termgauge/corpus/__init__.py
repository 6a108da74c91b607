"""Words and word pairs from a corpus: counted nouns and verbs, and how they go together."""
