"""The store in a DuckDB file, which one process holds at a time."""
