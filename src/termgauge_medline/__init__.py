"""Word vectors that termgauge trained on MEDLINE abstracts: data, and no code. `medline:` opens them."""
