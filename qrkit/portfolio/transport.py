"""What goes between a portfolio and the processes that import and export for it: texts that the database writes."""

from __future__ import annotations

import json

from qrkit.portfolio.code_designs import looks_text
from qrkit.portfolio.codes import Records
from qrkit.portfolio.exporting import Listing
from qrkit.portfolio.importing import Present
from qrkit.store.json_rows import all_short_codes, campaigns_text, names_and_contents, qrcode_texts
from qrkit.store.qrcodes import CodeTexts, insert_campaign, insert_texts
from qrkit.tracking.records import PLANS, Campaign

__all__ = ["add_texts", "listing", "looks", "present"]


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


def present(portfolio: Records, template: str = "") -> Present:
    """Return what an import has to know of a portfolio; call this in the transaction of the import.

    Args:
        portfolio: The portfolio to import into.
        template: The name of the template for rows that name none.

    Raises:
        InvalidParameter: If there is no such template.
    """
    portfolio.templates.check_known(template)
    store, account = portfolio.store, portfolio.account.id
    return Present(
        portfolio.base_url,
        portfolio.now(),
        campaigns_text(store, account),
        names_and_contents(store, account),
        all_short_codes(store),
        portfolio.templates.names(),
        template,
    )


def add_texts(portfolio: Records, campaigns: str, codes: CodeTexts) -> None:
    """Add the records that an import in another process has made: campaigns as a JSON list, then QR Codes."""
    for fields in json.loads(campaigns):
        insert_campaign(portfolio.store, portfolio.account.id, Campaign(**fields))
    insert_texts(portfolio.store, portfolio.account.id, codes, portfolio.now())
