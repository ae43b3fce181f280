"""A store in a file that another process serves: that process runs the statements of others (`door`).

DuckDB lets one process open a file. `Door` opens a Unix socket beside the file; a `ServedStore` in another process of
the same user connects to it, and sends its statements. Everything else happens in the process that asks: it reads and
writes files, draws pictures and makes reports, while the process that serves keeps its time for visitors.
"""
