"""An import that changes QR Codes instead of adding them, by what identifies them; in both kinds of stores."""

from datetime import UTC, datetime

import pandas as pd
import pytest

from qrkit import open_portfolio
from qrkit.__main__ import main
from qrkit.errors import InvalidParameter

GO = "https://go.example.com"
NOW = datetime(2026, 3, 31, 12, tzinfo=UTC)
FIRST = b"""Name,Content,Campaign,Address,Poster ID,Size
Door,https://example.com/door,Window,Main Street,7,6
Gate,https://example.com/gate,Window,,8,6
Hall,https://example.com/hall,,,9,6
"""


@pytest.fixture
def shop(new_place):
    with open_portfolio(new_place(), base_url=GO, clock=lambda: NOW) as opened:
        opened.import_file(FIRST)
        yield opened


def contents(shop):
    return {code.name: code.content for code in shop.list_qrcodes()}


def test_a_corrected_file_changes_the_codes_that_are_there(shop):
    before = shop.list_qrcodes()
    table = b"""Name,Content,Campaign,Comment,Floor,Longitude,Size
Door,https://example.com/new,Spring,left,,14.5,9
Gate,https://example.com/gate,,,,,
Till,https://example.com/till,,,2,,
"""
    checked = shop.import_file(table, update_by="name", check=True)
    assert (str(checked), shop.list_qrcodes()) == (
        "1 created, 1 updated, 1 already there, 1 column kept as fields",
        before,
    )
    result = shop.import_file(table, update_by="name")
    assert str(result) == str(checked)
    door, gate, hall, till = shop.list_qrcodes()
    assert (gate, hall) == (*before[1:],)
    assert (door.id, door.short_code, door.content, door.comment) == (
        before[0].id, before[0].short_code, "https://example.com/new", "left",
    )  # fmt: skip
    assert door.campaign_id == shop.find_campaign("Spring").id
    assert (door.location.address, door.location.longitude, door.properties.size) == ("Main Street", 14.5, 9)
    assert (dict(door.fields), dict(till.fields)) == ({"Poster ID": "7"}, {"Floor": "2"})
    assert shop.import_file(table, update_by="name").created == 0
    shop.undo_import(result)
    assert shop.list_qrcodes() == before
    assert [one.name for one in shop.list_campaigns()] == ["Window"]


@pytest.mark.parametrize("by", ["name", "short_url", "Poster ID", "QR Code Name", "shortUrl", "Short URL"])
def test_a_changed_frame_changes_the_codes_that_are_there(shop, by):
    before = shop.list_qrcodes()
    frame = shop.to_frame().assign(content=lambda codes: codes["content"] + "?a=1")
    frame["Poster ID"] = [code.fields["Poster ID"] for code in before]
    result = shop.import_frame(frame.drop(columns="fields"), update_by=by)
    assert (result.created, len(result.updates), result.failed) == (0, 3, 0)
    assert [code.content for code in shop.list_qrcodes()] == [f"{code.content}?a=1" for code in before]
    assert [code.id for code in shop.list_qrcodes()] == [code.id for code in before]
    shop.undo_import(result)
    assert shop.list_qrcodes() == before


def test_a_frame_that_cannot_tell_codes_apart_changes_none(shop):
    before = shop.list_qrcodes()
    frame = pd.DataFrame({"content": ["https://example.com/new"], "name": ["Door"]})
    with pytest.raises(InvalidParameter, match="update_by"):
        shop.import_frame(frame, update_by="nothing")
    assert shop.list_qrcodes() == before


@pytest.mark.parametrize(("by", "value"), [("name", "  Door "), ("name", "Door\u00a0"), ("Poster ID", "7 ")])
def test_spaces_around_a_value_identify_nothing_else(shop, by, value):
    """As spreadsheets and people leave them; a name stays as it is written in the portfolio."""
    data = f"{by},Content\n{value},https://example.com/new\n".encode()
    result = shop.import_file(data, update_by=by)
    assert (result.created, len(result.updates)) == (0, 1)
    assert contents(shop) == {
        "Door": "https://example.com/new", "Gate": "https://example.com/gate", "Hall": "https://example.com/hall",
    }  # fmt: skip


