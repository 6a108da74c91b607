"""Tests of termgauge; they mirror ``src/termgauge``, and ``common`` holds what every reader must meet."""
