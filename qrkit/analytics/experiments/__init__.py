"""Experiments whose visitors are split among variants: which one converts more, however often you look."""
