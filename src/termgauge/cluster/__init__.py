"""More than one machine: a workplace on a Dask cluster."""
