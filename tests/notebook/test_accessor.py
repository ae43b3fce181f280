"""`df.qr`: pictures, files and tracked codes for the rows of a DataFrame."""

import subprocess
import sys
import unicodedata
import warnings
from base64 import b64decode
from pathlib import Path
from zipfile import ZipFile

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import html

import qrkit.notebook.accessor
from qrkit import (
    Design,
    Layer,
    Portfolio,
    PrintSize,
    Properties,
    QRImage,
    contents,
    data_uri,
    decode,
    generate,
    open_portfolio,
)
from qrkit.drawing.untrusted.rasteriser import within
from qrkit.errors import InvalidParameter, RemoteContentDisabled, RenderingFailed, ScanWarning, UnknownParameter
from qrkit.store import Store
from qrkit.store.records.accounts import insert_account
from qrkit.tracking.records import PLANS, Account
from qrkit.tracking.short_urls import new_id
from qrkit.tracking.times import now
from tests.dtypes import TEXT

GO = "https://go.example.com"
HOSTILE = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    '"><svg onload=alert(1)>',
    "</td></table><iframe src=//evil.example>",
    "&lt;b&gt;",
    "$\\href{javascript:alert(1)}{x}$",
    "\ud800",
    "\0",
]
LINK = "https://example.com"
some = settings(max_examples=20)
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=30) | st.sampled_from(HOSTILE[:6])
DOORS = pd.DataFrame(
    {"name": ["Door", "Gate", "Lift"], "url": [f"https://example.com/{each}" for each in "dgl"]},
    index=["a", "b", "c"],
)


@pytest.fixture
def shop():
    with open_portfolio(":memory:", base_url=GO) as portfolio:
        yield portfolio


# ---- generate


@given(st.lists(texts.filter(bool), max_size=4))
@some
def test_each_row_has_the_picture_of_its_content(contents):
    frame = pd.DataFrame({"text": contents}, index=pd.Index(range(5, 5 + len(contents)), name="n"), dtype="str")
    images = frame.qr.generate("text", ec="Q")
    assert images.index.equals(frame.index)
    assert (images.name, str(images.dtype), images.attrs["errors"]) == ("qr", "object", [])
    assert [image.design for image in images] == [Design(content=text, ec="Q") for text in contents]


@pytest.mark.parametrize(
    "design",
    [
        Design(content="other", ec="H", size=3),
        {"content": "other", "ec": "H", "size": 3},
        {"ec": "H", "size": 3},
        {"ec": "L", "size": 3},
    ],
    ids=["design", "fields", "fields alone", "replaced"],
)
def test_content_and_fields_replace_those_of_the_design(design):
    images = DOORS.qr.generate("url", design=design, ec="H")
    assert images["b"].to_bytes("png") == generate("https://example.com/g", ec="H", size=3).to_bytes("png")


def test_cells_that_are_no_text_are_encoded_as_their_text():
    frame = pd.DataFrame({"n": [7.0, 8.5], "t": pd.to_datetime(["2026-03-01 08:30", "2026-03-02 00:00"])})
    assert [image.design.content for image in frame.qr.generate("n")] == ["7", "8.5"]
    assert [image.design.content for image in frame.qr.generate("t")] == ["2026-03-01 08:30:00", "2026-03-02"]


def test_a_bad_row_never_stops_the_rest_and_is_told():
    cells = ["x", None, "", b"bytes", "y" * 3000, np.nan, "z"]
    frame = pd.DataFrame({"text": cells}, index=list("abcdefa"), dtype="object")
    with pytest.warns(UserWarning, match=r"^5 of 7 rows .*row 'b': .*row 'c': .*row 'd': .*and 2 more") as told:
        images = frame.qr.generate("text", ec="H")
    assert len(told) == 1
    assert told[0].filename == __file__
    assert [image is None for image in images] == [False, True, True, True, True, True, False]
    assert [label for label, _ in images.attrs["errors"]] == list("bcdef")
    assert all(reason for _, reason in images.attrs["errors"])


