"""Opening a portfolio, and the address under which its short URLs are reached."""

from __future__ import annotations

import warnings
from pathlib import Path

from qrkit.errors import InvalidParameter, Problem
from qrkit.portfolio import access
from qrkit.portfolio.codes import DEFAULT_BASE_URL
from qrkit.portfolio.portfolio import Portfolio
from qrkit.store import Store
from qrkit.store.duckdb.snapshot import Snapshot
from qrkit.store.migrating import check_complete
from qrkit.store.qrcodes import all_short_codes
from qrkit.store.store_settings import get_setting, set_setting
from qrkit.tracking.short_urls import base_url_of
from qrkit.tracking.times import Clock, now

__all__ = ["earlier_base_urls", "kept_base_url", "open_portfolio"]

BASE_URL = "base_url"
"""Name under which a store keeps it."""
EARLIER = "earlier_base_urls"
"""Name under which a store keeps those that it had, a line each."""


def kept_base_url(store: Store, given: str | None = None) -> str:
    """What short URLs of a store begin with: what is given, which the store keeps, else what it has kept.

    Raises:
        InvalidParameter: It is no http or https URL.
    """
    kept = get_setting(store, BASE_URL)
    if given is None:
        return kept or DEFAULT_BASE_URL
    url = base_url_of(given)
    if url != kept:
        if kept:
            others = [one for one in earlier_base_urls(store) if one != url]
            set_setting(store, EARLIER, "\n".join([*others, kept]))
        set_setting(store, BASE_URL, url)
    return url


def earlier_base_urls(store: Store) -> list[str]:
    """What short URLs of a store began with before: codes that were printed then still lead there."""
    return (get_setting(store, EARLIER) or "").split()


def open_portfolio(
    path: str | Path = "qrkit.duckdb",
    *,
    base_url: str | None = None,
    clock: Clock = now,
    snapshot_of: str | Path | None = None,
) -> Portfolio:
    """Open the portfolio of the local user in a store: a file, or a database that several processes work on.

    Args:
        path: The file, which is made when it does not exist; `:memory:`; or the URL of a PostgreSQL database that is
            there, `postgresql://user@host/name`. A password is better kept in the environment, as PGPASSWORD.
        base_url: What short URLs begin with: the address under which the redirects will be reached. The store keeps
            it, so that it need be given but once; http://localhost:8080 where it never was. Where it changes, the
            server goes on answering under the host of the earlier one, on which printed codes depend.
        clock: What time it is, for records that are made.
        snapshot_of: A store that another process holds, in place of `path`: a copy of it as it is now is opened, in
            which nothing can be changed.

    Raises:
        StoreBusy: Another process has the file open, or the server does not answer.
        UnreadableFile: The file or the database is not a store, or another one was moved into it in part.
        InvalidParameter: `base_url` is no http or https URL, or the URL of the database cannot be read.

    Warns:
        UserWarning: The base URL is another one than that of the codes that are there.
    """
    if base_url is not None:
        base_url_of(base_url)  # before a file is made
    if snapshot_of is not None and base_url is not None:
        raise InvalidParameter(Problem("base_url", base_url, "cannot be set in a snapshot; it is the store's own"))
    store = Store(path) if snapshot_of is None else Snapshot(snapshot_of)
    try:
        check_complete(store)
        before = get_setting(store, BASE_URL)
        url = kept_base_url(store, base_url)
        if before not in (None, url, DEFAULT_BASE_URL) and all_short_codes(store):
            warnings.warn(
                f"base_url={url!r}: short URLs of this store began with {before}; codes that were printed with it work "
                "for as long as its host leads to this server",
                stacklevel=2,
            )
        return Portfolio(store, access.local_account(store), base_url=url, clock=clock)
    except BaseException:
        store.close()
        raise
