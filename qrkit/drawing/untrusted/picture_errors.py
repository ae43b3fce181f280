"""Errors for pictures and drawings that are refused."""

from __future__ import annotations

from qrkit.errors import AssetError, Problem


def refused(rule: str, code: str = "bad-image") -> AssetError:
    """Create an error without a field name; the caller adds it."""
    return AssetError(Problem("content", None, rule, code))


def too_much(limit: str) -> AssetError:
    """Create the error for a drawing that would take too much time or memory."""
    return refused(f"is too complex; allowed: {limit}", "image-too-large")