@pytest.mark.parametrize(
    ("design", "error"),
    [
        ({"sizze": 3}, UnknownParameter),
        ({"size": 99}, InvalidParameter),
        ("brand", InvalidParameter),
        ({"layers": [Layer("https://example.com/x.png", x=0, y=0, width=9, height=9)]}, RemoteContentDisabled),
        ({"layers": [Layer("icon:hart", x=0, y=0, width=9, height=9)]}, InvalidParameter),
    ],
    ids=["name", "bound", "type", "address", "icon"],
)
@pytest.mark.parametrize("rows", [0, 3])
def test_what_is_wrong_with_the_design_is_said_once_and_at_once(design, error, rows):
    with pytest.raises(error):
        DOORS.head(rows).qr.generate("url", design=design)


def test_pictures_of_a_design_are_read_once_and_warned_of_once():
    read = []
    svg = b'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><path d="M0 0h9v9z"/><foreignObject/></svg>'

    def fetch(url):
        read.append(url)
        return svg

    design = {"layers": [Layer("https://example.com/x.svg", x=120, y=120, width=9, height=9)]}
    with pytest.warns(UserWarning, match="embeds HTML") as told:
        images = DOORS.qr.generate("url", design=design, fetch=fetch)
    assert (len(read), len(told), images.attrs["errors"]) == (1, 1, [])
    assert told[0].filename == __file__
    design = {"layers": [Layer(data_uri(svg), x=120, y=120, width=9, height=9)]}
    with pytest.warns(UserWarning, match="embeds HTML"):
        same = DOORS.qr.generate("url", design=design)
    assert same["a"].to_bytes("png") == images["a"].to_bytes("png")


def test_the_frame_stays_as_it_is(shop, tmp_path):
    frame = DOORS.copy()
    frame.qr.generate("url")
    frame.qr.save(tmp_path, "url")
    frame.qr.track(shop, "url")
    frame.qr.show().to_html()
    pd.testing.assert_frame_equal(frame, DOORS)


# ---- columns


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda qr: qr.generate("ulr"), ["'ulr' (content)", "(did you mean 'url'?).", "There: 'name', 'url'"]),
        (lambda qr: qr.generate(7), ["no column 7", "There: 'name', 'url'"]),
        (lambda qr: qr.show(["url", "naem"]), ["did you mean 'name'"]),
        (lambda qr: qr.save("nowhere", "url", name="title"), ["no column 'title'", "'url' (content), 'title' (name)"]),
        (
            lambda qr: qr.track(None, "url", campaign="where", name="nname"),
            ["'nname' (did you mean 'name'", "'where'"],
        ),
    ],
    ids=["near", "number", "show", "save", "track"],
)
def test_a_column_that_is_not_there_is_told_with_those_that_are(call, words):
    with pytest.raises(AttributeError) as refused:
        call(DOORS.qr)
    assert [word for word in words if word not in str(refused.value)] == []
    assert not Path("nowhere").exists()


def test_a_column_that_is_there_twice_is_refused():
    frame = pd.DataFrame([["x", "y"]], columns=["url", "url"])
    with pytest.raises(AttributeError, match="'url' 2 times"):
        frame.qr.generate("url")


def test_of_many_columns_some_are_listed():
    with pytest.raises(AttributeError, match=r"There: 0, 1, .*, 39 and 60 more$"):
        pd.DataFrame([range(100)]).qr.generate("url")


def test_labels_may_be_numbers_or_tuples():
    frame = pd.DataFrame([["x", "y"]], columns=[0, 1])
    assert frame.qr.generate(1)[0].design.content == "y"
    frame.columns = pd.MultiIndex.from_tuples([("a", "x"), ("a", "y")])
    assert frame.qr.generate(("a", "y"))[0].design.content == "y"


# ---- show


def page(frame, **options):
    return html.fromstring(frame.qr.show(**options)._repr_mimebundle_()["text/html"])


