"""Lets visitors in who have typed the password of a QR Code: a signed cookie for its path, valid for 15 minutes."""

from __future__ import annotations

import hmac
import re
import secrets
from collections.abc import Mapping
from hashlib import blake2b, sha256
from http.cookies import CookieError, SimpleCookie
from urllib.parse import quote, urlsplit

from qrkit.store import Store
from qrkit.store.store_settings import get_setting, set_setting
from qrkit.tracking.times import now

__all__ = ["cookie", "is_let_in"]

VALID_SECONDS = 900
_UNTIL = re.compile("[0-9]{1,12}")
KEY = "key_of_cookies"
"""The store setting with the secret that signs cookies, which all processes of a server share."""


def cookie(store: Store, code: str, password: str, base_url: str) -> str:
    """Return the value of `Set-Cookie` for a visitor who knows the password of a short code.

    Args:
        store: The store of the code.
        code: The short code.
        password: The hash of the password: another password ends all sessions.
        base_url: What short URLs begin with.
    """
    until = int(now().timestamp()) + VALID_SECONDS
    value = f"{until}.{_signature(store, code, password, until)}"
    path = f"{urlsplit(base_url).path.rstrip('/')}/{quote(code)}"
    flags = "; Secure" if base_url.startswith("https:") else ""
    return f"{_name(code)}={value}; Path={path}; Max-Age={VALID_SECONDS}; HttpOnly; SameSite=Lax{flags}"


def is_let_in(store: Store, code: str, password: str, headers: Mapping[str, str]) -> bool:
    """Return whether a request has a valid cookie for a short code and its password."""
    try:
        found = SimpleCookie(headers.get("cookie", "")).get(_name(code))
    except CookieError:
        return False
    until, _, signature = (found.value if found else "").partition(".")
    if not _UNTIL.fullmatch(until) or int(until) < now().timestamp():
        return False
    return hmac.compare_digest(signature, _signature(store, code, password, int(until)))


def _name(code: str) -> str:
    return f"qrkit-{blake2b(code.encode(), digest_size=8).hexdigest()}"


def _signature(store: Store, code: str, password: str, until: int) -> str:
    return hmac.new(_key(store), f"{quote(code)} {password} {until}".encode(), sha256).hexdigest()


def _key(store: Store) -> bytes:
    key = get_setting(store, KEY)
    if not key:
        with store.atomic():
            key = get_setting(store, KEY) or secrets.token_hex(32)
            set_setting(store, KEY, key)
    return bytes.fromhex(key)
