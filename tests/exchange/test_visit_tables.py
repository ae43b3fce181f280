"""Visits that other services counted: which tables are recognized, and what becomes of each row."""

import json
import shlex

import pandas as pd
import pytest

from qrkit import open_portfolio
from qrkit.__main__ import main
from qrkit.errors import InvalidParameter, UnreadableFile
from qrkit.exchange import visit_tables
from qrkit.portfolio.opening import portfolio_in
from qrkit.tracking.referrers import tidy_referrer

GO = "https://go.example.com"
IPHONE = (
    "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) "
    "Version/17.5 Mobile/15E148 Safari/604.1"
)


@pytest.fixture
def shop(new_store):
    portfolio = portfolio_in(new_store, base_url=GO)
    portfolio.insert_qrcode("https://example.com/?utm_campaign=Door", short_code="door")
    portfolio.insert_qrcode("https://example.com/b?utm_campaign=sale&utm_content=a", short_code="summer/2024")
    return portfolio


SHLINK = {
    "visits": {
        "data": [
            {
                "referer": "https://t.co/abc?x=1",
                "date": "2024-05-01T10:30:00+02:00",
                "userAgent": IPHONE,
                "potentialBot": bot,
                "visitedUrl": f"https://s.test/{code}",
                "visitLocation": {"countryCode": "ES", "countryName": "Spain", "regionName": "X", "cityName": "Y",
                                  "latitude": 40.5, "longitude": -3.5, "timezone": "Europe/Madrid", "isEmpty": False},
            }
            for code, bot in (("door", False), ("summer/2024", True))
        ],
        "pagination": {"currentPage": 1},
    }
}  # fmt: skip
FILES = {
    "ours": (b"short_code,time,referrer\ndoor,2024-05-01 08:30,https://t.co/abc?x=1\nsummer/2024,2024-05-01,\n", "csv"),
    "shlink json": (json.dumps(SHLINK).encode(), "json"),
    "shlink csv": (
        b"browser,city,country,date,latitude,longitude,os,potentialBot,referer,region,userAgent,visitedUrl\n"
        b"Safari,Y,Spain,2024-05-01T10:30:00+02:00,40.5,-3.5,iOS,false,t.co,X,,https://s.test/door\n"
        b"Safari,Y,Spain,2024-05-01T10:30:00+02:00,,,iOS,true,Direct,X,,https://s.test/summer/2024\n",
        "csv",
    ),
    "yourls": (
        b"click_id,click_time,shorturl,referrer,user_agent,ip_address,country_code\n"
        b"1,2024-05-01 08:30:00,door,https://t.co/x,,203.0.113.7,ES\n"
        b"2,2024-05-01 08:30:00,summer/2024,direct,,203.0.113.7,\n",
        "csv",
    ),
    "dub": (
        b"Event,Date,Link,Country,City,Device,Browser,OS,Referrer,Destination URL\n"
        b"Click,2024-05-01T08:30:00.000Z,dub.sh/door,Spain,Y,Mobile,Safari,iOS,t.co,https://example.com\n"
        b"Click,2024-05-01T08:30:00.000Z,dub.sh/summer/2024,Spain,Y,Mobile,Safari,iOS,(direct),https://example.com\n",
        "csv",
    ),
}


@pytest.mark.parametrize(("data", "format"), FILES.values(), ids=FILES.keys())
def test_visits_of_other_services_come_in_once(shop, data, format):
    result = shop.import_scans(data, format=format)
    assert (result.created, result.known, result.issues) == (2, 0, ())
    frame = shop.scans.where(kinds=("scan", "bot")).to_frame()
    assert sorted(frame["qrcode"]) == sorted(code.name for code in shop.list_qrcodes())
    assert set(frame["referrer"].dropna()) == {"t.co"}
    again = shop.import_scans(data, format=format)
    assert (again.created, again.known) == (0, 2)


def test_a_bot_of_the_file_or_of_ours_is_no_scan(shop):
    shop.import_scans(json.dumps(SHLINK).encode(), format="json")
    shop.import_scans(b"short_code,time,user_agent\ndoor,2024-05-02,Googlebot/2.1\n")
    assert len(shop.scans.to_frame()) == 1


BOTS = (
    "date,userAgent,potentialBot,visitedUrl\n2024-05-01T08:30:00Z,Mozilla/5.0 (iPhone),true,https://s.test/door\n"
    "2024-05-02T08:30:00Z,Googlebot/2.1,false,https://s.test/door\n2024-05-03T08:30:00Z,,false,https://s.test/door\n"
)


def test_bots_by_our_rules_stand_beside_those_of_the_file(shop):
    result = shop.import_scans(BOTS.encode())
    assert (result.service, result.bots, result.bots_said) == ("Shlink", 2, 1)
    assert str(result) == "3 visits added, 0 known before, 2 bots (the file says 1)"
    assert len(shop.scans.to_frame()) == 1
    assert shop.import_scans(b"short_code,time\ndoor,2024-06-01\n").bots_said is None


