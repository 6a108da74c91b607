"""Resources that say which words belong together: one file for each kind of resource."""
