"""The search for the nearest terms by edit distance: exact, among hundreds of thousands of terms."""
