import io
from datetime import UTC, datetime, timedelta

import pandas as pd
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from qrkit import Location, Portfolio, Properties, decode, open_portfolio
from qrkit.design.color import Color
from qrkit.errors import InvalidParameter, UnreadableFile
from qrkit.exchange import EXCHANGE_FORMATS, Writing, csv_file
from qrkit.exchange.columns import NAMES, Row
from qrkit.store import Store
from qrkit.tracking.names import tidy_name
from qrkit.tracking.records import Account, ScheduleEvent
from qrkit.tracking.short_urls import new_id
from tests.sweeps import quick_first

GO = "https://go.example.com"
NOON = datetime(2026, 3, 1, 12, 0, 0, 123_456, UTC)
some = settings(max_examples=5)

HOSTILE = [
    *(
        "=1+1",
        "'=1+1",
        "00123",
        "NA",
        "null",
        "1e5",
        "TRUE",
        " x ",
        "'",
        '"',
        'a"b,c;d\te',
        "\r\n",
        "\n",
        "\r",
        "a\r\nb",
    ),
    *("-1", "+49 30 123", "@x", "\ufeffx", "🙂👩‍👩‍👧", "שלום עולם", "\u202eabc", "\u2028", "<b>&amp;</b>", "x" * 4_000),
]
letters = st.characters(exclude_categories=["Cs"])
texts = st.sampled_from(HOSTILE) | st.text(letters, max_size=15)
colors = st.builds(Color, *[st.integers(0, 255)] * 4)


def degrees(most):
    # -0.0 + 0.0 is 0.0: a workbook has one zero only.
    return st.floats(-most, most).map(lambda number: number + 0.0)


hostile_codes = st.fixed_dictionaries(
    {
        "name": texts.filter(bool),
        "content": texts.filter(bool),
        "comment": texts,
        "urlinfo": texts,
        "is_dynamic": st.booleans(),
        "location": st.builds(
            Location, address=texts, latitude=st.none() | degrees(90), longitude=st.none() | degrees(180)
        ),
        "properties": st.builds(
            Properties,
            size=st.integers(1, 20),
            version=st.none() | st.just(9),
            padding=st.integers(0, 20),
            ec=st.sampled_from("LM"),
            foreground=colors,
            background=colors,
        ),
        "is_schedule_enabled": st.booleans(),
        "schedule": st.lists(
            st.builds(ScheduleEvent, content=texts.filter(bool), recurrence=st.integers(0, 7), date=st.just(NOON)),
            max_size=2,
        ),
    }
).filter(lambda fields: fields["is_dynamic"] or len(fields["content"].encode()) < 100)
campaigns = st.none() | texts.map(tidy_name).filter(bool)
portfolios = st.lists(
    st.tuples(campaigns, hostile_codes, st.datetimes(datetime(1, 1, 2), datetime(9999, 12, 30)), st.integers(0, 2)),
    max_size=3,
    unique_by=lambda row: row[1]["name"],
)


ALL_HOSTILE = [
    (
        tidy_name(text) or None,
        {"name": text, "content": text, "comment": text, "location": Location(address=text)},
        NOON,
        1,
    )
    for text in HOSTILE
]
FEW_HOSTILE = ALL_HOSTILE[::6]
"""For archives, whose pictures take their time."""


def written(table, **how):
    file = io.BytesIO()
    csv_file.write([Row(0, cells) for cells in table.to_dict("records")], file, Writing(None, **how))
    return file.getvalue()


@pytest.fixture
def portfolio():
    with open_portfolio(":memory:", base_url=GO, clock=lambda: NOON) as portfolio:
        yield portfolio


@pytest.fixture(scope="module")
def stores():
    """Two stores: what was exported from one is new to the other."""
    with Store() as first, Store() as second:
        yield first, second


def anybodys(store, base_url=GO, clock=lambda: NOON):
    """An empty portfolio, of an account of its own."""
    account = Account(new_id(), "somebody", "premium")
    return Portfolio(store, account, base_url=base_url, clock=clock, warn=lambda text: None)


def filled(store, rows, base_url=GO):
    """A portfolio with the campaigns, codes and scans that hypothesis wants."""
    known, moments = {}, []
    portfolio = anybodys(store, base_url, clock=lambda: moments[-1])
    with store.atomic():
        for campaign, fields, created, scans in rows:
            moments.append(created)
            if campaign is not None and campaign not in known:
                known[campaign] = portfolio.insert_campaign(campaign).id
            code = portfolio.insert_qrcode(**fields, campaign_id=known.get(campaign))
            portfolio.scans.insert(pd.DataFrame({"short_code": [code.short_code] * scans, "time": [NOON] * scans}))
    return portfolio


