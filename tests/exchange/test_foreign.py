"""Lists of links of other tools: what of them is kept, and that no file of ours is taken for one."""

import json
from datetime import UTC, datetime
from pathlib import Path

import pandas as pd
import pytest
import xlwt

from qrkit import open_portfolio
from qrkit.errors import UnreadableFile
from qrkit.exchange import EXCHANGE_FORMATS, foreign
from qrkit.exchange.columns import ALL_NAMES, ELEMENTS
from qrkit.portfolio.opening import portfolio_in

GO = "https://go.example.com"
NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
MAY = datetime(2024, 5, 1, 8, 30, tzinfo=UTC)
DOOR, MENU = "https://example.com/door?a=1,2", "https://example.com/menu"

BITLY_CSV = f"""\
Link,Custom Link,Date created,Title,Destination URL,Engagements,Status
https://bit.ly/3xYzAbC,https://go.example.com/door,2024-05-01T08:30:00Z,"Door, north","{DOOR}",12,Active
https://bit.ly/4menu00,,2024-05-01T10:30:00+02:00,,{MENU},0,Active
"""
BITLY_JSON = {
    "links": [
        {
            "created_at": "2024-05-01T08:30:00+0000",
            "id": "bit.ly/3xYzAbC",
            "link": "https://bit.ly/3xYzAbC",
            "custom_bitlinks": ["https://go.example.com/door"],
            "long_url": DOOR,
            "title": "Door, north",
            "archived": False,
            "tags": ["Spring"],
            "deeplinks": [],
            "references": {"group": "https://api-ssl.bitly.com/v4/groups/Bxyz"},
        },
        {
            "created_at": "2024-05-01T10:30:00+0200",
            "id": "bit.ly/4menu00",
            "link": "https://bit.ly/4menu00",
            "custom_bitlinks": [],
            "long_url": MENU,
            "tags": [],
        },
    ],
    "pagination": {"next": "", "size": 50},
}
SHLINK_CSV = f"""\
createdAt,domain,shortCode,shortUrl,longUrl,title,tags,visits
2024-05-01T08:30:00+00:00,s.test,door,https://s.test/door,"{DOOR}","Door, north",Spring,12
2024-05-01T10:30:00+02:00,s.test,4menu00,https://s.test/4menu00,{MENU},,a|b,0
"""
SHLINK_OLD_CSV = f"""\
createdAt,shortUrl,longUrl,title,tags,visits
2024-05-01T08:30:00+00:00,https://s.test/door,"{DOOR}","Door, north",Spring,12
2024-05-01T10:30:00+02:00,https://s.test/4menu00,{MENU},,,0
"""
SHLINK_LINKS = [
    {
        "shortCode": "door",
        "shortUrl": "https://s.test/door",
        "longUrl": DOOR,
        "dateCreated": "2024-05-01T08:30:00+00:00",
        "tags": ["Spring"],
        "meta": {"validSince": None, "validUntil": None, "maxVisits": None},
        "domain": None,
        "title": "Door, north",
        "crawlable": False,
        "forwardQuery": True,
        "visitsSummary": {"total": 12, "nonBots": 10, "bots": 2},
    },
    {
        "shortCode": "4menu00",
        "shortUrl": "https://s.test/links/4menu00",
        "longUrl": MENU,
        "dateCreated": "2024-05-01T10:30:00+02:00",
        "tags": ["a", "b"],
        "title": None,
        "visitsCount": 0,
    },
]
SHLINK_JSON = {"shortUrls": {"data": SHLINK_LINKS, "pagination": {"currentPage": 1, "pagesCount": 1}}}
YOURLS_LINKS = {
    "link_1": {
        "shorturl": "https://sho.rt/door",
        "url": DOOR,
        "title": "Door, north",
        "timestamp": "2024-05-01 08:30:00",
        "ip": "192.0.2.1",
        "clicks": "12",
    },
    "link_2": {
        "shorturl": "https://example.org/yourls/4menu00",
        "url": MENU,
        "timestamp": "2024-05-01 08:30:00",
        "ip": "192.0.2.1",
        "clicks": 0,
    },
}
YOURLS_JSON = {"links": YOURLS_LINKS, "stats": {"total_links": "2", "total_clicks": "12"}, "statusCode": "200"}
YOURLS_TABLE_CSV = f"""\
"keyword","url","title","timestamp","ip","clicks"
"door","{DOOR}","Door, north","2024-05-01 08:30:00","192.0.2.1","12"
"4menu00","{MENU}","","2024-05-01 08:30:00","192.0.2.1","0"
"""
YOURLS_PLUGIN_CSV = f"""\
source,target,hits\r
/door/,"{DOOR}",12\r
/4menu00/,{MENU},0\r
"""
KUTT_LINKS = [
    {
        "id": "0d6f",
        "address": "door",
        "banned": False,
        "created_at": "2024-05-01T08:30:00.000Z",
        "updated_at": "2025-05-01T08:30:00.000Z",
        "password": False,
        "description": "Door, north",
        "expire_in": None,
        "target": DOOR,
        "visit_count": 12,
        "domain": None,
        "link": {"link": "kutt.test/door", "url": "https://kutt.test/door"},
    },
    {
        "id": "0d70",
        "address": "4menu00",
        "created_at": "2024-05-01T08:30:00.000Z",
        "description": None,
        "target": MENU,
        "visit_count": 0,
        "domain": "links.test",
        "link": "https://links.test/4menu00",
    },
]
KUTT_JSON = {"total": 2, "limit": 10, "skip": 0, "data": KUTT_LINKS}
DUB_CSV = f"""\
Short link,Destination URL,Clicks,Created at,Link ID,Updated at,Tags,Archived
https://d.test/door,"{DOOR}",12,2024-05-01T08:30:00.000Z,link_1,2025-05-01T08:30:00.000Z,Spring,false
https://d.test/4menu00,{MENU},0,2024-05-01T08:30:00.000Z,link_2,2025-05-01T08:30:00.000Z,"a, b",false
"""
DUB_OLD_CSV = f"""\
link,url,clicks,createdAt
https://d.test/door,"{DOOR}",12,2024-05-01T08:30:00.000Z
https://d.test/4menu00,{MENU},0,2024-05-01T08:30:00.000Z
"""
DUB_JSON = [
    {
        "id": "link_1",
        "domain": "d.test",
        "key": "door",
        "url": DOOR,
        "shortLink": "https://d.test/door",
        "title": "Door, north",
        "comments": "by the stairs",
        "tags": [{"id": "tag_1", "name": "Spring", "color": "red"}],
        "clicks": 12,
        "createdAt": "2024-05-01T08:30:00.000Z",
        "qrCode": "https://api.dub.co/qr?url=https://d.test/door",
    },
    {
        "id": "link_2",
        "domain": "d.test",
        "key": "4menu00",
        "url": MENU,
        "shortLink": "https://d.test/4menu00",
        "title": None,
        "comments": None,
        "tags": [{"name": "a"}, {"name": "b"}],
        "clicks": 0,
        "createdAt": "2024-05-01T08:30:00.000Z",
    },
]
SHORT_IO_LINKS = [
    {
        "path": "door", "originalURL": DOOR, "shortURL": "http://s.test/door", "secureShortURL": "https://s.test/door",
        "title": "Door, north", "tags": ["Spring"], "createdAt": "2024-05-01T08:30:00.000Z", "archived": False,
    },
    {
        "path": "4menu00", "originalURL": MENU, "secureShortURL": "https://s.test/4menu00", "title": None,
        "tags": ["a", "b"], "createdAt": "2024-05-01T08:30:00.000Z", "archived": False,
    },
]  # fmt: skip
REBRANDLY_JSON = [
    {
        "id": "ff", "title": "Door, north", "slashtag": "door", "destination": DOOR, "shortUrl": "s.test/door",
        "domain": {"id": "8f", "fullName": "s.test"}, "createdAt": "2024-05-01T08:30:00.000Z", "clicks": 12,
        "tags": [{"name": "Spring"}], "favourite": False,
    },
    {
        "id": "fe", "slashtag": "4menu00", "destination": MENU, "domain": {"fullName": "s.test"}, "clicks": 0,
        "createdAt": "2024-05-01T08:30:00.000Z", "tags": [{"name": "a"}, {"name": "b"}],
    },
]  # fmt: skip
LINKLY_LINKS = [
    {
        "id": 1, "name": "Door, north", "url": DOOR, "full_url": "https://s.test/door", "domain": "s.test",
        "slug": "/door", "clicks_total": 15, "human_clicks_total": 12, "inserted_at": "2024-05-01T08:30:00",
        "rules": [],
    },
    {
        "id": 2, "name": None, "url": MENU, "full_url": "https://s.test/4menu00", "domain": "s.test", "enabled": True,
        "slug": "/4menu00", "clicks_total": 0, "inserted_at": "2024-05-01T08:30:00", "expiry_datetime": None,
    },
]  # fmt: skip
GOOGL_JSON = {
    "kind": "urlshortener#urlHistory",
    "items": [
        {"kind": "urlshortener#url", "id": "http://goo.gl/door", "longUrl": DOOR, "status": "OK",
         "created": "2024-05-01T08:30:00.000+00:00"},
        {"kind": "urlshortener#url", "id": "http://goo.gl/4menu00", "longUrl": MENU, "status": "OK",
         "created": "2024-05-01T08:30:00.000+00:00"},
    ],
}  # fmt: skip
SHLINK_TABLE_CSV = f"""\
id,original_url,short_code,date_created,max_visits,valid_until,title,forward_query
1,"{DOOR}",door,2024-05-01 08:30:00,,,"Door, north",1
2,{MENU},4menu00,2024-05-01 08:30:00,,,,0
"""
FILES = {
    "goo.gl": (foreign.TOOLS["goo-gl"], GOOGL_JSON),
    "shlink-table-csv": (foreign.TOOLS["shlink-table"], SHLINK_TABLE_CSV),
    "short-io-json": (foreign.TOOLS["short-io"], {"count": 2, "links": SHORT_IO_LINKS, "nextPageToken": None}),
    "linkly-json": (foreign.TOOLS["linkly"], {"links": LINKLY_LINKS, "page_number": 1}),
    "rebrandly-json": (foreign.TOOLS["rebrandly"], REBRANDLY_JSON),
    "bitly-csv": (foreign.TOOLS["bitly-csv"], BITLY_CSV),
    "bitly-json": (foreign.TOOLS["bitly-json"], BITLY_JSON),
    "shlink-csv": (foreign.TOOLS["shlink-csv"], SHLINK_CSV),
    "shlink-old-csv": (foreign.TOOLS["shlink-csv"], SHLINK_OLD_CSV),
    "shlink-json": (foreign.TOOLS["shlink-json"], SHLINK_JSON),
    "yourls-json": (foreign.TOOLS["yourls-json"], YOURLS_JSON),
    "yourls-table-csv": (foreign.TOOLS["yourls-table"], YOURLS_TABLE_CSV),
    "yourls-plugin-csv": (foreign.TOOLS["yourls-plugin"], YOURLS_PLUGIN_CSV),
    "kutt-json": (foreign.TOOLS["kutt"], KUTT_JSON),
    "dub-csv": (foreign.TOOLS["dub-csv"], DUB_CSV),
    "dub-old-csv": (foreign.TOOLS["dub-old-csv"], DUB_OLD_CSV),
    "dub-json": (foreign.TOOLS["dub-json"], DUB_JSON),
}
every_file = pytest.mark.parametrize(("tool", "file"), FILES.values(), ids=FILES)


