"""What changes in a portfolio: updates, deletions, and what a plan shows (rulings T4 to T6, T13)."""

import json
import random
import secrets
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qrkit import Campaign, Color, Location, Portfolio, Properties, open_portfolio
from qrkit.errors import ContentTooLong, Gone, InvalidParameter, NotAllowed, NotFound
from qrkit.server import Client, Settings, make_app
from qrkit.server.statuses import status_of
from qrkit.store import Store
from qrkit.store.records.accounts import insert_account
from qrkit.store.upkeep.maintenance import verify
from qrkit.tracking.records import PLANS, Account, ScheduleEvent
from qrkit.tracking.short_urls import new_id
from qrkit.visits.redirect import Redirects, Request

GO = "https://go.example.com"
NOON = datetime(2026, 3, 1, 12, 0, 0, 123_456, UTC)
SPRING, SUMMER = "https://example.com/spring", "https://example.com/summer"
FREE = PLANS["free"].most_qrcodes
some = settings(max_examples=25)
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
BROWSER = {"user-agent": "Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0"}


@pytest.fixture(scope="module")
def store(new_place):
    with Store(new_place()) as store:
        yield store


def anybodys(store, plan="premium", clock=lambda: NOON):
    """An empty portfolio, of an account of its own."""
    account = Account(new_id(), new_id(), plan)
    insert_account(store, account, NOON)
    return Portfolio(store, account, base_url=GO, clock=clock)


@pytest.fixture
def portfolio(store):
    portfolio = anybodys(store)
    yield portfolio
    assert verify(store) == []


@pytest.fixture
def yours(store):
    return anybodys(store)


def followed(store, short_code, moment=NOON, address="203.0.113.7"):
    """Where a short URL leads at a moment."""
    return Redirects(store, clock=lambda: moment).answer(Request("GET", short_code, BROWSER, address)).content


def everything(portfolio):
    codes = portfolio.list_qrcodes()
    return codes, portfolio.list_campaigns(), [followed(portfolio.store, code.short_code) for code in codes]


# ---- update of a QR Code

events = st.builds(
    ScheduleEvent,
    content=texts.filter(bool),
    recurrence=st.integers(0, 7),
    date=st.datetimes(datetime(1, 1, 2), datetime(9999, 12, 30)),
)
location_fields = {
    "address": texts,
    "latitude": st.floats(-90, 90),
    "longitude": st.floats(-180, 180),
}
properties_fields = {
    "size": st.integers(1, 20),
    "version": st.integers(12, 40),
    "padding": st.integers(0, 20),
    "ec": st.sampled_from("LMQH"),
    "foreground": st.builds(Color, *[st.integers(0, 255)] * 4),
    "background": st.builds(Color, *[st.integers(0, 255)] * 4),
}
changes = st.fixed_dictionaries(
    {},
    optional={
        "content": st.none() | texts.filter(bool),
        "name": st.none() | texts.filter(bool),
        "comment": st.none() | texts,
        "urlinfo": st.none() | texts,
        "is_dynamic": st.none() | st.booleans(),
        "is_schedule_enabled": st.none() | st.booleans(),
        "schedule": st.none() | st.lists(events, max_size=3),
        "location": st.none()
        | st.fixed_dictionaries({}, optional={name: st.none() | one for name, one in location_fields.items()})
        | st.fixed_dictionaries({}, optional=location_fields).map(lambda fields: Location(**fields)),
        "properties": st.none()
        | st.fixed_dictionaries({}, optional={name: st.none() | one for name, one in properties_fields.items()})
        | st.fixed_dictionaries({}, optional=properties_fields).map(lambda fields: Properties(**fields)),
    },
)


def changed(record, change):
    """The fields of a record after a change, by the words of ruling T5."""
    expected = {name: getattr(record, name) for name in type(record).model_fields}
    for name, value in change.items():
        if isinstance(value, (dict, Location, Properties)):
            given_fields = (
                value if isinstance(value, dict) else {one: getattr(value, one) for one in value.model_fields_set}
            )
            expected[name] = changed(expected[name], given_fields)
        elif value is not None:
            expected[name] = tuple(value) if isinstance(value, list) else value
    return expected if "short_url" not in expected else {**expected, "short_url": None, "image_url": None}


