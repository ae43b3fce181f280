"""IDs of scans, which links carry to a shop, and which come back with its conversions.

An ID holds the number of the QR Code, the time of the scan and the key of the visitor on that day, sealed with a key of
the store: nobody else can read it, change it, or make one. So no list of IDs has to be kept, and a server knows whether
an ID is one of its own without asking the store.
"""

from __future__ import annotations

import hmac
from base64 import urlsafe_b64decode, urlsafe_b64encode
from datetime import UTC, datetime, timedelta
from hashlib import blake2b
from struct import Struct
from typing import NamedTuple

from qrkit.store.connection import Store
from qrkit.store.store_settings import secret

KEY = "key_of_click_ids"
"""The store setting with the secret that seals IDs."""
LENGTH = 40
VALID_DAYS = 90
"""How long after its scan an ID holds."""
_PLAIN = Struct(">IQQ")
TAG_BYTES = 10
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MICROSECOND = timedelta(microseconds=1)


class Click(NamedTuple):
    """The scan behind an ID: the number of the QR Code, the time in UTC, and the key of the visitor on that day."""

    qrcode: int
    time: datetime
    visitor: int


def click_id(store: Store, click: Click) -> str:
    """Return the ID of a scan: 40 letters, digits, `-` and `_`."""
    plain = _PLAIN.pack(click.qrcode, (click.time - EPOCH) // MICROSECOND, click.visitor)
    tag = _hash(store, plain, b"tag")[:TAG_BYTES]
    return urlsafe_b64encode(tag + _covered(store, plain, tag)).decode()


def click_of(store: Store, id: str, moment: datetime) -> Click | None:
    """Return the scan behind an ID; None if the store has not given this ID, or it is too old at a moment."""
    if len(id) != LENGTH or not id.isascii():
        return None
    try:
        data = urlsafe_b64decode(id)
    except ValueError:
        return None
    tag, plain = data[:TAG_BYTES], _covered(store, data[TAG_BYTES:], data[:TAG_BYTES])
    if len(plain) != _PLAIN.size or not hmac.compare_digest(tag, _hash(store, plain, b"tag")[:TAG_BYTES]):
        return None
    qrcode, time, visitor = _PLAIN.unpack(plain)
    click = Click(qrcode, EPOCH + time * MICROSECOND, visitor)
    return click if moment - click.time <= timedelta(days=VALID_DAYS) else None


def _covered(store: Store, data: bytes, tag: bytes) -> bytes:
    """Return data under a mask that depends on its tag; covering it twice uncovers it."""
    return bytes(one ^ other for one, other in zip(data, _hash(store, tag, b"mask"), strict=False))


def _hash(store: Store, data: bytes, purpose: bytes) -> bytes:
    key = store.database.memory.get(KEY)
    if key is None:
        key = secret(store, KEY)
        if not store.is_in_transaction:  # which may yet be rolled back
            store.database.memory[KEY] = key
    return blake2b(data, digest_size=32, key=key, person=purpose).digest()
