"""Stores the rows of an import. What becomes of them is decided before, so that no other change waits for that.

If what was stored meanwhile concerns these rows, the import decides anew. Thus two imports of one file add it once, and
no short code is given twice.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from operator import attrgetter
from typing import TypeVar

from qrkit.errors import StoreBusy
from qrkit.portfolio.base_urls import earlier_base_urls, keep_earlier_base_url
from qrkit.portfolio.codes import Records
from qrkit.portfolio.exporting import Listing
from qrkit.portfolio.importing import Present
from qrkit.store.records.campaigns import insert_campaign
from qrkit.store.records.json_rows import all_short_codes, campaigns_text, names_and_contents, readable_tails
from qrkit.store.records.qrcodes import Staged, last_number, staged
from qrkit.store.records.searching import EDITED, Search, edit_qrcodes, search_qrcodes
from qrkit.store.records.short_codes import ignores_case
from qrkit.tracking.records import Campaign, QRCode

MOST_ATTEMPTS = 5
"""How often an import decides on its rows if others interfere."""

_edited = attrgetter(*EDITED)

Result = TypeVar("Result")
Updates = Sequence[tuple[QRCode, QRCode]]
"""QR Codes before and after their changes."""
Decide = Callable[[Present, Staged], tuple[Sequence[Campaign], Updates, Result]]
"""Adds the QR Codes that are to be stored; returns the new campaigns, the changes, and the result for the caller."""


def store_rows(
    portfolio: Records,
    decide: Decide[Result],
    *,
    template: str = "",
    old_base_url: str = "",
    updates: bool = False,
    turn: Callable[[], AbstractContextManager[None]] = nullcontext,
) -> Result:
    """Store the campaigns and QR Codes of an import in one transaction, and return what `decide` has to say.

    `decide` is called again if what was stored meanwhile concerns these rows; if others interfere too often, StoreBusy
    is raised, and the portfolio is unchanged. `old_base_url`, with which the codes of the file were printed, is saved
    with the rows. With `updates`, rows may change QR Codes that are there. While the context manager of `turn` is open,
    nothing else changes records.
    """
    store, account_id = portfolio.store, portfolio.account.id
    for _ in range(MOST_ATTEMPTS):
        known = present_in(portfolio, template, old_base_url, updates=updates)
        with staged(store, account_id) as codes:
            try:
                campaigns, changed, result = decide(known, codes)
            except store.database.errors:
                if codes.is_gone:
                    continue
                raise
            with turn(), store.atomic():
                if not _is_outdated(portfolio, known, codes) and not _were_changed(portfolio, changed):
                    for campaign in campaigns:
                        insert_campaign(store, account_id, campaign)
                    codes.insert(known.now)
                    edit_qrcodes(store, changed, known.now)
                    if old_base_url not in ("", portfolio.base_url):
                        keep_earlier_base_url(store, old_base_url)
                    return result
    raise StoreBusy(f"other imports keep changing the portfolio of {portfolio.account.name}; import the file again")


def present_in(portfolio: Records, template: str = "", old_base_url: str = "", *, updates: bool = False) -> Present:
    """Return what an import has to know of a portfolio; the last three as for `store_rows`."""
    portfolio.templates.check_known(template)
    store, account_id = portfolio.store, portfolio.account.id
    last = last_number(store)  # first, so that nothing is missed that is stored between these queries
    return Present(
        portfolio.base_url,
        portfolio.now(),
        campaigns_text(store, account_id),
        names_and_contents(store, account_id),
        all_short_codes(store),
        portfolio.templates.names(),
        template,
        last,
        readable_tails(store),
        ignores_case(store),
        [*earlier_base_urls(store), *([old_base_url] if old_base_url else [])],
        Listing.of(portfolio).qrcode_texts if updates else (),
    )


def _is_outdated(portfolio: Records, known: Present, codes: Staged) -> bool:
    """Return whether what changed since `known` concerns the QR Codes of an import.

    That is campaigns, templates, short codes, and names that other imports may have given. Other QR Codes that were
    stored, changed or deleted meanwhile count as later.
    """
    if codes.is_gone:
        return True
    are_same = known.campaigns == campaigns_text(portfolio.store, portfolio.account.id)
    return not are_same or known.templates != portfolio.templates.names() or codes.clashes(after=known.last)


def _were_changed(portfolio: Records, updates: Updates) -> bool:
    """Return whether others changed or deleted a QR Code of an import since the import looked at it."""
    if not updates:
        return False
    search, most = Search(ids=tuple(before.id for before, _ in updates)), portfolio.account.limits.most_qrcodes
    _, codes = search_qrcodes(
        portfolio.store, portfolio.account.id, search, lambda _: {}, base_url=portfolio.base_url, most=most
    )
    now = {code.id: _edited(code) for code in codes}
    return any(now.get(before.id) != _edited(before) for before, _ in updates)