def plain(record):
    """The fields of a record, those of its parts as dictionaries too; URLs follow from them."""
    fields = {name: getattr(record, name) for name in type(record).model_fields}
    fields = {name: plain(one) if isinstance(one, (Location, Properties)) else one for name, one in fields.items()}
    return fields if "short_url" not in fields else {**fields, "short_url": None, "image_url": None}


@pytest.mark.slow
@pytest.mark.rule("T5")
@given(st.lists(changes, min_size=1, max_size=3))
@some
def test_an_update_changes_what_it_names_and_nothing_else(store, all_changes):
    """Open: what an update leaves alone. What is absent or None, down to single fields of location and properties."""
    portfolio = anybodys(store)
    code = portfolio.insert_qrcode("x", location={"address": "here", "latitude": 1}, properties={"size": 3, "ec": "L"})
    other = portfolio.insert_qrcode("other")
    for change in all_changes:
        before = portfolio.get_qrcode(code.id)
        expected = changed(before, change)
        for part in ("location", "properties"):
            if not isinstance(expected[part], dict):
                expected[part] = plain(expected[part])
        returned = portfolio.update_qrcode(code.id, **change)
        assert plain(returned) == expected
        assert portfolio.get_qrcode(code.id) == returned
        assert portfolio.list_qrcodes() == [returned, other]


@pytest.mark.rule("T5")
def test_single_fields_of_location_and_properties_change_alone(portfolio):
    """Open: whether a part is replaced whole. No: a new address does not forget the coordinates."""
    here = Location(address="Trieste", latitude=45.65, longitude=13.77)
    drawn = Properties(size=3, version=7, padding=2, ec="H", foreground="navy")
    id_ = portfolio.insert_qrcode("x", location=here, properties=drawn).id
    for location in ({"address": "Piazza"}, {"address": "Piazza", "latitude": None}, Location(address="Piazza")):
        portfolio.update_qrcode(id_, location={"address": "elsewhere"})
        assert portfolio.update_qrcode(id_, location=location).location == here.replace(address="Piazza")
    for properties in ({"ec": "q"}, {"ec": "Q", "version": None, "size": None}, Properties(ec="Q")):
        portfolio.update_qrcode(id_, properties={"ec": "L"})
        assert portfolio.update_qrcode(id_, properties=properties).properties == drawn.replace(ec="Q")
    for nothing in ({}, Location(), None):
        assert portfolio.update_qrcode(id_, location=nothing).location == here.replace(address="Piazza")
    assert portfolio.get_qrcode(id_).properties == drawn.replace(ec="Q")


@pytest.mark.parametrize("part", ["location", "properties"])
@pytest.mark.parametrize("key", [1, None, ("address",)])
def test_a_part_with_a_key_that_is_no_text_is_refused_like_on_insert(portfolio, part, key):
    id_ = portfolio.insert_qrcode("x").id
    with pytest.raises(InvalidParameter) as inserted:
        portfolio.insert_qrcode("x", **{part: {key: 2}})
    with pytest.raises(InvalidParameter) as updated:
        portfolio.update_qrcode(id_, **{part: {key: 2}})
    assert str(updated.value) == str(inserted.value)
    assert updated.value.name.startswith(f"{part}.")


@pytest.mark.rule("T5")
def test_a_place_and_a_version_can_be_taken_away(portfolio):
    """Open: how a number goes away when None leaves it. Version by -1; a place by a `Location` that says None."""
    id_ = portfolio.insert_qrcode("x", location={"latitude": 1, "longitude": 2}, properties={"version": 9}).id
    for automatic in ({"version": -1}, Properties(version=-1)):
        portfolio.update_qrcode(id_, properties={"version": 9})
        assert portfolio.update_qrcode(id_, properties=automatic).properties.version is None
    found = portfolio.update_qrcode(id_, location=Location(latitude=None)).location
    assert (found.latitude, found.longitude) == (None, 2)


