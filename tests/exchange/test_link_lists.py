"""Lists of links of services without a definition of their own, and of people: every printed code leads to its page."""

import json
from time import process_time

import pytest

from qrkit.errors import UnreadableFile
from qrkit.server import Client, Settings, make_app

GO = "https://go.example.com"
HERE, THERE = "https://example.com/here?a=1&b=2", "https://example.com/there"


def imported(shop, file):
    is_text = isinstance(file, str)
    data = file if is_text else json.dumps(file)
    return shop.import_file(data.encode(), format="csv" if is_text else "json", anyway=False)


def get(shop, code, query=""):
    client = Client(make_app(shop.store, Settings(base_url=GO, unknown_codes_a_minute=0)))
    reply = client.request("GET", f"/{code}", query=query)
    return reply.headers.get("location", reply.status)


TINYURL = {
    "data": [
        {"domain": "tinyurl.com", "alias": "Door1", "deleted": False, "archived": False, "tags": ["a", "b"],
         "analytics": {"enabled": True, "public": False}, "tiny_url": "https://tinyurl.com/Door1", "url": HERE,
         "created_at": "2024-05-01T08:30:00+00:00", "expires_at": None},
        {"domain": "tinyurl.com", "alias": "gone", "deleted": True, "url": THERE,
         "tiny_url": "https://tinyurl.com/gone"},
    ],
    "code": 0, "errors": [],
}  # fmt: skip
FILES = {
    "TinyURL, json": TINYURL,
    "TinyURL, csv": f"Alias,Domain,TinyURL,Long URL,Created At,Clicks\nDoor1,t.co,https://t.co/Door1,{HERE},2024-05-01,3\n",
    "Rebrandly, csv": f"Title,Short URL,Destination URL,Clicks,Created At\nT,rebrand.ly/Door1,{HERE},3,2024-05-01\n",
    "Uniqode": f"QR Code Name,QR Code ID,Type,Short URL,Destination URL,Total Scans\nT,7,Url,q-r.to/Door1,{HERE},3\n",
    "QR TIGER": f"Name,QR Type,Short URL,URL,Total Scans\nT,Url,https://qr1.be/Door1,{HERE},3\n",
    "Flowcode": f"Flowcode Name,Flowcode URL,Redirect URL,Scans\nT,https://flow.page/Door1,{HERE},3\n",
    "QR Code Generator": f"Title;Short URL;Target URL;Scans\nT;https://qrco.de/Door1;{HERE};3\n",
    "Bitly, pages": f"Title,Bitlink,Custom Bitlink,Long URL,Engagements\nT,bit.ly/x,https://go.test/Door1,{HERE},3\n",
    "Polr": f"short_url,long_url,clicks,is_disabled\nDoor1,{HERE},3,0\n",
    "a list": f"Short-Link\tWebsite\nhttps://a.test/Door1\t{HERE}\n",
    "phpMyAdmin": [
        {"type": "header", "version": "5.2.1"}, {"type": "database", "name": "yourls"},
        {"type": "table", "name": "yourls_options", "data": [{"option_id": "1", "option_name": "version"}]},
        {"type": "table", "name": "yourls_url", "data": [
            {"keyword": "Door1", "url": HERE, "title": "NULL", "timestamp": "2024-05-01 08:30:00", "clicks": "3"}]},
    ],
    "BL.INK": {"objects": [{"id": 1, "shortLink": "https://bl.ink/Door1", "url": HERE, "alias": "Door1"}]},
}  # fmt: skip


@pytest.mark.rule("T19", "X16")
@pytest.mark.parametrize("file", FILES.values(), ids=FILES.keys())
def test_a_printed_code_leads_to_its_page(shop, file):
    result = imported(shop, file)
    assert result.is_complete, result.issues
    assert get(shop, "Door1") == HERE
    code = shop.find_qrcode("Door1")
    assert code.name in ("T", HERE)
    assert code.scans in (0, 3)
    again = imported(shop, file)
    assert (again.created, again.count("duplicate")) == (0, result.created)


def test_what_a_list_does_not_say_is_told(shop):
    (issue,) = [one for one in imported(shop, FILES["QR TIGER"]).issues if one.reason == "limits-unknown"]
    assert "password" in issue.detail