@pytest.fixture
def portfolio(new_store):
    return portfolio_in(new_store, base_url=GO, clock=lambda: NOON)


def imported(portfolio, file):
    """What an import says of a text, which is csv, or of a value, which is written as json."""
    is_text = isinstance(file, str)
    data = file if is_text else json.dumps(file)
    return portfolio.import_file(data.encode(), format="csv" if is_text else "json")


def of_rows(result):
    """The issues of an import about rows, without those about the file as a whole."""
    about_files = ("own-column", "limits-unknown", "own-parameters")
    return [issue for issue in result.issues if issue.reason not in about_files]


def by_content(portfolio):
    return {code.content: code for code in portfolio.list_qrcodes()}


# ---- what is kept


@pytest.mark.rule("X4")
@every_file
def test_every_tool_keeps_targets_codes_names_dates_and_counts(portfolio, tool, file):
    """Open: whether X4 is for files of ours alone. Printed codes of other tools must live on, too."""
    result = imported(portfolio, file)
    assert (result.created, of_rows(result)) == (2, [])
    door, menu = (by_content(portfolio)[content] for content in (DOOR, MENU))
    assert (door.short_url, menu.short_code.rpartition("/")[2]) == (f"{GO}/door", "4menu00")
    assert (door.name, menu.name) == ("Door, north" if "Door, north" in str(file) else DOOR, MENU)
    assert (door.created, menu.created) == ((MAY, MAY) if "2024-05-01" in str(file) else (NOON, NOON))
    assert (door.scans, menu.scans) == (10 if "nonBots" in str(file) else 12 if "12" in str(file) else 0, 0)
    assert door.is_dynamic