def test_codes_are_identified_by_short_urls_and_by_fields_of_users(shop):
    door, gate, _ = shop.list_qrcodes()
    urls = f"Content,Trackable URL,Name\nhttps://example.com/a,{door.short_url},Entrance\nb,{gate.short_code},\n"
    assert len(shop.import_file(urls.encode(), update_by="short_url").updates) == 2
    assert contents(shop) == {"Entrance": "https://example.com/a", "Gate": "b", "Hall": "https://example.com/hall"}
    shop.import_file(b"Content,poster id,Tags\nhttps://example.com/9,9,indoor\n", update_by="Poster ID")
    assert contents(shop)["Hall"] == "https://example.com/hall", "names of fields have a case"
    shop.import_file(b"Content,Poster ID,Tags\nhttps://example.com/9,9,indoor\n", update_by=" Poster  ID")
    hall = shop.search_qrcodes("hall")[0]
    assert (hall.content, hall.tags) == ("https://example.com/9", ("indoor",))


def test_short_urls_of_other_hosts_change_nothing_unless_the_host_was_ours(shop):
    door, gate, _ = shop.list_qrcodes()
    old = "https://old.example"
    table = f"""Content,Trackable URL
https://a.example,{old}/{door.short_code}
https://b.example,old.example/{gate.short_code}
https://c.example,{door.short_url}
""".encode()
    result = shop.import_file(table, update_by="short_url")
    assert [(issue.row, issue.reason) for issue in result.issues] == [(2, "invalid"), (3, "invalid")]
    assert "is a short URL of old.example, not of this portfolio" in result.issues[0].detail
    assert "old_base_url" in result.issues[1].detail
    assert (result.created, contents(shop)["Door"]) == (0, "https://c.example")
    assert contents(shop)["Gate"] == gate.content
    result = shop.import_file(table, update_by="short_url", old_base_url=old)
    assert (contents(shop)["Door"], contents(shop)["Gate"]) == ("https://a.example", "https://b.example")
    assert shop.import_file(table, update_by="short_url").failed == 1, "the store knows the old base URL now"


def test_ambiguous_rows_are_left_out_and_say_why(shop):
    door = shop.find_qrcode("Door")
    shop.insert_qrcode("https://example.com/other", name="Door", short_code="other")
    before = shop.list_qrcodes()
    table = (
        b"Name,Content\nDoor,https://a.example\nGate,https://b.example\nGate,https://c.example\n,https://d.example\n"
    )
    result = shop.import_file(table, update_by="name")
    assert [(issue.row, issue.reason) for issue in result.issues] == [(2, "invalid"), (4, "invalid"), (5, "invalid")]
    several, twice, empty = (issue.detail for issue in result.issues)
    assert f"belongs to 2 QR Codes: {door.short_code} (https://example.com/door), other (" in several
    assert "is in row 3, too; only that row was used" in twice
    assert "must not be empty" in empty
    assert contents(shop) == {code.name: code.content for code in before} | {"Gate": "https://b.example"}


def test_a_row_that_breaks_a_rule_changes_nothing(shop):
    shop.insert_qrcode("https://example.com", name="Static", is_dynamic=False)
    before = shop.list_qrcodes()
    table = f"Name,Content,Size,Version\nDoor,https://example.com/new,99,\nStatic,https://example.com/{'a' * 40},,1\n"
    result = shop.import_file(table.encode(), update_by="name")
    assert [(issue.row, issue.reason) for issue in result.issues] == [(2, "invalid"), (3, "invalid")]
    assert "Size=99" in result.issues[0].detail
    assert shop.list_qrcodes() == before


def test_links_with_mistakes_are_told_and_templates_that_are_unknown(shop):
    result = shop.import_file(b"Name,Content,Template\nDoor,htp://example.com,nobody\n", update_by="name")
    assert {issue.reason for issue in result.issues} == {"suspicious-url", "template-unknown"}
    assert shop.import_file(b"Name,Content\nDoor,htp://example.com\n", update_by="name", fix_urls=True).updates
    assert contents(shop)["Door"] == "http://example.com"


def test_what_identifies_no_code_is_refused_with_what_is_meant(shop):
    with pytest.raises(InvalidParameter, match="a field of your QR Codes; did you mean 'Poster ID'"):
        shop.import_file(FIRST, update_by="PosterID")
    with pytest.raises(InvalidParameter, match="must be name, short_url"):
        shop.import_file(FIRST, update_by="Content")
    with pytest.raises(InvalidParameter, match="update_by=3: must be name, short_url"):
        shop.import_file(FIRST, update_by=3)