@pytest.mark.parametrize(("column", "told"), [("Valid until", True), ("Max clicks", True), ("Password", False)])
def test_a_list_without_passwords_may_lack_some(shop, column, told):
    """Beside a column of ends, nothing was said of the links that a password protects, and that were open now."""
    result = imported(shop, f"Short URL,Long URL,{column}\nhttps://s.test/a,{HERE},\n")
    assert (result.count("limits-unknown") == 1) == told


CLOSED = {
    "deleted": {"deleted": True},
    "inactive": {"is_active": False},
    "inactive in German": {"active": "FALSCH"},
    "no in German": {"active": "nein"},
    "off": {"active": "off"},
    "f of PostgreSQL": {"active": "f"},
    "inactive in a word": {"active": "inactive"},
    "not enabled": {"enabled": "0"},
    "paused": {"Status": "Paused"},
    "a draft": {"Status": "Draft"},
    "off in German": {"QR Status": "deaktiviert"},
    "n for no": {"Active?": "N"},
    "not published": {"Published": "No"},
    "not live": {"Live": "no"},
    "inactive in Portuguese": {"Ativo": "não"},
    "inactive in Italian": {"Attivo": "Inattivo"},
    "inactive in French": {"Actif": "non"},
    "deactivated in French": {"Activé": "désactivé"},
    "a status in Spanish": {"Estado": "Pausado"},
    "over in German": {"Ablauf": "31.12.2020"},
    "over in Spanish": {"Vencimiento": "2020-12-31"},
    "active until": {"Active until": "2020-01-01"},
    "available from": {"Available from": "2099-01-01"},
    "trashed": {"Trashed": "1"},
    "disabled": {"is_disabled": 1},
    "over": {"Expiration Date": "31.12.2020"},
    "over since": {"expire_at": 1609459200000},
    "used up": {"Max Clicks": 2, "clicks": 2},
    "inactive in Polish": {"Aktywny": "nie"},
    "inactive in Japanese": {"Status": "無効"},
} | {
    heading: {heading: "31.12.2020"}
    for heading in (
        "Läuft ab am", "Gültig bis", "Date d'expiration", "Expire le", "Valable jusqu'au", "Caduca el",
        "Fecha de vencimiento", "Válido hasta", "Data di scadenza", "Valido fino al", "Expira em", "Validade",
        "Verloopt op", "Geldig tot", "Data wygaśnięcia", "Ważny do", "有効期限", "Link expiry date",
    )
} | {
    heading: {heading: 2, "clicks": 2}
    for heading in (
        "Klicklimit", "Max. Klicks", "Maximale Anzahl Scans", "Clics max", "Nombre max de clics", "Límite de clics",
        "Limite di clic", "Limite de cliques", "Limit kliknięć", "Max. klikken", "Maximum number of scans",
    )
}  # fmt: skip


@pytest.mark.rule("X16")
@pytest.mark.parametrize("terms", CLOSED.values(), ids=CLOSED.keys())
def test_a_closed_link_stays_closed(shop, terms):
    assert imported(shop, [{"short_url": "a.test/x", "long_url": HERE} | terms]).is_complete
    assert get(shop, "x") in (404, 410)


@pytest.mark.parametrize(
    "field", [{"published": "2024-05-01"}, {"Live": THERE}, {"published": True}, {"Activé": "2024-05-01"}], ids=str
)
def test_a_column_that_is_no_switch_becomes_a_field(shop, field):
    assert imported(shop, [{"short_url": "a.test/x", "long_url": HERE} | field]).created == 1
    assert (get(shop, "x"), len(shop.find_qrcode("x").fields)) == (HERE, 1)


@pytest.mark.parametrize("heading", ["Expires", "Ablauf", "Active until", "Live", "Ativo"])
def test_a_chosen_column_that_closes_links_is_told(shop, heading):
    chosen = {"Content": "To", "Trackable URL": "From", "Comment": heading}
    said = "no" if heading in ("Live", "Ativo") else "2020-01-01"
    result = shop.import_file(f"To,From,{heading}\n{HERE},a.test/x,{said}\n".encode(), columns=chosen)
    assert [heading in issue.detail for issue in result.issues if issue.reason == "limits-unknown"] == [True]


