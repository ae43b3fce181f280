"""Defines the commands of the command line, one module per group. They call the same functions as a notebook."""