def csv_of(*rows, **more):
    """A csv file with these rows; a row is its content, or some of its columns."""
    whole = [{"Content": row} if isinstance(row, str) else row for row in rows]
    frame = pd.DataFrame([dict.fromkeys(NAMES, "") | row | more for row in whole], columns=list(NAMES), dtype="str")
    return written(frame)


def stored(portfolio):
    tables = ("campaigns", "qrcodes", "short_codes")
    return [portfolio.store.row(f"SELECT count(*) AS number FROM {table}")["number"] for table in tables]


def errors(result):
    return [(issue.row, issue.reason) for issue in result.issues]


# ---- export, import, export again


@pytest.mark.rule("X6")
@pytest.mark.parametrize(
    "format",
    [pytest.param(name, marks=() if name == "csv" else pytest.mark.slow) for name in EXCHANGE_FORMATS if name != "zip"],
)
@given(portfolios, st.sampled_from([GO, "https://example.com/our/codes"]))
@example(ALL_HOSTILE, GO)
@some
def test_export_import_export_gives_the_same_bytes(stores, format, rows, base_url):
    """Open: what a file loses. Nothing that its format has a place for, whatever the texts are."""
    check_round_trip(stores, format, rows, base_url)


@pytest.mark.slow
@pytest.mark.rule("X6", "X10")
@given(portfolios)
@example(FEW_HOSTILE)
@settings(some, max_examples=3)
def test_export_import_export_gives_the_same_archive_of_pictures(stores, rows):
    """Open: what a zip loses. Nothing: its pictures and its manifest are the same, byte by byte."""
    check_round_trip(stores, "zip", rows, GO)


def check_round_trip(stores, format, rows, base_url):
    source = filled(stores[0], rows, base_url)
    exported = source.export_bytes(format)
    copy = anybodys(stores[1], base_url, clock=lambda: NOON + timedelta(days=1))
    result = copy.import_file(exported, format=format)
    assert result.created == len(rows)
    assert {issue.reason for issue in result.issues} <= {"suspicious-url"}
    assert copy.export_bytes(format) == exported


@pytest.mark.rule("X6")
@pytest.mark.parametrize("format", ["xml", "json", "zip"])
def test_colours_and_schedules_come_back_with_xml_json_and_zip(stores, format):
    """Open: fields that csv has no column for. xml, json and the manifest of a zip have them, too."""
    source = anybodys(stores[0])
    event = ScheduleEvent(content="=1+1\r", recurrence=3, date=NOON)
    source.insert_qrcode(
        "x",
        properties={"foreground": "#80FF0000", "background": "transparent"},
        is_schedule_enabled=True,
        schedule=[event],
        is_dynamic=False,
    )
    copy = anybodys(stores[1])
    assert copy.import_file(source.export_bytes(format), format=format).issues == ()
    (one,), (other,) = source.list_qrcodes(), copy.list_qrcodes()
    assert other.replace(id=one.id, short_code=one.short_code, short_url=one.short_url, created=one.created) == one


@pytest.mark.rule("X4")
@given(portfolios)
@some
def test_an_import_keeps_codes_dates_counts_and_campaigns(stores, rows):
    """Open: what an import may make anew. Nothing that stands in the file: printed codes must live on."""
    source = filled(stores[0], rows)
    copy = anybodys(stores[1], clock=lambda: NOON + timedelta(days=1))
    copy.import_file(source.export_bytes("csv"))
    names = [{None: None} | {one.id: one.name for one in each.list_campaigns()} for each in (source, copy)]
    for one, other in zip(source.list_qrcodes(), copy.list_qrcodes(), strict=True):
        assert names[0][one.campaign_id] == names[1][other.campaign_id]
        assert other.created == one.created.replace(microsecond=0)
        assert other.id != one.id
        for name in ("name", "content", "comment", "short_code", "short_url", "scans", "is_dynamic", "location"):
            assert getattr(other, name) == getattr(one, name)
        colored = {name: getattr(one.properties, name) for name in ("foreground", "background")}
        assert other.properties.replace(**colored) == one.properties