@pytest.mark.parametrize(
    "word", ["keine", "Keiner", "sin límite", "aucune", "geen", "nessuna", "nenhum", "brak", "なし", "—", "lifetime"]
)
def test_a_link_with_a_word_for_no_limit_has_none(shop, word):
    link = {"short_url": "a.test/x", "long_url": HERE, "Klicklimit": word, "Gültig bis": word}
    assert imported(shop, [link]).is_complete
    assert (get(shop, "x"), shop.find_qrcode("x").fields) == (HERE, {})


@pytest.mark.parametrize("heading", ["Erstellungsdatum", "Angelegt am", "Creato il", "Criado em", "Data utworzenia"])
def test_the_day_on_which_a_link_was_made_is_known_in_more_languages(shop, heading):
    imported(shop, [{"short_url": "a.test/x", "long_url": HERE, heading: "31.12.2020"}])
    assert f"{shop.find_qrcode('x').created:%Y-%m-%d}" == "2020-12-31"


@pytest.mark.rule("X16")
@pytest.mark.parametrize("short_url", ["", ",Trackable URL"])
def test_a_field_that_says_off_beside_our_headings_is_told(shop, short_url):
    """Open: it may be the status of anything, so the QR Code works."""
    rows = [
        f"{HERE}#{number}{short_url and f',{number}'},{said}" for number, said in enumerate(("Live", "Draft", "Off"))
    ]
    result = shop.import_file("\n".join([f"Content{short_url},Status", *rows]).encode())
    assert [(one.row, "status='Draft'" in one.detail) for one in result.issues if one.reason == "limits-unknown"] == [
        (3, True)
    ]
    assert (result.created, result.is_complete) == (3, True)


@pytest.mark.parametrize("zero", [0, "0"])
@pytest.mark.parametrize("name", ["Status", "Enabled"])
def test_a_list_in_which_all_links_are_off_because_of_a_0_says_so(shop, name, zero):
    """In some lists, 0 means that all is well; that all links stopped working was said nowhere."""
    links = [{"short_url": f"a.test/{number}", "long_url": HERE, name: zero} for number in (1, 2)]
    result = imported(shop, links)
    rule = f"{name.lower()}='0'; if 0 does not mean off in this file, leave the column out"
    assert [one.detail for one in result.issues if one.reason == "limits-unknown"][1:] == [
        f"all links are switched off by {rule}"
    ]
    assert (result.created, result.is_complete) == (2, True)
    assert [code.active for code in shop.list_qrcodes()] == [False, False]


def test_a_row_of_totals_is_not_a_link_that_is_on(shop):
    links = [{"short_url": "a.test/1", "long_url": HERE, "Status": "0"}, {"short_url": "Total", "Clicks": 3}]
    assert any("all links are switched off" in one.detail for one in imported(shop, links).issues)


@pytest.mark.parametrize("words", [("0", "1"), ("0", ""), ("off", "off")])
def test_a_list_in_which_some_links_are_off_or_all_plainly_does_not_ask(shop, words):
    links = [{"short_url": f"a.test/{number}", "long_url": HERE, "Status": word} for number, word in enumerate(words)]
    assert not any("switched off by" in one.detail for one in imported(shop, links).issues)


LEFT_OUT = [
    {"has_password": True}, {"password": "********"}, {"Password protected": "yes"}, {"expires_in_views": 3},
    {"deep_link": "app://x"}, {"mobile_url": THERE}, {"split_url": THERE},
    {"secret_key": "x8Qk"}, {"rules": [{"what": "country", "matches": "US", "url": THERE}]}, {"regex": 1},
    {"Destination URL 2": THERE}, {"one-time": "yes"}, {"end date": "2020-01-01"},
    {"Starts on": "2099-01-01"}, {"Starts": "2099-01-01"}, {"Ends": "2020-01-01"},
    {"Language targeting": "de"}, {"Schedule": "Mon 9-17"}, {"Passcode": "12"},
    {"Huawei URL": THERE}, {"Country Redirects": '{"DE": "x"}'},
]  # fmt: skip


