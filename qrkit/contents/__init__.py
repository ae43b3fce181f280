"""Texts worth encoding, and what a text says to people."""
