"""A domain of medicine: the concepts that belong to it, and where their neighbours are sought."""
