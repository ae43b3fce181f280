"""The commands of the command line, a module a family; each adds its parsers, and calls what a notebook calls."""
