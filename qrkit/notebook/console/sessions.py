"""`Sessions`: who has signed in on a shared console with an API key, and until when."""

from __future__ import annotations

import secrets
from datetime import datetime, timedelta
from typing import NamedTuple
from uuid import uuid4

from qrkit.portfolio.access import authenticate, is_valid, key_id
from qrkit.server.clients.shares import Buckets
from qrkit.store import Store
from qrkit.store.records.accounts import digest_of
from qrkit.tracking.records import Account
from qrkit.tracking.times import Clock, now

LONGEST = timedelta(days=7)
"""How long a session lasts at most."""
ATTEMPTS_A_MINUTE = 20
"""For each network, right keys included: the people of one office may have one address."""


class Session(NamedTuple):
    """Someone who has signed in with a key, until the session `ends`, whatever becomes of the key.

    IDs of the session's kernels begin with its own.
    """

    id: str
    account: Account
    key: str
    ends: datetime


class Sessions:
    """The sessions of a console, in memory: they end with it."""

    def __init__(self, store: Store, clock: Clock = now) -> None:
        self._store, self._clock = store, clock
        self._sessions: dict[str, Session] = {}  # by hash: how long a look-up takes says nothing about a token
        self._attempts = Buckets(ATTEMPTS_A_MINUTE, "too many attempts to sign in; wait a minute")

    def begin(self, key: str, address: str) -> str:
        """Begin a session and return its token."""
        self._attempts.take(address)
        moment, key = self._clock(), key.strip()
        account, token = authenticate(self._store, key, moment), secrets.token_urlsafe(32)
        self._sessions[digest_of(token)] = Session(str(uuid4())[:19], account, key_id(key), moment + LONGEST)
        return token

    def of(self, token: str) -> Session | None:
        """Return the session of a token; None if it is over, or its key was revoked or has expired."""
        session = self._sessions.get(digest_of(token))
        return session if session and self._lasts(session) else None

    def end(self, token: str) -> None:
        """End the session of a token, if there is one."""
        self._sessions.pop(digest_of(token), None)

    def ids(self, account_id: str = "") -> tuple[str, ...]:
        """Return the IDs of the sessions that last, of one account or of all; forget the others."""
        self._sessions = {digest: one for digest, one in self._sessions.items() if self._lasts(one)}
        return tuple(one.id for one in self._sessions.values() if account_id in ("", one.account.id))

    def _lasts(self, session: Session) -> bool:
        moment = self._clock()
        return moment < session.ends and is_valid(self._store, session.account, session.key, moment)
