"""The sections of a report about scores of pairs."""