@given(st.lists(st.tuples(texts, texts), min_size=1, max_size=4), texts)
@some
def test_whatever_is_no_picture_is_text_and_nothing_but_text(rows, heading):
    frame = pd.DataFrame(rows, columns=[heading, "b"], index=[text for text, _ in rows])
    frame["qr"] = [generate(f"x{text}") for _, text in rows]
    found = page(frame)
    pictures = found.xpath("//img")
    assert {element.tag for element in found.iter()} <= {"div", "table", "thead", "tbody", "tr", "th", "td", "img", "p"}
    assert len(pictures) == len(rows)
    for picture, (_, text) in zip(pictures, rows, strict=True):
        assert set(picture.attrib) == {"src", "width", "height", "alt"}
        assert picture.get("src").startswith("data:image/png;base64,")
        assert decode(b64decode(picture.get("src").partition(",")[2])).content == f"x{text}"


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_cannot_get_out_of_its_cell(text):
    frame = pd.DataFrame({text: [text, [text]]}, index=pd.Index([text, "x"], name=text))
    shown = frame.qr.show().to_html()
    shown.encode()
    found = html.fromstring(shown)
    assert {element.tag for element in found.iter()} == {"table", "thead", "tbody", "tr", "th", "td"}
    assert "mathjax_ignore" in found.get("class")
    clean = text.replace("\ud800", "\ufffd").replace("\0", "\ufffd")
    assert found.xpath("//td")[0].text_content() == found.xpath("//tbody//th")[0].text_content() == clean


def test_missing_cells_are_empty_and_long_ones_cut():
    frame = pd.DataFrame({"a": pd.Series([None, np.nan, pd.NaT, "x" * 999], dtype="object")})
    cells = [cell.text_content() for cell in page(frame).xpath("//td")]
    assert cells[:3] == ["", "", ""]
    assert cells[3] == "x" * 199 + "…"


@pytest.mark.parametrize(
    ("count", "rows", "end"), [(3, 3, None), (4, 3, "… and 1 more row"), (9, 3, "… and 6 more rows")]
)
def test_a_line_tells_how_many_rows_more_there_are(count, rows, end):
    found = page(pd.DataFrame({"a": range(count)}), rows=rows)
    assert len(found.xpath("//tbody/tr")) == min(count, rows)
    assert [line.text for line in found.xpath("//p")] == ([end] if end else [])


def test_the_table_has_the_columns_asked_for_and_its_pictures_their_size():
    frame = DOORS.assign(qr=DOORS.qr.generate("url", width=200, height=300))
    found = page(frame, columns=["qr", "name"], size=32)
    assert [heading.text_content() for heading in found.xpath("//thead//th")] == ["", "qr", "name"]
    assert {(one.get("width"), one.get("height")) for one in found.xpath("//img")} == {("32", "48")}
    assert [heading.text_content() for heading in page(frame, columns="qr").xpath("//thead//th")] == ["", "qr"]
    assert frame.qr.show().to_html() == frame.qr.show().to_html()
    assert repr(frame.qr.show()) == "<PictureTable of 3 rows: 'name', 'url', 'qr'>"


@pytest.mark.parametrize(
    "options", [{"size": 15}, {"size": 513}, {"rows": 0}, {"rows": 1001}, {"rows": True}, {"size": "64"}, {"rows": 1.5}]
)
def test_numbers_of_a_table_have_bounds(options):
    with pytest.raises(InvalidParameter, match=r"must be a whole number of (pixels|rows) in \d+\.\."):
        DOORS.qr.show(**options)


def test_a_picture_that_cannot_be_drawn_is_told_in_its_cell(monkeypatch):
    frame = DOORS.assign(qr=DOORS.qr.generate("url"))
    monkeypatch.setattr(QRImage, "to_bytes", fails)
    assert [cell.text_content() for cell in page(frame, columns=["qr"]).xpath("//td")] == ["<too long>"] * 3


def fails(self, format="png"):
    raise RenderingFailed("<too long>")


# ---- check


def test_a_picture_that_cannot_be_looked_at_costs_its_row_alone():
    layer = {"content": "icon:heart", "x": 110, "y": 110, "width": 60, "height": 60}
    images = [QRImage(Design(content="https://example.com")), QRImage(Design(content="https://e.org", layers=[layer]))]
    frame = pd.DataFrame({"qr": images}, index=["plain", "decorated"])
    with within(0), pytest.warns(UserWarning, match="1 of 2 rows have no picture: row 'decorated'"):
        checked = frame.qr.check("qr")
    assert checked["verdict"].isna().tolist() == [False, True]
    assert [label for label, reason in checked.attrs["errors"]] == ["decorated"]