@pytest.mark.rule("X3")
@given(portfolios)
@example([(None, {"name": " (2)", "content": "x"}, NOON, 0), (None, {"name": " ", "content": "x"}, NOON, 0)])
@some
def test_importing_a_file_twice_changes_nothing(stores, rows):
    """Open: where duplicates are looked for. In the whole portfolio, so that the second time every row is one."""
    exported = filled(stores[0], rows).export_bytes("csv")
    copy = anybodys(stores[1])
    copy.import_file(exported)
    before = copy.list_qrcodes(), copy.list_campaigns()
    again = copy.import_file(exported)
    assert (again.created, again.count("duplicate")) == (0, len(rows))
    assert (copy.list_qrcodes(), copy.list_campaigns()) == before


@pytest.mark.rule("X3", "X6")
def test_codes_with_short_codes_of_their_own_come_back_whole(stores):
    """Open: X3 against X6 where codes share a name. Each hangs somewhere: rows with a free code of their own stay."""
    source = anybodys(stores[0])
    for content in ("x", "x", "y"):
        source.insert_qrcode(content, name="Door")
    exported = source.export_bytes("csv")
    copy = anybodys(stores[1])
    assert (copy.import_file(exported).created, copy.export_bytes("csv")) == (3, exported)
    assert errors(copy.import_file(exported)) == [(2, "duplicate"), (3, "duplicate"), (4, "duplicate")]


@pytest.mark.rule("X3")
def test_rows_without_a_short_code_of_their_own_are_judged_among_themselves(portfolio):
    """Open: whether the duplicate rule looks at the file itself. It does, but for rows that bring a free short code."""
    result = portfolio.import_file(csv_of(*({"Content": text, "QR Code Name": "Door"} for text in ("x", "x", "y"))))
    assert errors(result) == [(3, "duplicate"), (4, "renamed")]


def test_a_file_on_disk_makes_the_same_way(tmp_path, portfolio):
    code = portfolio.insert_qrcode("https://example.com", campaign_id=portfolio.insert_campaign("Spring").id)
    path = portfolio.export_file(tmp_path / "codes.CSV")
    assert path.read_bytes() == portfolio.export_bytes("csv")
    with open_portfolio(":memory:", base_url=GO) as copy:
        assert copy.import_file(str(path)).created == 1
        assert copy.list_qrcodes()[0].short_code == code.short_code
        path.rename(tmp_path / "codes.txt")
        assert copy.import_file(tmp_path / "codes.txt", format="csv").count("duplicate") == 1


def test_an_empty_portfolio_is_a_heading(portfolio):
    assert portfolio.export_bytes("csv") == ",".join(NAMES).encode() + b"\r\n"
    assert portfolio.import_file(portfolio.export_bytes("csv")).created == 0


# ---- rows


@pytest.mark.rule("X2")
def test_a_bad_row_never_loses_the_good_ones(portfolio):
    """Open: what one bad row does to a file. It becomes a warning that begins with invalid, and the rest is stored."""
    result = portfolio.import_file(
        csv_of(
            "good",
            {"Content": "", "QR Code Name": "no content"},
            {"Content": "x", "Size": "99"},
            {"Content": "x", "Created (UTC)": "yesterday", "Padding": "many"},
            {"Content": "x" * 32_768},
            {"Content": "x", "QR Code Name": "n" * 32_768},
            {"Content": "x", "Comment": "c" * 32_768},
            {"Content": "x", "Campaign Name": "c" * 32_768},
            {"Content": "x" * 60, "Version": "1", "Error Correction": "H", "Dynamic": "false"},
            {"Content": "x", "Encode Mode": "Numeric", "Dynamic": "false"},
            {"Content": "x" * 3_000, "Dynamic": "false"},
            {"Content": "abc", "Dynamic": "false", "Encode Mode": "Numeric"},
            "good, too",
        )
        + b"a,b,c,d,e,f,g,h,i,j,k,l,m,n,o,p,q\r\nlast,,y\r\n"
    )
    assert errors(result) == [(row, "invalid") for row in range(3, 14)] + [(15, "invalid")]
    assert [code.content for code in portfolio.list_qrcodes()] == ["good", "good, too", "y"]
    assert result.created == 3
    assert [one.name for one in portfolio.list_campaigns()] == ["last"]
    assert all(issue.error.startswith("invalid: ") for issue in result.issues)
    messages = {issue.row: issue.detail for issue in result.issues}
    assert "Size=99: must be in 1..20" in messages[4]
    assert "Created (UTC)='yesterday'" in messages[5]
    assert "Padding='many'" in messages[5]


