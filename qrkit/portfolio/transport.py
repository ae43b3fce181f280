"""What the processes that export for a portfolio get of it: texts that the database writes."""

from __future__ import annotations

from qrkit.portfolio.code_designs import looks_text
from qrkit.portfolio.codes import Records
from qrkit.portfolio.exporting import Listing
from qrkit.store.records.json_rows import campaigns_text, qrcode_texts
from qrkit.tracking.records import PLANS

__all__ = ["listing", "looks"]


def listing(portfolio: Records) -> Listing:
    """Return all campaigns and QR Codes, as the plan of the account shows them."""
    most = PLANS[portfolio.account.plan].most_qrcodes
    return Listing(
        portfolio.base_url,
        campaigns_text(portfolio.store, portfolio.account.id),
        tuple(qrcode_texts(portfolio.store, portfolio.account.id, most=most)),
    )


def looks(portfolio: Records) -> str:
    """Return what decides how the QR Codes are drawn, for `CodeDesigns.from_text`."""
    return looks_text(portfolio.store, portfolio.account.id)