def test_every_tool_of_the_table_has_a_file_here():
    elsewhere = {"chhoto-url", "Sink", "lstu"}  # in test_moving_in
    assert {tool.name for tool, _ in FILES.values()} | elsewhere == {tool.name for tool in foreign.TOOLS.values()}


@pytest.mark.parametrize("file", [BITLY_JSON, SHLINK_CSV, SHLINK_JSON, DUB_CSV, DUB_JSON])
def test_a_tag_that_is_the_only_one_is_the_campaign(portfolio, file):
    imported(portfolio, file)
    (campaign,) = portfolio.list_campaigns()
    assert campaign.name == "Spring"
    codes = by_content(portfolio)
    assert (codes[DOOR].campaign_id, codes[MENU].campaign_id) == (campaign.id, None)


@pytest.mark.parametrize("file", [SHLINK_CSV, SHLINK_JSON, DUB_CSV, DUB_JSON])
def test_all_tags_of_a_tool_are_kept(portfolio, file):
    imported(portfolio, file)
    codes = by_content(portfolio)
    assert (codes[DOOR].tags, codes[MENU].tags, codes[MENU].comment) == (("Spring",), ("a", "b"), "")


def test_a_comment_is_kept_beside_the_tags(portfolio):
    tags = [{"name": "a"}, {"name": "b"}]
    imported(portfolio, [DUB_JSON[0] | {"tags": tags}, DUB_JSON[1]])
    door = by_content(portfolio)[DOOR]
    assert (door.comment, door.tags) == ("by the stairs", ("a", "b"))


