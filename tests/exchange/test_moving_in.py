"""Links of other services move in: every printed code leads to its own target, and no closed link becomes open."""

import json
from io import StringIO
from time import process_time

import pandas as pd
import pytest

from qrkit import open_portfolio
from qrkit.__main__ import main
from qrkit.errors import InvalidParameter, UnreadableFile
from qrkit.server import Client, Settings, make_app

GO = "https://go.example.com"
CODES = ["spring", "summer/2024", "summer/2025", "1", "a", "v1.2", "köln", "Door", "door", "x/y/z"]


def assert_all_lead_to_their_own(shop, codes=CODES):
    client = Client(make_app(shop.store, Settings(base_url=GO, unknown_codes_a_minute=0)))
    assert {code: client.get(f"/{code}").headers.get("location") for code in codes} == {
        code: target(code) for code in codes
    }


def target(code):
    return "https://example.com/" + "".join(f"{ord(one):x}" for one in code)


def rows(heading, row):
    return "\n".join([heading, *(row.format(code=code, target=target(code)) for code in CODES)]).encode()


FILES = {
    "shlink": rows("createdAt,domain,shortCode,shortUrl,longUrl,title,tags,visits",
                   "2024-05-01T08:30:00+00:00,s.test,{code},https://s.test/{code},{target},,,0"),
    "shlink, old": rows("createdAt,shortUrl,longUrl,title,tags,visits",
                        "2024-05-01T08:30:00+00:00,https://s.test/{code},{target},,,0"),
    "yourls": rows("keyword,url,title,timestamp,ip,clicks", "{code},{target},,2024-05-01 08:30:00,,0"),
    "lstu": rows("short,url,timestamp,counter", "{code},{target},1714552200,0"),
    "dub": rows("Short link,Destination URL", "https://dub.sh/{code},{target}"),
    "slugs": rows("slug,url", "{code},{target}"),
    "ours": rows("Content,Trackable URL", "{target}," + GO + "/{code}"),
    "bare": rows("Content,Trackable URL", "{target},{code}"),
}  # fmt: skip


@pytest.mark.rule("T19", "X16")
@pytest.mark.parametrize("data", FILES.values(), ids=FILES.keys())
def test_every_printed_code_leads_to_its_own_target(shop, data):
    result = shop.import_file(data, anyway=False)
    assert (result.created, result.count("code-taken"), result.count("code-unreadable")) == (len(CODES), 0, 0)
    assert_all_lead_to_their_own(shop)
    again = shop.import_file(data, anyway=False)
    assert (again.created, again.count("duplicate")) == (0, len(CODES))


LINKS = {
    "chhoto-url": [{"shortlink": code, "longlink": target(code), "hits": 3, "expiry_time": 0} for code in CODES],
    "Sink": {"version": "1", "links": [{"slug": code, "url": target(code)} for code in CODES]},
    "Sink, whole": {
        "links": [{"slug": code, "url": target(code), "createdAt": 1714552200, "id": "x"} for code in CODES]
    },
}


@pytest.mark.parametrize("links", LINKS.values(), ids=LINKS.keys())
def test_json_of_other_services_is_read(shop, links):
    assert shop.import_file(json.dumps(links).encode(), format="json").created == len(CODES)
    assert_all_lead_to_their_own(shop)


@pytest.mark.parametrize("columns", [{"content": "to.url", "Trackable URL": "from"}])
def test_any_json_is_read_with_a_mapping(shop, columns):
    data = {"page": {"items": [{"from": code, "to": {"url": target(code)}, "n": [1]} for code in CODES]}}
    result = shop.import_file(json.dumps(data).encode(), format="json", columns=columns)
    assert (result.created, result.count("own-column")) == (len(CODES), 1)
    assert_all_lead_to_their_own(shop)


def test_deep_objects_with_chosen_columns_are_read_in_time_that_grows_as_they_do(shop):
    deep = {"content": "a"}
    for _ in range(200):
        deep = {**{f"name{number}": [number] for number in range(200)}, "inner": [deep]}
    data = json.dumps(deep).encode()
    began = process_time()
    shop.import_file(data, format="json", columns={"Content": "content"})
    assert process_time() - began < 1
    assert [code.content for code in shop.list_qrcodes()] == ["a"]


