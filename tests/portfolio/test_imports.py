"""What an import makes of addresses with mistakes, of templates, and of frames that pandas has written to files."""

from io import BytesIO

import pandas as pd
import pytest

from qrkit import open_portfolio
from qrkit.errors import InvalidParameter
from qrkit.store.records.qrcodes import MOST_IN_TEXT

GO = "https://go.example.com"
ROWS = b"QR Code Name,Content\nGate,https://example.com\nTill,www.example.com/till\nShelf,https://exa mple.com\n"


@pytest.fixture
def shop():
    with open_portfolio(":memory:", base_url=GO) as opened:
        opened.templates.save("brand", {"foreground": "navy"})
        yield opened


def contents(shop):
    return {code.name: code.content for code in shop.list_qrcodes()}


def test_suspicious_addresses_are_imported_as_they_are_and_told_row_by_row(shop):
    result = shop.import_file(ROWS)
    assert contents(shop)["Till"] == "www.example.com/till"
    assert [(issue.row, issue.reason) for issue in result.issues] == [(3, "suspicious-url"), (4, "suspicious-url")]
    assert (result.created, result.failed) == (3, 0)
    assert str(result) == "3 created (2 with a suspicious address)"
    assert result.issues[0].detail == (
        "'www.example.com/till' has no https:// in front, so visitors see it as text, not as a page; "
        "did you mean https://www.example.com/till?"
    )


def test_addresses_are_completed_on_request_where_one_reading_makes_sense(shop):
    result = shop.import_file(ROWS, fix_urls=True)
    assert contents(shop) == {
        "Gate": "https://example.com", "Till": "https://www.example.com/till", "Shelf": "https://exa mple.com",
    }  # fmt: skip
    assert [(issue.row, issue.reason) for issue in result.issues] == [(3, "completed-url"), (4, "suspicious-url")]
    assert str(result) == "3 created (1 with a completed address, 1 with a suspicious address)"


@pytest.mark.parametrize("rows", [ROWS, b"Name,Content\nDoor,www.example.com\nDoor,www.example.org\nDoor,x\n"])
@pytest.mark.parametrize("fixed_first", [True, False])
@pytest.mark.parametrize("fixed_again", [True, False])
def test_importing_a_file_again_adds_nothing(shop, rows, fixed_first, fixed_again):
    shop.import_file(rows, fix_urls=fixed_first)
    before = contents(shop)
    again = shop.import_file(rows, fix_urls=fixed_again)
    assert (again.created, {issue.reason for issue in again.issues}) == (0, {"duplicate"})
    assert contents(shop) == before


def test_a_repeated_import_tells_of_suspicious_addresses_again(shop):
    shop.import_file(ROWS)
    again = shop.import_file(ROWS)
    assert str(again) == "0 created, 3 already there"
    assert again.issues[0].detail == "'Gate' with this content is in the portfolio already"
    assert again.issues[1].detail == (
        "'Till' with this content is in the portfolio already; 'www.example.com/till' has no https:// in front, so "
        "visitors see it as text, not as a page; did you mean https://www.example.com/till?"
    )


def test_a_repeated_import_does_not_warn_of_completed_addresses(shop):
    shop.import_file(ROWS, fix_urls=True)
    assert shop.import_file(ROWS).issues[1].detail == "'Till' with this content is in the portfolio already"


def test_a_text_is_another_content_than_the_address_in_another_row(shop):
    rows = [b"Name,Content", b"Door,https://www.example.com", b"Door,www.example.com"]
    assert shop.import_file(b"\n".join(rows)).created == 2
    assert contents(shop) == {"Door": "https://www.example.com", "Door (2)": "www.example.com"}


def test_a_row_that_repeats_an_earlier_one_names_it(shop):
    result = shop.import_file(b"Content,QR Code Name\nx,Gate\ny,Gate\nx,Gate\ny,Gate\n")
    assert [(issue.row, issue.error) for issue in result.issues if issue.reason == "duplicate"] == [
        (4, "duplicate: 'Gate' with this content is in row 2 already"),
        (5, "duplicate: 'Gate (2)' with this content is in row 3 already"),
    ]


def test_static_codes_are_left_to_phones(shop):
    rows = b"Content,Dynamic\nwww.example.com,false\n"
    assert shop.import_file(rows, fix_urls=True).issues == ()
    assert [code.content for code in shop.list_qrcodes()] == ["www.example.com"]


def test_no_campaign_may_be_none(shop):
    assert shop.import_file(ROWS, campaign=None).created == 3
    assert shop.list_campaigns() == []


