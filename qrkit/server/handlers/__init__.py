"""Handles requests: one short handler per endpoint, which calls the same functions as a notebook."""