@pytest.mark.rule("T5")
def test_empty_texts_empty_a_comment_and_name_a_code_after_its_content(portfolio):
    """Open: what an empty text does. It empties what may be empty; a code without a name is named as on insert."""
    id_ = portfolio.insert_qrcode("first\nline", name="Door", comment="private", urlinfo="tail").id
    code = portfolio.update_qrcode(id_, name="", comment="", urlinfo="")
    assert (code.name, code.comment, code.urlinfo) == ("first line", "", "")
    assert code.short_url == f"{GO}/{code.short_code}"
    assert portfolio.update_qrcode(id_, name="", content="new\r\nline").name == "new line"


@pytest.mark.rule("T5")
def test_a_code_moves_to_another_campaign_and_out_of_it(portfolio):
    """Open: how a code leaves its campaign when None means unchanged. By an empty campaignId."""
    spring, summer = portfolio.insert_campaign("Spring").id, portfolio.insert_campaign("Summer").id
    code = portfolio.insert_qrcode("x", campaign_id=spring, comment="c", properties={"size": 3})
    for given_id, expected in (
        (summer, summer),
        (None, summer),
        ("", None),
        ("", None),
        (None, None),
        (spring, spring),
    ):
        code = code.replace(campaign_id=expected)
        assert portfolio.update_qrcode(code.id, campaign_id=given_id) == code
        assert portfolio.get_qrcode(code.id) == code
        assert portfolio.list_qrcodes(campaign_id=spring) == [code] * (expected == spring)


@pytest.mark.rule("T4", "T5")
@pytest.mark.parametrize("campaign_id", ["0" * 32, " ", "' OR 1=1 --", "é", "\ud800", 0, False, 7, b"", ["x"]])
def test_an_unknown_campaign_is_refused_and_nothing_changes(portfolio, yours, campaign_id):
    """Open: a campaignId that names no campaign, or one of another account. 400, and the code stays where it was."""
    spring = portfolio.insert_campaign("Spring").id
    code = portfolio.insert_qrcode("x", campaign_id=spring)
    for wrong in (campaign_id, yours.insert_campaign("Theirs").id):
        for call in (
            lambda id_: portfolio.update_qrcode(code.id, campaign_id=id_, content="changed"),
            lambda id_: portfolio.insert_qrcode("y", campaign_id=id_),
        ):
            with pytest.raises(InvalidParameter, match="is not the ID of a campaign") as caught:
                call(wrong)
            assert (caught.value.name, status_of(caught.value)) == ("campaign_id", 400)
            assert portfolio.list_qrcodes() == [code]


@pytest.mark.rule("T5")
def test_a_schedule_is_replaced_whole_and_an_empty_one_empties_it(portfolio):
    """Open: how events change. All of them at once: they have no names by which one could be told from another."""
    first = [ScheduleEvent(content="a", date=NOON), ScheduleEvent(content="b", recurrence=3, date=NOON)]
    id_ = portfolio.insert_qrcode("x", schedule=first, is_schedule_enabled=True).id
    assert portfolio.get_qrcode(id_).schedule == tuple(first)
    assert portfolio.update_qrcode(id_, content="y").schedule == tuple(first)
    second = [{"content": "c", "date": "2026-03-01T12:00:00+01:00"}]
    assert portfolio.update_qrcode(id_, schedule=second).schedule == (
        ScheduleEvent(content="c", date=datetime(2026, 3, 1, 11, tzinfo=UTC)),
    )
    assert portfolio.update_qrcode(id_, schedule=[]).schedule == ()
    assert portfolio.get_qrcode(id_).schedule == ()
    assert portfolio.get_qrcode(id_).is_schedule_enabled


EVENT = {"content": "x", "date": "2026-01-01T00:00:00Z"}


