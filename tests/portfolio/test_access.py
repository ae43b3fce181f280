import hashlib
import re
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta

import pytest

from qrkit.errors import InvalidParameter, NotAllowed, NotAuthenticated, NotFound, TooManyRequests
from qrkit.portfolio.access import (
    LOCAL,
    RequestCounter,
    authenticate,
    change_plan,
    check_exchange,
    create_account,
    create_key,
    get_account,
    key_id,
    list_accounts,
    list_keys,
    local_account,
    revoke_key,
)
from qrkit.server.statuses import status_of
from qrkit.store import Store
from qrkit.store.records.accounts import insert_account
from qrkit.tracking.records import PLANS, Account

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
FREE = Account("f" * 32, "free rider", "free")
SECOND = timedelta(seconds=1)


@pytest.fixture(scope="module")
def store(new_place):
    with Store(new_place()) as store:
        yield store


def refused(store, key):
    with pytest.raises(NotAuthenticated) as caught:
        authenticate(store, key, NOON)
    assert status_of(caught.value) == 401
    return str(caught.value)


@pytest.mark.rule("T13")
def test_who_works_alone_is_one_premium_account(new_path):
    """Open: who owns a portfolio without any sign-up. One account named local, premium, the same each time."""
    path = new_path()
    with Store(path) as store:
        first = local_account(store)
        assert local_account(store) == first
    with Store(path) as store:
        assert local_account(store) == first
    assert (first.name, first.plan) == (LOCAL, "premium")
    assert len(first.id) == 32


@pytest.mark.rule("T14")
def test_a_key_is_256_random_bits_behind_its_mark(store):
    """Open: what keys look like. A mark that scanners for secrets can know, and 32 random bytes in base64url."""
    account = local_account(store)
    keys = {create_key(store, account) for _ in range(20)}
    assert len(keys) == 20
    assert all(re.fullmatch(r"qk_[A-Za-z0-9_-]{43}", key) for key in keys)


@pytest.mark.rule("T14")
def test_the_file_holds_the_digest_of_a_key_and_never_the_key(tmp_path):
    """Open: what is kept of a key. Its SHA-256 alone: who steals the file, or its log, can call nothing."""
    path = tmp_path / "keys.duckdb"
    with Store(path) as store:
        key = create_key(store, local_account(store), label="phone")
        authenticate(store, key, NOON)
        found = [file.read_bytes() for file in sorted(tmp_path.iterdir())]  # the file and its write-ahead log
        assert len(found) == 2
    found += [file.read_bytes() for file in tmp_path.iterdir()]
    digest = hashlib.sha256(key.encode()).hexdigest()
    assert digest.encode() in found[1], "the log is not where the search looks"
    assert digest.encode() in path.read_bytes(), "the file is not where the search looks"
    for part in (key, key[3:], key[3:20], key[-20:]):
        assert not [file for file in found if part.encode() in file or part.encode("utf-16-le") in file]


def test_each_key_leads_to_its_own_account(store):
    insert_account(store, FREE, NOON)
    mine = local_account(store)
    keys = [(create_key(store, one, label=label), one) for one in (mine, FREE) for label in ("a", "a")]
    assert [authenticate(store, key, NOON) for key, _ in keys] == [account for _, account in keys]


@pytest.mark.rule("T14")
def test_a_revoked_key_and_an_expired_one_are_refused_like_an_unknown_one(store):
    """Open: what a refusal tells. Nothing about why, so that nobody learns which keys once were."""
    account = local_account(store)
    revoked, expired, expiring = (create_key(store, account, label=label) for label in ("revoked", "old", "new"))
    store.execute("UPDATE api_keys SET revoked = TIMESTAMP '2026-01-01' WHERE label = 'revoked'")
    store.execute("UPDATE api_keys SET expires = TIMESTAMP '2026-03-01 12:00:00' WHERE label = 'old'")
    store.execute("UPDATE api_keys SET expires = TIMESTAMP '2026-03-01 12:00:01' WHERE label = 'new'")
    said = {refused(store, key) for key in (revoked, expired, "qk_" + "x" * 43)}
    assert len(said) == 1
    assert authenticate(store, expiring, NOON) == account
    assert authenticate(store, expired, NOON - SECOND) == account


@pytest.mark.parametrize(
    "key",
    ["", " ", "qk_", "x" * 1_000_000, "schlüssel", "🔑", "\ud800", "a\0b", "' OR 1=1 --", "%"],
    ids=["empty", "blank", "mark alone", "long", "umlaut", "emoji", "half a character", "nul", "quote", "wildcard"],
)
def test_a_strange_key_is_an_unknown_one(store, key):
    create_key(store, local_account(store))
    assert refused(store, key) == "the API key is not known, was revoked or has expired"