def test_visits_are_checked_without_being_added(shop, tmp_path, capsys):
    checked = shop.import_scans(BOTS.encode(), check=True)
    assert (str(checked), shop.scans.count(), len(shop.scan_imports())) == (
        "3 visits added, 0 known before, 2 bots (the file says 1)", 0, 0,
    )  # fmt: skip
    assert str(shop.import_scans(BOTS.encode())) == str(checked)
    assert shop.import_scans(BOTS.encode(), check=True).known == 3
    store, file = str(tmp_path / "shop.duckdb"), tmp_path / "visits.csv"
    file.write_text(BOTS)
    with open_portfolio(store) as other:
        other.insert_qrcode("https://example.com", short_code="door")
    assert main(["import", str(file), "--store", store, "--check"]) == 0
    assert "visits.csv, checked only: 3 visits added" in capsys.readouterr().out
    with open_portfolio(store) as other:
        assert other.scans.count() == 0


def test_the_source_of_visits_is_kept(tmp_path, capsys):
    store, file = str(tmp_path / "shop.duckdb"), tmp_path / "visits.csv"
    file.write_text(BOTS)
    with open_portfolio(store, base_url=GO) as shop:
        assert shop.scan_imports().empty
        shop.insert_qrcode("https://example.com", short_code="door")
        shop.import_scans(file)
        shop.import_scans(file)
        shop.import_scans(b"short_code,time\ndoor,2024-06-01\n")
    with open_portfolio(store) as shop:
        frame = shop.scan_imports()
    assert frame[["source", "service", "visits", "qrcodes", "bots"]].to_numpy().tolist() == [
        ["visits.csv", "Shlink", 3, 1, 2],
        ["", "", 1, 1, 0],
    ]
    assert frame["bots_said"].tolist() == [1, pd.NA]
    assert str(frame["first"][0]) == "2024-05-01 08:30:00+00:00"
    assert main(["scans", "--imports", "--store", store]) == 0
    assert "visits.csv  Shlink" in capsys.readouterr().out
    assert main(["scans", "--imports", "--store", store, "--json"]) == 0
    assert json.loads(capsys.readouterr().out.splitlines()[1])["bots_said"] is None
    assert main(["scans", "door", "--imports", "--store", store]) == 2
    assert "lists all imports; leave out codes" in capsys.readouterr().err


