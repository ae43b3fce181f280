"""What goes between a portfolio and the processes that import and export for it: texts that the database writes."""

from __future__ import annotations

import json

from qrkit.portfolio.codes import Records
from qrkit.portfolio.exporting import Listing
from qrkit.portfolio.importing import Present
from qrkit.store.json_rows import all_short_codes, campaigns_text, names_and_contents, qrcode_texts
from qrkit.store.qrcodes import CodeTexts, insert_campaign, insert_texts
from qrkit.tracking.records import PLANS, Campaign

__all__ = ["add_texts", "listing", "present"]


def listing(portfolio: Records) -> Listing:
    """Return all campaigns and QR Codes, as the plan of the account shows them."""
    most = PLANS[portfolio.account.plan].most_qrcodes
    return Listing(
        portfolio.base_url,
        campaigns_text(portfolio.store, portfolio.account.id),
        tuple(qrcode_texts(portfolio.store, portfolio.account.id, most=most)),
    )


def present(portfolio: Records) -> Present:
    """Return what an import has to know of a portfolio; call this in the transaction of the import."""
    store, account = portfolio.store, portfolio.account.id
    return Present(
        portfolio.base_url,
        portfolio.now(),
        campaigns_text(store, account),
        names_and_contents(store, account),
        all_short_codes(store),
    )


def add_texts(portfolio: Records, campaigns: str, codes: CodeTexts) -> None:
    """Add the records that an import in another process has made: campaigns as a JSON list, then QR Codes."""
    for fields in json.loads(campaigns):
        insert_campaign(portfolio.store, portfolio.account.id, Campaign(**fields))
    insert_texts(portfolio.store, portfolio.account.id, codes, portfolio.now())