def test_a_key_is_taken_letter_by_letter(store):
    key = create_key(store, local_account(store))
    for changed in (key.lower(), key.upper(), key[:-1], key + " ", " " + key, key + "\n"):
        assert changed != key
        refused(store, changed)


@pytest.mark.rule("T13")
def test_a_plan_allows_exactly_its_number_of_requests_a_day():
    """Open: how many requests a plan has. A number a UTC day; the next one is refused and told when to come again."""
    counter, limit = RequestCounter(), PLANS["free"].requests_a_day
    left = [counter.count(FREE, NOON) for _ in range(limit)]
    assert [quota.remaining for quota in left] == list(range(limit - 1, -1, -1))
    assert {quota.limit for quota in left} == {limit}
    midnight = datetime(2026, 3, 2, tzinfo=UTC)
    assert {quota.reset for quota in left} == {int(midnight.timestamp())}
    assert repr(counter) == f"<RequestCounter: {limit:,} requests, 1 accounts>"
    with pytest.raises(TooManyRequests) as caught:
        counter.count(FREE, NOON)
    assert NOON + caught.value.retry_after * SECOND >= midnight
    assert NOON + caught.value.retry_after * SECOND <= midnight + SECOND
    assert (status_of(caught.value), caught.value.code) == (429, "rate-limited")


def test_the_next_utc_day_begins_anew():
    counter, limit = RequestCounter(), PLANS["free"].requests_a_day
    last = datetime(2026, 12, 31, 23, 59, 59, 999_999, UTC)
    for _ in range(limit):
        counter.count(FREE, last)
    with pytest.raises(TooManyRequests) as caught:
        counter.count(FREE, last)
    assert caught.value.retry_after == 1
    assert counter.count(FREE, last + timedelta(microseconds=1)).remaining == limit - 1


def test_a_request_that_is_late_at_midnight_does_not_begin_the_day_anew():
    counter, limit = RequestCounter(), PLANS["free"].requests_a_day
    midnight = datetime(2027, 1, 1, tzinfo=UTC)
    assert counter.count(FREE, midnight).remaining == limit - 1
    assert counter.count(FREE, midnight - SECOND).remaining == limit - 2
    assert counter.count(FREE, midnight + SECOND).remaining == limit - 3


def test_accounts_are_counted_apart():
    counter, other = RequestCounter(), Account("e" * 32, "other", "free")
    for _ in range(3):
        counter.count(FREE, NOON)
    assert counter.count(other, NOON).remaining == PLANS["free"].requests_a_day - 1


