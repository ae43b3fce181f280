"""Lists, statistics, export and import over HTTP (endpoints 11 and 12, ruling T12)."""

import csv
import io
import json
import re
from datetime import timedelta
from urllib.parse import urlsplit
from wsgiref.validate import validator
from xml.etree import ElementTree

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qrkit import Portfolio, open_portfolio
from qrkit.exchange.columns import NAMES
from qrkit.portfolio.access import create_account, create_key
from qrkit.server import Client, make_app
from qrkit.tracking.records import Place
from qrkit.tracking.short_urls import new_id
from tests.server.test_track import BASE_URL, NOON, QUIET, TARGET, Api, nulls

IPHONE = (
    "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) "
    "Version/17.5 Mobile/15E148 Safari/604.1"
)
LINUX = "Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0"
FIELDS = (
    "campaign", "systemName", "systemVersion", "browserName", "browserVersion", "manufacturer", "deviceModel",
    "isMobileDevice", "isTablet", "countryCode", "region", "city", "latitude", "longitude", "created",
)  # fmt: skip
MEDIA_TYPES = {
    "json": "application/json; charset=utf-8",
    "csv": "text/csv; charset=utf-8",
    "xls": "application/vnd.ms-excel",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "xml": "application/xml; charset=utf-8",
}
MEBIBYTE = 2**20


@pytest.fixture(scope="module")
def client(shop):
    return Client(validator(make_app(shop.store, QUIET, clock=lambda: NOON)))


class Owner(Api):
    """One with a key, and the portfolio behind it."""

    @classmethod
    def of(cls, shop, client, plan="premium"):
        account = create_account(shop.store, new_id(), plan=plan)
        owner = cls(client, create_key(shop.store, account))
        owner.portfolio = Portfolio(shop.store, account, base_url=BASE_URL, clock=lambda: NOON)
        return owner


@pytest.fixture
def api(shop, client):
    """An account that is empty."""
    return Owner.of(shop, client)


# List -----------------------------------------------------------------------------------------------------------------


@pytest.mark.rule("T12")
def test_the_list_of_an_empty_portfolio_has_two_empty_lists(api):
    """A fact: what a list holds. Campaigns and qrcodes, always both."""
    assert api.all() == {"campaigns": [], "qrcodes": []}


@pytest.mark.rule("T12", "T3")
def test_the_list_has_all_records_without_properties_location_and_schedule(api):
    """A fact: records of a list are those of the interface, without their parts."""
    campaigns = [api.add_campaign(name, description=name * 2) for name in ("Spring", "Summer")]
    event = {"content": TARGET, "date": "2026-06-01T00:00:00Z"}
    ids = [
        api.add(f"{TARGET}/{number}", campaignId=campaign, comment="ž", schedule=[event], location={"address": "Koper"})
        for number, campaign in enumerate([*campaigns, None])
    ]
    reply = api.ask("GET", "list")
    assert reply.headers["content-type"] == MEDIA_TYPES["json"]
    found = reply.json()
    assert found.keys() == {"campaigns", "qrcodes"}
    assert found["campaigns"] == [api.campaign(id) for id in campaigns]
    parts = ("properties", "location", "schedule")
    assert found["qrcodes"] == [{name: api.code(id)[name] for name in api.code(id) if name not in parts} for id in ids]
    assert [one.get("campaignId") for one in found["qrcodes"]] == [*campaigns, None]
    assert nulls(found) == []


