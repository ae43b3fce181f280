"""Experiments whose visitors are split among variants: which converts more, told so that daily looks do no harm."""
