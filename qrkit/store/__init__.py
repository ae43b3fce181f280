"""The tracking store: one DuckDB file, which one process holds at a time."""

from __future__ import annotations

from qrkit.store.connection import Store
from qrkit.store.scans import Scans

__all__ = ["Scans", "Store"]