@pytest.mark.rule("T12")
@pytest.mark.parametrize("limit", [1, 2, 3, 5, 6, 1_000])
def test_pages_together_are_the_list(api, limit):
    """Open: a list of many. Pages on request, in the order of the list; without a request, the list is whole."""
    for number in range(5):
        api.add(f"{TARGET}/{number}", campaignId=api.add_campaign(f"Spring {number}"))
    pages, asked = [], {"limit": limit}
    while asked:
        pages.append(api.ask("GET", "list", **asked).json())
        asked = {"limit": limit, "after": pages[-1]["next"]} if "next" in pages[-1] else None
    assert len(pages) == -(-5 // limit)
    assert all(len(page["qrcodes"]) == limit for page in pages[:-1])
    together = {name: [one for page in pages for one in page[name]] for name in ("campaigns", "qrcodes")}
    assert together == api.all()


def test_a_page_begins_after_a_code_whatever_is_added_or_deleted_meanwhile(api):
    ids = [api.add(f"{TARGET}/{number}") for number in range(4)]
    page = api.ask("GET", "list", limit=2).json()
    assert page["next"] == ids[1]
    api.ask("DELETE", f"qrcode/{ids[0]}")
    api.ask("DELETE", f"qrcode/{ids[2]}")
    ids.append(api.add(f"{TARGET}/4"))
    following = api.ask("GET", "list", after=page["next"]).json()
    assert [one["id"] for one in following["qrcodes"]] == ids[3:]
    assert following.keys() == {"campaigns", "qrcodes"}
    assert api.ask("GET", "list", after=ids[-1].upper()).json() == {"campaigns": [], "qrcodes": []}


def test_a_page_shows_of_hidden_codes_what_the_list_shows(shop, client):
    api = Owner.of(shop, client, plan="free")
    for number in range(51):
        api.portfolio.insert_qrcode(f"{TARGET}/{number}")
    last = api.ask("GET", "list", after=api.all()["qrcodes"][-2]["id"]).json()["qrcodes"]
    assert last == api.all()["qrcodes"][-1:]
    assert last[0].keys() == {"id", "name", "created", "isAvailable"}


@pytest.mark.parametrize(
    ("asked", "code"),
    [
        ({"limit": 0}, "out-of-range"),
        ({"limit": 1_001}, "out-of-range"),
        ({"limit": "some"}, "wrong-type"),
        ({"after": "0" * 32}, "bad-value"),
        ({"after": "ž"}, "bad-value"),
    ],
)
def test_a_page_that_there_cannot_be_is_refused(api, asked, code):
    reply = api.send("GET", "list", **asked)
    assert reply.status == 400
    (error,) = reply.json()["errors"]
    assert (error["pointer"], error["code"]) == (f"/{next(iter(asked))}", code)


def test_a_page_does_not_begin_after_the_code_of_another_account(shop, client, api):
    other = Owner.of(shop, client)
    assert api.send("GET", "list", after=other.add()).status == 400


# Statistics -----------------------------------------------------------------------------------------------------------


class Street:
    """Codes of a campaign, and who passed: persons of two places, bots, and one whose city is a formula."""

    def __init__(self, shop):
        self.moment = NOON
        places = {
            "203.0.113.7": Place("SI", "Koper", "Koper", 45.5469, 13.7294),
            "203.0.113.8": Place("US", "=1+1", '@SUM(A1), "x"\n<b>&\'', -1.5, 0.0),
            "203.0.113.9": Place(),
        }
        app = make_app(shop.store, QUIET, clock=lambda: self.moment, locate=places.__getitem__)
        self.api = Owner.of(shop, Client(validator(app)))
        self.campaign = self.api.add_campaign("=Spring")
        self.door = self.api.add("https://example.com/door", campaignId=self.campaign)
        self.gate = self.api.add("https://example.com/gate", campaignId=self.campaign)
        self.lone = self.api.add("https://example.com/lone")
        passing = [
            (self.door, IPHONE, "203.0.113.7", {"Referer": "https://news.example/secret"}),
            (self.gate, LINUX, "203.0.113.8", {}),
            (self.lone, LINUX, "203.0.113.9", {}),
            (self.door, "Googlebot/2.1 (+http://www.google.com/bot.html)", "203.0.113.7", {}),
            (self.door, IPHONE, "203.0.113.7", {"Sec-Purpose": "prefetch"}),
        ]
        for id, agent, address, headers in passing:
            path = urlsplit(self.api.code(id)["shortUrl"]).path
            self.api.client.request("GET", path, headers={"User-Agent": agent, **headers}, address=address)
            self.moment += timedelta(seconds=10)

    def records(self, id):
        return self.api.ask("GET", f"statistics/{id}.json").json()


@pytest.fixture(scope="module")
def street():
    with open_portfolio(":memory:", base_url=BASE_URL) as shop:
        yield Street(shop)


@pytest.mark.rule("T12")
def test_statistics_have_one_record_a_scan_with_the_fields_of_the_ruling(street):
    """A fact: their fields. What is not known is left out; bots and requests ahead of a person are no scans."""
    assert street.records(street.door) == [
        {
            "campaign": "=Spring",
            "systemName": "iOS",
            "systemVersion": "17.5",
            "browserName": "Mobile Safari",
            "browserVersion": "17.5",
            "manufacturer": "Apple",
            "deviceModel": "iPhone",
            "isMobileDevice": True,
            "isTablet": False,
            "countryCode": "SI",
            "region": "Koper",
            "city": "Koper",
            "latitude": 45.5469,
            "longitude": 13.7294,
            "created": "2026-03-14T12:00:00Z",
        }
    ]
    (lone,) = street.records(street.lone)
    assert lone.keys() <= {*FIELDS} - {"campaign", "countryCode", "region", "city", "latitude", "longitude"}
    assert (lone["isMobileDevice"], lone["isTablet"], lone["created"]) == (False, False, "2026-03-14T12:00:20Z")


@pytest.mark.rule("T12")
def test_statistics_of_a_campaign_are_those_of_its_codes(street):
    """A fact: the id may be that of a campaign. Its codes' scans, oldest first."""
    assert street.records(street.campaign) == street.records(street.door) + street.records(street.gate)
    assert len(street.records(street.campaign)) == 2
    assert [street.api.code(id)["scans"] for id in (street.door, street.gate, street.lone)] == [1, 1, 1]


@pytest.mark.rule("T12")
@pytest.mark.parametrize("ext", ["json", "csv", "xls", "xml"])
def test_statistics_tell_neither_address_nor_referrer_nor_key(street, ext):
    """A fact: what is not in them. Nothing by which a visitor could be found."""
    for id in (street.door, street.campaign):
        body = street.api.ask("GET", f"statistics/{id}.{ext}").body
        for secret in ("203.0.113", "news.example", "secret", "visitor", "Mozilla/5.0", street.api.key):
            assert secret.encode() not in body
            assert secret.encode("utf-16-le") not in body


@pytest.mark.rule("T12", "X7")
def test_statistics_as_csv_have_a_heading_and_run_nothing(street):
    """Open: texts that strangers send. A spreadsheet shows them, and runs none as a formula."""
    text = street.api.ask("GET", f"statistics/{street.campaign}.csv").body.decode()
    assert text.splitlines(keepends=True)[0] == ",".join(FIELDS) + "\r\n"
    rows = list(csv.DictReader(io.StringIO(text, newline="")))
    assert [row["created"] for row in rows] == ["2026-03-14 12:00:00", "2026-03-14 12:00:10"]
    assert [row["campaign"] for row in rows] == ["'=Spring"] * 2
    assert (rows[1]["region"], rows[1]["city"]) == ("'=1+1", "'@SUM(A1), \"x\"\n<b>&'")
    assert (rows[1]["latitude"], rows[1]["isMobileDevice"], rows[1]["deviceModel"]) == ("-1.5", "false", "")


@pytest.mark.rule("T12")
def test_statistics_as_xml_and_xls_say_the_same_as_json(street):
    """A fact: four formats. The same records in each."""
    records = street.records(street.campaign)
    root = ElementTree.fromstring(street.api.ask("GET", f"statistics/{street.campaign}.xml").body)
    texts = [{**one, "created": one["created"].replace("T", " ").removesuffix("Z")} for one in records]
    written = [
        {name: str(value).lower() if isinstance(value, bool) else str(value) for name, value in one.items()}
        for one in texts
    ]
    assert [{element.tag: element.text for element in scan} for scan in root] == written
    file = street.api.ask("GET", f"statistics/{street.campaign}.xls").body
    assert file.startswith(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1")  # a workbook of Excel 97
    assert '@SUM(A1), "x"\n<b>&\''.encode("utf-16-le") in file or b'@SUM(A1), "x"\n<b>&\'' in file


@pytest.mark.rule("T12")
@pytest.mark.parametrize("ext", ["json", "csv", "xls", "xml", "CSV"])
def test_statistics_have_the_media_type_of_their_format_and_files_a_name(street, api, ext):
    """Open: how they are served. As what they are; what a program opens is saved as a file."""
    small = ext.lower()
    for asked, id in ((street.api, street.door), (api, api.add())):
        reply = asked.ask("GET", f"statistics/{id}.{ext}")
        assert reply.headers["content-type"] == MEDIA_TYPES[small]
        name = None if small == "json" else f'attachment; filename="statistics.{small}"'
        assert reply.headers.get("content-disposition") == name
        assert reply.headers["cache-control"] == "no-store"


@pytest.mark.rule("T12")
def test_statistics_without_scans_are_empty(api):
    """Open: a code that nobody scanned. An empty list, a file with its heading alone."""
    for id in (api.add(), api.add_campaign()):
        assert api.ask("GET", f"statistics/{id}.json").json() == []
        assert api.ask("GET", f"statistics/{id}.csv").text == ",".join(FIELDS) + "\r\n"
        assert len(ElementTree.fromstring(api.ask("GET", f"statistics/{id}.xml").body)) == 0


# Export ---------------------------------------------------------------------------------------------------------------


def test_export_is_the_file_that_the_portfolio_writes(api):
    campaign = api.add_campaign('Spring, "für uns"')
    api.add("=1+1", name="+formula", campaignId=campaign, comment="a\r\nb", location={"latitude": 1.5})
    api.add("0012", isDynamic=False, properties={"em": "numeric", "version": 5})
    for ext in ("csv", "CSV"):
        reply = api.ask("GET", f"export.{ext}")
        assert reply.body == api.portfolio.export_bytes("csv")
        assert reply.headers["content-type"] == MEDIA_TYPES["csv"]
        assert reply.headers["content-disposition"] == 'attachment; filename="portfolio.csv"'
        assert reply.headers["content-length"] == str(len(reply.body))
    rows = list(csv.reader(io.StringIO(reply.text, newline="")))
    assert tuple(rows[0]) == NAMES
    assert [row[2] for row in rows[1:]] == ["'=1+1", "0012"]
    assert [row[10:] for row in rows[1:]] == [
        ["true", "8", "4", "-1", "Byte", "M"],
        ["false", "8", "4", "5", "Numeric", "M"],
    ]


def test_export_of_an_empty_portfolio_is_a_heading(api):
    assert api.ask("GET", "export.csv").text == ",".join(NAMES) + "\r\n"


# Import ---------------------------------------------------------------------------------------------------------------


def brought(api, file, **query):
    """Import a file; gives the issues."""
    reply = api.ask("POST", "import", file if isinstance(file, bytes) else file.encode(), **({"format": "csv"} | query))
    assert reply.headers["content-type"] == MEDIA_TYPES["json"]
    issues = reply.json()
    for one in issues:
        assert one.keys() == {"campaign", "name", "content", "error"}
        assert {type(value) for value in one.values()} == {str}
    return issues


def contents(api):
    return {one["name"]: one["content"] for one in api.all()["qrcodes"]}


def test_a_file_without_a_flaw_gives_an_empty_list_and_its_codes(api):
    rows = [
        "Campaign Name,QR Code Name,Content,Comment,Latitude,Size,Version,Scans,Created (UTC)",
        "Spring,Door,https://example.com/door,by hand,45.5,5,9,12,2020-01-02 03:04:05",
        'Spring,"Gate, 2",https://example.com/gate,,,,,,',
        ",,alone,,,,,,",
    ]
    assert brought(api, "\r\n".join(rows)) == []
    found = {one["name"]: api.code(one["id"]) for one in api.all()["qrcodes"]}
    assert found.keys() == {"Door", "Gate, 2", "alone"}
    (campaign,) = api.all()["campaigns"]
    assert campaign["name"] == "Spring"
    assert [one.get("campaignId") for one in found.values()] == [campaign["id"], campaign["id"], None]
    door = found["Door"]
    assert (door["comment"], door["scans"], door["created"]) == ("by hand", 12, "2020-01-02T03:04:05Z")
    assert (door["location"]["latitude"], door["properties"]["size"], door["properties"]["version"]) == (45.5, 5, 9)
    assert api.client.get(urlsplit(door["shortUrl"]).path).headers["location"] == "https://example.com/door"


@pytest.mark.rule("X2", "X3", "X4")
def test_each_row_that_was_skipped_or_changed_is_told_with_a_stable_word(api):
    """A fact: campaign, name, content, error. Open: how a program tells the errors apart. By their first word."""
    taken = api.code(api.add("https://example.com/there", name="There"))["shortUrl"]
    rows = [
        "Campaign Name,QR Code Name,Content,Trackable URL,Size",
        "A,There,https://example.com/there,,",
        "B,There,https://example.com/other,,",
        "C,Wrong,https://example.com/wrong,,99",
        "D,,,,",
        f"E,Taken,https://example.com/taken,{taken},",
        "F,Good,https://example.com/good,,",
    ]
    issues = brought(api, "\n".join(rows))
    assert [(one["campaign"], one["name"], one["error"].partition(":")[0]) for one in issues] == [
        ("A", "There", "duplicate"),
        ("B", "There", "renamed"),
        ("C", "Wrong", "invalid"),
        ("D", "", "invalid"),
        ("E", "Taken", "code-taken"),
    ]
    assert [one["content"] for one in issues[:3]] == [
        f"https://example.com/{name}" for name in ("there", "other", "wrong")
    ]
    assert "Size=99" in issues[2]["error"]
    assert taken in issues[4]["error"]
    assert contents(api) == {
        "There": "https://example.com/there",
        "There (2)": "https://example.com/other",
        "Taken": "https://example.com/taken",
        "Good": "https://example.com/good",
    }


@pytest.mark.rule("X2")
def test_a_file_that_cannot_be_read_changes_nothing(api):
    """Open: a file that is none. 400, and not a row of it was brought."""
    for file in (b"Name,Text\na,b\n", b"\x00\x01"):
        reply = api.send("POST", "import", file, format="csv")
        assert (reply.status, reply.headers["x-api-error-code"]) == (400, "bad-file")
    assert api.all() == {"campaigns": [], "qrcodes": []}


@pytest.mark.rule("X3")
@pytest.mark.rule("X2")
def test_the_headers_of_an_import_count_what_happened(api):
    """Open: how many rows an import added. Headers beside the list, which old clients read as before."""
    api.add(TARGET, name="Door")
    rows = [f"Door,{TARGET}", f"Door,{TARGET}/new", f"Gate,{TARGET}", "Empty,", f"Wall,{TARGET}/wall"]
    reply = api.ask("POST", "import", "\r\n".join(["QR Code Name,Content", *rows]).encode(), format="csv")
    counts = {name: reply.headers[name] for name in ("x-created", "x-skipped", "x-warnings")}
    assert counts == {"x-created": "3", "x-skipped": "2", "x-warnings": str(len(reply.json()))}
    assert [one["error"].partition(":")[0] for one in reply.json()] == ["duplicate", "renamed", "invalid"]
    exposed = reply.headers["access-control-expose-headers"].lower().split(", ")
    assert {*counts} <= {*exposed}


def test_importing_a_file_twice_changes_nothing_the_second_time(api):
    """Open: the same file again. Every row of it is there already."""
    file = "QR Code Name,Content\na,1\na,2\nb,1\n"
    assert [one["error"].partition(":")[0] for one in brought(api, file)] == ["renamed"]
    before = api.all()
    assert [one["error"].partition(":")[0] for one in brought(api, file)] == ["duplicate"] * 3
    assert api.all() == before


def test_the_format_is_read_in_any_case_and_the_body_whatever_it_is_called(api):
    reply = api.send(
        "POST", "import", b"Content\nx", {"Content-Type": "application/x-www-form-urlencoded"}, format="CSV"
    )
    assert (reply.status, reply.json()) == (200, [])
    assert contents(api) == {"x": "x"}


@pytest.mark.slow
@pytest.mark.rule("H4")
def test_a_file_of_more_than_16_mb_is_413_and_one_of_16_mb_is_read(api):
    """Open: how large a file may be. 16 MiB; a longer one is refused before it is read."""
    row = b"hello," + b"x" * (MEBIBYTE // 16 - 7) + b"\n"
    file = b"Content,Note\n" + row * 255
    file += b"hello," + b"x" * (16 * MEBIBYTE - len(file) - 6)
    assert len(file) == 16 * MEBIBYTE
    reply = api.send("POST", "import", file + b"x", format="csv")
    assert (reply.status, reply.headers["x-api-error-code"]) == (413, "body-too-large")
    assert contents(api) == {}
    reasons = [one["error"].partition(":")[0] for one in brought(api, file)]
    assert (set(reasons), contents(api)) == ({"field-left-out", "duplicate"}, {"hello": "hello"})


TEXTS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=20)
CODES = st.fixed_dictionaries(
    {"content": TEXTS},
    optional={
        "name": TEXTS,
        "comment": TEXTS,
        "campaign": st.sampled_from(["Spring", "=Summer", "NA", "007"]),
        "isDynamic": st.booleans(),
        "properties": st.fixed_dictionaries({"size": st.integers(1, 20), "ec": st.sampled_from("LMQH")}),
        "location": st.fixed_dictionaries({"address": TEXTS, "latitude": st.floats(-90, 90).map(abs)}),
    },
)


@pytest.mark.slow
@pytest.mark.rule("X4", "X6")
@settings(max_examples=12)
@given(codes=st.lists(CODES, min_size=1, max_size=5))
def test_an_export_is_imported_into_another_store_and_exported_the_same(codes):
    """Open: whether a file loses anything. Not a character: another service takes it over, printed codes and all."""
    files = []
    with open_portfolio(":memory:", base_url=BASE_URL) as one, open_portfolio(":memory:", base_url=BASE_URL) as other:
        before, after = (Api.of_somebody(shop, Client(make_app(shop.store, QUIET))) for shop in (one, other))
        campaigns = {}
        for fields in codes:
            name = fields.pop("campaign", None)
            if name:
                campaigns[name] = campaigns.get(name) or before.add_campaign(name)
            before.add(fields.pop("content"), **fields, campaignId=campaigns.get(name))
        files.append(before.ask("GET", "export.csv").body)
        assert brought(after, files[0]) == []
        files.append(after.ask("GET", "export.csv").body)
        kept = ("shortUrl", "content", "name", "created", "comment", "isDynamic")
        assert [[row.get(name) for name in kept] for row in after.all()["qrcodes"]] == [
            [row.get(name) for name in kept] for row in before.all()["qrcodes"]
        ]
    assert files[0] == files[1]


@pytest.mark.rule("X4")
def test_an_export_goes_into_another_account_of_the_same_store_with_new_short_codes(shop, client, api):
    """Open: short codes that are in use. The printed one stays where it is; the new record has one of its own."""
    id = api.add(TARGET, name="Door", campaignId=api.add_campaign("Spring"), comment="c")
    code = api.code(id)["shortCode"]
    other = Owner.of(shop, client)
    (issue,) = brought(other, api.ask("GET", "export.csv").body)
    assert (issue["campaign"], issue["name"], issue["content"]) == ("Spring", "Door", TARGET)
    assert issue["error"].startswith("code-taken: ")
    (made,) = other.all()["qrcodes"]
    assert made["shortCode"] != code
    assert (made["name"], made["comment"], made["created"]) == ("Door", "c", "2026-03-14T12:00:00Z")
    assert [one["name"] for one in other.all()["campaigns"]] == ["Spring"]
    assert client.get(f"/{code}").headers["location"] == TARGET


def test_issues_are_json_of_any_text(api):
    odd = "ž\u2028🌷\"\\'<b>\x7f"
    buffer = io.StringIO(newline="")
    csv.writer(buffer).writerows([["QR Code Name", "Content", "Size"], [odd, odd, "x"]])
    (issue,) = brought(api, buffer.getvalue())
    assert (issue["name"], issue["content"]) == (odd, odd)
    assert json.loads(json.dumps(issue)) == issue
    assert re.match("invalid: Size='x'", issue["error"])


def test_the_table_of_a_notebook_says_what_the_list_says(api):
    api.add(TARGET, name="Door", campaignId=api.add_campaign("Spring"))
    frame = api.portfolio.qrcodes()
    (listed,) = api.all()["qrcodes"]
    assert list(frame.index) == [listed["id"]]
    row = frame.iloc[0]
    assert (row["name"], row["content"], row["short_url"]) == ("Door", TARGET, listed["shortUrl"])
    assert row["created"] == pd.Timestamp("2026-03-14 12:00:00+0000")
