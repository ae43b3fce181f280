"""Keys and plans: who may do what (rulings T13, T14)."""

from __future__ import annotations

import hashlib
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
    TooManyRequests,
    nearest,
)
from qrkit.store import Store, accounts
from qrkit.store.accounts import ID_LENGTH, account_named, account_of_digest, insert_account, insert_key, keys_of
from qrkit.store.shared import add_requests
from qrkit.tracking.records import PLANS, Account, ApiKey
from qrkit.tracking.short_urls import new_id
from qrkit.tracking.times import now

__all__ = [
    "LOCAL",
    "Quota",
    "RequestCounter",
    "authenticate",
    "change_plan",
    "check_exchange",
    "create_account",
    "create_key",
    "get_account",
    "key_id",
    "list_accounts",
    "list_keys",
    "local_account",
    "revoke_key",
]

LOCAL = "local"
"""Name of the one account of a person who works alone; its plan is premium."""

MOST_KEY_CHARACTERS = 200
LONGEST_NAME = 100
TOLD_SECONDS = 1.0


def local_account(store: Store) -> Account:
    """The account of the local user, made when the store has none."""
    with store.atomic():
        found = account_named(store, LOCAL)
        if found is None:
            found = Account(new_id(), LOCAL, "premium")
            insert_account(store, found, now())
    return found


def create_account(store: Store, name: str, *, plan: str = "free") -> Account:
    """Make an account.

    Args:
        store: Where it is kept.
        name: 1..100 characters that can be printed; no other account has it.
        plan: A name of `PLANS`.

    Raises:
        InvalidParameter: The name breaks its rule or is taken, or there is no such plan.
    """
    if not 1 <= len(name) <= LONGEST_NAME or not name.isprintable():
        rule = f"must have 1..{LONGEST_NAME} characters that can be printed"
        raise InvalidParameter(Problem("name", name, rule))
    account = Account(new_id(), name, _plan(plan))
    with store.atomic():
        if account_named(store, name):
            raise InvalidParameter(Problem("name", name, "is the name of an account already"))
        insert_account(store, account, now())
    return account


def get_account(store: Store, name: str) -> Account:
    """The account of this name.

    Args:
        store: Where it is kept.
        name: As `create_account` was given it; `LOCAL` is that of a person who works alone.

    Raises:
        NotFound: There is none.
    """
    found = account_named(store, name)
    if found is None:
        raise NotFound("account", name)
    return found


def list_accounts(store: Store) -> list[Account]:
    """All accounts, oldest first."""
    return accounts.all_accounts(store)


def change_plan(store: Store, account: Account, plan: str) -> Account:
    """Give an account another plan; it holds from the next request on.

    Args:
        store: Where the account is.
        account: Whose plan changes; the record that is given back has the new one.
        plan: A name of `qrkit.tracking.records.PLANS`.

    Raises:
        InvalidParameter: There is no such plan.
    """
    changed = Account(account.id, account.name, _plan(plan))
    accounts.update_plan(store, changed)
    return changed


def _plan(name: str) -> str:
    if name not in PLANS:
        raise InvalidParameter(Problem("plan", name, f"is not a plan; {nearest(name, PLANS)}"))
    return name


def check_exchange(account: Account) -> None:
    """Refuse import and export to an account whose plan does not include them (interface.md, "Authentication", 3).

    Raises:
        NotAllowed: It does not.
    """
    if not PLANS[account.plan].may_exchange:
        plans = " and ".join(name for name, plan in PLANS.items() if plan.may_exchange)
        raise NotAllowed(f"the plan {account.plan} does not include import and export; {plans} do")


def create_key(store: Store, account: Account, *, label: str = "", expires: datetime | None = None) -> str:
    """Make an API key for an account. It is shown this once: the store keeps its SHA-256 alone (ruling T14).

    Args:
        store: Where the account is.
        account: Whose it is; an account may have several.
        label: What its owner calls it.
        expires: When it stops to work; without a time zone it is UTC.
    """
    key = "qk_" + secrets.token_urlsafe(32)
    digest = _digest(key)
    insert_key(store, account, digest, ApiKey(digest[:ID_LENGTH], label, now(), expires, None))
    return key


