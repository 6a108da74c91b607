"""One document in many forms: HTML, LaTeX, Markdown, CSV, a terminal."""
