"""The results of a study: the computation, the result, its sections and a paragraph of methods for a paper."""
