"""The server of a study: pages for raters behind links of their own, and one for the administrator."""