@pytest.mark.parametrize(
    ("data", "word"),
    [
        (b"{}", "no JSON array of objects"),
        (b"[1, {}]", "no JSON array of objects"),
        (b'[{"a": 1}, 2]', "no JSON array of objects"),
        (json.dumps([{f"a{number}": 1 for number in range(20_000)}]).encode(), "20,000 different fields"),
        (rb'[{"a": "\ud800"}]', "object 1 holds half a character"),
    ],
)
def test_json_that_is_no_table_is_refused(shop, data, word):
    with pytest.raises(UnreadableFile, match=word):
        shop.import_file(data, format="json", columns={"content": "a"})


CLOSED = [
    {"password": "secret"},
    {"expiry_time": 1714552200},
    {"meta": {"validUntil": "2020-01-01T00:00:00Z", "maxVisits": None}},
    {"max_visits": 5},
    {"geo": {"DE": "https://example.de"}},
    {"hasPassword": True},
    {"password": "$2b$10$hash"},
    {"deepLinks": [{"os": "ios"}]},
]
OPEN = [{"password": None}, {"password": False}, {"expiry_time": 0}, {"meta": {"validUntil": None}}, {"geo": {}}]


@pytest.mark.rule("X16")
@pytest.mark.parametrize("mapped", [False, True])
def test_a_closed_link_never_becomes_an_open_one(shop, mapped):
    links = [
        {"shortlink": f"code{number}", "longlink": target(str(number)), "hits": 0, **more}
        for number, more in enumerate([*CLOSED, *OPEN])
    ]
    columns = {"content": "longlink", "Trackable URL": "shortlink"} if mapped else None
    result = shop.import_file(json.dumps(links).encode(), format="json", columns=columns)
    left_out = [issue for issue in result.issues if issue.reason == "invalid"]
    assert [issue.row for issue in left_out] == ([1, 2, 3, 4, 5, 6, 7, 8] if mapped else [6, 7, 8])
    assert all("is set, but the file does not say" in issue.detail for issue in left_out)
    codes = shop.list_qrcodes()
    with_terms = [code for code in codes if code.password or code.valid_until or code.rules or code.limit]
    assert (len(with_terms), result.created) == (0, 5) if mapped else (5, 10)


@pytest.mark.rule("X16")
def test_a_closed_link_of_a_frame_never_becomes_an_open_one(shop):
    links = [{"slug": f"code{number}", "to": target(str(number)), "password": word} for number, word in enumerate("x ")]
    result = shop.import_frame(pd.DataFrame(links), columns={"content": "to", "short_url": "slug"})
    left_out = [issue.row for issue in result.issues if issue.reason == "invalid"]
    assert (left_out, [code.short_code for code in shop.list_qrcodes()]) == ([1], ["code1"])


@pytest.mark.rule("X16")
@pytest.mark.parametrize("format", ["csv", "json"])
@pytest.mark.parametrize("term", ["expires", "max_clicks", "end date"])
def test_a_closed_link_beside_our_column_of_contents_never_becomes_an_open_one(shop, format, term):
    links = [
        {"Content": target(code), "Short URL": f"https://s.example/{code}", term: value}
        for code, value in {"closed": "1", "open": ""}.items()
    ]
    frame = pd.DataFrame(links)
    data = frame.to_csv(index=False) if format == "csv" else frame.to_json(orient="records")
    result = shop.import_file(data.encode(), format=format)
    left_out = [issue.row for issue in result.issues if issue.reason == "invalid"]
    assert left_out == [2 if format == "csv" else 1]
    assert [code.short_code for code in shop.list_qrcodes()] == ["open"]


@pytest.mark.rule("X16")
@pytest.mark.parametrize(
    ("title", "off", "on"),
    [("Status", "Inactive", "Active"), ("QR status", "off", "printed"), ("enabled", "no", "yes")],
)
def test_a_link_that_is_off_never_becomes_one_that_works(shop, title, off, on):
    """Beside our column of contents, in a file and in a frame with chosen columns; mapped, it stays off."""
    rows = [(target(code), f"https://s.example/{code}", says) for code, says in (("off", off), ("on", on))]
    frame = pd.DataFrame(rows, columns=["Content", "Short URL", title])
    chosen = {"content": "Content", "short_url": "Short URL"}
    for data in (frame.to_csv(index=False).encode(), frame.to_json(orient="records").encode()):
        result = shop.import_file(data, format="json" if data[:1] == b"[" else "csv", check=True)
        assert [issue.content for issue in result.issues if issue.reason == "invalid"] == [target("off")]
    result = shop.import_frame(frame, columns=chosen)
    assert "the link is off" in next(issue.detail for issue in result.issues if issue.reason == "invalid")
    assert [code.short_code for code in shop.list_qrcodes()] == ["on"]
    if on != "printed":
        shop.import_frame(frame, columns=chosen | {"active": title})
        assert not shop.find_qrcode("off").active


