"""`qrkit list`, `show`, `add`, `set`, `remove`, `campaign` and `scans`: what a portfolio does, typed."""

import csv
import json
import re
import shutil
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from io import StringIO

import pandas as pd
import pytest

from qrkit import Color, open_portfolio
from qrkit.__main__ import main

LINK = "https://example.com/spring"
PASSWORD = "otpauth://totp/Nero?secret=JBSWY3DPEHPK3PXP"
ADDRESS = "https://go.example.com"
TIMES = ["2026-06-01T09:00:00Z", "2026-06-01T23:30:00Z", "2026-06-03T12:00:00Z"]


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """Every command works in an empty folder of its own, on the store shop.duckdb."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("QRKIT_STORE", "shop.duckdb")
    return tmp_path


@pytest.fixture
def shop(folder):
    """Opens the store: between two commands, because a file is opened by one process at a time."""
    return lambda: open_portfolio("shop.duckdb")


@pytest.fixture(scope="module")
def example(tmp_path_factory):
    """A store with two campaigns, a template, three codes, and the scans of two of them."""
    path = tmp_path_factory.mktemp("store") / "shop.duckdb"
    with open_portfolio(path, base_url=ADDRESS) as made:
        spring, summer = (made.insert_campaign(name) for name in ("Spring", "Summer sale"))
        made.templates.save("brand", {"foreground": "navy"})
        made.insert_qrcode(LINK, name="Front door", short_code="door", campaign_id=spring.id)
        made.insert_qrcode("https://example.com/gate", name="Gate", short_code="gate", campaign_id=summer.id)
        made.insert_qrcode("WIFI:T:WPA;S:Nero;P:espresso;;", name="Wi-Fi", short_code="wifi", is_dynamic=False)
        rows = [{"short_code": "door", "time": time, "country": "PT"} for time in TIMES]
        rows += [{"short_code": "gate", "time": TIMES[0]}, {"short_code": "gate", "time": TIMES[0], "kind": "bot"}]
        made.scans.insert(pd.DataFrame(rows))
    return path


@pytest.fixture
def store(example, folder, shop):
    """Opens a copy of the example."""
    shutil.copy(example, folder / "shop.duckdb")
    return shop


@pytest.fixture
def run(capsys):
    """What a command that succeeds prints, and what it tells beside."""

    def of(*words, status=0):
        assert main([*words]) == status
        return capsys.readouterr()

    return of


@pytest.fixture
def rows(run):
    """The objects of a command with --json."""
    return lambda *words: [json.loads(line) for line in run(*words, "--json").out.splitlines()]


@pytest.fixture
def refused(run):
    """The one line of a command that is refused."""

    def of(*words):
        out, err = run(*words, status=2)
        assert (out, err.count("\n")) == ("", 1)
        return err

    return of


# list and show --------------------------------------------------------------------------------------------------------


def test_list_writes_a_long_content_in_full_and_shifts_only_its_own_line(store, run):
    long = "https://example.com/" + "a" * 200
    with store() as shop:
        shop.insert_qrcode(long, name="Long", short_code="long")
    _, door, *_, last = run("list").out.splitlines()
    assert long in last
    assert len(door) < 100


def test_list_prints_aligned_columns_without_secrets(store, run):
    assert run("list").out == (
        "Code  Name        Campaign     Content                             Scans\n"
        "door  Front door  Spring       https://example.com/spring              3\n"
        "gate  Gate        Summer sale  https://example.com/gate                1\n"
        "wifi  Wi-Fi                    Wi-Fi: Nero (WPA, password hidden)      0\n"
    )


def test_csv_and_json_have_the_same_values_as_the_portfolio(store, run, rows):
    found = rows("list")
    read = list(csv.DictReader(StringIO(run("list", "--csv").out)))
    assert read == [{name: str(value) for name, value in row.items()} for row in found]
    with store() as shop:
        codes = shop.list_qrcodes()
        assert [row["content"] for row in found] == [code.content for code in codes]
        assert [row["short_url"] for row in found] == [code.short_url for code in codes]
        assert [row["id"] for row in found] == [code.id for code in codes]


def test_a_spreadsheet_runs_nothing_of_a_csv(store, run):
    run("set", "door", "--name", "=1+1")
    assert "door,'=1+1,Spring" in run("list", "--csv").out


def test_control_characters_do_not_reach_the_terminal(store, run):
    with store() as shop:
        shop.update_qrcode(shop.find_qrcode("door").id, name="a\x1b[31m\nb")
    assert "a [31m b" in run("list").out
    assert "\x1b" not in run("show", "door").out


@pytest.mark.parametrize(
    ("words", "codes"),
    [
        (["FRONT"], ["door"]),
        (["example.com"], ["door", "gate"]),
        (["--campaign", "Summer sale"], ["gate"]),
        (["example.com", "--campaign", "Spring"], ["door"]),
        (["--limit", "2"], ["door", "gate"]),
        (["--limit", "9"], ["door", "gate", "wifi"]),
    ],
    ids=str,
)
def test_list_shows_some(store, rows, words, codes):
    assert [row["short_code"] for row in rows("list", *words)] == codes


def test_list_says_what_it_leaves_out_and_why_it_is_empty(store, run, folder):
    assert run("list", "--limit", "1").err == "qrkit list: 2 more are left out\n"
    assert run("list", "--limit", "3").err == ""
    assert run("list", "nowhere") == ("", "qrkit list: no QR Code contains this text\n")
    run("campaign", "add", "Autumn")
    assert run("list", "--campaign", "Autumn") == ("", "qrkit list: no QR Code is in this campaign\n")
    run("set", "door", "--field", "Room=2")
    assert run("list", "--field", "Room=9").err == "qrkit list: no QR Code has this value of the field\n"
    both = "qrkit list: no QR Code contains this text and has this tag\n"
    assert run("list", "nowhere", "--tag", "old").err == both
    open_portfolio(folder / "new.duckdb").close()
    assert "no QR Codes yet; `qrkit add` creates one" in run("list", "--store", "new.duckdb").err


def test_show_tells_all_of_one_code(store, run):
    run("set", "door", "--comment", "Fragile", "--address", "Harbour", "--latitude", "54.3", "--longitude", "10.1")
    lines = run("show", "door").out.splitlines()
    assert lines[0] == "Front door"
    told = dict(re.split(r" {2,}", line.strip(), maxsplit=1) for line in lines[1:])
    assert (told.pop("created")[-1], len(told.pop("id"))) == ("Z", 32)
    assert told == {
        "short URL": f"{ADDRESS}/door",
        "content": LINK,
        "campaign": "Spring",
        "scans": "3",
        "comment": "Fragile",
        "address": "Harbour",
        "degrees": "54.3, 10.1",
    }


def test_show_hides_a_password_that_json_has(store, run, rows):
    assert "espresso" not in run("show", "wifi").out
    [row] = rows("show", "wifi")
    assert (row["content"], row["is_dynamic"]) == ("WIFI:T:WPA;S:Nero;P:espresso;;", False)


# add, set and remove --------------------------------------------------------------------------------------------------


def test_add_prints_the_short_url_and_makes_the_store(run, shop):
    assert run("add", LINK, "--short-code", "door", "--base-url", ADDRESS) == (f"{ADDRESS}/door\n", "")
    with shop() as made:
        [code] = made.list_qrcodes()
        assert (code.content, code.name, code.short_url) == (LINK, LINK, f"{ADDRESS}/door")


def test_add_warns_of_short_urls_that_lead_to_this_machine(run):
    out, err = run("add", LINK)
    assert out.startswith("http://localhost:8080/")
    assert "leads only to this computer; set the address of your server with --base-url" in err


REFUSED_WITHOUT_A_STORE = [
    (["add", ""], "content"),
    (["add", LINK, "--short-code", "?"], "--short-code='?': must be 1..200 letters"),
    (["add", LINK, "--campaign", "Spring"], "no campaign 'Spring'; there are none yet"),
    (["add", LINK, "--template", "brand"], "template='brand'"),
    (["add", LINK, "--schedule", "missing.json"], "missing.json: No such file"),
    (["add", LINK, "-o", "new.doc"], "format='doc': is not a format"),
    (["add", LINK, "--base-url", "go.example.com"], "--base-url"),
    (["add", PASSWORD], "content: is of the kind 'one-time password'"),
    (["list"], "no store 'shop.duckdb'; `qrkit add`"),
    (["show", "door"], "no store 'shop.duckdb'"),
    (["set", "door", "--name", "x"], "no store 'shop.duckdb'"),
    (["remove", "door", "--yes"], "no store 'shop.duckdb'"),
    (["scans"], "no store 'shop.duckdb'"),
    (["campaign", "add", "Spring"], "no store 'shop.duckdb'"),
]


def test_what_is_refused_leaves_no_store_behind(refused, folder):
    for words, rule in REFUSED_WITHOUT_A_STORE:
        assert rule in refused(*words), words
        assert list(folder.iterdir()) == [], words


def test_what_was_added_with_every_option_is_what_the_portfolio_has(store, rows):
    events = [{"date": "2026-12-01T08:00:00Z", "content": "https://example.com/xmas", "recurrence": 0}]
    options = {
        "name": "Window", "comment": "left", "urlinfo": "Spring Sale", "template": "brand", "campaign": "Spring",
        "address": "Harbour", "latitude": "54.3", "longitude": "10.1", "short-code": "window",
        "schedule": json.dumps(events),
    }  # fmt: skip
    [row] = rows("add", LINK, *(word for name, value in options.items() for word in (f"--{name}", value)))
    with store() as shop:
        code = shop.find_qrcode("window")
        assert (code.name, code.comment, code.template, code.urlinfo) == ("Window", "left", "brand", "Spring Sale")
        assert code.campaign_id == shop.find_campaign("Spring").id
        assert (code.location.address, code.location.latitude, code.location.longitude) == ("Harbour", 54.3, 10.1)
        assert [event.model_dump(mode="json") for event in code.schedule] == events
        assert code.is_schedule_enabled
        assert row["short_url"] == code.short_url == f"{ADDRESS}/window/spring-sale"


def test_the_picture_is_drawn_with_the_template(store, run, folder):
    run("add", LINK, "--short-code", "new", "--template", "brand", "-o", "new.png")
    run("show", "new", "-o", "new.svg")
    with store() as shop:
        image = shop.image(shop.find_qrcode("new"))
        assert image.design.foreground == Color.parse("navy")
        assert (folder / "new.png").read_bytes() == image.to_bytes("png")
        assert (folder / "new.svg").read_bytes() == image.to_bytes("svg")


def test_nothing_is_added_if_the_picture_cannot_be_written(store, refused):
    for file, rule in (
        ("new.doc", "format='doc': is not a format"),
        ("nowhere/new.png", "make the folder 'nowhere' first"),
    ):
        assert rule in refused("add", LINK, "--short-code", "new", "-o", file)
    with store() as shop:
        assert len(shop.list_qrcodes()) == 3


def test_a_static_code_has_no_short_url_to_print(store, run):
    assert run("add", "hello", "--static", "--short-code", "plain").out == "plain\n"
    assert run("show", "plain").out.splitlines()[1] == "  short URL  none: the picture encodes the content"


def test_set_says_that_a_code_is_off(store, run):
    with store() as shop:
        target = shop.find_qrcode("door").content
    off = f"door: Front door leads to {target} (switched off)\n"
    would_be_off = off.replace("leads", "would lead")
    assert run("set", "door", "--off", "--preview").out == would_be_off
    assert run("set", "door", "--off").out == off
    assert run("set", "door", "--on", "--preview").out == would_be_off.replace(" (switched off)", "")
    assert run("set", "door", "--comment", "closed").out == off
    assert run("set", "door", "--on").out == off.replace(" (switched off)", "")


@pytest.mark.parametrize(
    ("option", "time", "told"),
    [
        ("--until", "2020-01-01T00:00:00Z", " (not after 2020-01-01T00:00:00Z)"),
        ("--until", "2990-01-01T00:00:00Z", ""),
        ("--since", "2990-01-01T00:00:00Z", " (not before 2990-01-01T00:00:00Z)"),
        ("--since", "2020-01-01T00:00:00Z", ""),
    ],
)
def test_set_says_that_the_times_of_a_code_close_it(store, run, option, time, told):
    with store() as shop:
        target = shop.find_qrcode("door").content
    assert run("set", "door", option, time, "--preview").out == f"door: Front door would lead to {target}{told}\n"
    assert run("set", "door", option, time).out == f"door: Front door leads to {target}{told}\n"


def test_set_changes_what_it_is_asked_to_and_nothing_else(store, run):
    with store() as shop:
        before = shop.find_qrcode("door")
    out = run("set", "door", "--content", "https://example.com/new").out
    assert out == "door: Front door leads to https://example.com/new\n"
    with store() as shop:
        assert shop.find_qrcode("door") == before.replace(content="https://example.com/new", image_url=before.image_url)


def test_several_codes_are_set_at_once_and_an_empty_text_removes(store, run, rows):
    assert [row["campaign"] for row in rows("set", "door", "gate", "--campaign", "Spring")] == ["Spring"] * 2
    assert [row["template"] for row in rows("set", "door", "gate", "--template", "brand")] == ["brand"] * 2
    bare = {"campaign": "", "template": ""}
    assert rows("set", "door", "--campaign", "", "--template", "")[0] | bare == rows("list", "door")[0] | {"issues": []}


REFUSED = [
    (["set", "door", "gate", "nowhere", "--content", "https://x.example"], "no QR Code 'nowhere'"),
    (["set", "dor", "--content", "https://x.example"], "no QR Code 'dor'; did you mean 'door'"),
    (["set", "door"], "options: must say what to change, such as --content"),
    (["set", "door", "gate", "--name", "x"], "name='x': is only for one CODE"),
    (["set", "door", "--campaign", "Sprng"], "no campaign 'Sprng'; did you mean 'Spring'"),
    (["set", "door", "gate", "--template", "brnd"], "template='brnd'"),
    (["set", "door", "--content", PASSWORD], "--content: is of the kind 'one-time password'"),
    (["set", "door", "--latitude", "91"], "--latitude=91: must be"),
    (["set", "door", "--since", "soon"], "--since='soon': must be a date"),
    (["set", "door", "--until", "2026"], "--until='2026': must be a date"),
    (["set", "door", "--schedule", "[{]"], "is not JSON"),
    (["set", "door", "--schedule", "[1]"], "schedule"),
    (["set", "door", "--schedule", '[{"date": "soon", "content": "x"}]'], "date"),
    (["set", "door", "--schedule", "object.json"], "must be a JSON list of objects with date and content"),
    (["remove", "door", "nowhere", "--yes"], "no QR Code 'nowhere'"),
    (["remove", "door"], "--yes: is required, because there is no terminal to ask you in"),
    (["campaign", "remove", "Spring"], "yes: is required"),
    (["campaign", "remove", "Sprng", "--yes"], "did you mean 'Spring'"),
    (["campaign", "set", "Spring"], "options: must say what to change, such as --name"),
    (["campaign", "add", "x", "--template", "brnd"], "template='brnd'"),
    (["show", "dor"], "no QR Code 'dor'; did you mean 'door'"),
    (["list", "--campaign", "Sprng"], "no campaign 'Sprng'; did you mean 'Spring'"),
    (["scans", "dor"], "no QR Code 'dor'; did you mean 'door'"),
    (["report", "--campaign", "Sprng"], "no campaign 'Sprng'; did you mean 'Spring'"),
]


def test_what_is_wrong_is_one_line_and_changes_nothing(store, refused, folder):
    (folder / "object.json").write_text("{}")
    with store() as shop:
        before = shop.list_qrcodes(), shop.list_campaigns()
    for words, rule in REFUSED:
        assert rule in refused(*words), words
    with store() as shop:
        assert (shop.list_qrcodes(), shop.list_campaigns()) == before


def test_a_schedule_from_a_file_is_on_and_shown_until_it_is_taken_away(store, run, rows, folder):
    past = (datetime.now(UTC) - timedelta(days=1)).isoformat(timespec="seconds")
    events = [{"date": past, "content": "https://example.com/now"}]
    (folder / "events.json").write_text(json.dumps(events))
    run("set", "door", "--schedule", "events.json")
    shown = run("show", "door").out
    assert re.search(r"now leads to +https://example.com/now\n", shown)
    assert re.search(r"schedule +\S+Z once: https://example.com/now\n", shown)
    [row] = rows("show", "door")
    assert row["active_content"] == "https://example.com/now"
    (folder / "again.json").write_text(json.dumps(row["schedule"]))
    run("set", "gate", "--schedule", "again.json")
    assert rows("show", "gate")[0]["schedule"] == row["schedule"]
    run("set", "door", "--no-schedule")
    assert "schedule" not in run("show", "door").out


def test_remove_removes_each_code_once(store, run):
    assert run("remove", "door", "Front door", f"{ADDRESS}/gate", "--yes").out == "door: removed\ngate: removed\n"
    with store() as shop:
        assert [code.short_code for code in shop.list_qrcodes()] == ["wifi"]


# Campaigns ------------------------------------------------------------------------------------------------------------


def test_campaigns_are_added_changed_listed_and_removed(store, run, rows):
    assert run("campaign", "add", "Autumn", "--description", "leaves").out == "Autumn: added\n"
    run("campaign", "set", "Autumn", "--name", "Fall", "--template", "brand")
    assert run("campaign", "list").out == (
        "Campaign     QR Codes  Scans  Template  Description\n"
        "Spring              1      3\n"
        "Summer sale         1      1\n"
        "Fall                0      0  brand     leaves\n"
    )
    assert run("campaign", "remove", "Spring", "--yes").out == "Spring: removed\n"
    run("campaign", "remove", "Summer sale", "--keep-codes", "--yes")
    assert [row["name"] for row in rows("campaign", "list")] == ["Fall"]
    assert [(row["short_code"], row["campaign"]) for row in rows("list")] == [("gate", ""), ("wifi", "")]


# Scans ----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "counts"),
    [
        ([], [("door", 3), ("gate", 1), ("wifi", 0)]),
        (["--all-kinds"], [("door", 3), ("gate", 2), ("wifi", 0)]),
        (["gate"], [("gate", 1)]),
        (["wifi", "Front door"], [("door", 3), ("wifi", 0)]),
        (["--campaign", "Spring"], [("door", 3)]),
        (["--since", "2026-06-02"], [("door", 1), ("gate", 0), ("wifi", 0)]),
        (["--until", "2026-06-02"], [("door", 2), ("gate", 1), ("wifi", 0)]),
        (["door", "--until", "2026-06-02", "--time-zone", "Europe/Berlin"], [("door", 1)]),
        (["--by", "campaign"], [("Spring", 3), ("Summer sale", 1)]),
        (["--by", "country"], [("PT", 3), ("unknown", 1)]),
        (["door", "--by", "day"], [("2026-06-01", 2), ("2026-06-02", 0), ("2026-06-03", 1)]),
        (["door", "--by", "month"], [("2026-06", 3)]),
        (["door", "--by", "week"], [("2026-06-01", 3)]),
        (["gate", "--by", "hour"], [("2026-06-01 09:00+0000", 1)]),
        (["gate", "--by", "hour", "--time-zone", "Asia/Kolkata"], [("2026-06-01 14:00+0530", 1)]),
    ],
    ids=lambda value: " ".join(value) if value and isinstance(value[0], str) else "",
)
def test_scans_are_counted_by_what_one_asks_for(store, rows, words, counts):
    found = rows("scans", *words)
    assert [(next(iter(row.values())), row["scans"]) for row in found] == counts
    assert list(found[0])[-2:] == ["scans", "visitors"]


def test_days_are_those_of_the_time_zone_of_the_store(store, rows):
    with open_portfolio("shop.duckdb") as shop:
        shop.time_zone = "Asia/Kolkata"
    assert rows("scans", "gate", "--by", "hour")[0]["hour"] == "2026-06-01 14:00+0530"
    assert rows("scans", "gate", "--by", "hour", "--time-zone", "UTC")[0]["hour"] == "2026-06-01 09:00+0000"


def test_scans_are_a_table_and_a_csv(store, run, rows):
    """The visitors are unknown: no scan of this store has the key of one."""
    assert run("scans", "--by", "day", "door").out == (
        "Day         Scans  Visitors\n"
        "2026-06-01      2         \N{EN DASH}\n"
        "2026-06-02      0         0\n"
        "2026-06-03      1         \N{EN DASH}\n"
    )
    assert run("scans", "--csv", "door").out == "short_code,name,scans,visitors\ndoor,Front door,3,\n"
    assert rows("scans", "door")[0]["visitors"] is None


def test_no_scans_are_no_failure(run, shop):
    open_portfolio("shop.duckdb").close()
    assert run("scans", "--by", "day") == ("", "qrkit scans: no scans yet\n")
    assert run("scans", "--by", "day", "--csv").out == "day,scans,visitors\n"


def test_counting_scans_loads_no_pandas(store):
    program = """if True:
        import sys
        from qrkit.__main__ import main
        sys.exit(main(["scans"]) or sorted({"pandas", "numpy"} & set(sys.modules)) or 0)
    """
    found = subprocess.run([sys.executable, "-c", program], check=False, capture_output=True, text=True)
    assert (found.returncode, found.stderr) == (0, "")
    assert re.search(r"door +Front door +3", found.stdout)


# ---- imported numbers, and contents that look like addresses

MOVED = f"QR Code Name,Content,Trackable URL,Scans\nDoor,{LINK},https://bit.ly/door,683\nGate,x,{ADDRESS}/gate,1\n"


@pytest.fixture
def moved(folder, run):
    (folder / "moved.csv").write_text(MOVED)
    return run("import", "moved.csv", "--base-url", ADDRESS)


def test_import_counts_the_short_urls_that_keep_leading_elsewhere(moved, folder, run):
    """Open: codes printed with a domain that cannot be moved. They were imported without a word."""
    assert moved.err == "qrkit import: 1 short URL began with bit.ly; codes printed with them still lead there\n"
    (folder / "more.csv").write_text(MOVED.replace("Door", "Bar").replace("bit.ly/door", "bit.ly/bar"))
    assert json.loads(run("import", "more.csv", "--json").out)["other_hosts"] == {"bit.ly": 1}


def test_show_tells_scans_that_were_imported_as_a_number(moved, run, shop):
    with shop() as made:
        made.scans.insert([{"short_code": "gate", "time": "2100-01-01"}])
    assert re.search(r"scans +683 \(683 imported\)\n", run("show", "door").out)
    assert re.search(r"scans +2 \(1 imported\)\n", run("show", "gate").out)
    assert json.loads(run("show", "gate", "--json").out)["imported_scans"] == 1


@pytest.mark.parametrize(
    ("words", "told"),
    [([], "684 more scans were"), (["--by", "day"], "684 more scans were"), (["gate"], "1 more scan was")],
)
def test_scans_tells_of_those_that_its_table_does_not_count(moved, run, words, told):
    assert run("scans", *words).err == (
        f"qrkit scans: {told} imported as a number, without times; `qrkit list` counts them, too\n"
    )


def test_scans_says_nothing_of_imported_numbers_where_there_are_none(store, run):
    assert run("scans").err == ""


WARNING = (
    "'htps://cafes.example/menu' begins with 'htps://' instead of https://, so visitors see it as text, not as a page"
)


@pytest.mark.parametrize("words", [("add",), ("set", "door", "gate", "--content")], ids=["add", "set"])
def test_a_content_that_looks_like_an_address_is_warned_of_as_an_import_does(store, run, rows, words):
    """Open: an address with a typing mistake. Only imports warned of it, and phones showed it as text."""
    told = run(*words, "htps://cafes.example/menu", "--json")
    assert told.err.startswith(f"qrkit {words[0]}: {WARNING}; did you mean https://cafes.example/menu?\n")
    assert told.err.count("htps") == 2
    for line in told.out.splitlines():
        (issue,) = json.loads(line)["issues"]
        assert (issue["reason"], issue["error"][:44]) == ("suspicious-url", f"suspicious-url: {WARNING[:28]}")
    sound = run(*words, "https://cafes.example/menu", "--json")
    assert (sound.err, json.loads(sound.out.splitlines()[0])["issues"]) == ("", [])


def test_a_static_code_and_other_changes_are_not_warned_of(store, run):
    assert run("add", "www.example.com/x", "--static").err == ""
    assert run("set", "wifi", "--content", "www.example.com/y").err == ""
    assert run("set", "door", "--content", "www.example.com/z").err != ""
    assert run("set", "door", "--name", "Other").err == ""


# ---- addresses that came in with mistakes


def test_addresses_of_all_codes_are_completed_after_a_preview(shop, capsys):
    with shop() as made:
        for code, content in (("a", "www.example.com"), ("b", "<https://example.com/b>"), ("c", LINK), ("d", "N/A")):
            made.insert_qrcode(content, name=code, short_code=code * 4)
        made.insert_qrcode("www.example.com", name="static", short_code="ssss", is_dynamic=False)

    def contents():
        with shop() as made:
            return {code.name: code.content for code in made.list_qrcodes()}

    before = contents()
    assert main(["set", "--all", "--fix-urls", "--preview"]) in (None, 0)
    assert capsys.readouterr().out.splitlines() == [
        "aaaa: a would lead to https://www.example.com",
        "bbbb: b would lead to https://example.com/b",
    ]
    assert contents() == before
    assert main(["set", "--all", "--fix-urls"]) in (None, 0)
    assert capsys.readouterr().out.splitlines()[0] == "aaaa: a leads to https://www.example.com"
    assert contents() == before | {"a": "https://www.example.com", "b": "https://example.com/b"}
    assert main(["set", "aaaa", "--fix-urls"]) in (None, 0)
    assert "no content can be completed" in capsys.readouterr().err


def test_all_codes_of_a_campaign_are_changed(shop, capsys):
    with shop() as made:
        spring = made.insert_campaign("Spring").id
        made.insert_campaign("Empty")
        for code in ("a", "b", "c"):
            made.insert_qrcode(LINK, name=code, short_code=code * 4, campaign_id=spring if code != "b" else None)
    new = "https://example.com/summer"
    assert main(["set", "--of-campaign", "Spring", "--content", new, "--campaign", ""]) in (None, 0)
    assert [line[:4] for line in capsys.readouterr().out.splitlines()] == ["aaaa", "cccc"]
    with shop() as made:
        assert [code.content == new for code in made.list_qrcodes()] == [True, False, True]
        assert {code.campaign_id for code in made.list_qrcodes()} == {None}
    assert main(["set", "--of-campaign", "Empty", "--content", new]) in (None, 0)
    assert "there are no such QR Codes" in capsys.readouterr().err


@pytest.mark.parametrize(
    "words",
    [
        ["set", "--fix-urls"],
        ["set", "door", "--all", "--fix-urls"],
        ["set", "--all", "--of-campaign", "Spring", "--fix-urls"],
        ["set", "--all"],
    ],
)
def test_what_to_complete_must_be_said(words, shop, capsys):
    with shop() as made:
        made.insert_qrcode(LINK, short_code="door")
    assert main(words) == 2
    assert "must" in capsys.readouterr().err


# ---- where a table is


def test_the_place_of_a_table_is_an_option(folder, shop, capsys):
    (folder / "list.csv").write_bytes("Tür;https://example.com/ü\nŁuk;https://example.com/l\n".encode("cp1250"))
    words = ["import", "list.csv", "--no-header", "--columns", "content=B,name=A", "--encoding", "cp1250"]
    assert main(words) in (None, 0)
    with shop() as made:
        assert [code.name for code in made.list_qrcodes()] == ["Tür", "Łuk"]
    assert main(["import", "list.csv", "--header-row", "x"]) == 2
    assert "header_row" in capsys.readouterr().err.replace("header-row", "header_row")
    (folder / "list.json").write_text("[]")
    assert main(["import", "list.json", "--no-header"]) == 2
    assert "--no-header: is for csv, workbooks, HTML tables" in capsys.readouterr().err
    assert main(["import", "list.csv", "--columns", "content=B", "--sheet", "One"]) == 2
    assert "the file has no sheets" in capsys.readouterr().err


def test_silent_codes_are_listed_and_are_a_failure_for_cron(store, run):
    """The gate has three scans a day until 30 days before the end, the door until the end."""
    with store() as made:
        rows_of_days = [
            {"short_code": code, "time": f"2026-{month:02}-{day:02}T{hour}:00:00Z"}
            for code, months in (("door", (3, 4, 5)), ("gate", (3, 4)))
            for month in months
            for day in range(1, 31)
            for hour in (10, 13, 16)
        ]
        made.scans.insert(rows_of_days)
    words = ("scans", "--silent", "--until", "2026-05-31")
    assert run(*words, status=1).out.split("\n")[1].split() == ["gate", "Gate", "2026-04-30", "30", "3.0"]
    assert run(*words, "door") == ("", "")
    (row,) = [json.loads(line) for line in run(*words, "--json", status=1).out.splitlines()]
    assert row == {"short_code": "gate", "name": "Gate", "last": "2026-04-30", "days": 30, "rate": 3.0}
