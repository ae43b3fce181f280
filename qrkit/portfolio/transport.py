"""What goes between a portfolio and the processes that import and export for it: texts that the database writes."""

from __future__ import annotations

import json

from qrkit.portfolio.code_designs import looks_text
from qrkit.portfolio.codes import Records
from qrkit.portfolio.exporting import Listing
from qrkit.portfolio.importing import Present
from qrkit.store.json_rows import all_short_codes, campaigns_text, names_and_contents, qrcode_texts
from qrkit.store.qrcodes import Staged, insert_campaign, last_number
from qrkit.tracking.records import PLANS, Campaign

__all__ = ["add_campaigns", "is_outdated", "listing", "looks", "present"]


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
    """Return what an import has to know of a portfolio.

    Call this in the transaction of the import, or ask `is_outdated` in it.

    Args:
        portfolio: The portfolio to import into.
        template: The name of the template for rows that name none.

    Raises:
        InvalidParameter: If there is no such template.
    """
    portfolio.templates.check_known(template)
    store, account = portfolio.store, portfolio.account.id
    last = last_number(store)  # first, so that nothing is missed that is stored between these queries
    return Present(
        portfolio.base_url,
        portfolio.now(),
        campaigns_text(store, account),
        names_and_contents(store, account),
        all_short_codes(store),
        portfolio.templates.names(),
        template,
        last,
    )


def is_outdated(portfolio: Records, known: Present, codes: Staged) -> bool:
    """Return whether an import has to decide anew; call this in its transaction.

    That is so if what changed since `present` concerns its QR Codes: campaigns, templates, short codes, and names that
    other imports may have given. Other QR Codes that were stored, changed or deleted meanwhile count as later.
    """
    is_same = known.campaigns == campaigns_text(portfolio.store, portfolio.account.id)
    return not is_same or known.templates != portfolio.templates.names() or codes.clashes(after=known.last)


def add_campaigns(portfolio: Records, campaigns: str) -> None:
    """Add the campaigns that an import in another process has made, as a JSON list."""
    for fields in json.loads(campaigns):
        insert_campaign(portfolio.store, portfolio.account.id, Campaign(**fields))