@pytest.mark.rule("X16")
@pytest.mark.parametrize("terms", LEFT_OUT, ids=lambda terms: next(iter(terms)))
def test_a_link_whose_terms_are_not_read_is_left_out_and_told(shop, terms):
    links = [{"short_url": "a.test/x", "long_url": HERE} | terms, {"short_url": "a.test/y", "long_url": THERE}]
    result = imported(shop, links)
    (issue,) = [one for one in result.issues if one.reason == "invalid"]
    assert (issue.row, result.created, get(shop, "y")) == (1, 1, THERE)
    assert "is set, but" in issue.detail


@pytest.mark.rule("X16")
@pytest.mark.parametrize(
    ("heading", "cells"),
    [
        ("Password,Password", "geheim99,other"), ("Active,Active", "yes,no"), ("Active,ACTIVE", "no,yes"),
        ("Status,Status", "active,paused"), ("Expires,Expires", "2020-01-01,2030-01-01"),
        ("Long URL", THERE), ("Destination URL,Destination URL", f"{HERE},{THERE}"),
    ],
)  # fmt: skip
def test_columns_of_one_name_that_differ_leave_the_link_out(shop, heading, cells):
    (issue,) = [
        one
        for one in imported(shop, f"Short URL,Long URL,{heading}\na.test/x,{HERE},{cells}\n").issues
        if one.reason == "invalid"
    ]
    assert "have different values" in issue.detail or "says where the link leads" in issue.detail
    assert "\u2033" not in issue.detail
    assert get(shop, "x") == 404


@pytest.mark.rule("X16")
@pytest.mark.parametrize(
    "heading", ["Password,Password", "Valid Until,Valid Until", "Ablaufdatum,Ablaufdatum", "Klicklimit,Klicklimit"]
)
def test_of_columns_of_one_name_the_one_that_says_something_counts(shop, heading):
    says = {"P": "geheim99", "K": "2"}.get(heading[0], "2020-01-01")
    imported(shop, f"Short URL,Long URL,Clicks,{heading}\na.test/x,{HERE},2,,{says}\n")
    assert (get(shop, "x") != HERE, shop.find_qrcode("x").fields) == (True, {})


def test_no_cell_of_fields_with_one_name_is_lost(shop):
    imported(shop, f"Short URL,Long URL,Remark,Remark,Remark (2)\na.test/x,{HERE},A,B,C\n")
    assert sorted(shop.find_qrcode("x").fields.values()) == ["A", "B", "C"]


@pytest.mark.rule("X16")
@pytest.mark.parametrize("word", ["forever", "dauerhaft", "unlimited", "never"])
@pytest.mark.parametrize("heading", ["Password", "Passwort", "Mot de passe"])
def test_a_word_for_no_end_may_be_a_password(shop, heading, word):
    imported(shop, f"Short URL,Long URL,{heading}\na.test/x,{HERE},{word}\n")
    assert (get(shop, "x"), bool(shop.find_qrcode("x").password)) == (200, True)


def test_headings_take_no_time(shop):
    """A name of an end, with the same words again and again, and one letter more."""
    began = process_time()
    imported(shop, f"Short URL,Long URL,expires{'datetime' * 60}x\na.test/x,{HERE},\n")
    assert process_time() - began < 2


def test_a_slug_beside_a_town_is_no_short_code(shop):
    with pytest.raises(UnreadableFile, match="no column 'Content'"):
        imported(shop, f"Slug,Destination,Website\nparis,Paris,{HERE}\nrome,Rome,{THERE}\n")


def test_errors_of_terms_name_the_column_of_the_file(shop):
    (issue,) = [
        one
        for one in imported(shop, f"Short URL,Long URL,Gültig bis\na.test/x,{HERE},2026-13-40\n").issues
        if one.reason == "invalid"
    ]
    assert issue.detail.startswith("Gültig bis='2026-13-40'")
    result = imported(shop, f"Short URL,Long URL,Expires in\na.test/x,{HERE},30 days\n")
    assert [one.detail[:21] for one in result.issues if one.reason == "invalid"] == ["Expires in='30 days':"]


