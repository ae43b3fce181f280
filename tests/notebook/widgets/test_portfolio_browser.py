"""The browser of a portfolio without a browser: what is found, what is changed, and what is told."""

import gc
import json
import shutil
from base64 import b64decode, b64encode
from datetime import UTC, datetime
from io import BytesIO
from zipfile import ZipFile

import pandas as pd
import pytest
from ipywidgets.widgets.widget import _instances

from qrkit import decode, open_portfolio
from qrkit.notebook.widgets import PortfolioBrowser
from qrkit.notebook.widgets.studio.draft import Edit
from qrkit.portfolio import Portfolio
from qrkit.portfolio.access import create_account
from qrkit.tracking.redirect_rules import TYPES
from tests.exchange.test_sheets import as_csv, as_xlsx

NOW = datetime(2026, 3, 31, 12, tzinfo=UTC)
EVENT = {"content": "https://example.com/april", "recurrence": 0, "date": "2026-04-01T08:00:00Z"}


@pytest.fixture(scope="module")
def prepared(tmp_path_factory):
    """A store with thirty codes in two campaigns, of which each test has a copy."""
    path = tmp_path_factory.mktemp("prepared") / "shop.duckdb"
    with open_portfolio(path, base_url="https://go.example.com", clock=lambda: NOW) as made:
        window, tables = made.insert_campaign("Window"), made.insert_campaign("Tables")
        for number in range(30):
            made.insert_qrcode(
                f"https://example.com/{number}",
                name=f"{'Door' if number % 2 else 'Table'} {number}",
                campaign_id=window.id if number % 2 else tables.id,
                short_code=f"code{number}",
            )
    return path


@pytest.fixture
def shop(prepared, tmp_path):
    path = shutil.copy(prepared, tmp_path / "shop.duckdb")
    with open_portfolio(path, base_url="https://go.example.com", clock=lambda: NOW) as made:
        yield made


@pytest.fixture
def browser(shop):
    made = PortfolioBrowser(shop, name="test")
    yield made
    made.close()


def say(widget, **message):
    """What a browser sends."""
    widget._handle_custom_msg(message, [])


def send_file(widget, data):
    """Send a table as a browser does."""
    say(widget, ask="check import", name="list.csv", url=f"data:text/csv;base64,{b64encode(data).decode()}")


def names(browser):
    return [row["name"] for row in browser.state["rows"]]


def choose(browser, shop, name):
    code = next(one for one in shop.list_qrcodes() if one.name == name)
    say(browser, ask="choose", id=code.id)
    return code


def test_codes_are_found_by_words_and_campaign(browser):
    assert (browser.state["total"], browser.state["pages"], len(names(browser))) == (30, 2, 20)
    say(browser, ask="filter", words="DOOR example.com/1")
    assert names(browser) == [f"Door {number}" for number in (1, 11, 13, 15, 17, 19)]
    tables = next(one["id"] for one in browser.state["campaigns"] if one["name"] == "Tables")
    say(browser, ask="filter", campaign=tables)
    assert names(browser) == []
    say(browser, ask="filter", words="")
    assert browser.state["total"] == 15


def test_pages_are_turned_and_none_lies_beyond_the_last(browser):
    say(browser, ask="page", page=1)
    assert names(browser)[0] == "Table 20"
    for beyond in (99, -5, "1", None):
        say(browser, ask="page", page=beyond)
        assert browser.state["page"] in (0, 1)
    say(browser, ask="page", page=1)
    say(browser, ask="filter", words="Door")
    assert browser.state["page"] == 0


def test_rows_have_their_picture_and_the_scans_of_thirty_days(browser, shop):
    times = pd.to_datetime(["2026-03-31T01:00", "2026-03-31T02:00", "2026-03-02T01:00", "2026-03-01T23:00"])
    shop.scans.insert(pd.DataFrame({"short_code": "code1", "time": times}))
    say(browser, ask="reload")
    while any(row["picture"] is None for row in browser.state["rows"]):
        say(browser, ask="draw")
    row = next(one for one in browser.state["rows"] if one["name"] == "Door 1")
    assert (row["scans"], row["recent"], row["since"]) == (4, 3, "2026-03-01")
    assert row["sparkline"].startswith("<svg")
    shop.time_zone = "Asia/Tokyo"
    say(browser, ask="reload")
    row = next(one for one in browser.state["rows"] if one["name"] == "Door 1")
    assert (row["recent"], row["since"], row["last"]) == (4, "2026-03-02", "2026-03-31")
    head, _, data = row["picture"].partition(",")
    assert head == "data:image/png;base64"
    assert decode(b64decode(data)).content == "https://go.example.com/code1?q"


def test_imported_scans_are_shown_apart_from_counted_ones(browser, shop):
    shop.import_file(b"QR Code Name,Content,Scans\r\nOld,https://example.com/old,350\r\n", format="csv")
    (old,) = [code for code in shop.list_qrcodes() if code.name == "Old"]
    times = [NOW, NOW.replace(hour=11)]
    after = pd.DataFrame({"short_code": old.short_code, "time": [time.replace(year=2027) for time in times]})
    shop.scans.insert(after)  # later than the import, so these are not among the 350
    say(browser, ask="reload")
    say(browser, ask="filter", words="Old")
    assert [(row["scans"], row["imported"]) for row in browser.state["rows"]] == [(2, 350)]
    assert browser.state["rows"][0]["since"] == "2026-03-31"
    assert shop.get_qrcode(old.id).scans == 352


