"""What scores say about a model: values on every set, their intervals, and which differences are real."""