@pytest.mark.parametrize("value", ["", None, "null", "N", "\\N", "-1", 0, "N/A", "(none)", "unlimited", [], {}, "[]"])
def test_what_is_not_set_closes_nothing(shop, value):
    link = {"short_url": "a.test/x", "long_url": HERE, "max_clicks": value, "expires_at": value, "deepLinks": value}
    link["options"] = {"schedule": value}
    assert imported(shop, [link]).is_complete
    assert get(shop, "x") == HERE


SINK = {"slug": "x", "url": HERE, "createdAt": 1714552200, "apple": THERE, "google": "", "redirectWithQuery": True}
LINKLY = {"url": HERE, "full_url": "https://s.test/x", "slug": "/x", "expiry_datetime": "2024-05-01T00:00:00",
          "expiry_destination": THERE, "expiry_clicks": 5, "clicks_total": 0}  # fmt: skip


@pytest.mark.rule("X16", "T20")
def test_fields_with_names_of_a_service_mean_what_they_mean_there(shop):
    """Phones were led to the page for computers; links of Linkly with an end were left out."""
    assert imported(shop, {"links": [SINK]}).is_complete
    (sink,) = shop.list_qrcodes()
    assert [(rule.content, rule.conditions[0].match_value) for rule in sink.rules] == [(THERE, ("ios",))]
    assert (sink.pass_query, sink.fields) == (True, {})
    assert imported(shop, {"links": [LINKLY | {"name": "Y", "slug": "/y", "full_url": "https://s.test/y"}]}).is_complete
    assert (get(shop, "y"), shop.find_qrcode("y").limit) == (THERE, 5)


@pytest.mark.rule("X16")
@pytest.mark.parametrize(
    ("link", "told"),
    [
        (SINK | {"ios": HERE}, "'apple' and 'ios' have different values"),
        (LINKLY | {"max_visits": 7}, "'expiry_clicks' and 'max_visits' have different values"),
    ],
)
def test_two_names_for_one_field_of_a_service_are_told(shop, link, told):
    """The second one counted, without a word."""
    (issue,) = [issue for issue in imported(shop, {"links": [link]}).issues if issue.reason == "invalid"]
    assert told in issue.detail


@pytest.mark.rule("X16", "T20")
def test_an_empty_field_takes_no_limit_away(shop):
    """The limit was lost, and the link was open for good."""
    assert imported(shop, {"links": [LINKLY | {"expiry_clicks": 5, "max_visits": None}]}).is_complete
    assert shop.find_qrcode("x").limit == 5


@pytest.mark.rule("X16")
def test_a_long_url_named_full_is_no_short_url(shop):
    """Lists with these three names were taken for those of Linkly: the QR Codes led to the short URL."""
    imported(shop, f"url,full_url,slug\nhttps://s.test/x,{HERE},x\n")
    assert get(shop, "x") == HERE


@pytest.mark.rule("X16")
def test_a_final_address_is_the_target_or_is_asked_for(shop):
    """Printed codes led to the page without its parameters."""
    both = f"Short URL,Destination URL,Final URL\nhttps://s.test/x,{HERE},{HERE}&utm_source=qr\n"
    (issue,) = [issue for issue in imported(shop, both).issues if issue.reason == "invalid"]
    assert "say which column is Content" in issue.detail
    assert imported(shop, both.replace("Destination URL", "Page name")).created == 1
    assert get(shop, "x") == f"{HERE}&utm_source=qr"


@pytest.mark.rule("X16")
@pytest.mark.parametrize("word", ["yes", "iPhone 12"])
def test_a_word_is_no_target_of_phones(shop, word):
    """Visitors with an iPhone saw the word."""
    result = imported(shop, f"Short URL,Long URL,iOS\nhttps://s.test/x,{HERE},{word}\n")
    assert (result.created, result.count("invalid")) == (0, 1)


@pytest.mark.rule("X16")
@pytest.mark.parametrize("heading", ["Branded link", "Vanity URL", "Pretty Link"])
def test_short_urls_with_other_names_are_kept(shop, heading):
    """The advice was to import the targets, with new short URLs."""
    assert imported(shop, f"Link title,{heading},Destination URL,Creation\nA,s.test/x,{HERE},2024-05-01\n").created == 1
    assert get(shop, "x") == HERE
    assert str(shop.find_qrcode("x").created) == "2024-05-01 00:00:00+00:00"