@pytest.mark.parametrize(
    ("change", "error", "names"),
    [
        ({"content": ""}, InvalidParameter, {"content"}),
        ({"content": "x" * 32_768}, InvalidParameter, {"content"}),
        ({"content": 7}, InvalidParameter, {"content"}),
        ({"name": "\ud800"}, InvalidParameter, {"name"}),
        ({"properties": {"foreground": "bluish"}}, InvalidParameter, {"properties.foreground"}),
        ({"properties": {"em": "numeric"}}, InvalidParameter, set()),
        ({"properties": {"modules": 3}}, InvalidParameter, {"properties.modules"}),
        ({"properties": Location(address="x")}, InvalidParameter, {"properties"}),
        ({"location": {"latitude": 91}}, InvalidParameter, {"location.latitude"}),
        ({"location": "Trieste"}, InvalidParameter, {"location"}),
        ({"schedule": [EVENT] * 101}, InvalidParameter, {"schedule"}),
        ({"schedule": [EVENT, EVENT | {"recurrence": 8}]}, InvalidParameter, {"schedule.1.recurrence"}),
        (
            {"location": {"longitude": 181}, "properties": {"size": 21, "ec": "x"}, "comment": 7},
            InvalidParameter,
            {"location.longitude", "properties.size", "properties.ec", "comment"},
        ),
        ({"properties": {"version": 1, "ec": "H"}}, ContentTooLong, None),
        ({"urlinfo": "y" * 80, "properties": {"version": 4}}, ContentTooLong, None),
        ({"content": "x" * 3_000, "is_dynamic": False}, ContentTooLong, None),
    ],
)
def test_an_update_that_fails_changes_nothing_and_names_all_that_is_wrong(portfolio, change, error, names):
    portfolio.insert_qrcode(SPRING, campaign_id=portfolio.insert_campaign("Spring").id, location={"latitude": 1})
    before = everything(portfolio)
    with pytest.raises(error) as caught:
        portfolio.update_qrcode(before[0][0].id, **({"name": "changed", "content": SUMMER} | change))
    assert status_of(caught.value) == 400
    if names:
        assert {problem.name for problem in caught.value.problems} == names
    after, campaigns, links = everything(portfolio)
    assert [code.replace(scans=0) for code in after] == before[0]
    assert (campaigns, links) == before[1:]


def test_what_a_static_code_says_must_fit_its_version(portfolio):
    id_ = portfolio.insert_qrcode("x", is_dynamic=False, properties={"version": 1}).id
    with pytest.raises(ContentTooLong):
        portfolio.update_qrcode(id_, content="x" * 50)
    assert portfolio.get_qrcode(id_).content == "x"
    assert portfolio.update_qrcode(id_, content="x" * 50, properties={"version": 5}).content == "x" * 50


def test_id_short_code_scans_and_created_stay(portfolio):
    portfolio.import_file(
        f"Content,Trackable URL,Scans,Created (UTC)\r\nx,{GO}/kept,40,2020-02-02 02:02:02\r\n".encode()
    )
    (code,) = portfolio.list_qrcodes()
    portfolio.scans.insert(pd.DataFrame({"short_code": ["kept"], "time": NOON}))
    found = portfolio.update_qrcode(code.id, content="y", name="z")
    assert found == code.replace(content="y", name="z", scans=41)
    assert (found.short_code, found.created.year) == ("kept", 2020)


# ---- redirects follow


@pytest.mark.parametrize("where", ["here", "another thread", "another store on the file"])
def test_redirects_follow_every_change_at_once(new_path, where):
    path = new_path()
    with open_portfolio(path, base_url=GO) as shop, Store(path) as other:
        code = shop.insert_qrcode(SPRING, short_code="door")

        def leads_to():
            if where == "another thread":
                with ThreadPoolExecutor(1) as threads:
                    return threads.submit(followed, shop.store, "door").result()
            return followed(other if where.startswith("another store") else shop.store, "door")

        assert leads_to() == SPRING
        shop.update_qrcode(code.id, content=SUMMER)
        assert leads_to() == SUMMER
        event = {"content": "winter", "date": NOON - timedelta(days=1)}
        shop.update_qrcode(code.id, schedule=[event])
        assert leads_to() == SUMMER
        shop.update_qrcode(code.id, is_schedule_enabled=True)
        assert leads_to() == "winter"
        shop.update_qrcode(code.id, schedule=[event | {"date": NOON + timedelta(seconds=1)}])
        assert leads_to() == SUMMER
        shop.insert_qrcode("new", short_code="new")
        assert followed(other, "new") == "new"
        shop.delete_qrcode(code.id)
        with pytest.raises(Gone):
            leads_to()


