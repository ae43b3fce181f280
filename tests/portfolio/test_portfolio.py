import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from urllib.parse import quote

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qrkit import Campaign, Color, Location, Portfolio, Properties, QRCode, decode, open_portfolio
from qrkit.errors import ContentTooLong, InvalidParameter, MissingParameter, NotFound, StoreBusy, UnreadableFile
from qrkit.exchange.columns import LABELS, NAMES
from qrkit.portfolio.opening import keep_base_url
from qrkit.server.statuses import status_of
from qrkit.store import Store
from qrkit.tracking.records import Account
from qrkit.tracking.short_urls import new_id
from tests.dtypes import TEXT

GO = "https://go.example.com"
NOON = datetime(2026, 3, 1, 12, 0, 0, 123_456, UTC)
some = settings(max_examples=10)
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)


class Clock:
    """A clock that a test sets."""

    def __init__(self):
        self.moment = NOON

    def __call__(self):
        return self.moment


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture(scope="module")
def store(new_place):
    with Store(new_place()) as store:
        yield store


def anybodys(store, clock=lambda: NOON):
    """An empty portfolio, of an account of its own."""
    return Portfolio(store, Account(new_id(), "somebody", "premium"), base_url=GO, clock=clock)


@pytest.fixture
def portfolio(store, clock):
    return anybodys(store, clock)


def is_empty(portfolio):
    loose = "SELECT count(*) AS number FROM short_codes WHERE qrcode NOT IN (SELECT number FROM qrcodes)"
    in_lists = portfolio.list_qrcodes() + portfolio.list_campaigns()
    return not in_lists and portfolio.store.row(loose) == {"number": 0}


# ---- insert and get


@given(
    fields=st.fixed_dictionaries(
        {
            "content": texts.filter(bool),
            "name": texts,
            "comment": texts,
            "urlinfo": texts,
            "is_dynamic": st.booleans(),
            "location": st.builds(
                Location,
                address=texts,
                latitude=st.none() | st.floats(-90, 90),
                longitude=st.none() | st.floats(-180, 180),
            ),
            "properties": st.builds(
                Properties,
                size=st.integers(1, 20),
                version=st.none() | st.integers(12, 40),
                padding=st.integers(0, 20),
                ec=st.sampled_from("LMQH"),
                foreground=st.builds(Color, *[st.integers(0, 255)] * 4),
            ),
        }
    )
)
@some
def test_a_qr_code_is_given_back_as_it_was_inserted(store, fields):
    portfolio = anybodys(store)
    code = portfolio.insert_qrcode(**fields)
    assert portfolio.get_qrcode(code.id) == code
    for name, value in fields.items():
        assert getattr(code, name) == value or (name == "name" and not value)
    assert (code.created, code.scans, code.campaign_id) == (NOON, 0, None)


@pytest.mark.rule("T4")
def test_what_an_insert_leaves_out_takes_the_defaults_of_the_interface(portfolio):
    """Open: what insert needs and makes up. Content is required; without a name, its first 100 letters are one."""
    code = portfolio.insert_qrcode("first line\r\nsecond line\nthird " + "x" * 100)
    assert code.name == ("first line second line third " + "x" * 100)[:100]
    assert (code.comment, code.urlinfo, code.is_dynamic, code.scans) == ("", "", True, 0)
    assert (code.properties, code.location) == (Properties(), Location())
    assert code.created == NOON
    assert portfolio.insert_qrcode("x", name="Door").name == "Door"
    for content in ("", None, 7):
        with pytest.raises(InvalidParameter, match="content"):
            portfolio.insert_qrcode(content)
    with pytest.raises(MissingParameter, match="id: is required") as caught:
        QRCode(name="x", content="x", short_code="ab", short_url="x", image_url="x", created=NOON)
    assert caught.value.code == "missing-parameter"


@pytest.mark.rule("T4")
@pytest.mark.parametrize("campaign_id", ["", "0" * 32, "' OR 1=1 --"])
def test_an_unknown_campaign_is_refused_and_nothing_is_stored(portfolio, campaign_id):
    """Open: a campaignId that names no campaign. 400, and no code that belongs to nothing."""
    with pytest.raises(InvalidParameter, match="is not the ID of a campaign") as caught:
        portfolio.insert_qrcode("x", campaign_id=campaign_id)
    assert caught.value.name == "campaign_id"
    assert is_empty(portfolio)