COUNTS = {
    "ga4": b"Date,Landing page,Sessions\n20240501,/door,2\n20240502,/summer/2024,1\n",
    "plausible": b"date,page,pageviews\n2024-05-01,/door,2\n2024-05-02,/summer/2024,1\n",
    "utm": b"Date,Session campaign,Event count\n20240501,door,2\n2024050208,sale,1\n",
    "cloudflare": b"Path,Date,Page Views,Unique Visitors\n/door,2024-05-01,2.0,1\n/summer/2024,2024-05-02,1,1\n",
    "a list": b"Short URL;Scan Date;Total Scans\ns.test/door;01.05.2024;2\ns.test/summer/2024;02.05.2024;1\n",
    "utm names": b'day,utm_campaign,nb_visits\n2024-05-01,Door,"2"\n2024-05-02,SALE,1\n',
    "spanish": b"Fecha,Enlace corto,Clics\n01/05/2024,s.test/door,2\n13/05/2024,s.test/summer/2024,1\n",
    "dutch": b"Datum,Korte link,Klikken\n1-5-2024,s.test/door,2\n13-5-2024,s.test/summer/2024,1\n",
    "portuguese": b"Data,Link curto,Cliques\n01/05/2024,s.test/door,2\n13/05/2024,s.test/summer/2024,1\n",
    "polish": "Data,Krótki link,Kliknięcia\n01.05.2024,s.test/door,2\n1.6.2024,s.test/summer/2024,1\n".encode(),
    "japanese": "日付,短縮URL,クリック数\n2024/05/01,s.test/door,2\n2024/05/02,s.test/summer/2024,1\n".encode(),
    "fathom": b"Pathname,Views,Uniques,Date\n/door,2,2,2024-05-01\n/summer/2024,1,1,2024-05-01\n",
}
MIXED = {
    "leads of Dub": (
        "event,date,link,url,country,referer\nclick,2024-05-01T08:30:00.000Z,https://dub.sh/door,https://x.test,DE,x\n"
        "lead,2024-05-01T08:31:00.000Z,https://dub.sh/door,https://x.test,DE,x\n", "csv", "event='lead'",
    ),
    "Dub, json": (
        json.dumps([
            {"event": event, "timestamp": "2024-05-01T08:30:00.000", "click": {"id": "a", "country": "DE"},
             "link": {"key": "door", "shortLink": "https://dub.sh/door", "url": "https://x.test", "clicks": 40}}
            for event in ("click", "sale")
        ]), "json", "event='sale'",
    ),
    "Google Analytics in BigQuery": (
        json.dumps([
            {"event_timestamp": "1714552200000000", "event_name": name, "geo": {"country": "Germany"},
             "page_location": f"{GO}/door"} for name in ("page_view", "session_start")
        ]), "json", "event='session_start'",
    ),
    "PostHog": (
        "event,timestamp,properties.$current_url,properties.$geoip_country_code,referrer\n"
        f"$pageview,2024-05-01T08:30:00Z,{GO}/door,DE,\n$pageleave,2024-05-01T08:35:00Z,{GO}/door,DE,\n",
        "csv", "event='$pageleave'",
    ),
    "requests without a redirect": (
        "timestamp,method,path,status,country,user_agent\n2024-05-01T08:30:00Z,GET,/door,302,DE,\n"
        "2024-05-01T08:30:00Z,GET,/door,404,,\n", "csv", "status='404'",
    ),
    "requests for headers": (
        "dt,method,path,st,country,ua\n2024-05-01T08:30:00Z,GET,/door,302,DE,\n2024-05-01T08:30:00Z,HEAD,/door,302,,\n",
        "csv", "method='HEAD'",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("text", "format", "told"), MIXED.values(), ids=MIXED.keys())
def test_rows_that_are_not_visits_are_reported(shop, text, format, told):
    """Sales, answers without a redirect and requests of programs were visits."""
    result = shop.import_scans(text.encode(), format=format)
    assert (result.created, result.issues) == (1, ((0, f"rows with {told} are not visits, and were left out: 1"),))
    (visit,) = shop.scans.to_frame().to_dict("records")
    assert (str(visit["time"]), visit["country"]) == ("2024-05-01 08:30:00+00:00", "DE")


@pytest.mark.parametrize(
    ("events", "visits"),
    [(["Klick", "Kauf"], 2), (["Spring fair", ""], 2), (["qr_code_scan", "sale"], 1), (["link.clicked", "lead"], 1),
     (["sale", "sale"], 0), (["$pageleave", ""], 1)],
)  # fmt: skip
def test_events_in_other_words_are_visits(shop, events, visits):
    """All rows of a file with words of its own, or with an occasion in a column Event, were left out."""
    rows = "".join(f"{GO}/door,2024-05-01 08:{minute:02},{event},x\n" for minute, event in enumerate(events))
    result = shop.import_scans(f"Short URL,Timestamp,Event,User Agent\n{rows}".encode())
    assert (result.created, len(result.issues)) == (visits, int(visits < 2))


@pytest.mark.parametrize(
    ("heading", "words", "scans"),
    [("bot", ["yes", "Ja", "t", "bot", "no", ""], 2), ("human", ["true", "false", "No", "Oui"], 2)],
)
def test_bots_are_known_by_words_of_many_services(shop, heading, words, scans):
    """A bot that a file called so in another word was a person."""
    rows = "".join(f"door,2024-05-01 08:{minute:02},{word}\n" for minute, word in enumerate(words))
    result = shop.import_scans(f"short_code,time,{heading}\n{rows}".encode())
    assert (result.bots_said, result.issues) == (len(words) - scans, ())
    assert len(shop.scans.to_frame()) == scans


GOATCOUNTER = (
    "2Path,Title,Event,UserAgent,Browser,System,Session,Bot,Referrer,Referrer scheme,Screen size,Location,FirstVisit,"
    "Date\n"
    "/door,Door,false,,Safari 17,iOS 17,a1,0,t.co,h,,ES,1,2024-05-01T08:30:00Z\n"
    "/door,Door,false,,Chrome 120,Android 14,a2,1,,o,,DE,1,2024-05-01T08:31:00Z\n"
    "/door,Door,false,,Chrome 120,Android 14,a2,,,o,,DE,1,2024-05-01T08:33:00Z\n"
    "/door,Door,false,,,,a3,5,,o,,US,1,2024-05-01T08:32:00Z\n"
)


def test_numbers_of_goatcounter_tell_bots_as_it_does(shop):
    """0 and 1 are people, anything else says which kind of bot it is. A visitor with 1 was a bot."""
    assert visit_tables.holds_scans(GOATCOUNTER.partition("\n")[0].split(","))
    result = shop.import_scans(GOATCOUNTER.encode())
    assert (result.created, result.service, result.bots, result.issues) == (4, "GoatCounter", 1, ())
    assert shop.find_qrcode("door").scans == 3
    assert set(shop.scans.to_frame()["country"]) == {"ES", "DE"}


@pytest.mark.parametrize(
    ("places", "countries"),
    [
        (["ES", "AR-Q"], {"ES", "AR"}),
        (["ES", "(not set)"], {"ES", ""}),
        (["ES", "Berlin"], {""}),
        (["CA", "NY"], {""}),  # states
    ],
)
def test_a_location_is_a_country_if_all_have_codes(shop, places, countries):
    rows = "".join(f"door,2024-05-01T08:3{number}:00Z,{place}\n" for number, place in enumerate(places))
    assert shop.import_scans(f"short_code,time,location\n{rows}".encode()).issues == ()
    assert set(shop.scans.to_frame()["country"].fillna("")) == countries


def test_a_location_that_is_chosen_as_the_country_is_read_in_any_case(shop):
    """A single town, or names instead of codes, and no country of the file was read."""
    rows = b"short_code,time,Location\ndoor,2024-05-01T08:30:00Z,Germany\ndoor,2024-05-01T08:31:00Z,Berlin\n"
    result = shop.import_scans(rows, columns={"country": "Location"})
    assert result.issues == ((3, "country='Berlin': is not known, and was left out"),)
    assert set(shop.scans.to_frame()["country"].fillna("")) == {"DE", ""}


@pytest.mark.parametrize("heading", ["event,timestamp,properties.$current_url", "short_code,time"])
def test_the_command_knows_visits_by_their_addresses(heading):
    """Its advice on events of PostHog was to import each as a QR Code."""
    assert visit_tables.holds_scans(heading.split(","))


def test_an_unknown_word_for_a_bot_is_reported(shop):
    result = shop.import_scans(b"short_code,time,is_bot\ndoor,2024-05-01 08:30,0.9\n")
    assert (result.created, result.issues) == (1, ((2, "bot='0.9' is neither yes nor no, and was not read"),))


@pytest.mark.parametrize(
    ("text", "time"),
    [
        ("Date,Hour,Short link,Clicks\n2024-05-01,8,door,1\n", "08:00:00"),
        ("Date,Hour,Short link,Clicks\n2024-05-01,0:00,door,1\n2024-05-02,14:00,x,0\n", "00:00:00"),
        ("Date + hour (YYYYMMDDHH),Page path,Views\n2024050108,/door,1\n", "08:00:00"),
        ("date,link,clicks\n2024-05-01T00:00:00+0000,door,1\n2024-05-02T00:00:00+0000,door,0\n", "12:00:00"),
        ("date,link,clicks\n2024-05-01T00:00:00-0400,door,1\n2024-05-02T00:00:00-0400,x,0\n", "16:00:00"),
        ("date,link,clicks\n2024-05-01T00:00:00Z,door,1\n2024-05-01T01:00:00Z,door,0\n", "00:00:00"),
    ],
)
def test_counts_of_an_hour_keep_it_and_those_of_a_day_are_at_noon(shop, text, time):
    """Counts of hours were at noon, and those of a day at midnight, which is the day before in America."""
    shop.import_scans(text.encode())
    assert f"{shop.scans.to_frame()['time'][0]:%H:%M:%S}" == time


@pytest.mark.parametrize("data", COUNTS.values(), ids=COUNTS.keys())
def test_counts_of_a_day_are_as_many_scans(shop, data):
    assert visit_tables.holds_scans(data.splitlines()[0].decode().replace(";", ",").split(","))
    assert shop.import_scans(data).created == 3
    assert shop.find_qrcode("door").scans == 2


def test_a_column_that_may_hold_counts_is_never_overlooked(shop):
    """Each row would be one visit; only who names the columns can mean that."""
    data = b"Link,Date,Unique visitors\ndoor,2024-05-01,20\n"
    with pytest.raises(UnreadableFile, match="'Unique visitors' may say how often each row counts"):
        shop.import_scans(data)
    columns = {"short_code": "Link", "time": "Date"}
    assert shop.import_scans(data, columns=columns, check=True).created == 1
    assert shop.import_scans(data, columns=columns | {"count": "Unique visitors"}).created == 20


@pytest.mark.parametrize("first", ["unique", "bots"])
def test_what_a_count_is_of_is_never_overlooked(shop, first):
    """The numbers of the first column counted, whatever they were of."""
    data = f"Short URL,Date,Clicks ({first}),Clicks (total)\n{GO}/door,2024-05-01,2,5\n"
    with pytest.raises(UnreadableFile, match=rf"'Clicks \({first}\)' may say how often each row counts"):
        shop.import_scans(data.encode())
    assert shop.import_scans(data.replace(" (total)", "").encode()).created == 5


@pytest.mark.parametrize(
    ("columns", "told"),
    [({"referer": "From"}, "columns='referer'"), ({"referrer": None}, "columns.referrer='None': is not a column")],
)
def test_an_unknown_name_of_a_column_is_refused(shop, columns, told):
    """It was passed over without a word, and None was a TypeError."""
    with pytest.raises(InvalidParameter) as caught:
        shop.import_scans(b"short_code,time,From\ndoor,2024-05-01,t.co\n", columns=columns)
    assert told in str(caught.value)


def test_a_url_of_some_kind_is_no_short_url(shop):
    """The long URL was read as the short one."""
    with pytest.raises(UnreadableFile, match="not a short code"):
        shop.import_scans(b"URL (long),URL (short),Timestamp,User Agent\nhttps://x.test,s.test/door,2024-05-01,x\n")


def test_an_agent_is_a_person_and_no_user_agent(shop):
    shop.import_scans(b"short_code,time,Agent\ndoor,2024-05-01 08:30,Ana Petek\n")
    assert shop.find_qrcode("door").scans == 1


@pytest.mark.parametrize(
    ("heading", "row"),
    [
        ("Short URL,Date,Time", "s.test/door,2024-05-01,08:30"),
        ("Short URL,Scan Date,Scan Time", "s.test/door,5/1/2024,8:30:00 AM\ns.test/x,5/31/2024,9:00 AM"),
        ("Short URL,Date,Time", "s.test/door,2024-05-01 08:30,"),
        ("# Free form\n# 20240501-20240531\n\nlink,date", "door,2024-05-01 08:30:00 UTC"),
        ("link,created_at,robot", "door,2024-05-01 10:30:00 +0200,0"),
        ("idVisit,serverTimestamp,url,referrerUrl", f"1,1714552200,{GO}/door,"),
        ("Alias,Timestamp,Country", "door,2024-05-01T08:30:00Z,Unknown"),
        ("added_iso,path,document_referrer", "2024-05-01T08:30:00.000Z,/door,https://t.co"),
        ("Flowcode URL,Scan Timestamp,City", "https://flow.test/door,2024-05-01T08:30:00Z,Berlin"),
        ("Kurzcode;Zeit;Land", "door;01.05.2024 08:30;Italien"),
        ("Kurzcode;Datum;Zeit;Land", "door;01.05.2024;08:30;Italien"),
        ("Flowcode URL,Date,Scan Timestamp", "https://flow.test/door,2024-05-01,2024-05-01T08:30:00Z"),
        ("Date,Slashtag,Country,Referrer", "2024-05-01 08:30:00,door,Germany,t.co"),
    ],
)
def test_a_moment_is_found_in_tables_of_many_programs(shop, heading, row):
    shop.import_scans(f"{heading}\n{row}\n".encode())
    assert str(shop.scans.to_frame()["time"][0]) == "2024-05-01 08:30:00+00:00"


def test_the_advice_on_a_column_of_counts_can_be_copied(tmp_path, capsys):
    store, file = str(tmp_path / "shop.duckdb"), tmp_path / "visits.csv"
    with open_portfolio(store) as shop:
        shop.insert_qrcode("https://example.com", short_code="door")
    file.write_text('"Short code",Timestamp,"Visitors, unique visitors"\ndoor,2024-05-01,20\n')
    assert main(["import", str(file), "--store", store]) == 1
    advice = capsys.readouterr().err.partition("name the columns: ")[2]
    columns = next(part for part in shlex.split(advice) if "=" in part)
    assert main(["import", str(file), "--store", store, "--columns", columns]) == 0
    assert "20 visits added" in capsys.readouterr().out


def test_what_is_said_of_a_file_of_visits_is_told(shop, tmp_path, capsys):
    data = "posters in May\nshort_code,time,city\ndoor,2024-05-01,Köln\n".encode("cp1252")
    result = shop.import_scans(data)
    assert [row for row, _ in result.issues] == [0, 0]
    assert "cp1252" in result.issues[0][1] + result.issues[1][1]
    assert str(result) == "1 visit added, 0 known before"
    store, file = str(tmp_path / "shop.duckdb"), tmp_path / "visits.csv"
    with open_portfolio(store) as other:
        other.insert_qrcode("https://example.com", short_code="door")
    file.write_bytes(data)
    assert main(["import", str(file), "--store", store]) == 0
    assert "the heading is in row 2" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["Germany", "DEU", "de", "Deutschland", "Alemania", "Allemagne", "duitsland"])