@pytest.mark.rule("T7")
def test_an_event_begins_at_the_same_instant_before_and_after_the_store_is_opened_again(new_path):
    """Open: fractions of seconds in a date. An event begins at the whole second, in memory and in the file."""
    path, date = new_path(), NOON.replace(microsecond=900_000)
    instants = [NOON.replace(microsecond=0) + timedelta(microseconds=more) for more in (-1, 0, 500_000, 950_000)]

    def seen(shop):
        return [followed(shop.store, code, instant) for code in ("ins", "upd") for instant in instants]

    with open_portfolio(path) as shop:
        event = {"content": SUMMER, "date": date}
        shop.insert_qrcode(SPRING, short_code="ins", schedule=[event], is_schedule_enabled=True)
        id_ = shop.insert_qrcode(SPRING, short_code="upd").id
        assert shop.update_qrcode(id_, schedule=[event], is_schedule_enabled=True) == shop.get_qrcode(id_)
        before = seen(shop)
        assert before == [SPRING, SUMMER, SUMMER, SUMMER] * 2
    with open_portfolio(path) as shop:
        assert seen(shop) == before


# ---- deletion


@pytest.mark.rule("T6")
def test_the_short_url_of_a_deleted_code_is_gone(portfolio):
    """Open: what a printed code of a deleted record answers. 410: it was here, and will not come back."""
    code, other = portfolio.insert_qrcode(SPRING), portfolio.insert_qrcode(SUMMER)
    client = Client(make_app(portfolio.store, Settings(base_url=GO)))
    assert client.get(f"/{code.short_code}").status == 302
    portfolio.delete_qrcode(code.id)
    with pytest.raises(Gone) as caught:
        followed(portfolio.store, code.short_code)
    assert (status_of(caught.value), caught.value.id) == (410, code.short_code)
    reply = client.get(f"/{code.short_code}")
    assert (reply.status, reply.headers["x-api-error-code"]) == (410, "gone")
    assert portfolio.list_qrcodes() == [other]
    assert followed(portfolio.store, other.short_code) == SUMMER
    for call in (portfolio.get_qrcode, portfolio.delete_qrcode, portfolio.update_qrcode):
        with pytest.raises(NotFound):
            call(code.id)


@pytest.mark.rule("T1", "T6")
def test_the_short_code_of_a_deleted_code_is_never_given_again(portfolio, yours, monkeypatch):
    """Open: whether it may come back, by wish, by chance or in a file. Never: others may have printed it."""
    monkeypatch.setattr(secrets, "choice", random.Random(2).choice)
    code = portfolio.insert_qrcode(SPRING)
    export = portfolio.export_bytes("csv")
    portfolio.delete_qrcode(code.id)
    for one in (portfolio, yours):
        with pytest.raises(InvalidParameter, match="is never given out again"):
            one.insert_qrcode("wish", short_code=code.short_code)
        result = one.import_file(export)
        assert (result.created, result.count("code-taken")) == (1, 1)
        monkeypatch.setattr(secrets, "choice", random.Random(2).choice)
        by_chance = one.insert_qrcode("chance").short_code
        given_codes = [found.short_code for found in one.list_qrcodes()]
        assert by_chance in given_codes
        assert code.short_code not in given_codes
    with pytest.raises(Gone):
        followed(portfolio.store, code.short_code)


@pytest.mark.rule("T6")
def test_deleting_a_campaign_deletes_its_codes(portfolio):
    """Open: the codes of a deleted campaign. With keep=false they go with it, and each short URL is gone."""
    spring, summer = portfolio.insert_campaign("Spring"), portfolio.insert_campaign("Summer")
    going = [portfolio.insert_qrcode(SPRING, campaign_id=spring.id) for _ in range(3)]
    staying = [portfolio.insert_qrcode("x", campaign_id=summer.id), portfolio.insert_qrcode("y")]
    portfolio.delete_campaign(spring.id)
    assert portfolio.list_campaigns() == [summer]
    assert portfolio.list_qrcodes() == staying
    for code in going:
        with pytest.raises(Gone):
            followed(portfolio.store, code.short_code)
    assert [followed(portfolio.store, code.short_code) for code in staying] == ["x", "y"]
    portfolio.delete_campaign(portfolio.insert_campaign("empty").id)
    assert portfolio.list_campaigns() == [summer]