def test_fields_may_be_given_as_mappings(portfolio):
    code = portfolio.insert_qrcode("x", properties={"size": 3, "ec": "h"}, location={"latitude": 1.5})
    assert (code.properties, code.location) == (Properties(size=3, ec="H"), Location(latitude=1.5))


@pytest.mark.parametrize(
    ("fields", "name"),
    [
        ({"content": "x" * 32_768}, "content"),
        ({"content": "\ud800"}, "content"),
        ({"content": "x", "name": "n" * 32_768}, "name"),
        ({"content": "x", "comment": "\udfff"}, "comment"),
        ({"content": "x", "location": {"latitude": 91}}, "location.latitude"),
        ({"content": "x", "properties": {"size": 21}}, "properties.size"),
        ({"content": "x", "properties": {"em": "auto"}}, "properties.em"),
        ({"content": "x", "short_code": "a//b"}, "short_code"),
        ({"content": "x", "short_code": "api"}, "short_code"),
        ({"content": "x", "short_code": "a b"}, "short_code"),
        ({"content": "x", "short_code": 1234}, "short_code"),
        ({"content": "x", "short_code": 0}, "short_code"),
        ({"content": "x", "short_code": b"door"}, "short_code"),
    ],
)
def test_a_field_that_breaks_its_rule_is_named_and_nothing_is_stored(portfolio, fields, name):
    with pytest.raises(InvalidParameter) as caught:
        portfolio.insert_qrcode(**fields)
    assert name in {problem.name for problem in caught.value.problems}
    assert is_empty(portfolio)


@pytest.mark.parametrize(
    ("fields", "error"),
    [
        ({"content": "x", "properties": {"em": "numeric"}}, InvalidParameter),
        ({"content": "x", "properties": {"em": "alphanumeric"}}, InvalidParameter),
        ({"content": "abc", "is_dynamic": False, "properties": {"em": "numeric"}}, InvalidParameter),
        ({"content": "x", "properties": {"version": 1, "ec": "H"}}, ContentTooLong),
        ({"content": "x" * 3_000, "is_dynamic": False}, ContentTooLong),
        ({"content": "x", "urlinfo": "y" * 80, "properties": {"version": 4}}, ContentTooLong),
    ],
)
def test_properties_that_cannot_be_drawn_are_refused_before_anything_is_stored(portfolio, fields, error):
    with pytest.raises(error):
        portfolio.insert_qrcode(**fields)
    assert is_empty(portfolio)


@pytest.mark.parametrize(
    ("content", "title"),
    [
        ("BCD\n002\n1\nSCT\n\nRed Cross\nDE71110220330123456789\nEUR1", "bank transfer (SEPA)"),
        ("BCD\n002\n1\nINST\n\nRed Cross\nDE71110220330123456789\nEUR1", "payment"),
        ("SPC\r\n0200\r\n1\r\nCH4431999123000889012\r\nK\r\nRobert Schneider AG", "payment"),
        (
            "00020101021126370009SG.PAYNOW010100211UEN2012345675204000053037025802SG5904Shop6009Singapore6304ABCD",
            "payment",
        ),
        ("01095060001343523712", "product data (GS1)"),
        ("otpauth://steam/ana?secret=JBSWY3DPEHPK3PXP", "one-time password"),
        ("otpauth-migration://offline?data=CiEK", "one-time password"),
        ("\ufeffotpauth://totp/Shop?secret=JBSWY3DPEHPK3PXP", "one-time password"),
        ("\u201cotpauth://steam/ana?secret=JBSWY3DPEHPK3PXP", "one-time password"),
    ],
)
def test_what_apps_read_from_the_code_cannot_be_tracked(portfolio, content, title):
    with pytest.raises(InvalidParameter, match=re.escape(f"of the kind '{title}', which apps read from the code")):
        portfolio.insert_qrcode(content)
    assert portfolio.insert_qrcode(content, is_dynamic=False).content == content


@pytest.mark.parametrize("content", ["BCD is a text", "SPC\nis one, too", "000201 pieces", "otpauth"])
def test_texts_that_begin_as_payments_can_be_tracked(portfolio, content):
    assert portfolio.insert_qrcode(content).is_dynamic


@pytest.mark.parametrize("content", ["http://[abc#x", "https://[::1#top", "http://[abc?x#y"])
def test_an_unclosed_bracket_makes_a_text(portfolio, content):
    assert portfolio.insert_qrcode(content).content == content