def test_countries_are_known_by_names_in_languages_of_reports(shop, name):
    """They were left out of exports in German, and `USA` of any."""
    result = shop.import_scans(f"short_code,time,country\ndoor,2024-05-01,{name}\n".encode())
    assert (shop.scans.to_frame()["country"].tolist(), result.issues) == (["DE"], ())


@pytest.mark.parametrize(
    ("name", "code"), [("Korea", "KR"), ("C\u00f4te d\u2019Ivoire", "CI"), ("Bahama\u2019s", "BS")]
)
def test_countries_are_known_by_other_usual_names(shop, name, code):
    """Google Analytics writes the apostrophe of typographers."""
    shop.import_scans(f"short_code,time,country\ndoor,2024-05-01,{name}\n".encode())
    assert shop.scans.to_frame()["country"].tolist() == [code]


@pytest.mark.parametrize("nothing", ["(not set)", "N/A", "-", "NULL"])
def test_words_for_no_value_are_no_cells_of_visits(shop, nothing):
    """A visit whose user agent is not set was one of a bot, and its city was called N/A."""
    heading = "short_code,time,user_agent,city,country,referrer,language"
    result = shop.import_scans(f"{heading}\ndoor,2024-05-01,{','.join([nothing] * 5)}\n".encode())
    (visit,) = shop.scans.to_frame()[["city", "country", "referrer", "language"]].to_dict("records")
    assert (result.bots, result.issues, set(map(pd.isna, visit.values()))) == (0, (), {True})


