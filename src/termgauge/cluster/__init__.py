"""More than one machine: an executor on a Dask cluster."""