def test_codes_are_changed_by_hand(browser, shop):
    code = choose(browser, shop, "Door 1")
    chosen = browser.state["chosen"]
    assert {name: chosen[name] for name in ("content", "comment", "template")} == {
        "content": code.content,
        "comment": "",
        "template": "",
    }
    fields = {"name": "Gate", "content": "https://example.com/new", "schedule": [EVENT], "is_schedule_enabled": True}
    say(browser, ask="save", fields=fields | {"campaign_id": ""})
    changed = shop.get_qrcode(code.id)
    assert (changed.name, changed.content, changed.campaign_id) == ("Gate", "https://example.com/new", None)
    assert changed.is_schedule_enabled
    assert json.loads(changed.schedule[0].to_json()) == EVENT
    assert (browser.state["saved"], browser.errors) == (1, {})
    assert "Gate" in names(browser)


@pytest.mark.parametrize(
    ("fields", "path"),
    [
        ({"content": ""}, "content"),
        ({"name": "Gate", "schedule": [EVENT | {"recurrence": 8}]}, "schedule.0.recurrence"),
        ({"name": "Gate", "schedule": [EVENT, EVENT | {"date": ""}]}, "schedule.1.date"),
        ({"name": "Gate", "campaign_id": "nowhere"}, "campaign_id"),
    ],
)
def test_what_breaks_a_rule_is_told_beside_its_field_and_nothing_is_kept(browser, shop, fields, path):
    code = choose(browser, shop, "Door 1")
    say(browser, ask="save", fields=fields)
    assert list(browser.state["errors"]) == [path]
    assert browser.state["errors"][path]
    assert (shop.get_qrcode(code.id), browser.state["saved"]) == (code, 0)
    choose(browser, shop, "Door 3")
    assert browser.errors == {}


def test_new_codes_need_only_a_content_and_errors_stand_beside_their_field(browser, shop):
    (window, _) = shop.list_campaigns()
    say(browser, ask="add", fields={"content": "", "name": "Gate", "campaign_id": "nowhere"})
    assert list(browser.errors) == ["new.campaign_id"]
    say(browser, ask="add", fields={"content": "", "name": "Gate", "campaign_id": window.id})
    assert list(browser.errors) == ["new.content"]
    assert browser.state["saved"] == 0
    say(browser, ask="add", fields={"content": "https://example.com/gate", "name": "", "campaign_id": window.id})
    code = shop.list_qrcodes()[-1]
    assert (code.content, code.campaign_id) == ("https://example.com/gate", window.id)
    assert (browser.state["chosen"]["id"], browser.errors, browser.state["total"]) == (code.id, {}, 31)


def test_a_copy_has_all_but_the_short_code(browser, shop):
    code = choose(browser, shop, "Door 1")
    shop.update_qrcode(
        code.id, comment="left", schedule=[EVENT], is_schedule_enabled=True, location={"address": "Hall"}
    )
    say(browser, ask="duplicate")
    before, copy = shop.get_qrcode(code.id), shop.list_qrcodes()[-1]
    assert browser.state["chosen"]["id"] == copy.id
    assert (copy.name, copy.short_code != before.short_code) == ("Door 1 (copy)", True)
    own = {"id", "name", "short_code", "short_url", "image_url", "created"}
    assert copy.model_dump(exclude=own) == before.model_dump(exclude=own)


def test_a_deletion_can_be_undone_until_the_next(browser, shop):
    code = choose(browser, shop, "Door 1")
    shop.scans.insert([{"short_code": "code1", "time": "2026-03-31T10:00:00Z"}])
    before = shop.list_qrcodes()
    say(browser, ask="delete")
    assert (browser.state["total"], browser.state["chosen"]) == (29, None)
    told = "1 QR Code deleted. 1 scan was counted until then."
    assert browser.state["undoable"] == {"said": told, "button": "Undo deletion"}
    say(browser, ask="undo")
    assert (browser.state["total"], browser.state["undoable"]) == (30, None)
    assert browser.state["chosen"]["id"] == code.id
    say(browser, ask="undo")
    ids = [one.id for one in before[:3]]
    say(browser, ask="select", ids=ids, is_on=True)
    say(browser, ask="delete", are_selected=True)
    assert (browser.state["total"], browser.state["selected"]) == (27, 0)
    assert browser.state["undoable"]["said"] == told.replace("1 QR Code", "3 QR Codes")
    say(browser, ask="undo")
    assert shop.list_qrcodes() == before


def test_an_edit_of_several_codes_can_be_undone_and_says_how_many(browser, shop):
    _, tables = shop.list_campaigns()
    before = shop.list_qrcodes()
    say(browser, ask="filter", words="door")
    say(browser, ask="select", is_on=True)
    say(browser, ask="edit selection", fields={"campaign_id": tables.id, "find": "example.com", "replace": "shop.test"})
    assert (browser.state["said"], browser.state["total"]) == ("15 QR Codes changed.", 15)
    say(browser, ask="edit selection", fields={"find": "nowhere.test", "replace": "shop.test"})
    assert browser.state["said"] == "0 QR Codes changed."
    assert browser.state["undoable"] == {"said": "15 QR Codes changed.", "button": "Undo change"}
    assert shop.list_qrcodes() != before
    say(browser, ask="undo")
    assert (browser.state["said"], browser.state["undoable"]) == ("15 QR Codes changed back.", None)
    assert shop.list_qrcodes() == before


def test_an_undo_that_is_refused_says_why_and_stays(browser, shop):
    static = shop.insert_qrcode("https://example.com/" + "a" * 30, name="Static", is_dynamic=False)
    say(browser, ask="select", ids=[static.id], is_on=True)
    say(browser, ask="edit selection", fields={"find": "a" * 30, "replace": "a"})
    shop.update_qrcode(static.id, properties={"version": 2})
    say(browser, ask="undo")
    assert "does not work for 'Static'" in browser.errors[""]
    assert browser.state["undoable"]["button"] == "Undo change"