def list_keys(store: Store, account: Account) -> list[ApiKey]:
    """What is known of the API keys of an account, oldest first; the keys themselves are nowhere.

    Args:
        store: Where the account is.
        account: Whose keys they are.
    """
    return keys_of(store, account)


def revoke_key(store: Store, account: Account, id: str) -> None:
    """Have an API key open nothing from now on.

    Args:
        store: Where the account is.
        account: Whose key it is.
        id: Of the key, as `list_keys` has it.

    Raises:
        NotFound: The account has no key of this id that still works.
    """
    with store.atomic():
        if not any(key.id == id and key.revoked is None for key in keys_of(store, account)):
            raise NotFound("API key", id)
        accounts.revoke_key(store, account, id, now())


def authenticate(store: Store, key: str, moment: datetime) -> Account:
    """The account of an API key.

    Args:
        store: Where keys are kept.
        key: As `create_key` gave it.
        moment: When it is shown, with a time zone.

    Raises:
        NotAuthenticated: The key is unknown, revoked or expired; the message does not say which.
    """
    account = account_of_digest(store, _digest(key), moment) if len(key) <= MOST_KEY_CHARACTERS else None
    if account is None:
        raise NotAuthenticated("the API key is not known, was revoked or has expired")
    return account


def key_id(key: str) -> str:
    """What names a key where it must not be shown: the id that `list_keys` has."""
    return _digest(key)[:ID_LENGTH]


def _digest(key: str) -> str:
    # A key is 256 random bits: there is nothing to guess, and a slow hash would only help those who want to slow us
    # down.
    return hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()


class Quota(NamedTuple):
    """What is left of a plan's requests on this UTC day.

    Attributes:
        limit: Requests a day that the plan allows.
        remaining: How many of them are left.
        reset: When the next day begins, in Unix seconds.
    """

    limit: int
    remaining: int
    reset: int


class RequestCounter:
    """Counts the requests of each account on the present UTC day, in memory.

    Where several processes serve one store they tell each other once a second: beyond a plan's number at most those
    requests pass that the others have answered in that second.

    Args:
        store: What is served; only one that others serve, too, is told anything.
    """

    def __init__(self, store: Store | None = None) -> None:
        self._store = store if store and store.database.is_shared else None
        self._day = 0
        self._used: dict[str, int] = {}
        self._untold: dict[str, int] = {}
        self._told: dict[str, float] = {}
        self._lock = Lock()

    def count(self, account: Account, moment: datetime) -> Quota:
        """Count one request.

        Args:
            account: Who asks.
            moment: When, with a time zone.

        Raises:
            TooManyRequests: The plan's number for the day is used up.
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
        """Once a second, exchange numbers with the other processes; while the server is away each counts alone."""
        now = monotonic()
        if self._store is None or now - self._told.get(account.id, -TOLD_SECONDS) < TOLD_SECONDS:
            return
        self._told[account.id] = now
        with suppress(StoreBusy):
            self._used[account.id] = add_requests(self._store, account.id, self._day, self._untold.get(account.id, 0))
            self._untold[account.id] = 0

    def left(self, account: Account, moment: datetime) -> Quota:
        """What is left, without counting.

        Args:
            account: Whose requests.
            moment: When, with a time zone.
        """
        with self._lock:
            return self._left(account, moment)

    def _left(self, account: Account, moment: datetime) -> Quota:
        day = moment.toordinal()
        # A day back is a thread that is late at midnight: its request counts today, and the day does not begin anew.
        if day not in (self._day, self._day - 1):
            self._day = day
            for counted in (self._used, self._untold, self._told):
                counted.clear()
        limit = PLANS[account.plan].requests_a_day
        tomorrow = datetime.combine(moment.date(), datetime.min.time(), UTC) + timedelta(days=1)
        # A plan may have become smaller since the morning.
        return Quota(limit, max(limit - self._used.get(account.id, 0), 0), int(tomorrow.timestamp()))