def test_the_objects_of_an_api_are_read_without_their_envelope_too(portfolio):
    assert imported(portfolio, SHLINK_LINKS).created == 2


@pytest.mark.parametrize("nothing", ["0000-00-00 00:00:00", "0000-00-00", "0000-00-00T00:00:00.000Z"])
def test_a_date_of_zeros_is_none(portfolio, nothing):
    """MySQL writes it for a moment that nobody knows; the code hangs somewhere all the same."""
    assert of_rows(imported(portfolio, YOURLS_TABLE_CSV.replace("2024-05-01 08:30:00", nothing))) == []
    assert {code.created for code in by_content(portfolio).values()} == {NOON}


def test_a_code_whose_count_has_a_comma_comes_in(portfolio):
    assert of_rows(imported(portfolio, YOURLS_TABLE_CSV.replace('"12"', '" 1,204 "'))) == []
    assert by_content(portfolio)[DOOR].scans == 1204


def test_a_short_url_without_a_scheme_is_read(portfolio):
    imported(portfolio, BITLY_CSV.replace("https://go.example.com/door", "go.example.com/door"))
    assert by_content(portfolio)[DOOR].short_code == "door"


def test_a_code_without_a_short_url_stands_behind_its_domain(portfolio):
    portfolio.insert_qrcode("x")
    lone = {"address": "menu", "target": MENU, "visit_count": 1, "created_at": "2024-05-01", "domain": "kutt.test"}
    imported(portfolio, [lone])
    (issue,) = imported(portfolio, [lone | {"target": DOOR}]).issues
    assert issue.detail.startswith("'https://kutt.test/menu' is already in use")


def test_the_key_of_a_domain_itself_is_no_short_code(portfolio):
    """Dub calls the link of a bare domain `_root`, which nobody ever printed."""
    link = {"domain": "d.test", "key": "_root", "shortLink": "https://d.test", "url": MENU}
    (issue,) = imported(portfolio, [link]).issues
    assert (issue.reason, by_content(portfolio)[MENU].short_code == "_root") == ("code-unreadable", False)


@pytest.mark.parametrize("format", ["xls", "xlsx"])
def test_a_workbook_with_the_headings_of_a_tool_is_read_as_its_csv(portfolio, format, tmp_path):
    heading = ["createdAt", "shortUrl", "longUrl", "title", "tags", "visits"]
    path = tmp_path / f"links.{format}"
    write_workbook(path, [heading, ["2024-05-01T08:30:00Z", "https://s.test/door", DOOR, "Door", "", 12]])
    assert of_rows(portfolio.import_file(path)) == []
    assert (by_content(portfolio)[DOOR].short_code, by_content(portfolio)[DOOR].scans) == ("door", 12)


def write_workbook(path, rows):
    if path.suffix == ".xlsx":
        pd.DataFrame(rows[1:], columns=rows[0]).to_excel(path, index=False)
        return
    book = xlwt.Workbook()
    sheet = book.add_sheet("links")
    for y, row in enumerate(rows):
        for x, cell in enumerate(row):
            sheet.write(y, x, cell)
    book.save(str(path))