@pytest.mark.parametrize(
    "message",
    [
        {"ask": "edit selection", "fields": {"find": "example.com", "replace": "shop.test"}},
        {"ask": "save", "fields": {"name": "Gate"}},
        {"ask": "add", "fields": {"content": "https://example.com/gate"}},
    ],
)
def test_a_campaign_is_made_with_what_is_put_into_it(browser, shop, message):
    code = choose(browser, shop, "Door 1")
    say(browser, ask="select", ids=[code.id], is_on=True)

    def put(**fields):
        say(browser, **{**message, "fields": {**message["fields"], **fields}})
        return [campaign.name for campaign in shop.list_campaigns()]

    before = shop.list_qrcodes()
    assert put(new_campaign="Spring", content="", template="nobody") == ["Window", "Tables"]
    assert browser.errors
    assert put(new_campaign="") == ["Window", "Tables"]
    assert [path.rpartition(".")[2] for path in browser.errors] == ["new_campaign"]
    assert shop.list_qrcodes() == before
    assert put(new_campaign="Spring") == ["Window", "Tables", "Spring"]
    assert [one["name"] for one in browser.state["campaigns"]] == ["Window", "Tables", "Spring"]
    spring = shop.find_campaign("Spring")
    assert [one.campaign_id for one in shop.list_qrcodes()].count(spring.id) == 1
    assert put(new_campaign="Tables") == ["Window", "Tables", "Spring"], "one of this name is there"


def test_a_preview_tells_what_an_edit_of_the_selection_changes(browser, shop):
    _, tables = shop.list_campaigns()
    shop.templates.save("brand", {"ec": "H"})
    say(browser, ask="filter", words="door")
    say(browser, ask="select", is_on=True)
    assert (browser.state["selected"], browser.state["has_all"]) == (15, True)
    fields = {"find": "example.com/1", "replace": "example.org/eins", "template": "brand", "campaign_id": tables.id}
    say(browser, ask="preview", fields=fields)
    preview = browser.state["preview"]
    assert (preview["contents"], len(preview["samples"])) == (6, 4)
    assert preview["samples"][0] == {
        "name": "Door 1",
        "before": "https://example.com/1",
        "after": "https://example.org/eins",
        "warning": "",
    }
    say(browser, ask="edit selection", fields=fields | {"template": "nobody"})
    assert list(browser.errors) == ["all.template"]
    say(browser, ask="edit selection", fields=fields)
    assert (browser.errors, browser.state["said"]) == ({}, "15 QR Codes changed.")
    doors = [code for code in shop.list_qrcodes() if code.name.startswith("Door")]
    assert {(code.template, code.campaign_id) for code in doors} == {("brand", tables.id)}
    assert sum(code.content.startswith("https://example.org/eins") for code in doors) == 6
    assert not any(code.template for code in shop.list_qrcodes() if code not in doors)


def test_addresses_with_mistakes_are_told_when_codes_are_edited_or_added(browser, shop):
    choose(browser, shop, "Door 1")
    say(browser, ask="select", ids=[shop.find_qrcode("Door 1").id], is_on=True)
    say(browser, ask="preview", fields={"find": "https", "replace": "htps"})
    (sample,) = browser.state["preview"]["samples"]
    assert "did you mean https://example.com/1?" in sample["warning"]
    say(browser, ask="save", fields={"content": "htps://example.com"})
    assert browser.state["said"].startswith("1 QR Code changed. Door 1: ")
    say(browser, ask="add", fields={"content": "www.example.com", "name": "Gate"})
    assert browser.state["said"].startswith("QR Code added. Gate: 'www.example.com' has no https://")
    say(browser, ask="add", fields={"content": "https://example.com", "name": "Till"})
    assert browser.state["said"] == "QR Code added."


def test_a_selection_outlives_searches_and_pages(browser, shop):
    door, table = (next(one.id for one in shop.list_qrcodes() if one.name == name) for name in ("Door 1", "Table 0"))
    say(browser, ask="select", ids=[door], is_on=True)
    say(browser, ask="filter", words="table")
    say(browser, ask="select", ids=[table], is_on=True)
    assert browser.state["selected"] == 2
    assert [row["name"] for row in browser.state["rows"] if row["is_selected"]] == ["Table 0"]
    say(browser, ask="select", is_on=True)
    say(browser, ask="select", ids=[table], is_on=False)
    assert (browser.state["selected"], browser.state["has_all"]) == (14, False)
    say(browser, ask="select", is_on=False)
    assert browser.state["selected"] == 0


def test_a_pasted_short_url_is_found_with_its_tail(browser, shop):
    shop.insert_qrcode("https://example.com", name="Late", urlinfo="Spring menu", short_code="late")
    say(browser, ask="filter", words=shop.find_qrcode("late").short_url)
    assert names(browser) == ["Late"]


def test_the_chosen_code_is_shown_and_designed_in_its_own_design(browser, shop):
    shop.templates.save("brand", {"ec": "H", "foreground": "#0B3D91"})
    code = choose(browser, shop, "Door 1")
    plain = browser.state["chosen"]["picture"]
    say(browser, ask="save", fields={"template": "brand"})
    assert browser.state["chosen"]["picture"] not in ("", plain)
    say(browser, ask="studio")
    studio = browser.studio
    assert (browser.state["studio"], studio.design) == (studio.model_id, shop.design_of(code.id))
    studio.design = studio.design.replace(foreground="#123456")
    say(browser, ask="use", template="")
    assert list(browser.errors) == ["studio.name"]
    say(browser, ask="use", template="blue")
    assert (browser.state["studio"], browser.errors) == (None, {})
    assert shop.get_qrcode(code.id).template == "blue"
    assert shop.design_of(code.id).foreground == studio.design.foreground
    say(browser, ask="studio")
    say(browser, ask="leave")
    assert browser.state["studio"] is None