@pytest.mark.rule("T6")
def test_a_deleted_campaign_may_leave_its_codes(portfolio):
    """Open: keep=true. The codes stay as they are, with their scans and short URLs, outside of any campaign."""
    spring, summer = portfolio.insert_campaign("Spring"), portfolio.insert_campaign("Summer")
    schedule = [{"content": SUMMER, "date": NOON}]
    kept = [
        portfolio.insert_qrcode(SPRING, campaign_id=spring.id, comment="c", urlinfo="u", schedule=schedule)
        for _ in range(3)
    ]
    other = portfolio.insert_qrcode("x", campaign_id=summer.id)
    portfolio.scans.insert(pd.DataFrame({"short_code": [code.short_code for code in kept], "time": NOON}))
    portfolio.delete_campaign(spring.id, keep=True)
    assert portfolio.list_campaigns() == [summer]
    assert portfolio.list_qrcodes() == [*(code.replace(campaign_id=None, scans=1) for code in kept), other]
    assert [followed(portfolio.store, code.short_code) for code in kept] == [SPRING] * 3
    with pytest.raises(NotFound):
        portfolio.delete_campaign(spring.id, keep=True)


# ---- campaigns


def test_a_campaign_changes_what_is_given(portfolio):
    spring, other = portfolio.insert_campaign("Spring", description="stickers"), portfolio.insert_campaign("Other")
    for change in (
        {},
        {"name": "Summer"},
        {"description": ""},
        {"name": "=1+1", "description": "🌱\n"},
        {"name": None},
    ):
        given_fields = {name: value for name, value in change.items() if value is not None}
        spring = Campaign(**(spring.model_dump(by_alias=False) | given_fields))
        assert portfolio.update_campaign(spring.id, **change) == spring
        assert portfolio.list_campaigns() == [spring, other]
    for change in ({"name": ""}, {"name": 7}, {"description": "x" * 32_768}, {"name": "ok", "description": "\ud800"}):
        with pytest.raises(InvalidParameter):
            portfolio.update_campaign(spring.id, **change)
        assert portfolio.list_campaigns() == [spring, other]


# ---- whose is what

OPERATIONS = {
    "get_qrcode": lambda one, code, _: one.get_qrcode(code),
    "update_qrcode": lambda one, code, _: one.update_qrcode(code, content="stolen"),
    "update nothing": lambda one, code, _: one.update_qrcode(code),
    "update badly": lambda one, code, _: one.update_qrcode(code, content=""),
    "delete_qrcode": lambda one, code, _: one.delete_qrcode(code),
    "get_campaign": lambda one, _, campaign: one.get_campaign(campaign),
    "update_campaign": lambda one, _, campaign: one.update_campaign(campaign, name="stolen"),
    "delete_campaign": lambda one, _, campaign: one.delete_campaign(campaign),
    "delete_campaign keep": lambda one, _, campaign: one.delete_campaign(campaign, keep=True),
}


@pytest.mark.rule("H4")
@pytest.mark.parametrize("operation", OPERATIONS.values(), ids=OPERATIONS)
def test_the_ids_of_another_account_are_not_found(portfolio, yours, operation):
    """Open: what another account's id answers. Not found, like one that never was: its existence is not told."""
    campaign = portfolio.insert_campaign("Spring")
    code = portfolio.insert_qrcode(SPRING, campaign_id=campaign.id)
    theirs = yours.insert_qrcode("theirs")
    strange = [("0" * 32,) * 2, ("",) * 2, (None,) * 2, ("\ud800",) * 2, ("é",) * 2, (7, 7), ("%", "%")]
    for ids in [(code.id, campaign.id), *strange]:
        with pytest.raises(NotFound) as caught:
            operation(yours, *ids)
        assert (status_of(caught.value), caught.value.id in ids) == (404, True)
    assert (portfolio.list_qrcodes(), portfolio.list_campaigns()) == ([code], [campaign])
    assert (yours.list_qrcodes(), yours.list_campaigns()) == ([theirs], [])
    assert followed(portfolio.store, code.short_code) == SPRING