@pytest.mark.parametrize(
    ("url", "code", "domain", "found"),
    [
        ("https://s.test/a", "a", "", "https://s.test/a"),
        ("https://s.test/base/foo/bar", "foo/bar", "", "https://s.test/base/foo%2Fbar"),
        ("", "/a/", "", "a"),
        ("", "a", "d.test", "https://d.test/a"),
        ("s.test/a", "", "", "https://s.test/a"),
        ("http://s.test/a", "http://s.test/a", "", "http://s.test/a"),
        ("http://s.test", "http://s.test", "", "http://s.test"),
        ("https://s.test/a", "b", "", "https://s.test/a"),
        ("http://[", "a", "", "http://["),
    ],
)
def test_the_slashes_of_a_code_are_told_from_those_before(url, code, domain, found):
    cells, _ = foreign.TOOLS["shlink-csv"].row({"shortUrl": url, "shortCode": code, "domain": domain})
    assert cells["Trackable URL"] == found


# ---- what cannot be kept


@pytest.mark.rule("X4")
@every_file
def test_a_code_that_is_in_use_is_told_and_replaced(portfolio, tool, file):
    """Open: what is said where a code of another tool is taken here. The same as of ours, code-taken."""
    imported(portfolio, [DUB_JSON[0] | {"url": "https://example.com/first"}])
    result = imported(portfolio, file)
    assert [issue.reason for issue in of_rows(result) if issue.reason != "renamed"] == ["code-taken"]
    assert by_content(portfolio)[DOOR].short_code != "door"
    assert by_content(portfolio)[MENU].short_code.rpartition("/")[2] == "4menu00"


@pytest.mark.rule("X4")
@pytest.mark.parametrize(
    ("file", "name", "row"),
    [
        (SHLINK_CSV.replace(",12\n", ",many\n"), "visits", 2),
        (BITLY_CSV.replace(",12,Active", ",many,Active"), "Engagements", 2),
        (YOURLS_TABLE_CSV.replace('"12"', '"1,23"'), "clicks", 2),
        (YOURLS_TABLE_CSV.replace('"12"', '"1234,567"'), "clicks", 2),
        (YOURLS_TABLE_CSV.replace('"12"', '"1,204.5"'), "clicks", 2),
        ([DUB_JSON[0] | {"clicks": -1}, DUB_JSON[1]], "clicks", 1),
    ],
)
def test_a_printed_code_is_not_lost_because_of_its_count(portfolio, file, name, row):
    result = imported(portfolio, file)
    told = [(issue.row, issue.reason) for issue in of_rows(result)]
    assert (result.created, told) == (2, [(row, "count-unreadable")])
    assert of_rows(result)[0].detail.startswith(f"{name}=")
    assert (by_content(portfolio)[DOOR].short_code, by_content(portfolio)[DOOR].scans) == ("door", 0)
    assert "1 without their count of scans" in str(result)


@pytest.mark.parametrize(
    ("file", "name", "row"),
    [
        ([DUB_JSON[0] | {"title": "half \ud83d"}, DUB_JSON[1]], "QR Code Name", 1),
        ([DUB_JSON[0] | {"url": None}, DUB_JSON[1]], "url", 1),
        ([DUB_JSON[0] | {"shortLink": "", "key": "half \ud83d"}, DUB_JSON[1]], "Trackable URL", 1),
    ],
)
@pytest.mark.rule("X2")
def test_what_is_wrong_with_a_link_names_its_column_and_loses_no_other(portfolio, file, name, row):
    """Open: whether a foreign file is taken as a whole. Row by row, like ours."""
    result = imported(portfolio, file)
    assert (result.created, [(issue.row, issue.reason) for issue in of_rows(result)]) == (1, [(row, "invalid")])
    assert name in of_rows(result)[0].detail


@pytest.mark.parametrize(
    ("file", "name", "row"),
    [
        (SHLINK_CSV.replace("2024-05-01T08:30:00+00:00", "yesterday"), "createdAt='yesterday'", 2),
        (BITLY_CSV.replace("2024-05-01T08:30:00Z", "11/12/2025"), "Date created='11/12/2025'", 2),
        (YOURLS_TABLE_CSV.replace("2024-05-01 08:30:00", "2024-02-30 00:00:00", 1), "timestamp='2024-02-30 ", 2),
        (YOURLS_TABLE_CSV.replace("2024-05-01 08:30:00", "0000-00-00 at noon", 1), "timestamp='0000-00-00 at", 2),
        ([DUB_JSON[0] | {"createdAt": 17}, DUB_JSON[1]], "createdAt='17'", 1),
    ],
)
@pytest.mark.rule("X4", "X12")
def test_a_printed_code_is_not_lost_because_of_its_date(portfolio, file, name, row):
    """Open: a date that cannot be read. The row was refused, and its printed code answered 404."""
    result = imported(portfolio, file)
    assert (result.created, [(issue.row, issue.reason) for issue in of_rows(result)]) == (2, [(row, "date-unreadable")])
    assert of_rows(result)[0].detail.startswith(name)
    door = by_content(portfolio)[DOOR]
    assert (door.short_code, door.created) == ("door", NOON)
    assert "1 without their date" in str(result)


