"""Accounts, API keys, plans and request limits."""

from __future__ import annotations

import secrets
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from threading import Lock
from time import monotonic
from typing import NamedTuple

from qrkit.errors import (
    InvalidParameter,
    NotAllowed,
    NotAuthenticated,
    NotFound,
    Problem,
    StoreBusy,
    StoreClosed,
    TooManyRequests,
    one_of,
)
from qrkit.store import Store
from qrkit.store.recording.salts_and_quotas import add_requests
from qrkit.store.records import accounts
from qrkit.tracking.records import PLANS, Account, ApiKey
from qrkit.tracking.short_urls import new_id
from qrkit.tracking.times import from_iso, now

__all__ = [
    "LOCAL", "Quota", "RequestCounter", "authenticate", "change_plan", "check_exchange", "create_account", "create_key",
    "expiry_of", "get_account", "is_valid", "key_id", "list_accounts", "list_keys", "local_account", "may_administer",
    "revoke_key",
]  # fmt: skip

LOCAL = "local"
"""The name of the local user's account, which has the premium plan."""

MOST_KEY_CHARACTERS = 200
LONGEST_NAME = 100
TOLD_SECONDS = 1.0


def local_account(store: Store) -> Account:
    """Return the local user's account; create the account if the store has none."""
    found = accounts.account_named(store, LOCAL)  # without a transaction, which would wait for those that write
    if found is None:
        with store.atomic():
            found = accounts.account_named(store, LOCAL)
            if found is None:
                found = Account(new_id(), LOCAL, "premium")
                accounts.insert_account(store, found, now())
    return found


def create_account(store: Store, name: str, *, plan: str = "free") -> Account:
    """Create an account.

    Args:
        store: The store to add the account to.
        name: 1..100 printable characters; unique in the store.
        plan: The name of a plan in `PLANS`.

    Raises:
        InvalidParameter: If the name is invalid or already in use, or the plan does not exist.
    """
    if not 1 <= len(name) <= LONGEST_NAME or not name.isprintable():
        rule = f"must have 1..{LONGEST_NAME} characters that can be printed"
        raise InvalidParameter(Problem("name", name, rule))
    account = Account(new_id(), name, one_of("plan", plan, PLANS, "is not a plan"))
    with store.atomic():
        if accounts.account_named(store, name):
            rule = "is the account that every store has" if name == LOCAL else "is already the name of an account"
            raise InvalidParameter(Problem("name", name, rule))
        accounts.insert_account(store, account, now())
    return account


def get_account(store: Store, name: str) -> Account:
    """Return the account with this name.

    Args:
        store: The store that contains the account.
        name: The name passed to `create_account`, or `LOCAL` for the local user's account.

    Raises:
        NotFound: If no account has this name.
    """
    found = accounts.account_named(store, name)
    if found is None:
        raise NotFound("account", name)
    return found


def may_administer(account: Account) -> bool:
    """Return whether an account may manage all accounts and the store: the local user's may."""
    return account.name == LOCAL


def list_accounts(store: Store) -> list[Account]:
    """Return all accounts, oldest first."""
    return accounts.all_accounts(store)


def change_plan(store: Store, account: Account, plan: str) -> Account:
    """Change the plan of an account and return the updated account; the new plan applies from the next request.

    Args:
        store: The store that contains the account.
        account: The account to change.
        plan: The name of a plan in `qrkit.tracking.records.PLANS`.

    Raises:
        InvalidParameter: If the plan does not exist.
    """
    changed = Account(account.id, account.name, one_of("plan", plan, PLANS, "is not a plan"))
    accounts.update_plan(store, changed)
    return changed


def check_exchange(account: Account) -> None:
    """Check that the plan of an account includes import and export.

    Raises:
        NotAllowed: If the plan does not include import and export.
    """
    if not account.limits.may_exchange:
        plans = " and ".join(name for name, plan in PLANS.items() if plan.may_exchange)
        raise NotAllowed(f"the plan {account.plan} does not include import and export; {plans} do")


def create_key(store: Store, account: Account, *, label: str = "", expires: datetime | None = None) -> str:
    """Create an API key for an account and return the key.

    Save the returned key: the store contains only its SHA-256 hash, so the key cannot be shown again.

    Args:
        store: The store that contains the account.
        account: The account that the key authenticates; an account can have several keys.
        label: A description of the key, at most 100 characters.
        expires: When the key expires, in UTC unless a time zone is given; None for a key that never expires.

    Raises:
        InvalidParameter: If the label is too long.
    """
    if len(label) > LONGEST_NAME:
        raise InvalidParameter(Problem("label", label, f"must have at most {LONGEST_NAME} characters"))
    key = "qk_" + secrets.token_urlsafe(32)
    digest = accounts.digest_of(key)
    accounts.insert_key(store, account, digest, ApiKey(digest[: accounts.ID_LENGTH], label, now(), expires, None))
    return key


def expiry_of(text: str) -> datetime | None:
    """Return when a key expires, as people write it: a date or a timestamp; None for "".

    Raises:
        InvalidParameter: If the text is neither, or not in the future.
    """
    expires = from_iso(text, name="expires") if text else None
    if expires and expires <= now():
        raise InvalidParameter(Problem("expires", text, "must be in the future"))
    return expires


