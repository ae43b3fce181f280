"""Passwords of QR Codes, of which only hashes are kept (argon2id, RFC 9106)."""

from __future__ import annotations

import re
from typing import Annotated, Any

from pydantic import BeforeValidator, WithJsonSchema

from qrkit.model import broken

SHORTEST, LONGEST = 4, 100
MEMORY_KIB, ROUNDS, LANES = 19_456, 2, 1
"""What a check costs: 19 MiB and about 20 ms, the least that OWASP recommends."""
MOST = {"m": 65_536, "t": 10, "p": 4}
"""The most that a hash from elsewhere may cost, in KiB, rounds and lanes."""

_HASH = re.compile(
    r"\$argon2id\$v=19\$m=(?P<m>\d{1,9}),t=(?P<t>\d{1,9}),p=(?P<p>\d{1,9})\$[\w+/]{11,86}\$[\w+/]{16,86}"
)


def _hashed(given: Any) -> Any:
    """Return the hash of a password; a hash, and "" for none, stay as they are."""
    if not isinstance(given, str) or given == "":
        return given
    if given.startswith("$argon2id$"):
        costs = _HASH.fullmatch(given)
        if not costs or any(int(costs[name]) > most for name, most in MOST.items()):
            raise broken("is not a hash of argon2id that costs at most 64 MiB, 10 rounds and 4 lanes")
        return given
    if not SHORTEST <= len(given) <= LONGEST:
        raise broken(f"must have {SHORTEST}..{LONGEST} characters, not {len(given)}")
    return _hasher().hash(given)


def is_right(hash: str, password: str) -> bool:
    """Return whether a password is the one that was hashed."""
    from argon2.exceptions import VerificationError

    try:
        return bool(len(password) <= LONGEST and _hasher().verify(hash, password))
    except VerificationError:
        return False


def _hasher() -> Any:
    from argon2 import PasswordHasher

    return PasswordHasher(time_cost=ROUNDS, memory_cost=MEMORY_KIB, parallelism=LANES)


Password = Annotated[
    str, BeforeValidator(_hashed), WithJsonSchema({"type": "string", "maxLength": LONGEST, "format": "password"})
]
"""A password, which is stored as its hash; "" for none."""