def test_a_vanity_url_beside_a_website_is_no_short_url(shop):
    """In a list of people, each address of a profile became a short code."""
    with pytest.raises(UnreadableFile, match="no column 'Content'"):
        imported(shop, f"Name,Website,Vanity URL\nAnn,{HERE},https://social.test/in/ann\n")


@pytest.mark.rule("T20")
@pytest.mark.parametrize("target", ["tel:+4930123456", "intent:#Intent;package=org.example;end", "myapp://open"])
def test_a_target_of_phones_may_be_no_page(shop, target):
    """Such links were left out."""
    imported(shop, [{"short_url": "https://s.test/x", "long_url": HERE, "android": target}])
    assert [rule.content for rule in shop.find_qrcode("x").rules] == [target]


@pytest.mark.rule("T20")
def test_targets_of_phones_are_kept(shop):
    link = {"path": "x", "originalURL": HERE, "shortURL": "https://s.test/x", "iphoneURL": THERE, "androidURL": None}
    assert imported(shop, {"links": [link]}).is_complete
    (code,) = shop.list_qrcodes()
    assert [(rule.content, rule.conditions[0].match_value) for rule in code.rules] == [(THERE, ("ios",))]


def test_the_query_of_a_visitor_is_passed_on_as_the_service_does(shop):
    """Dub, Shlink and Short.io add it unless a link says otherwise."""
    imported(shop, [{"domain": "d.test", "key": "dub", "shortLink": "https://d.test/dub", "url": THERE, "title": "A"}])
    imported(shop, f"createdAt,shortUrl,longUrl,visits\n2024-05-01,https://s.test/shlink,{THERE},0\n")
    imported(
        shop,
        [{"slashtag": "no", "destination": THERE, "title": "B", "shortUrl": "r.test/no", "forwardParameters": False}],
    )
    short_io = {"originalURL": THERE, "domain": "s.test"}
    imported(shop, [short_io | {"path": "short", "title": "C"}, short_io | {"path": "skip", "title": "D", "skipQS": 1}])
    imported(shop, f"slug,url,created_at,param_forwarding\npretty,{THERE}?b,2024-05-01,on\n")
    asked = {code: get(shop, code, "a=1").removeprefix(THERE) for code in ("dub", "shlink", "no", "short", "skip")}
    assert asked == {"dub": "?a=1", "shlink": "?a=1", "no": "", "short": "?a=1", "skip": ""}
    assert get(shop, "pretty", "a=1") == f"{THERE}?b&a=1"


def test_values_are_read_as_databases_of_documents_export_them(shop):
    """MongoDB wraps numbers and dates, Firestore times; any other object is told."""
    times = [{"$date": "2024-05-01T08:30:00Z"}, {"$date": {"$numberLong": "1714552200000"}}, {"_seconds": 1714552200}]
    links = [
        {
            "short_url": f"s.test/{number}",
            "long_url": f"{HERE}#{number}",
            "created_at": time,
            "clicks": {"$numberInt": 5},
        }
        for number, time in enumerate(times)
    ]
    assert imported(shop, links).is_complete
    assert {(f"{code.created:%Y-%m-%d %H:%M}", code.scans) for code in shop.list_qrcodes()} == {("2024-05-01 08:30", 5)}
    unknown = {"short_url": "s.test/x", "long_url": THERE, "created_at": {"year": 2024}, "clicks": {"total": 5}}
    assert imported(shop, [unknown]).count("date-unreadable") == imported(shop, [unknown]).count("duplicate") == 1


@pytest.mark.parametrize(
    "heading", ["Short URL,Clicks", "Link,Destination", "Tracking URL,Landing page", "Name,Website", "Image URL,Target"]
)
def test_a_table_that_may_be_something_else_is_refused(shop, heading):
    with pytest.raises(UnreadableFile, match="no column 'Content'"):
        imported(shop, f"{heading}\nhttps://a.test/x,{HERE}\n")


@pytest.mark.rule("X3", "X4", "X16")
def test_a_printed_code_that_a_duplicate_loses_is_told(shop):
    """Open: a row with the name and content of a known code, and a short code that is free."""
    shop.insert_qrcode(HERE, name="Home", short_code="a")
    result = imported(shop, f"Title,Short URL,Long URL\nHome,https://a.test/b,{HERE}\n")
    told = [(issue.reason, "'https://a.test/b' is not kept" in issue.detail) for issue in result.issues][-2:]
    assert told == [("duplicate", False), ("code-unreadable", True)]
    assert (result.created, result.is_complete, get(shop, "b")) == (0, False, 404)


