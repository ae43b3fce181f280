"""The tracking store: a DuckDB file, which one process can open at a time, or a PostgreSQL database."""

from __future__ import annotations

from typing import TYPE_CHECKING

from qrkit.late import late_names

if TYPE_CHECKING:
    from qrkit.store.connection import Store
    from qrkit.store.questions.scans import Scans

__all__ = ["Scans", "Store"]

__getattr__ = late_names(__name__, {"Scans": "store.questions.scans:Scans", "Store": "store.connection:Store"})