def test_what_is_too_long_to_draw_may_stand_behind_a_short_url(portfolio):
    code = portfolio.insert_qrcode("x" * 32_767)
    assert portfolio.get_qrcode(code.id).content == "x" * 32_767
    assert portfolio.insert_qrcode("12", is_dynamic=False, properties={"em": "numeric"}).properties.em == "numeric"


def test_a_campaign_is_given_back_as_it_was_inserted(portfolio):
    campaign = portfolio.insert_campaign("Spring 🌱\n=1+1", description="stickers")
    assert portfolio.get_campaign(campaign.id) == campaign
    assert campaign == Campaign(id=campaign.id, name="Spring 🌱\n=1+1", description="stickers", created=NOON)
    for name in ("", "n" * 32_768, None):
        with pytest.raises(InvalidParameter, match="name"):
            portfolio.insert_campaign(name)
    assert portfolio.list_campaigns() == [campaign]


@pytest.mark.parametrize("id_", ["", "0" * 32, "nobody", "%", None])
def test_an_unknown_id_is_not_found(portfolio, id_):
    """None, too: the campaign of a code that has none is no campaign, not the first one."""
    portfolio.insert_qrcode("x", campaign_id=portfolio.insert_campaign("Spring").id)
    for get, kind in ((portfolio.get_qrcode, "QR Code"), (portfolio.get_campaign, "campaign")):
        with pytest.raises(NotFound) as caught:
            get(id_)
        assert (caught.value.kind, caught.value.id, status_of(caught.value)) == (kind, id_, 404)


# ---- short codes


@pytest.mark.rule("T1")
def test_ids_and_short_codes_are_unique_and_as_ruled(portfolio):
    """Open: what ids and short URLs look like. 32 hex characters; base URL, 6 characters, and the slug of urlinfo."""
    with portfolio.store.atomic():
        codes = [portfolio.insert_qrcode("x", urlinfo="Spring Sale") for _ in range(60)]
    assert len({code.id for code in codes}) == len({code.short_code for code in codes}) == 60
    assert all(re.fullmatch("[0-9a-f]{32}", code.id) for code in codes)
    assert all(re.fullmatch("[1-9A-HJ-NP-Za-km-z]{6}", code.short_code) for code in codes)
    assert all(code.short_url == f"{GO}/{code.short_code}/spring-sale" for code in codes)


@pytest.mark.rule("T1")
def test_a_short_code_is_never_given_twice_not_even_to_another_account(store):
    """Open: whether codes come back. Never: a printed code must not lead to somebody else's content."""
    mine, yours = anybodys(store), anybodys(store)
    assert mine.insert_qrcode("x", short_code="unique").short_code == "unique"
    for portfolio, rule in ((mine, "is used by another QR Code$"), (yours, "is never given out again$")):
        with pytest.raises(InvalidParameter, match=rule) as caught:
            portfolio.insert_qrcode("y", short_code="unique")
        assert caught.value.name == "short_code"
    assert mine.insert_qrcode("x", short_code="Unique").short_code == "Unique"


def test_threads_that_wish_for_the_same_short_code_get_it_once(portfolio):
    def insert(_):
        try:
            return portfolio.insert_qrcode("x", short_code="wish").short_code
        except InvalidParameter:
            return None

    with ThreadPoolExecutor(4) as threads:
        found = list(threads.map(insert, range(8)))
    assert found.count("wish") == 1
    assert [code.short_code for code in portfolio.list_qrcodes()] == ["wish"]


def test_threads_that_insert_at_once_lose_nothing(portfolio):
    with ThreadPoolExecutor(4) as threads:
        codes = list(threads.map(lambda number: portfolio.insert_qrcode(str(number)), range(24)))
    assert {code.id for code in portfolio.list_qrcodes()} == {code.id for code in codes}
    assert sorted(int(code.content) for code in portfolio.list_qrcodes()) == list(range(24))


# ---- lists and tables


def test_lists_are_in_the_order_of_insertion_even_within_one_moment(portfolio):
    names = [str(number) for number in range(12)]
    spring = [portfolio.insert_campaign(name).id for name in names][3]
    for name in names:
        portfolio.insert_qrcode("x", name=name, campaign_id=spring if int(name) % 2 else None)
    assert [one.name for one in portfolio.list_campaigns()] == names
    assert [code.name for code in portfolio.list_qrcodes()] == names
    assert [code.name for code in portfolio.list_qrcodes(campaign_id=spring)] == names[1::2]
    assert portfolio.list_qrcodes(campaign_id="0" * 32) == []
    assert [portfolio.get_qrcode(code.id) for code in portfolio.list_qrcodes()] == portfolio.list_qrcodes()