@pytest.mark.parametrize("name", ["clicks", "Clicks", "Engagements", "total_clicks", "Total Clicks", "SCANS", "visits"])
def test_a_column_of_counts_is_read_from_the_file_of_any_tool(portfolio, name):
    """Open: a table made of Bitly's API, which counts nothing, with a column of counts. The counts were lost."""
    file = f"title,link,long_url,created_at,{name}\nMenu,https://b.test/menu,{MENU},,1204\n"
    assert of_rows(imported(portfolio, file)) == []
    assert by_content(portfolio)[MENU].scans == 1204


def test_the_count_of_a_tool_goes_before_other_columns_of_counts(portfolio):
    imported(portfolio, BITLY_CSV.replace("Status", "Clicks").replace("Active", "7"))
    assert {code.content: code.scans for code in portfolio.list_qrcodes()} == {DOOR: 12, MENU: 0}


def test_other_columns_of_a_tool_become_fields(portfolio):
    """Open: what becomes of a tool's other columns. They become fields, and are named."""
    file = BITLY_CSV.replace("Status", "Status,Size,Notes").replace("Active", "Active,7,")
    result = imported(portfolio, file)
    assert [(issue.row, issue.reason, issue.detail) for issue in result.issues] == [
        (1, "own-column", f"{name!r} becomes a field of the QR Codes") for name in ("Link", "Status", "Size (Bitly)")
    ]
    assert str(result) == "2 created, 3 columns kept as fields"
    further = {"url": f"{MENU}2", "key": "k2", "shortLink": "", "geo": {}, "ref": "x"}
    of_json = imported(portfolio, [DUB_JSON[1] | further])
    assert [issue.detail.partition(" ")[0] for issue in of_json.issues] == ["'ref'"]


def test_the_same_short_url_with_and_without_tls_is_no_field(portfolio):
    """Each link of Short.io got a field with its short URL."""
    result = imported(portfolio, {"links": SHORT_IO_LINKS})
    assert [issue for issue in result.issues if issue.reason == "own-column"] == []


HOW_TO = Path(__file__).parents[2] / "notebooks/how-to/move_here.md"


@pytest.mark.parametrize("tool", foreign.TOOLS.values(), ids=lambda tool: tool.name)
def test_the_guide_lists_the_headings_of_every_tool(tool):
    """Open: how people know which file of a service is read. The how-to page names what it needs."""
    rows = [row for row in HOW_TO.read_text(encoding="utf-8").splitlines() if row.startswith(f"| {tool.service}")]
    assert any(all(f"`{name}`" in row for name in tool.known_by) for row in rows), tool.known_by


@pytest.mark.parametrize(
    ("names", "service"),
    [
        ("Title,Bitlinks,Long URL,Created,Tags,Engagements", "Bitly"),
        ("title,link,long_url,clicks", "Bitly"),
        ("keyword,url,clicks", "YOURLS"),
        ("poster,url", None),
        ("source,target,regex,code,type,hits,title,status", None),  # YOURLS has the first two and hits alone
        ("date,amount,shop", None),
        ("", None),
    ],
)
def test_a_heading_like_that_of_a_tool_is_told_what_the_tool_needs(portfolio, names, service):
    assert (tool.service if (tool := foreign.similar_tool(names.split(","))) else None) == service
    with pytest.raises(UnreadableFile) as caught:
        imported(portfolio, f"{names}\n1,2\n")
    assert ("qrkit reads a file of" in str(caught.value)) == (service is not None)
    assert service is None or f"a file of {service} if it has " in str(caught.value)


def test_further_short_urls_of_a_link_are_told(portfolio):
    """Codes printed with the second custom link led nowhere, and nothing was said."""
    again = ["http://go.test/spring", "", None, "https://go.test/summer"]  # none of them is lost
    customs = ["https://go.test/spring", "https://go.test/summer", "https://go.test/fall", *again]
    result = imported(portfolio, [{**BITLY_JSON["links"][0], "custom_bitlinks": customs}])
    told = [issue.detail for issue in result.issues if issue.reason == "code-unreadable"]
    assert [detail.split()[0] for detail in told] == [repr(customs[1]), repr(customs[2])]
    assert (result.created, result.is_complete) == (1, False)