def test_a_static_code_is_another_than_a_completed_address(shop):
    shop.import_file(b"Name,Content\nDoor,https://www.example.com\n")
    assert shop.import_file(b"Name,Content,Dynamic\nDoor,www.example.com,false\n").created == 1


def test_frames_are_imported_with_a_template_and_completed_addresses(shop):
    frame = pd.DataFrame({"content": ["www.example.com", "https://example.com"], "template": ["", None]})
    result = shop.import_frame(frame, template="brand", fix_urls=True)
    assert [issue.reason for issue in result.issues] == ["completed-url"]
    assert [(code.content, code.template) for code in shop.list_qrcodes()] == [
        ("https://www.example.com", "brand"),
        ("https://example.com", "brand"),
    ]
    with pytest.raises(InvalidParameter, match="template='brnd': is not the name of a template; did you mean 'brand'"):
        shop.import_frame(frame, template="brnd")


def written_csv(frame):
    return frame.to_csv().encode()


def written_xlsx(frame):
    file = BytesIO()
    # Excel has no time zones, and pandas refuses to drop them.
    frame.assign(created=frame["created"].dt.tz_localize(None)).to_excel(file)
    return file.getvalue()


def written_json(frame):
    return frame.to_json(orient="records", date_format="iso").encode()


def written_csv_with_gaps(frame):
    numbers = {name: frame[name].astype("float64") for name in ("size", "padding", "version", "scans")}
    return frame.assign(**numbers).to_csv(index=False).encode()


@pytest.mark.parametrize(
    ("write", "format"),
    [(written_csv, "csv"), (written_csv_with_gaps, "csv"), (written_xlsx, "xlsx"), (written_json, "json")],
)
def test_what_pandas_writes_of_our_frames_comes_back(shop, write, format):
    shop.insert_qrcode("https://example.com", name="Gate", template="brand", properties={"size": 7, "padding": 2})
    shop.insert_qrcode("https://example.com/till", name="Till", short_code="till", properties={"version": 9})
    frame = shop.to_frame()
    with open_portfolio(":memory:", base_url=GO) as other:
        other.templates.save("brand", {})
        assert other.import_file(write(frame), format=format).issues == ()
        pd.testing.assert_frame_equal(
            other.to_frame().reset_index(drop=True), frame.reset_index(drop=True), check_exact=False
        )


EXTREMES = [
    {"latitude": "-90", "created": "0001-01-01 00:00:00", "campaign": "Late", "comment": "\0 \U0001f600 '"},
    {"scans": str(2**53 - 1), "created": "9999-12-31T23:59:59.999999Z", "version": "40", "is_dynamic": "no"},
    {
        "schedule": '[{"content": "https://example.com/s", "date": "2026-03-03T10:00:00Z"}]',
        "is_schedule_enabled": "yes",
    },
    {},
]


def test_many_codes_are_stored_as_few_are(shop):
    """Large imports are inserted as arrays, small ones as JSON."""
    number = MOST_IN_TEXT + len(EXTREMES)
    rows = pd.DataFrame([{}] * MOST_IN_TEXT + EXTREMES, dtype="object")
    rows["content"] = [f"https://example.com/{row}" for row in range(number)]
    rows["short_url"] = [f"{GO}/code{row}" for row in range(number)]
    rows["created"] = rows["created"].fillna("2026-01-01 00:00:00")
    with open_portfolio(":memory:", base_url=GO) as other:
        assert shop.import_frame(rows).created == number
        assert [other.import_frame(part).created for part in (rows[:-10], rows[-10:])] == [number - 10, 10]
        whole, parts = (
            [
                code.model_copy(update={"id": "", "campaign_id": bool(code.campaign_id)})
                for code in portfolio.list_qrcodes()
            ]
            for portfolio in (shop, other)
        )
    assert whole == parts
    assert whole[-4].campaign_id
    assert [code.location.latitude for code in whole[-4:]] == [-90, None, None, None]


PLACEHOLDERS = [
    "N/A",
    "-",
    "TBC",
    "none",
    "0",
    "nan",
    "n.a.",
    "#N/A",
    "#REF!",
    "\u2014",
    "(tbd)",
    "No URL",
    "???",
    "null",
]


def csv_of(*texts):
    return "\n".join(["Content,QR Code Name", *(f"{text},n{number}" for number, text in enumerate(texts))]).encode()