def test_a_studio_with_a_refused_value_draws_no_code(browser, shop):
    code = choose(browser, shop, "Door 1")
    say(browser, ask="studio")
    browser.studio.edit(Edit(("size",), value=99))
    say(browser, ask="use", template="blue")
    assert browser.errors == {"": "Module size: must be in 1..20 pixels per module; correct or undo it"}
    assert (shop.templates.names(), shop.get_qrcode(code.id).template) == ([], "")
    browser.studio.undo()
    say(browser, ask="use", template="blue")
    assert browser.errors == {}


def test_code_that_was_deleted_meanwhile_is_told_and_gone(browser, shop):
    code = choose(browser, shop, "Door 1")
    shop.delete_qrcode(code.id)
    say(browser, ask="save", fields={"name": "Gate"})
    assert code.id in browser.errors[""]
    assert browser.state["chosen"] is None


def test_a_cell_that_is_run_again_shows_the_same_browser_with_what_there_is_by_then(browser, shop):
    say(browser, ask="filter", words="door")
    shop.insert_qrcode("https://example.com/late", name="Late door")
    before = len(_instances)
    for _ in range(20):
        assert PortfolioBrowser(shop, name="test") is browser
        browser._repr_mimebundle_()
    assert len(_instances) == before
    assert browser.state["total"] == 16
    with open_portfolio(":memory:") as other:
        assert PortfolioBrowser(other, name="test") is browser
        assert browser.state["total"] == 0


def test_close_frees_the_name_and_all_models(shop):
    before = len(_instances)
    first = PortfolioBrowser(shop, name="another")
    first.close()
    second = PortfolioBrowser(shop, name="another")
    assert second is not first
    del first
    gc.collect()
    assert PortfolioBrowser(shop, name="another") is second
    second.close()
    second.close()
    assert len(_instances) == before


def test_bundle_carries_widget_and_what_the_portfolio_shows(browser, shop):
    bundle, _ = browser._repr_mimebundle_()
    assert bundle["application/vnd.jupyter.widget-view+json"]["model_id"] == browser.model_id
    assert shop._repr_mimebundle_()["text/html"] in bundle["text/html"]
    assert repr(shop) in bundle["text/plain"]


def test_state_of_a_page_is_small_whatever_the_contents(shop):
    for number in range(20):
        shop.insert_qrcode("https://example.com/" + "x" * 2000, name=f"Long {number}")
    browser = PortfolioBrowser(shop, name="long")
    say(browser, ask="filter", words="long")
    assert len(browser.state["rows"]) == 20
    assert len(json.dumps(browser.state)) < 60_000
    browser.close()


RULES = [
    {"conditions": [{"type": "device", "matchValue": ["ios"]}], "content": "https://example.com/app"},
    {"conditions": [{"type": "geolocation-country-code", "matchValue": "SI"}], "content": "https://example.com/si"},
]
TERMS = {
    "rules": RULES, "active": False, "valid_since": "2026-01-01T00:00:00Z", "valid_until": "", "limit": 100,
    "limit_a_day": 0, "otherwise": "Over.", "password": "open sesame",
}  # fmt: skip


def test_rules_and_limits_are_saved_and_undone(browser, shop):
    code = choose(browser, shop, "Door 1")
    before = dict(browser.state["chosen"])
    assert (before["rules"], before["active"], before["limit"], before["password"]) == ([], True, "", False)
    say(browser, ask="save", fields=TERMS | {"name": "Gate"})
    changed, chosen = shop.get_qrcode(code.id), browser.state["chosen"]
    assert (changed.name, changed.limit, changed.active, changed.otherwise) == ("Gate", 100, False, "Over.")
    assert chosen["rules"] == json.loads(changed.to_json())["rules"]
    assert chosen["password"] is True
    assert changed.password not in json.dumps(browser.state)
    say(browser, ask="save", fields={"comment": "kept"})
    say(browser, ask="undo")
    assert shop.get_qrcode(code.id) == changed
    say(browser, ask="save", fields={"password": "", "active": True, "rules": []})
    assert (shop.get_qrcode(code.id).password, shop.get_qrcode(code.id).rules) == ("", ())
    say(browser, ask="undo")
    assert shop.get_qrcode(code.id) == changed
    say(browser, ask="save", fields={})
    assert browser.state["undoable"] is None, "nothing was changed"


@pytest.mark.parametrize(
    ("request_", "content", "rule"),
    [
        ({"device": "ios", "country": "SI"}, "https://example.com/app", 0),
        ({"device": "android", "country": "SI"}, "https://example.com/si", 1),
        ({"device": "android"}, "https://example.com/1", None),
        ({"device": "ios", "at": "2025-12-31T23:00:00Z"}, "Over.", None),
        ("nonsense", "https://example.com/1", None),
    ],
)
def test_a_request_is_tried_before_rules_are_saved(browser, shop, request_, content, rule):
    code = choose(browser, shop, "Door 1")
    say(browser, ask="try", fields=TERMS | {"active": True}, request=request_)
    tried = browser.state["tried"]
    assert (tried["content"], tried["rule"], tried["problems"]) == (content, rule, {})
    assert shop.get_qrcode(code.id) == code, "nothing is saved"
    choose(browser, shop, "Door 3")
    assert browser.state["tried"] is None


