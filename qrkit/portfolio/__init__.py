"""A user's QR Codes and campaigns, opened from a store file."""

from __future__ import annotations

from qrkit.portfolio.book import Portfolio, picture_of
from qrkit.portfolio.opening import earlier_base_urls, kept_base_url, open_portfolio
from qrkit.portfolio.records import DEFAULT_BASE_URL

__all__ = ["DEFAULT_BASE_URL", "Portfolio", "earlier_base_urls", "kept_base_url", "open_portfolio", "picture_of"]