def test_a_page_of_a_list_begins_after_a_code_and_ends_at_its_limit(portfolio):
    spring = portfolio.insert_campaign("Spring").id
    codes = [portfolio.insert_qrcode("x", name=str(number), campaign_id=spring) for number in range(5)]
    assert portfolio.list_qrcodes(limit=2) == codes[:2]
    assert portfolio.list_qrcodes(after=codes[1].id, limit=2) == codes[2:4]
    assert portfolio.list_qrcodes(after=codes[1].id, limit=9, campaign_id=spring) == codes[2:]
    assert portfolio.list_qrcodes(after=codes[-1].id) == []
    with pytest.raises(InvalidParameter, match="limit=0: must be at least 1"):
        portfolio.list_qrcodes(limit=0)
    with pytest.raises(InvalidParameter, match="after='x': is not the ID of a QR Code"):
        portfolio.list_qrcodes(after="x")


def test_older_campaigns_come_first(portfolio, clock):
    portfolio.insert_campaign("late")
    clock.moment -= timedelta(days=1)
    portfolio.insert_campaign("early")
    assert [one.name for one in portfolio.list_campaigns()] == ["early", "late"]


def test_scans_are_those_imported_and_those_counted(portfolio):
    portfolio.import_file(b"Content,Trackable URL,Scans\r\nx,https://go.example.com/door,40\r\n", format="csv")
    portfolio.scans.insert(pd.DataFrame({"short_code": ["door"] * 2, "time": NOON}))
    (code,) = portfolio.list_qrcodes()
    assert code.scans == portfolio.get_qrcode(code.id).scans == portfolio.qrcodes()["scans"].item() == 42
    assert portfolio.scans.count() == 2


QRCODE_DTYPES = dict.fromkeys([LABELS[name] for name in NAMES], TEXT) | {
    "created": "datetime64[us, UTC]",
    "scans": "int64",
    "latitude": "float64",
    "longitude": "float64",
    "is_dynamic": "bool",
    "size": "int64",
    "padding": "int64",
    "version": "int64",
    "tags": TEXT,
    "fields": TEXT,
}
CAMPAIGN_DTYPES = {
    "name": TEXT,
    "description": TEXT,
    "created": "datetime64[us, UTC]",
    "qrcodes": "int64",
    "scans": "int64",
}


def dtypes(frame):
    return {name: str(dtype) for name, dtype in frame.dtypes.items()}


def test_tables_have_their_columns_and_dtypes_with_and_without_rows(portfolio):
    for _ in range(2):
        assert dtypes(portfolio.qrcodes()) == QRCODE_DTYPES
        assert dtypes(portfolio.campaigns()) == CAMPAIGN_DTYPES
        assert (portfolio.qrcodes().index.name, portfolio.campaigns().index.name) == ("id", "id")
        assert (str(portfolio.qrcodes().index.dtype), str(portfolio.campaigns().index.dtype)) == (TEXT, TEXT)
        portfolio.insert_qrcode("x", campaign_id=portfolio.insert_campaign("Spring").id)


def test_the_table_of_qr_codes_says_what_the_records_say(portfolio):
    spring = portfolio.insert_campaign("Spring")
    codes = [
        portfolio.insert_qrcode("=1+1", name="00123", campaign_id=spring.id, location={"latitude": -33.5}),
        portfolio.insert_qrcode("NA", comment="null", is_dynamic=False, properties={"version": 7, "ec": "H"}),
    ]
    table = portfolio.qrcodes()
    assert table.index.tolist() == [code.id for code in codes]
    assert table["campaign"].tolist() == ["Spring", ""]
    assert table["name"].tolist() == ["00123", "NA"]
    assert table["content"].tolist() == ["=1+1", "NA"]
    assert table["short_url"].tolist() == [code.short_url for code in codes]
    assert table["created"].tolist() == [pd.Timestamp("2026-03-01T12:00:00Z")] * 2
    assert table["comment"].tolist() == ["", "null"]
    assert table["latitude"].tolist()[0] == -33.5
    assert table["longitude"].isna().all()
    assert table["is_dynamic"].tolist() == [True, False]
    assert table["version"].tolist() == [-1, 7]
    assert table["em"].tolist() == ["Byte", "Byte"]
    assert table["ec"].tolist() == ["M", "H"]
    assert portfolio.qrcodes(campaign_id=spring.id)["content"].tolist() == ["=1+1"]