@pytest.mark.parametrize("campaign_id", ["", "0" * 32, "\ud800", "é", 7])
def test_a_list_of_no_campaign_of_ours_is_empty(portfolio, yours, campaign_id):
    theirs = yours.insert_campaign("Theirs").id
    yours.insert_qrcode("x", campaign_id=theirs)
    portfolio.insert_qrcode("x")
    assert portfolio.list_qrcodes(campaign_id=campaign_id) == []
    assert portfolio.list_qrcodes(campaign_id=theirs) == []


# ---- plans


@pytest.fixture(scope="module")
def full(new_place):
    """A free account with three codes more than its plan shows, in one campaign."""
    with Store(new_place()) as store:
        portfolio = anybodys(store, "free")
        with store.atomic():
            campaign = portfolio.insert_campaign("Spring")
            made = [
                portfolio.insert_qrcode(f"{SPRING}/{number}", name=str(number), short_code=f"code{number}", comment="c")
                for number in range(FREE + 3)
            ]
            for code in made:
                portfolio.update_qrcode(code.id, campaign_id=campaign.id)
        yield portfolio
        assert verify(store) == []


class Undone(Exception):
    pass


@pytest.fixture
def crowded(full):
    """The same; what a test changes is rolled back."""
    with pytest.raises(Undone), full.store.atomic():
        yield full
        raise Undone


def shown(portfolio):
    return [code.name for code in portfolio.list_qrcodes() if code.is_available]


@pytest.mark.rule("T13")
def test_the_oldest_codes_are_shown_and_of_later_ones_four_fields(crowded):
    """Open: which codes a plan shows. The oldest; of the others only id, name, created and isAvailable."""
    codes = crowded.list_qrcodes()
    assert [code.is_available for code in codes] == [True] * FREE + [False] * 3
    assert [code.name for code in codes] == [str(number) for number in range(FREE + 3)]
    for code in codes[FREE:]:
        assert code == crowded.get_qrcode(code.id)
        assert json.loads(code.to_json()) == {
            "id": code.id,
            "name": code.name,
            "created": "2026-03-01T12:00:00Z",
            "isAvailable": False,
        }
        hidden = [code.content, code.comment, code.short_code, code.short_url, code.image_url, code.campaign_id]
        assert not any(hidden)
        assert (code.properties, code.location, code.schedule, code.scans) == (Properties(), Location(), (), 0)
    assert codes[FREE - 1].content == f"{SPRING}/{FREE - 1}"


@pytest.mark.rule("T13")
def test_short_urls_that_the_plan_does_not_show_work_and_count(full):
    """Open: short URLs beyond the plan. They go on working, and their scans are there once the plan shows them."""
    for address in ("203.0.113.7", "203.0.113.8"):
        assert followed(full.store, f"code{FREE}", address=address) == f"{SPRING}/{FREE}"
    assert full.list_qrcodes()[FREE].scans == 0
    with pytest.raises(Undone), full.store.atomic():
        full.delete_qrcode(full.list_qrcodes()[7].id)
        assert full.list_qrcodes()[FREE - 1].scans == 2
        raise Undone


@pytest.mark.rule("T13")
@pytest.mark.parametrize("number", [0, 7, FREE - 1])
def test_deleting_an_old_code_shows_the_next(crowded, number):
    """Open: what becomes free when a shown code goes. The oldest of the others is shown, whole."""
    codes = crowded.list_qrcodes()
    crowded.delete_qrcode(codes[number].id)
    assert shown(crowded) == [str(one) for one in range(FREE + 1) if one != number]
    found = crowded.get_qrcode(codes[FREE].id)
    assert (found.content, found.comment, found.short_code) == (f"{SPRING}/{FREE}", "c", f"code{FREE}")