def test_of_a_look_that_may_not_scan_there_is_one_warning(tmp_path):
    for make in (
        lambda: DOORS.qr.generate("url", padding=0),
        lambda: DOORS.qr.save(tmp_path, "url", padding=0),
    ):
        with pytest.warns(ScanWarning, match="each picture of this look is fragile") as told:
            make()
        assert [one.filename for one in told] == [__file__]


# ---- save


def test_a_folder_gets_a_file_for_each_row(tmp_path):
    files = DOORS.qr.save(tmp_path / "new" / "codes", "url", name="name", format="png", ec="H")
    assert files.index.equals(DOORS.index)
    assert (files.name, str(files.dtype), files.attrs["errors"]) == ("file", TEXT, [])
    assert [Path(file).name for file in files] == ["Door.png", "Gate.png", "Lift.png"]
    assert [decode(Path(file).read_bytes()).content for file in files] == DOORS["url"].tolist()
    assert {Path(file) for file in files} == set((tmp_path / "new" / "codes").iterdir())


def test_files_may_have_a_size_on_paper(tmp_path):
    files = DOORS.qr.save(tmp_path, "url", name="name", format="pdf", print_size=PrintSize(size_mm=60))
    assert Path(files.iloc[0]).read_bytes() == generate("https://example.com/d").print_at(60).to_bytes("pdf")


@pytest.mark.parametrize("suffix", [".zip", ".ZIP"])
def test_a_zip_holds_the_same_files_with_the_same_bytes_every_time(tmp_path, suffix):
    files = DOORS.qr.save(tmp_path / f"codes{suffix}", "url", name="name", format="SVG")
    first = (tmp_path / f"codes{suffix}").read_bytes()
    DOORS.qr.save(tmp_path / f"codes{suffix}", "url", name="name")
    assert (tmp_path / f"codes{suffix}").read_bytes() == first
    with ZipFile(tmp_path / f"codes{suffix}") as archive:
        assert archive.namelist() == files.tolist() == ["Door.svg", "Gate.svg", "Lift.svg"]
        assert archive.read("Door.svg") == generate("https://example.com/d").to_bytes("svg")


@given(
    st.lists(texts | st.sampled_from(["a", "A", "a (2)", "é", "é", "../x", "C:\\x", "con", "ß", "SS", ""]), max_size=8)
)
@some
def test_file_names_are_safe_and_no_two_the_same(tmp_path_factory, names):
    target = tmp_path_factory.mktemp("codes") / "codes.zip"
    frame = pd.DataFrame({"name": names, "text": "x"}, dtype="str")
    files = frame.qr.save(target, "text", name="name", format="txt").tolist()
    on_disk = {unicodedata.normalize("NFC", file).casefold() for file in files}
    assert len(on_disk) == len(names)
    for file in files:
        assert file.endswith(".txt")
        assert not set('/\\:<>"|?*\0') & set(file)
        assert len(file.encode()) <= 255
        assert file.strip(" .") == file


def test_rows_without_a_name_are_named_after_their_content(tmp_path):
    frame = pd.DataFrame({"name": ["Door", None, ""], "text": ["x", "y", "y"]})
    assert frame.qr.save(tmp_path / "a.zip", "text", name="name").tolist() == ["Door.svg", "y.svg", "y (2).svg"]
    assert frame.qr.save(tmp_path / "b.zip", "text").tolist() == ["x.svg", "y.svg", "y (2).svg"]