def test_rows_that_change_nothing_say_so_and_losses_are_those_of_all_rows(shop):
    shop.insert_qrcode("https://example.com/s", name="Static", is_dynamic=False)
    result = shop.import_file(b"Name,Content,Dynamic\nStatic,https://example.com/s,true\n", update_by="name")
    assert [issue.detail for issue in result.issues] == ["this row changes nothing in 'Static'"]
    result = shop.import_file(b"Name,Content,Template\nDoor,https://a.example,nobody\n", update_by="name")
    assert str(result) == "0 created, 1 updated (1 without their template)"


def test_a_password_that_stays_is_no_change(shop):
    table = b"Name,Content,Password\nDoor,https://example.com/door,open sesame\n"
    assert len(shop.import_file(table, update_by="name").updates) == 1
    assert shop.import_file(table, update_by="name").updates == ()
    assert len(shop.import_file(table.replace(b"sesame", b"barley"), update_by="name").updates) == 1


def test_undoing_an_update_keeps_what_was_changed_since(shop):
    result = shop.import_file(b"Name,Content,Comment\nDoor,https://a.example,left\n", update_by="name")
    shop.update_qrcode(shop.find_qrcode("Door").id, content="https://b.example")
    shop.undo_import(result)
    door = shop.find_qrcode("Door")
    assert (door.content, door.comment) == ("https://b.example", "")


def test_the_command_updates_by_name(tmp_path, capsys):
    file, store = tmp_path / "posters.csv", str(tmp_path / "shop.duckdb")
    file.write_bytes(FIRST)
    assert main(["import", str(file), "--store", store]) == 0
    file.write_bytes(FIRST.replace(b"example.com", b"example.org"))
    capsys.readouterr()
    assert main(["import", str(file), "--store", store, "--update-by", "Poster ID", "--check"]) == 0
    assert "checked only: 0 created, 3 updated" in capsys.readouterr().out
    assert main(["import", str(file), "--store", store, "--update-by", "name", "--json"]) == 0
    assert '"updated": 3' in capsys.readouterr().out
    with open_portfolio(store) as shop:
        assert all("example.org" in code.content for code in shop.list_qrcodes())


def test_no_code_is_made_to_lead_to_itself(shop):
    before = shop.list_qrcodes()
    url = before[0].short_url
    result = shop.import_file(f"Name,Content\n{before[0].name},{url}?q\n".encode(), update_by="name")
    assert "is the short URL of this QR Code itself" in result.issues[0].detail
    for change in (
        {"content": url},
        {"content": f" {url}/?q#top"},
        {"schedule": [{"content": url, "date": "2026-12-24"}]},
    ):
        with pytest.raises(InvalidParameter, match="is the short URL of this QR Code itself"):
            shop.update_qrcode(before[0].id, **change)
    assert shop.list_qrcodes() == before


@pytest.mark.parametrize("by", ["name", "Poster ID"])
def test_the_value_as_it_is_written_tells_similar_ones_apart(shop, by):
    values = ("Door A", "Door  A")
    for value in values:
        name = value if by == "name" else "Entrance"
        shop.insert_qrcode(f"https://example.com/{len(value)}", name=name, fields={"Poster ID": value})
    both = [f"{value},https://example.com/new/{len(value)}" for value in values]
    result = shop.import_file("\n".join([f"{by},Content", *both]).encode(), update_by=by)
    assert (len(result.updates), result.failed) == (2, 0)
    assert [code.content for code in shop.list_qrcodes()][3:] == [
        "https://example.com/new/6", "https://example.com/new/7",
    ]  # fmt: skip
    unclear = shop.import_file(f"{by},Content\nDoor   A,https://example.com/x\n".encode(), update_by=by)
    assert "belongs to 2 QR Codes" in unclear.issues[-1].detail


def test_two_spellings_of_one_code_change_it_once(shop):
    rows = b"Name,Content\nDoor,https://example.com/1\n Door,https://example.com/2\n"
    result = shop.import_file(rows, update_by="name")
    assert (len(result.updates), contents(shop)["Door"]) == (1, "https://example.com/1")
    assert "is in row 2, too" in result.issues[0].detail