@pytest.mark.parametrize("target", ["myapp://open/1", "market://details?id=x", "intent://x#Intent;scheme=https;end"])
def test_a_link_into_an_app_is_told(shop, target):
    """Open: other services send visitors into apps. A short URL shows such a link as text."""
    (issue,) = imported(shop, [{"shortLink": "https://d.test/x", "key": "x", "url": target, "domain": "d.test"}]).issues
    assert (issue.reason, "opens an app" in issue.detail) == ("no-address", True)


@pytest.mark.rule("T19")
def test_the_number_of_a_gs1_key_is_no_short_code(shop):
    """Open: a GS1 path with a batch. Its 01 became the code of all paths of all products."""
    path = "01/09506000134352/10/ABC"
    result = shop.import_file(f"Content,Trackable URL\n{HERE},{GO}/{path}\n".encode())
    assert (result.count("code-unreadable"), get(shop, "01/09506000134352"), get(shop, path)) == (1, 404, 404)


def test_a_short_url_may_begin_with_slashes(shop):
    imported(shop, f"Short URL,Long URL\n//a.test/x,{HERE}\n")
    assert get(shop, "x") == HERE


@pytest.mark.parametrize("word", ["no", "FALSE", "nein", "off", "0", "Paused (by Ana)", "\u274c"])
def test_a_state_that_says_no_switches_a_link_off(shop, word):
    """It was reported as one that says neither, and the link worked."""
    imported(shop, f"Short URL,Destination,Status\nhttps://a.test/x,{HERE},{word}\nhttps://a.test/y,{THERE},\u2705\n")
    assert [code.active for code in shop.list_qrcodes()] == [False, True]


def test_second_columns_of_one_meaning_become_fields(shop):
    """What they said was lost without a word: of two comments, counts or short URLs, only the first was kept."""
    heading = "Title,Label,Custom short URL,Short URL,Long URL,Description,Notes,Clicks,Scans,Created,Date added,Tags"
    row = f"A,red,https://go.test/a,https://s.test/a,{HERE},wall,ask Ann,5,7,2024-05-01,2024-06-01,x"
    same = f"B,B,,https://s.test/b,{HERE}2,,only,3,3,2024-05-01,2024-05-01,y"
    shop.import_file(f"{heading}\n{row}\n{same}\n".encode())
    first, second = sorted(shop.list_qrcodes(), key=lambda code: code.name)
    assert (first.short_code, first.comment, first.scans) == ("a", "wall", 5)
    assert first.fields == {
        "Label": "red", "Short URL": "https://s.test/a", "Notes": "ask Ann", "Scans (link list)": "7",
        "Date added": "2024-06-01",
    }  # fmt: skip
    assert (second.short_code, second.comment, second.fields) == ("b", "only", {})


@pytest.mark.parametrize(
    ("heading", "numbers"),
    [
        ("Titel;Kurz-URL;Ziel-URL;Kampagne;Kommentar;Schlagwörter;Adresse;Breitengrad;Längengrad;Klicks", "8,5;2,3"),
        ("Nom;URL courte;Lien long;Campagne;Commentaire;Étiquettes;Adresse;Latitude;Longitude;Clics", "8,5;2,3"),
        ("Nombre;URL corta;URL de destino;Campaña;Notas;Etiquetas;Dirección;Latitud;Longitud;Escaneos", "8,5;2,3"),
        ("Naam;Korte URL;Doel-URL;Campagne;Opmerking;Labels;Adres;Lat;Lng;Aantal scans", "8.5;2.3"),
    ],
)  # fmt: skip
def test_lists_in_other_languages_fill_all_fields(shop, heading, numbers):
    """Comments, tags, campaigns and places became fields."""
    result = imported(shop, f"{heading}\nA;https://s.test/a;{HERE};Mai;am Eck;rot, neu;Weg 1;{numbers};1.204\n")
    (code,) = shop.list_qrcodes()
    assert (code.comment, code.tags, code.scans, code.fields) == ("am Eck", ("rot", "neu"), 1204, {})
    assert (code.location.address, code.location.latitude, code.location.longitude) == ("Weg 1", 8.5, 2.3)
    assert shop.campaigns().name.tolist() == ["Mai"]
    assert [issue.reason for issue in result.issues] == ["limits-unknown"]