@pytest.mark.parametrize(
    ("rules", "path", "told"),
    [
        ([RULES[0], RULES[0]], "rules.1", "never takes effect: rule 1 applies to all of its visitors and comes first"),
        ([RULES[0], {"conditions": [{"type": "weekday", "matchValue": []}], "content": "x"}],
         "rules.1.conditions.0.matchValue", "must be one of monday"),
        ([RULES[0] | {"content": ""}], "rules.0.content", "must not be empty"),
        ([RULES[0] | {"content": "https://go.example.com/code1"}], "rules.0.content", "this QR Code itself"),
        ([{"conditions": [{"type": "hours", "matchValue": "09:00-17:00", "matchKey": "Mars"}], "content": "x"}],
         "rules.0.conditions.0.matchKey", "time zone"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_rule_is_told_when_it_is_tried_and_when_it_is_saved(browser, shop, rules, path, told):
    choose(browser, shop, "Door 1")
    say(browser, ask="try", fields={"rules": rules}, request={})
    assert told in browser.state["tried"]["problems"][path]
    say(browser, ask="save", fields={"rules": rules})
    assert told in browser.errors[path]
    assert shop.find_qrcode("code1").rules == ()


def test_problems_of_a_rule_are_in_the_language_of_the_page(shop):
    browser = PortfolioBrowser(shop, name="rules", language="de")
    choose(browser, shop, shop.list_qrcodes()[0].name)
    rules = [{"conditions": [{"type": "device"}], "content": "https://example.com/app"}]
    say(browser, ask="try", fields={"rules": rules}, request={})
    (told,) = browser.state["tried"]["problems"].values()
    assert told.startswith("muss eines davon sein: android, ios")
    browser.close()


def test_limits_that_break_a_rule_are_told_beside_their_fields(browser, shop):
    code = choose(browser, shop, "Door 1")
    say(browser, ask="save", fields={"limit": -1, "valid_until": "soon", "password": "x"})
    assert browser.errors.keys() == {"limit", "valid_until", "password"}
    assert shop.get_qrcode(code.id) == code


def test_selected_codes_get_the_rules_of_their_campaigns(browser, shop):
    window = next(one for one in shop.list_campaigns() if one.name == "Window")
    shop.update_campaign(window.id, rules=RULES)
    say(browser, ask="select", is_on=True)
    say(browser, ask="preview", fields={"rules_of_campaigns": True})
    assert browser.state["preview"]["fields"] == {"rules_of_campaigns": True}
    say(browser, ask="edit selection", fields={"rules_of_campaigns": True})
    assert browser.state["said"] == "15 QR Codes changed."
    assert len(shop.find_qrcode("code1").rules) == 2
    say(browser, ask="undo")
    assert shop.find_qrcode("code1").rules == ()


def test_every_type_of_condition_has_its_fields(browser):
    types = {one["id"]: one for one in browser.rule_form["types"]}
    assert types.keys() == TYPES.keys()
    assert all(one["name"] for one in types.values())
    assert [one["name"] for one in types["device"]["choices"]][:2] == ["Android", "iOS"]
    assert [one["id"] for one in types["scan-number"]["keys"]] == ["all", "day"]


STRANGE = [
    {},
    {"ask": "try"},
    {"ask": "try", "fields": {"rules": 5}, "request": {"device": "toaster"}},
    {"ask": "save"},
    {"ask": "save", "fields": []},
    {"ask": ["x"]},
    {"ask": "filter", "words": 3},
]


@pytest.mark.parametrize("message", STRANGE)
def test_strange_messages_change_nothing(browser, shop, message):
    before = shop.list_qrcodes()
    say(browser, **message)
    assert shop.list_qrcodes() == before
    assert browser.state["total"] == 30


def test_codes_are_sorted_and_only_silent_or_unscanned_ones_are_shown(browser, shop):
    times = [(4, "2026-03-30T10:00"), (4, "2026-03-29T10:00"), (7, "2026-03-31T10:00")]
    shop.scans.insert([{"short_code": f"code{number}", "time": f"{time}:00Z"} for number, time in times])
    codes = {code.name: code.id for code in shop.list_qrcodes()}
    shop.update_qrcode(codes["Table 2"], tags=["hall"], fields={"Floor": "10"})
    shop.update_qrcode(codes["Door 3"], tags=["attic"], fields={"Floor": "9"})
    say(browser, ask="reload")
    assert (browser.state["columns"], browser.state["today"]) == (["campaign", "tags", "field:Floor"], "2026-03-31")
    for order, first in (("-scans", "Table 4"), ("field:Floor", "Door 3"), ("-field:Floor", "Table 2")):
        say(browser, ask="filter", order=order)
        assert (order, names(browser)[0]) == (order, first)
    say(browser, ask="filter", order="-last scan")
    assert [row["last"] for row in browser.state["rows"]][:3] == ["2026-03-31", "2026-03-30", ""]
    say(browser, ask="filter", only="unscanned", order="scans")
    assert browser.state["total"] == 28
    assert not {"Table 4", "Door 7"} & set(names(browser))
    say(browser, ask="filter", only="silent")
    assert browser.state["total"] == 0, "one scan is too few to tell"
    say(browser, ask="filter", only="")
    assert (browser.state["total"], browser.state["order"]) == (30, "scans")
    say(browser, ask="filter", order="luck")
    assert "luck" in browser.errors[""]
    assert browser.state["order"] == "scans"


def test_columns_of_the_list_are_chosen(browser, shop):
    door = shop.find_qrcode("Door 1")
    shop.update_qrcode(door.id, tags=["hall"], fields={name: name.lower() for name in ("Artist", "City", "Floor")})
    assert browser.state["columns"] == ["campaign"]
    say(browser, ask="reload")
    every = ["campaign", "tags", "field:Artist", "field:City", "field:Floor"]
    assert (browser.state["all_columns"], browser.state["columns"]) == (every, every[:4])
    say(browser, ask="columns", names=["field:Floor", "tags", "field:gone"])
    assert browser.state["columns"] == ["tags", "field:Floor"]
    say(browser, ask="filter", words="Door 1")
    assert browser.state["rows"][0]["cells"] == ["hall", "floor"]
    say(browser, ask="columns", names=[])
    assert browser.state["columns"] == ["campaign"], "at least one"


def downloaded(browser, **fields):
    """The file that a browser gets."""
    sent = []
    browser.send = lambda content, buffers=(): sent.append((content["name"], buffers[0]))
    say(browser, ask="download", view="v", fields=fields)
    return sent[0] if sent else None


def test_what_is_selected_is_downloaded_for_print(browser, shop):
    ids = [code.id for code in shop.list_qrcodes()[:2]]
    say(browser, ask="select", ids=ids, is_on=True)
    name, data = downloaded(browser, kind="zip", image_format="svg", size_mm=40, names="{number} {name}", stock="")
    pictures = {one.filename: one for one in ZipFile(BytesIO(data)).infolist() if one.filename.endswith("svg")}
    assert (name, set(pictures)) == ("qr-codes.zip", {"1 Table 0.svg", "2 Door 1.svg"})
    assert b'width="40mm"' in ZipFile(BytesIO(data)).read("2 Door 1.svg")
    name, data = downloaded(browser, kind="pdf", size_mm=40)
    assert (name, b"/Count 2>>" in data) == ("qr-codes.pdf", True)
    name, data = downloaded(browser, kind="sheet", stock="L7160")
    assert (name, data[:5]) == ("labels.pdf", b"%PDF-")
    assert browser.state["said"].startswith("labels.pdf has been made.")
    before = browser.state["saved"]
    name, data = downloaded(browser, kind="page", stock="L7160")
    assert (name, data[:4]) == ("labels.svg", b"<svg")
    assert browser.state["said"].startswith("Here is the first sheet.")
    assert browser.state["saved"] == before, "the form stays open"
    assert downloaded(browser, kind="sheet", stock="L71") is None
    assert "is not a stock" in browser.errors["print.stock"]
    assert downloaded(browser, kind="zip", size_mm=1) is None
    assert "print.size_mm" in browser.errors
    assert downloaded(browser, kind="doc") is None
    assert browser.errors


def test_a_download_for_print_says_that_short_urls_lead_to_this_computer(shop):
    shop.base_url = "http://localhost:8080"
    ids = [shop.insert_qrcode(f"https://example.com/{kind}", is_dynamic=kind).id for kind in (True, False)]
    browser = PortfolioBrowser(shop, name="local")
    told = "Short URLs begin with http://localhost:8080, which leads only to this computer."
    say(browser, ask="select", ids=ids, is_on=True)
    downloaded(browser, kind="page", stock="L7160")
    assert browser.state["said"].startswith(f"Here is the first sheet. Before you print: {told} Set the address")
    downloaded(browser, kind="zip", image_format="svg")
    assert told in browser.state["said"]
    downloaded(browser, kind="xlsx")
    assert browser.state["said"] == "qr-codes.xlsx has been made.", "nothing is printed"
    say(browser, ask="select", ids=ids[:1], is_on=False)
    downloaded(browser, kind="zip", image_format="svg")
    assert told not in browser.state["said"], "a code without a short URL works everywhere"
    browser.close()


@pytest.mark.parametrize(
    ("language", "sentence"),
    [
        ("de", "Zeile 3: Website='': darf nicht leer sein."),
        ("fr", "Ligne 3\xa0: Website=''\xa0: ne doit pas être vide."),
        ("es", "Fila 3: Website='': no debe estar vacío."),
        ("nl", "Rij 3: Website='': mag niet leeg zijn."),
    ],
)
def test_issues_of_an_import_are_in_the_language_of_the_page(shop, language, sentence):
    browser = PortfolioBrowser(shop, name="import", language=language)
    table = b"QR Code Name,Website\nGate,https://example.com/gate\nBad,\nOther,www.example.com\n"
    say(browser, ask="check import", name="list.csv", url=f"data:text/csv;base64,{b64encode(table).decode()}")
    said = browser.state["file"]["issues"]
    assert sentence in said
    assert not [one for one in said if "visitors" in one]
    assert browser.state["file"]["rows"][1][1] in sentence
    browser.close()


@pytest.mark.parametrize("language", ["de", "fr", "es", "nl"])
def test_issues_of_a_list_of_links_are_in_the_language_of_the_page(shop, language):
    browser = PortfolioBrowser(shop, name="import", language=language)
    link = "Gate,https://example.com/gate,https://s.test/g,Poster,1,Numeric\n"
    rows = f"{link}Gate,https://example.com/gate,,,,\n"
    send_file(browser, f"QR Code Name,Content,Trackable URL,Template,Version,Encode Mode\n{rows}".encode())
    said = browser.state["file"]["issues"]
    send_file(browser, b"Title,Short URL,Long URL\nA,https://s.test/a,https://example.com/a\n")
    said += browser.state["file"]["issues"]
    assert len(said) >= 4
    assert not [one for one in said for word in (" the ", " with ", " and ", " now ", " already") if word in one]
    browser.close()


def test_a_spreadsheet_is_checked_before_it_is_imported(browser, shop):
    table = b"Name,Website,Hall\nGate,https://example.com/gate,3\nBad,,\n"
    say(browser, ask="check import", name="list.csv", url=f"data:text/csv;base64,{b64encode(table).decode()}")
    assert browser.state["file"]["heading"] == ["Name", "Website", "Hall"]
    say(browser, ask="check import", columns={"QR Code Name": "Name"})
    assert "must say which column is Content" in browser.errors[""]
    assert "count" not in browser.state["file"]
    say(browser, ask="check import", columns={"QR Code Name": "Name", "Content": "Website"})
    file = browser.state["file"]
    assert (file["count"], file["more"], file["shown"]) == (1, 0, ["QR Code Name", "Content", "Hall"])
    assert file["rows"][0] == ["2", "", "Gate", "https://example.com/gate", "3"]
    assert file["rows"][1][1] == file["issues"][0].removeprefix("Row 3: ").removesuffix(".")
    assert len(shop.list_qrcodes()) == 30
    say(browser, ask="import")
    assert (browser.state["total"], browser.state["file"]) == (31, None)
    assert browser.state["said"] == "list.csv: 1 created, 1 row left out, 1 column kept as fields."
    assert shop.list_qrcodes()[-1].fields == {"Hall": "3"}
    assert browser.state["undoable"]["button"] == "Undo import"
    say(browser, ask="undo")
    assert (browser.state["total"], browser.state["said"]) == (30, "1 QR Code deleted.")
    assert browser.state["undoable"]["button"] == "Undo deletion"
    say(browser, ask="check import", name="list.pptx", url="data:;base64,AAAA")
    assert browser.errors[""]
    assert browser.state["file"] is None


@pytest.mark.parametrize("write", [as_csv, as_xlsx])
def test_columns_below_a_title_are_offered_for_the_mapping(browser, shop, write):
    table = [["Posters, spring 2026"], ["Poster Nr.", "Ziel-URL", "Stadt"], ["7", "https://example.com/graz", "Graz"]]
    send_file(browser, write(table))
    file = browser.state["file"]
    assert (file["heading"], file["columns"]) == (table[1], {"Content": "Ziel-URL"}), "the only web addresses"
    assert (file["count"], file["rows"][0][:3:2]) == (1, ["3", "https://example.com/graz"])
    say(browser, ask="check import", columns={"Content": "Ziel-URL", "QR Code Name": "Poster Nr."})
    say(browser, ask="import")
    code = shop.list_qrcodes()[-1]
    assert (code.name, code.content, code.fields) == ("7", "https://example.com/graz", {"Stadt": "Graz"})


def test_no_column_is_offered_as_the_content_if_it_may_be_another(browser):
    for table in (
        b"Eine URL,Andere URL\nhttps://a.example,https://b.example\n",
        b"City,Short URL\nGraz,https://a.b/c\n",
    ):
        send_file(browser, table)
        assert browser.state["file"]["columns"] == {}
        assert browser.errors[""].startswith("the heading has no column 'Content'")
        assert browser.errors[""].endswith("choose below which column is Content")


def test_addresses_of_a_list_are_offered_as_the_content_though_one_is_misspelled(browser):
    rows = "".join(f"{n},https://example.com/{n}\n" for n in range(40))
    send_file(browser, f"Nr,Where\n{rows}40,htp:/example.com/40\n".encode())
    assert browser.state["file"]["columns"] == {"Content": "Where"}
    assert browser.state["file"]["count"] == 41


def test_codes_are_updated_by_the_short_urls_of_a_file(browser, shop):
    door = shop.find_qrcode("Door 1")
    send_file(browser, f"Short Link,Landing page\n{door.short_url},https://example.com/new\n".encode())
    file = browser.state["file"]
    assert (file["heading"], file["identifying"]) == ([], ["name", "short_url"]), "a list of links as services write it"
    send_file(browser, f"Short Link,Ziel\n{door.short_url},https://example.com/new\n".encode())
    file = browser.state["file"]
    assert file["columns"] == {"Content": "Ziel", "Trackable URL": "Short Link"}
    assert file["identifying"] == ["short_url"]
    say(browser, ask="check import", update_by="short_url")
    assert browser.state["file"]["sentence"] == "1 QR Code will be changed."
    say(browser, ask="import")
    assert shop.get_qrcode(door.id).content == "https://example.com/new"


def test_columns_that_people_choose_identify_codes(browser):
    send_file(browser, b"Standort,Landing page\nDoor 1,https://example.com/new\n")
    assert browser.state["file"]["identifying"] == []
    say(browser, ask="check import", columns={"Content": "Landing page", "QR Code Name": "Standort"})
    assert browser.state["file"]["identifying"] == ["name"]


def test_short_codes_of_an_import_follow_the_old_base_url(browser, shop):
    send_file(browser, b"Content,Trackable URL\nhttps://a.example,https://old.example.com/qr/gate\n")
    say(browser, ask="check import", old_base_url="old.example.com")
    assert browser.errors == {"import.old_base_url": "must be like https://go.example.com"}
    say(browser, ask="check import", old_base_url="https://old.example.com/qr")
    say(browser, ask="import")
    assert shop.list_qrcodes()[-1].short_code == "gate"


def test_rows_of_an_import_without_a_campaign_are_put_into_one_that_may_be_new(browser, shop):
    table = b"Content,Campaign Name\nhttps://a.example,Window\nhttps://b.example,\n"
    send_file(browser, table)
    say(browser, ask="check import", campaign=" Spring  2026 ")
    assert browser.state["file"]["count"] == 2
    say(browser, ask="import")
    window, _, spring = shop.list_campaigns()
    assert spring.name == "Spring 2026"
    assert [code.campaign_id for code in shop.list_qrcodes()[-2:]] == [window.id, spring.id]
    assert spring.name in [one["name"] for one in browser.state["campaigns"]]
    say(browser, ask="undo")
    assert len(shop.list_campaigns()) == 2, "an undo takes the campaign of the import back, too"
    send_file(browser, table)
    say(browser, ask="check import", campaign="Tables")
    say(browser, ask="import")
    assert [one.name for one in shop.list_campaigns()] == ["Window", "Tables"]


def test_a_campaign_leaves_the_columns_of_a_file_as_they_are_read(browser):
    for table, columns in (
        (b"Kind,SSID,Password\nwifi,Cafe,open sesame\n", None),
        (b"Site,Poster\nhttps://a.example,A\n", {"Content": "Site"}),
    ):
        send_file(browser, table)
        if columns:
            say(browser, ask="check import", columns=columns)
        before = browser.state["file"]
        assert before["count"] == 1
        say(browser, ask="check import", campaign="Window")
        assert browser.state["file"] == before | {"campaign": "Window"}


def test_an_import_an_undo_and_a_deletion_clear_the_selection(browser, shop):
    send_file(browser, b"Content\nhttps://a.example\n")
    say(browser, ask="select", is_on=True)
    say(browser, ask="import")
    assert (browser.state["total"], browser.state["selected"]) == (31, 0)
    say(browser, ask="select", is_on=True)
    say(browser, ask="undo")
    assert (browser.state["total"], browser.state["selected"]) == (30, 0)
    say(browser, ask="select", ids=[code.id for code in shop.list_qrcodes()[:4]], is_on=True)
    say(browser, ask="edit selection", fields={"find": "example.com", "replace": "shop.test"})
    assert browser.state["selected"] == 4, "the next edit may follow"
    say(browser, ask="undo")
    assert browser.state["selected"] == 0
    say(browser, ask="select", ids=[code.id for code in shop.list_qrcodes()[:4]], is_on=True)
    choose(browser, shop, "Door 9")
    say(browser, ask="delete")
    assert (browser.state["total"], browser.state["selected"]) == (29, 0)


def test_an_import_updates_codes_by_a_column_of_the_file(browser, shop):
    before, door = shop.list_qrcodes(), shop.find_qrcode("Door 1")
    send_file(browser, b"Name,Content,Hall\nDoor 1,https://example.com/new,3\nTill,https://example.com/till,4\n")
    assert browser.state["file"]["identifying"] == ["name"]
    assert browser.state["file"]["sentence"] == "2 QR Codes will be added."
    say(browser, ask="check import", update_by="name")
    file = browser.state["file"]
    assert file["sentence"] == "1 QR Code will be added. 1 QR Code will be changed."
    assert (file["button"], file["update_by"]) == ("Import 2 QR Codes", "name")
    say(browser, ask="import")
    assert shop.get_qrcode(door.id).content == "https://example.com/new"
    till = shop.find_qrcode("Till")
    shop.scans.insert([{"short_code": till.short_code, "time": "2026-03-31T12:30:00Z"}])
    send_file(browser, b"Content,Hall\nhttps://example.com/other,3\n")
    assert browser.state["file"]["identifying"] == ["Hall"]
    say(browser, ask="check import", update_by="Hall")
    assert browser.state["file"]["sentence"] == "1 QR Code will be changed."
    say(browser, ask="close import")
    say(browser, ask="undo")
    assert browser.state["said"] == "1 QR Code deleted. 1 scan was counted until then. 1 QR Code changed back."
    assert shop.list_qrcodes() == before


def test_a_note_on_the_whole_file_names_no_row(browser):
    send_file(browser, "posters in May\nshort_code,time,city\ncode1,2026-03-30,Köln\n".encode("cp1252"))
    first, second = browser.state["file"]["issues"]
    assert "cp1252" in first + second
    assert all(note[0].isupper() and not note.startswith("Row") for note in (first, second))


def test_visits_of_a_file_are_checked_and_imported(browser, shop):
    table = b"short_code,time\ncode1,2026-03-30T10:00:00Z\ncode1,2026-03-31T10:00:00Z\nnobody,2026-03-31\n"
    send_file(browser, table)
    file = browser.state["file"]
    assert (file["has_scans"], file["sentence"], file["button"]) == (True, "2 visits will be added.", "Import 2 visits")
    assert file["rows"][0] == ["2", "", "code1", "2026-03-30T10:00:00Z"]
    assert file["issues"] == ["Row 4: 'nobody' is not a short code or short URL of this portfolio."]
    assert shop.scans.count() == 0
    say(browser, ask="import")
    assert browser.state["said"] == "list.csv: 2 visits added, 0 known before, 1 row with issues."
    assert shop.scan_imports()["source"].tolist() == ["list.csv"]
    send_file(browser, table)
    file = browser.state["file"]
    assert (file["count"], file["sentence"]) == (0, "2 visits are already in the portfolio.")
    send_file(browser, b"Date,Visits\n2026-03-28,3\n")
    assert "short code or short URL" in browser.errors[""]
    say(browser, ask="check import", code="code3")
    assert browser.state["file"]["sentence"] == "3 visits will be added."


def test_an_import_that_kept_short_codes_offers_no_undo(browser):
    table = b"Content,Trackable URL\nhttps://a.example,https://b.example/printed\n"
    url = f"data:text/csv;base64,{b64encode(table).decode()}"
    say(browser, ask="check import", name="list.csv", url=url)
    say(browser, ask="import")
    assert (browser.state["total"], browser.state["undoable"]) == (31, None)


@pytest.mark.parametrize("asked", [
    {"ask": "download", "view": "v", "fields": {"kind": "xlsx"}},
    {"ask": "check import", "name": "list.csv", "url": "data:text/csv;base64,Q29udGVudAphCg=="},
])  # fmt: skip
def test_a_plan_without_import_and_export_has_them_in_no_browser_either(shop, asked):
    browser = PortfolioBrowser(Portfolio(shop.store, create_account(shop.store, "Ana")), name="of Ana")
    say(browser, **asked)
    assert browser.errors[""] == "the plan free does not include import and export; pro and premium do"
    browser.close()