def list_keys(store: Store, account: Account) -> list[ApiKey]:
    """Return the API key records of an account, oldest first; the keys themselves are not stored.

    Args:
        store: The store that contains the account.
        account: The account that owns the keys.
    """
    return accounts.keys_of(store, account)


def revoke_key(store: Store, account: Account, id: str) -> None:
    """Revoke an API key, effective immediately.

    Args:
        store: The store that contains the account.
        account: The account that owns the key.
        id: The ID of the key, as returned by `list_keys`.

    Raises:
        NotFound: If the account has no key with this ID, or the key is already revoked.
    """
    with store.atomic():
        if not any(key.id == id and key.revoked is None for key in accounts.keys_of(store, account)):
            raise NotFound("API key", id)
        accounts.revoke_key(store, account, id, now())


def authenticate(store: Store, key: str, moment: datetime) -> Account:
    """Return the account that an API key belongs to.

    Args:
        store: The store that contains the key.
        key: The key, as returned by `create_key`.
        moment: The time of the request, time zone-aware.

    Raises:
        NotAuthenticated: If the key is unknown, revoked or expired; the message does not say which.
    """
    account = accounts.account_of_key(store, key, moment) if len(key) <= MOST_KEY_CHARACTERS else None
    if account is None:
        raise NotAuthenticated("the API key is not known, was revoked or has expired")
    return account


def is_valid(store: Store, account: Account, id: str, moment: datetime) -> bool:
    """Return whether an account has a key that is neither revoked nor expired.

    Args:
        store: The store.
        account: The account.
        id: The ID of the key, as in `list_keys`.
        moment: When the key must be valid.
    """
    keys = (key for key in accounts.keys_of(store, account) if key.id == id and key.revoked is None)
    return any(key.expires is None or key.expires > moment for key in keys)


def key_id(key: str) -> str:
    """Return the ID of a key, as in `list_keys`; use the ID where the key must stay secret, such as in logs."""
    return accounts.digest_of(key)[: accounts.ID_LENGTH]


class Quota(NamedTuple):
    """The request limit of an account for the current UTC day.

    Attributes:
        limit: The number of requests that the plan allows per day.
        remaining: The number of requests left today.
        reset: The start of the next UTC day as a Unix timestamp in seconds.
    """

    limit: int
    remaining: int
    reset: int


class RequestCounter:
    """Count the requests of each account for the current UTC day, in memory.

    Processes sharing a store exchange counts every second, so an account can exceed its limit by at most what the
    other processes served in that second.

    Args:
        store: The store being served; counts are exchanged only through a store that several processes can share.
    """

    def __init__(self, store: Store | None = None) -> None:
        self._store = store if store and store.database.is_shared else None
        self._day = 0
        self._used: dict[str, int] = {}
        self._untold: dict[str, int] = {}
        self._told: dict[str, float] = {}
        self._lock = Lock()

    def __repr__(self) -> str:
        return f"<RequestCounter: {sum(self._used.values()):,} requests, {len(self._used):,} accounts>"

    def count(self, account: Account, moment: datetime) -> Quota:
        """Count one request and return the updated quota.

        Args:
            account: The account that makes the request.
            moment: The time of the request, time zone-aware.

        Raises:
            TooManyRequests: If the account has reached the daily limit of its plan.
        """
        with self._lock:
            quota = self._left(account, moment)
            if quota.remaining:
                self._used[account.id] = self._used.get(account.id, 0) + 1
                self._untold[account.id] = self._untold.get(account.id, 0) + 1
            self._tell(account)
        if not quota.remaining:
            wait = int(quota.reset - moment.timestamp()) + 1
            raise TooManyRequests(f"the plan {account.plan} allows {quota.limit} requests a day", retry_after=wait)
        return quota._replace(remaining=quota.remaining - 1)

    def _tell(self, account: Account) -> None:
        """Exchange counts with the other processes once a second; if the database is unavailable, count locally."""
        now = monotonic()
        if self._store is None or now - self._told.get(account.id, -TOLD_SECONDS) < TOLD_SECONDS:
            return
        self._told[account.id] = now
        with suppress(StoreBusy, StoreClosed):
            self._used[account.id] = add_requests(self._store, account.id, self._day, self._untold.get(account.id, 0))
            self._untold[account.id] = 0

    def left(self, account: Account, moment: datetime) -> Quota:
        """Return the quota of an account without counting a request.

        Args:
            account: The account to look up.
            moment: The current time, time zone-aware.
        """
        with self._lock:
            return self._left(account, moment)

    def _left(self, account: Account, moment: datetime) -> Quota:
        day = moment.toordinal()
        # Just after midnight, a slow thread may still report the previous day. Count its request today; don't reset.
        if day not in (self._day, self._day - 1):
            self._day = day
            for counted in (self._used, self._untold, self._told):
                counted.clear()
        limit = account.limits.requests_a_day
        tomorrow = datetime.combine(moment.date(), datetime.min.time(), UTC) + timedelta(days=1)
        # The account may have used more than its limit if its plan was downgraded today.
        return Quota(limit, max(limit - self._used.get(account.id, 0), 0), int(tomorrow.timestamp()))
