"""What termgauge measures: one folder for each task."""
