"""Open a portfolio, and manage the base URL of its short URLs."""

from __future__ import annotations

import warnings
from pathlib import Path

from qrkit.errors import InvalidParameter, Problem
from qrkit.portfolio import access
from qrkit.portfolio.base_urls import BASE_URL, DEFAULT, kept_base_url
from qrkit.portfolio.codes import DEFAULT_BASE_URL
from qrkit.portfolio.portfolio import Portfolio
from qrkit.store import Store
from qrkit.store.history.history_files import tidy_opened
from qrkit.store.records.json_rows import all_short_codes
from qrkit.store.served.database import ServedStore
from qrkit.store.store_settings import get_setting, set_setting
from qrkit.store.upkeep.moving import check_complete
from qrkit.store.upkeep.snapshot import Snapshot
from qrkit.tracking.short_urls import base_url_of
from qrkit.tracking.times import Clock, now


def keep_base_url(store: Store, given: str | None, *, port: int | None = None, stacklevel: int = 2) -> str:
    """Do the same as `kept_base_url`, and warn if the base URL of existing QR Codes changes.

    Without a base URL, short URLs lead to the port of the server that starts, if one does.
    """
    before = kept_base_url(store)
    if port is not None and given is None and get_setting(store, BASE_URL) is None:
        set_setting(store, DEFAULT, f"http://localhost:{port}")
    url = kept_base_url(store, given)
    if before not in (url, DEFAULT_BASE_URL) and all_short_codes(store):
        warnings.warn(
            f"base_url={url!r}: short URLs of this store began with {before}; codes that were printed with it work "
            "for as long as its host leads to this server",
            stacklevel=stacklevel,
        )
    return url


def open_portfolio(
    path: str | Path = "qrkit.duckdb",
    *,
    base_url: str | None = None,
    clock: Clock = now,
    snapshot_of: str | Path | None = None,
) -> Portfolio:
    """Open the local user's portfolio in a store: a file, or a database that several processes can share.

    Args:
        path: The store file, which is created if the file does not exist; `:memory:`; or the URL of an existing
            PostgreSQL database, `postgresql://user@host/name`. Set the password in the environment as PGPASSWORD.
        base_url: The base URL of short URLs: the public address of the redirect server. The store saves the base URL,
            so you pass it only once. Without a base URL, short URLs start with http://localhost and the port of the
            last server of the store, or 8080. After a change, the server also accepts requests for the earlier host,
            so that printed codes keep working.
        clock: A function that returns the current time, used to timestamp new records.
        snapshot_of: A store that another process has open, or that cannot be written. A read-only copy of its current
            state is opened, and `path` is ignored.

    Raises:
        StoreBusy: If another process has the file open, or the database server does not respond.
        StoreReadOnly: If the file, its folder or its file system allows reading only.
        StoreDamaged: If a damaged part of the file or its log is needed to open it.
        UnreadableFile: If the file or the database is not a store, or moving another store into it was not completed.
        InvalidParameter: If `base_url` is not an http or https URL, or the database URL is invalid.

    Warns:
        UserWarning: If `base_url` differs from the base URL of existing QR Codes.
    """
    if base_url is not None:
        base_url_of(base_url)  # validate before a file is created
    if snapshot_of is not None and base_url is not None:
        rule = "cannot be set for a snapshot, which has the base URL of its store; leave it out"
        raise InvalidParameter(Problem("base_url", base_url, rule))
    return portfolio_in(Store(path) if snapshot_of is None else Snapshot(snapshot_of), base_url=base_url, clock=clock)


def portfolio_in(store: Store, *, base_url: str | None = None, clock: Clock = now) -> Portfolio:
    """Return the local user's portfolio in an open store, which is closed with the portfolio, or if this fails."""
    try:
        check_complete(store)
        tidy_opened(store)
        if isinstance(store, ServedStore) and base_url is not None and base_url_of(base_url) != kept_base_url(store):
            rule = f"cannot change while a server uses {store.path}; set it when you start the server"
            raise InvalidParameter(Problem("base_url", base_url, rule))
        url = keep_base_url(store, base_url, stacklevel=4)
        return Portfolio(store, access.local_account(store), base_url=url, clock=clock)
    except BaseException:
        store.close()
        raise