def test_what_is_no_link_is_told_by_its_place(portfolio):
    result = imported(portfolio, [*DUB_JSON, 7, {"Error": ["x"], "url": {}}])
    assert (result.created, [issue.row for issue in of_rows(result)]) == (2, [3, 4])
    assert "is no object" in of_rows(result)[0].detail
    wide = imported(portfolio, SHLINK_CSV.replace(",12\n", ",12,13\n"))
    assert (of_rows(wide)[0].row, of_rows(wide)[0].reason) == (2, "invalid")


def pages(*targets):
    """Pages of links as an API returns them, with one link on each."""
    return [{"links": [{"short_url": f"https://s.test/{one}", "long_url": f"{MENU}{one}"}]} for one in targets]


@pytest.mark.rule("X4")
@pytest.mark.parametrize(
    ("file", "failed"),
    [
        (pages("a", "b"), 0),
        ("\n".join(map(json.dumps, pages("a", "b"))), 0),
        ([*pages("a"), {"links": []}, *pages("b"), {"data": {"links": []}}], 0),
        ([{"links": []}, *pages("a", "b")], 0),
        ([page["links"] for page in pages("a", "b")], 0),
        ([{"links": {"link_1": pages(one)[0]["links"][0]}} for one in "ab"], 0),
        ([{"error": "too many requests"}, *pages("a", "b")], 1),
    ],
    ids=["list", "lines", "empty page", "empty first page", "lists", "YOURLS", "error"],
)
def test_links_of_all_pages_are_read(portfolio, file, failed):
    data = file if isinstance(file, str) else json.dumps(file)
    result = portfolio.import_file(data.encode(), format="json")
    assert (sorted(code.short_code for code in portfolio.list_qrcodes()), result.failed) == (["a", "b"], failed)


def test_links_of_very_many_pages_are_found(portfolio):
    assert imported(portfolio, pages(*range(3_000))).created == 3_000


LINKS = [page["links"] for page in pages("a", "b")]
RECORDS = [[{"content": f"{MENU}{one}", "trackUrl": f"https://s.test/{one}"}] for one in "ab"]
FOLDERS = [{"url": "https://s.test/folders/1", "short_url": "https://s.test/f"}]


@pytest.mark.rule("X4", "X16")
@pytest.mark.parametrize("lists", [LINKS, RECORDS], ids=["links", "our records"])
@pytest.mark.parametrize(
    "file",
    [
        lambda one, two: {"data": {"links": [*one, *two], "next": "https://s.test/?page=2"}},
        lambda one, two: [{"data": {"links": one, "next": 2}}, {"data": {"links": two, "next": None}}],
        lambda one, two: {"pages": [{"links": one}, {"links": two}]},
        lambda one, two: {"page 1": {"links": one}, "page 2": {"links": two}},
        lambda one, two: {"content": [*one, *two], "totalPages": 1},
        lambda one, two: [{"result": one[0]}, {"result": two[0]}],
        lambda one, two: [{"note": "exported today"}, *one, *two],
    ],
    ids=["a root", "roots", "list of pages", "object of pages", "Spring", "results", "a note in front"],
)
def test_links_at_any_depth_are_read(portfolio, file, lists):
    imported(portfolio, file(*lists))
    assert sorted(code.short_code for code in portfolio.list_qrcodes()) == ["a", "b"]


@pytest.mark.rule("X16")
def test_a_link_that_says_something_twice_is_left_out(portfolio):
    """The second address counted, without a word."""
    link = f'{{"short_url": "https://s.test/a", "long_url": "{DOOR}", "long_url": "{MENU}"}}'
    result = portfolio.import_file(f"[{link}]".encode(), format="json")
    assert [issue.detail for issue in result.issues if issue.row == 1 and issue.reason == "invalid"] == [
        "a name appears twice in it"
    ]


@pytest.mark.rule("X16")
def test_links_behind_folders_that_look_like_links_are_read(portfolio):
    result = imported(portfolio, {"folders": FOLDERS, "links": [*LINKS[0], *LINKS[1]]})
    assert (result.failed, sorted(code.short_code for code in portfolio.list_qrcodes())) == (0, ["a", "b", "f"])


@pytest.mark.rule("X16")
def test_links_behind_those_of_another_tool_are_told(portfolio):
    other = {"keyword": "b", "url": MENU, "timestamp": "2024-05-01 08:30:00", "clicks": 3}
    result = imported(portfolio, {"links": LINKS[0], "more": [other]})
    assert [code.short_code for code in portfolio.list_qrcodes()] == ["a"]
    (told,) = (issue.detail for issue in of_rows(result) if issue.reason == "invalid")
    assert told.startswith("is a link of YOURLS, unlike the first ones")


