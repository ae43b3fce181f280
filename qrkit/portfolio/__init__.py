"""A user's QR Codes and campaigns, opened from a store file."""

from __future__ import annotations

from qrkit.portfolio.codes import DEFAULT_BASE_URL
from qrkit.portfolio.opening import earlier_base_urls, kept_base_url, open_portfolio
from qrkit.portfolio.portfolio import Portfolio, picture_of

__all__ = ["DEFAULT_BASE_URL", "Portfolio", "earlier_base_urls", "kept_base_url", "open_portfolio", "picture_of"]