def test_the_usual_code_of_the_united_kingdom_is_that_of_iso(shop):
    shop.import_scans(b"short_code,time,country\ndoor,2024-05-01,UK\ndoor,2024-05-02,gb\n")
    assert shop.scans.to_frame()["country"].tolist() == ["GB", "GB"]


def test_a_bad_row_is_named_and_the_others_come_in(shop):
    rows = [
        *("nobody,2024-05-01,", "door,yesterday,", "door,2024-05-01,ES", ",2024-05-01,", "door,1700-01-01,"),
        *("door,2024-05-02,Atlantis", "door,2024-05-03,,more"),
    ]
    result = shop.import_scans("\n".join(["short_code,time,country", *rows]).encode())
    assert result.created == 2
    assert [row for row, _ in result.issues] == [2, 3, 5, 6, 7, 8]


@pytest.mark.parametrize(
    ("cell", "heading"),
    [
        ("kind", "orphan"),
        ("via", "poster"),
        ("visitor", "-1"),
        ("visitor", str(2**64)),
        ("latitude", "91"),
        ("latitude", "north"),
        ("longitude", "x"),
        ("count", "1.5"),
    ],
)
def test_an_invalid_cell_costs_its_row_alone(shop, cell, heading):
    data = f"short_code,time,{cell}\ndoor,2024-05-01,{heading}\ndoor,2024-05-01,\n".encode()
    data = data if cell != "count" else data.rstrip() + b"1\n"
    result = shop.import_scans(data)
    ((row, error),) = result.issues
    assert (result.created, row, error.partition("=")[0]) == (1, 2, cell)