def test_rows_that_cannot_be_drawn_have_no_file_and_are_told(tmp_path, monkeypatch):
    frame = pd.DataFrame({"name": ["a", [], "a", "a"], "text": ["x", "y", None, "z"]}, index=[1, 1, 2, 3])
    with pytest.warns(UserWarning, match="2 of 4 rows have no picture: row 1: .*; row 2: ") as told:
        files = frame.qr.save(tmp_path, "text", name="name", format="txt")
    assert told[0].filename == __file__
    assert files.isna().tolist() == [False, True, True, False]
    assert [Path(file).name for file in files.dropna()] == ["a.txt", "a (2).txt"]
    assert [label for label, _ in files.attrs["errors"]] == [1, 2]
    monkeypatch.setattr(QRImage, "to_bytes", fails)
    for target in ("codes", "codes.zip"):
        with pytest.warns(UserWarning, match="3 of 3 rows"):
            assert DOORS.qr.save(tmp_path / target, "url").isna().all()


def test_pictures_are_saved_as_they_are(tmp_path):
    frame = DOORS.assign(qr=DOORS.qr.generate("url", foreground="navy"))
    files = frame.qr.save(tmp_path, "qr", name="name")
    assert [Path(file).read_bytes() for file in files] == [image.to_bytes("svg") for image in frame["qr"]]


def test_an_unknown_format_writes_nothing(tmp_path):
    with pytest.raises(InvalidParameter, match="did you mean 'png'"):
        DOORS.qr.save(tmp_path / "codes", "url", format="pngg")
    assert list(tmp_path.iterdir()) == []


# ---- track


def test_each_row_becomes_a_tracked_code(shop):
    frame = DOORS.assign(campaign=["Spring", None, "Spring"], note="here", tail="by the door", code=["dd", "", None])
    result = frame.qr.track(
        shop, "url", name="name", campaign="campaign", comment="note", urlinfo="tail", short_code="code",
        properties={"ec": "H"},
    )  # fmt: skip
    pd.testing.assert_frame_equal(result[frame.columns], frame)
    assert result.columns.tolist() == [*frame.columns, "short_url", "id"]
    assert [str(result[name].dtype) for name in ("short_url", "id")] == [TEXT, TEXT]
    records = shop.list_qrcodes()
    assert result["id"].tolist() == [record.id for record in records]
    assert result["short_url"].tolist() == [record.short_url for record in records]
    assert [(record.name, record.content) for record in records] == list(DOORS.itertuples(index=False, name=None))
    [spring] = shop.list_campaigns()
    assert [record.campaign_id for record in records] == [spring.id, None, spring.id]
    assert {(record.comment, record.urlinfo, record.properties.ec) for record in records} == {
        ("here", "by the door", "H")
    }
    assert records[0].short_url == f"{GO}/dd/by-the-door"


@given(st.lists(texts.filter(bool), max_size=4))
@settings(some, max_examples=8)
def test_content_goes_in_as_it_is_and_the_index_stays(contents):
    frame = pd.DataFrame({"text": contents}, index=[7] * len(contents), dtype="str")
    with open_portfolio(":memory:", base_url=GO) as shop:
        result = frame.qr.track(shop, "text")
        assert result.index.equals(frame.index)
        assert [shop.get_qrcode(id).content for id in result["id"]] == contents


def test_campaigns_that_are_there_are_used(shop):
    first = shop.insert_campaign("Spring")
    shop.insert_campaign("Spring")
    result = DOORS.assign(campaign="Spring").qr.track(shop, "url", campaign="campaign")
    assert {shop.get_qrcode(id).campaign_id for id in result["id"]} == {first.id}


def test_bad_cells_are_all_named_and_nothing_is_stored(shop):
    frame = pd.DataFrame(
        {
            "to": ["x", "", "x", "x", "x", "x"],
            "code": ["aa", "bb", "aa", "no code", None, None],
            "group": ["Spring", "", "", "", "x" * 40_000, ["x"]],
        },
        index=["p", "q", "r", "s", "t", "u"],
    )
    with pytest.raises(InvalidParameter) as refused:
        frame.qr.track(shop, "to", short_code="code", campaign="group")
    assert [problem.name for problem in refused.value.problems] == [
        "row 'q', column 'to'",
        "row 'r', column 'code'",
        "row 's', column 'code'",
        "row 't', column 'group'",
        "row 'u', column 'group'",
    ]
    assert (shop.list_qrcodes(), shop.list_campaigns()) == ([], [])