def test_a_row_that_cannot_be_drawn_does_not_make_a_good_one_a_duplicate(portfolio):
    bad = {"Content": "x", "QR Code Name": "Door", "Encode Mode": "Numeric", "Dynamic": "false"}
    result = portfolio.import_file(csv_of(bad, {"Content": "x", "QR Code Name": "Door"}))
    assert errors(result) == [(2, "invalid")]
    assert [(code.name, code.content) for code in portfolio.list_qrcodes()] == [("Door", "x")]


@pytest.mark.rule("X3")
def test_the_same_name_with_other_content_gets_a_number(portfolio):
    """Open: which suffix a clash gets. ` (2)`, ` (3)`, …, the first that is free, and a warning that says it."""
    portfolio.insert_qrcode("here", name="Door")
    rows = [{"Content": content, "QR Code Name": "Door"} for content in ("here", "there", "elsewhere", "there")]
    result = portfolio.import_file(csv_of(*rows))
    assert errors(result) == [(2, "duplicate"), (3, "renamed"), (4, "renamed"), (5, "duplicate")]
    assert [(code.name, code.content) for code in portfolio.list_qrcodes()] == [
        ("Door", "here"),
        ("Door (2)", "there"),
        ("Door (3)", "elsewhere"),
    ]
    assert [issue.name for issue in result.issues] == ["Door"] * 4


@pytest.mark.rule("X4")
def test_a_short_code_is_kept_when_it_is_free_and_replaced_when_it_is_not(portfolio):
    """Open: whose short codes an import takes over. Ours and any other host's, as long as nobody has them."""
    portfolio.insert_qrcode("x", name="first", short_code="taken")
    urls = [f"{GO}/ours12/a-tail", "https://bit.ly/theirs", f"{GO}/taken", f"{GO}/ours12", "no url", f"{GO}/api", ""]
    result = portfolio.import_file(
        csv_of(*({"Content": str(row), "Trackable URL": url} for row, url in enumerate(urls)))
    )
    assert result.created == len(urls)
    codes = portfolio.list_qrcodes()[1:]
    assert [code.short_url for code in codes[:2]] == [f"{GO}/ours12/a-tail", f"{GO}/theirs"]
    assert all(len(code.short_code) == 6 for code in (codes[2], *codes[4:]))
    assert codes[3].short_code == "ours12"
    assert len({code.short_code for code in codes} | {"taken"}) == len(urls) + 1
    assert errors(result) == [(4, "code-taken"), (6, "code-unreadable"), (7, "code-unreadable")]
    details = [issue.detail for issue in result.issues]
    assert details[0] == f"'{GO}/taken' is already in use; the new one is {codes[2].short_url}"
    assert details[1] == (
        "'no url' has no short code that can be kept, so codes printed with it will not work; "
        f"the new one is {codes[4].short_url}"
    )


@pytest.mark.rule("X4", "X12")
def test_a_short_url_without_its_scheme_keeps_its_code(portfolio):
    """Open: short URLs as services write them. Their codes were replaced, and printed codes did not work."""
    rows = [["Bitlink", "Long URL"], ["go.example.com/menu", "x"], [" go.example.com:8080/bar ", "y"], ["n/a", "z"]]
    columns = {"content": "Long URL", "Trackable URL": "Bitlink"}
    result = portfolio.import_file("\n".join(map(",".join, rows)).encode(), columns=columns)
    assert errors(result) == [(4, "code-unreadable")]
    assert [code.short_code for code in portfolio.list_qrcodes()][:2] == ["menu", "bar"]


@pytest.mark.rule("X12")
def test_short_urls_with_another_host_are_counted_once(portfolio):
    """Open: codes printed with bit.ly, or a mistyped base URL. Nothing was said, and the printed codes did not move."""
    urls = ["https://bit.ly/door", "BIT.LY/gate", f"{GO}/menu", "https://cafe.link/bar", "", "no url"]
    rows = [{"Content": str(row), "Trackable URL": url} for row, url in enumerate(urls)]
    static = {"Content": "static", "Trackable URL": "https://bit.ly/static", "Dynamic": "false"}
    result = portfolio.import_file(csv_of(*rows, static))
    assert dict(result.other_hosts) == {"bit.ly": 2, "cafe.link": 1}
    sentence = (
        "2 short URLs began with bit.ly, 1 short URL began with cafe.link; codes printed with them still lead there"
    )
    assert result.hosts_left == sentence
    assert sentence in result._repr_mimebundle_()["text/html"]
    assert portfolio.import_file(csv_of({"Content": "0", "Trackable URL": "https://bit.ly/door"})).other_hosts == {}