@pytest.mark.parametrize("visitor", [0, 7, 2**64 - 1])
def test_a_visitor_is_kept(shop, visitor):
    """Each row with a visitor was left out."""
    result = shop.import_scans(f"short_code,time,visitor\ndoor,2024-05-01,{visitor}\n".encode())
    assert (result.created, result.issues) == (1, ())
    assert shop.store.rows("SELECT visitor FROM visits") == [{"visitor": visitor}]


def test_a_date_that_there_is_not_is_named(shop):
    ((row, error),) = shop.import_scans(b"short_code,time\ndoor,2024-13-01\n").issues
    assert (row, error) == (2, "time='2024-13-01': month must be in 1..12")


def test_a_date_that_is_not_clear_is_told_why(shop):
    ((row, error),) = shop.import_scans(b"short_code,time\ndoor,31.12.26\n").issues
    assert (row, error[:46]) == (2, "time='31.12.26': may be read in several ways, ")


def test_numbers_that_differ_from_rows_are_told(shop):
    links = f"Content,Trackable URL,Scans\nhttps://example.com/x,{GO}/x,3\nhttps://example.com/y,{GO}/y,1\n"
    shop.import_file(links.encode())
    data = b"short_code,time\nx,2024-05-01\nx,2024-05-02\ny,2024-05-01\n"
    assert shop.import_scans(data).differences == {"x": (3, 2)}
    assert shop.import_scans(data).differences == {}
    assert shop.find_qrcode("x").scans == 3


@pytest.mark.parametrize(
    ("data", "word"),
    [
        (b"date,userAgent,referer\n2024-05-01,x,y\n", "short code or short URL"),
        (b"short_code,userAgent\ndoor,x\n", "the time of each visit"),
        (b"", "is empty"),
    ],
)
def test_what_is_missing_is_said(shop, data, word):
    with pytest.raises(UnreadableFile, match=word):
        shop.import_scans(data)


BITLY = {"link_clicks": [{"date": "2024-05-01T00:00:00+0000", "clicks": 2}], "units": -1, "unit": "day"}


@pytest.mark.parametrize(
    ("name", "text"), [("clicks.json", json.dumps(BITLY)), ("clicks.csv", "Date,Clicks\n2024-05-01,2\n")]
)
def test_the_clicks_of_one_link_need_its_code(tmp_path, capsys, name, text):
    """The clicks of a Bitly link, which its API counts a day."""
    store, file = str(tmp_path / "shop.duckdb"), tmp_path / name
    with open_portfolio(store, base_url=GO) as shop:
        shop.insert_qrcode("https://example.com", short_code="door")
    file.write_text(text)
    assert main(["import", str(file), "--store", store]) == 1
    assert "--code CODE" in capsys.readouterr().err
    assert main(["import", str(file), "--store", store, "--code", "door"]) == 0
    assert "2 visits added" in capsys.readouterr().out


def test_the_code_and_the_columns_can_be_given(shop):
    assert shop.import_scans(b"date,referer\n2024-05-01,x\n", code="door").created == 1
    columns = {"time": "When", "short_code": "What"}
    assert shop.import_scans(b"When,What\n2024-05-02,door\n", columns=columns).created == 1


def test_the_number_of_visits_is_limited(shop):
    with pytest.raises(UnreadableFile, match="more than 1,000,000 visits"):
        shop.import_scans(b"short_code,time,count\ndoor,2024-05-01,1000000\ndoor,2024-05-02,1\n")
    with pytest.raises(UnreadableFile, match="more than 1,000,000 visits"):
        shop.import_scans(b"short_code,time,count\ndoor,2024-05-01,9999999999999\n")