@pytest.mark.rule("X16")
def test_links_beside_records_of_ours_are_told(portfolio):
    result = imported(portfolio, {"codes": RECORDS[0], "links": LINKS[1]})
    assert [issue.row for issue in of_rows(result) if issue.reason == "invalid"] == [2]
    assert [code.short_code for code in portfolio.list_qrcodes()] == ["a"]


@pytest.mark.rule("X16")
def test_a_mapping_reads_the_objects_of_all_pages(portfolio):
    links = [{"meta": [{"n": 1}], "items": [{"to": {"url": f"{MENU}{one}"}, "from": one}]} for one in "ab"]
    columns = {"content": "to.url", "Trackable URL": "from"}
    portfolio.import_file(json.dumps({"pages": links}).encode(), format="json", columns=columns)
    assert sorted(code.short_code for code in portfolio.list_qrcodes()) == ["a", "b"]


@pytest.mark.parametrize("name", ["content", "Content", "CONTENT"])
def test_links_within_our_own_records_are_no_links_of_a_tool(portfolio, name):
    record = {name: DOOR, "history": [{"shortUrl": "https://s.test/old", "url": MENU}]}
    imported(portfolio, [record])
    assert [code.content for code in portfolio.list_qrcodes()] == [DOOR]


@pytest.mark.parametrize(
    "value",
    [{}, {"links": []}, {"links": [1]}, {"data": [{"a": 1}]}, 7],
)
def test_other_envelopes_are_no_portfolio(portfolio, value):
    with pytest.raises(UnreadableFile, match=r"not a JSON array|no object of the file"):
        imported(portfolio, value)


# ---- what is ours


@pytest.mark.parametrize("tool", foreign.TOOLS.values(), ids=lambda tool: tool.name)
def test_a_file_with_our_column_of_contents_is_ours(tool):
    assert foreign.tool_of(tool.known_by) is tool
    assert foreign.tool_of([*tool.known_by, "Content"]) is None


def test_our_names_are_no_tools():
    assert foreign.tool_of(ALL_NAMES) is None
    assert foreign.tool_of(ELEMENTS) is None
    assert foreign.tool_of([]) is None


def test_names_that_others_use_too_count_alone():
    """The WordPress plugin Redirection has source, target and hits among others."""
    assert foreign.tool_of(["source", "target", "regex", "hits"]) is None


@pytest.mark.parametrize("format", EXCHANGE_FORMATS)
def test_what_came_from_a_tool_goes_out_as_ours(portfolio, format):
    imported(portfolio, SHLINK_CSV)
    with open_portfolio(":memory:", base_url=GO) as copy:
        assert copy.import_file(portfolio.export_bytes(format), format=format).issues == ()
        assert copy.export_bytes("json") == portfolio.export_bytes("json")


def test_an_unknown_column_beside_ours_is_still_told(portfolio):
    result = imported(portfolio, f"Content,shortUrl,longUrl,createdAt,visits\n{MENU},https://s.test/a,x,y,1\n")
    assert (result.created, result.count("own-column")) == (1, 3)
    assert [code.short_code for code in portfolio.list_qrcodes()] == ["a"]


@pytest.mark.rule("X4")
@pytest.mark.parametrize(
    "file",
    [
        f'Short link,Destination URL,Title,Comments\r\nhttps://d.test/door,"{DOOR}","Door, north",by the stairs\r\n',
        f'link,url,clicks,createdAt,title,comments\r\nhttps://d.test/door,"{DOOR}",1,,"Door, north",by the stairs\r\n',
    ],
)
def test_titles_and_comments_of_dub_are_names_and_comments(portfolio, file):
    """Open: what the export dialog of Dub offers beside its default. Titles and comments were dropped in silence."""
    assert of_rows(imported(portfolio, file)) == []
    (code,) = portfolio.list_qrcodes()
    assert (code.name, code.comment) == ("Door, north", "by the stairs")


@pytest.mark.rule("T16")
def test_visits_of_bots_are_no_scans_where_shlink_tells_them_apart(portfolio):
    link = {"shortUrl": "https://s.test/door", "longUrl": DOOR, "dateCreated": "2024-05-01T08:30:00+00:00"}
    counts = [{"visitsSummary": {"total": 12, "nonBots": 0, "bots": 12}}, {"visitsSummary": {"total": 12}}, {}]
    links = [link | count | {"longUrl": f"{DOOR}{number}"} for number, count in enumerate(counts)]
    imported(portfolio, links)
    assert [code.scans for code in portfolio.list_qrcodes()] == [0, 12, 0]