def test_the_table_of_campaigns_counts_their_codes_and_scans(portfolio):
    spring, autumn = portfolio.insert_campaign("Spring"), portfolio.insert_campaign("Autumn")
    for code in ("aa", "bb"):
        portfolio.insert_qrcode("x", short_code=code, campaign_id=spring.id)
    portfolio.insert_qrcode("x", short_code="cc")
    portfolio.scans.insert(pd.DataFrame({"short_code": ["aa", "bb", "bb", "cc"], "time": NOON}))
    table = portfolio.campaigns()
    assert table.index.tolist() == [spring.id, autumn.id]
    assert table["qrcodes"].tolist() == [2, 0]
    assert table["scans"].tolist() == [3, 0]
    assert table["created"].tolist() == [pd.Timestamp(NOON)] * 2


# ---- pictures


@pytest.mark.rule("T2")
def test_the_picture_of_a_dynamic_code_encodes_its_short_url(portfolio):
    """Open: what a tracked picture encodes. The short URL: else nothing could be counted or led elsewhere."""
    code = portfolio.insert_qrcode("https://example.com", urlinfo="Grüße aus Köln")
    assert decode(portfolio.image(code).to_bytes("png")).content == code.encoded
    assert f"content={quote(code.encoded, safe='')}" in code.image_url


@pytest.mark.rule("X5")
def test_the_picture_of_a_static_code_encodes_its_content(portfolio):
    """Open: what Dynamic says. Whether the picture encodes the short URL; a static one encodes the content itself."""
    code = portfolio.insert_qrcode("Grüße, 🙂!", is_dynamic=False)
    assert decode(portfolio.image(code).to_bytes("png")).content == "Grüße, 🙂!"
    assert code.short_code not in code.image_url


def test_the_picture_has_the_properties_of_the_code_and_takes_changes(portfolio):
    code = portfolio.insert_qrcode("x", properties={"size": 3, "padding": 2, "version": 5, "ec": "Q", "em": "byte"})
    image = portfolio.image(code)
    assert (image.symbol.version, image.symbol.error_correction) == (5, "Q")
    assert image.width == (37 + 2 * 2) * 3
    assert portfolio.image(code, size=10).width == (37 + 2 * 2) * 10


# ---- whose is what


@pytest.mark.rule("H4")
def test_portfolios_of_one_store_do_not_see_each_other(store):
    """Open: what another account's id answers. Not found: it is never revealed that it exists."""
    mine, yours = anybodys(store), anybodys(store)
    campaign = mine.insert_campaign("Spring")
    code = mine.insert_qrcode("x", campaign_id=campaign.id)
    mine.scans.insert(pd.DataFrame({"short_code": [code.short_code], "time": NOON}))
    for get, id_ in ((yours.get_qrcode, code.id), (yours.get_campaign, campaign.id)):
        with pytest.raises(NotFound):
            get(id_)
    with pytest.raises(InvalidParameter, match="is not the ID of a campaign"):
        yours.insert_qrcode("y", campaign_id=campaign.id)
    assert (yours.list_qrcodes(), yours.list_campaigns(), yours.scans.count()) == ([], [], 0)
    assert yours.list_qrcodes(campaign_id=campaign.id) == []
    assert yours.export_bytes("csv").count(b"\r\n") == 1
    assert yours.import_file(mine.export_bytes("csv")).count("duplicate") == 0
    assert [one.name for one in yours.list_campaigns()] == ["Spring"]
    assert [code.scans for code in mine.list_qrcodes()] == [1]


# ---- opening

HOLDER = """
import sys
from qrkit import open_portfolio

portfolio = open_portfolio(sys.argv[1])
print("ready", flush=True)
sys.stdin.read()
"""