@pytest.mark.parametrize(
    "heading",
    [
        "Content,Name",
        "Name,Website,Date",
        "slug,url,createdAt",
        "short,url,timestamp,counter",
        "Link,Date",
        "",
        "Slashtag,URL,Created At,Clicks",
        "Title,Backhalf,Website,Date,Clicks",
        "alias,url,date,clicks",
        "Name,Vanity URL,Website,Created At",
    ],
)
def test_a_table_of_links_is_no_table_of_visits(heading):
    assert not visit_tables.holds_scans(heading.split(","))


HOSTS = {
    "https://t.co/abc?x=1": "t.co",
    "t.co/abc": "t.co",
    "t.co": "t.co",
    "android-app://com.x/": "com.x",
    "(direct)": None,
    "": None,
    "https://[bad": None,
}


def test_a_referrer_is_cut_to_its_host(shop):
    assert {text: tidy_referrer(text) for text in HOSTS} == HOSTS
    times = [f"2024-05-{day:02}" for day, _ in enumerate(HOSTS, 1)]
    shop.scans.insert(pd.DataFrame({"short_code": "door", "time": times, "referrer": [*HOSTS]}))
    kept = shop.scans.to_frame().sort_values("time")["referrer"].astype(object)
    wanted = [host if text else "" for text, host in HOSTS.items()]  # what is empty already stays so
    assert kept.where(kept.notna(), None).tolist() == wanted