@pytest.mark.rule("X16")
@pytest.mark.parametrize("name", ["expires", "max clicks", "password", "QR status"])
@pytest.mark.parametrize("of_frame", [False, True])
def test_a_limit_that_is_chosen_as_a_comment_is_told(shop, name, of_frame):
    text = f"slug,to,{name}\na,https://e.org/1,\nb,https://e.org/2,off2024\n"
    text = text.replace("off2024", "off" if name == "QR status" else "2024")
    columns = {"content": "to", "Trackable URL": "slug", "Comment": name}
    if of_frame:
        result = shop.import_frame(pd.read_csv(StringIO(text), dtype="str"), columns=columns)
    else:
        result = shop.import_file(text.encode(), columns=columns)
    (issue,) = result.issues
    assert (result.created, issue.row, issue.reason) == (2, 2 if of_frame else 3, "limits-unknown")
    assert f"{name!r} was chosen as Comment, which limits no link" in issue.detail


@pytest.mark.rule("X16")
def test_a_limit_that_is_mapped_is_read_and_closes_its_link(shop):
    data = b"slug,to,expires\na,https://example.com,2020-01-01\n"
    columns = {"content": "to", "Trackable URL": "slug", "Valid Until (UTC)": "expires"}
    assert shop.import_file(data, columns=columns).is_complete
    assert [str(code.valid_until) for code in shop.list_qrcodes()] == ["2020-01-01 00:00:00+00:00"]


@pytest.mark.rule("X13", "X16")
@pytest.mark.parametrize("url", ["Trackable URL", "Short URL"])
def test_an_end_is_read_without_its_time_zone_in_the_heading(shop, url):
    data = f"Content,{url},Valid since,VALID UNTIL\nhttps://e.org,https://s.test/a,,2024-05-01 10:00\n".encode()
    assert shop.import_file(data).is_complete
    (code,) = shop.list_qrcodes()
    assert (code.valid_since, str(code.valid_until), code.fields) == (None, "2024-05-01 10:00:00+00:00", {})


def test_a_field_of_a_kind_limits_no_link(shop):
    data = b"Kind,Content,SSID,Password,Short URL\nwifi,,Guests,welcome1,https://s.example/door\n"
    assert shop.import_file(data).created == 1


@pytest.mark.rule("X16")
@pytest.mark.parametrize(
    ("word", "active"),
    [
        *((word, True) for word in ("Aktiv", "actif", "activo", "aan", "ativo", "Attivo", "sim", "sì", "TRUE", "1")),
        *((word, False) for word in ("inaktiv", "pausiert", "en pause", "desactivado", "uit", "inativo", "não")),
        *((word, False) for word in ("scaduto", "disattivato", "paused", "0")),
        *((word, True) for word in ("", "-", "NULL")),
        *((word, None) for word in ("maybe", "archived", "2")),
    ],
)
@pytest.mark.parametrize("name", ["active", "Is Enabled"])
def test_a_link_is_on_or_off_as_its_file_says_or_left_out_and_named(shop, name, word, active):
    result = shop.import_file(f"short_url,long_url,{name}\nhttps://s.test/a,https://e.org,{word}\n".encode())
    assert [code.active for code in shop.list_qrcodes()] == ([] if active is None else [active])
    assert [issue.detail.partition(":")[0] for issue in result.issues if issue.reason == "invalid"] == (
        [f"{name}={word!r}"] if active is None else []
    )


@pytest.mark.rule("X16")
@pytest.mark.parametrize("url", [f"{GO}/taken", f"{GO}/door/spring", "taken", f"{GO}/door.png"])
def test_a_file_whose_code_is_in_use_is_refused(shop, url):
    shop.insert_qrcode("https://example.com/1", short_code="taken")
    shop.insert_qrcode("https://example.com/2", short_code="door", urlinfo="Spring")
    data = f"Content,Trackable URL\nhttps://example.com/x,{url}\nhttps://example.com/y,free\n".encode()
    with pytest.raises(UnreadableFile, match="1 short code of the file would lead to other QR Codes: row 2"):
        shop.import_file(data, anyway=False)
    assert len(shop.list_qrcodes()) == 2
    result = shop.import_file(data)
    assert (result.created, result.count("code-taken")) == (2, 1)
    assert shop.find_qrcode("door").content == "https://example.com/2"


