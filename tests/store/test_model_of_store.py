"""Whatever is done to a store, in whatever order, it holds what a few Python lists hold after the same."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from qrkit import open_portfolio
from qrkit.errors import Gone, InvalidParameter, NotFound
from qrkit.store.history.archiving import archive
from qrkit.store.postgresql.database import is_server
from qrkit.store.records.short_codes import DELETED, target
from qrkit.store.upkeep.maintenance import compact, forget_visits, verify
from qrkit.visits.redirect import Redirects, Request
from tests.sweeps import night_after

GO = "https://go.example.com"
BROWSER = "Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0"
CODES = ["aa", "bb", "cc", "dd"]
NAMES = ["Door", "Door (2)", "Window", "=1+1"]
CONTENTS = ["https://example.com", "tel:+39040", "NA", '😀,\n"']
VISITS = {
    "scan": ("GET", {"user-agent": BROWSER}),
    "bot": ("GET", {"user-agent": "Twitterbot/1.0"}),
    "head": ("HEAD", {"user-agent": BROWSER}),
    "prefetch": ("GET", {"user-agent": BROWSER, "sec-purpose": "prefetch"}),
}
COUNT_VISITS = "SELECT short_code, kind, time, count(*) AS number FROM all_visits GROUP BY short_code, kind, time"


@dataclass
class Campaign:
    id: str
    name: str
    description: str
    created: datetime


@dataclass
class Code:
    id: str
    short_code: str
    name: str
    content: str
    campaign_id: str | None
    created: datetime
    scans: int = 0
    unexplained: int = 0  # of the scans that were imported as a number, those that no row has replaced (T16)
    comment: str = ""
    is_schedule_enabled: bool = False
    schedule: list[tuple[datetime, str]] = field(default_factory=list)

    def content_at(self, moment: datetime) -> str:
        begun = [event for event in self.schedule if event[0] <= moment] if self.is_schedule_enabled else []
        return max(reversed(begun), key=lambda event: event[0])[1] if begun else self.content


@dataclass
class Model:
    """What a store should hold."""

    campaigns: list[Campaign] = field(default_factory=list)
    codes: list[Code] = field(default_factory=list)
    given: set[str] = field(default_factory=set)
    visits: Counter = field(default_factory=Counter)
    inserted: set[tuple[str, datetime]] = field(default_factory=set)  # with DataFrames

    def code_of(self, short_code: str) -> Code | None:
        return next((code for code in self.codes if code.short_code == short_code), None)

    def campaign_id(self, name: str) -> str | None:
        return next((one.id for one in self.campaigns if one.name == name), None)


class Undone(Exception):
    """Leaves a transaction, so that nothing of it is kept."""


def one_of(entries: list, pick: int):
    return entries[pick % len(entries)] if entries else None


class Shop:
    """A store and its model, to which the same is done."""

    def __init__(self, path: Path | str) -> None:
        self.path = path
        self.moment = datetime(2026, 3, 1, 12, 0, 0, 123_456, UTC)
        self.model = Model()
        self.open()

    def open(self) -> None:
        self.portfolio = open_portfolio(self.path, base_url=GO, clock=lambda: self.moment)
        self.store = self.portfolio.store
        self.redirects = Redirects(self.store, clock=lambda: self.moment)
        self.seen: dict[tuple, datetime] = {}

    def close(self) -> None:
        """End it as a whole that is sound: what a step broke, no later one mends."""
        assert verify(self.store) == []
        self.portfolio.close()

    # What is done; `pick` chooses among what there is.

    def insert_campaign(self, pick: int) -> None:
        name = one_of(NAMES, pick)
        made = self.portfolio.insert_campaign(name, description="d" * (pick % 3))
        self.model.campaigns.append(Campaign(made.id, name, "d" * (pick % 3), self.moment))

    def update_campaign(self, pick: int) -> None:
        if campaign := one_of(self.model.campaigns, pick):
            campaign.name = one_of(NAMES, pick // 3)
            self.portfolio.update_campaign(campaign.id, name=campaign.name)

    def delete_campaign(self, pick: int) -> None:
        if campaign := one_of(self.model.campaigns, pick):
            keep = pick // 5 % 2 == 0
            self.portfolio.delete_campaign(campaign.id, keep=keep)
            self.model.campaigns.remove(campaign)
            for code in [one for one in self.model.codes if one.campaign_id == campaign.id]:
                if keep:
                    code.campaign_id = None
                else:
                    self.model.codes.remove(code)

    def insert_qrcode(self, pick: int) -> None:
        campaign = one_of([None, *self.model.campaigns], pick)
        fields = {"content": one_of(CONTENTS, pick), "name": one_of(NAMES, pick // 2)}
        wish = one_of(["", *CODES], pick // 3)
        campaign_id = campaign.id if campaign else None
        if wish in self.model.given:
            with pytest.raises(InvalidParameter):
                self.portfolio.insert_qrcode(**fields, short_code=wish, campaign_id=campaign_id)
            return
        made = self.portfolio.insert_qrcode(**fields, short_code=wish, campaign_id=campaign_id)
        assert wish in ("", made.short_code)
        assert made.short_code not in self.model.given
        self.model.given.add(made.short_code)
        self.model.codes.append(Code(made.id, made.short_code, campaign_id=campaign_id, created=self.moment, **fields))

    def update_qrcode(self, pick: int) -> None:
        if code := one_of(self.model.codes, pick):
            campaign = one_of([None, *self.model.campaigns], pick // 2)
            code.content, code.comment = one_of(CONTENTS, pick // 3), "c" * (pick % 4)
            code.campaign_id = campaign.id if campaign else None
            self.portfolio.update_qrcode(
                code.id, content=code.content, comment=code.comment, campaign_id=code.campaign_id or ""
            )

    def reschedule(self, pick: int) -> None:
        if code := one_of(self.model.codes, pick):
            start = self.moment.replace(microsecond=0)
            days = [pick % 3 - 1, pick // 3 % 3 - 1, pick // 9 % 3 - 1][: pick // 2 % 4]
            code.schedule = [(start + timedelta(days=day), f"event {at}") for at, day in enumerate(days)]
            code.is_schedule_enabled = pick % 5 > 0
            events = [{"content": content, "date": date} for date, content in code.schedule]
            self.portfolio.update_qrcode(code.id, schedule=events, is_schedule_enabled=code.is_schedule_enabled)

    def update_badly(self, pick: int) -> None:
        if code := one_of(self.model.codes, pick):
            bad = one_of([{"location": {"latitude": 91}}, {"campaign_id": "nobody"}, {"properties": {"size": 0}}], pick)
            with pytest.raises(InvalidParameter):
                self.portfolio.update_qrcode(code.id, content="changed", **bad)

    def delete_qrcode(self, pick: int) -> None:
        if code := one_of(self.model.codes, pick):
            self.portfolio.delete_qrcode(code.id)
            self.model.codes.remove(code)

    def import_file(self, pick: int) -> None:
        name, content, scans = one_of(NAMES, pick), one_of(CONTENTS[:3], pick // 2), pick % 7
        campaign, wish = one_of(["", *NAMES], pick // 3), one_of(["", *CODES], pick // 5)
        url = f"{GO}/{wish}" if wish else ""
        row = (
            f"{campaign},'{name},{content},{url},{scans}"
            if name[0] == "="
            else f"{campaign},{name},{content},{url},{scans}"
        )
        row = row.replace("=1+1", "'=1+1", 1) if campaign[:1] == "=" else row
        result = self.portfolio.import_file(
            f"Campaign Name,QR Code Name,Content,Trackable URL,Scans\r\n{row}\r\n".encode()
        )
        there = {(code.name, code.content) for code in self.model.codes}
        free = [name, *(f"{name} ({number})" for number in range(2, 99))]
        found = next(one for one in free if (one, content) in there or one not in {known for known, _ in there})
        assert result.created == ((found, content) not in there)
        if not result.created:
            return
        assert bool(result.count("renamed")) == (found != name)
        made = self.portfolio.list_qrcodes()[-1]
        assert bool(result.count("code-taken")) == (wish in self.model.given)
        assert (made.short_code == wish) == (bool(wish) and wish not in self.model.given)
        if campaign and self.model.campaign_id(campaign) is None:
            new = self.portfolio.list_campaigns()[-1]
            self.model.campaigns.append(Campaign(new.id, campaign, "", self.moment))
        self.model.given.add(made.short_code)
        campaign_id = self.model.campaign_id(campaign)
        code = Code(made.id, made.short_code, found, content, campaign_id, self.moment, scans, unexplained=scans)
        self.model.codes.append(code)

    def insert_frame(self, pick: int) -> None:
        if self.model.codes:
            chosen = [one_of(self.model.codes, pick // (at + 1)) for at in range(pick % 4)]
            times = [self.moment - timedelta(days=at) for at in range(len(chosen))]
            frame = pd.DataFrame({"short_code": [code.short_code for code in chosen], "time": times})
            new = [(code, time) for code, time in zip(chosen, times, strict=True)
                   if (code.short_code, time) not in self.model.inserted]  # fmt: skip
            assert self.portfolio.scans.insert(frame) == len(new)
            for code, time in new:
                explains = bool(code.unexplained) and time < code.created
                code.scans += not explains
                code.unexplained -= explains
                self.model.visits[code.short_code, "scan", time] += 1
                self.model.inserted.add((code.short_code, time))

    def visit(self, pick: int) -> None:
        kind = one_of(sorted(VISITS), pick)
        short_code = one_of(sorted({*CODES, *self.model.given, "nobody"}), pick // 4)
        method, headers = VISITS[kind]
        code = self.model.code_of(short_code)
        request = Request(method, short_code, headers, address="203.0.113.7")
        if code is None:
            with pytest.raises(Gone if short_code in self.model.given else NotFound):
                self.redirects.answer(request)
            self.model.visits[short_code, "orphan", self.moment] += 1
            return
        assert self.redirects.answer(request).content == code.content_at(self.moment)
        key = (short_code, self.moment.date())
        if kind == "scan":
            if key in self.seen and self.moment - self.seen[key] < timedelta(seconds=2):
                return
            self.seen[key] = self.moment
            code.scans += 1
        self.model.visits[short_code, kind, self.moment] += 1

    def forget(self, pick: int) -> None:
        before = self.moment - timedelta(days=pick % 3)
        old = [visit for visit in self.model.visits if visit[2] < before]
        assert forget_visits(self.store, before) == sum(self.model.visits.pop(visit) for visit in old)
        self.model.inserted = {visit for visit in self.model.inserted if visit[1] >= before}

    def fail(self, pick: int) -> None:
        """Do several things in a transaction that an error ends."""
        model = deepcopy(self.model)
        with pytest.raises(Undone), self.store.atomic():
            self.several(pick)
            raise Undone
        self.model = model
        # A visitor who was seen in it stays seen, which is no matter of the store.
        self.redirects, self.seen = Redirects(self.store, clock=lambda: self.moment), {}

    def several(self, pick: int) -> None:
        actions = sorted(IN_TRANSACTIONS)
        for at in range(1 + pick % 4):
            getattr(self, one_of(actions, pick // (at + 2)))(pick // (at + 1))
            self.check()

    def check(self) -> None:
        """The store holds what the model holds."""
        model = self.model
        assert [(one.id, one.name, one.description, one.created) for one in self.portfolio.list_campaigns()] == [
            (one.id, one.name, one.description, one.created) for one in model.campaigns
        ]
        wanted = [
            (
                *(one.id, one.short_code, one.name, one.content, one.campaign_id, one.created, one.scans, one.comment),
                (one.is_schedule_enabled, [(date, content) for date, content in one.schedule]),
            )
            for one in model.codes
        ]
        assert wanted == [
            (
                *(one.id, one.short_code, one.name, one.content, one.campaign_id, one.created, one.scans, one.comment),
                (one.is_schedule_enabled, [(event.date, event.content) for event in one.schedule]),
            )
            for one in self.portfolio.list_qrcodes()
        ]
        for short_code in {*CODES, *model.given, "nobody"}:
            code, found = model.code_of(short_code), target(self.store, short_code)
            if code is None:
                assert found is (DELETED if short_code in model.given else None)
            else:
                assert found is not None
                assert found.content_at(self.moment) == code.content_at(self.moment)
        rows = self.store.rows(COUNT_VISITS)
        found_visits = {
            (row["short_code"], row["kind"], row["time"].replace(tzinfo=UTC)): row["number"] for row in rows
        }
        assert found_visits == +model.visits


IN_TRANSACTIONS = {
    *("insert_campaign", "update_campaign", "delete_campaign", "insert_qrcode", "update_qrcode", "reschedule"),
    *("update_badly", "delete_qrcode", "import_file", "insert_frame", "visit", "forget"),
}
picks = st.integers(0, 10_000)


class StoreAndModel(RuleBasedStateMachine):
    """Drives a `Shop`; a run shrinks to the shortest list of rules that tells the two apart."""

    new_path: Callable[[], Path | str]

    @initialize()
    def begin(self) -> None:
        self.shop = Shop(type(self).new_path())
        for pick in range(3):
            self.shop.insert_campaign(pick)
            self.shop.insert_qrcode(pick + 2)
        self.shop.insert_frame(3)

    @rule(action=st.sampled_from(["insert_campaign", "update_campaign", "delete_campaign"]), pick=picks)
    def change_campaigns(self, action: str, pick: int) -> None:
        getattr(self.shop, action)(pick)

    @rule(action=st.sampled_from(["insert_qrcode", "update_qrcode", "update_badly", "delete_qrcode"]), pick=picks)
    def change_qrcodes(self, action: str, pick: int) -> None:
        getattr(self.shop, action)(pick)

    @rule(action=st.sampled_from(["insert_frame", "import_file"]), pick=picks)
    def add_many(self, action: str, pick: int) -> None:
        getattr(self.shop, action)(pick)

    @rule(action=st.sampled_from(["visit", "reschedule"]), pick=picks)
    def visit(self, action: str, pick: int) -> None:
        getattr(self.shop, action)(pick)

    @rule(pick=picks)
    def forget(self, pick: int) -> None:
        self.shop.forget(pick)

    @rule(pick=picks, seconds=st.sampled_from([0, 1.9, 2]))
    def visit_twice(self, pick: int, seconds: float) -> None:
        self.shop.visit(pick)
        self.shop.moment += timedelta(seconds=seconds)
        self.shop.visit(pick)

    @rule(seconds=st.sampled_from([1, 3_600, 86_400]))
    def wait(self, seconds: int) -> None:
        self.shop.moment += timedelta(seconds=seconds)

    @rule(pick=picks)
    def transaction(self, pick: int) -> None:
        with self.shop.store.atomic():
            self.shop.several(pick)

    @rule(pick=picks)
    def transaction_that_fails(self, pick: int) -> None:
        self.shop.fail(pick)

    @precondition(lambda self: len(self.shop.model.given) > 1 and not self.shop.store.database.is_shared)
    @rule()
    def compact(self) -> None:
        assert verify(self.shop.store) == []
        compact(self.shop.store)

    @precondition(lambda self: self.shop.store.database.history is not None)
    @rule(pick=picks)
    def archive(self, pick: int) -> None:
        archive(self.shop.store, self.shop.moment - timedelta(days=pick % 3), clock=lambda: self.shop.moment)
        assert verify(self.shop.store) == []

    @precondition(lambda self: len(self.shop.model.given) > 1)
    @rule()
    def open_again(self) -> None:
        self.shop.close()
        self.shop.open()

    @invariant()
    def store_is_as_its_model(self) -> None:
        if hasattr(self, "shop"):
            self.shop.check()

    def teardown(self) -> None:
        if hasattr(self, "shop"):
            self.shop.close()


def check_machine(new_path: Callable[[], Path | str], part: int = 0, **much: int) -> None:
    chosen = settings(suppress_health_check=list(HealthCheck), print_blob=False, **much)
    # Which sequences are tried goes by the name of the class.
    machine = type(f"StoreAndModel{part}", (StoreAndModel,), {"new_path": staticmethod(new_path)})
    run_state_machine_as_test(machine, settings=chosen)


@pytest.mark.slow
@pytest.mark.hypothesis  # so that `make explore` runs it
@pytest.mark.parametrize("part", night_after(range(4)))
def test_a_store_holds_what_its_model_holds_after_any_sequence_of_operations(new_path, part):
    """In parts, which workers share; each takes other sequences."""
    check_machine(new_path, part, max_examples=4 if is_server(new_path()) else 5, stateful_step_count=50)