def test_the_command_recognizes_visits(tmp_path, capsys):
    store, file = str(tmp_path / "shop.duckdb"), tmp_path / "visits.csv"
    with open_portfolio(store, base_url=GO) as shop:
        shop.insert_qrcode("https://example.com", short_code="door")
    file.write_text("short_code,time\ndoor,2024-05-01\nnobody,2024-05-01\n")
    assert main(["import", str(file), "--store", store]) == 3
    told = capsys.readouterr()
    assert "1 visit added" in told.out
    assert "row 3: 'nobody' is not a short code" in told.err
    file.write_text("When,What\n2024-05-02,door\n")
    assert main(["import", str(file), "--store", store, "--columns", "time=When,short_code=What", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["created"] == 1
    file.write_text("date,referer,userAgent\n2024-05-03,x,y\n")
    assert main(["import", str(file), "--store", store]) == 1
    assert "--code CODE" in capsys.readouterr().err
    assert main(["import", str(file), "--store", store, "--code", "door"]) == 0


@pytest.mark.parametrize(
    ("time", "is_told"),
    [("2024-05-01 10:00", True), ("31-12-2024 10:00", True), ("31-Dec-2024 10:00", True), ("5 März 2024 10:00", True),
     ("2024-05-01T10:00:00Z", False), ("2024-05-01 10:00:00.5 +0200", False), ("1714552200", False),
     ("Wed May 01 2024 10:00:00 GMT+0200 (CEST)", False), ("13/5/2024 10:00 AM UTC", False)],
)  # fmt: skip
@pytest.mark.parametrize("zone", ["Timezone", "Zeitzone"])
def test_times_are_in_utc_even_with_a_column_of_time_zones(shop, time, is_told, zone):
    """Times of Berlin silently moved by two hours."""
    result = shop.import_scans(f"Short URL,Time,{zone}\n{GO}/door,{time},Europe/Berlin\n".encode(), check=True)
    assert [f"{zone!r} was not read" in detail for _, detail in result.issues] == [True] * is_told


@pytest.mark.parametrize("zone", ["UTC+2", "GMT-05:00", "Europe/Berlin", "CET", "local time", "UTC", "GMT+0"])
def test_a_time_zone_in_the_heading_is_reported(shop, zone):
    """Named by the user, such a column was read in UTC."""
    result = shop.import_scans(f"short_code,Time ({zone})\ndoor,2024-05-01 10:30:00\n".encode())
    told = [
        (0, f"the time zone in 'Time ({zone})' was not read: times without an offset, such as +02:00, are read in UTC")
    ]
    assert (result.created, list(result.issues)) == (1, told if zone not in ("UTC", "GMT+0") else [])


def test_visits_in_the_future_are_reported(shop):
    data = b"short_code,time\ndoor,2024-01-02 10:00\ndoor,2099-01-02 10:00\ndoor,2099-01-03 10:00\n"
    told = [rule for row, rule in shop.import_scans(data).issues if not row]
    assert [rule.partition(";")[0] for rule in told] == ["visits in the future: 2, such as 2099-01-02T10:00:00+00:00"]


@pytest.mark.parametrize("title", ["Bots", "Bot clicks", "Number of bots", "Robots"])
def test_a_count_of_bots_beside_that_of_visits_is_reported(shop, title):
    told = shop.import_scans(f"Short URL,Date,Clicks,{title}\n{GO}/door,2024-01-01,12,3\n".encode()).issues
    assert told == ((0, f"{title!r} was not read: if 'Clicks' includes bots, these count as scans"),)


def test_a_bot_column_that_is_read_is_not_reported(shop):
    assert shop.import_scans(f"Short URL,Date,Clicks,Bot\n{GO}/door,2024-01-01,12,no\n".encode()).issues == ()


@pytest.mark.parametrize(
    ("heading", "cell", "told"),
    [
        (
            "Sample rate",
            "0.1",
            "'Sample rate' was not read: if 'Clicks' was counted in a sample, there were more visits",
        ),
        ("Scans", "5", "'Scans' was not read: the visits were counted from 'Clicks'"),
    ],
)
def test_columns_that_change_the_meaning_of_counts_are_reported(shop, heading, cell, told):
    data = f"Date,Short URL,Clicks,{heading}\n2024-05-01,{GO}/door,3,{cell}\n"
    assert shop.import_scans(data.encode()).issues == ((0, told),)


@pytest.mark.parametrize(
    ("days", "told"),
    [
        (["2024-05-01", "2024-04-01"], ["all counts are on the first day of a month"]),
        (["2024-05-06", "2024-05-13", "2024-05-20"], ["all counts are on the same weekday"]),
        (["2024-05-01", "2024-05-02"], []),
        (["2024-05-01"], []),
    ],
)
def test_counts_of_months_and_weeks_are_reported(shop, days, told):
    clicks = [{"clicks": 3, "date": f"{day}T00:00:00+0000"} for day in days]
    result = shop.import_scans(json.dumps({"link_clicks": clicks}).encode(), format="json", code="door")
    assert (result.created, [rule.partition(";")[0] for _, rule in result.issues]) == (3 * len(days), told)


def test_custom_events_of_umami_are_not_visits(shop):
    data = f"url_path,event_type,event_name,created_at\n{GO}/door,1,,2024-05-01 10:00\n{GO}/door,2,sign-up,2024-05-01\n"
    result = shop.import_scans(data.encode())
    assert (result.created, result.issues) == (1, ((0, "rows with event='2' are not visits, and were left out: 1"),))


def test_a_number_of_events_is_not_a_type_of_event(shop):
    rows = [f"door,{number},2024-05-01 1{number}:00" for number in (1, 2, 3)]
    assert shop.import_scans("\n".join(["short_code,event,time", *rows]).encode()).created == 3


@pytest.mark.parametrize(
    ("file", "rule"),
    [
        ('"0",,"general",,,,,,,,"120","total_requests"\n', "report of GoAccess.*import the access log"),
        ('{"requests": [{"hits": {"count": 60}, "data": "/door"}]}', "report of GoAccess.*import the access log"),
        (
            '[{"idVisit": 1, "actionDetails": [{"url": "https://go.example.com/door"}]}]',
            "Matomo.*url and timestamp",
        ),
        ("Short URL,2026-01,2026-02\na,3,4\n", "a row for each date and short URL"),
        ("Short URL,Jan 2026,Feb 2026\na,3,4\n", "a row for each date and short URL"),
        ("Short URL,März 2026,avr. 2026\na,3,4\n", "a row for each date and short URL"),
        ("Month,Short URL,Clicks\n2026-01,door,3\n", "table of months; import the visits of each day"),
        ('[GIN] 2026/01/02 - 15:04:05 | 302 | 123µs | 127.0.0.1 | GET      "/door"\n', "combined log format"),
        ("1735689600.1 45 ::1 TCP_MISS/302 512 GET http://go.example.com/door - HIER_DIRECT/::1 -\n", "combined log"),
        ('Started GET "/door" for ::1 at 2026-01-02 15:04:05 +0000\nCompleted 302 Found in 5ms\n', "combined log"),
        ("GET /door 302 3.456 ms - 46\n", "combined log format"),
    ],
)
def test_what_is_no_table_of_visits_says_what_it_is(shop, file, rule):
    """The advice was to name columns that the file does not have."""
    with pytest.raises(UnreadableFile, match=rule):
        shop.import_scans(file.encode())


@pytest.mark.parametrize("heading", ["Month,Date,Where,Clicks", "Kurz,May 20,May 21,Zeit"])
def test_a_table_without_short_codes_lists_its_columns(shop, heading):
    """It was called a table of months, or one with a column for each date, without a list of its columns."""
    with pytest.raises(UnreadableFile, match=r"not a short code or short URL for each visit; it has '(Month|Kurz)'"):
        shop.import_scans(f"{heading}\n1,2,door,3\n".encode())


@pytest.mark.parametrize("code", ["sum", "total", "gesamt"])
@pytest.mark.parametrize(
    "pattern", ["short_code,time\n{},2026-01-02 10:00:00\n", '[{{"short_code":"{}","time":"2026-01-02 10:00:00"}}]']
)
def test_a_short_code_may_be_a_word_for_totals(shop, code, pattern):
    """All visits of it were left out."""
    shop.insert_qrcode("https://example.com/sum", short_code=code)
    result = shop.import_scans(pattern.format(code).encode())
    assert (result.created, result.issues) == (1, ())


def test_a_row_of_totals_is_not_a_visit(shop):
    result = shop.import_scans(b"short_code,time,clicks\ndoor,2026-01-02,3\nTotal,,3\n")
    assert (result.created, [row for row, _ in result.issues]) == (3, [3])
