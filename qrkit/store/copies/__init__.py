"""Rows that leave the database: one account for its own questions, a whole store for another."""
