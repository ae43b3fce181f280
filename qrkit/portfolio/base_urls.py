"""The base URLs of a store: the one of new short URLs, and those that printed codes may still contain."""

from __future__ import annotations

from qrkit.portfolio.codes import DEFAULT_BASE_URL
from qrkit.store import Store
from qrkit.store.store_settings import get_setting, set_setting
from qrkit.tracking.short_urls import base_url_of

BASE_URL = "base_url"
"""The store setting that contains the base URL."""
EARLIER = "earlier_base_urls"
"""The store setting that contains the earlier base URLs, one per line."""
DEFAULT = "default_base_url"
"""The store setting that contains the address of the last server that started while no base URL was saved."""


def kept_base_url(store: Store, given: str | None = None) -> str:
    """Return the base URL of short URLs: the given one, which is saved, or else the saved one.

    Without a saved one, it is `http://localhost` with the port of the last server of the store, or 8080.
    """
    kept = get_setting(store, BASE_URL)
    if given is None:
        return kept or get_setting(store, DEFAULT) or DEFAULT_BASE_URL
    url = base_url_of(given)
    if url != kept:
        if kept:
            keep_earlier_base_url(store, kept, without=url)
        set_setting(store, BASE_URL, url)
    return url


def earlier_base_urls(store: Store) -> list[str]:
    """Return the earlier base URLs of a store, which printed codes may still contain."""
    return (get_setting(store, EARLIER) or "").split()


def keep_earlier_base_url(store: Store, url: str, *, without: str = "") -> None:
    """Add an earlier base URL to those of a store, and remove the one that is in use again."""
    others = [one for one in earlier_base_urls(store) if one not in (url, without)]
    set_setting(store, EARLIER, "\n".join([*others, url]))
