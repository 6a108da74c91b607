"""``python -m termgauge`` is the command ``termgauge``."""

from __future__ import annotations

from termgauge.cli import main

if __name__ == "__main__":
    main()
