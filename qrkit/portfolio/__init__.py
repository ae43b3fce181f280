"""Open a store and manage its campaigns and QR Codes."""

from __future__ import annotations

from qrkit.late import old_names
from qrkit.portfolio.opening import open_portfolio
from qrkit.portfolio.portfolio import Portfolio

__all__ = ["Portfolio", "open_portfolio"]

_OLD_NAMES = {
    "DEFAULT_BASE_URL": "qrkit.portfolio.codes.DEFAULT_BASE_URL",
    "earlier_base_urls": "qrkit.portfolio.opening.earlier_base_urls",
    "kept_base_url": "qrkit.portfolio.opening.kept_base_url",
    "picture_of": "qrkit.portfolio.portfolio.picture_of",
}

__getattr__ = old_names(__name__, _OLD_NAMES)


def __dir__() -> list[str]:
    return __all__