@pytest.mark.rule("T13")
def test_deleting_a_hidden_code_shows_no_other(crowded):
    """Open: deletion of what is not shown. It may go; what is shown stays the same."""
    crowded.delete_qrcode(crowded.list_qrcodes()[FREE].id)
    assert shown(crowded) == [str(one) for one in range(FREE)]
    with pytest.raises(Gone):
        followed(crowded.store, f"code{FREE}")


@pytest.mark.slow
@pytest.mark.rule("T13")
def test_a_code_imported_with_an_older_date_does_not_hide_others(crowded):
    """Open: which are the oldest. Those that came first into the portfolio: what is shown must stay shown."""
    before = shown(crowded)
    row = b"Content,Created (UTC),Trackable URL\r\nold,1999-01-01 00:00:00,https://go.example.com/old1999\r\n"
    assert crowded.import_file(row).created == 1
    assert shown(crowded) == before
    assert followed(crowded.store, "old1999") == "old"


def test_a_hidden_code_can_be_changed_and_still_shows_four_fields(crowded):
    last = crowded.list_qrcodes()[-1]
    found = crowded.update_qrcode(last.id, content=SUMMER, name="renamed")
    assert found == last.replace(name="renamed")
    assert followed(crowded.store, f"code{FREE + 2}") == SUMMER


def test_a_code_beyond_the_plan_is_stored_and_its_short_url_can_be_had(crowded):
    code = crowded.insert_qrcode("x", short_code="beyond")
    assert (code.is_available, code.name, code.short_url) == (False, "x", "")
    assert followed(crowded.store, "beyond") == "x"
    url = crowded.shorten(SUMMER)
    assert followed(crowded.store, url.removeprefix(f"{GO}/")) == SUMMER
    assert crowded.shorten(SUMMER) == url


def test_a_hidden_code_has_no_picture(crowded):
    with pytest.raises(NotAllowed, match="the plan free does not show") as caught:
        crowded.image(crowded.list_qrcodes()[-1])
    assert status_of(caught.value) == 403
    assert crowded.image(crowded.list_qrcodes()[0]).width > 0


def test_an_export_has_what_the_plan_shows_and_can_be_read_again(crowded, store):
    export = crowded.export_bytes("csv")
    assert f"{SPRING}/{FREE}".encode() not in export
    assert f"code{FREE}".encode() not in export
    found = anybodys(store)
    result = found.import_file(export)
    assert (result.created, result.count("invalid")) == (FREE, 0)
    assert [code.name for code in found.list_qrcodes()] == shown(crowded)


def test_the_bar_of_an_export_counts_what_the_plan_shows(crowded, tmp_path, capsys):
    crowded.export_file(tmp_path / "codes.csv", progress=True)
    assert f"/{FREE} [" in capsys.readouterr().err


def test_tables_have_a_row_for_a_hidden_code_that_says_no_more_than_its_record(crowded):
    table = crowded.qrcodes()
    assert len(table) == FREE + 3
    hidden = table.iloc[-1]
    assert (hidden["name"], hidden["content"], hidden["short_url"]) == (str(FREE + 2), "", "")
    assert crowded.campaigns()["qrcodes"].tolist() == [FREE]


def test_deleting_a_campaign_takes_its_hidden_codes_along_or_leaves_them(crowded):
    (campaign,) = crowded.list_campaigns()
    crowded.delete_campaign(campaign.id, keep=True)
    assert len(crowded.list_qrcodes()) == FREE + 3
    again = crowded.insert_campaign("Again").id
    for code in crowded.list_qrcodes():
        crowded.update_qrcode(code.id, campaign_id=again)
    crowded.delete_campaign(again)
    assert crowded.list_qrcodes() == []
    with pytest.raises(Gone):
        followed(crowded.store, f"code{FREE + 2}")


@pytest.mark.parametrize("url", ["", None, 7, "\ud800", "x" * 32_768])
def test_what_is_no_text_cannot_be_shortened(portfolio, url):
    portfolio.insert_qrcode("x")
    with pytest.raises(InvalidParameter, match="content"):
        portfolio.shorten(url)
    assert len(portfolio.list_qrcodes()) == 1
