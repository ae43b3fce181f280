"""Lets visitors in who have typed the password of a QR Code: a signed cookie for its path, valid for 15 minutes."""

from __future__ import annotations

import hmac
import re
from collections.abc import Mapping
from hashlib import blake2b, sha256
from urllib.parse import quote, urlsplit

from qrkit.store import Store
from qrkit.store.store_settings import secret
from qrkit.tracking.times import now
from qrkit.visits.remembered_variants import cookie_in

VALID_SECONDS = 900
_UNTIL = re.compile("[0-9]{1,12}")
KEY = "key_of_cookies"
"""The store setting with the secret that signs cookies, which all processes of a server share."""


def cookie(store: Store, code: str, password: str, base_url: str) -> str:
    """Return the value of `Set-Cookie` for a visitor who knows the password of a short code.

    `password` is its hash: another password ends all sessions. `base_url` is what short URLs begin with.
    """
    until = int(now().timestamp()) + VALID_SECONDS
    value = f"{until}.{_signature(store, code, password, until)}"
    return for_code(f"{_name(code)}={value}; Max-Age={VALID_SECONDS}", code, base_url)


def for_code(cookie: str, code: str, base_url: str) -> str:
    """Return a cookie as it is set for the path of a short code alone."""
    path = f"{urlsplit(base_url).path.rstrip('/')}/{quote(code)}"
    flags = "; Secure" if base_url.startswith("https:") else ""
    return f"{cookie}; Path={path}; HttpOnly; SameSite=Lax{flags}"


def is_let_in(store: Store, code: str, password: str, headers: Mapping[str, str]) -> bool:
    """Return whether a request has a valid cookie for a short code and its password."""
    until, _, signature = cookie_in(headers, _name(code)).partition(".")
    if not _UNTIL.fullmatch(until) or int(until) < now().timestamp():
        return False
    return hmac.compare_digest(signature.encode(), _signature(store, code, password, int(until)).encode())


def _name(code: str) -> str:
    return f"qrkit-{blake2b(code.encode(), digest_size=8).hexdigest()}"


def _signature(store: Store, code: str, password: str, until: int) -> str:
    return hmac.new(secret(store, KEY), f"{quote(code)} {password} {until}".encode(), sha256).hexdigest()