def test_a_slug_beside_a_known_code_keeps_its_address(shop):
    shop.insert_qrcode("https://example.com/1", short_code="door")
    data = f"Content,Trackable URL\nhttps://example.com/x,{GO}/door/winter\n".encode()
    assert shop.import_file(data, anyway=False).created == 1
    assert shop.find_qrcode("door/winter").content == "https://example.com/x"


def location(shop, path):
    client = Client(make_app(shop.store, Settings(base_url=GO, unknown_codes_a_minute=0)))
    return client.get(path).headers.get("location")


SHARED = {
    "ours": (b"Content,Trackable URL\nhttps://e.org/1,https://s.test/summer/a\nhttps://e.org/2,https://s.test/summer/b/c\n"),
    "shlink": (b"createdAt,shortUrl,longUrl,visits,shortCode\n2024-05-01,https://s.test/summer/a,https://e.org/1,0,a\n"
               b"2024-05-01,https://s.test/summer/b/c,https://e.org/2,0,b/c\n"),
    "shlink, whole paths as codes": (
        b"createdAt,shortUrl,longUrl,visits,shortCode\n2024-05-01,https://s.test/summer/a,https://e.org/1,0,summer/a\n"
        b"2024-05-01,https://s.test/summer/b/c,https://e.org/2,0,summer/b/c\n"),
}  # fmt: skip


@pytest.mark.rule("T19", "X16")
@pytest.mark.parametrize("data", SHARED.values(), ids=SHARED.keys())
def test_a_path_that_all_codes_share_stays_and_is_told(shop, data):
    result = shop.import_file(data)
    assert location(shop, "/summer/a") == "https://e.org/1"
    assert location(shop, "/summer/b/c") == "https://e.org/2"
    (issue,) = (one for one in result.issues if one.reason != "limits-unknown")
    assert (issue.row, issue.reason, result.is_complete) == (2, "shared-path", True)
    assert "https://s.test/summer" in issue.detail
    assert shop.import_file(data).count("shared-path") == 0


@pytest.mark.parametrize("data", SHARED.values(), ids=SHARED.keys())
def test_codes_follow_the_old_base_url_and_both_addresses_lead_to_them(shop, data):
    assert shop.import_file(data, old_base_url="https://S.test/summer/").count("shared-path") == 0
    shop.insert_qrcode("https://e.org/3", short_code="summer")
    for path, target in (("/summer/a", 1), ("/summer/b/c", 2), ("/a", 1), ("/summer", 3), ("/summer/x", 3)):
        assert location(shop, path) == f"https://e.org/{target}"


@pytest.mark.rule("X16")
def test_one_link_of_an_installation_keeps_its_printed_address(shop):
    data = b"createdAt,shortUrl,longUrl,visits,shortCode\n2024-05-01,https://s.test/go/a,https://e.org/1,0,a\n"
    shop.import_file(data)
    assert [code.short_code for code in shop.list_qrcodes()] == ["go/a"]
    assert location(shop, "/go/a") == "https://e.org/1"


@pytest.mark.parametrize("url", ["s.test/summer", "ftp://s.test", "https://s.test/a?b"])
def test_an_old_base_url_is_one(shop, url):
    with pytest.raises(InvalidParameter, match="old_base_url="):
        shop.import_file(b"Content\nx\n", old_base_url=url)


def test_codes_of_two_domains_that_clash_are_refused(shop):
    data = (
        b"Content,Trackable URL\nhttps://example.com/x,https://a.test/door\nhttps://example.com/y,https://b.test/door\n"
    )
    with pytest.raises(UnreadableFile, match=r"row 3: 'https://b\.test/door' is already in use"):
        shop.import_file(data, anyway=False)