@pytest.mark.rule("X4")
def test_what_a_row_does_not_say_is_made_and_its_campaign_too(portfolio):
    """Open: campaigns that are not there. They are made, once; the oldest of a name takes the codes."""
    spring = portfolio.insert_campaign("Spring")
    portfolio.insert_campaign("Spring")
    result = portfolio.import_file(
        csv_of("x", "y", **{"Campaign Name": "Spring"}) + b"Autumn,,z\r\nAutumn,,w\r\n,,v\r\n"
    )
    assert errors(result) == []
    names = {None: ""} | {one.id: one.name for one in portfolio.list_campaigns()}
    codes = portfolio.list_qrcodes()
    assert [names[code.campaign_id] for code in codes] == ["Spring", "Spring", "Autumn", "Autumn", ""]
    assert {code.campaign_id for code in codes[:2]} == {spring.id}
    assert [one.name for one in portfolio.list_campaigns()] == ["Spring", "Spring", "Autumn"]
    assert {code.created for code in codes} == {NOON}
    assert {code.scans for code in codes} == {0}


@pytest.mark.rule("X5")
def test_a_code_imported_as_static_encodes_its_content(portfolio):
    """Open: what Dynamic does at import. False makes a code whose picture holds the content itself."""
    portfolio.import_file(csv_of({"Content": "tel:1", "Dynamic": "No"}, {"Content": "tel:2", "Dynamic": "1"}))
    static, dynamic = portfolio.list_qrcodes()
    assert portfolio.image(static).design.content == "tel:1"
    assert portfolio.image(dynamic).design.content == dynamic.encoded


# ---- all or nothing


@pytest.mark.rule("X2")
def test_a_file_that_cannot_be_read_changes_nothing(portfolio, tmp_path):
    """Open: a file that is broken as a whole. Refused, and nothing of it is stored."""
    good = csv_of("x", **{"Campaign Name": "Spring"})
    (tmp_path / "folder.csv").mkdir()
    for wrong in (
        b"",
        b"Name\nx\n",
        good + b'"x"y\n' * 101,
        b"\xff\xfe" + good.decode().encode("utf-16-le") + b"x",
        tmp_path / "missing.csv",
        tmp_path / "folder.csv",
    ):
        with pytest.raises(UnreadableFile):
            portfolio.import_file(wrong)
    for name, rule in (("codes", r"must end in one of \.csv, "), ("codes.exe", "is not a format of (im|ex)ports")):
        with pytest.raises(InvalidParameter, match=rule):
            portfolio.import_file(tmp_path / name)
        with pytest.raises(InvalidParameter, match=rule):
            portfolio.export_file(tmp_path / name)
    with pytest.raises(InvalidParameter):
        portfolio.import_file(good, format="xyz")
    assert stored(portfolio) == [0, 0, 0]
    assert sorted(file.name for file in tmp_path.iterdir()) == ["folder.csv"]


@pytest.mark.rule("X2")
def test_an_error_in_the_middle_of_an_import_leaves_nothing(portfolio):
    """Open: how much of an import is kept when the machine fails. Nothing: an import is one transaction."""
    portfolio.store.execute("ALTER TABLE scan_counts RENAME TO elsewhere")  # the last table that it writes to
    with pytest.raises(portfolio.store.database.errors):
        portfolio.import_file(csv_of("x", "y", "z", **{"Campaign Name": "Spring"}))
    portfolio.store.execute("ALTER TABLE elsewhere RENAME TO scan_counts")
    assert stored(portfolio) == [0, 0, 0]
    assert portfolio.import_file(csv_of("x", "y", "z")).created == 3


def test_an_import_joins_a_transaction_that_is_open(portfolio):
    def two_imports(*, fail):
        with portfolio.store.atomic():
            portfolio.import_file(csv_of("x"))
            portfolio.import_file(csv_of("y", **{"Campaign Name": "Spring"}))
            if fail:
                raise KeyError("night")

    with pytest.raises(KeyError):
        two_imports(fail=True)
    assert stored(portfolio) == [0, 0, 0]
    two_imports(fail=False)
    assert stored(portfolio) == [1, 2, 2]


