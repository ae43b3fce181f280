"""The store in a DuckDB file, which one process can open at a time."""