def test_a_long_list_of_bad_cells_is_cut(shop):
    with pytest.raises(InvalidParameter) as refused:
        pd.DataFrame({"url": [""] * 100}).qr.track(shop)
    assert len(refused.value.problems) == 20


def test_what_cannot_be_encoded_is_named_by_its_row(shop):
    frame = pd.DataFrame({"url": ["x"], "tail": ["y" * 80]}, index=["door"])
    with pytest.raises(InvalidParameter, match="row 'door', column 'url'"):
        frame.qr.track(shop, "url", urlinfo="tail", properties=Properties(version=1))
    assert shop.list_qrcodes() == []


def test_properties_are_judged_before_anything_is_stored(shop):
    with pytest.raises(InvalidParameter, match="size=99"):
        DOORS.qr.track(shop, properties={"size": 99})
    assert shop.list_qrcodes() == []


def test_new_columns_take_no_name_that_is_in_use(shop):
    tracked = DOORS.qr.track(shop)
    with pytest.raises(InvalidParameter, match="is a column already"):
        tracked.qr.track(shop)
    assert len(shop.list_qrcodes()) == 3
    again = tracked.qr.track(shop, short_url="second", id="second_id")
    assert again.columns.tolist() == [*tracked.columns, "second", "second_id"]
    with pytest.raises(InvalidParameter, match="short_url"):
        DOORS.qr.track(shop, short_url="x", id="x")


def test_a_frame_without_rows_gets_its_columns(shop):
    result = DOORS.head(0).qr.track(shop)
    assert {name: str(dtype) for name, dtype in result.dtypes.items()} == dict.fromkeys(result.columns, TEXT)


@pytest.mark.rule("T13")
def test_codes_that_the_plan_does_not_show_have_no_short_url():
    """Open: what a frame says of codes beyond the plan. Their ids; their short URLs are missing."""
    most = PLANS["free"].most_qrcodes
    with Store() as store:
        account = Account(new_id(), "Anna", "free")
        insert_account(store, account, now())
        result = pd.DataFrame({"url": range(most + 1)}).qr.track(Portfolio(store, account, base_url=GO))
        assert result["short_url"].isna().tolist() == [False] * most + [True]
        assert result["id"].notna().all()


# ---- loading


def test_the_accessor_is_loaded_by_name_alone_and_loads_no_store():
    program = (
        "import qrkit, sys; assert 'pandas' not in sys.modules;"
        "import pandas; assert not hasattr(pandas.DataFrame, 'qr');"
        "import qrkit.accessor; assert hasattr(pandas.DataFrame, 'qr'); assert 'duckdb' not in sys.modules"
    )
    ran = subprocess.run([sys.executable, "-W", "error", "-c", program], check=False, capture_output=True, text=True)
    assert (ran.returncode, ran.stderr) == (0, "")


def test_loading_it_warns_of_nothing():
    with warnings.catch_warnings(action="error"):
        assert isinstance(pd.DataFrame().qr, qrkit.notebook.accessor.QRAccessor)


# ---- will it scan


def test_checking_gives_a_row_for_each_picture_with_its_report():
    frame = pd.DataFrame({"url": [LINK, LINK + "/2"], "ink": ["x", "y"]}, index=["door", "window"])
    found = frame.qr.check("url", padding=0)
    assert list(found.columns) == ["verdict", "score", "used", "least_width_mm", "issue", "report"]
    assert [str(one) for one in found.dtypes] == ["category", "Int64", "float64", "float64", TEXT, "object"]
    assert list(found.index) == ["door", "window"]
    for (_, row), content in zip(found.iterrows(), frame["url"], strict=True):
        expected = QRImage(Design(content=content, padding=0)).scan
        assert (row["verdict"], row["score"], row["issue"]) == (
            expected.verdict, expected.score, expected.issues[0].message,
        )  # fmt: skip
        assert row["report"] == expected


def test_verdicts_of_a_frame_can_be_compared_and_counted():
    frame = pd.DataFrame({"qr": [generate(LINK, **fields) for fields in ({}, {"padding": 0}, {"ec": "H"})]})
    found = frame.qr.check("qr")
    assert found["verdict"].min() == "fragile"
    assert (found["verdict"] >= "robust").tolist() == [True, False, True]
    assert list(found["verdict"].cat.categories) == ["unreadable", "fragile", "ok", "robust"]


