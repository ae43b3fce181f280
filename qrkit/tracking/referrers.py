"""Cut referrers to their hosts, because the rest may reveal personal details."""

from __future__ import annotations

from urllib.parse import urlsplit

LONGEST_HOST = 253
DIRECT = frozenset({"", "direct", "(direct)", "(none)", "(not set)", "none", "null", "unknown", "-"})
"""What services write for a visit without a referrer, or without a country."""


def referrer_host(referrer: str) -> str | None:
    """Return the host of a `Referer` header; None if there is none."""
    try:
        host = (urlsplit(referrer).hostname or "").removesuffix(".")
    except ValueError:
        return None
    return host if host and len(host) <= LONGEST_HOST else None


def tidy_referrer(text: str) -> str | None:
    """Return the host of a referrer in a table, which may be a URL, a URL without its scheme, or a host already."""
    if text.strip().lower() in DIRECT:
        return None
    if "//" not in text and any(one in text for one in "/?#"):
        text = f"//{text.strip()}"
    return referrer_host(text) if "//" in text else text