def test_an_import_into_one_portfolio_leaves_another_alone(stores):
    mine, yours = anybodys(stores[0]), anybodys(stores[0])
    yours.insert_qrcode("x", name="Door")
    assert mine.import_file(csv_of({"Content": "y", "QR Code Name": "Door"})).issues == ()
    assert [code.content for code in yours.list_qrcodes()] == ["x"]
    result = yours.import_file(mine.export_bytes("csv"))
    assert errors(result) == [(2, "renamed"), (2, "code-taken")]


@pytest.mark.rule("X2")
def test_a_column_that_is_not_known_is_named(portfolio):
    """Open: what becomes of further columns. They are left out, and a warning about the heading proposes near names."""
    result = portfolio.import_file(b"Content,Campagin Name,\nx,Spring,\n")
    assert (result.created, errors(result)) == (1, [(1, "own-column")])
    assert "did you mean 'Campaign Name'" in result.issues[0].error


@pytest.mark.rule("X4")
@pytest.mark.parametrize(
    "base", quick_first(["https://old.example/qr", "https://old.example/a/b", "https://old.example"], 2)
)
@pytest.mark.parametrize("other", quick_first(["https://new.example", "https://new.example/q"]))
def test_printed_codes_move_to_a_store_whose_base_url_has_another_path(base, other):
    """Open: short codes of another base URL. They are kept, whatever path they had, if it is said."""
    with open_portfolio(":memory:", base_url=base) as old, open_portfolio(":memory:", base_url=other) as new:
        for code in ("door", "gate", "wall"):
            old.insert_qrcode(f"https://example.com/{code}", short_code=code, urlinfo="left")
        assert str(new.import_file(old.export_bytes("csv"), old_base_url=base)) == "3 created"
        assert [one.short_url for one in new.list_qrcodes()] == [f"{other}/{c}/left" for c in ("door", "gate", "wall")]


def test_a_result_shows_its_first_issues_and_nothing_that_a_page_would_take_for_its_own():
    frame = pd.DataFrame({"Content": ["<b>x\ud800</b>"] * 60, "Size": ["<i>$9\ud800$"] * 60}, dtype=object)
    with open_portfolio(":memory:") as shop:
        result = shop.import_frame(frame)
    page = result._repr_mimebundle_()["text/html"]
    assert page.encode()
    assert "<b>" not in page
    assert "<i>" not in page
    assert "mathjax_ignore" in page
    assert page.count("<tr") == 51
    assert "and 10 more" in page


@pytest.mark.rule("X12")
@pytest.mark.parametrize(
    ("cells", "properties", "told"),
    [
        ({"Version": "2"}, {"version": None, "em": "byte"}, ("Version=2", "automatic")),
        ({"Version": "2", "Encode Mode": "Numeric"}, {"version": None, "em": "byte"}, ("Version=2", "Numeric", "Byte")),
        ({"Version": "5", "Encode Mode": "Alphanumeric"}, {"version": 5, "em": "byte"}, ("Alphanumeric", "Byte")),
    ],
)
def test_a_printed_code_lives_though_its_version_or_mode_cannot_hold_our_short_url(portfolio, cells, properties, told):
    """Open: codes of a service with shorter URLs. The row was refused, and its printed code answered 404."""
    row = {"Content": "https://example.com/menu", "Trackable URL": "http://goo.by/Ab12cx"} | cells
    result = portfolio.import_frame(pd.DataFrame([row]))
    (code,), (issue,) = portfolio.list_qrcodes(), result.issues
    assert (result.created, code.short_url) == (1, f"{GO}/Ab12cx")
    assert {name: getattr(code.properties, name) for name in properties} == properties
    assert issue.error.startswith("changed: ")
    assert all(word in issue.error for word in told), issue.error
    assert decode(portfolio.image(code).to_bytes("png")).content == code.encoded
    assert str(result) == "1 created (1 given a version or mode that fits)"


@pytest.mark.rule("X12", "X2")
def test_a_row_can_be_given_a_new_short_url_and_another_version(portfolio):
    """Open: a row of which two things changed. Both are told."""
    row = {"Content": "x", "Trackable URL": "no url", "Version": "1", "Error Correction": "H"}
    result = portfolio.import_frame(pd.DataFrame([row, row | {"Content": "y", "Trackable URL": ""}]))
    assert errors(result) == [(1, "code-unreadable"), (1, "changed"), (2, "changed")]
    assert [code.properties.version for code in portfolio.list_qrcodes()] == [None, None]
