"""Do tests keep their level, and do intervals hold the true value? Simulations of what the documentation claims."""
