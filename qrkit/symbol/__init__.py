"""Encodes content as a `Symbol` (ISO/IEC 18004) and decodes the QR Codes in an image."""

from __future__ import annotations

from typing import TYPE_CHECKING

from qrkit.late import late_names

if TYPE_CHECKING:
    from qrkit.symbol.symbol import Role, Symbol

__all__ = ["Role", "Symbol"]

__getattr__ = late_names(__name__, {"Role": "symbol.symbol:Role", "Symbol": "symbol.symbol:Symbol"})
