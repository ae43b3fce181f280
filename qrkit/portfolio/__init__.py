"""Open a store and manage its campaigns and QR Codes."""

from __future__ import annotations

from qrkit.portfolio.opening import open_portfolio
from qrkit.portfolio.portfolio import Portfolio

__all__ = ["Portfolio", "open_portfolio"]


def __dir__() -> list[str]:
    return __all__