def test_of_two_columns_for_one_of_ours_the_second_becomes_a_field(shop):
    rows = f"A,https://s.test/a,{HERE},Weg 1,\nB,https://s.test/b,{THERE},Weg 2,Way 2\n"
    imported(shop, f"Title,Short URL,Long URL,Adresse,Address\n{rows}")
    found = {code.name: (code.location.address, code.fields) for code in shop.list_qrcodes()}
    assert found == {"A": ("Weg 1", {}), "B": ("Weg 2", {"Address (link list)": "Way 2"})}


@pytest.mark.parametrize(
    ("day", "end"),
    [
        ("31.12.2026", "31 23:59:59"), ("12/31/2026", "31 23:59:59"), ("2026-12-31", "31 23:59:59"),
        ("2026-12-31 UTC", "31 23:59:59"), ("31. Dezember 2026", "31 23:59:59"), ("2026-12-31 00:00:00", "31 00:00:00"),
        ("2026-12-31T10:00:00Z", "31 10:00:00"), ("1798675200", "31 00:00:00"),
    ],
)  # fmt: skip
def test_a_link_is_valid_until_the_end_of_a_day(shop, day, end):
    """It ended when its last day began."""
    result = imported(shop, f"Title,Short URL,Long URL,Valid until,Password\nA,https://s.test/a,{HERE},{day},\n")
    assert [f"{code.valid_until:%d %H:%M:%S}" for code in shop.list_qrcodes()] == [end]
    assert result.issues == ()


def test_a_single_tag_is_no_campaign_beside_a_column_of_campaigns(shop):
    """Where the campaign was empty, the tag became one."""
    rows = f"A,https://s.test/a,{HERE},red,May\nB,https://s.test/b,{THERE},red,\n"
    imported(shop, f"Title,Short URL,Long URL,Tags,Campaign\n{rows}")
    assert {code.name: code.campaign_id is None for code in shop.list_qrcodes()} == {"A": False, "B": True}


@pytest.mark.parametrize(
    "file",
    [
        f"QR Code Name,Category,Short URL,Destination URL\nA,Dynamic,https://s.test/a,{HERE}\nB,Static,,{THERE}\n",
        [{"display_name": "A", "qr_data": HERE, "shortlink_url": "https://s.test/a", "dynamic": True},
         {"display_name": "B", "qr_data": THERE, "shortlink_url": None, "dynamic": False}],
        f"Titel;Typ;Kurz-URL;Ziel-URL\nA;statisch;https://s.test/a;{HERE}\nB;statisch;;{THERE}\n",
    ],
)  # fmt: skip
def test_a_static_code_of_a_service_stays_static(shop, file):
    """It got a short URL, which is not what is printed; one with a short URL needs it in any case."""
    imported(shop, file)
    assert {code.name: code.is_dynamic for code in shop.list_qrcodes()} == {"A": True, "B": False}


@pytest.mark.parametrize("column", ["Title", "Comment", "Tags", "Campaign", "UTM Medium", "Model"])
def test_a_text_of_somebody_makes_no_code_static(shop, column):
    """A code with the tag static could no longer be tracked."""
    imported(shop, f"Short URL,Destination URL,{column}\nhttps://s.test/a,{HERE},x\n,{THERE},Static\n")
    assert [code.is_dynamic for code in shop.list_qrcodes()] == [True, True]


@pytest.mark.parametrize("column", ["Title", "Comment", "Tags"])
def test_a_formula_without_a_value_is_told_in_all_columns_of_links(shop, column):
    """A name or a comment was empty without a word."""
    result = imported(shop, f"Short URL,Long URL,{column}\nhttps://s.test/a,{HERE},=CONCAT(A1)\n")
    assert result.created == 1
    assert [issue.row for issue in result.issues if issue.reason == "formula-unsaved"] == [2]
