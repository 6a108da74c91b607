"""How right the labels of a benchmark are, judged by people: the computation, the result and its sections."""