def test_a_row_that_has_no_picture_has_no_verdict_and_stops_nothing():
    frame = pd.DataFrame({"url": [LINK, "x" * 3000, None]})
    with pytest.warns(UserWarning, match="row"):
        found = frame.qr.check("url")
    assert found["verdict"].isna().tolist() == [False, True, True]
    # What lies on each module, and is too much on many: it comes to light when the picture is drawn.
    hearts = {"type": "sprite", "sprites": [{"content": "icon:heart", "width": 200, "height": 200}]}
    frame = pd.DataFrame({"url": [LINK, "b" * 2300]})
    for level in ("static", "quick"):
        with pytest.warns(UserWarning, match="row 1"):
            checked = frame.qr.check("url", level=level, modules=hearts, ec="L", size=20)
        assert checked["verdict"].isna().tolist() == [False, True]
    assert found["score"].isna().tolist() == [False, True, True]
    assert found["used"].isna().tolist() == [False, True, True]
    assert found.attrs["errors"]


def test_a_frame_is_checked_at_the_level_that_is_asked_for():
    frame = pd.DataFrame({"url": [LINK]})
    assert [frame.qr.check("url", level=one)["report"][0].level for one in ("static", "quick")] == ["static", "quick"]
    with pytest.raises(InvalidParameter, match=r"level='deep'"):
        frame.qr.check("url", level="deep")
    rounded = {"markers": {"top_left": {"pattern": "leaf"}}}
    verdicts = [frame.qr.check("url", audience=one, **rounded)["verdict"][0] for one in ("phones", "all")]
    assert verdicts == ["robust", "fragile"]
    with pytest.raises(InvalidParameter, match=r"audience='cats'"):
        frame.qr.check("url", audience="cats")
    with pytest.raises(AttributeError, match="link"):
        frame.qr.check("link")


def test_an_empty_frame_has_the_same_columns():
    found = pd.DataFrame({"url": pd.Series([], dtype="str")}).qr.check("url")
    assert list(found.columns) == ["verdict", "score", "used", "least_width_mm", "issue", "report"]
    assert len(found) == 0


def test_contents_are_made_from_columns():
    rooms = pd.DataFrame({"Network": ["Lobby", "Bar"], "Key": ["welcome-1", None]}, index=["lobby", "bar"])
    with pytest.warns(UserWarning, match=r"1 of 2 rows have no content: row 'bar': password: is required for WPA"):
        made = rooms.qr.contents("wifi", ssid="Network", password="Key")
    assert made.name == "content"
    assert made["lobby"] == contents.wifi("Lobby", "welcome-1")
    assert made["bar"] is None
    assert [label for label, _ in made.attrs["errors"]] == ["bar"]
    with pytest.raises(InvalidParameter, match="did you mean 'ssid'"):
        rooms.qr.contents("wifi", sid="Network")
    with pytest.raises(InvalidParameter, match="needs a column for one or more of"):
        rooms.qr.contents("wifi")
    with pytest.raises(InvalidParameter, match="is not a kind of content"):
        rooms.qr.contents("wify", ssid="Network")
    with pytest.raises(AttributeError, match="no column 'Net'"):
        rooms.qr.contents("wifi", ssid="Net")


def test_accessor_lists_what_it_can_do():
    known = [name for name in dir(pd.DataFrame.qr) if not name.startswith("_")]
    first, *lines = repr(pd.DataFrame({"url": ["a", "b"]}).qr).splitlines()
    assert first == "<df.qr: QR Codes for 2 rows>"
    assert sorted(line.split()[0] for line in lines) == known
    assert all(line.endswith(".") and len(line.split()) > 3 for line in lines)


def test_what_a_portfolio_holds_says_whose_it_is():
    with open_portfolio(":memory:") as shop:
        assert [repr(one) for one in (shop.gs1, shop.webhooks)] == [f"<Gs1 of {shop!r}>", f"<Webhooks of {shop!r}>"]