def test_many_threads_together_get_no_request_more():
    counter, limit = RequestCounter(), PLANS["free"].requests_a_day

    def many(_):
        allowed = []
        for _ in range(limit // 4):
            try:
                allowed.append(counter.count(FREE, NOON).remaining)
            except TooManyRequests:
                allowed.append(None)
        return allowed

    with ThreadPoolExecutor(8) as threads:
        found = [left for each in threads.map(many, range(8)) for left in each]
    assert len(found) == 2 * limit
    assert sorted(left for left in found if left is not None) == list(range(limit))


@pytest.mark.rule("T14")
def test_keys_are_listed_without_themselves_and_revoked_one_by_one(new_place):
    """Open: how an owner takes a key back. By its id in a list that tells all of a key but the key."""
    with Store(new_place()) as store:
        mine = local_account(store)
        insert_account(store, FREE, NOON)
        kept, lost = (
            create_key(store, mine, label="printer"),
            create_key(store, mine, label="shop", expires=NOON + SECOND),
        )
        create_key(store, FREE)
        printer, shop = list_keys(store, mine)
        assert [(one.label, one.expires, one.revoked) for one in (printer, shop)] == [
            ("printer", None, None),
            ("shop", NOON + SECOND, None),
        ]
        assert kept not in repr(printer) and lost not in repr(shop)
        assert authenticate(store, lost, NOON) == mine
        with pytest.raises(NotFound):
            revoke_key(store, FREE, shop.id)  # another account's
        revoke_key(store, mine, shop.id)
        assert refused(store, lost)
        assert authenticate(store, kept, NOON) == mine
        assert list_keys(store, mine)[1].revoked is not None
        with pytest.raises(NotFound):
            revoke_key(store, mine, shop.id)


@pytest.mark.rule("T14")
def test_a_key_works_until_the_moment_it_expires(new_place):
    with Store(new_place()) as store:
        key = create_key(store, local_account(store), expires=NOON)
        assert authenticate(store, key, NOON - SECOND).name == LOCAL
        assert refused(store, key)


@pytest.mark.rule("T14")
def test_a_key_is_named_by_the_id_that_the_list_has(new_place):
    """Open: what names a key in a log. The first 12 characters of its digest, by which it can be revoked."""
    with Store(new_place()) as store:
        mine = local_account(store)
        keys = [create_key(store, mine) for _ in range(3)]
        assert {key_id(key) for key in keys} == {one.id for one in list_keys(store, mine)}
        assert key_id(keys[0]) == hashlib.sha256(keys[0].encode()).hexdigest()[:12]
        revoke_key(store, mine, key_id(keys[1]))
        assert {one.id for one in list_keys(store, mine) if one.revoked} == {key_id(keys[1])}
        for strange in ("", "\ud800", "🔑", "x" * 1_000):
            assert re.fullmatch("[0-9a-f]{12}", key_id(strange))


@pytest.mark.rule("T13")
def test_accounts_are_made_found_and_listed_by_name(new_place):
    """Open: where accounts come from. The operator makes them; each has a name of its own and a plan."""
    with Store(new_place()) as store:
        mine = local_account(store)
        made = [create_account(store, name, plan=plan) for name, plan in (("Žana", "pro"), ("zana", "premium"))]
        made.append(create_account(store, "x" * 100))
        assert [(one.name, one.plan) for one in made] == [("Žana", "pro"), ("zana", "premium"), ("x" * 100, "free")]
        assert len({one.id for one in made}) == 3
        assert list_accounts(store) == [mine, *made]
        assert [get_account(store, one.name) for one in made] == made
        for unknown in ("Zana", "", "%", "local "):
            with pytest.raises(NotFound):
                get_account(store, unknown)


@pytest.mark.parametrize(
    ("name", "plan", "field"),
    [
        ("", "free", "name"),
        ("x" * 101, "free", "name"),
        ("a\nb", "free", "name"),
        ("a\x7f", "free", "name"),
        (LOCAL, "free", "name"),
        ("new", "gold", "plan"),
        ("new", "Free", "plan"),
        ("new", "", "plan"),
    ],
)
def test_an_account_that_cannot_be_is_refused_and_not_kept(store, name, plan, field):
    local_account(store)
    before = list_accounts(store)
    with pytest.raises(InvalidParameter) as caught:
        create_account(store, name, plan=plan)
    assert caught.value.name == field
    assert list_accounts(store) == before


@pytest.mark.rule("T13")
def test_a_plan_can_be_changed_and_its_keys_go_on_working(new_place):
    """Open: an account that gets another plan. The keys are the same, and what they may do is not."""
    with Store(new_place()) as store:
        account = create_account(store, "Ana")
        key = create_key(store, account)
        for plan in ("pro", "premium", "free"):
            changed = change_plan(store, account, plan)
            assert (changed.id, changed.name, changed.plan) == (account.id, "Ana", plan)
            assert authenticate(store, key, NOON) == get_account(store, "Ana") == changed
        with pytest.raises(InvalidParameter, match="plan='gold': is not a plan"):
            change_plan(store, account, "gold")
        assert get_account(store, "Ana").plan == "free"


@pytest.mark.rule("T13")
@pytest.mark.parametrize(("plan", "may"), [("free", False), ("pro", True), ("premium", True)])
def test_import_and_export_are_for_pro_and_premium(plan, may):
    """A fact: whom they are for. The others are told which plans have them."""
    account = Account("a" * 32, "one", plan)
    if may:
        assert check_exchange(account) is None
        return
    with pytest.raises(NotAllowed, match="the plan free does not include import and export; pro and premium do"):
        check_exchange(account)


@pytest.mark.rule("T13")
def test_a_plan_that_became_smaller_leaves_nothing_and_never_less():
    """Open: a plan that changes during the day. What was used counts; less than nothing is never left."""
    counter = RequestCounter()
    for _ in range(PLANS["free"].requests_a_day + 5):
        counter.count(Account(FREE.id, FREE.name, "pro"), NOON)
    assert counter.left(FREE, NOON).remaining == 0
    with pytest.raises(TooManyRequests):
        counter.count(FREE, NOON)
    assert counter.left(Account(FREE.id, FREE.name, "pro"), NOON).remaining > 0
