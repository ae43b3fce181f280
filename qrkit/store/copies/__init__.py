"""Copies of rows outside the database: of one account for its questions, or of a whole store."""