@pytest.mark.rule("X16")
@pytest.mark.parametrize(
    "around", ["{}\u200b", "\ufeff{}", "\u200d {} \u200c", "\u202a{}\u202c", "\u2066{}\u2069", " {}\xa0"]
)
@pytest.mark.parametrize("heading", ["Content,Trackable URL", "Long URL,Short URL"])
def test_what_nobody_sees_is_no_part_of_a_short_url(shop, heading, around):
    """The printed code was lost, as its short URL could not be read."""
    result = shop.import_file(f"{heading}\n{target('door')},{around.format('https://s.test/door')}\n".encode())
    assert (result.kept_codes, result.count("code-unreadable")) == (1, 0)
    assert_all_lead_to_their_own(shop, ["door"])


@pytest.mark.parametrize("text", ["-", "n/a", "None", "TBC", "1.2E+11", "1E+20"])
def test_a_placeholder_is_no_short_code(shop, text):
    data = f"Content,Trackable URL\nhttps://example.com/x,{text}\n".encode()
    assert shop.import_file(data).count("code-unreadable") == 1


def test_a_store_that_ignores_case_gives_no_code_twice(shop):
    make_app(shop.store, Settings(base_url=GO, ignore_case=True))
    with pytest.raises(UnreadableFile, match=r"'[Dd]oor' is already in use"):
        shop.import_file(FILES["bare"], anyway=False)


def test_the_command_refuses_unless_anyway(tmp_path, capsys):
    store, file = str(tmp_path / "shop.duckdb"), tmp_path / "links.csv"
    with open_portfolio(store, base_url=GO) as shop:
        shop.insert_qrcode("https://example.com/1", short_code="taken")
    file.write_text("Content,Trackable URL\nhttps://example.com/x,https://a.test/taken\n")
    assert main(["import", str(file), "--store", store]) == 1
    assert "--anyway" in capsys.readouterr().err
    assert main(["import", str(file), "--store", store, "--anyway"]) == 3
    assert "code-taken" in capsys.readouterr().err


STATUSES = {
    "all rows": ("Content\nhttps://example.com/a\n", [], 0),
    "known already": ("Content,QR Code Name\nhttps://example.com/1,One\n", [], 0),
    "as the option asks": ("Content\nwww.example.com\n", ["--fix-urls"], 0),
    "a row refused": ("Content,Size\nhttps://example.com/a,8\nhttps://example.com/b,99\n", [], 3),
    "a link left out": ("slug,url,password,createdAt\na,https://example.com/a,x,\nb,https://example.com/b,,\n", [], 3),
    "renamed": ("Content,QR Code Name\nhttps://example.com/2,One\n", [], 3),
    "without its date": ("Content,Created (UTC)\nhttps://example.com/a,yesterday\n", [], 3),
    "no code that can be kept": ("Content,Trackable URL\nhttps://example.com/a,https://a.test/\n", [], 3),
    "visits": ("short_code,time\ntaken,2024-05-01\n", [], 0),
    "a visit refused": ("short_code,time\ntaken,2024-05-01\nnobody,2024-05-01\n", [], 3),
    "every visit refused": ("short_code,time\nnobody,2024-05-01\n", [], 1),
    "every row refused": ("Content,Size\nhttps://example.com/b,99\n", [], 1),
    "a code in use": ("Content,Trackable URL\nhttps://example.com/x,https://a.test/taken\n", [], 1),
    "a file of nothing": ("", [], 1),
    "no content": ("Name\nx\n", [], 1),
    "no such column": ("Content\nhttps://example.com/a\n", ["--columns", "content=Website"], 2),
    "no such option": ("Content\nhttps://example.com/a\n", ["--colums", "content=Website"], 2),
}


@pytest.mark.rule("X16")
@pytest.mark.parametrize(("text", "options", "status"), STATUSES.values(), ids=STATUSES.keys())
def test_the_exit_status_says_what_was_kept(tmp_path, text, options, status):
    store, file = str(tmp_path / "shop.duckdb"), tmp_path / "links.csv"
    with open_portfolio(store, base_url=GO) as shop:
        shop.insert_qrcode("https://example.com/1", name="One", short_code="taken")
    file.write_text(text)
    try:
        assert main(["import", str(file), "--store", store, *options]) == status
    except SystemExit as refused:  # argparse
        assert refused.code == status


@pytest.mark.rule("X16")
def test_a_file_that_is_not_there_is_not_read(tmp_path, capsys):
    assert main(["import", str(tmp_path / "none.csv"), "--store", str(tmp_path / "shop.duckdb")]) == 1
    assert "none.csv" in capsys.readouterr().err
