"""Sets of codes and sheets in the studio, without a browser."""

from base64 import b64encode
from io import BytesIO
from zipfile import ZipFile

import pytest

from qrkit import Design, Frame, decode, decode_all
from qrkit.notebook.widgets import Designer
from tests import icc

LOOK = Design(content="https://example.com/{n}", frame=Frame("bar", caption="Menu"))


@pytest.fixture
def studio():
    made = Designer(LOOK, name="set")
    yield made
    made.close()


@pytest.fixture
def ask(studio, monkeypatch):
    """Sends a message as a browser does; gives what comes back: the message and its first buffer."""
    sent = []
    monkeypatch.setattr(studio, "send", lambda message, buffers=(): sent.append((message, [*buffers, None][0])))

    def asked(**message):
        sent.clear()
        studio._handle_custom_msg(message, [])
        return sent[0] if sent else (studio.errors, None)

    return asked


def table(text):
    return f"data:text/csv;base64,{b64encode(text.encode()).decode()}"


def contents(picture):
    return sorted(found.content for found in decode_all(picture))


def test_first_page_is_the_one_that_is_written(ask):
    message, page = ask(ask="sheet", of="numbered", count=30, caption="Table {n}", stock="L7160")
    assert message["told"] == []
    assert contents(page) == sorted(f"https://example.com/{n}" for n in range(1, 22))
    message, sheet = ask(ask="download", format="pdf", of="numbered", count=30, caption="Table {n}", stock="L7160")
    assert (message["name"], message["type"]) == ("sheet.pdf", "application/pdf")
    assert sheet.count(b"/Type/Page/") == 2
    _, page = ask(ask="sheet", of="one", stock="L7160")
    assert contents(page) == [LOOK.content] * 21, "one code fills the sheet as it is"


def profile():
    return f"data:application/vnd.iccprofile;base64,{b64encode(icc.profile()).decode()}"


def test_cards_of_a_print_shop_are_those_of_the_command(ask):
    cards = {"of": "numbered", "count": 2, "stock": "business-card", "paper": "card", "bleed": 3, "marks": "crop"}
    cards |= {"lines": ["Table {n}"], "label_color": "#FFEECC", "text_color": "navy"}
    message, page = ask(ask="sheet", **cards)
    assert (message["told"], contents(page)) == ([], ["https://example.com/1"])
    _, sheet = ask(ask="download", format="pdf", profile=profile(), **cards)
    assert (sheet.count(b"/Type/Page/"), sheet.count(b"/TrimBox"), b"/S/GTS_PDFX/" in sheet) == (2, 2, True)
    _, page = ask(ask="sheet", **cards | {"of": "one", "paper": None})
    assert contents(page) == [LOOK.content] * 9, "one code fills the sheet, on which bleed and marks take room"
    assert "{m}" in ask(ask="sheet", **cards | {"lines": ["Table {m}"]})[0]["told"][0]
    assert "bleed=11" in ask(ask="sheet", **cards | {"bleed": 11})[0]["told"][0]


def test_one_code_of_a_print_shop_has_bleed_and_its_profile(ask):
    _, one = ask(ask="download", format="pdf", mm=60, dpi=300, bleed=3, profile=profile())
    assert b"/S/GTS_PDFX/" in one
    assert b"/TrimBox" in one
    errors, _ = ask(ask="download", format="pdf", mm=60, dpi=300, profile="data:,x")
    assert "profile" in " ".join(errors.values())


def test_a_table_fills_in_contents_and_captions(ask):
    message, _ = ask(ask="table", url=table("Room\tContent\nA\thttps://example.org/a\nB\thttps://example.org/b\n"))
    assert message["columns"] == ["Room", "Content"]
    message, data = ask(ask="download", format="png", of="table", content="{Content}", caption="Room {Room}")
    with ZipFile(BytesIO(data)) as archive:
        assert archive.namelist() == ["Room A.png", "Room B.png"]
        assert decode(archive.read("Room B.png")).content == "https://example.org/b"
    message, _ = ask(ask="sheet", of="table", content="https://example.org/{Raum}", stock="L7160")
    assert "{Raum}" in message["told"][0]


WEBSITES = table("Table,Website\n1,https://example.org/a\n2,https://example.org/b\n")


def test_a_column_of_web_addresses_is_what_each_code_says(ask, studio):
    message, _ = ask(ask="table", url=WEBSITES)
    assert (message["columns"], message["content"]) == (["Table", "Website"], "{Website}")
    message, _ = ask(ask="table", url=table("Table,Seats\n1,4\n"))
    assert message["content"] == ""
    studio.design = studio.design.replace(content="https://example.com/{Table}")
    message, _ = ask(ask="table", url=WEBSITES)
    assert message["content"] == "", "the content of the design names a column already"


def test_codes_that_are_all_the_same_are_told_before(ask, studio):
    same = {"ask": "sheet", "content": "https://example.com", "caption": "Table {n}"}
    ask(ask="table", url=WEBSITES)
    for stock in ("L7160", ""):
        message, page = ask(of="table", stock=stock, **same)
        assert message["told"] == ["All 2 codes are the same; {Website} is not used"]
        assert bool(page) == bool(stock), "a picture of a page, if they are on pages"
    assert ask(of="table", **{**same, "content": "{Website}"})[0]["told"] == []
    told = ask(of="numbered", count=1200, **same)[0]["told"]
    assert told == ["All 1,200 codes are the same; {n} is not used"]
    assert ask(of="numbered", count=1, **same)[0]["told"] == []
    ask(ask="table", url=table("Table,Website\n1,https://example.org/a\n2,https://example.org/a\n"))
    assert ask(of="table", **{**same, "content": "{Website}"})[0]["told"] == ["All 2 codes are the same"]
    assert "{Raum}" in ask(of="table", **{**same, "content": "{Raum}"})[0]["told"][0]


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"of": "numbered", "count": 0}, "1..2,000"),
        ({"of": "numbered", "count": 1e9}, "1..2,000"),
        ({"of": "table"}, "table: has no rows, and each row makes a code"),
        ({"of": "one", "stock": "L716"}, "did you mean"),
        ({"of": "numbered", "count": 2, "caption": "x" * 200}, "1..60 characters"),
        ({"of": "numbered", "count": 12, "stock": "Hisago OP2505"}, "modules"),
    ],
    ids=str,
)
def test_what_cannot_be_printed_is_told_before(ask, wrong, told):
    message, page = ask(ask="sheet", **{"stock": "L7160", **wrong})
    assert page is None
    assert told in message["told"][0]


def test_a_pattern_keeps_its_braces_in_the_name_of_the_design():
    studio = Designer(Design(content="https://example.com/tables/{n}"), name="pattern")
    assert studio.state["title"] == "{n}"
    studio.close()