def test_a_file_that_another_process_holds_is_busy_until_that_lets_it_go(tmp_path):
    path = tmp_path / "shop.duckdb"
    command = [sys.executable, "-c", HOLDER, str(path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout.readline() == b"ready\n"
        with pytest.raises(StoreBusy, match=r"shop\.duckdb is open in another process; close that one, or use its"):
            open_portfolio(path)
        process.communicate(timeout=30)
    with open_portfolio(path) as portfolio:
        assert portfolio.list_qrcodes() == []


def test_a_portfolio_is_there_again_when_it_is_opened_again(tmp_path):
    path = tmp_path / "shop.duckdb"
    with open_portfolio(path, base_url=GO) as portfolio:
        code = portfolio.insert_qrcode("https://example.com", campaign_id=portfolio.insert_campaign("Spring").id)
        account = portfolio.account
    with open_portfolio(str(path), base_url=GO + "/") as portfolio:
        assert portfolio.list_qrcodes() == [code]
        assert portfolio.account == account


def test_what_is_no_store_is_an_unreadable_file(tmp_path):
    spreadsheet = tmp_path / "codes.csv"
    spreadsheet.write_bytes(b"Content\r\nx\r\n" * 500)
    for path in (spreadsheet, tmp_path / "missing" / "shop.duckdb", tmp_path):
        with pytest.raises(UnreadableFile, match=r"cannot be opened as a store|not a store of qrkit"):
            open_portfolio(path)
    assert spreadsheet.read_bytes() == b"Content\r\nx\r\n" * 500


def test_a_wrong_base_url_is_refused_before_a_file_is_made(tmp_path):
    for base_url in ("go.example.com", "https://[bad", "https://go.example.com/?"):
        with pytest.raises(InvalidParameter, match="base_url"):
            open_portfolio(tmp_path / "shop.duckdb", base_url=base_url)
    assert list(tmp_path.iterdir()) == []


def test_a_portfolio_says_whose_it_is(tmp_path):
    with open_portfolio(tmp_path / "shop.duckdb") as portfolio:
        assert repr(portfolio) == f"<Portfolio of local in {tmp_path / 'shop.duckdb'}>"


def test_the_store_keeps_its_base_url(tmp_path):
    path = tmp_path / "shop.duckdb"
    with open_portfolio(path) as shop:
        assert shop.base_url == "http://localhost:8080"
    with open_portfolio(path, base_url="https://go.example.com/"):
        pass
    with open_portfolio(path) as shop:
        assert shop.insert_qrcode("x", short_code="door").short_url == "https://go.example.com/door"
    with pytest.raises(InvalidParameter):
        open_portfolio(tmp_path / "other.duckdb", base_url="go.example.com")
    assert not (tmp_path / "other.duckdb").exists()


def test_the_port_of_a_server_changes_no_base_url_that_was_chosen():
    with Store() as store:
        assert keep_base_url(store, None, port=9000) == "http://localhost:9000"
        assert keep_base_url(store, None, port=9001) == "http://localhost:9001"
        assert keep_base_url(store, "https://go.example.com", port=9002) == "https://go.example.com"
        assert keep_base_url(store, None, port=9003) == "https://go.example.com"


def test_a_port_that_changes_is_told_of_once_codes_are_there():
    with open_portfolio(":memory:") as shop:
        shop.insert_qrcode("https://example.com")
        assert keep_base_url(shop.store, None, port=9000) == "http://localhost:9000"
        with pytest.warns(UserWarning, match="short URLs of this store began with http://localhost:9000"):
            assert keep_base_url(shop.store, None, port=9001) == "http://localhost:9001"


def test_a_base_url_that_changes_is_told_of_once_codes_are_there(tmp_path):
    store = tmp_path / "shop.duckdb"
    open_portfolio(store, base_url="https://go.example.com").close()
    open_portfolio(store, base_url="https://r.example.com").close()  # nothing is printed yet
    with open_portfolio(store) as shop:
        shop.insert_qrcode("https://example.com", short_code="door")
    with pytest.warns(UserWarning, match=r"began with https://r\.example\.com; codes that were printed") as told:
        open_portfolio(store, base_url="https://new.example.com").close()
    assert [one.filename for one in told] == [__file__]
    with open_portfolio(store, base_url="https://new.example.com") as shop:
        assert shop.get_qrcode(shop.list_qrcodes()[0].id).short_url == "https://new.example.com/door"


def test_scans_of_nothing_name_both_that_it_may_be():
    with open_portfolio(":memory:") as shop, pytest.raises(NotFound, match="no QR Code or campaign 'ffff'"):
        shop.scans_of("ffff")