@pytest.mark.parametrize("placeholder", PLACEHOLDERS)
def test_a_text_for_no_address_is_told(shop, placeholder):
    result = shop.import_file(csv_of("https://example.com/1", placeholder, "https://example.com/2", "tel:+49123"))
    (issue,) = result.issues
    assert (result.created, issue.row, issue.reason) == (4, 3, "no-address")
    rule = "is not a web address, unlike the contents of other rows; visitors see it as text"
    assert issue.detail == f"{placeholder!r} {rule}"
    assert str(result) == "4 created (1 with a content that is not an address)"


@pytest.mark.parametrize(
    "text", ["Link folgt", "ask Ana", "(url)", "siehe oben", "#WERT!", "C:\\x.pdf", "file:///C:/x.pdf"]
)
def test_any_text_is_told_among_many_addresses(shop, text):
    """Of any language: nobody lists what people write into a cell for which they have no address."""
    addresses = [f"https://example.com/{number}" for number in range(12)]
    (issue,) = shop.import_file(csv_of(*addresses, text, "tel:+49123", "WIFI:S:x;;")).issues
    assert (issue.content, issue.reason) == (text, "no-address")


def test_texts_in_a_column_of_texts_raise_no_alarm(shop):
    assert shop.import_file(csv_of(*PLACEHOLDERS, "A", "B", "https://example.com/1")).issues == ()
    assert shop.import_file(b"Content,Dynamic\nhttps://example.com,true\nN/A,false\n").issues == ()


def test_what_stands_around_addresses_is_told_and_completed(shop):
    texts = ["\u200bhttps://example.com/1", "<https://example.com/2>", "\u201chttps://example.com/3\u201d"]
    result = shop.import_file(csv_of(*texts))
    assert {issue.reason for issue in result.issues} == {"suspicious-url"}
    with open_portfolio(":memory:") as other:
        fixed = other.import_file(csv_of(*texts), fix_urls=True)
        assert list(contents(other).values()) == [f"https://example.com/{number}" for number in (1, 2, 3)]
        assert {issue.reason for issue in fixed.issues} == {"completed-url"}


def test_rows_to_fix_stand_first_and_duplicates_last(shop):
    shop.import_file(csv_of("https://example.com/1"))
    rows = csv_of("https://example.com/1", "https://example.com/2", "", "www.example.com")
    issues = shop.import_file(b"A title\n" + rows).to_fix_first
    assert [(issue.row, issue.reason) for issue in issues] == [
        (5, "invalid"),
        (6, "suspicious-url"),
        (2, "heading-row"),
        (3, "duplicate"),
    ]


PAYNOW = "00020101021126370009SG.PAYNOW010100211UEN2012345675204000053037025802SG5904Shop6009Singapore6304ABCD"


def test_printed_short_urls_of_payments_are_kept_and_told(shop):
    table = f"Name,Content,Trackable URL\nTill,{PAYNOW},{GO}/till\nDoor,{PAYNOW},\n".encode()
    result = shop.import_file(table)
    assert [(issue.row, issue.reason) for issue in result.issues] == [(2, "no-address"), (3, "invalid")]
    assert "content is of the kind 'payment', which apps read from the code itself" in result.issues[0].detail
    (till,) = shop.list_qrcodes()
    assert (till.short_url, till.content) == (f"{GO}/till", PAYNOW)


@pytest.mark.parametrize("format", ["csv", "json"])
def test_exports_with_payments_of_earlier_versions_are_imported_whole(shop, format, tmp_path):
    shop.import_file(f"Name,Content,Trackable URL\nTill,{PAYNOW},{GO}/till\n".encode())
    exported = tmp_path / f"codes.{format}"
    shop.export_file(exported)
    with open_portfolio(":memory:", base_url=GO) as other:
        assert other.import_file(exported).created == 1
        assert [(code.short_code, code.content) for code in other.list_qrcodes()] == [("till", PAYNOW)]


def test_a_payment_that_is_tracked_already_stops_no_other_change(shop):
    shop.import_file(f"Name,Content,Trackable URL\nTill,{PAYNOW},{GO}/till\n".encode())
    (till,) = shop.list_qrcodes()
    assert shop.update_qrcode(till.id, valid_until="2030-01-01").content == PAYNOW
    with pytest.raises(InvalidParameter, match="apps read from the code itself"):
        shop.update_qrcode(till.id, content=PAYNOW.replace("Shop", "Café"))
    still = shop.insert_qrcode(PAYNOW, is_dynamic=False)
    with pytest.raises(InvalidParameter, match="apps read from the code itself"):
        shop.update_qrcode(still.id, is_dynamic=True)
