"""How far raters agree: options, the computation, the result and its sections."""
